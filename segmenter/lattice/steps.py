"""Every algorithm that chooses a path through a word DAG, in the form of a textbook.

Each is a generator: it yields a step for everything that it examines, compares and keeps, and then
returns the path.  The page of ``segmenter serve`` plays the steps, and the tests compare the
results with the compiled decoders (``kernels/lattice/``), which do the same in windows, with packed
integers and vector code.

>>> from segmenter.lattice.dag import WordDag
>>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
>>> dag = WordDag.of("他说的确实在理", dict.fromkeys(words, 1))
>>> for choose in forward, backward, bidirectional, shortest, viterbi:
...     print("/".join(dag.texts(result(choose(dag)))))
他/说/的确/实在/理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
>>> for step in list(viterbi(dag))[:2]:
...     print(step)
Compare(edge=Edge(start=0, end=1, cost=1, kind='word', word=-1), before=0, cost=1, sum=1, \
best=None, better=True, equal=False)
Settle(node=1, cost=1, edge=Edge(start=0, end=1, cost=1, kind='word', word=-1), of=1)

Costs are integers, ``-log p`` in units of 1/2048 nat; the cost of a path is the sum along it.

**The tie rule**, everywhere: compare paths of equal cost from the right; where they first differ,
the longer word wins.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from segmenter.lattice.dag import Edge, WordDag

Path = list[Edge]
T = TypeVar("T")
#: A generator of steps (named tuples, those of this module) that returns a result.
Steps = Generator[Any, None, T]
#: What an edge costs after the edges before it, as many as are remembered; None is the text's end.
Cost = Callable[[Sequence[Edge], Edge | None], int]

#: Paths of fewest words that the decoder n-shortest ranks, for each stretch.
ROUGH = 8


def result(steps: Steps[T]) -> T:
    """Run an algorithm to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found


# --- maximum matching ----------------------------------------------------------------------------


class Look(NamedTuple):
    """The edges that begin, or backward end, at a node: the longest first."""

    at: int
    forward: bool
    edges: Path


class Take(NamedTuple):
    """The longest of ``of`` edges is taken."""

    edge: Edge
    forward: bool
    of: int


class Turn(NamedTuple):
    """The forward path is complete, the backward one begins."""


class Versus(NamedTuple):
    """Of one stretch both paths, and the winner.

    ``burden`` is what is compared: number of words, then of single characters.
    """

    stretch: tuple[int, int]
    forward: Path
    backward: Path
    burden: list[tuple[int, int]]
    why: Literal["same", "words", "singles", "backward"]
    winner: Path
    side: Literal["forward", "backward"]


def forward(dag: WordDag) -> Steps[Path]:
    """Forward maximum matching: the longest word from the left, again and again."""
    path: Path = []
    at = 0
    while at < len(dag.text):
        edges = dag.starting(at)[::-1]
        yield Look(at, True, edges)
        yield Take(edges[0], True, len(edges))
        path.append(edges[0])
        at = edges[0].end
    return path


def backward(dag: WordDag) -> Steps[Path]:
    """Backward maximum matching: the longest word from the right, again and again."""
    path: Path = []
    ending = dag.ending()
    at = len(dag.text)
    while at > 0:
        edges = ending[at]
        yield Look(at, False, edges)
        yield Take(edges[0], False, len(edges))
        path.append(edges[0])
        at = edges[0].start
    return path[::-1]


def bidirectional(dag: WordDag) -> Steps[Path]:
    """Bidirectional maximum matching (after Guo 1997 and common practice).

    For each stretch that no word crosses, of the forward and the backward path: fewer words win,
    then fewer single characters, then the backward one.
    """
    ahead = yield from forward(dag)
    yield Turn()
    back = yield from backward(dag)
    path: Path = []
    for a, b in dag.stretches():
        ways = [[e for e in way if a <= e.start and e.end <= b] for way in (ahead, back)]
        burden = [(len(way), sum(e.end - e.start == 1 for e in way)) for way in ways]
        side: Literal["forward", "backward"] = "forward" if burden[0] < burden[1] else "backward"
        why: Literal["same", "words", "singles", "backward"] = "same"
        if ways[0] != ways[1]:
            words, singles = (burden[0][i] != burden[1][i] for i in (0, 1))
            why = "words" if words else "singles" if singles else "backward"
        winner = ways[0] if side == "forward" else ways[1]
        yield Versus((a, b), ways[0], ways[1], burden, why, winner, side)
        path += winner
    return path


# --- fewest words --------------------------------------------------------------------------------


class Pop(NamedTuple):
    """The nearest waiting node is settled; ``frontier`` are the others as (distance, node)."""

    node: int
    distance: int
    frontier: list[tuple[int, int]]


class Relax(NamedTuple):
    """An edge from the settled node leads to a distance: what does that change?

    ``how``: "first" way to its end; "better" than ``known``; as near, by a "longer" last word;
    "no" change.
    """

    edge: Edge
    distance: int
    known: int | None
    how: Literal["first", "better", "longer", "no"]


class Back(NamedTuple):
    """From a node the kept pointer leads back over an edge."""

    edge: Edge
    node: int


def shortest(dag: WordDag) -> Steps[Path]:
    """The path of fewest words (Dijkstra 1959): the nearest node is settled next."""
    distance = {0: 0}
    last: dict[int, Edge] = {}
    queue = [(0, 0)]
    settled: set[int] = set()
    while queue:
        so_far, node = heapq.heappop(queue)
        if node in settled:
            continue
        settled.add(node)
        waiting = sorted({(far, k) for far, k in queue if far == distance[k]})
        yield Pop(node, so_far, waiting)
        for edge in dag.starting(node):
            known = distance.get(edge.end)
            how: Literal["first", "better", "longer", "no"] = "no"
            if known is None or so_far + 1 < known:
                how = "first" if known is None else "better"
                distance[edge.end] = so_far + 1
                heapq.heappush(queue, (so_far + 1, edge.end))
            elif so_far + 1 == known and edge.start < last[edge.end].start:
                how = "longer"
            yield Relax(edge, so_far + 1, known, how)
            if how != "no":
                last[edge.end] = edge
    path: Path = []
    node = len(dag.text)
    while node:
        yield Back(last[node], node)
        path.append(last[node])
        node = last[node].start
    return path[::-1]


# --- least cost ----------------------------------------------------------------------------------


class Compare(NamedTuple):
    """A way to the edge's end: is ``before`` + ``cost`` = ``sum`` less than the ``best`` so far?"""

    edge: Edge
    before: int
    cost: int
    sum: int
    best: int | None
    better: bool
    equal: bool


class Settle(NamedTuple):
    """The least cost to a node, over its last edge; the best ``of`` so many ways."""

    node: int
    cost: int
    edge: Edge
    of: int


class _Way(NamedTuple):
    """The best way to a node: its cost, its last edge, and the way before that."""

    cost: int
    edge: Edge | None = None
    before: _Way | None = None


def own_cost(before: Sequence[Edge], edge: Edge | None) -> int:
    """Every edge costs what it says: words are independent (unigram)."""
    return 0 if edge is None else edge.cost


def one_each(before: Sequence[Edge], edge: Edge | None) -> int:
    """Every edge costs 1: the number of words."""
    return 0 if edge is None else 1


def viterbi(dag: WordDag, cost: Cost = own_cost, memory: int = 0) -> Steps[Path]:
    """The path of least cost (Viterbi 1967): it extends the best way to the node before.

    Args:
        dag: any.
        cost: what an edge costs after others.
        memory: how many edges before an edge its cost depends on: 0 for unigrams, 1 for bigrams,
            2 for trigrams (:mod:`segmenter.lattice.ngram`).  Ways to a node that differ in their
            last ``memory`` edges are kept apart.
    """
    ending = dag.ending()
    # by node: the last edges of a way, as many as are remembered -> the best of these ways
    ways: list[dict[tuple[Edge, ...], _Way]] = [{(): _Way(0)}]
    for node in range(1, len(dag.text) + 1):
        here: dict[tuple[Edge, ...], _Way] = {}
        tried: dict[tuple[Edge, ...], int] = {}
        for edge in ending[node]:  # the longest first: an equal cost never replaces a longer word
            for seen, way in ways[edge.start].items():
                kept = _last((*seen, edge), memory)
                step = cost(seen, edge)
                total = way.cost + step
                best = here[kept].cost if kept in here else None
                better = best is None or total < best
                yield Compare(edge, way.cost, step, total, best, better, total == best)
                tried[kept] = tried.get(kept, 0) + 1
                if better:
                    here[kept] = _Way(total, edge, way)
        for kept, way in here.items():
            assert way.edge is not None
            yield Settle(node, way.cost, way.edge, tried[kept])
        ways.append(here)
    # min takes the first of equals: the longest last word
    _, at = min(ways[-1].items(), key=lambda item: item[1].cost + cost(item[0], None))
    path: Path = []
    while at.edge is not None and at.before is not None:
        yield Back(at.edge, at.edge.end)
        path.append(at.edge)
        at = at.before
    return path[::-1]


def _last(edges: tuple[Edge, ...], memory: int) -> tuple[Edge, ...]:
    return edges[-memory:] if memory else ()


# --- the n best ----------------------------------------------------------------------------------


class List(NamedTuple):
    """Of the ways ``offered`` to a node the best are kept, ``most`` at most, as (cost, path)."""

    node: int
    offered: int
    most: int
    rows: list[tuple[int, Path]]


class Stretch(NamedTuple):
    """A stretch that no word crosses is decided by itself."""

    stretch: tuple[int, int]


class Rank(NamedTuple):
    """The rough paths of a stretch as (words, cost, path), and which of them costs least."""

    stretch: tuple[int, int]
    chosen: int
    rows: list[tuple[int, int, Path]]


def n_best(
    dag: WordDag,
    n: int,
    cost: Cost = own_cost,
    memory: int = 0,
    stretch: tuple[int, int] | None = None,
) -> Steps[list[tuple[int, Path]]]:
    """The (at most) ``n`` paths of least cost, with their costs: Viterbi with lists (Seshadri &
    Sundberg 1994).

    Args:
        dag: any.
        n: how many ways to each node are kept.
        cost: as for :func:`viterbi`.
        memory: as for :func:`viterbi`.
        stretch: from one node that every path passes to another; None: the whole text.
    """
    first, last = stretch or (0, len(dag.text))
    ways: dict[int, dict[tuple[Edge, ...], list[tuple[int, Path]]]] = {first: {(): [(0, [])]}}
    for node, edges in enumerate(dag.ending(first, last)[1:], first + 1):
        here: dict[tuple[Edge, ...], list[tuple[int, Path]]] = {}
        for edge in edges:
            for seen, rows in ways[edge.start].items():
                step = cost(seen, edge)
                offered = [(total + step, [*path, edge]) for total, path in rows]
                here.setdefault(_last((*seen, edge), memory), []).extend(offered)
        # sorting is stable: of equal costs the longer last word stays first, then the one before
        ways[node] = {kept: sorted(rows, key=_total)[:n] for kept, rows in here.items()}
        for kept, rows in here.items():
            yield List(node, len(rows), n, ways[node][kept])
    ended = [
        (total + cost(seen, None), path)
        for seen, rows in ways[last].items()
        for total, path in rows
    ]
    return sorted(ended, key=_total)[:n]


def _total(row: tuple[int, Path]) -> int:
    return row[0]


def n_shortest(dag: WordDag, n: int = 1) -> Steps[list[tuple[int, Path]]]:
    """The decoder n-shortest (Zhang & Liu 2002), stretch by stretch: of the :data:`ROUGH` paths of
    fewest words the most probable.

    Returns:
        The (at most) ``n`` best rows of such paths, one path per stretch, with their costs.
    """
    found: list[tuple[int, Path]] = [(0, [])]
    for stretch in dag.stretches():
        yield Stretch(stretch)
        rough = yield from n_best(dag, ROUGH, one_each, stretch=stretch)
        ranked = [(words, sum(edge.cost for edge in path), path) for words, path in rough]
        least = min(range(len(ranked)), key=lambda i: ranked[i][1])
        yield Rank(stretch, least, ranked)
        ranked.sort(key=lambda row: row[1])
        rows = [
            (so_far + cost, before + path) for _, cost, path in ranked for so_far, before in found
        ]
        found = sorted(rows, key=_total)[:n]
    return found


def likeliest_of_shortest(dag: WordDag) -> Steps[Path]:
    """The path that the decoder n-shortest chooses."""
    rows = yield from n_shortest(dag)
    return rows[0][1]


#: The decoders that need nothing but the DAG, by their names in :mod:`segmenter.choices`: what the
#: page plays, and what the tests hold the kernels against.
DECODERS: dict[str, Callable[[WordDag], Steps[Path]]] = {
    "forward-max": forward,
    "backward-max": backward,
    "bidirectional-max": bidirectional,
    "shortest": shortest,
    "n-shortest": likeliest_of_shortest,
    "unigram": viterbi,
}
#: What each decoder of a lattice chooses, in Chinese and English: the page's words beside its name.
ABOUT = {
    "forward-max": ("正向最大匹配", "longest word from the left"),
    "backward-max": ("逆向最大匹配", "longest word from the right"),
    "bidirectional-max": ("双向最大匹配", "both, the simpler one"),
    "shortest": ("最少词数（Dijkstra）", "fewest words (Dijkstra)"),
    "n-shortest": ("最短路径中最可能的", "likeliest of the shortest paths"),
    "unigram": ("最小代价（Viterbi）", "least cost (Viterbi)"),
    "bigram": ("二元语法", "each word given the one before"),
    "trigram": ("三元语法", "given the two before"),
}
