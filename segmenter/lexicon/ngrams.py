"""Compiles counts of bigrams and trigrams into the sections of a back-off model.

Absolute discounting (Ney, Essen & Kneser 1994), stored as back-off (Katz 1987): a counted pair has
its own cost; the cost of any other pair is the unigram cost of its second word plus the back-off
weight of its first word.  ``kernels/lattice/ngram.hpp`` reads the result.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.kernels import _models
from segmenter.lexicon.costs import COST_SCALE, MAX_COST
from segmenter.text.kinds import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# The class tokens of n-gram counts -> edge kind.
CLASS_TOKENS = {"<unk>": 1, "<num>": 2, "<date>": 3, "<latin>": 4}
BOUNDARY = "<s>"
ANY = "<any>"  # as the second of a bigram: the first's total as a history

_MOST_WORDS = 1 << 20  # tokens of a pair have 20 bits each
_MOST_PAIRS = 786_000
_LEAST_REST = 1e-5  # of the probability that is left for pairs that were not counted
_STEP = 7  # weights of trigrams' histories are kept in steps of 1/16 nat: 1 << 7 cost units


def units_of(p: float) -> int:
    """The cost of a probability."""
    return min(MAX_COST, max(0, round(-math.log(p) * COST_SCALE)))


def compile_ngrams(
    number: Mapping[str, int],
    costs: list[int],
    bigrams: Iterable[tuple[str, str, float]],
    trigrams: Iterable[tuple[str, str, str, float]],
    discount: float,
    fold: Callable[[str], str],
) -> dict[str, bytes]:
    """Sections of the back-off model; none if there are no bigrams.

    Args:
        number: word -> word number.
        costs: unigram cost by token: words by number, then edge kinds, then the boundary.
        bigrams, trigrams, discount: see :func:`segmenter.lexicon.builder.compile_lexicon`.
        fold: how words are folded before they are looked up.

    Raises:
        ArgumentError: a bad count or discount, or more words or pairs than a model can have.
    """
    if not 0 < discount < 1:
        raise ArgumentError(f"discount: {discount!r} is not between 0 and 1")
    boundary = len(number) + len(EDGE_KINDS)
    classes = {name: len(number) + kind for name, kind in CLASS_TOKENS.items()}
    classes[BOUNDARY] = boundary

    def token(word: str) -> int:
        got = classes.get(word)
        return number.get(fold(word), classes["<unk>"]) if got is None else got

    # a pair of tokens is one number: the first's << 20 | the second's
    pairs: dict[int, float] = defaultdict(float)
    totals: dict[int, float] = defaultdict(float)
    for first, second, count in bigrams:
        _check_count("bigrams", count, (first, second))
        if not count:
            continue
        v = token(first)
        if second == ANY:
            totals[v] += count
        else:
            pairs[v << 20 | token(second)] += count
    if not pairs:
        return {}
    if boundary >= _MOST_WORDS:
        raise ArgumentError(
            "bigrams: an n-gram model needs a lexicon of fewer than 1,048,566 words"
        )
    if len(pairs) > _MOST_PAIRS:
        raise ArgumentError(f"bigrams: {len(pairs)} pairs; a model holds at most 786,000")
    kept: dict[int, float] = defaultdict(float)
    sums: dict[int, float] = defaultdict(float)
    ends = 0.0
    for key, count in pairs.items():
        kept[key >> 20] += count - min(count, discount)
        sums[key >> 20] += count
        if key & 0xFFFFF == boundary:
            ends += count
        totals[key >> 20] += 0.0  # its place among the totals, whose sum depends on their order
    for v, total in sums.items():
        totals[v] = max(totals[v], total)
    mass = sum(totals.values())
    if not math.isfinite(mass):
        raise ArgumentError("bigrams: the sum of the counts is not finite; give smaller counts")
    costs = costs[:]
    costs[boundary] = units_of(min(1.0, max(ends, 1.0) / mass))
    lower = [math.exp(-c / COST_SCALE) for c in costs]
    rest = {v: max(_LEAST_REST, 1 - kept[v] / totals[v]) for v in kept}
    weights = np.zeros(boundary + 1, np.uint16)
    for v, p in rest.items():
        weights[v] = units_of(p)

    def chance(v: int, w: int) -> float:
        count = pairs.get(v << 20 | w)
        if count is None:
            return rest.get(v, 1.0) * lower[w]
        return max(count - discount, 0.0) / totals[v] + rest[v] * lower[w]

    triples: dict[tuple[int, int], float] = defaultdict(float)
    kept3: dict[int, float] = defaultdict(float)
    sums3: dict[int, float] = defaultdict(float)
    for first, second, third, count in trigrams:
        _check_count("trigrams", count, (first, second, third))
        key = token(first) << 20 | token(second)
        if count and key in pairs:
            triples[key, token(third)] += count
    for (key, _), count in triples.items():
        kept3[key] += count - min(count, discount)
        sums3[key] += count
    total3 = {key: max(pairs[key], sums3[key]) for key in kept3}
    step = {
        key: min(255, units_of(max(_LEAST_REST, 1 - kept3[key] / total3[key])) >> _STEP)
        for key in kept3
    }

    def chance3(key: int, w: int) -> float:
        back = math.exp(-(step[key] << _STEP) / COST_SCALE)  # the rounded weight
        return max(triples[key, w] - discount, 0.0) / total3[key] + back * chance(key & 0xFFFFF, w)

    keys = sorted(pairs)
    # a third of the places stays empty, less where the 20 bits of a place would not hold them
    records, places = _models.ngram_table(
        np.array(keys, np.uint64),
        np.array([units_of(chance(k >> 20, k & 0xFFFFF)) for k in keys], np.uint16),
        np.array([step.get(k, 0) for k in keys], np.uint8),
        min(len(keys) * 3 // 2 + 8, (1 << 20) - 1),
    )
    records3 = b""
    if triples:
        place = dict(zip(keys, np.frombuffer(places, np.uint32).tolist(), strict=True))
        order = sorted(triples, key=lambda t: (place[t[0]], t[1]))
        records3, _ = _models.ngram_table(
            np.array([place[k] << 20 | w for k, w in order], np.uint64),
            np.array([units_of(chance3(k, w)) for k, w in order], np.uint16),
            np.zeros(len(order), np.uint8),
            len(order) * 4 // 3 + 8,
        )
    return {
        "ngram.params": struct.pack("<4I", costs[boundary], len(pairs), len(triples), 0),
        "ngram.weights": weights.tobytes(),
        "ngram.bigrams": records,
        "ngram.trigrams": records3,
    }


def _check_count(name: str, count: float, words: Sequence[str]) -> None:
    if not (count >= 0 and math.isfinite(count)):
        ngram = " ".join(words)
        raise ArgumentError(f"{name}: count {count!r} of {ngram!r} is not a number >= 0")
