"""The costs of successive words: the n-gram model of a lexicon on one word DAG.

>>> from segmenter import load
>>> from segmenter.lattice.steps import result, viterbi
>>> s = load("fast", decoder="bigram")
>>> dag = s.dag("他说的确实在理")
>>> model = of_lexicon(s.lexicon, dag)
>>> "/".join(dag.texts(result(viterbi(dag, model.after_one, memory=1))))
'他/说/的/确实/在理'
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from segmenter.text.kinds import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from segmenter.lattice.dag import Edge, WordDag
    from segmenter.lexicon import Lexicon

Token = TypeVar("Token")
K = TypeVar("K")


class Ngrams(NamedTuple, Generic[Token]):
    """Costs of tokens after one or two others, in back-off form (Katz 1987).

    An n-gram that was seen has its whole cost; one that was not costs the weight of its history
    plus the cost at the order below.

    Attributes:
        token: what an edge is to the model.
        boundary: the token of a sentence's beginning and end; a line end is one.
        ending: the unigram cost of the boundary.
        pairs: (v, w) -> cost of w after v.
        weights: v -> cost of backing off from v.
        triples: (u, v, w) -> cost of w after u v.
        pair_weights: (u, v) -> cost of backing off from u v.
    """

    token: Callable[[Edge], Token]
    boundary: Token
    ending: int
    pairs: Mapping[tuple[Token, Token], int]
    weights: Mapping[Token, int]
    triples: Mapping[tuple[Token, Token, Token], int]
    pair_weights: Mapping[tuple[Token, Token], int]

    def bigram(self, v: Token, w: Token, lower: int) -> int:
        """Cost of ``w`` after ``v``; ``lower`` is its unigram cost."""
        if (v, w) in self.pairs:
            return self.pairs[v, w]
        return self.weights.get(v, 0) + lower

    def trigram(self, u: Token, v: Token, w: Token, lower: int) -> int:
        """Cost of ``w`` after ``u v``."""
        if (u, v, w) in self.triples:
            return self.triples[u, v, w]
        return self.pair_weights.get((u, v), 0) + self.bigram(v, w, lower)

    def after_one(self, before: Sequence[Edge], edge: Edge | None) -> int:
        """Cost of an edge, or of the end of the text (None), after the edge before it.

        Nothing before a boundary counts, and after a line end the text's end costs nothing.
        """
        _, v = self._history(before)
        w, lower = self._asked(edge)
        return 0 if self._free(v, edge) else self.bigram(v, w, lower)

    def after_two(self, before: Sequence[Edge], edge: Edge | None) -> int:
        """Cost of an edge, or of the end of the text (None), after the two edges before it."""
        u, v = self._history(before)
        w, lower = self._asked(edge)
        return 0 if self._free(v, edge) else self.trigram(u, v, w, lower)

    def _history(self, before: Sequence[Edge]) -> tuple[Token, Token]:
        v = self.token(before[-1]) if before else self.boundary
        longer = len(before) > 1 and v != self.boundary
        return self.token(before[-2]) if longer else self.boundary, v

    def _asked(self, edge: Edge | None) -> tuple[Token, int]:
        w = self.boundary if edge is None else self.token(edge)
        return w, self.ending if edge is None or w == self.boundary else edge.cost

    def _free(self, v: Token, edge: Edge | None) -> bool:
        if edge is None:
            return v == self.boundary
        # what the user's words and the atoms decide is not weighed
        return edge.kind not in EDGE_KINDS and edge.cost == 0


def of_lexicon(lexicon: Lexicon, dag: WordDag, order: int = 2) -> Ngrams[int]:
    """The costs that the edges of one DAG can have; tokens are numbers, those of words first.

    The lexicon's tables are searched once, for all pairs and triples of the DAG, by comparing
    columns: the probing of the kernels (``kernels/lattice/ngram.hpp``) is not written twice.

    Args:
        lexicon: has the tables.
        dag: made with this lexicon.
        order: 2 or 3.
    """
    section = lexicon.artifact.section
    n_words = len(lexicon)
    boundary = n_words + len(EDGE_KINDS)

    def token(edge: Edge) -> int:
        if edge.kind == "word" and edge.word >= 0:
            return edge.word
        if edge.kind == "newline":
            return boundary
        # other kinds are unknown characters to the model
        kind = edge.kind if edge.kind in EDGE_KINDS else "unknown"
        return n_words + EDGE_KINDS.index(kind)

    # two boundaries are the history of the first word of a text or a line
    wanted = {(boundary, boundary)}
    for node, edges in enumerate(dag.ending()):
        before = [token(edge) for edge in edges] if node else [boundary]
        after = [token(edge) for edge in dag.starting(node)]
        after += [boundary] if node == len(dag.text) else []
        wanted |= {(v, w) for v in before for w in after}
    pairs = _records(section("ngram.bigrams"), {v << 20 | w: (v, w) for v, w in wanted})
    triples: dict[tuple[int, int, int], _Record] = {}
    if order == 3:
        after_of: dict[int, list[int]] = {}
        for v, w in wanted:
            after_of.setdefault(v, []).append(w)
        keys = {
            pair.place << 20 | w: (u, v, w)
            for (u, v), pair in pairs.items()
            for w in after_of.get(v, ())
        }
        triples = _records(section("ngram.trigrams"), keys)
    weights = section("ngram.weights").cast("H")
    return Ngrams(
        token,
        boundary,
        struct.unpack("<4I", section("ngram.params"))[0],
        {pair: record.cost for pair, record in pairs.items()},
        {v: weights[v] for v, _ in wanted},
        {triple: record.cost for triple, record in triples.items()},
        {pair: record.weight for pair, record in pairs.items()},
    )


class _Record(NamedTuple):
    place: int
    cost: int
    weight: int


def _records(table: Any, keys: dict[int, K]) -> dict[K, _Record]:
    """Those records of a table that have one of some keys, by what the keys stand for."""
    import numpy as np

    records = np.frombuffer(table, "<u8")
    wanted = np.array(sorted(keys), np.uint64)
    if not len(wanted):
        return {}
    found = np.searchsorted(wanted, records >> np.uint64(24))
    found[found == len(wanted)] = 0
    empty = np.uint64((1 << 64) - 1)
    hit = np.flatnonzero((wanted[found] == records >> np.uint64(24)) & (records != empty))
    return {
        keys[record >> 24]: _Record(place, record >> 8 & 0xFFFF, (record & 0xFF) * 128)
        for place, record in zip(hit.tolist(), records[hit].tolist(), strict=True)
    }
