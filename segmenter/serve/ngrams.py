"""What words cost one after another: arcs of the word graph under the n-gram decoders.

The tables of a compiled lexicon are searched once for all pairs and triples of one sentence, by
comparing columns: the probing of the kernels (``kernels/lattice/ngram.hpp``) is not written twice.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from segmenter.lexicon import COST_SCALE
from segmenter.text.kinds import KINDS

if TYPE_CHECKING:
    from segmenter.lattice.dag import Edge, WordDag
    from segmenter.lexicon import Lexicon

K = TypeVar("K")

_KINDS = KINDS[:9]  # kinds of edges that are tokens of the n-gram model, in its order
_EMPTY = np.uint64((1 << 64) - 1)
_BEFORE = 3  # words before one that are listed, the cheapest


class Ngrams:
    """The n-gram costs of one word graph.

    Args:
        lexicon: has the tables.
        dag: the graph with what the user's words and atoms decide taken as decided.
        order: 2 or 3.
    """

    def __init__(self, lexicon: Lexicon, dag: WordDag, order: int) -> None:
        self._n_words = len(lexicon)
        self._end = self._n_words + len(_KINDS)
        section = lexicon.artifact.section
        self._boundary: int = struct.unpack("<4I", section("ngram.params"))[0]
        self._weights = section("ngram.weights").cast("H")
        self.edges = dag.edges
        self._tokens = [self._token(edge) for edge in dag.edges]
        into: dict[int, list[int]] = {}
        for i, edge in enumerate(dag.edges):
            into.setdefault(edge.end, []).append(i)
        self._into = into
        ends = into.get(len(dag.text), [])
        pairs = {(self._end, self._tokens[i]) for i, e in enumerate(dag.edges) if e.start == 0}
        pairs |= {(self._tokens[i], self._end) for i in ends}
        for i, edge in enumerate(dag.edges):
            pairs |= {(self._tokens[j], self._tokens[i]) for j in into.get(edge.start, ())}
        self._pairs = _records(section("ngram.bigrams"), {v << 20 | w: (v, w) for v, w in pairs})
        self._triples: dict[tuple[int, int, int], _Record] = {}
        if order == 3:
            after: dict[int, list[int]] = {}
            for v, w in pairs:
                after.setdefault(v, []).append(w)
            keys = {
                pair.place << 20 | w: (u, v, w)
                for (u, v), pair in self._pairs.items()
                for w in after.get(v, ())
            }
            self._triples = _records(section("ngram.trigrams"), keys)

    def _token(self, edge: Edge) -> int:
        if edge.kind == "word" and edge.word >= 0:
            return edge.word
        if edge.kind == "newline":
            return self._end
        # a word of the user's or an atom is an unknown character to what follows it
        return self._n_words + (_KINDS.index(edge.kind) if edge.kind in _KINDS else 1)

    def after(self, history: tuple[int, ...], at: int) -> int:
        """Cost of an edge, or of the end of the text (-1), after the edges before it, in units.

        Args:
            history: numbers of the one or two edges before; -1 is the beginning.
            at: its own number.
        """
        tokens = [self._end if i < 0 else self._tokens[i] for i in history]
        v = tokens[-1]
        if at < 0:
            if v == self._end:
                return 0
            w, lower = self._end, self._boundary
        else:
            edge, w = self.edges[at], self._tokens[at]
            if edge.kind not in _KINDS and edge.cost == 0:
                return 0
            lower = self._boundary if w == self._end else edge.cost
        pair = self._pairs.get((v, w))
        cost = pair.cost if pair else self._weights[v] + lower
        if len(tokens) < 2 or (v == self._end and history[-1] >= 0):
            return cost
        u = tokens[-2]
        triple = self._triples.get((u, v, w))
        if triple is not None:
            return triple.cost
        before = self._pairs.get((u, v))
        return cost + (before.weight if before else 0)

    def rows(self) -> list[dict[str, Any]]:
        """For each edge what it costs after the words that may stand before it, in nats.

        ``after``: rows of the number of the edge before (-1: the beginning) and the cost, the
        cheapest first, a few.
        """
        out = []
        for i, edge in enumerate(self.edges):
            before = self._into.get(edge.start, []) if edge.start else [-1]
            costs = sorted((self.after((j,), i), j) for j in before)
            out.append({"after": [(j, cost / COST_SCALE) for cost, j in costs[:_BEFORE]]})
        return out

    def along(self, path: list[tuple[int, int]], order: int) -> list[float] | None:
        """What each word of a path costs after those before it, and the end at last, in nats.

        None where a word of the path is not an edge.
        """
        number = {(e.start, e.end): i for i, e in enumerate(self.edges)}
        if any(span not in number for span in path):
            return None
        history = (-1,) * (order - 1)
        out = []
        for at in [*(number[span] for span in path), -1]:
            out.append(self.after(history, at) / COST_SCALE)
            history = (*history[1:], at)
            if order == 3 and at >= 0 and self._tokens[at] == self._end:
                history = (at, at)
        return out


class _Record(NamedTuple):
    place: int
    cost: int
    weight: int


def _records(table: Any, keys: dict[int, K]) -> dict[K, _Record]:
    """Those records of a table that have one of some keys, by what the keys stand for."""
    records = np.frombuffer(table, "<u8")
    wanted = np.array(sorted(keys), np.uint64)
    if not len(wanted):
        return {}
    found = np.searchsorted(wanted, records >> np.uint64(24))
    found[found == len(wanted)] = 0
    hit = np.flatnonzero((wanted[found] == records >> np.uint64(24)) & (records != _EMPTY))
    return {
        keys[record >> 24]: _Record(place, record >> 8 & 0xFFFF, (record & 0xFF) * 128)
        for place, record in zip(hit.tolist(), records[hit].tolist(), strict=True)
    }
