"""Shared by all models: pieces, the interface of a model, and the two notations for bytes.

A *model* maps a normalised and pre-tokenised string (a *span*, such as a word) to pieces of its
vocabulary.  Offsets of pieces are in code points of that string;
:class:`segmenter.subword.Tokenizer` maps them back to the caller's text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError, check_str, wrong_type
from segmenter.kernels._subword import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from random import Random
    from typing import Any

    from segmenter.kernels._subword import Spans, Subwords


#: Maximum number of different characters in the pieces of a compiled model.
KERNEL_CHARACTERS = 65_531


class Piece(NamedTuple):
    """A piece: its id and the characters of the string that it covers, end exclusive.

    A piece that contains only some bytes of a character covers the whole character, so adjacent
    pieces may share one.
    """

    id: int
    start: int
    end: int


def _byte_alphabet() -> dict[int, str]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {b: chr(b) for b in printable}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(printable))
    return table


#: The printable character for each byte in byte-level vocabularies (Radford et al. 2019, GPT-2's
#: ``bytes_to_unicode``).
BYTE_TO_CHAR: Mapping[int, str] = _byte_alphabet()
CHAR_TO_BYTE: Mapping[str, int] = {c: b for b, c in BYTE_TO_CHAR.items()}
_CHARS = tuple(BYTE_TO_CHAR[b] for b in range(256))

#: The pieces of byte fallback, ``<0x00>`` … ``<0xFF>`` (SentencePiece's spelling).
BYTE_PIECES = tuple(f"<0x{b:02X}>" for b in range(256))
BYTE_OF_PIECE: Mapping[str, int] = {piece: b for b, piece in enumerate(BYTE_PIECES)}


def to_bytes(text: str) -> bytes:
    """Encode as UTF-8; a lone surrogate becomes the three bytes of its code point.

    >>> to_bytes("好\\ud800").hex(" ")
    'e5 a5 bd ed a0 80'
    """
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """The inverse of :func:`to_bytes`; invalid bytes become U+FFFD.

    >>> from_bytes(to_bytes("\\ud800\\udc00")) == "\\ud800\\udc00", from_bytes(b"\\xe5\\xa5")
    (True, '\ufffd')
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def byte_chars(data: bytes) -> str:
    """Bytes in the printable alphabet of byte-level vocabularies, one character per byte.

    >>> byte_chars(b" a\\xe4")
    'Ġaä'
    """
    return "".join([_CHARS[b] for b in data])


def byte_spans(text: str) -> tuple[list[int], list[int]]:
    """For every byte of ``to_bytes(text)`` the start and the end of its character.

    >>> byte_spans("a好")
    ([0, 1, 1, 1], [1, 2, 2, 2])
    """
    starts: list[int] = []
    for i, c in enumerate(text):
        cp = ord(c)
        starts += [i] * (1 if cp < 0x80 else 2 if cp < 0x800 else 3 if cp < 0x10000 else 4)
    return starts, [i + 1 for i in starts]


def check_vocabulary(vocab: Mapping[str, int]) -> list[str | None]:
    """The pieces by id (None for an id without a piece).

    Raises:
        ArgumentError: an id that is negative or shared by two pieces.
        TypeError: a piece that is not a str, an id that is not an int.
    """
    size = 0
    for piece, number in vocab.items():
        check_str(f"vocab: the piece {piece!r}", piece)
        if not isinstance(number, int) or isinstance(number, bool):
            raise wrong_type(f"vocab: the id of {piece!r}", number, "int")
        if number < 0:
            raise ArgumentError(f"vocab: the id {number} of {piece!r} is negative")
        size = max(size, number + 1)
    if size > 4 * len(vocab) + 1_000_000:
        raise ArgumentError(
            f"vocab: ids up to {size - 1} for {len(vocab)} pieces: number the pieces from 0"
        )
    pieces: list[str | None] = [None] * size
    for piece, number in vocab.items():
        if pieces[number] is not None:
            raise ArgumentError(
                f"vocab: two pieces have the id {number}, {pieces[number]!r} and {piece!r}"
            )
        pieces[number] = piece
    return pieces


def listed(text: str, spans: Spans) -> Iterable[tuple[int, int]]:
    """Spans as (start, end), from a list or from a scanner."""
    return spans.spans(text) if isinstance(spans, Scanner) else spans


class Model(ABC):
    """Base class of :class:`~segmenter.subword.models.bpe.BPE`, ``WordPiece`` and ``Unigram``.

    Models are immutable, so threads can share them; dropout and sampling use the random generator
    passed to the call.
    """

    #: Name of the model in ``tokenizer.json``.
    kind = ""

    vocab: Mapping[str, int]
    _pieces: list[str | None]

    def _set_vocabulary(self, vocab: Mapping[str, int]) -> None:
        self.vocab = dict(vocab)
        self._pieces = check_vocabulary(self.vocab)

    def _required_id(self, piece: str, argument: str) -> int:
        number = self.vocab.get(piece)
        if number is None:
            raise ArgumentError(f"{argument}: the vocabulary has no piece {piece!r}: add it")
        return number

    @property
    def size(self) -> int:
        """The largest id plus one."""
        return len(self._pieces)

    def id_of(self, piece: str) -> int | None:
        """The id of a piece; None if there is no such piece."""
        return self.vocab.get(piece)

    def at(self, number: int) -> str | None:
        """The piece with an id; None if there is none."""
        return self._pieces[number] if 0 <= number < len(self._pieces) else None

    def piece_of(self, number: int) -> str:
        """The piece with an id.

        Raises:
            ArgumentError: no piece has this id.
        """
        piece = self.at(number)
        if piece is None:
            raise ArgumentError(f"ids: no piece has the id {number} (there are {self.size} ids)")
        return piece

    @abstractmethod
    def encode(self, text: str) -> list[Piece]:
        """The pieces of one span; offsets in code points of ``text``."""

    def sample(self, text: str, random: Random, alpha: float = 1.0) -> list[Piece]:
        """A segmentation of one span drawn at random, for training (subword regularisation).

        Raises:
            ArgumentError: the model cannot sample.
        """
        raise ArgumentError(f"random: {self.kind} has one segmentation only; use BPE or Unigram")

    @property
    def closed(self) -> bool:
        """Whether every text can be encoded: nothing is ever unknown or left out."""
        return False

    def encode_spans(self, text: str, spans: Spans) -> tuple[list[int], list[int], list[int]]:
        """The pieces of many spans of one text as columns (ids, starts, ends).

        The result is the same as that of :meth:`encode` for each span.  The compiled
        :attr:`kernel` is used if there is one.

        Args:
            text: the normalised text.
            spans: (start, end) in ``text``, ascending, not overlapping; empty ones give nothing.
                Or a scanner that splits the text, see :mod:`segmenter.subword.scanning`.
        """
        ids, columns = self.encode_later(text, spans)
        return ids, *columns()

    def encode_later(
        self, text: str, spans: Spans
    ) -> tuple[list[int], Callable[[], tuple[list[int], list[int]]]]:
        """The ids of :meth:`encode_spans`, and a function that computes the other two columns on
        demand.  Called by Tokenizers."""
        kernel = self.kernel
        if kernel is None:
            ids, starts, ends = self._encode_spans(text, listed(text, spans))
            return ids, lambda: (starts, ends)
        try:
            ids, rows = kernel.encode(text, self._for_kernel(text, spans))
        except LookupError as e:
            raise self._no_piece(text[e.args[0]]) from None
        except RuntimeError as e:  # a pattern backtracked too often
            raise ArgumentError(str(e)) from None

        def columns() -> tuple[list[int], list[int]]:
            flat = memoryview(rows).cast("I")
            return flat[1::3].tolist(), flat[2::3].tolist()

        return ids, columns

    def _for_kernel(self, text: str, spans: Spans) -> Spans:
        return spans

    def _encode_spans(
        self, text: str, spans: Iterable[tuple[int, int]]
    ) -> tuple[list[int], list[int], list[int]]:
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        known_spans: dict[str, list[Piece]] = {}
        for a, b in spans:
            span = text[a:b]
            pieces = known_spans.get(span)
            if pieces is None:
                pieces = known_spans[span] = self.encode(span)
            for number, start, end in pieces:
                ids.append(number)
                starts.append(a + start)
                ends.append(a + end)
        return ids, starts, ends

    @cached_property
    def kernel(self) -> Subwords | None:
        """The compiled model, created on first use; None if the vocabulary is too large for it."""
        return self._make_kernel() if self._fits() else None

    def _fits(self) -> bool:
        if len(self._pieces) >= 1 << 31:
            return False
        return len(set().union(*self.vocab)) <= KERNEL_CHARACTERS

    def _make_kernel(self) -> Subwords | None:
        """Create the compiled model; without one the model runs in Python."""
        return None

    def _no_piece(self, c: str) -> ArgumentError:
        return ArgumentError(
            f"text: {c!r} has no piece and the model has no unk_id: train with "
            "byte_fallback=True or with an unknown piece"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("kernel", "whole_finder")}

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """The ``model`` entry of ``tokenizer.json`` (Hugging Face ``tokenizers``)."""
