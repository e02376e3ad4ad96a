"""Paths through the word graph, :mod:`segmenter.lattice.steps`, as rows of plain data.

The word graph is :meth:`segmenter.Segmenter.dag` with the user's words and atoms decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.lattice import steps
from segmenter.lattice.dag import Edge, WordDag
from segmenter.lexicon import COST_SCALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segmenter.lattice.steps import Path, Steps

PLAYERS: dict[str, Callable[[WordDag], Steps[Any]]] = {
    "forward-max": steps.forward,
    "backward-max": steps.backward,
    "bidirectional-max": steps.bidirectional,
    "shortest": steps.shortest,
    "n-shortest": steps.n_shortest,
    "unigram": steps.viterbi,
}
#: Fields of steps that are costs.
_COSTS = ("before", "cost", "sum", "best")


def rows(dag: WordDag, player: str) -> Iterator[dict[str, Any]]:
    """Every step of an algorithm under the name of its class; edges as spans, costs in nats."""
    algorithm = PLAYERS[player](dag)
    path: Path
    while True:
        try:
            step = next(algorithm)
        except StopIteration as end:
            path = end.value[0][1] if player == "n-shortest" else end.value
            break
        row = {name: _plain(value) for name, value in step._asdict().items()}
        row |= {name: nats(row[name]) for name in _COSTS if isinstance(row.get(name), int)}
        if isinstance(step, steps.Rank):
            row["rows"] = [(words, nats(cost), _plain(way)) for words, cost, way in step.rows]
        yield {"do": type(step).__name__.lower(), **row}
    done: dict[str, Any] = {"do": "done", "path": _plain(path)}
    if player == "shortest":
        done["words"] = len(path)
    elif not player.endswith("-max"):
        done["cost"] = nats(sum(edge.cost for edge in path))
    yield done


def _plain(value: Any) -> Any:
    """Edges as spans, in lists too."""
    if isinstance(value, Edge):
        return value.start, value.end
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def nats(cost: int) -> float:
    return cost / COST_SCALE
