"""The twin of kernels/subword/pairs.hpp: merges for BPE and WordPiece, by counts kept up to date.

Both repeat the same steps: count all adjacent pairs, merge the best everywhere, update the counts
around it.  BPE takes the most frequent pair (Sennrich, Haddow & Birch 2016), WordPiece the pair
with the largest ``freq(pair) / (freq(a) * freq(b))`` (Schuster & Nakajima 2012, in the form of the
Hugging Face course).

Of equally good pairs **the one that occurs first in the corpus** is merged, at every step.

>>> words = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]
>>> [merge.made for merge, _ in zip(learn_bpe(words), range(5))]
['es', 'est', 'lo', 'low', 'ne']
"""

from __future__ import annotations

import heapq
from array import array
from typing import TYPE_CHECKING

from segmenter.subword.training.pairs import Merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BITS = 32
_RIGHT = (1 << _BITS) - 1
_GONE = -1


class PairTable:
    """The corpus as a chain of symbols, with the counts and places of every adjacent pair.

    Args:
        words: each a string, or a sequence of symbols, with its count.
        prefix: comes before every symbol of a string except the first.
    """

    def __init__(self, words: Iterable[tuple[str | Sequence[str], int]], prefix: str = "") -> None:
        self.symbols: list[str] = []
        ids: dict[str, int] = {}

        def number_of(symbol: str) -> int:
            number = ids.get(symbol)
            if number is None:
                number = ids[symbol] = len(self.symbols)
                self.symbols.append(symbol)
            return number

        self.ids = ids
        #: of every place: the symbol that begins there, or _GONE where one before reaches over it
        self.at: list[int] = []
        self.weight = array("q")
        self.prefix = prefix
        for word, count in words:
            if not word or count <= 0:
                continue
            for i, symbol in enumerate(word):
                self.at.append(number_of(prefix + symbol if i else symbol))
                self.weight.append(count)
            self.at.append(_GONE)  # no pair crosses the end of a word
            self.weight.append(0)
        n = len(self.at)
        self.following = array("q", range(1, n + 1))
        self.before = array("q", range(-1, n - 1))
        self.frequency = [0] * len(self.symbols)
        self.counts: dict[int, int] = {}
        self.places: dict[int, array[int]] = {}
        self._count()

    def _count(self) -> None:
        at, weight, counts, places = self.at, self.weight, self.counts, self.places
        left = _GONE
        for i, symbol in enumerate(at):
            if symbol != _GONE:
                self.frequency[symbol] += weight[i]
                if left != _GONE:
                    key = left << _BITS | symbol
                    if key in counts:
                        counts[key] += weight[i]
                        places[key].append(i - 1)
                    else:
                        counts[key] = weight[i]
                        places[key] = array("q", [i - 1])
            left = symbol

    def first(self, key: int) -> int:
        """The first place where the pair still occurs; -1: nowhere."""
        left, right = key >> _BITS, key & _RIGHT
        places, at, following = self.places[key], self.at, self.following
        for k, i in enumerate(places):
            if at[i] == left and at[following[i]] == right:
                if k:
                    del places[:k]
                return i
        del places[:]
        return -1

    def merge(self, key: int, made: str) -> tuple[int, set[int]]:
        """Merges a pair everywhere.

        Returns:
            The number of the new symbol, and the pairs that it forms.
        """
        left, right = key >> _BITS, key & _RIGHT
        new = self.ids.get(made, -1)
        if new < 0:
            new = self.ids[made] = len(self.symbols)
            self.symbols.append(made)
            self.frequency.append(0)
        at, following, before = self.at, self.following, self.before
        counts, places, weight, frequency = self.counts, self.places, self.weight, self.frequency
        born: set[int] = set()

        def replace(old: int, fresh: int, place: int, w: int) -> None:
            """The pair at a place has become another."""
            if old in counts:
                counts[old] -= w
            if fresh in counts:
                counts[fresh] += w
                places[fresh].append(place)
            else:
                counts[fresh] = w
                places[fresh] = array("q", [place])
            born.add(fresh)

        places_here = places.pop(key)
        del counts[key]
        merged = 0
        for i in places_here:
            j = following[i]
            if at[i] != left or at[j] != right:
                continue
            w = weight[i]
            merged += w
            at[i] = new
            at[j] = _GONE
            k = following[i] = following[j]
            before[k] = i
            h = before[i]
            if h >= 0 and at[h] != _GONE:
                replace(at[h] << _BITS | left, at[h] << _BITS | new, h, w)
            if at[k] != _GONE:
                replace(right << _BITS | at[k], new << _BITS | at[k], i, w)
        if new < len(self.symbols) - 1:  # an earlier piece: its places are out of order
            for fresh in born:
                places[fresh] = array("q", sorted(places[fresh]))
        frequency[new] += merged
        frequency[left] -= merged
        frequency[right] -= merged
        return new, born

    def joined(self, key: int) -> tuple[str, str, str]:
        """The two pieces of a pair and what they make."""
        left, right = self.symbols[key >> _BITS], self.symbols[key & _RIGHT]
        return left, right, left + right.removeprefix(self.prefix)


def learn_bpe(
    words: Iterable[tuple[str | Sequence[str], int]], min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of BPE, one after another, until no pair is left.

    A heap holds the pairs by count and first place; stale entries go back with current values.
    Merges only remove places, so values only get worse and the best current entry is the best.

    Args:
        words: each a string (of single characters) or a sequence of symbols, with its count.
        min_frequency: pairs seen less often are not merged.
    """
    table = PairTable(words)
    heap = [(-count, table.places[key][0], key) for key, count in table.counts.items()]
    heapq.heapify(heap)
    while heap:
        minus, place, key = heapq.heappop(heap)
        count = table.counts.get(key, 0)
        if count < max(min_frequency, 1):
            continue
        first = table.first(key)
        if first < 0:
            continue
        if (-minus, place) != (count, first):
            heapq.heappush(heap, (-count, first, key))
            continue
        left, right, made = table.joined(key)
        yield Merge(left, right, made, count, float(count))
        _, born = table.merge(key, made)
        for fresh in born:
            heapq.heappush(heap, (-table.counts[fresh], table.places[fresh][0], fresh))


def learn_wordpiece(
    words: Iterable[tuple[str | Sequence[str], int]], prefix: str = "##", min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of WordPiece, one after another, until no pair is left.

    A merge changes the frequencies of its two pieces and so the scores of all their pairs: these
    enter the heap again, and entries with outdated scores are skipped.

    Args:
        words: as for :func:`learn_bpe`.
        prefix: comes before every symbol of a string except the first.
        min_frequency: pairs seen less often are not merged.  Without a bound the rarest pairs are
            merged first: two characters that each stand once, together, have the score 1.
    """
    table = PairTable(words, prefix)
    pairs_of: dict[int, set[int]] = {}
    heap: list[tuple[float, int, int]] = []

    def score(key: int) -> float:
        frequency = table.frequency
        return table.counts[key] / (frequency[key >> _BITS] * frequency[key & _RIGHT])

    def note(key: int) -> None:
        pairs_of.setdefault(key >> _BITS, set()).add(key)
        pairs_of.setdefault(key & _RIGHT, set()).add(key)

    for key, count in table.counts.items():
        note(key)
        if count >= min_frequency:
            heap.append((-score(key), table.places[key][0], key))
    heapq.heapify(heap)
    while heap:
        minus, place, key = heapq.heappop(heap)
        count = table.counts.get(key, 0)
        if count < max(min_frequency, 1) or -minus != score(key):
            continue
        first = table.first(key)
        if first != place:
            if first >= 0:
                heapq.heappush(heap, (minus, first, key))
            continue
        left, right, made = table.joined(key)
        yield Merge(left, right, made, count, -minus)
        _, born = table.merge(key, made)
        changed = set(born)
        for symbol in (key >> _BITS, key & _RIGHT):
            alive = {k for k in pairs_of.get(symbol, ()) if table.counts.get(k, 0) > 0}
            pairs_of[symbol] = alive
            changed |= alive
        for fresh in changed:
            note(fresh)
            if table.counts[fresh] >= min_frequency and (at := table.first(fresh)) >= 0:
                heapq.heappush(heap, (-score(fresh), at, fresh))
