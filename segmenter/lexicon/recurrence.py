"""Strings that recur in raw text, with measures of their cohesion and of their contexts.

:mod:`segmenter.lexicon.learning` and the discovery of words (``segmenter discover``) take their
candidates from these counts.

A string of Han characters has three measures, all from the text alone, without a lexicon:

``pmi``      pointwise mutual information of its parts (Church and Hanks 1990), the least over all
             splits in two: how much more often the parts occur together than by chance, in nats.
             Low for two words in a row.
``left``, ``right``
             branching entropy (Jin and Tanaka-Ishii 2006) of the character before and after it, in
             nats.  Low for part of a longer word.  Each punctuation mark or line end beside the
             string counts as a distinct neighbour (as in accessor variety, Feng et al. 2004).

Strings are counted level by level: a string of n characters can be frequent only if both of its
parts of n - 1 are (Agrawal and Srikant 1994).  So the text is read once per length, and memory
grows with the number of distinct strings whose parts are frequent, not with the text.  Beyond a
bound the rarest are dropped (lossy counting, Manku and Motwani 2002), and the result has a bound on
the error of the counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segmenter.choices import check_whole
from segmenter.errors import ArgumentError
from segmenter.files.reading import grouped
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator

    from numpy.typing import NDArray

    from segmenter.lexicon.user import UserWord

    Ints = NDArray[np.int64]

#: Characters counted at a time.
CHUNK = 1 << 21
_HAN = frozenset((chars.HAN, chars.HANNUM))
_LOW_BITS = (1 << 32) - 1


class NewWord(NamedTuple):
    """A string with the measures of a word, in nats; see the module."""

    word: str
    frequency: int
    pmi: float
    left: float
    right: float

    @property
    def score(self) -> float:
        """The score that orders words: ``pmi`` plus the smaller entropy."""
        return self.pmi + min(self.left, self.right)

    def entry(self) -> UserWord:
        """Return the word as an entry of a user dictionary, with its count as weight."""
        from segmenter.lexicon.user import UserWord

        measures = {"pmi": round(self.pmi, 2), "left": round(self.left, 2)}
        return UserWord(
            self.word,
            "weight",
            float(self.frequency),
            payload={**measures, "right": round(self.right, 2)},
        )


class Discovery(NamedTuple):
    """The words found.

    Attributes:
        words: the new words, by score, best first.
        characters: number of Han characters read.
        strings: the most distinct strings counted at once.
        missed: the most by which a count is too small; 0 unless the bound was reached.
    """

    words: list[NewWord]
    characters: int
    strings: int
    missed: int


def discover_in(
    lines: Callable[[], Iterable[str]],
    *,
    known: Collection[Container[str]] = (),
    min_count: int = 10,
    max_length: int = 4,
    min_pmi: float = 5.0,
    min_entropy: float = 1.5,
    max_strings: int = 20_000_000,
    progress: Callable[[int, int], object] | None = None,
) -> Discovery:
    """Find words in raw text that are not in a lexicon.

    Args:
        lines: returns the lines of the text; it is called ``max_length + 1`` times.
        known: lexicons, user dictionaries or sets of known words; look-ups use folded words.
        min_count: the fewest occurrences of a word.
        max_length: the most characters of a word, 2 to 16.
        min_pmi: the least pointwise mutual information of its parts, in nats.
        min_entropy: the least branching entropy on either side, in nats.
        max_strings: the most distinct strings counted at once, 16 bytes each.
        progress: called before each reading with its number, from 1, and the number of readings.

    Raises:
        TypeError, ArgumentError: a number is out of range.

    >>> text = [f"{a}薅羊毛{b}" for a in "我他谁们" for b in "了吗呢吧"]
    >>> found = discover_in(lambda: text, min_count=8, min_pmi=1, min_entropy=1)
    >>> [(w.word, w.frequency) for w in found.words]
    [('薅羊毛', 16)]
    """
    for name, value, minimum, maximum in (
        ("min_count", min_count, 2, _LOW_BITS),
        ("max_length", max_length, 2, 16),
        ("max_strings", max_strings, 1000, 1 << 31),
    ):
        check_whole(name, value, minimum, maximum)
    for name, bound in (("min_pmi", min_pmi), ("min_entropy", min_entropy)):
        if not isinstance(bound, (int, float)) or math.isnan(bound):
            raise ArgumentError(f"{name}: {bound!r} is not a number")
    strings = Strings(lines, min_count, max_length, max_strings, progress)
    return strings.result(known, min_pmi, min_entropy)


class Table:
    """Sorted keys with counts; beyond a bound the rarest keys are dropped."""

    def __init__(self, bound: int) -> None:
        self.keys: Ints = np.empty(0, np.int64)
        self.counts: Ints = np.empty(0, np.int64)
        self.bound = bound
        self.peak = 0
        self.missed = 0

    def add(self, keys: Ints) -> None:
        new, counts = np.unique(keys, return_counts=True)
        joined = np.concatenate((self.keys, new))
        self.keys, rows = np.unique(joined, return_inverse=True)
        # sums of doubles are exact up to 2**53
        sums = np.bincount(rows, np.concatenate((self.counts, counts)), len(self.keys))
        self.counts = total = sums.astype(np.int64)
        self.peak = max(self.peak, len(self.keys))
        if len(self.keys) > self.bound:
            threshold = int(np.partition(total, len(total) - self.bound // 2)[-(self.bound // 2)])
            self.missed += threshold
            self.keep(threshold + 1)

    def keep(self, threshold: int) -> None:
        frequent = self.counts >= threshold
        self.keys, self.counts = self.keys[frequent], self.counts[frequent]

    def ids(self, keys: Ints) -> Ints:
        """Return the row of each key, from 1; 0 for a missing key."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        rows = np.searchsorted(self.keys, keys)
        rows[rows == len(self.keys)] = 0
        return np.where(self.keys[rows] == keys, rows + 1, 0)


class Strings:
    """Frequent strings of 1 to n characters, as pairs of frequent strings of n - 1."""

    def __init__(
        self,
        lines: Callable[[], Iterable[str]],
        min_count: int,
        max_length: int,
        bound: int,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self._lines = lines
        self._folded = np.full(0x110000, -1, np.int64)  # 0: no Han character
        self._report = progress or (lambda done, of: None)
        self._passes = max_length + 1
        self._bound = bound
        self.tables: list[Table] = []
        self.characters = 0
        for n in range(1, max_length + 1):
            self._report(n, self._passes)
            table = Table(bound)
            for code in self._chunks():
                ids = self.ids_at(code, n - 1)
                if n == 1:
                    keys = ids[ids > 0]
                    self.characters += len(keys)
                else:
                    keys = _pairs(ids)
                    keys = keys[keys >= 0]
                table.add(keys)
            table.keep(min_count)
            self.tables.append(table)
            if not len(table.keys):
                break

    def _chunks(self) -> Iterator[Ints]:
        """Yield folded code points of lines; 0 for line ends and all but Han characters."""
        return map(self.codes, grouped(self._lines(), CHUNK))

    def codes(self, lines: list[str]) -> Ints:
        raw = ("\n" + "\n".join(lines) + "\n").encode("utf-32-le", "surrogatepass")
        code = np.frombuffer(raw, np.uint32)
        folded = self._folded[code]
        if (folded < 0).any():
            for cp in np.unique(code[folded < 0]).tolist():
                folded_cp = chars.fold(cp)
                self._folded[cp] = folded_cp if chars.char_class(folded_cp) in _HAN else 0
            folded = self._folded[code]
        return folded

    def ids_at(self, code: Ints, n: int) -> Ints:
        """Return the number of the frequent string of n characters at every offset, or 0.

        n = 0: the code points themselves.
        """
        if n == 0:
            return code
        ids = np.where(code > 0, self.tables[0].ids(code), 0)
        for table in self.tables[1:n]:
            keys = _pairs(ids)
            ids = np.where(keys >= 0, table.ids(keys), 0)
        return ids

    def _parts(self, n: int, tails: bool) -> list[Ints]:
        """Return the rows, from 0, of the heads or tails of the strings of n characters, by length
        of the head or tail."""
        rows = np.arange(len(self.tables[n - 1].keys))
        parts = [rows]
        for table in reversed(self.tables[1:n]):
            keys = table.keys[rows]
            rows = (keys & _LOW_BITS if tails else keys >> 32) - 1
            parts.append(rows)
        return parts[::-1]

    def pmi(self, n: int) -> NDArray[np.float64]:
        """Return the mutual information of the strings of n characters, least over all splits."""
        heads, tails = self._parts(n, tails=False), self._parts(n, tails=True)
        logs = [np.log(t.counts) for t in self.tables]
        joint = logs[n - 1] + math.log(max(self.characters, 1))
        splits = [
            joint - logs[k - 1][heads[k - 1]] - logs[n - k - 1][tails[n - k - 1]]
            for k in range(1, n)
        ]
        pmi: NDArray[np.float64] = np.min(splits, axis=0)
        return pmi

    def spell(self, n: int, row: int) -> str:
        """Return the string of n characters at a row of the table."""
        tail = ""
        while n > 1:
            n, key = n - 1, int(self.tables[n - 1].keys[row])
            row = (key >> 32) - 1
            tail_row = (key & _LOW_BITS) - 1
            for table in reversed(self.tables[1:n]):
                tail_row = (int(table.keys[tail_row]) & _LOW_BITS) - 1
            tail = chr(int(self.tables[0].keys[tail_row])) + tail
        return chr(int(self.tables[0].keys[row])) + tail

    def result(
        self, known: Collection[Container[str]], min_pmi: float, min_entropy: float
    ) -> Discovery:
        """Return the words among the frequent strings."""
        words: list[tuple[str, int, float]] = []
        numbers_by_length: list[Ints] = []  # by length and row: 1 + index in words, or 0
        for n in range(2, len(self.tables) + 1):
            pmi = self.pmi(n)
            counts = self.tables[n - 1].counts
            numbers = np.zeros(len(counts) + 1, np.int64)
            for row in np.flatnonzero(pmi >= min_pmi).tolist():
                word = self.spell(n, row)
                if not any(word in words_of for words_of in known):
                    words.append((word, int(counts[row]), float(pmi[row])))
                    numbers[row + 1] = len(words)
            numbers_by_length.append(numbers)
        self._report(self._passes, self._passes)
        sides = self._neighbours(numbers_by_length) if words else (Table(1), Table(1))
        left, right = (_entropies(side, [w[1] for w in words]) for side in sides)
        new_words = [
            NewWord(word, count, pmi, float(before), float(after))
            for (word, count, pmi), before, after in zip(words, left, right, strict=True)
            if min(before, after) >= min_entropy
        ]
        new_words.sort(key=lambda w: (-w.score, w.word))
        tables = (*self.tables, *sides)
        return Discovery(
            new_words, self.characters, max(t.peak for t in tables), sum(t.missed for t in tables)
        )

    def entropies(
        self, numbers_by_length: list[Ints], counts: list[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the branching entropy before and after some strings, in nats.

        Args:
            numbers_by_length: by length from 2 and row from 1: number of the string from 1, or 0.
            counts: the counts of the strings, by number.
        """
        left, right = (_entropies(side, counts) for side in self._neighbours(numbers_by_length))
        return left, right

    def _neighbours(self, numbers_by_length: list[Ints]) -> tuple[Table, Table]:
        left, right = Table(self._bound), Table(self._bound)
        for code in self._chunks():
            keys: tuple[list[Ints], list[Ints]] = ([], [])
            for n, numbers in enumerate(numbers_by_length, 2):
                string_ids = numbers[self.ids_at(code, n)]
                offsets = np.flatnonzero(string_ids)
                keys[0].append(string_ids[offsets] << 32 | code[offsets - 1])
                keys[1].append(string_ids[offsets] << 32 | code[offsets + n])
            left.add(np.concatenate(keys[0]))
            right.add(np.concatenate(keys[1]))
        return left, right


def _pairs(ids: Ints) -> Ints:
    """Return the keys of adjacent pairs, -1 if one of the two is 0; as long as ``ids``."""
    right = np.append(ids[1:], 0)
    return np.where((ids > 0) & (right > 0), ids << 32 | right, -1)


def _entropies(table: Table, counts: list[int]) -> NDArray[np.float64]:
    """Return the branching entropy by word; each neighbour 0 (no Han character) is distinct."""
    word = (table.keys >> 32) - 1
    n_neighbours = table.counts.astype(np.float64)
    n_places = np.asarray(counts, np.float64)
    n_equal = np.where(table.keys & _LOW_BITS == 0, 1.0, n_neighbours)
    total = np.bincount(word, n_neighbours * np.log(n_places[word] / n_equal), len(counts))
    entropies: NDArray[np.float64] = total / n_places
    return entropies
