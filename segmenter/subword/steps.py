"""Runs the steps of a Tokenizer on a text, giving ids, spans and words.

The kernel runs all steps at once if it has them (:mod:`.native`).  Otherwise, and for the columns
of an Encoding that are requested later, they run one by one here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError, check_str
from segmenter.subword import scanning
from segmenter.subword.aligned import Aligned
from segmenter.subword.postprocess import TokenColumns

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from segmenter.kernels._subword import TextPipeline
    from segmenter.subword.added import AddedTokens
    from segmenter.subword.lengths import Truncation
    from segmenter.subword.models.model import Model
    from segmenter.subword.normalise import Normaliser
    from segmenter.subword.parts import Library
    from segmenter.subword.postprocess import PostProcessor
    from segmenter.subword.pretokenise import PreTokeniser

    # a part of the text, with functions that return its tokens' starts and ends and the spans that
    # were split into tokens (None: it is one token)
    _Row = tuple[
        Aligned,
        Callable[[], tuple[list[int], list[int]]] | None,
        Callable[[], list[tuple[int, int]]] | None,
    ]


@dataclass(eq=False, repr=False)
class Steps:
    """Added tokens, normaliser, pre-tokeniser, model and post-processor of a Tokenizer.

    Steps never change: a Tokenizer that changes creates new Steps, so that an Encoding keeps those
    that produced its ids.

    Args:
        model, normaliser, pretokeniser, postprocessor, library: see
            :class:`~segmenter.subword.Tokenizer`.
        allowed: the special tokens to recognise if the caller names none.
    """

    model: Model
    normaliser: Normaliser
    pretokeniser: PreTokeniser
    postprocessor: PostProcessor
    added: AddedTokens
    allowed: frozenset[str]
    library: Library | None

    def __post_init__(self) -> None:
        cuts = self.pretokeniser.cuts()
        self._scanner = None if cuts is None else scanning.scanner(cuts)

    @cached_property
    def kernel(self) -> TextPipeline | None:
        """All steps in one kernel; None if it does not have them all.  Some texts may need them one
        by one in any case."""
        from segmenter.subword.native import pipeline

        tokens = self.added.finder(self.allowed, False)
        normalised_tokens = self.added.finder(self.allowed, True)
        steps = self.normaliser, self.pretokeniser, self.surrounding
        return pipeline(self.model, *steps, tokens, normalised_tokens)

    @cached_property
    def surrounding(self) -> tuple[list[int], list[int]]:
        """The ids that the post-processor puts before and after those of a text."""
        marker = -1
        ids = self.postprocessor(TokenColumns("", [marker], [0], [0])).ids
        position = ids.index(marker)
        return ids[:position], ids[position + 1 :]

    def piece_of(self, number: int) -> str:
        """The piece or added token with an id.

        Raises:
            ArgumentError: no piece has this id.
        """
        added = self.added.pieces.get(number)
        return self.model.piece_of(number) if added is None else added

    def ids(self, text: str, add_special: bool) -> list[int] | None:
        """The ids from one call of the kernel; None if the steps must run one by one."""
        if self.kernel is None:
            return None
        try:
            return self.kernel.ids(text, add_special)
        except RuntimeError as e:  # a pattern backtracked too often
            raise ArgumentError(str(e)) from None

    def batch(
        self,
        texts: list[Any],
        add_special: bool,
        threads: int,
        make: Callable[[str, list[int]], object] | None = None,
    ) -> Any:
        """``make(text, ids)`` of many texts, ids from the kernel; None: one array with offsets."""
        assert self.kernel is not None

        def repair(text: str) -> list[int]:
            return self.one_by_one(text, add_special).ids

        try:
            return self.kernel.batch(texts, add_special, threads, repair, make)
        except RuntimeError as e:  # a pattern backtracked too often
            raise ArgumentError(str(e)) from None

    def one_by_one(self, text: str, add_special: bool) -> TokenColumns:
        """All columns of a text, including the tokens that the post-processor adds."""
        columns = self.columns("text", text, self.allowed, frozenset())
        return self.postprocessor(columns, None, add_special)

    def windows(
        self,
        truncation: Truncation | None,
        first: TokenColumns,
        second: TokenColumns | None,
        add_special: bool,
    ) -> list[TokenColumns]:
        """The tokens to keep of a text or of a pair, then those cut off, in windows of equal length
        that overlap by ``stride``; each with the tokens that the post-processor adds."""
        rows: list[tuple[TokenColumns, TokenColumns | None]] = [(first, second)]
        if truncation is not None:
            added = self.postprocessor.added(second is not None) if add_special else 0
            n, m = len(first.ids), None if second is None else len(second.ids)
            length, second_length = truncation.lengths(n, m, added)
            firsts = [first.part(*span) for span in truncation.windows(n, length)]
            rows = [(part, second) for part in firsts]
            if second is not None and second_length is not None:
                spans = truncation.windows(len(second.ids), second_length)
                seconds = [second.part(*span) for span in spans]
                rows = [
                    (firsts[0], seconds[0]),
                    *((part, other) for part in firsts[1:] for other in seconds),
                    *((firsts[0], other) for other in seconds[1:]),
                ]
        return [self.postprocessor(*row, add_special) for row in rows]

    def columns(
        self,
        argument: str,
        text: str,
        allowed: frozenset[str],
        refused: frozenset[str],
        sampling: tuple[Random, float] | None = None,
    ) -> TokenColumns:
        """The tokens of a text, before the post-processor.

        Args:
            argument: the name of the text in errors.
            allowed: special tokens to recognise in it.
            refused: special tokens that it must not contain.
            sampling: a generator and alpha, to draw tokens at random.

        Raises:
            ArgumentError: the text contains a refused token.
            TypeError: ``text`` is not a str.
        """
        check_str(argument, text)
        if refused:
            self.added.refuse(argument, text, refused)
        spelling = self._spelling if self.library == "tokenizers" else None
        whole_text = Aligned(text, covering=self.library is None)
        ids: list[int] = []
        rows: list[_Row] = []

        for section, number in self.added.sections(whole_text, allowed, False):
            parts = [(section, number)]
            if number is None:
                parts = self.added.sections(self.normaliser(section), allowed, True)
            for part, token in parts:
                if token is not None:
                    ids.append(token)
                    rows.append((part, None, None))
                elif part.text:
                    part_ids, row = self._encode(part, sampling)
                    ids = ids + part_ids if ids else part_ids
                    rows.append(row)
        return TokenColumns(
            text, ids, lambda: self._spans(ids, rows), spelt=spelling, words=lambda: _words(rows)
        )

    def _spelling(self, number: int) -> str | None:
        return None if number in self.added.pieces else self.model.piece_of(number)

    def _spans(self, ids: list[int], rows: list[_Row]) -> tuple[list[int], list[int]]:
        starts, ends = _spans(rows)
        if self.library == "sentencepiece" and self.model.closed:
            for i in range(len(ids) - 1):
                # the bytes of a character are adjacent and have the same span
                if starts[i] == starts[i + 1] < ends[i + 1] == ends[i]:
                    ends[i] = starts[i]
        return starts, ends

    def _encode(
        self, part: Aligned, sampling: tuple[Random, float] | None
    ) -> tuple[list[int], _Row]:
        if sampling is None and self._scanner is not None:
            scanner = self._scanner
            ids, later = self.model.encode_later(part.text, scanner)
            return ids, (part, later, lambda: scanner.spans(part.text))
        cut, spans = self.pretokeniser(part, [(0, len(part.text))])
        if sampling is None:
            ids, later = self.model.encode_later(cut.text, spans)
            return ids, (cut, later, lambda: spans)
        ids = []
        starts: list[int] = []
        ends: list[int] = []
        for a, b in spans:
            for number, start, end in self.model.sample(cut.text[a:b], *sampling):
                ids.append(number)
                starts.append(a + start)
                ends.append(a + end)
        return ids, (cut, lambda: (starts, ends), lambda: spans)


def _spans(rows: list[_Row]) -> tuple[list[int], list[int]]:
    """The spans in the original of the parts' tokens, or of parts that are tokens."""
    columns: tuple[list[int], list[int]] = [], []
    for part, later, _ in rows:
        starts, ends = ([0], [len(part.text)]) if later is None else later()
        if not part.original:
            char_starts, char_ends = part.columns()  # no piece is empty
            starts, ends = [char_starts[a] for a in starts], [char_ends[b - 1] for b in ends]
        elif part.base:
            starts, ends = [part.base + a for a in starts], [part.base + b for b in ends]
        columns[0].extend(starts)
        columns[1].extend(ends)
    return columns


def _words(rows: list[_Row]) -> list[int | None]:
    """For each token the number of its span, counted through all parts."""
    words: list[int | None] = []
    count = 0
    for part, later, cut in rows:
        spans = [(0, len(part.text))] if cut is None else cut()
        starts = [0] if later is None else later()[0]
        words += numbered(starts, spans, count)
        count += len(spans)
    return words


def numbered(starts: list[int], spans: list[tuple[int, int]], first: int) -> list[int | None]:
    """The number of the span that each token lies in, for tokens that begin at ``starts``.

    >>> numbered([0, 1, 3], [(0, 2), (3, 4)], 7)
    [7, 7, 8]
    """
    begins = [a for a, _ in spans]
    return [first + max(0, bisect_right(begins, start) - 1) for start in starts]
