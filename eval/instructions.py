"""``python -m eval.instructions``: instructions per character, by decoder and form of output.

Counted by valgrind's cachegrind, so neither the machine's speed nor other work on it matters: the
instructions of a pass over every 16th line of the PKU and MSR test sets, as the difference of two
runs with different numbers of passes.  The work of Python for a call is included.

    python -m eval.instructions                      # writes eval/results/instructions.md
    python -m eval.instructions --against CHECKOUT   # beside another checkout, built in place

Valgrind knows no AVX-512 and no AVX-VNNI: the network of ``accurate`` takes its AVX2 path there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOOL = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
EVERY = 16
SETTINGS = (
    ("unigram", "ends"), ("unigram", "cut"), ("fast", "ends"), ("fast", "cut"),
    ("balanced", "ends"), ("balanced", "cut"), ("bigram", "ends"), ("bigram", "cut"),
    ("fast", "tag"), ("fast", "bytes"),
)  # fmt: skip
#: Run in the checkout that is counted, old or new: it uses public names alone.
CHILD = """
import sys, segmenter
which, form, path, rounds = sys.argv[1:]
lines = open(path, encoding="utf-8").read().split("\\n")
lattice = which in ("unigram", "bigram")
s = segmenter.load("fast", decoder=which) if lattice else segmenter.load(which)
if form == "bytes":
    lines, form = ["\\n".join(lines).encode()], "cut_bytes"
call = getattr(s, form)
for _ in range(int(rounds)):
    for line in lines:
        call(line)
"""


def available() -> bool:
    """Whether valgrind is installed."""
    return shutil.which(TOOL[0]) is not None


def per_pass(
    command: Callable[[int], Sequence[str]], few: int, passes: int, **options: Any
) -> float:
    """Instructions of one pass: of ``command(many)`` less those of ``command(few)``, per pass."""

    def count(rounds: int) -> int:
        got = subprocess.run(
            [*TOOL, *command(rounds)], check=True, capture_output=True, text=True, **options
        )
        line = next(x for x in got.stderr.splitlines() if "I " in x and "refs" in x)
        return int(line.split()[-1].replace(",", ""))

    return (count(passes) - count(few)) / (passes - few)


def counted(tree: Path, lines: Path, characters: int, only: str) -> dict[str, float]:
    """Instructions per character of a checkout, by ``"decoder form"``."""
    settings = [setting for setting in SETTINGS if only in " ".join(setting)]

    def count_one(setting: tuple[str, str]) -> float:
        return per_pass(
            lambda rounds: [sys.executable, "-c", CHILD, *setting, str(lines), str(rounds)],
            2,
            6,
            env={
                **os.environ,
                "PYTHONPATH": str(tree),
                "PYTHONHASHSEED": "0",
                "OPENBLAS_NUM_THREADS": "1",
            },
            cwd=lines.parent,
        )

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # a count, so neighbours do not matter
        counts_found = list(pool.map(count_one, settings))
    return {
        " ".join(s): round(n / characters, 2) for s, n in zip(settings, counts_found, strict=True)
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.instructions", description=__doc__)
    parser.add_argument("--data", help="the folder of the corpora")
    parser.add_argument("--against", help="another checkout, with its extension built in place")
    parser.add_argument("--only", default="", help="settings that contain this; writes nothing")
    args = parser.parse_args(arguments)
    if not available():
        parser.error("valgrind is not installed")
    lines = common.bakeoff_lines(common.data_dir(args.data))[::EVERY]
    trees = {"here": common.ROOT}
    if args.against:
        trees["before"] = Path(args.against).resolve()
    results: dict[str, Any] = {"about": common.facts(), "characters": sum(map(len, lines))}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("\n".join(lines), "utf-8")
        for name, tree in trees.items():
            results[name] = counted(tree, path, results["characters"], args.only)
            print(name, json.dumps(results[name], indent=1))
    before = results.get("before", {})
    rows = [
        (
            setting,
            f"{n:.1f}",
            *((f"{before[setting]:.1f}", f"{n / before[setting]:.3f}") if before else ()),
        )
        for setting, n in results["here"].items()
    ]
    header = ("decoder, output", "instructions", *(("before", "here / before") if before else ()))
    text = common.table(header, rows)
    print(text)
    if not args.only:
        head = common.heading(
            "Instructions per character", results["about"], "python -m eval.instructions"
        )
        characters = results["characters"]
        about = (
            f"{characters:,} characters of the PKU and MSR test sets, one call per line; "
            "`bytes` is one call for all lines.\n\n"
        )
        common.write("instructions", head + about + text, results)


if __name__ == "__main__":
    main()
