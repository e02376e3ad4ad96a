"""subword-nmt's codes (Sennrich, Haddow & Birch 2016): one merge per line, ``</w>`` ends a word.

The library has no ids: it writes the pieces of a word, all but the last followed by ``@@``.
:meth:`Codes.segment` does the same; :meth:`Codes.tokenizer` returns a Tokenizer with ids.  With a
vocabulary, pieces that are too rare are split again by undoing their merges.

>>> codes = Codes([("l", "o"), ("lo", "w</w>")])
>>> codes.segment("low lot")
['low', 'lo@@', 't']
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.subword import pretokenise
from segmenter.subword.formats.files import FormatError, read_lines
from segmenter.subword.models.bpe import BPE
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

END = "</w>"
_UNKNOWN = "<unk>"
_END_SYMBOL = "\udfff"  # one character for </w> as a separate symbol; cannot occur in a file


class Codes:
    """The merges of a codes file, and the pieces that may be used.

    Args:
        merges: in the order learnt; if a pair occurs twice, the first one counts.
        version: ``(0, 2)`` appends ``</w>`` to the last character, ``(0, 1)`` adds it as a separate
            symbol.
        vocabulary: the pieces as written (``"lo@@"``); others are split further; None: all pieces.
        separator: the mark of a piece that does not end a word.
    """

    def __init__(
        self,
        merges: Iterable[tuple[str, str]],
        *,
        version: tuple[int, int] = (0, 2),
        vocabulary: Collection[str] | None = None,
        separator: str = "@@",
    ) -> None:
        self.merges = list(dict.fromkeys(merges))
        self.version = version
        self.vocabulary = frozenset(vocabulary) if vocabulary else None
        self.separator = separator
        # if two merges give the same piece, undo the one learnt first
        self._parts_of = {a + b: (a, b) for a, b in reversed(self.merges)}
        if version not in ((0, 1), (0, 2)):
            raise ArgumentError(f"version: {version} is neither (0, 1) nor (0, 2)")
        self._end = "" if version == (0, 2) else _END_SYMBOL
        self._model = self._bpe()

    def _bpe(self) -> BPE:
        """The merges as a model.  Only the spans of its pieces are used, so that a character
        without merges is a piece too."""
        merges = self.merges
        if self._end:
            merges = [(a.replace(END, self._end), b.replace(END, self._end)) for a, b in merges]
        return BPE(
            {piece: i for i, piece in enumerate(_symbols(merges))},
            merges,
            unk=_UNKNOWN,
            end_of_word_suffix=None if self._end else END,
        )

    def segment(self, text: str) -> list[str]:
        """The pieces of the blank-separated words of a line, as the library writes them."""
        written: list[str] = []
        for word in text.strip("\r\n ").split(" "):
            if word:
                *pieces, last = self.pieces(word)
                written += [piece + self.separator for piece in pieces]
                written.append(last)
        return written

    def pieces(self, word: str) -> list[str]:
        """The pieces of one word, without marks."""
        if len(word) == 1:
            return [word]
        marked = word + self._end
        _, starts, ends = self._model.encode_spans(marked, [(0, len(marked))])
        pieces = [word[a:b] for a, b in zip(starts, ends, strict=True) if a < len(word)]
        if self.vocabulary is None:
            return pieces
        *inner_pieces, last = pieces
        parts = [part for piece in inner_pieces for part in self._split_rare(piece, last=False)]
        return [*parts, *self._split_rare(last, last=True)]

    def tokenizer(self) -> Tokenizer:
        """A Tokenizer whose ids number the pieces in order: ``<unk>``, characters, merges.

        Raises:
            ArgumentError: there is a vocabulary, or the codes are of version 0.1; a Tokenizer
                supports neither.
        """
        if self.vocabulary is not None or self._end:
            raise ArgumentError(
                "tokenizer: expected codes of version 0.2 without a vocabulary: use segment()"
            )
        return Tokenizer(
            self._model, pretokeniser=pretokenise.CharDelimiterSplit(" "), name="subword-nmt"
        )

    def _split_rare(self, piece: str, *, last: bool) -> Iterator[str]:
        """The piece if it may be used, otherwise its parts, recursively."""
        stack = [(piece, last)]
        while stack:
            part, is_last = stack.pop()
            allowed = (part if is_last else part + self.separator) in (self.vocabulary or ())
            halves = None if allowed else self._parts_of.get(part + END if is_last else part)
            if halves is None:
                yield part
                continue
            left, right = halves
            stack.append((right.removesuffix(END) if is_last else right, is_last))
            stack.append((left, False))


def _symbols(merges: Iterable[tuple[str, str]]) -> dict[str, None]:
    """All pieces in order: unknown, characters inside and at the end of words, the rest."""
    rows = [(a, b, a + b) for a, b in merges]
    chars = [c for row in rows for piece in row for c in piece.removesuffix(END)]
    characters = [symbol for c in chars for symbol in (c, c + END)]
    return dict.fromkeys([_UNKNOWN, *characters, *(piece for row in rows for piece in row)])


def load(
    codes: str | os.PathLike[str],
    vocabulary: str | os.PathLike[str] | None = None,
    *,
    threshold: int | None = None,
    merges: int | None = None,
    separator: str = "@@",
) -> Codes:
    """Read a codes file, and optionally a vocabulary with counts.

    Args:
        codes: the codes; an initial ``#version: 0.2`` line determines how words end.
        vocabulary: one piece and its count per line, as ``get-vocab`` writes them.
        threshold: pieces with a smaller count are split further.
        merges: use only this many merges.
        separator: the mark of a piece that does not end a word.

    Raises:
        FormatError: an invalid line; the message names file and line.
        OSError: a file cannot be read.
    """
    version = (0, 1)
    pairs: list[tuple[str, str]] = []
    for number, line in read_lines(codes):
        if number == 1 and line.startswith("#version:"):
            version = _version(os.fspath(codes), line)
            continue
        pair = line.strip("\r ").split(" ")
        if pair == [""]:
            continue
        if len(pair) != 2:
            reason = f"{line[:80]!r} is not a pair of pieces with one blank between"
            raise FormatError(os.fspath(codes), reason, number)
        pairs.append((pair[0], pair[1]))
    allowed = None if vocabulary is None else _vocabulary(vocabulary, threshold)
    return Codes(pairs[:merges], version=version, vocabulary=allowed, separator=separator)


def _version(path: str, line: str) -> tuple[int, int]:
    numbers = line.split()[-1].split(".")
    if numbers[:2] not in (["0", "1"], ["0", "2"]) or any(n.strip("0") for n in numbers[2:]):
        raise FormatError(path, f"{line[:80]!r}: versions 0.1 and 0.2 are supported", 1)
    return int(numbers[0]), int(numbers[1])


def _vocabulary(path: str | os.PathLike[str], threshold: int | None) -> set[str]:
    pieces = set()
    for number, line in read_lines(path):
        if not line.strip("\r "):
            continue
        piece, _, digits = line.strip("\r ").partition(" ")
        try:
            count = int(digits if digits.isdecimal() else "")
        except ValueError as e:  # also if it has more digits than Python accepts
            reason = f"{line[:80]!r} is not a piece and its count"
            raise FormatError(os.fspath(path), reason, number) from e
        if threshold is None or count >= threshold:
            pieces.add(piece)
    return pieces
