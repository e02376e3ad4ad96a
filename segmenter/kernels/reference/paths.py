"""Paths of least cost: the fewest words, Viterbi over states, and the n best paths."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.kernels.reference.dag import Dag, Edge, Path

ROUGH_PATHS = 8  # of the decoder n-shortest (Zhang & Liu 2002)


def shortest(dag: Dag) -> Path:
    """The path of fewest words (Dijkstra 1959, with a heap)."""
    distance = {0: 0}
    before: dict[int, Edge] = {}
    queue = [(0, 0)]
    while queue:
        d, k = heapq.heappop(queue)
        if d > distance[k]:
            continue
        for edge in dag.out[k]:
            known = distance.get(edge.end, math.inf)
            if d + 1 < known:
                distance[edge.end] = d + 1
                heapq.heappush(queue, (d + 1, edge.end))
            elif d + 1 > known or edge.start > before[edge.end].start:
                continue  # costs more, or the same with a shorter last word
            before[edge.end] = edge
    path: Path = []
    k = dag.n
    while k:
        path.append(before[k])
        k = path[-1].start
    return path[::-1]


class States(NamedTuple):
    """A decoding problem: states in topological order, state 0 the start, the last one the end.

    Attributes:
        before: the predecessors of each state as (state, cost), longest word first.
        edges: the edge that leads to each state; None for start and end.
    """

    before: list[list[tuple[int, int]]]
    edges: list[Edge | None]

    def path(self, states: Iterable[int]) -> Path:
        return [e for s in states if (e := self.edges[s]) is not None]


def viterbi(problem: States) -> Path:
    """The best path (Viterbi 1967): it extends the best path to one of a state's predecessors."""
    return problem.path(_trace(problem, *_best(problem)))


def _best(problem: States) -> tuple[list[float], list[int]]:
    cost: list[float] = [0]
    back = [0]
    for before in problem.before[1:]:
        # min takes the first of equals: the longest word
        least = min(before, key=lambda p: cost[p[0]] + p[1], default=(0, math.inf))
        cost.append(cost[least[0]] + least[1])
        back.append(least[0])
    return cost, back


def _trace(problem: States, cost: list[float], back: list[int]) -> list[int]:
    states = [len(problem.before) - 1]
    while states[-1]:
        states.append(back[states[-1]])
    return states[::-1]


def n_best(problem: States, n: int) -> list[tuple[Path, int]]:
    """The (at most) ``n`` best paths with their costs; equal ones in the order of the tie rule.

    Best-first search from the right (Soong & Huang 1991): Viterbi's costs are exact
    bounds for the rest of a path, so paths are completed in the order of their costs.
    """
    cost, _ = _best(problem)
    last = len(problem.before) - 1
    # (lower bound of the path's cost, places in the lists of predecessors, cost so far, states);
    # the places decide ties: a smaller place is a longer word, from the right
    queue: list[tuple[float, tuple[int, ...], int, tuple[int, ...]]]
    queue = [(cost[last], (), 0, (last,))]
    found: list[tuple[Path, int]] = []
    while queue and len(found) < n:
        _, places, spent, states = heapq.heappop(queue)
        if states[-1] == 0:
            found.append((problem.path(states[::-1]), spent))
            continue
        for place, (state, step) in enumerate(problem.before[states[-1]]):
            if cost[state] < math.inf:
                total = cost[state] + step + spent
                heapq.heappush(queue, (total, (*places, place), spent + step, (*states, state)))
    return found


def node_states(dag: Dag, a: int, b: int, unit: bool) -> States:
    """One state per node and edge into it, so that a state knows its edge."""
    first: dict[int, list[int]] = {a: [0]}  # node -> its states, longest word first
    before: list[list[tuple[int, int]]] = [[]]
    edges: list[Edge | None] = [None]
    for k in range(a + 1, b + 1):
        first[k] = []
        for edge in dag.into[k]:
            if edge.start >= a and first[edge.start]:
                first[k].append(len(edges))
                step = 1 if unit else edge.cost
                before.append([(s, step) for s in first[edge.start]])
                edges.append(edge)
    before.append([(s, 0) for s in first[b]])
    edges.append(None)
    return States(before, edges)


def n_shortest_paths(dag: Dag, n: int) -> list[tuple[Path, int]]:
    """At most ``n`` distinct paths of fewest words, with their lengths.

    >>> from segmenter.kernels.reference import Dictionary, word_dag
    >>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
    >>> dag = word_dag("他说的确实在理", Dictionary(dict.fromkeys(words, 1)))
    >>> for path, length in n_shortest_paths(dag, 3): print("/".join(dag.words(path)), length)
    他/说/的/确实/在理 5
    他/说/的确/实/在理 5
    他/说/的确/实在/理 5
    """
    return n_best(node_states(dag, 0, dag.n, True), n)


def n_shortest(dag: Dag) -> Path:
    """The decoder n-shortest (Zhang & Liu 2002): the most probable of the 8 paths of fewest words.

    For each stretch separately, by unigram costs.
    """
    return n_shortest_ranked(dag, 1)[0][0]


def n_shortest_ranked(dag: Dag, n: int) -> list[tuple[Path, int]]:
    """The (at most) ``n`` best rows of such paths, one path per stretch, with their costs."""
    found: list[tuple[Path, int]] = [([], 0)]
    for a, b in dag.stretches():
        rough = [path for path, _ in n_best(node_states(dag, a, b, True), ROUGH_PATHS)]
        costs = [(path, sum(e.cost for e in path)) for path in rough]
        costs.sort(key=lambda row: row[1])
        ways = [(row + path, spent + cost) for path, cost in costs for row, spent in found]
        found = sorted(ways, key=lambda row: row[1])[:n]
    return found
