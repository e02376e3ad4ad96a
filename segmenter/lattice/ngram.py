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

    An n-gram in the model has its own cost; any other costs the back-off weight of its history
    plus the cost of the n-gram one shorter.

    Attributes:
        token: returns the token of an edge.
        boundary: the token of the beginning and end of a sentence, and of a line end.
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

    def after_one(self, history: Sequence[Edge], edge: Edge | None) -> int:
        """Cost of an edge, or of the end of the text (None), after the edge before it.

        The history ends at a boundary.  The end of the text after a line end costs nothing.
        """
        _, v = self._history(history)
        w, lower = self._token_and_cost(edge)
        return 0 if self._is_free(v, edge) else self.bigram(v, w, lower)

    def after_two(self, history: Sequence[Edge], edge: Edge | None) -> int:
        """Cost of an edge, or of the end of the text (None), after the two edges before it."""
        u, v = self._history(history)
        w, lower = self._token_and_cost(edge)
        return 0 if self._is_free(v, edge) else self.trigram(u, v, w, lower)

    def _history(self, history: Sequence[Edge]) -> tuple[Token, Token]:
        v = self.token(history[-1]) if history else self.boundary
        longer = len(history) > 1 and v != self.boundary
        return self.token(history[-2]) if longer else self.boundary, v

    def _token_and_cost(self, edge: Edge | None) -> tuple[Token, int]:
        w = self.boundary if edge is None else self.token(edge)
        return w, self.ending if edge is None or w == self.boundary else edge.cost

    def _is_free(self, v: Token, edge: Edge | None) -> bool:
        if edge is None:
            return v == self.boundary
        # preferred and forced words of the user, and atoms
        return edge.kind not in EDGE_KINDS and edge.cost == 0


def of_lexicon(lexicon: Lexicon, dag: WordDag, order: int = 2) -> Ngrams[int]:
    """Return the n-gram costs of the edges of one DAG; tokens are numbers, words first.

    All pairs and triples of the DAG are looked up at once by comparing columns, so the probe loop
    of the kernels (``kernels/lattice/ngram.hpp``) is not written twice.

    Args:
        lexicon: a lexicon with n-gram tables.
        dag: a DAG made with this lexicon.
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
        # the model has the other kinds as unknown characters
        kind = edge.kind if edge.kind in EDGE_KINDS else "unknown"
        return n_words + EDGE_KINDS.index(kind)

    # two boundaries are the history of the first word of a text or a line
    dag_pairs = {(boundary, boundary)}
    for node, edges in enumerate(dag.ending()):
        left = [token(edge) for edge in edges] if node else [boundary]
        right = [token(edge) for edge in dag.starting(node)]
        right += [boundary] if node == len(dag.text) else []
        dag_pairs |= {(v, w) for v in left for w in right}
    pairs = _records(section("ngram.bigrams"), {v << 20 | w: (v, w) for v, w in dag_pairs})
    triples: dict[tuple[int, int, int], _Record] = {}
    if order == 3:
        successors: dict[int, list[int]] = {}
        for v, w in dag_pairs:
            successors.setdefault(v, []).append(w)
        keys = {
            pair.row << 20 | w: (u, v, w)
            for (u, v), pair in pairs.items()
            for w in successors.get(v, ())
        }
        triples = _records(section("ngram.trigrams"), keys)
    weights = section("ngram.weights").cast("H")
    return Ngrams(
        token,
        boundary,
        struct.unpack("<4I", section("ngram.params"))[0],
        {pair: record.cost for pair, record in pairs.items()},
        {v: weights[v] for v, _ in dag_pairs},
        {triple: record.cost for triple, record in triples.items()},
        {pair: record.weight for pair, record in pairs.items()},
    )


class _Record(NamedTuple):
    row: int
    cost: int
    weight: int


def _records(table: Any, keys: dict[int, K]) -> dict[K, _Record]:
    """Return the records of a table with one of these keys, by the n-gram of the key."""
    import numpy as np

    records = np.frombuffer(table, "<u8")
    sorted_keys = np.array(sorted(keys), np.uint64)
    if not len(sorted_keys):
        return {}
    ranks = np.searchsorted(sorted_keys, records >> np.uint64(24))
    ranks[ranks == len(sorted_keys)] = 0
    empty = np.uint64((1 << 64) - 1)
    rows = np.flatnonzero((sorted_keys[ranks] == records >> np.uint64(24)) & (records != empty))
    return {
        keys[record >> 24]: _Record(row, record >> 8 & 0xFFFF, (record & 0xFF) * 128)
        for row, record in zip(rows.tolist(), records[rows].tolist(), strict=True)
    }
