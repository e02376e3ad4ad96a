"""Speed, start and memory: each system runs in turns with one of ours, each in its own process."""

from __future__ import annotations

import math
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from eval.rivals.process import Failed
from eval.rivals.systems import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from eval.rivals.process import Process
    from eval.rivals.systems import System

#: Seconds of a turn; a slow system gets the first lines only, a fast one several passes.
TURN = 0.25
TURNS = 5
STARTS = 3
FEWEST = 20


def size(lines: Sequence[str]) -> float:
    """MB of UTF-8."""
    return sum(len(line.encode()) for line in lines) / 1e6


def passes(process: Process) -> int:
    """The number of passes over the lines in a turn."""
    took: float = process.ask("time")["seconds"]
    return max(1, min(50, int(TURN / max(took, 1e-4))))


def fitting(process: Process, lines: Sequence[str]) -> list[str]:
    """As many lines as the system cuts in a turn."""
    some = list(lines[:FEWEST])
    process.ask("take", lines=some)
    process.ask("time")
    rate = size(some) / max(process.ask("time")["seconds"], 1e-6)
    share = TURN * rate / size(lines)
    return list(lines[: max(FEWEST, math.ceil(len(lines) * min(1.0, share)))])


def in_turns(ours: Process, theirs: Process, turns: int) -> dict[str, float]:
    """The least seconds of a pass, and the ratio of ours to it."""
    counts = {process: passes(process) for process in (ours, theirs)}
    mine, theirs_times = [], []
    for _ in range(turns):
        mine.append(ours.ask("time", passes=counts[ours])["seconds"])
        theirs_times.append(theirs.ask("time", passes=counts[theirs])["seconds"])
    return {"seconds": min(theirs_times), "ratio": min(mine) / min(theirs_times)}


def speed(
    system: System, work: Path, ours: Process, lines: Sequence[str], turns: int
) -> dict[str, Any]:
    """All figures of one system, timed in turns with the process `ours`."""
    starts = []
    process = system.process(work)
    try:
        starts.append(process.ready["seconds"])
        while len(starts) < STARTS and starts[0] < 2:
            process.close()
            process = system.process(work)
            starts.append(process.ready["seconds"])
        figures: dict[str, Any] = {"start": statistics.median(starts)}
        some = fitting(process, lines)
        figures["lines"] = len(some)
        ways = (("by_line", some), ("long", ["\n".join(some)]))
        for key, text in ways:
            ours.ask("take", lines=text)
            process.ask("take", lines=text)
            try:
                times = in_turns(ours, process, turns)
            except Failed as error:
                figures[key] = {"failed": str(error)}
                if process.process.poll() is not None:
                    process = system.process(work)
                continue
            figures[key] = {"mb_per_s": size(text) / times["seconds"], "ratio": times["ratio"]}
            if key == "by_line" and not system.node:
                passes_needed = passes(process)
                split = min(
                    process.ask("split", passes=passes_needed)["seconds"] for _ in range(turns)
                )
                figures["lists"] = split / times["seconds"]
        process.ask("take", lines=some)
        figures["two"] = two(system, process, turns)
        figures["peak"] = process.ask("peak")["peak"]
        return figures
    finally:
        process.close()


def queries(
    system: System, work: Path, ours: Process, texts: Sequence[str], turns: int
) -> dict[str, Any]:
    """Speed on short texts; `ours` has already cut them, so none is in its caches."""
    with system.process(work) as process:
        some = fitting(process, texts)
        process.ask("take", lines=some)
        times = in_turns(ours, process, turns)
        share = size(texts) / size(some)
        return {"texts": len(some), "ratio": times["ratio"] / share}


def two(system: System, process: Process, turns: int) -> dict[str, float]:
    """The speed-up of two threads: Python's threads, and the system's own call."""
    if system.node:
        return {}
    wall: dict[str, list[float]] = {"one": [], "threads": []}
    try:
        for _ in range(turns):
            wall["one"].append(process.ask("threads", count=1, keep=False)["seconds"])
            wall["threads"].append(process.ask("threads", count=2, keep=False)["seconds"])
            if system.two:
                wall.setdefault("own", []).append(
                    process.ask("batch", code=system.two, limit=60)["seconds"]
                )
    except Failed as error:
        print(f"{system.name}, two threads: {error}", file=sys.stderr)
        return {}
    return {key: min(wall["one"]) / min(took) for key, took in wall.items() if key != "one"}


def measure(
    systems: Sequence[System],
    work: Path,
    lines: Sequence[str],
    seconds: float,
    task: Callable[[System, Path, Process, Sequence[str], int], dict[str, Any]] = speed,
) -> dict[str, dict[str, Any]]:
    """Measures all systems within a time limit; later ones get fewer turns when time runs out.

    Args:
        systems: what is measured, ``fast`` among them or not.
        work: folder of the environments.
        lines: the texts.
        seconds: how long at most.
        task: :func:`speed` or :func:`queries`.
    """
    began = time.monotonic()
    columns: dict[str, dict[str, Any]] = {}
    reference = next(s for s in load()[0] if s.name == "ours, fast")
    with reference.process(work) as ours:
        ours.ask("take", lines=list(lines))
        for number, system in enumerate(systems):
            left = seconds - (time.monotonic() - began)
            share = left / (len(systems) - number)
            if left <= 0:
                print(f"no time left for {system.name}", file=sys.stderr)
                continue
            before = time.monotonic()
            try:
                columns[system.name] = task(system, work, ours, lines, TURNS if share > 6 else 3)
            except Failed as error:
                columns[system.name] = {"failed": str(error)}
            took = time.monotonic() - before
            print(f"{system.name}: {took:.1f} s", file=sys.stderr, flush=True)
    return columns
