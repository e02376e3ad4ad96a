"""The timing protocol of ``eval/README.md``.

All entries are timed in turns, in rotating order, until the two minima of each entry differ by less
than 3%; ratios of minima are quoted.

>>> entries = [Entry("list", lambda: list("ab")), Entry("set", lambda: set("ab"))]
>>> [(t.name, t.rounds) for t in compare(entries, rounds=2, most_rounds=2, turn=0)]
[('list', 2), ('set', 2)]
"""

from __future__ import annotations

import gc
import math
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOLERANCE = 0.03
TURN = 0.05  # seconds


class Entry(NamedTuple):
    """An entry to time: `run` does the work once and returns what should outlive the clock."""

    name: str
    run: Callable[[], object]


class Timing(NamedTuple):
    """The minima of one entry.

    Attributes:
        name: the entry's.
        seconds: the minimum over all rounds.
        a_against_a: the larger of the two half minima over the smaller, less one.
        rounds: rounds timed (each of them twice).
    """

    name: str
    seconds: float
    a_against_a: float
    rounds: int

    @property
    def settled(self) -> bool:
        return self.a_against_a <= TOLERANCE


def compare(
    entries: Sequence[Entry],
    *,
    rounds: int = 7,
    most_rounds: int = 40,
    budget: float = 60.0,
    turn: float = TURN,
) -> list[Timing]:
    """Time `entries` in turns.

    Args:
        rounds: rounds that every entry is timed at least.
        most_rounds: rounds after which it ends even when A against A has not settled.
        budget: seconds after which a slow entry sits out once it has had three rounds; the others
            go on.
        turn: seconds that a turn should take at least; 0: a turn is one run.

    Returns:
        a timing an entry, in their order.
    """
    halves: list[tuple[list[float], list[float]]] = [([], []) for _ in entries]
    repeats = [_repeats(entry, turn) for entry in entries]
    for number in range(most_rounds):
        spent = [
            r * (sum(first) + sum(two)) for r, (first, two) in zip(repeats, halves, strict=True)
        ]
        active = [k for k in range(len(entries)) if len(halves[k][0]) < 3 or spent[k] < budget]
        if not active:
            break
        first = number % len(active)
        order = active[first:] + active[:first]
        for half in (0, 1):
            for k in order:
                halves[k][half].append(_turn(entries[k].run, repeats[k]))
        if number + 1 >= rounds and all(_apart(*halves[k]) <= TOLERANCE for k in active):
            break
    return [
        Timing(entry.name, min(min(first), min(two)), _apart(first, two), len(first))
        for entry, (first, two) in zip(entries, halves, strict=True)
    ]


def _repeats(entry: Entry, turn: float) -> int:
    """The number of runs that fill a turn, by the second run; the first one fills caches."""
    if turn <= 0:
        return 1
    first = _turn(entry.run, 1)
    return 1 if first >= 20 * turn else math.ceil(turn / _turn(entry.run, 1))


def _turn(run: Callable[[], object], repeats: int) -> float:
    """Seconds of one run, of `repeats` in a row; results are freed while the clock stands."""
    gc.collect()
    seconds = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        seconds += time.perf_counter() - start
        del result
    return seconds / repeats


def _apart(first: Sequence[float], two: Sequence[float]) -> float:
    low, high = sorted((min(first), min(two)))
    return high / low - 1
