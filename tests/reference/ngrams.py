"""N-gram models: absolute discounting, stored as back-off, and their best paths."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

from reference.paths import States, edge_states, node_states, viterbi
from reference.words import (
    ANY,
    BOUNDARY,
    CLASS_TOKENS,
    COST_SCALE,
    EDGE_KINDS,
    MAX_COST,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reference.dag import Dag, Edge, Path
    from reference.words import Dictionary


def _units(p: float) -> int:
    return min(MAX_COST, max(0, round(-math.log(p) * COST_SCALE)))


class NgramModel:
    """Costs of words after one or two other words, in back-off form.

    Absolute discounting (Ney, Essen & Kneser 1994), interpolated with the order below and stored
    as in Katz (1987): a seen n-gram has its whole cost, an unseen one costs the weight of its
    history plus the cost at the order below.

    Attributes:
        boundary: unigram cost of the end of a sentence.
        pairs: (v, w) -> cost of w after v.
        weights: v -> cost of backing off from v.
        triples: (u, v, w) -> cost of w after u v.
        pair_weights: (u, v) -> cost of backing off from u v.
    """

    def __init__(self) -> None:
        self.boundary = 0
        self.pairs: dict[tuple[str, str], int] = {}
        self.weights: dict[str, int] = {}
        self.triples: dict[tuple[str, str, str], int] = {}
        self.pair_weights: dict[tuple[str, str], int] = {}

    def bigram(self, v: str, w: str, lower: int) -> int:
        """Cost of ``w`` after ``v``; ``lower`` is its unigram cost."""
        if (v, w) in self.pairs:
            return self.pairs[v, w]
        return self.weights.get(v, 0) + lower

    def trigram(self, u: str, v: str, w: str, lower: int) -> int:
        """Cost of ``w`` after ``u v``."""
        if (u, v, w) in self.triples:
            return self.triples[u, v, w]
        return self.pair_weights.get((u, v), 0) + self.bigram(v, w, lower)

    @classmethod
    def from_counts(
        cls,
        dictionary: Dictionary,
        bigrams: Iterable[tuple[str, str, float]],
        trigrams: Iterable[tuple[str, str, str, float]] = (),
        discount: float = 0.5,
    ) -> NgramModel:
        """Estimates the model.

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
        kept: dict[str, float] = {}
        sums: dict[str, float] = {}
        for (v, _), count in pairs.items():
            kept[v] = kept.get(v, 0.0) + count - min(count, discount)
            sums[v] = sums.get(v, 0.0) + count
        for v in sums:
            totals[v] = max(totals.get(v, 0.0), sums[v])
        kept2: dict[tuple[str, str], float] = {}
        sums2: dict[tuple[str, str], float] = {}
        for (u, v, _), count in triples.items():
            kept2[u, v] = kept2.get((u, v), 0.0) + count - min(count, discount)
            sums2[u, v] = sums2.get((u, v), 0.0) + count
        totals2 = {h: max(pairs[h], sums2[h]) for h in sums2}

        model = cls()
        ends = sum(count for (_, w), count in pairs.items() if w == BOUNDARY)
        model.boundary = _units(max(ends, 1.0) / sum(totals.values()))
        costs = {name: dictionary.kinds[kind] for kind, name in CLASS_TOKENS.items()}
        costs[BOUNDARY] = model.boundary

        def chance1(w: str) -> float:
            return math.exp(-(costs[w] if w in names else dictionary.costs[w]) / COST_SCALE)

        rest = {v: max(1e-5, 1 - kept[v] / totals[v]) for v in kept}

        def chance2(v: str, w: str) -> float:
            if (v, w) not in pairs:
                return rest.get(v, 1.0) * chance1(w)
            return max(pairs[v, w] - discount, 0.0) / totals[v] + rest[v] * chance1(w)

        model.weights = {v: _units(p) for v, p in rest.items()}
        model.pairs = {pair: _units(chance2(*pair)) for pair in pairs}
        for h in kept2:  # stored in steps of 1/16 nat
            step = _units(max(1e-5, 1 - kept2[h] / totals2[h])) // 128
            model.pair_weights[h] = min(255, step) * 128
        for (u, v, w), count in triples.items():
            seen = max(count - discount, 0.0) / totals2[u, v]
            left = math.exp(-model.pair_weights[u, v] / COST_SCALE)
            model.triples[u, v, w] = _units(seen + left * chance2(v, w))
        return model

    @classmethod
    def of(cls, lexicon: Any) -> NgramModel:
        """From the tables of a compiled lexicon: records ``key << 24 | cost << 8 | weight``."""
        words = lexicon.words()
        names = [CLASS_TOKENS.get(kind, f"<{kind}>") for kind in EDGE_KINDS]
        tokens = [*words, *names, BOUNDARY]
        section = lexicon.artifact.section
        empty = (1 << 64) - 1
        model = cls()
        model.boundary = struct.unpack("<4I", section("ngram.params"))[0]
        weights = section("ngram.weights").cast("H")
        model.weights = {token: weights[i] for i, token in enumerate(tokens)}
        place: dict[int, tuple[str, str]] = {}
        for at, record in enumerate(section("ngram.bigrams").cast("Q")):
            if record != empty:
                key = record >> 24
                pair = place[at] = tokens[key >> 20], tokens[key & 0xFFFFF]
                model.pairs[pair] = record >> 8 & 0xFFFF
                model.pair_weights[pair] = (record & 0xFF) * 128
        for record in section("ngram.trigrams").cast("Q"):
            if record != empty:
                u, v = place[record >> 44]
                model.triples[u, v, tokens[record >> 24 & 0xFFFFF]] = record >> 8 & 0xFFFF
        return model


def unigram(dag: Dag) -> Path:
    """The path of least cost: the most probable one if words are independent."""
    return viterbi(node_states(dag))


def bigram(dag: Dag, model: NgramModel) -> Path:
    """The most probable path if a word depends on the one before it."""
    return viterbi(bigram_states(dag, model))


def trigram(dag: Dag, model: NgramModel) -> Path:
    """The most probable path if a word depends on the two before it."""
    return viterbi(trigram_states(dag, model))


def bigram_states(dag: Dag, model: NgramModel) -> States:
    return edge_states(dag, _cost(model, lambda _, v, w, lower: model.bigram(v, w, lower)))


def trigram_states(dag: Dag, model: NgramModel) -> States:
    return edge_states(dag, _cost(model, model.trigram), pairs=True)


def _cost(
    model: NgramModel, ngram: Callable[[str, str, str, int], int]
) -> Callable[[Path, Edge | None], int]:
    """Line ends and the end of the text are boundaries of sentences; nothing before them counts."""

    def cost(before: Path, edge: Edge | None) -> int:
        v = before[-1].token if before else BOUNDARY
        u = before[0].token if len(before) > 1 and v != BOUNDARY else BOUNDARY
        if edge is not None and edge.token != BOUNDARY:
            return ngram(u, v, edge.token, edge.cost)
        return 0 if edge is None and v == BOUNDARY else ngram(u, v, BOUNDARY, model.boundary)

    return cost
