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
ANY = "<any>"  # the second token of a bigram whose count is the total of the first as a history

_MAX_TOKENS = 1 << 20  # tokens of a pair have 20 bits each
_MAX_PAIRS = 786_000
_MIN_BACKOFF = 1e-5  # the least probability of all pairs that were not counted
_STEP_BITS = 7  # weights of histories of trigrams have steps of 1/16 nat: 1 << 7 cost units


def units_of(p: float) -> int:
    """Return the cost of a probability."""
    return min(MAX_COST, max(0, round(-math.log(p) * COST_SCALE)))


def compile_ngrams(
    number: Mapping[str, int],
    costs: list[int],
    bigrams: Iterable[tuple[str, str, float]],
    trigrams: Iterable[tuple[str, str, str, float]],
    discount: float,
    fold: Callable[[str], str],
) -> dict[str, bytes]:
    """Return the sections of the back-off model; none if there are no bigrams.

    Args:
        number: word -> word number.
        costs: unigram cost by token: words by number, then edge kinds, then the boundary.
        bigrams, trigrams, discount: see :func:`segmenter.lexicon.builder.compile_lexicon`.
        fold: folds words before they are looked up.

    Raises:
        ArgumentError: a bad count or discount, or more words or pairs than a model can have.
    """
    if not 0 < discount < 1:
        raise ArgumentError(f"discount: {discount!r} is not between 0 and 1")
    boundary = len(number) + len(EDGE_KINDS)
    classes = {name: len(number) + kind for name, kind in CLASS_TOKENS.items()}
    classes[BOUNDARY] = boundary

    def token(word: str) -> int:
        class_token = classes.get(word)
        return number.get(fold(word), classes["<unk>"]) if class_token is None else class_token

    # the key of a pair of tokens: first << 20 | second
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
    if boundary >= _MAX_TOKENS:
        raise ArgumentError(
            "bigrams: an n-gram model needs a lexicon of fewer than 1,048,566 words"
        )
    if len(pairs) > _MAX_PAIRS:
        raise ArgumentError(f"bigrams: {len(pairs)} pairs; a model holds at most 786,000")
    discounted: dict[int, float] = defaultdict(float)
    sums: dict[int, float] = defaultdict(float)
    boundary_count = 0.0
    for key, count in pairs.items():
        discounted[key >> 20] += count - min(count, discount)
        sums[key >> 20] += count
        if key & 0xFFFFF == boundary:
            boundary_count += count
        totals[key >> 20] += 0.0  # fixes the order of the totals, on which their sum depends
    for v, total in sums.items():
        totals[v] = max(totals[v], total)
    mass = sum(totals.values())
    if not math.isfinite(mass):
        raise ArgumentError("bigrams: the sum of the counts is not finite; give smaller counts")
    costs = costs[:]
    costs[boundary] = units_of(min(1.0, max(boundary_count, 1.0) / mass))
    unigram = [math.exp(-c / COST_SCALE) for c in costs]
    backoff = {v: max(_MIN_BACKOFF, 1 - discounted[v] / totals[v]) for v in discounted}
    weights = np.zeros(boundary + 1, np.uint16)
    for v, p in backoff.items():
        weights[v] = units_of(p)

    def probability(v: int, w: int) -> float:
        count = pairs.get(v << 20 | w)
        if count is None:
            return backoff.get(v, 1.0) * unigram[w]
        return max(count - discount, 0.0) / totals[v] + backoff[v] * unigram[w]

    triples: dict[tuple[int, int], float] = defaultdict(float)
    discounted3: dict[int, float] = defaultdict(float)
    sums3: dict[int, float] = defaultdict(float)
    for first, second, third, count in trigrams:
        _check_count("trigrams", count, (first, second, third))
        key = token(first) << 20 | token(second)
        if count and key in pairs:
            triples[key, token(third)] += count
    for (key, _), count in triples.items():
        discounted3[key] += count - min(count, discount)
        sums3[key] += count
    total3 = {key: max(pairs[key], sums3[key]) for key in discounted3}
    weight_steps = {
        key: min(255, units_of(max(_MIN_BACKOFF, 1 - discounted3[key] / total3[key])) >> _STEP_BITS)
        for key in discounted3
    }

    def probability3(key: int, w: int) -> float:
        back = math.exp(-(weight_steps[key] << _STEP_BITS) / COST_SCALE)  # the rounded weight
        lower = back * probability(key & 0xFFFFF, w)
        return max(triples[key, w] - discount, 0.0) / total3[key] + lower

    keys = sorted(pairs)
    # a third of the rows stays empty, fewer if 20 bits could not number them
    records, rows = _models.ngram_table(
        np.array(keys, np.uint64),
        np.array([units_of(probability(k >> 20, k & 0xFFFFF)) for k in keys], np.uint16),
        np.array([weight_steps.get(k, 0) for k in keys], np.uint8),
        min(len(keys) * 3 // 2 + 8, (1 << 20) - 1),
    )
    records3 = b""
    if triples:
        row_of = dict(zip(keys, np.frombuffer(rows, np.uint32).tolist(), strict=True))
        order = sorted(triples, key=lambda t: (row_of[t[0]], t[1]))
        records3, _ = _models.ngram_table(
            np.array([row_of[k] << 20 | w for k, w in order], np.uint64),
            np.array([units_of(probability3(k, w)) for k, w in order], np.uint16),
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
