"""Byte-pair encoding (Sennrich, Haddow & Birch 2016), of characters or of bytes.

A word is split into single characters (or bytes), and then adjacent pieces are merged repeatedly:
in each step the pair that was learnt first, leftmost occurrence first.  Parameters have the same
meaning as in Hugging Face ``tokenizers``.

>>> merges = [("l", "o"), ("lo", "w"), ("e", "r")]
>>> bpe = BPE({p: i for i, p in enumerate(["l", "o", "w", "e", "r", "lo", "low", "er"])}, merges)
>>> [bpe.piece_of(p.id) for p in bpe.encode("lower")]
['low', 'er']
"""

from __future__ import annotations

import heapq
from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from segmenter.errors import ArgumentError
from segmenter.kernels._subword import TokenFinder
from segmenter.subword.models.model import (
    BYTE_PIECES,
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    Model,
    Piece,
    byte_chars,
    byte_spans,
    listed,
    to_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from random import Random

    from segmenter.kernels._subword import Spans, Subwords
    from segmenter.lattice.steps import Steps

T = TypeVar("T")


class Pairs(NamedTuple):
    """The adjacent pairs that can be merged, as (rank, position of the left symbol), best first."""

    offered: list[tuple[int, int]]


class Merged(NamedTuple):
    """The symbol at ``position`` was merged with the next one; ``row`` is the result."""

    rank: int
    position: int
    row: list[Any]


def merging(row: Sequence[T], find: Callable[[T, T], tuple[int, T] | None]) -> Steps[list[T]]:
    """Byte-pair encoding by its definition: after every merge all adjacent pairs are compared anew.

    Args:
        row: the symbols of a word.
        find: returns the rank of the merge of two symbols, and the merged symbol; None if there
            is no merge.

    >>> from segmenter.lattice.steps import result
    >>> merges = {("l", "o"): (0, "lo"), ("lo", "w"): (1, "low")}
    >>> result(merging("slow", lambda a, b: merges.get((a, b))))
    ['s', 'low']
    """
    row = list(row)
    while True:
        merges = [(i, merge) for i in range(len(row) - 1) if (merge := find(row[i], row[i + 1]))]
        if not merges:
            return row
        offered = sorted((rank, i) for i, (rank, _) in merges)
        yield Pairs(offered)
        rank, position = offered[0]  # of equal ranks the leftmost
        row[position : position + 2] = [symbol for i, (_, symbol) in merges if i == position]
        yield Merged(rank, position, list(row))


class BPE(Model):
    """A vocabulary, and its merges in the order learnt.

    Args:
        vocab: a dict from piece to id.
        merges: pairs of pieces; the first has the lowest rank and is merged first.
        byte_level: pieces are written in the byte alphabet (GPT-2): merge the UTF-8 bytes of the
            text.  If all 256 bytes have a piece, nothing is unknown.
        byte_fallback: a character outside the vocabulary becomes its UTF-8 bytes, ``<0xE5>`` …,
            if the vocabulary has all of them.
        unk: the piece for characters outside the vocabulary; without it they are left out.
        fuse_unk: adjacent unknown characters become one ``unk``.
        continuing_prefix: the prefix of pieces that do not begin a word (``"##"``).
        end_of_word_suffix: the suffix of pieces that end a word (``"</w>"``).
        dropout: probability of skipping a merge (Provilkov, Emelianenko & Voita 2020), in calls
            with a random generator; other calls never skip any.
        ignore_merges: a span that is itself a piece becomes that piece, regardless of the merges.
        ranks: rank of each merge; None: its position.  Of merges of equal rank the leftmost pair is
            merged first, as tiktoken and SentencePiece do if two merges give the same piece.
        whole: pieces that are isolated before all merging, longest first (SentencePiece's
            user-defined symbols).
        hidden: ids of pieces that no text produces (SentencePiece's control symbols).

    Raises:
        ArgumentError: a merge of or into a piece that the vocabulary lacks; an ``unk`` that it
            lacks; an invalid probability.
    """

    kind = "BPE"

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        *,
        byte_level: bool = False,
        byte_fallback: bool = False,
        unk: str | None = None,
        fuse_unk: bool = False,
        continuing_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        dropout: float = 0.0,
        ignore_merges: bool = False,
        ranks: Iterable[int] | None = None,
        whole: Iterable[str] = (),
        hidden: Iterable[int] = (),
    ) -> None:
        self._set_vocabulary(vocab)
        self.merges = [(a, b) for a, b in merges]
        self.byte_level = byte_level
        self.byte_fallback = byte_fallback
        self.unk: str | None = unk
        self.fuse_unk = fuse_unk
        self.continuing_prefix = continuing_prefix or ""
        self.end_of_word_suffix = end_of_word_suffix or ""
        self.dropout = dropout
        self.ignore_merges = ignore_merges
        if byte_level and (self.continuing_prefix or byte_fallback):
            option = "continuing_prefix" if self.continuing_prefix else "byte_fallback"
            raise ArgumentError(
                f"{option}: a byte-level model cannot have it, and would give different ids from "
                "its library: leave one of the two out"
            )
        if not 0.0 <= dropout <= 1.0:
            raise ArgumentError(f"dropout: {dropout!r} is not a probability (0 to 1)")
        self._unk_id = self._required_id(unk, "unk") if unk is not None else None
        self._fallback: tuple[int, ...] | None = None  # -1: the byte has no piece
        if byte_fallback:
            self._fallback = tuple(self.vocab.get(piece, -1) for piece in BYTE_PIECES)
        self.whole = tuple(whole)
        self._whole_ids = frozenset(self._required_id(piece, "whole") for piece in self.whole)
        self.hidden = frozenset(hidden)
        #: (left id, right id) -> (rank, id of the merged piece)
        self.ranks: dict[tuple[int, int], tuple[int, int]] = {}
        #: the rank of each merge; None if it is its position
        self.merge_ranks = None if ranks is None else list(ranks)
        merge_ranks = range(len(self.merges)) if self.merge_ranks is None else self.merge_ranks
        if len(merge_ranks) != len(self.merges) or min(merge_ranks, default=0) < 0:
            raise ArgumentError("ranks: expected one non-negative number per merge")
        drop = len(self.continuing_prefix)
        ids = self.vocab
        for (a, b), rank in zip(self.merges, merge_ranks, strict=True):
            try:
                # if a pair occurs twice, the last one counts, as in tokenizers
                self.ranks[ids[a], ids[b]] = (rank, ids[a + b[drop:]])
            except KeyError as e:
                raise ArgumentError(
                    f"merges: {a!r} and {b!r}: the vocabulary has no piece {e.args[0]!r}: add it"
                ) from None

    def encode(
        self, text: str, random: Random | None = None, dropout: float | None = None
    ) -> list[Piece]:
        """The pieces of one span.

        Args:
            text: a word, or any string.
            random: a generator, to skip merges at random.
            dropout: the probability of skipping a merge; None: the model's.

        O(n log n) in the length of ``text``, even in the worst case.
        """
        if not text:
            return []
        sampling = (
            None if random is None else (random, self.dropout if dropout is None else dropout)
        )
        if self.whole_finder is None:
            return self._encode(text, sampling)
        pieces: list[Piece] = []
        for start, end in self._split_whole(text, 0, len(text), self.whole_finder):
            number = self.vocab.get(text[start:end])
            if number in self._whole_ids:
                pieces.append(Piece(number, start, end))
            else:
                part = self._encode(text[start:end], sampling)
                pieces += [Piece(i, start + a, start + b) for i, a, b in part]
        return pieces

    @cached_property
    def whole_finder(self) -> TokenFinder | None:
        """Finds the ``whole`` pieces in a text; None if there are none."""
        pieces = dict.fromkeys(filter(None, self.whole))
        return TokenFinder(pieces) if pieces else None

    @staticmethod
    def _split_whole(
        text: str, start: int, end: int, finder: TokenFinder
    ) -> Iterator[tuple[int, int]]:
        """The parts of a span, with every ``whole`` piece isolated."""
        last_end = start
        for a, b, _ in finder.find(text[start:end]):
            if last_end < start + a:
                yield last_end, start + a
            last_end = start + b
            yield start + a, last_end
        if last_end < end:
            yield last_end, end

    def _for_kernel(self, text: str, spans: Spans) -> Spans:
        finder = self.whole_finder
        if finder is None:
            return spans
        return [
            part for a, b in listed(text, spans) for part in self._split_whole(text, a, b, finder)
        ]

    def steps(self, text: str) -> Steps[list[Piece]]:
        """The merges of one span, step by step (:func:`merging`).  :meth:`encode` does the same in
        O(n log n), and also applies ``ignore_merges`` and ``whole``."""

        def merge(a: Piece, b: Piece) -> tuple[int, Piece] | None:
            merge = self.ranks.get((a.id, b.id))
            return None if merge is None else (merge[0], Piece(merge[1], a.start, b.end))

        return merging(self.symbols(text), merge)

    def symbols(self, text: str) -> list[Piece]:
        """The symbols of a span before any merge."""
        if not text:
            return []
        return self._byte_symbols(text) if self.byte_level else self._symbols(text)

    def _encode(self, text: str, sampling: tuple[Random, float] | None) -> list[Piece]:
        if self.ignore_merges:
            number = self.vocab.get(byte_chars(to_bytes(text)) if self.byte_level else text)
            if number is not None and number not in self.hidden:
                return [Piece(number, 0, len(text))]
        return self._merge(self.symbols(text), sampling)

    def sample(self, text: str, random: Random, alpha: float = 1.0) -> list[Piece]:
        """The pieces of one span, with merges skipped at random.

        Args:
            random: the generator to draw with.
            alpha: the probability of skipping a merge.
        """
        return self.encode(text, random, alpha)

    def _byte_symbols(self, text: str) -> list[Piece]:
        chars = [*byte_chars(to_bytes(text))]
        chars[-1] += self.end_of_word_suffix
        rows = zip([self.vocab.get(c, self._unk_id) for c in chars], *byte_spans(text), strict=True)
        # bytes that a byte-level vocabulary lacks are left out
        return [Piece(number, a, b) for number, a, b in rows if number is not None]

    def _symbols(self, text: str) -> list[Piece]:
        """The pieces of single characters, with prefix and suffix; bytes or ``unk`` for unknown
        ones."""
        symbols: list[Piece] = []
        last = len(text) - 1
        after_unknown = False
        for i, c in enumerate(text):
            piece = (self.continuing_prefix if i else "") + c
            if i == last:
                piece += self.end_of_word_suffix
            number = self.vocab.get(piece)
            if number is not None and number not in self.hidden:
                symbols.append(Piece(number, i, i + 1))
                after_unknown = False
                continue
            if self._fallback is not None:
                byte_ids = [self._fallback[b] for b in to_bytes(piece)]
                if -1 not in byte_ids:
                    symbols += [Piece(byte, i, i + 1) for byte in byte_ids]
                    after_unknown = False
                    continue
            if self._unk_id is None:
                continue
            if self.fuse_unk and after_unknown:
                symbols[-1] = symbols[-1]._replace(end=i + 1)
                continue
            symbols.append(Piece(self._unk_id, i, i + 1))
            after_unknown = True
        return symbols

    def _merge(self, symbols: list[Piece], sampling: tuple[Random, float] | None) -> list[Piece]:
        ranks = self.ranks
        ids = [symbol.id for symbol in symbols]
        ends = [symbol.end for symbol in symbols]
        n = len(ids)
        following = [*range(1, n), -1]
        previous = list(range(-1, n - 1))
        queue: list[tuple[int, int, int, int]] = []  # rank, position, the two pieces

        def offer(i: int, j: int) -> None:
            merge = ranks.get((ids[i], ids[j]))
            if merge is not None:
                heapq.heappush(queue, (merge[0], i, ids[i], ids[j]))

        for i in range(n - 1):
            offer(i, i + 1)
        skipped: list[tuple[int, int, int, int]] = []
        random, dropout = (None, 0.0) if sampling is None else sampling
        while queue:
            entry = heapq.heappop(queue)
            _, i, left, right = entry
            j = following[i]
            if ids[i] != left or j < 0 or ids[j] != right:
                continue  # one of the two has been merged since
            if dropout and random is not None and random.random() < dropout:
                skipped.append(entry)
                continue
            for entry in skipped:
                heapq.heappush(queue, entry)
            skipped.clear()
            ids[i] = ranks[left, right][1]
            ends[i] = ends[j]
            ids[j] = -1
            k = following[i] = following[j]
            if k >= 0:
                previous[k] = i
                offer(i, k)
            if previous[i] >= 0:
                offer(previous[i], i)
        pieces: list[Piece] = []
        i = 0
        while n and i >= 0:
            pieces.append(Piece(ids[i], symbols[i].start, ends[i]))
            i = following[i]
        return pieces

    def _make_kernel(self) -> Subwords | None:
        from segmenter.kernels._subword import BpeKernel

        if self.byte_fallback and (self.continuing_prefix or self.end_of_word_suffix):
            return None  # the bytes of an unknown character would include those of its affixes
        if self._fallback is not None and any(
            number < 0 and not (byte < 0x80 and chr(byte) in self.vocab)
            for byte, number in enumerate(self._fallback)
        ):
            return None  # the kernel spells a run of unknown characters completely or not at all

        merges = array("I")
        for (left, right), (rank, merged) in self.ranks.items():
            merges.extend((left, right, rank, merged))
        vocab: dict[Any, int] = dict(self.vocab)
        if self.byte_level:
            byte = CHAR_TO_BYTE
            vocab = {
                bytes(map(byte.__getitem__, piece)): number
                for piece, number in self.vocab.items()
                if all(c in byte for c in piece)
            }
        return BpeKernel(
            vocab,
            merges,
            self.size,
            byte_level=self.byte_level,
            unk=self._unk_id,
            fuse_unk=self.fuse_unk,
            byte_ids=self._fallback,
            prefix="" if self.byte_level else self.continuing_prefix,
            suffix=self.end_of_word_suffix,
            ignore_merges=self.ignore_merges,
            hidden=self.hidden,
            whole=self._whole_ids,
        )

    @property
    def closed(self) -> bool:
        if self.byte_level:
            ends = {"", self.end_of_word_suffix}
            return all(c + end in self.vocab for c in BYTE_TO_CHAR.values() for end in ends)
        return self._fallback is not None and -1 not in self._fallback

    def config(self) -> dict[str, Any]:
        return {
            "type": "BPE",
            "dropout": self.dropout or None,
            "unk_token": self.unk,
            "continuing_subword_prefix": self.continuing_prefix or None,
            "end_of_word_suffix": self.end_of_word_suffix or None,
            "fuse_unk": self.fuse_unk,
            "byte_fallback": self.byte_fallback,
            "ignore_merges": self.ignore_merges,
            "vocab": dict(self.vocab),
            "merges": [[a, b] for a, b in self.merges],
        }

    def __repr__(self) -> str:
        return f"<BPE of {len(self.vocab):,} pieces, {len(self.merges):,} merges>"
