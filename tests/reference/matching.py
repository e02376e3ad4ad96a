"""Maximum matching: forward, backward, and the better of the two for each stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.dag import Dag, Path


def forward(dag: Dag, a: int = 0, b: int | None = None) -> Path:
    """Forward maximum matching: the longest word from the left, again and again."""
    path: Path = []
    k, b = a, dag.n if b is None else b
    while k < b:
        path.append(dag.out[k][-1])
        k = path[-1].end
    return path


def backward(dag: Dag, a: int = 0, b: int | None = None) -> Path:
    """Backward maximum matching: the longest word from the right, again and again."""
    path: Path = []
    k = dag.n if b is None else b
    while k > a:
        path.append(dag.into[k][0])
        k = path[-1].start
    return path[::-1]


def bidirectional(dag: Dag) -> Path:
    """Bidirectional maximum matching, stretch by stretch.

    For each stretch that no word crosses, of the forward and the backward reading: fewer words win,
    then fewer single characters, then the backward one.
    """

    def burden(path: Path) -> tuple[int, int]:
        return len(path), sum(e.end - e.start == 1 for e in path)

    out: Path = []
    for a, b in dag.stretches():
        readings = [backward(dag, a, b), forward(dag, a, b)]
        best = min(readings, key=burden)  # the first of equals
        out += best
    return out
