"""Every algorithm that chooses a path through a word DAG, in textbook form.

Each is a generator that yields a step per operation and returns the path.  The page of
``segmenter serve`` plays the steps, and the tests compare the results with the compiled decoders
(``kernels/lattice/``), which do the same in windows, with packed integers and vector code.

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
#: A generator of steps (named tuples of this module) that returns a result.
Steps = Generator[Any, None, T]
#: The cost of an edge after the last edges before it; None is the end of the text.
Cost = Callable[[Sequence[Edge], Edge | None], int]

#: The number of paths of fewest words that the decoder n-shortest ranks, per stretch.
ROUGH = 8


def result(steps: Steps[T]) -> T:
    """Run an algorithm to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


# --- maximum matching ----------------------------------------------------------------------------


class Look(NamedTuple):
    """The edges that begin (backward: end) at a node, the longest first."""

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
    """Both paths of one stretch, and the winner.

    ``burden`` is compared: the number of words, then of single characters.
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
    node = 0
    while node < len(dag.text):
        edges = dag.starting(node)[::-1]
        yield Look(node, True, edges)
        yield Take(edges[0], True, len(edges))
        path.append(edges[0])
        node = edges[0].end
    return path


def backward(dag: WordDag) -> Steps[Path]:
    """Backward maximum matching: the longest word from the right, again and again."""
    path: Path = []
    ending = dag.ending()
    node = len(dag.text)
    while node > 0:
        edges = ending[node]
        yield Look(node, False, edges)
        yield Take(edges[0], False, len(edges))
        path.append(edges[0])
        node = edges[0].start
    return path[::-1]


def bidirectional(dag: WordDag) -> Steps[Path]:
    """Bidirectional maximum matching (after Guo 1997 and common practice).

    In each stretch that no word crosses, of the forward and the backward path the one with fewer
    words wins, then the one with fewer single characters, then the backward one.
    """
    forward_path = yield from forward(dag)
    yield Turn()
    both = forward_path, (yield from backward(dag))
    chosen: Path = []
    for a, b in dag.stretches():
        paths = [[e for e in path if a <= e.start and e.end <= b] for path in both]
        burden = [(len(path), sum(e.end - e.start == 1 for e in path)) for path in paths]
        side: Literal["forward", "backward"] = "forward" if burden[0] < burden[1] else "backward"
        why: Literal["same", "words", "singles", "backward"] = "same"
        if paths[0] != paths[1]:
            words, singles = (burden[0][i] != burden[1][i] for i in (0, 1))
            why = "words" if words else "singles" if singles else "backward"
        winner = paths[0] if side == "forward" else paths[1]
        yield Versus((a, b), paths[0], paths[1], burden, why, winner, side)
        chosen += winner
    return chosen


# --- fewest words --------------------------------------------------------------------------------


class Pop(NamedTuple):
    """The nearest node of the queue is settled; ``frontier``: the others as (distance, node)."""

    node: int
    distance: int
    frontier: list[tuple[int, int]]


class Relax(NamedTuple):
    """An edge from the settled node offers a path to its end.

    ``how`` this changes the end: its "first" path; a "better" distance than ``known``; an equal one
    with a "longer" last word; "no" change.
    """

    edge: Edge
    distance: int
    known: int | None
    how: Literal["first", "better", "longer", "no"]


class Back(NamedTuple):
    """The back pointer of a node leads over an edge."""

    edge: Edge
    node: int


def shortest(dag: WordDag) -> Steps[Path]:
    """The path of fewest words (Dijkstra 1959): the nearest node is settled next."""
    distance = {0: 0}
    last_edge: dict[int, Edge] = {}
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
            elif so_far + 1 == known and edge.start < last_edge[edge.end].start:
                how = "longer"
            yield Relax(edge, so_far + 1, known, how)
            if how != "no":
                last_edge[edge.end] = edge
    path: Path = []
    node = len(dag.text)
    while node:
        yield Back(last_edge[node], node)
        path.append(last_edge[node])
        node = last_edge[node].start
    return path[::-1]


# --- least cost ----------------------------------------------------------------------------------


class Compare(NamedTuple):
    """A path to the edge's end: is ``before`` + ``cost`` = ``sum`` less than ``best``?"""

    edge: Edge
    before: int
    cost: int
    sum: int
    best: int | None
    better: bool
    equal: bool


class Settle(NamedTuple):
    """The path of least cost to a node, with its last edge; the best ``of`` so many paths."""

    node: int
    cost: int
    edge: Edge
    of: int


class _Prefix(NamedTuple):
    """The best path to a node: its cost, its last edge, and the path before that edge."""

    cost: int
    edge: Edge | None = None
    previous: _Prefix | None = None


def own_cost(history: Sequence[Edge], edge: Edge | None) -> int:
    """The cost of the edge alone: words are independent (unigram)."""
    return 0 if edge is None else edge.cost


def one_each(history: Sequence[Edge], edge: Edge | None) -> int:
    """Every edge costs 1: the number of words."""
    return 0 if edge is None else 1


def viterbi(dag: WordDag, cost: Cost = own_cost, memory: int = 0) -> Steps[Path]:
    """The path of least cost (Viterbi 1967): the best path to a node extends a best path before.

    Args:
        dag: any.
        cost: the cost of an edge after the edges before it.
        memory: the number of preceding edges on which a cost depends: 0 for unigrams, 1 for
            bigrams, 2 for trigrams (:mod:`segmenter.lattice.ngram`).  The last ``memory`` edges of
            a path are its state; each state of a node has its own best path.
    """
    ending = dag.ending()
    # by node: state -> the best path to it
    paths: list[dict[tuple[Edge, ...], _Prefix]] = [{(): _Prefix(0)}]
    for node in range(1, len(dag.text) + 1):
        paths_here: dict[tuple[Edge, ...], _Prefix] = {}
        counts: dict[tuple[Edge, ...], int] = {}
        for edge in ending[node]:  # longest first: an equal cost never replaces a longer word
            for history, prefix in paths[edge.start].items():
                state = _state((*history, edge), memory)
                step = cost(history, edge)
                total = prefix.cost + step
                best = paths_here[state].cost if state in paths_here else None
                better = best is None or total < best
                yield Compare(edge, prefix.cost, step, total, best, better, total == best)
                counts[state] = counts.get(state, 0) + 1
                if better:
                    paths_here[state] = _Prefix(total, edge, prefix)
        for state, prefix in paths_here.items():
            assert prefix.edge is not None
            yield Settle(node, prefix.cost, prefix.edge, counts[state])
        paths.append(paths_here)
    # min takes the first of equals: the longest last word
    _, path_end = min(paths[-1].items(), key=lambda item: item[1].cost + cost(item[0], None))
    path: Path = []
    while path_end.edge is not None and path_end.previous is not None:
        yield Back(path_end.edge, path_end.edge.end)
        path.append(path_end.edge)
        path_end = path_end.previous
    return path[::-1]


def _state(edges: tuple[Edge, ...], memory: int) -> tuple[Edge, ...]:
    return edges[-memory:] if memory else ()


# --- the n best ----------------------------------------------------------------------------------


class List(NamedTuple):
    """The best of the paths ``offered`` to a node, at most ``most``, as (cost, path)."""

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
        n: the number of paths kept per node and state.
        cost: as for :func:`viterbi`.
        memory: as for :func:`viterbi`.
        stretch: the first and last node, which every path passes; None: the whole text.
    """
    first, last = stretch or (0, len(dag.text))
    paths: dict[int, dict[tuple[Edge, ...], list[tuple[int, Path]]]] = {first: {(): [(0, [])]}}
    for node, edges in enumerate(dag.ending(first, last)[1:], first + 1):
        paths_here: dict[tuple[Edge, ...], list[tuple[int, Path]]] = {}
        for edge in edges:
            for history, rows in paths[edge.start].items():
                step = cost(history, edge)
                offered = [(total + step, [*path, edge]) for total, path in rows]
                paths_here.setdefault(_state((*history, edge), memory), []).extend(offered)
        # stable: among equal costs the longer last word stays first, then the longer one before it
        paths[node] = {state: sorted(rows, key=_total)[:n] for state, rows in paths_here.items()}
        for state, rows in paths_here.items():
            yield List(node, len(rows), n, paths[node][state])
    complete = [
        (total + cost(history, None), path)
        for history, rows in paths[last].items()
        for total, path in rows
    ]
    return sorted(complete, key=_total)[:n]


def _total(row: tuple[int, Path]) -> int:
    return row[0]


def n_shortest(dag: WordDag, n: int = 1) -> Steps[list[tuple[int, Path]]]:
    """The decoder n-shortest (Zhang & Liu 2002): in every stretch, the most probable of the
    :data:`ROUGH` paths of fewest words.

    Returns:
        The (at most) ``n`` best paths that consist of such paths, with their costs.
    """
    best: list[tuple[int, Path]] = [(0, [])]
    for stretch in dag.stretches():
        yield Stretch(stretch)
        rough = yield from n_best(dag, ROUGH, one_each, stretch=stretch)
        ranked = [(words, sum(edge.cost for edge in path), path) for words, path in rough]
        chosen = min(range(len(ranked)), key=lambda i: ranked[i][1])
        yield Rank(stretch, chosen, ranked)
        ranked.sort(key=lambda row: row[1])
        rows = [(total + cost, prefix + path) for _, cost, path in ranked for total, prefix in best]
        best = sorted(rows, key=_total)[:n]
    return best


def likeliest_of_shortest(dag: WordDag) -> Steps[Path]:
    """The path that the decoder n-shortest chooses."""
    rows = yield from n_shortest(dag)
    return rows[0][1]


#: The decoders that need only the DAG, by their names in :mod:`segmenter.choices`: the page plays
#: them, and the tests compare the kernels with them.
DECODERS: dict[str, Callable[[WordDag], Steps[Path]]] = {
    "forward-max": forward,
    "backward-max": backward,
    "bidirectional-max": bidirectional,
    "shortest": shortest,
    "n-shortest": likeliest_of_shortest,
    "unigram": viterbi,
}
#: The choice of each lattice decoder in Chinese and English, shown on the page beside its name.
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
