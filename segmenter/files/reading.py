"""Reads whole lines from binary files: chunks, encodings, and errors that name the line."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError, EncodingError, check_str
from segmenter.files.opening import name_of, open_source, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from segmenter.files.opening import File

#: Bytes read at once.  Large enough that starting native threads (about 50 µs) costs nothing.
CHUNK = 4 << 20
#: The longest line: the kernels count characters of one text in 32 bits.
LONGEST_LINE = 1 << 28
_BOM = b"\xef\xbb\xbf"
ERRORS = ("strict", "replace")


def checked_cut(
    cut: Callable[[bytes], bytes],
    data: bytes,
    name: str,
    lines: int,
    offset: int,
    encoding: str,
    errors: str,
) -> bytes:
    """What ``cut`` makes of a chunk; bytes that are not UTF-8 are named with their file and line.

    Args:
        cut: takes UTF-8 bytes of whole lines.
        data: a chunk.
        name, lines, offset: the file, and how much of it was read before.
        encoding, errors: as given.
    """
    try:
        return cut(data)
    except EncodingError as e:
        # decoded text was encoded by us, so this is the straight UTF-8 path
        bad = e.offset or 0
        if errors == "replace":
            return cut(data.decode("utf-8", "replace").encode("utf-8"))
        line = lines + data.count(b"\n", 0, bad) + 1
        raise EncodingError(
            f"byte 0x{data[bad]:02x} is not UTF-8: {_remedy(data, bad, not offset)}",
            offset + bad,
            line,
            name,
        ) from None


def _remedy(data: bytes, bad: int, head: bool) -> str:
    """What to do about a byte that is not UTF-8; ``head``: the text begins with ``data``."""
    start = data.rfind(b"\n", 0, bad) + 1
    end = data.find(b"\n", bad)
    if head and (wide := _utf16(data)):
        guess = f"the text reads as UTF-16: give encoding='{wide}'"
    else:
        from segmenter.files.guessing import advice

        # the lines that follow too: a short line decodes to usual characters by chance
        more = data.rfind(b"\n", start, start + _SAMPLE)
        line = bytes(data[start : max(more, end if end >= 0 else len(data))])
        guess = advice(line, "give encoding={!r}") or "give its encoding"
    return f"{guess}, or errors='replace' to go on"


#: Bytes that are looked at to tell UTF-16.
_SAMPLE = 1 << 12


def _utf16(data: bytes) -> str:
    """The name of the UTF-16 that a text's first bytes are in, or ``""``.

    A byte order mark decides; without one, nearly all of it must be Han characters, CJK punctuation
    and ASCII, which bytes of GBK and Big5 read as UTF-16 are not.

    >>> _utf16("他说的".encode("utf-16")), _utf16("他说的".encode("utf-16-be"))
    ('utf-16', 'utf-16-be')
    >>> _utf16("他说的".encode("gb18030"))
    ''
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[:_SAMPLE]
    for codec in ("utf-16-le", "utf-16-be"):
        text = sample[: len(sample) & ~1].decode(codec, "replace")
        usual = sum(
            "\u4e00" <= c <= "\u9fff" or "\u3000" <= c <= "\u303f" or c in "\r\n\t"
            or " " <= c <= "~" or "\uff01" <= c <= "\uff5e"
            for c in text
        )  # fmt: skip
        if len(text) > 1 and usual >= 0.9 * len(text):
            return codec
    return ""


def read_chunks(
    reader: IO[bytes], name: str, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[bytes, int, int]]:
    """Chunks of whole lines as UTF-8: (the chunk, its lines, bytes read up to its end).

    A byte order mark at the head is dropped.  UTF-8 itself is handed on unchecked.

    Raises:
        ArgumentError: an unknown ``encoding`` or ``errors``; a line of more than 256 MB.
        EncodingError: bytes that are not in ``encoding``; names file, line and byte offset.
    """
    if errors not in ERRORS:
        raise ArgumentError(f"errors: {errors!r} is not one of {', '.join(ERRORS)}")
    codec = codec_of(encoding)
    if codec.name in ("utf-8", "utf-8-sig"):
        yield from _utf8_chunks(reader, name)
    else:
        yield from _decoded_chunks(reader, name, codec, errors)


def codec_of(encoding: str) -> codecs.CodecInfo:
    """The codec of an encoding of text.

    Raises:
        TypeError, ArgumentError: there is none of that name.
    """
    check_str("encoding", encoding)
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        raise ArgumentError(
            f"encoding: {encoding!r} is not known: use utf-8, gb18030, big5, utf-16 or another "
            "name that Python knows"
        ) from None
    if not codec._is_text_encoding or codec.incrementaldecoder is None:
        raise ArgumentError(
            f"encoding: {encoding!r} is not an encoding of text: use utf-8, gb18030, big5 or utf-16"
        )
    return codec


def _blocks(reader: IO[bytes], size: int) -> Iterator[bytes]:
    """Up to ``size`` bytes at a time; from a pipe or a terminal less, once its writer pauses."""
    status = status_of(reader)
    read1 = getattr(reader, "read1", None)
    if status is None or stat.S_ISREG(status.st_mode) or read1 is None:
        while block := reader.read(size):
            yield block
        if block is None:
            raise BlockingIOError(errno.EAGAIN, "the input does not block and is not at its end")
        return
    from select import select

    blocking = True
    with suppress(OSError, ValueError, AttributeError):  # AttributeError: Windows before 3.12
        blocking = os.get_blocking(reader.fileno())

    def taken() -> bytes:
        block: bytes = read1(1 << 16)
        if not block and not blocking:  # nothing yet, or the end: the next one tells
            select([reader.fileno()], [], [])
            block = read1(1 << 16)
        return block

    parts: list[bytes] = []
    held = 0
    while block := taken():
        parts.append(block)
        held += len(block)
        more = False
        with suppress(OSError, ValueError):  # Windows: select knows sockets only
            more = bool(select([reader.fileno()], [], [], 0)[0])
        if held < size and more:
            continue
        yield b"".join(parts)
        parts, held = [], 0
    if parts:
        yield b"".join(parts)


def _utf8_chunks(reader: IO[bytes], name: str) -> Iterator[tuple[bytes, int, int]]:
    rest: list[bytes] = []  # of a line whose end is still to come
    held = done = lines = 0
    first = True
    for block in _blocks(reader, CHUNK):
        cut = block.rfind(b"\n") + 1
        if not cut:
            rest.append(block)
            held += len(block)
            _check_length(held, name, lines)
            continue
        data = b"".join((*rest, memoryview(block)[:cut]))
        rest = [block[cut:]]
        held = len(block) - cut
        done += len(data)
        if first:
            data = data.removeprefix(_BOM)
            # offsets in errors count from the file's first byte
            if len(data) != done:
                yield b"", 0, len(_BOM)
            first = False
        count = data.count(b"\n")
        lines += count
        yield data, count, done
    data = b"".join(rest)
    if data:
        done += len(data)
        if first and data.startswith(_BOM):
            yield b"", 0, len(_BOM)
            data = data.removeprefix(_BOM)
        yield data, 1 if data else 0, done


def _decoded_chunks(
    reader: IO[bytes], name: str, codec: codecs.CodecInfo, errors: str
) -> Iterator[tuple[bytes, int, int]]:
    make = codec.incrementaldecoder
    assert make is not None
    decoder = make(errors)
    rest: list[str] = []
    held = done = lines = 0
    first = True

    def decode(block: bytes, final: bool) -> str:
        state = decoder.getstate()
        try:
            return decoder.decode(block, final)
        except UnicodeDecodeError as e:
            # e counts from the bytes that the decoder had kept back
            kept = len(e.object) - len(block)
            good = max(0, e.start - kept)
            decoder.setstate(state)
            try:
                before = "".join((*rest, decoder.decode(block[:good])))
            except UnicodeError:  # a codec that fails before the place it names (punycode)
                before = "".join(rest)
            raise EncodingError(
                f"bytes {e.object[e.start : e.end][:4].hex(' ')} are not {codec.name} "
                f"({e.reason}): give their encoding, or errors='replace' to go on",
                done + e.start - kept,
                lines + before.count("\n") + 1,
                name,
            ) from None
        except UnicodeError as e:  # of codecs that do not say where: utf-16 without a mark, idna
            raise EncodingError(
                f"the bytes from here on are not {codec.name} ({e}): give their encoding "
                "(utf-16-le or utf-16-be where there is no mark)",
                done,
                lines + 1,
                name,
            ) from None

    def encode(text: str) -> bytes:
        # what a lenient codec lets through (utf-16 with lone surrogates, say) is not text
        return text.encode("utf-8", "replace")

    for block in _blocks(reader, CHUNK):
        text = decode(block, False)
        if first and text:
            text = text.removeprefix("\ufeff")
            first = False
        done += len(block)
        cut = text.rfind("\n") + 1
        if not cut:
            rest.append(text)
            held += len(text)
            _check_length(held * 3, name, lines)
            continue
        data = "".join((*rest, text[:cut]))
        rest = [text[cut:]]
        held = len(text) - cut
        count = data.count("\n")
        yield encode(data), count, done
        lines += count
    data = "".join((*rest, decode(b"", True)))
    if data:
        count = data.count("\n")
        yield encode(data), count + (not data.endswith("\n")), done


def _check_length(held: int, name: str, lines: int) -> None:
    if held > LONGEST_LINE:
        raise ArgumentError(
            f"{name}, line {lines + 1}: longer than {LONGEST_LINE >> 20} MB: break it into lines"
        )


def check_lines(data: bytes | bytearray, name: str) -> None:
    """Raise ArgumentError if a line is too long for the kernels."""
    at = 0
    while len(data) - at > LONGEST_LINE:
        end = data.rfind(b"\n", at, at + LONGEST_LINE + 1)
        if end < 0:
            _check_length(LONGEST_LINE + 1, name, data.count(b"\n", 0, at))
        at = end + 1


def read_lines(
    src: File, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[int, str]]:
    """Lines of text with their numbers from 1, without their ends and a byte order mark.

    Lines end at ``\\n`` only (``\\r`` before it is dropped): the other characters that
    :meth:`str.splitlines` knows stand inside lines of real corpora.

    Raises:
        EncodingError: as :func:`read_chunks`.
        OSError: the file cannot be read.

    >>> import io
    >>> list(read_lines(io.BytesIO("一\\r\\n二".encode())))
    [(1, '一'), (2, '二')]
    """
    name = name_of(src, "src")
    lines = offset = 0

    def same(data: bytes) -> bytes:
        decode(data)
        return data

    with open_source(src) as reader:
        for data, count, read in read_chunks(reader, name, encoding, errors):
            checked = checked_cut(same, data, name, lines, offset, encoding, errors)
            *whole, last = checked.decode("utf-8").split("\n")
            for number, line in enumerate(whole, lines + 1):
                yield number, line.removesuffix("\r")
            if last:
                yield lines + len(whole) + 1, last
            lines += count
            offset = read


def lines_again(src: File, encoding: str = "utf-8", errors: str = "strict") -> Iterator[str]:
    """The lines of ``src``, which can be read once more afterwards.

    Raises:
        ArgumentError: standard input, a pipe or another source that cannot be read twice.
        EncodingError: as :func:`read_chunks`.
    """
    name = name_of(src, "src")
    with open_source(src) as reader:
        if not reader.seekable():
            raise ArgumentError(
                f"src: learn=True reads {name} twice, which is not possible: save it to a file"
            )
        at = reader.tell()
        for _, line in read_lines(reader, encoding, errors):
            yield line
        reader.seek(at)


def grouped(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Lines in lists that have ``size`` characters or more with the line ends; the last may have
    fewer.

    >>> list(grouped(["ab", "c", "d"], 4))
    [['ab', 'c'], ['d']]
    """
    held: list[str] = []
    characters = 0
    for line in lines:
        held.append(line)
        characters += len(line) + 1
        if characters >= size:
            yield held
            held, characters = [], 0
    if held:
        yield held


def decode(utf8: bytes) -> str:
    """The text of UTF-8 bytes.

    Raises:
        EncodingError: they are not UTF-8; names the offset.
    """
    try:
        return utf8.decode("utf-8")
    except UnicodeDecodeError as e:
        raise EncodingError(e.reason, e.start) from None
