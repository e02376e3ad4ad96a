"""N-gram models: absolute discounting, as ``lexicon/ngrams.py`` builds it."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

from reference.words import ANY, BOUNDARY, CLASS_TOKENS, COST_SCALE, MAX_COST
from segmenter.lattice.ngram import Ngrams
from segmenter.text.kinds import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reference.words import Dictionary


def _units(p: float) -> int:
    return min(MAX_COST, max(0, round(-math.log(p) * COST_SCALE)))


def from_counts(
    dictionary: Dictionary,
    bigrams: Iterable[tuple[str, str, float]],
    trigrams: Iterable[tuple[str, str, str, float]] = (),
    discount: float = 0.5,
) -> Ngrams[str]:
    """Estimates the model: absolute discounting (Ney, Essen & Kneser 1994), interpolated with the
    order below, stored as back-off (Katz 1987).

    Tokens are words of the dictionary, ``<num>``, ``<date>``, ``<latin>``, ``<unk>`` (also for
    every word that the dictionary lacks) and ``<s>``, the start and end of a sentence.  A
    row ``(v, "<any>", count)`` gives v's total if rare successors were left out.
    """
    names = {*CLASS_TOKENS.values(), BOUNDARY}

    def token(word: str) -> str:
        if word in names:
            return word
        word = dictionary.fold(word)
        return word if word in dictionary.costs else "<unk>"

    pairs: dict[tuple[str, str], float] = {}
    totals: dict[str, float] = {}
    for v, w, count in bigrams:
        if w == ANY:
            totals[token(v)] = totals.get(token(v), 0.0) + count
        else:
            key = token(v), token(w)
            pairs[key] = pairs.get(key, 0.0) + count
    triples: dict[tuple[str, str, str], float] = {}
    for u, v, w, count in trigrams:
        if (token(u), token(v)) in pairs:
            key3 = token(u), token(v), token(w)
            triples[key3] = triples.get(key3, 0.0) + count

    # discounted and total counts of a history
    kept_pairs: dict[str, float] = {}
    sums: dict[str, float] = {}
    for (v, _), count in pairs.items():
        kept_pairs[v] = kept_pairs.get(v, 0.0) + count - min(count, discount)
        sums[v] = sums.get(v, 0.0) + count
    for v in sums:
        totals[v] = max(totals.get(v, 0.0), sums[v])
    kept2: dict[tuple[str, str], float] = {}
    sums2: dict[tuple[str, str], float] = {}
    for (u, v, _), count in triples.items():
        kept2[u, v] = kept2.get((u, v), 0.0) + count - min(count, discount)
        sums2[u, v] = sums2.get((u, v), 0.0) + count
    totals2 = {h: max(pairs[h], sums2[h]) for h in sums2}

    ends = sum(count for (_, w), count in pairs.items() if w == BOUNDARY)
    boundary = _units(max(ends, 1.0) / sum(totals.values()))
    costs = {name: dictionary.kinds[kind] for kind, name in CLASS_TOKENS.items()}
    costs[BOUNDARY] = boundary

    def chance1(w: str) -> float:
        return math.exp(-(costs[w] if w in names else dictionary.costs[w]) / COST_SCALE)

    rest = {v: max(1e-5, 1 - kept_pairs[v] / totals[v]) for v in kept_pairs}

    def chance2(v: str, w: str) -> float:
        if (v, w) not in pairs:
            return rest.get(v, 1.0) * chance1(w)
        return max(pairs[v, w] - discount, 0.0) / totals[v] + rest[v] * chance1(w)

    pair_weights: dict[tuple[str, str], int] = {}
    for h in kept2:  # stored in steps of 1/16 nat
        step = _units(max(1e-5, 1 - kept2[h] / totals2[h])) // 128
        pair_weights[h] = min(255, step) * 128
    seen_triples: dict[tuple[str, str, str], int] = {}
    for (u, v, w), count in triples.items():
        share = max(count - discount, 0.0) / totals2[u, v]
        left = math.exp(-pair_weights[u, v] / COST_SCALE)
        seen_triples[u, v, w] = _units(share + left * chance2(v, w))
    return Ngrams(
        dictionary.token,
        BOUNDARY,
        boundary,
        {pair: _units(chance2(*pair)) for pair in pairs},
        {v: _units(p) for v, p in rest.items()},
        seen_triples,
        pair_weights,
    )


def read_ngrams(lexicon: Any, dictionary: Dictionary) -> Ngrams[str]:
    """From the tables of a compiled lexicon: records ``key << 24 | cost << 8 | weight``."""
    names = [CLASS_TOKENS.get(kind, f"<{kind}>") for kind in EDGE_KINDS]
    tokens = [*lexicon.words(), *names, BOUNDARY]
    section = lexicon.artifact.section
    empty = (1 << 64) - 1
    pairs: dict[tuple[str, str], int] = {}
    pair_weights: dict[tuple[str, str], int] = {}
    triples: dict[tuple[str, str, str], int] = {}
    place: dict[int, tuple[str, str]] = {}
    for i, record in enumerate(section("ngram.bigrams").cast("Q")):
        if record != empty:
            key = record >> 24
            pair = place[i] = tokens[key >> 20], tokens[key & 0xFFFFF]
            pairs[pair] = record >> 8 & 0xFFFF
            pair_weights[pair] = (record & 0xFF) * 128
    for record in section("ngram.trigrams").cast("Q"):
        if record != empty:
            u, v = place[record >> 44]
            triples[u, v, tokens[record >> 24 & 0xFFFFF]] = record >> 8 & 0xFFFF
    weights = section("ngram.weights").cast("H")
    return Ngrams(
        dictionary.token,
        BOUNDARY,
        struct.unpack("<4I", section("ngram.params"))[0],
        pairs,
        {token: weights[i] for i, token in enumerate(tokens)},
        triples,
        pair_weights,
    )
