"""Strings that recur in raw text, with measures of their cohesion and of their contexts.

:mod:`segmenter.lexicon.learning` takes its candidates from these counts, and discovery of words
(``segmenter discover``) proposes them.

A string of Han characters has three measures, all from its own text, without a lexicon:

``pmi``      pointwise mutual information of its parts (Church and Hanks 1990), the least over all
             ways to split it in two: how much more often the parts occur together than by chance,
             in nats.  Low for two words in a row.
``left``, ``right``
             branching entropy (Jin and Tanaka-Ishii 2006) of the character before and after it, in
             nats.  Low for part of a longer word.  Every place next to punctuation or a line end
             counts as a distinct neighbour (as in accessor variety, Feng et al. 2004).

Strings are counted level by level: a string of n characters can be frequent only if both of its
parts of n - 1 are (Agrawal and Srikant 1994).  So the text is read once per length, and memory
grows with the number of distinct strings whose parts are frequent, not with the text.  Beyond a
bound the rarest are dropped (lossy counting, Manku and Motwani 2002), and the result says by how
much counts may be too small.
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

#: Characters that are counted at a time.
CHUNK = 1 << 21
_HAN = frozenset((chars.HAN, chars.HANNUM))
_LOW = (1 << 32) - 1


class NewWord(NamedTuple):
    """A string that behaves like a word; for the measures, in nats, see the module."""

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
        """The word as an entry of a user dictionary that competes by its count."""
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
        strings: most distinct strings counted at once.
        missed: by how much counts may be too small; 0 unless the bound was reached.
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
        lines: gives the lines of the text again at every call, ``max_length + 1`` times.
        known: lexicons, user dictionaries or sets of known words, which are looked up folded.
        min_count: fewest occurrences of a word.
        max_length: most characters of a word, 2 to 16.
        min_pmi: least pointwise mutual information of its parts, in nats.
        min_entropy: least branching entropy on either side, in nats.
        max_strings: most distinct strings counted at once, 16 bytes each.
        progress: called before each reading with its number, from 1, and the number of readings.

    Raises:
        TypeError, ArgumentError: a number is out of range.

    >>> text = [f"{a}薅羊毛{b}" for a in "我他谁们" for b in "了吗呢吧"]
    >>> found = discover_in(lambda: text, min_count=8, min_pmi=1, min_entropy=1)
    >>> [(w.word, w.frequency) for w in found.words]
    [('薅羊毛', 16)]
    """
    for name, value, least, most in (
        ("min_count", min_count, 2, _LOW),
        ("max_length", max_length, 2, 16),
        ("max_strings", max_strings, 1000, 1 << 31),
    ):
        check_whole(name, value, least, most)
    for name, bound in (("min_pmi", min_pmi), ("min_entropy", min_entropy)):
        if not isinstance(bound, (int, float)) or math.isnan(bound):
            raise ArgumentError(f"{name}: {bound!r} is not a number")
    counted = Strings(lines, min_count, max_length, max_strings, progress)
    return counted.result(known, min_pmi, min_entropy)


class Table:
    """Counts by key, sorted; beyond a bound the rarest keys are dropped."""

    def __init__(self, bound: int) -> None:
        self.keys: Ints = np.empty(0, np.int64)
        self.counts: Ints = np.empty(0, np.int64)
        self.bound = bound
        self.most = 0
        self.missed = 0

    def add(self, keys: Ints) -> None:
        new, counts = np.unique(keys, return_counts=True)
        joined = np.concatenate((self.keys, new))
        self.keys, place = np.unique(joined, return_inverse=True)
        # sums of doubles are exact up to 2**53
        summed = np.bincount(place, np.concatenate((self.counts, counts)), len(self.keys))
        self.counts = total = summed.astype(np.int64)
        self.most = max(self.most, len(self.keys))
        if len(self.keys) > self.bound:
            least = int(np.partition(total, len(total) - self.bound // 2)[-(self.bound // 2)])
            self.missed += least
            self.keep(least + 1)

    def keep(self, least: int) -> None:
        kept = self.counts >= least
        self.keys, self.counts = self.keys[kept], self.counts[kept]

    def ids(self, keys: Ints) -> Ints:
        """Places of keys, from 1; 0 where a key is not there."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        place = np.searchsorted(self.keys, keys)
        place[place == len(self.keys)] = 0
        return np.where(self.keys[place] == keys, place + 1, 0)


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
        """Folded code points of the lines, 0 between them and for all but Han characters."""
        return map(self.codes, grouped(self._lines(), CHUNK))

    def codes(self, lines: list[str]) -> Ints:
        raw = ("\n" + "\n".join(lines) + "\n").encode("utf-32-le", "surrogatepass")
        code = np.frombuffer(raw, np.uint32)
        folded = self._folded[code]
        if (folded < 0).any():
            for cp in np.unique(code[folded < 0]).tolist():
                low = chars.fold(cp)
                self._folded[cp] = low if chars.char_class(low) in _HAN else 0
            folded = self._folded[code]
        return folded

    def ids_at(self, code: Ints, n: int) -> Ints:
        """Of every place the number of the frequent string of n characters there; 0: none.

        n = 0: the characters themselves.
        """
        if n == 0:
            return code
        ids = np.where(code > 0, self.tables[0].ids(code), 0)
        for table in self.tables[1:n]:
            keys = _pairs(ids)
            ids = np.where(keys >= 0, table.ids(keys), 0)
        return ids

    def _parts(self, n: int, last: bool) -> list[Ints]:
        """Places (from 0) of the beginnings or ends of the strings of n characters, by length."""
        place = np.arange(len(self.tables[n - 1].keys))
        out = [place]
        for table in reversed(self.tables[1:n]):
            keys = table.keys[place]
            place = (keys & _LOW if last else keys >> 32) - 1
            out.append(place)
        return out[::-1]

    def pmi(self, n: int) -> NDArray[np.float64]:
        """Of the strings of n characters, the least over all splits."""
        first, last = self._parts(n, last=False), self._parts(n, last=True)
        logs = [np.log(t.counts) for t in self.tables]
        whole = logs[n - 1] + math.log(max(self.characters, 1))
        splits = [
            whole - logs[k - 1][first[k - 1]] - logs[n - k - 1][last[n - k - 1]]
            for k in range(1, n)
        ]
        least: NDArray[np.float64] = np.min(splits, axis=0)
        return least

    def spell(self, n: int, place: int) -> str:
        """The string of n characters at that place."""
        end = ""
        while n > 1:
            n, key = n - 1, int(self.tables[n - 1].keys[place])
            place = (key >> 32) - 1
            last = (key & _LOW) - 1
            for table in reversed(self.tables[1:n]):
                last = (int(table.keys[last]) & _LOW) - 1
            end = chr(int(self.tables[0].keys[last])) + end
        return chr(int(self.tables[0].keys[place])) + end

    def result(
        self, known: Collection[Container[str]], min_pmi: float, min_entropy: float
    ) -> Discovery:
        """The words among the frequent strings."""
        words: list[tuple[str, int, float]] = []
        number: list[Ints] = []  # by length and place: 1 + place in words, or 0
        for n in range(2, len(self.tables) + 1):
            pmi = self.pmi(n)
            counts = self.tables[n - 1].counts
            numbers = np.zeros(len(counts) + 1, np.int64)
            for place in np.flatnonzero(pmi >= min_pmi).tolist():
                word = self.spell(n, place)
                if not any(word in words_known for words_known in known):
                    words.append((word, int(counts[place]), float(pmi[place])))
                    numbers[place + 1] = len(words)
            number.append(numbers)
        self._report(self._passes, self._passes)
        sides = self._neighbours(number) if words else (Table(1), Table(1))
        left, right = (_entropies(side, [w[1] for w in words]) for side in sides)
        found = [
            NewWord(word, count, pmi, float(a), float(b))
            for (word, count, pmi), a, b in zip(words, left, right, strict=True)
            if min(a, b) >= min_entropy
        ]
        found.sort(key=lambda w: (-w.score, w.word))
        tables = (*self.tables, *sides)
        return Discovery(
            found,
            self.characters,
            max(t.most for t in tables),
            sum(t.missed for t in tables),
        )

    def entropies(
        self, number: list[Ints], counts: list[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Branching entropy before and after some strings, nats.

        Args:
            number: by length from 2 and by place from 1: the string's number from 1, or 0.
            counts: of the strings, by their numbers.
        """
        left, right = (_entropies(side, counts) for side in self._neighbours(number))
        return left, right

    def _neighbours(self, number: list[Ints]) -> tuple[Table, Table]:
        left, right = Table(self._bound), Table(self._bound)
        for code in self._chunks():
            keys: tuple[list[Ints], list[Ints]] = ([], [])
            for n, numbers in enumerate(number, 2):
                which = numbers[self.ids_at(code, n)]
                at = np.flatnonzero(which)
                keys[0].append(which[at] << 32 | code[at - 1])
                keys[1].append(which[at] << 32 | code[at + n])
            left.add(np.concatenate(keys[0]))
            right.add(np.concatenate(keys[1]))
        return left, right


def _pairs(ids: Ints) -> Ints:
    """Keys of neighbours, -1 where one is missing; as long as ``ids``."""
    after = np.append(ids[1:], 0)
    return np.where((ids > 0) & (after > 0), ids << 32 | after, -1)


def _entropies(table: Table, counts: list[int]) -> NDArray[np.float64]:
    """Branching entropy by word; neighbour 0, no Han character, is another one every time."""
    word = (table.keys >> 32) - 1
    number = table.counts.astype(np.float64)
    whole = np.asarray(counts, np.float64)
    each = np.where(table.keys & _LOW == 0, 1.0, number)
    total = np.bincount(word, number * np.log(whole[word] / each), len(counts))
    entropies: NDArray[np.float64] = total / whole
    return entropies
