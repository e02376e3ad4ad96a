"""The word DAG of a text in adjacency lists (CSR), with an adjacency matrix for teaching.

Node k is the place before character k; an edge from start to end is a candidate word.

>>> dag = WordDag.of("在理", {"在": 5, "理": 5, "在理": 2})
>>> dag.successors(0)
[1, 2]
>>> dag.matrix()
[[0, 1, 1], [0, 0, 1], [0, 0, 0]]
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.text.kinds import KINDS
from segmenter.types import USER

if TYPE_CHECKING:
    from collections.abc import Mapping


class Edge(NamedTuple):
    """A candidate token: span, integer cost, kind, word number or -1.

    The kind is one of kinds.KINDS, or ``"user"``: a user word, with a cost of its own if it has a
    weight, and none if it is preferred or forced.
    """

    start: int
    end: int
    cost: int
    kind: str = "word"
    word: int = -1


class WordDag:
    """Candidate tokens of a text.

    Attributes:
        text: the text; nodes are 0 … len(text).
        edges: all candidates, by start, then by end.
        offsets: edges of start k are ``edges[offsets[k]:offsets[k + 1]]``; len(text) + 2 numbers.
    """

    __slots__ = ("edges", "offsets", "text")

    def __init__(self, text: str, edges: list[Edge]) -> None:
        n = len(text)
        edges = sorted(edges)
        last: Edge | None = None
        for edge in edges:
            if not 0 <= edge.start < edge.end <= n:
                raise ArgumentError(f"edges: {edge} lies outside the text of {n} characters")
            if edge.cost < 0:
                raise ArgumentError(f"edges: {edge} has a cost below 0")
            if last is not None and (last.start, last.end) == (edge.start, edge.end):
                raise ArgumentError(f"edges: two edges span {edge.start}-{edge.end}")
            last = edge
        self._set(text, edges)

    def _set(self, text: str, edges: list[Edge]) -> None:
        self.text = text
        self.edges = edges
        self.offsets = [0] * (len(text) + 2)
        for edge in edges:
            self.offsets[edge.start + 1] += 1
        for k in range(len(text) + 1):
            self.offsets[k + 1] += self.offsets[k]

    @classmethod
    def of(cls, text: str, words: Mapping[str, int]) -> WordDag:
        """Return the DAG of ``text`` over a small dictionary of word -> cost.

        Every character without an entry gets an edge of kind "unknown" that costs 1 more than the
        dearest word, so there is always a path.
        """
        dear = max(words.values(), default=0) + 1
        longest = max(map(len, words), default=1)
        edges = []
        for i in range(len(text)):
            for j in range(i + 1, min(len(text), i + longest) + 1):
                cost = words.get(text[i:j])
                if cost is not None:
                    edges.append(Edge(i, j, cost))
                elif j == i + 1:
                    edges.append(Edge(i, j, dear, "unknown"))
        return cls(text, edges)

    @classmethod
    def from_columns(
        cls, text: str, start: bytes, end: bytes, cost: bytes, token: bytes, kind: bytes
    ) -> WordDag:
        """Return the DAG of the kernels' uint32 columns, which are sorted."""
        columns = [array("I", column) for column in (start, end, cost, token, kind)]
        edges = [
            Edge(a, b, c, KINDS[k] if k < USER else "user", w if k == 0 else -1)
            for a, b, c, w, k in zip(*columns, strict=True)
        ]
        dag = cls.__new__(cls)
        dag._set(text, edges)
        return dag

    def successors(self, node: int) -> list[int]:
        """Return the ends of the words that start at ``node``, ascending."""
        a, b = self.offsets[node], self.offsets[node + 1]
        return [edge.end for edge in self.edges[a:b]]

    def matrix(self) -> list[list[int]]:
        """Return the adjacency matrix: len(text) + 1 rows and columns of 0 and 1."""
        n = len(self.text) + 1
        rows = [[0] * n for _ in range(n)]
        for edge in self.edges:
            rows[edge.start][edge.end] = 1
        return rows

    def words(self) -> list[str]:
        """Return the text of every edge, in the order of ``edges``."""
        return [self.text[e.start : e.end] for e in self.edges]

    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """Return start, end and cost as ``array("I")`` columns for the kernels."""
        return (
            array("I", [e.start for e in self.edges]),
            array("I", [e.end for e in self.edges]),
            array("I", [e.cost for e in self.edges]),
        )

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        return f"<WordDag {len(self.text) + 1} nodes, {len(self.edges)} edges>"
