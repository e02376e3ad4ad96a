"""Decoders: from pieces back to text.

A decoder takes a list of pieces and returns a list of strings whose concatenation is the text, so
that decoders can be chained.  ``config()`` and :func:`make` work as in
:mod:`~segmenter.subword.normalise`.  :class:`Added` tokens decode to their own text.

>>> "".join(ByteLevel()(["He", "llo", "Ġ", "å¥½"]))
'Hello 好'
>>> "".join(WordPiece()(["un", "##aff", "##able", "!"]))
'unaffable!'
>>> "".join(EndOfWord()(["the</w>", "high", "est</w>", "moun", "tain</w>"]))
'the highest mountain'
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from segmenter.subword.aligned import GROWTH, check_length, max_length
from segmenter.subword.models import entries
from segmenter.subword.models.model import BYTE_OF_PIECE, CHAR_TO_BYTE, from_bytes, to_bytes
from segmenter.subword.scanning import matches

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self


class Added(str):
    """A piece that is an added (special) token: no byte alphabet, no byte piece."""

    __slots__ = ()


class Decoder(entries.Step):
    """Base class of decoders; leaves the pieces unchanged."""

    family = "decoder"
    #: Whether added tokens have no text: leaving them out would join the bytes around them.
    silent = False

    @property
    def lengthens(self) -> bool:
        """Whether it can make a text longer by more than a blank a piece."""
        return False

    def size(self, pieces: list[str]) -> int:
        """About how many characters it will make."""
        return sum(map(len, pieces))

    def __call__(self, pieces: list[str]) -> list[str]:
        """Strings whose concatenation is the text, or one step closer to it."""
        return pieces


class Fuse(Decoder):
    """Joins all pieces into one string."""

    kind = "Fuse"

    def __call__(self, pieces: list[str]) -> list[str]:
        return ["".join(pieces)]


def bytes_of(piece: str) -> bytes:
    """The bytes of a piece in the byte alphabet; for other pieces their UTF-8."""
    values = None if isinstance(piece, Added) else [CHAR_TO_BYTE.get(c) for c in piece]
    return to_bytes(piece) if values is None or None in values else bytes(b or 0 for b in values)


class ByteLevel(Decoder):
    """Turns characters of the byte alphabet into bytes and decodes them; invalid UTF-8 becomes
    U+FFFD."""

    kind = "ByteLevel"

    def __call__(self, pieces: list[str]) -> list[str]:
        return [from_bytes(b"".join(map(bytes_of, pieces)))]

    def config(self) -> dict[str, Any]:
        # the other fields do not affect decoding, but the library requires them
        return {
            "type": self.kind,
            "add_prefix_space": True,
            "trim_offsets": True,
            "use_regex": True,
        }


class ByteFallback(Decoder):
    """Decodes runs of ``<0x..>``; in a run that is not valid UTF-8 each byte becomes U+FFFD."""

    kind = "ByteFallback"

    def __call__(self, pieces: list[str]) -> list[str]:
        strings: list[str] = []
        for bytes_, run in groupby(pieces, _is_byte):
            if not bytes_:
                strings += run
                continue
            data = bytes(map(BYTE_OF_PIECE.__getitem__, run))
            try:
                strings.append(data.decode("utf-8", "surrogatepass"))
            except UnicodeDecodeError:
                strings.extend("\ufffd" * len(data))
        return strings


def bytes_of_fallback(piece: str) -> bytes:
    """The byte of ``<0x..>``; for other pieces their UTF-8."""
    return bytes([BYTE_OF_PIECE[piece]]) if _is_byte(piece) else to_bytes(piece)


#: The decoders that join bytes, each with the function that returns the bytes of a piece.
BYTES_OF: dict[type[Decoder], Callable[[str], bytes]] = {
    ByteLevel: bytes_of,
    ByteFallback: bytes_of_fallback,
}


def _max_length(pieces: list[str]) -> int:
    return max_length(sum(map(len, pieces)) + len(pieces))


def _is_byte(piece: str) -> bool:
    return piece in BYTE_OF_PIECE and not isinstance(piece, Added)


#: The replacements of WordPiece's clean-up, in order.
_CLEANUP = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
    (" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


def _cleaned(text: str) -> str:
    for old, new in _CLEANUP:
        text = text.replace(old, new)
    return text


@dataclass(eq=False, repr=False)
class WordPiece(Decoder):
    """Appends pieces with the prefix to the previous piece, and others after a blank.

    Args:
        prefix: marks pieces that do not begin a word.
        cleanup: remove the blanks in front of punctuation and English contractions.
    """

    kind = "WordPiece"

    prefix: str = "##"
    cleanup: bool = True

    def __call__(self, pieces: list[str]) -> list[str]:
        strings = []
        for i, piece in enumerate(pieces):
            text = piece
            if i:
                inner = piece.startswith(self.prefix)
                text = piece[len(self.prefix) :] if inner else " " + piece
            strings.append(_cleaned(text) if self.cleanup else text)
        return strings


@dataclass(eq=False, repr=False)
class EndOfWord(Decoder):
    """Turns the suffix that ends a word into a blank and drops it at the end of the text
    (subword-nmt's ``</w>``)."""

    kind = "BPEDecoder"

    suffix: str = "</w>"

    @property
    def lengthens(self) -> bool:
        return not self.suffix

    def __call__(self, pieces: list[str]) -> list[str]:
        last = len(pieces) - 1
        return [
            piece.replace(self.suffix, " " if i < last else "") for i, piece in enumerate(pieces)
        ]


@dataclass(eq=False, repr=False)
class Metaspace(Decoder):
    """Turns ``▁`` into a blank; drops those of the first piece if one was prepended."""

    kind = "Metaspace"

    replacement: str = "▁"
    prepend_scheme: str = "always"
    split: bool = True

    @classmethod
    def of_entry(cls, entry: dict[str, Any], **context: Any) -> Self:
        return cls(*entries.metaspace(entry))

    def __call__(self, pieces: list[str]) -> list[str]:
        drop = self.prepend_scheme != "never"
        return [
            piece
            if isinstance(piece, Added)
            else piece.replace(self.replacement, "" if drop and not i else " ")
            for i, piece in enumerate(pieces)
        ]


class Replace(entries.Replacing, Decoder):
    """Replaces every match of a string, or of a regular expression, in each piece.

    Raises:
        ArgumentError: the text would become too long (:mod:`.aligned`).
    """

    @property
    def lengthens(self) -> bool:
        return self.regex or len(self.content) > len(self.pattern)

    def size(self, pieces: list[str]) -> int:
        length = sum(map(len, pieces))
        if self.regex:
            count = sum(1 for piece in pieces for _ in matches(self.pattern, piece, "oniguruma"))
        else:
            count = sum(piece.count(self.pattern) for piece in pieces)
            length -= count * len(self.pattern)
        return length + count * len(self.content)

    def __call__(self, pieces: list[str]) -> list[str]:
        if self.lengthens:
            check_length(self.size(pieces), _max_length(pieces))
        if not self.regex:
            return [piece.replace(self.pattern, self.content) for piece in pieces]
        return [self._replace_matches(piece) for piece in pieces]

    def _replace_matches(self, piece: str) -> str:
        parts, last_end = [], 0
        for start, end in matches(self.pattern, piece, "oniguruma"):
            parts += [piece[last_end:start], self.content]
            last_end = end
        return "".join([*parts, piece[last_end:]])


@dataclass(eq=False, repr=False)
class Strip(Decoder):
    """Strips at most ``start`` and ``stop`` occurrences of a character off each string's ends."""

    kind = "Strip"

    content: str = " "
    start: int = 0
    stop: int = 0

    def __call__(self, pieces: list[str]) -> list[str]:
        strings = []
        for piece in pieces:
            start, end = 0, len(piece)
            while start < min(self.start, len(piece)) and piece[start] == self.content:
                start += 1
            while end > start and len(piece) - end < self.stop and piece[end - 1] == self.content:
                end -= 1
            strings.append(piece[start:end])
        return strings


@dataclass(eq=False, repr=False)
class CTC(Decoder):
    """Collapses repetitions and drops padding in the output of speech models, which has a piece per
    frame (Graves 2006).

    Args:
        pad: the piece that means nothing.
        delimiter: the piece that means a blank.
        cleanup: as for :class:`WordPiece`.
    """

    kind = "CTC"

    pad: str = entries.named("pad_token", "<pad>")
    delimiter: str = entries.named("word_delimiter_token", "|")
    cleanup: bool = True

    @property
    def lengthens(self) -> bool:
        return not self.delimiter

    def __call__(self, pieces: list[str]) -> list[str]:
        strings = []
        for piece, _ in groupby(pieces):
            text = piece.replace(self.pad, "")
            if self.cleanup:
                text = _cleaned(text).replace(self.delimiter, " ")
            if text:
                strings.append(text)
        return strings


@dataclass(eq=False, repr=False)
class SentencePiece(Decoder):
    """SentencePiece's decoder: ``▁`` becomes a blank; a prepended one is dropped.  Added tokens are
    its control symbols, which have no text.

    ``tokenizer.json`` has no entry for it and uses several steps instead.

    Args:
        unk: the piece for unknown text.
        surface: the text that an unknown piece decodes to.
        prefixed: whether a blank was prepended to the text, or blanks were dropped.
        single: whether blanks were dropped: then every piece loses one until there is some output.
        byte_fallback: pieces ``<0x..>`` are bytes; each byte of invalid UTF-8 becomes U+FFFD.
    """

    kind = "SentencePiece"
    whole = True
    silent = True

    unk: str = "<unk>"
    surface: str = " \u2047 "
    prefixed: bool = True
    single: bool = True
    byte_fallback: bool = False

    @property
    def lengthens(self) -> bool:
        return len(self.surface) > GROWTH

    def size(self, pieces: list[str]) -> int:
        return sum(map(len, pieces)) + pieces.count(self.unk) * len(self.surface)

    def __call__(self, pieces: list[str]) -> list[str]:
        strings: list[str] = []
        data = bytearray()
        begin = True
        for piece in pieces:
            if self.byte_fallback and _is_byte(piece):
                data.append(BYTE_OF_PIECE[piece])
                continue
            if data:
                strings.append(_characters(bytes(data)))
                data.clear()
                begin = False
            if isinstance(piece, Added):
                text = ""
            elif piece == self.unk:
                text = self.surface
                begin = begin and not text
            else:
                text = piece
                if begin and self.prefixed and piece.startswith("\u2581"):
                    text = piece[1:]
                    begin = self.single and not text
                elif piece:
                    begin = False
                text = text.replace("\u2581", " ")
            strings.append(text)
        return [*strings, _characters(bytes(data))]

    def steps(self) -> Sequence:
        """The same with steps of ``tokenizers``, except for texts that begin with blanks."""
        steps: list[Decoder] = [Replace(self.unk, self.surface)]
        if self.byte_fallback:
            steps.append(ByteFallback())
        steps.append(Fuse())
        if self.prefixed:
            steps.append(Strip("\u2581", 1, 0))
        return Sequence([*steps, Replace("\u2581", " ")])


def _characters(data: bytes) -> str:
    """Decode UTF-8; each byte that is not part of a character becomes U+FFFD."""
    return data.decode("utf-8", _EACH_BYTE)


def _replace_byte(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    try:
        return codecs.lookup_error("surrogatepass")(error)
    except UnicodeDecodeError:
        return "\ufffd", error.start + 1


_EACH_BYTE = "segmenter.subword.each-byte"
codecs.register_error(_EACH_BYTE, _replace_byte)


class Sequence(entries.Sequence[Decoder], Decoder):
    inner = "decoders"

    @property
    def lengthens(self) -> bool:
        return any(step.lengthens for step in self.steps)

    def __call__(self, pieces: list[str]) -> list[str]:
        if not self.lengthens:
            for step in self.steps:
                pieces = step(pieces)
            return pieces
        limit = _max_length(pieces)
        for step in self.flattened():
            check_length(step.size(pieces), limit)
            pieces = step(pieces)
        return pieces

    def config(self) -> dict[str, Any]:
        # :class:`Blanks` becomes null
        return {"type": self.kind, self.inner: [step.config() for step in self.steps]}


class Blanks(Decoder):
    """Joins pieces with blanks, as ``tokenizers`` does without a decoder."""

    def __call__(self, pieces: list[str]) -> list[str]:
        return [" ".join(pieces)]

    def config(self) -> None:
        return None


Decoder.null = Blanks
make = Decoder.read
