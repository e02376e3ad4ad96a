"""``python -m eval.startup``: import and first cut in fresh interpreters, and peak memory.

Each run is a new interpreter that times ``import`` and the first cut of one sentence itself, and
reports its own peak memory; runs of all systems take turns, and the median is used.  Files are warm
(one run before the first measured one).  Results: ``eval/results/startup.md`` and ``.json``.

Peak memory is the kernel's high-water mark of the interpreter's own address space
(``VmHWM``).  ``ru_maxrss`` is the fall-back only: it is carried over ``exec``, so a child never
reports less than what its parent had when it started it.
"""

from __future__ import annotations

import compileall
import importlib.util
import json
import os
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from eval import common

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTENCE = "他说的确实在理"

# By name: the module that must be installed, and what a user would write.
PROGRAMS = {
    "segmenter": ("segmenter", "import segmenter\nsegmenter.cut(TEXT)"),
    "segmenter, ends": ("segmenter", "import segmenter\nsegmenter.ends(TEXT)"),
    "rjieba": ("rjieba", "import rjieba\nrjieba.cut(TEXT, False)"),
    "jieba": ("jieba", "import jieba\njieba.setLogLevel(60)\njieba.lcut(TEXT, HMM=False)"),
    "numpy alone": ("numpy", "import numpy"),
}

_CHILD = """
import sys, time
TEXT = {text!r}
before = set(sys.modules)
start = time.perf_counter()
{program}
took = time.perf_counter() - start
new = sorted(set(sys.modules) - before)
import json
try:
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
except (OSError, StopIteration):
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
print(json.dumps([took, peak, "numpy" in new, len(new)]))
"""


class Start(NamedTuple):
    """One run of one program in a fresh interpreter."""

    seconds: float
    peak_bytes: int
    numpy_loaded: bool
    new_modules: int


class Row(NamedTuple):
    """Medians of a program's runs; memory is above the bare interpreter's median."""

    program: str
    median_ms: float
    fastest_ms: float
    slowest_ms: float
    megabytes: float
    numpy_loaded: bool
    new_modules: int
    runs: int


def start(program: str) -> Start:
    """Run one program in a fresh interpreter from the repository's root."""
    result = subprocess.run(
        [sys.executable, "-c", _CHILD.format(text=SENTENCE, program=program)],
        cwd=common.ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SystemExit(f"a fresh interpreter failed on {program!r}:\n{result.stderr}")
    *said, last = result.stdout.splitlines()
    if said:
        print(f"printed by {program.splitlines()[0]!r}: {said}", file=sys.stderr)
    return Start(*json.loads(last))


def measure(programs: dict[str, str], runs: int) -> list[Row]:
    """Median figures of every program, in turns."""
    everything = {"bare interpreter": "pass", **programs}
    samples: dict[str, list[Start]] = {name: [] for name in everything}
    for number in range(runs + 1):
        for name, program in everything.items():
            run = start(program)
            if number:  # the first round warms files and byte code
                samples[name].append(run)
    bare = statistics.median(run.peak_bytes for run in samples["bare interpreter"])
    rows = []
    for name, seconds in samples.items():
        times = [run.seconds * 1e3 for run in seconds]
        rows.append(
            Row(
                name,
                statistics.median(times),
                min(times),
                max(times),
                (statistics.median(run.peak_bytes for run in seconds) - bare) / 1e6,
                any(run.numpy_loaded for run in seconds),
                seconds[0].new_modules,
                len(seconds),
            )
        )
    return rows


def page(rows: Sequence[Row]) -> list[str]:
    """The report."""
    heads = (
        "program", "median ms", "fastest", "slowest", "peak MB above bare", "numpy loaded",
        "new modules", "runs",
    )  # fmt: skip
    cells = [
        [
            r.program,
            *(f"{figure:.1f}" for figure in r[1:5]),
            "yes" if r.numpy_loaded else "no",
            r.new_modules,
            r.runs,
        ]
        for r in rows
    ]
    return [
        f"Import and the first cut, or `ends`, of {SENTENCE} in a fresh interpreter, files warm, "
        "pinned to one core, runs in turns. Memory is the peak minus that of the bare interpreter, "
        "including touched pages of mapped files. Peers run with HMM off; jieba starts from the "
        "cache file that it leaves in the temporary folder.\n",
        common.table(heads, cells),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = common.arguments("startup", "Import, first cut and peak memory.")
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args(arguments)
    common.pin(1)
    # as in an installed package; with PYTHONDONTWRITEBYTECODE every run would compile the modules
    compileall.compile_dir(os.path.join(common.ROOT, "segmenter"), quiet=2)
    programs = {
        name: program
        for name, (module, program) in PROGRAMS.items()
        if importlib.util.find_spec(module)
    }
    rows = measure(programs, args.runs)
    about = common.facts(name for name in programs if name in ("rjieba", "jieba"))
    data = {"rows": [row._asdict() for row in rows]}
    common.publish("startup", "Start and memory", about, page(rows), data, dry=args.dry)
    return 0


if __name__ == "__main__":
    sys.exit(main())
