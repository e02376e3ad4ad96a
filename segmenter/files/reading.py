"""Reads binary files in chunks of whole lines; decodes them; errors name the line."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError, EncodingError, check_str
from segmenter.files.opening import name_of, open_source, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from segmenter.files.opening import File

#: Bytes per read.  Large enough to make the start of native threads (about 50 µs) negligible.
CHUNK = 4 << 20
#: The longest line in bytes: the kernels count the characters of a text in 32 bits.
LONGEST_LINE = 1 << 28
_BOM = b"\xef\xbb\xbf"
ERRORS = ("strict", "replace")


def checked_cut(
    cut: Callable[[bytes], bytes],
    data: bytes,
    name: str,
    lines_before: int,
    bytes_before: int,
    encoding: str,
    errors: str,
) -> bytes:
    """Return ``cut(data)``; the error for bytes that are not UTF-8 names file and line.

    Args:
        cut: cuts the UTF-8 bytes of whole lines.
        data: a chunk.
        name: the file.
        lines_before, bytes_before: the lines and bytes of the file before the chunk.
        encoding, errors: as in :meth:`segmenter.Segmenter.cut_file`.
    """
    try:
        return cut(data)
    except EncodingError as e:
        # only undecoded UTF-8 comes here: decoded text is encoded by this module
        bad_offset = e.offset or 0
        if errors == "replace":
            return cut(data.decode("utf-8", "replace").encode("utf-8"))
        line = lines_before + data.count(b"\n", 0, bad_offset) + 1
        remedy = _remedy(data, bad_offset, not bytes_before)
        raise EncodingError(
            f"byte 0x{data[bad_offset]:02x} is not UTF-8: {remedy}",
            bytes_before + bad_offset,
            line,
            name,
        ) from None


def _remedy(data: bytes, bad_offset: int, at_start: bool) -> str:
    """What to do about a byte that is not UTF-8; ``at_start``: the text begins with ``data``."""
    start = data.rfind(b"\n", 0, bad_offset) + 1
    end = data.find(b"\n", bad_offset)
    if at_start and (wide := _utf16(data)):
        guess = f"the text reads as UTF-16: give encoding='{wide}'"
    else:
        from segmenter.files.guessing import advice

        # with the lines that follow: a short line may decode to common characters by chance
        sample_end = data.rfind(b"\n", start, start + _SAMPLE_SIZE)
        line = bytes(data[start : max(sample_end, end if end >= 0 else len(data))])
        guess = advice(line, "give encoding={!r}") or "give its encoding"
    return f"{guess}, or errors='replace' to go on"


#: The number of bytes examined to recognize UTF-16.
_SAMPLE_SIZE = 1 << 12


def _utf16(data: bytes) -> str:
    """Return the name of the UTF-16 encoding of a text's first bytes, or ``""``.

    A byte order mark decides; without one, nearly all characters must be Han characters, CJK
    punctuation or ASCII, which text in GBK or Big5 does not give when read as UTF-16.

    >>> _utf16("他说的".encode("utf-16")), _utf16("他说的".encode("utf-16-be"))
    ('utf-16', 'utf-16-be')
    >>> _utf16("他说的".encode("gb18030"))
    ''
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[:_SAMPLE_SIZE]
    for codec in ("utf-16-le", "utf-16-be"):
        text = sample[: len(sample) & ~1].decode(codec, "replace")
        n_plausible = sum(
            "\u4e00" <= c <= "\u9fff" or "\u3000" <= c <= "\u303f" or c in "\r\n\t"
            or " " <= c <= "~" or "\uff01" <= c <= "\uff5e"
            for c in text
        )  # fmt: skip
        if len(text) > 1 and n_plausible >= 0.9 * len(text):
            return codec
    return ""


def read_chunks(
    reader: IO[bytes], name: str, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[bytes, int, int]]:
    """Yield chunks of whole lines as UTF-8: (chunk, its lines, bytes read up to its end).

    A byte order mark at the start is dropped.  UTF-8 is passed on unchecked.

    Raises:
        ArgumentError: an unknown ``encoding`` or ``errors``; a line of more than 256 MB.
        EncodingError: bytes that are not in ``encoding``; names file, line and byte offset.
    """
    if errors not in ERRORS:
        raise ArgumentError(f"errors: {errors!r} is not one of {', '.join(ERRORS)}")
    codec = codec_of(encoding)
    blocks = _named(_blocks(reader, CHUNK), name)
    if codec.name in ("utf-8", "utf-8-sig"):
        yield from _utf8_chunks(blocks, name)
    else:
        yield from _decoded_chunks(blocks, name, codec, errors)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the file in an error of the system while reading, which lacks it."""
    try:
        yield
    except OSError as e:
        if e.filename is None and e.errno is not None:
            e.filename = name
        raise


def read_whole(path: str) -> bytes:
    """Return the bytes of a file; every error of the system names it."""
    with open(path, "rb") as file, naming(path):
        return file.read()


def _named(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    with naming(name):
        yield from blocks


def codec_of(encoding: str) -> codecs.CodecInfo:
    """Return the codec of a text encoding.

    Raises:
        TypeError, ArgumentError: there is no such encoding.
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
    """Yield blocks of up to ``size`` bytes; from a pipe or terminal less if its writer pauses."""
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

    def read_block() -> bytes:
        block: bytes = read1(1 << 16)
        if not block and not blocking:  # no data yet, or the end: the next read tells which
            select([reader.fileno()], [], [])
            block = read1(1 << 16)
        return block

    pending: list[bytes] = []
    pending_size = 0
    while block := read_block():
        pending.append(block)
        pending_size += len(block)
        has_more = False
        with suppress(OSError, ValueError):  # Windows: select knows sockets only
            has_more = bool(select([reader.fileno()], [], [], 0)[0])
        if pending_size < size and has_more:
            continue
        yield b"".join(pending)
        pending, pending_size = [], 0
    if pending:
        yield b"".join(pending)


def _utf8_chunks(blocks: Iterator[bytes], name: str) -> Iterator[tuple[bytes, int, int]]:
    pending: list[bytes] = []  # parts of a line whose end is not read yet
    pending_size = bytes_read = lines = 0
    at_start = True
    for block in blocks:
        cut_offset = block.rfind(b"\n") + 1
        if not cut_offset:
            pending.append(block)
            pending_size += len(block)
            _check_length(pending_size, name, lines)
            continue
        data = b"".join((*pending, memoryview(block)[:cut_offset]))
        pending = [block[cut_offset:]]
        pending_size = len(block) - cut_offset
        bytes_read += len(data)
        if at_start:
            data = data.removeprefix(_BOM)
            # offsets in errors count from the file's first byte
            if len(data) != bytes_read:
                yield b"", 0, len(_BOM)
            at_start = False
        count = data.count(b"\n")
        lines += count
        yield data, count, bytes_read
    data = b"".join(pending)
    if data:
        bytes_read += len(data)
        if at_start and data.startswith(_BOM):
            yield b"", 0, len(_BOM)
            data = data.removeprefix(_BOM)
        yield data, 1 if data else 0, bytes_read


def _decoded_chunks(
    blocks: Iterator[bytes], name: str, codec: codecs.CodecInfo, errors: str
) -> Iterator[tuple[bytes, int, int]]:
    make_decoder = codec.incrementaldecoder
    assert make_decoder is not None
    decoder = make_decoder(errors)
    pending: list[str] = []
    pending_size = bytes_read = lines = 0
    at_start = True

    def decode(block: bytes, final: bool) -> str:
        state = decoder.getstate()
        try:
            return decoder.decode(block, final)
        except UnicodeDecodeError as e:
            # e counts from the first byte that the decoder had buffered
            n_buffered = len(e.object) - len(block)
            n_good = max(0, e.start - n_buffered)
            decoder.setstate(state)
            try:
                decoded = "".join((*pending, decoder.decode(block[:n_good])))
            except UnicodeError:  # a codec that fails before the offset that it names (punycode)
                decoded = "".join(pending)
            raise EncodingError(
                f"bytes {e.object[e.start : e.end][:4].hex(' ')} are not {codec.name} "
                f"({e.reason}): give their encoding, or errors='replace' to go on",
                bytes_read + e.start - n_buffered,
                lines + decoded.count("\n") + 1,
                name,
            ) from None
        except UnicodeError as e:  # codecs that name no offset: utf-16 without a mark, idna
            raise EncodingError(
                f"the bytes from here on are not {codec.name} ({e}): give their encoding "
                "(utf-16-le or utf-16-be if there is no byte order mark)",
                bytes_read,
                lines + 1,
                name,
            ) from None

    def encode(text: str) -> bytes:
        # a lenient codec may pass on lone surrogates (utf-16, for example)
        return text.encode("utf-8", "replace")

    for block in blocks:
        text = decode(block, False)
        if at_start and text:
            text = text.removeprefix("\ufeff")
            at_start = False
        bytes_read += len(block)
        cut_offset = text.rfind("\n") + 1
        if not cut_offset:
            pending.append(text)
            pending_size += len(text)
            _check_length(pending_size * 3, name, lines)
            continue
        data = "".join((*pending, text[:cut_offset]))
        pending = [text[cut_offset:]]
        pending_size = len(text) - cut_offset
        count = data.count("\n")
        yield encode(data), count, bytes_read
        lines += count
    data = "".join((*pending, decode(b"", True)))
    if data:
        count = data.count("\n")
        yield encode(data), count + (not data.endswith("\n")), bytes_read


def _check_length(length: int, name: str, lines: int) -> None:
    if length > LONGEST_LINE:
        raise ArgumentError(
            f"{name}, line {lines + 1}: longer than {LONGEST_LINE >> 20} MB: break it into lines"
        )


def check_lines(data: bytes | bytearray, name: str) -> None:
    """Raise ArgumentError if a line is too long for the kernels."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            _check_length(LONGEST_LINE + 1, name, data.count(b"\n", 0, start))
        start = end + 1


def read_lines(
    src: File, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[int, str]]:
    """Yield (number, line) from 1, without line ends and byte order mark.

    Lines end only at ``\\n`` (a ``\\r`` before it is dropped): the other line ends of
    :meth:`str.splitlines` occur inside lines of real corpora.

    Raises:
        EncodingError: as :func:`read_chunks`.
        OSError: the file cannot be read.

    >>> import io
    >>> list(read_lines(io.BytesIO("一\\r\\n二".encode())))
    [(1, '一'), (2, '二')]
    """
    name = name_of(src, "src")
    lines = offset = 0

    def check(data: bytes) -> bytes:
        decode(data)
        return data

    with open_source(src) as reader:
        for data, count, end in read_chunks(reader, name, encoding, errors):
            checked = checked_cut(check, data, name, lines, offset, encoding, errors)
            *complete, last = checked.decode("utf-8").split("\n")
            for number, line in enumerate(complete, lines + 1):
                yield number, line.removesuffix("\r")
            if last:
                yield lines + len(complete) + 1, last
            lines += count
            offset = end


def lines_again(src: File, encoding: str = "utf-8", errors: str = "strict") -> Iterator[str]:
    """Yield the lines of ``src``, then rewind it for a second reading.

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
        start = reader.tell()
        for _, line in read_lines(reader, encoding, errors):
            yield line
        reader.seek(start)


def grouped(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lists of lines of at least ``size`` characters with line ends; the last may have less.

    >>> list(grouped(["ab", "c", "d"], 4))
    [['ab', 'c'], ['d']]
    """
    group: list[str] = []
    characters = 0
    for line in lines:
        group.append(line)
        characters += len(line) + 1
        if characters >= size:
            yield group
            group, characters = [], 0
    if group:
        yield group


def decode(utf8: bytes) -> str:
    """Return the text of UTF-8 bytes.

    Raises:
        EncodingError: the bytes are not UTF-8; names the offset.
    """
    try:
        return utf8.decode("utf-8")
    except UnicodeDecodeError as e:
        raise EncodingError(e.reason, e.start) from None
