"""The word DAG of a text in adjacency lists (CSR).

Node k is the boundary before character k; an edge from start to end is a candidate word.

>>> dag = WordDag.of("在理", {"在": 5, "理": 5, "在理": 2})
>>> dag.successors(0)
[1, 2]
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import LATTICE, NGRAM_DECODERS, check_whole, one_of
from segmenter.errors import ArgumentError
from segmenter.kernels import _models
from segmenter.text.kinds import KINDS
from segmenter.types import USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from segmenter.choices import Lattice


#: Decoders that need only edges; the others need the n-gram model of a lexicon.
_EDGE_DECODERS = tuple(name for name in LATTICE if name not in NGRAM_DECODERS)


class Edge(NamedTuple):
    """A candidate token: span, integer cost, kind, word number or -1.

    The kind is one of kinds.KINDS, or ``"user"``: a user word, whose cost is that of its weight, or
    0 if it is preferred or forced.
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
        offsets: ``edges[offsets[k]:offsets[k + 1]]`` start at node k; len(text) + 2 numbers.
    """

    __slots__ = ("edges", "offsets", "text")

    def __init__(self, text: str, edges: list[Edge]) -> None:
        n = len(text)
        edges = sorted(edges)
        previous: Edge | None = None
        for edge in edges:
            if not 0 <= edge.start < edge.end <= n:
                raise ArgumentError(f"edges: {edge} lies outside the text of {n} characters")
            if edge.cost < 0:
                raise ArgumentError(f"edges: {edge} has a cost below 0")
            if previous is not None and (previous.start, previous.end) == (edge.start, edge.end):
                raise ArgumentError(f"edges: two of them span {edge.start}-{edge.end}: keep one")
            previous = edge
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

        Every character without an entry has an edge of kind "unknown" that costs 1 more than the
        most expensive word, so there is always a path.
        """
        unknown_cost = max(words.values(), default=0) + 1
        longest = max(map(len, words), default=1)
        edges = []
        for i in range(len(text)):
            for j in range(i + 1, min(len(text), i + longest) + 1):
                cost = words.get(text[i:j])
                if cost is not None:
                    edges.append(Edge(i, j, cost))
                elif j == i + 1:
                    edges.append(Edge(i, j, unknown_cost, "unknown"))
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

    def starting(self, node: int) -> list[Edge]:
        """Return the edges that start at ``node``, the shortest first."""
        return self.edges[self.offsets[node] : self.offsets[node + 1]]

    def ending(self, first: int = 0, last: int | None = None) -> list[list[Edge]]:
        """Return for every node the edges that end there, the longest first.

        Args:
            first: the first node; edges that start before it are left out.
            last: the last node; None: the end of the text.
        """
        last = len(self.text) if last is None else last
        by_end: list[list[Edge]] = [[] for _ in range(first, last + 1)]
        for edge in self.edges[self.offsets[first] : self.offsets[last]]:
            if edge.end <= last:
                by_end[edge.end - first].append(edge)
        return by_end

    def stretches(self) -> list[tuple[int, int]]:
        """Return the stretches between the nodes that no edge crosses.

        >>> WordDag.of("在理说", {"在理": 1}).stretches()
        [(0, 2), (2, 3)]
        """
        stretches = []
        start = reach = 0
        for node in range(len(self.text)):
            if node and reach == node:
                stretches.append((start, node))
                start = node
            reach = max([reach, *(edge.end for edge in self.starting(node))])
        return [*stretches, (start, len(self.text))] if self.text else []

    def successors(self, node: int) -> list[int]:
        """Return the ends of the words that start at ``node``, ascending."""
        return [edge.end for edge in self.starting(node)]

    def words(self) -> list[str]:
        """Return the text of every edge, in the order of ``edges``."""
        return self.texts(self.edges)

    def texts(self, path: Iterable[Edge]) -> list[str]:
        """Return the text of every edge of a path."""
        return [self.text[e.start : e.end] for e in path]

    def decode(self, decoder: Lattice) -> list[str]:
        """Return the words that a compiled decoder chooses.

        Args:
            decoder: ``"forward-max"``, ``"backward-max"``, ``"bidirectional-max"``,
                ``"shortest"`` (fewest words), ``"n-shortest"`` or ``"unigram"`` (least cost).
                Bigrams and trigrams need a lexicon's model: :func:`segmenter.load`.

        Paths of equal cost are compared from the right; the longer word wins.
        :mod:`segmenter.lattice.steps` has each decoder step by step.

        >>> words = dict.fromkeys("的 的确 确实 实在 在理 理 实 在 确".split(), 1)
        >>> dag = WordDag.of("的确实在理", words)
        >>> dag.decode("forward-max"), dag.decode("backward-max")
        (['的确', '实在', '理'], ['的', '确实', '在理'])
        """
        return self._paths(0, decoder)[0][0]

    def n_best(self, n: int, decoder: Lattice) -> list[tuple[list[str], int]]:
        """Return at most ``n`` best paths, as words, with their costs under a decoder.

        Args:
            n: at least 1.
            decoder: ``"shortest"``, whose cost is the number of words, or ``"unigram"``.

        >>> WordDag.of("在理", {"在": 3, "理": 3, "在理": 7}).n_best(2, "unigram")
        [(['在', '理'], 6), (['在理'], 7)]
        """
        check_whole("n", n, 1)
        return self._paths(n, decoder)

    def _paths(self, n: int, decoder: Lattice) -> list[tuple[list[str], int]]:
        one_of("decoder", decoder, _EDGE_DECODERS)
        paths = _models.dag_paths(len(self.text), *self.columns(), decoder, n)
        return [(self.texts(self.edges[e] for e in path), cost) for path, cost in paths]

    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """Return start, end and cost as ``array("I")`` columns for the kernels."""
        return (
            array("I", [e.start for e in self.edges]),
            array("I", [e.end for e in self.edges]),
            array("I", [e.cost for e in self.edges]),
        )

    def __len__(self) -> int:
        return len(self.edges)

    def _repr_html_(self) -> str:
        """The graph as SVG, for notebooks; the path of least cost is emphasized."""
        from itertools import accumulate, pairwise

        from segmenter.lexicon.costs import COST_SCALE
        from segmenter.notebook import graph_svg

        reachable = {0}
        for edge in self.edges:
            if edge.start in reachable:
                reachable.add(edge.end)
        words = self.decode("unigram") if len(self.text) in reachable else []
        path = pairwise(accumulate(map(len, words), initial=0))
        arcs = [
            (e.start, e.end, f"{word}: {e.cost / COST_SCALE:.2f} nats, {e.kind}")
            for e, word in zip(self.edges, self.words(), strict=True)
        ]
        return graph_svg(self.text, arcs, path)

    def __repr__(self) -> str:
        return f"<WordDag {len(self.text) + 1} nodes, {len(self.edges)} edges>"
