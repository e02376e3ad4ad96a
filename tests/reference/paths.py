"""Paths of least cost: the fewest words, Viterbi over states, and the n best paths."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reference.dag import Dag, Edge, Path

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
    _, back = _best(problem)
    states = [len(problem.before) - 1]
    while states[-1]:
        states.append(back[states[-1]])
    return problem.path(states[::-1])


def _best(problem: States) -> tuple[list[float], list[int]]:
    cost: list[float] = [0]
    back = [0]
    for before in problem.before[1:]:
        # min takes the first of equals: the longest word
        least = min(before, key=lambda p: cost[p[0]] + p[1], default=(0, math.inf))
        cost.append(cost[least[0]] + least[1])
        back.append(least[0])
    return cost, back


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


def edge_states(
    dag: Dag,
    cost: Callable[[Path, Edge | None], int],
    a: int = 0,
    b: int | None = None,
    pairs: bool = False,
) -> States:
    """The paths from node ``a`` to ``b``; states are edges, with ``pairs`` adjacent pairs of edges.

    ``cost(before, edge)`` is that of an edge, or of the end (None), after the last edge or two
    edges ``before``.
    """
    end = dag.n if b is None else b
    before: list[list[tuple[int, int]]] = [[]]
    lasts: list[Path] = [[]]  # by state: the last edge, with ``pairs`` the last two
    ending: dict[Edge | None, list[int]] = {None: [0]}  # the states of an edge, longest word first

    def ways(edge: Edge | None, at: int) -> list[list[tuple[int, int]]]:
        earlier: list[Edge | None] = [e for e in dag.into[at] if e.start >= a] if at > a else [None]
        groups = [ending[e] for e in earlier]
        if not pairs:
            groups = [[s for group in groups for s in group]]
        return [[(s, cost(lasts[s], edge)) for s in group] for group in groups if group]

    for k in range(a + 1, end + 1):
        for edge in dag.into[k]:
            if edge.start < a:
                continue
            ending[edge] = []
            for way in ways(edge, edge.start):
                ending[edge].append(len(before))
                lasts.append([*lasts[way[0][0]][-1:], edge] if pairs else [edge])
                before.append(way)
    before.append([step for way in ways(None, end) for step in way])
    return States(before, [last[-1] if last else None for last in lasts] + [None])


def node_states(dag: Dag, a: int = 0, b: int | None = None, unit: bool = False) -> States:
    """Each edge has its own cost, with ``unit`` 1.

    >>> from reference import Dictionary, word_dag
    >>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
    >>> dag = word_dag("他说的确实在理", Dictionary(dict.fromkeys(words, 1)))
    >>> for path, length in n_best(node_states(dag, unit=True), 3):
    ...     print("/".join(dag.words(path)), length)
    他/说/的/确实/在理 5
    他/说/的确/实/在理 5
    他/说/的确/实在/理 5
    """
    return edge_states(dag, lambda _, e: 0 if e is None else 1 if unit else e.cost, a, b)


def n_shortest(dag: Dag) -> Path:
    """The decoder n-shortest (Zhang & Liu 2002): the most probable of the 8 paths of fewest words.

    For each stretch separately, by unigram costs.
    """
    return n_shortest_ranked(dag, 1)[0][0]


def n_shortest_ranked(dag: Dag, n: int) -> list[tuple[Path, int]]:
    """The (at most) ``n`` best rows of such paths, one path per stretch, with their costs."""
    found: list[tuple[Path, int]] = [([], 0)]
    for a, b in dag.stretches():
        rough = [path for path, _ in n_best(node_states(dag, a, b, unit=True), ROUGH_PATHS)]
        costs = [(path, sum(e.cost for e in path)) for path in rough]
        costs.sort(key=lambda row: row[1])
        ways = [(row + path, spent + cost) for path, cost in costs for row, spent in found]
        found = sorted(ways, key=lambda row: row[1])[:n]
    return found
