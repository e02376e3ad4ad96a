"""``python -m eval.build``: what it costs to compile the extensions, by unit.

Processor seconds and memory of each compiler, without ccache, as CMakeLists.txt calls them for an
editable install.  With ``--against`` another checkout is compiled too, unit by unit in turns with
this one, so that other work on the machine slows both alike.  ``--command`` also runs the README's
first command in a copy of each tree, and says how long it takes: for a machine that does nothing
else.

    python -m eval.build --against CHECKOUT            # writes eval/results/build.md
    python -m eval.build --against CHECKOUT --command
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval import common

if TYPE_CHECKING:
    from collections.abc import Sequence

ENV = {**os.environ, "CCACHE_DISABLE": "1"}
for _name in ("CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_C_COMPILER_LAUNCHER"):
    ENV.pop(_name, None)


class Cost(NamedTuple):
    """Processor seconds, seconds on the clock, and the largest process in MB."""

    processor: float
    clock: float
    megabytes: float


def cost_of(command: Sequence[str] | str, folder: Path) -> Cost:
    """What a command costs, with the processes that it starts; it must succeed."""
    # a process of its own: the largest of all children so far would be the largest of this one
    measure = (
        "import json, resource, subprocess, sys, time; at = time.perf_counter();"
        "subprocess.run(json.loads(sys.argv[1]), shell=sys.argv[2] == '1', check=True,"
        " stdout=sys.stderr); use = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(use.ru_utime + use.ru_stime, time.perf_counter() - at, use.ru_maxrss / 1024)"
    )
    shell = "1" if isinstance(command, str) else "0"
    done = subprocess.run(
        [sys.executable, "-c", measure, json.dumps(command), shell],
        cwd=folder, env=ENV, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{command}: failed\n{done.stderr[-3000:]}")
    return Cost(*map(float, done.stdout.split()))


def units(tree: Path, folder: Path) -> dict[str, list[str]]:
    """The commands of ninja, by the last part of what they make: compilers and Cython."""
    subprocess.run(
        ["cmake", "-G", "Ninja", "-S", str(tree), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
         f"-DPython_EXECUTABLE={sys.executable}"],
        env=ENV, check=True, capture_output=True,
    )  # fmt: skip
    lines = subprocess.run(
        ["ninja", "-C", str(folder), "-t", "commands", "all"],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    found = {}
    for line in lines:
        words = shlex.split(re.sub(r"^cd \S+ && ", "", line))
        # older trees compile the C library for an editable install too
        if "-o" in words and ("-c" in words or "cython" in words) and "/capi/" not in line:
            # Cython runs in the tree
            words = [str(tree / w) if w.endswith(".pyx") else w for w in words]
            source = next(w for w in words if w.endswith((".cpp", ".pyx")))
            inside = re.sub(r"^.*/(segmenter/kernels|build[^/]*)/", "", source)
            found["Cython: " + inside if "cython" in words else inside] = words
    # what Cython writes is compiled after it
    return dict(sorted(found.items(), key=lambda unit: not unit[0].startswith("Cython")))


def first_command(tree: Path, folder: Path) -> Cost:
    """Runs the README's first command in a copy of the files that git knows."""
    text = (tree / "README.md").read_text("utf-8")
    match = re.search(r"<!-- ci: command -->\n```sh\n(.*?)\n```", text, re.S)
    assert match, "README.md has no first command"
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, names.split("\0")):
        if (tree / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(tree / name, folder / name)
    return cost_of(match[1], folder)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.build", description=__doc__)
    parser.add_argument("--against", help="another checkout")
    parser.add_argument("--command", action="store_true", help="also the README's first command")
    given = parser.parse_args(arguments)
    trees = {"here": common.ROOT}
    if given.against:
        trees = {"before": Path(given.against).resolve(), **trees}
    costs: dict[str, dict[str, Cost]] = {name: {} for name in trees}
    whole: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory() as made:
        commands = {name: units(tree, Path(made) / f"build-{name}") for name, tree in trees.items()}
        for unit in dict.fromkeys(u for name in trees for u in commands[name]):
            for name in trees:
                if unit in commands[name]:
                    folder = Path(made) / f"build-{name}"
                    costs[name][unit] = cost_of(commands[name][unit], folder)
                    print(name, unit, *(f"{x:.1f}" for x in costs[name][unit]), flush=True)
        if given.command:
            for name, tree in trees.items():
                whole[name] = first_command(tree, Path(made) / f"tree-{name}")
                print(name, whole[name], flush=True)
    write(trees, costs, whole)


def write(
    trees: dict[str, Path], costs: dict[str, dict[str, Cost]], whole: dict[str, Cost]
) -> None:
    """The table, and the same as JSON."""
    about = common.facts()
    rows = []
    for unit in dict.fromkeys(u for name in trees for u in costs[name]):
        cells = [costs[name].get(unit) for name in trees]
        rows.append(
            (
                f"`{unit}`",
                *(x for c in cells for x in (cell(c and c.processor), cell(c and c.megabytes, 0))),
            )
        )
    totals = {
        name: (sum(c.processor for c in found.values()), max(c.megabytes for c in found.values()))
        for name, found in costs.items()
    }
    rows.append(("all", *(x for s, m in totals.values() for x in (cell(s), cell(m, 0)))))
    header = ["unit", *(f"{name}, {x}" for name in trees for x in ("s", "MB"))]
    text = common.heading("Compiling the extensions", about, "python -m eval.build")
    text += (
        "Processor seconds and memory of each process, one at a time, without ccache; trees in "
        f"turns, unit by unit.{before_is(trees)}\n\n" + common.table(header, rows)
    )
    if whole:
        text += "\nThe README's first command, with all that pip fetches:\n\n" + common.table(
            ("tree", "s on the clock", "s of processors", "largest process, MB"),
            [(n, cell(c.clock), cell(c.processor), cell(c.megabytes, 0)) for n, c in whole.items()],
        )
    print(text)
    data = {
        "about": about,
        "units": {n: {u: c._asdict() for u, c in f.items()} for n, f in costs.items()},
    }
    common.write("build", text, {**data, "command": {n: c._asdict() for n, c in whole.items()}})


def before_is(trees: dict[str, Path]) -> str:
    """Which commit the other checkout is at."""
    if "before" not in trees:
        return ""
    command = ["git", "rev-parse", "--short=10", "HEAD"]
    found = subprocess.run(command, cwd=trees["before"], capture_output=True, text=True, check=True)
    return f" Before: {found.stdout.strip()}, without its C library."


def cell(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
