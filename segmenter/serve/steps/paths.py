"""Paths through the word graph: longest words first, Viterbi, Dijkstra, the n shortest.

The word graph is :meth:`segmenter.Segmenter.dag` with the user's words and atoms decided; these are
the algorithms of ``kernels/reference/`` with every comparison written down.  Each yields its steps,
what the parts of it return is their path.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from segmenter.lexicon import COST_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.lattice.dag import Edge, WordDag

#: Rough paths of the decoder n-shortest.
ROUGH = 8

Spans = list[tuple[int, int]]
T = TypeVar("T")
Steps = Generator[dict[str, Any], None, T]


def longest_first(dag: WordDag, forward: bool) -> Steps[None]:
    """Maximum matching, forward or backward."""
    path = yield from _greedy(dag, forward)
    yield {"do": "done", "path": path}


def _greedy(dag: WordDag, forward: bool) -> Steps[Spans]:
    out, into = _neighbours(dag)
    n = len(dag.text)
    at, path = (0 if forward else n), []
    while at != (n if forward else 0):
        edges = out[at] if forward else into[at]
        longest = max(edges, key=lambda e: e.end - e.start)
        tried = sorted(edges, key=lambda e: e.start - e.end)
        yield {"do": "look", "at": at, "forward": forward, "edges": _spans(tried)}
        yield {"do": "take", "edge": _span(longest), "forward": forward, "of": len(edges)}
        path.append(_span(longest))
        at = longest.end if forward else longest.start
    return path if forward else path[::-1]


def both_ways(dag: WordDag) -> Steps[None]:
    """Both directions, and of each stretch that no word crosses the simpler of the two."""
    forward = yield from _greedy(dag, True)
    yield {"do": "turn"}
    backward = yield from _greedy(dag, False)
    path: Spans = []
    for a, b in _stretches(dag):
        ways = [[s for s in way if a <= s[0] and s[1] <= b] for way in (forward, backward)]
        burden = [(len(way), sum(e - s == 1 for s, e in way)) for way in ways]
        takes_forward = burden[0] < burden[1]
        why = "same"
        if ways[0] != ways[1]:
            words, singles = (burden[0][i] != burden[1][i] for i in (0, 1))
            why = "words" if words else "singles" if singles else "backward"
        winner = ways[0] if takes_forward else ways[1]
        path += winner
        yield {
            "do": "versus", "stretch": (a, b), "forward": ways[0], "backward": ways[1],
            "burden": burden, "why": why, "winner": winner,
            "side": "forward" if takes_forward else "backward",
        }  # fmt: skip
    yield {"do": "done", "path": path}


def viterbi(dag: WordDag) -> Steps[None]:
    """The least cost to every place, from the left, with the word that it was reached by."""
    _, into = _neighbours(dag)
    cost: dict[int, int] = {0: 0}
    back: dict[int, Edge] = {}
    for node in range(1, len(dag.text) + 1):
        edges = [e for e in into[node] if e.start in cost]
        for edge in edges:  # longest first: an equal cost never replaces a longer word
            total = cost[edge.start] + edge.cost
            best = cost.get(node)
            better = best is None or total < best
            yield {
                "do": "compare", "edge": _span(edge), "before": nats(cost[edge.start]),
                "cost": nats(edge.cost), "sum": nats(total), "better": better,
                "best": None if best is None else nats(best),
                "equal": total == best,
            }  # fmt: skip
            if better:
                cost[node], back[node] = total, edge
        if edges:
            best_edge = _span(back[node])
            yield {
                "do": "settle", "node": node, "cost": nats(cost[node]), "edge": best_edge,
                "of": len(edges),
            }  # fmt: skip
    path = yield from _trace_back(len(dag.text), back)
    yield {"do": "done", "path": path, "cost": nats(cost[len(dag.text)])}


def dijkstra(dag: WordDag) -> Steps[None]:
    """Fewest words: the place that is nearest is settled next."""
    out, _ = _neighbours(dag)
    distance = {0: 0}
    before: dict[int, Edge] = {}
    queue = [(0, 0)]
    settled: set[int] = set()
    while queue:
        d, node = heapq.heappop(queue)
        waiting = sorted({(far, k) for far, k in queue if far == distance[k]})
        if node in settled:
            continue
        settled.add(node)
        yield {"do": "pop", "node": node, "distance": d, "frontier": waiting}
        for edge in out[node]:
            known = distance.get(edge.end)
            if known is None or d + 1 < known:
                how = "first" if known is None else "better"
                distance[edge.end] = d + 1
                heapq.heappush(queue, (d + 1, edge.end))
            elif d + 1 == known and edge.start < before[edge.end].start:
                how = "longer"  # as near, by a longer last word
            else:
                how = "no"
            yield {
                "do": "relax",
                "edge": _span(edge),
                "distance": d + 1,
                "known": known,
                "how": how,
            }
            if how != "no":
                before[edge.end] = edge
    path = yield from _trace_back(len(dag.text), before)
    yield {"do": "done", "path": path, "words": len(path)}


def n_shortest(dag: WordDag) -> Steps[None]:
    """Stretch by stretch: a few paths of fewest words, and of those the most probable."""
    _, into = _neighbours(dag)
    path: Spans = []
    total = 0
    for a, b in _stretches(dag):
        yield {"do": "stretch", "stretch": (a, b)}
        # of each place the best ways there: words, edges backwards
        ways: dict[int, list[list[Edge]]] = {a: [[]]}
        for node in range(a + 1, b + 1):
            offered = [
                [edge, *way]
                for edge in into[node]
                if edge.start >= a
                for way in ways.get(edge.start, [])
            ]
            # of equal length the longer last word, then the one before it, and so on
            offered.sort(key=lambda way: (len(way), [e.start - e.end for e in way]))
            if not offered:
                continue
            ways[node] = offered[:ROUGH]
            rows = [(len(way), _spans(way[::-1])) for way in ways[node]]
            yield {"do": "list", "node": node, "offered": len(offered), "most": ROUGH, "rows": rows}
        rough = [way[::-1] for way in ways.get(b, [[]])]
        costs = [sum(e.cost for e in way) for way in rough]
        least = costs.index(min(costs))
        ranked = [(len(w), nats(c), _spans(w)) for w, c in zip(rough, costs, strict=True)]
        yield {"do": "rank", "stretch": (a, b), "chosen": least, "rows": ranked}
        path += _spans(rough[least])
        total += costs[least]
    yield {"do": "done", "path": path, "cost": nats(total)}


PLAYERS: dict[str, Callable[[WordDag], Steps[None]]] = {
    "forward-max": partial(longest_first, forward=True),
    "backward-max": partial(longest_first, forward=False),
    "bidirectional-max": both_ways,
    "shortest": dijkstra,
    "n-shortest": n_shortest,
    "unigram": viterbi,
}


# ---------------------------------------------------------------------------------------------


def _neighbours(dag: WordDag) -> tuple[list[list[Edge]], list[list[Edge]]]:
    """Edges by start, the shortest first, and by end, the longest first."""
    n = len(dag.text)
    out: list[list[Edge]] = [[] for _ in range(n + 1)]
    into: list[list[Edge]] = [[] for _ in range(n + 1)]
    for edge in dag.edges:
        out[edge.start].append(edge)
        into[edge.end].append(edge)
    return out, into


def _stretches(dag: WordDag) -> Iterator[tuple[int, int]]:
    """Parts that no edge crosses the ends of."""
    reach, start = 0, 0
    out, _ = _neighbours(dag)
    for node, edges in enumerate(out):
        if node and node == reach:
            yield start, node
            start = node
        reach = max([reach, *(e.end for e in edges)])


def _trace_back(n: int, back: dict[int, Edge]) -> Steps[Spans]:
    node, path = n, []
    while node:
        edge = back[node]
        yield {"do": "back", "edge": _span(edge), "node": node}
        path.append(_span(edge))
        node = edge.start
    return path[::-1]


def _span(edge: Edge) -> tuple[int, int]:
    return (edge.start, edge.end)


def _spans(edges: list[Edge]) -> Spans:
    return [_span(edge) for edge in edges]


def nats(cost: int) -> float:
    return cost / COST_SCALE
