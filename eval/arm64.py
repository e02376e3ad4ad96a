"""``python -m eval.arm64``: instructions per character, arm64 beside x86-64, under emulation.

The programs of ``tests/engine/kernels`` are compiled for both, with vector paths and without, and
run by QEMU with a plug-in that counts; two runs with different rounds tell what a round costs.
The ends of all must be the same.  It needs Debian's ``qemu-user`` and ``g++-aarch64-linux-gnu``
and the package ``simde-py``.
Results: ``eval/results/arm64.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Sequence

KERNELS = common.ROOT / "segmenter" / "kernels"
TESTS = common.ROOT / "tests" / "engine" / "kernels"
FLAGS = ("-std=c++17", "-O3", "-fno-tree-slp-vectorize", "-pthread")  # of CMakeLists.txt
MODELS = {
    "unigram": "general.lex",
    "fast": "general-fast.model",
    "balanced": "general-balanced.model",
}
#: Compiler, emulator and its options, flags of CMakeLists.txt for the processor.
TARGETS: dict[str, tuple[str, list[str], list[str]]] = {
    "x86-64": ("g++", ["qemu-x86_64", "-cpu", "max"], ["-march=x86-64-v2"]),
    "arm64": (
        "aarch64-linux-gnu-g++",
        ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu"],
        [],
    ),
}
#: Every how many lines of the test sets is read.
EVERY = 10
LIMIT = 1.3


def missing() -> list[str]:
    """What is needed and not here."""
    needed = ["gcc", *(name for cxx, qemu, _ in TARGETS.values() for name in (cxx, qemu[0]))]
    programs = [name for name in needed if not shutil.which(name)]
    return [*programs, *([] if find_spec("simde_py") else ["simde-py"])]


class Counter:
    """Compiles and counts in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        plugin = TESTS / "instructions.c"
        self.plugin = folder / "instructions.so"
        self._run("gcc", "-O2", "-shared", "-fPIC", str(plugin), "-o", str(self.plugin))

    def program(self, name: str, target: str, plain: bool) -> Path:
        """A program of tests/engine/kernels for a target, compiled."""
        cxx, _, flags = TARGETS[target]
        out = self.folder / f"{name}-{target}-{'plain' if plain else 'vector'}"
        given = [*FLAGS, *flags, *(["-DSEGMENTER_PORTABLE"] if plain else [])]
        if target == "arm64":
            given += ["-I", import_module("simde_py").get_include()]
        units = ("tagging/tagger", "bilstm/instruction_sets")
        sources = [str(TESTS / f"{name}.cpp"), *(str(KERNELS / f"{unit}.cpp") for unit in units)]
        self._run(cxx, *given, "-I", str(KERNELS), *sources, "-o", str(out))
        return out

    def count(
        self, target: str, program: Path, arguments: Sequence[str], rounds: int = 5
    ) -> tuple[int, str]:
        """Instructions of one round, and what the program prints."""
        counts = []
        for n in (1, 1 + rounds):
            done = self._run(
                *TARGETS[target][1], "-plugin", str(self.plugin), str(program), *arguments, str(n)
            )
            found = re.search(r"instructions: (\d+)", done.stderr)
            assert found, done.stderr
            counts.append(int(found[1]))
        return (counts[1] - counts[0]) // rounds, done.stdout

    @staticmethod
    def _run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, check=True, capture_output=True, text=True)


def measure(folder: Path, lines: Sequence[str]) -> dict[str, Any]:
    """Instructions per character of every model and path.

    Raises:
        AssertionError: two paths give different ends.
    """
    counter = Counter(folder)
    text = folder / "text.txt"
    text.write_text("".join(line + "\n" for line in lines), "utf-8")
    size = sum(map(len, lines))
    models: dict[str, dict[str, float]] = {name: {} for name in MODELS}
    printed: dict[str, set[str]] = {name: set() for name in MODELS}
    network: dict[str, float] = {}
    for target in TARGETS:
        for plain in (False, True):
            way = f"{target}, plain" if plain else target
            ends = counter.program("ends", target, plain)
            for name, model in MODELS.items():
                path = str(common.ROOT / "models" / model)
                n, out = counter.count(target, ends, [path, str(text)])
                models[name][way] = n / size
                printed[name].add(out)
                print(name, way, f"{n / size:.1f}", file=sys.stderr, flush=True)
        bilstm = counter.program("bilstm", target, plain=False)
        # the vector paths of the processor, all of which must give the sums of the plain one
        done = counter._run(*TARGETS[target][1], str(bilstm))
        for path in done.stdout.split()[1:]:
            network[f"{target}, {path}"] = counter.count(target, bilstm, [path], 2)[0]
    for name, outputs in printed.items():
        if len(outputs) != 1:
            raise AssertionError(f"{name}: the paths give different ends")
    return {"characters": size, "models": models, "network": network}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.arm64", description="Instructions of arm64 beside x86-64."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    given = parser.parse_args(arguments)
    if lacking := missing():
        parser.error(
            f"not installed: {', '.join(lacking)} (Debian: qemu-user, g++-aarch64-linux-gnu)"
        )
    about = common.facts()
    lines = common.bakeoff_lines(common.data_dir(given.data))[::EVERY]
    with tempfile.TemporaryDirectory() as folder:
        data = {**about, **measure(Path(folder), lines)}
    report = render(data)
    print(report)
    common.write("arm64", report, data)
    return 0


def render(data: Any) -> str:
    """The report of the figures."""
    ways = [f"{target}{plain}" for target in TARGETS for plain in ("", ", plain")]
    rows = [
        [
            name,
            *(f"{got[way]:.0f}" for way in ways),
            f"{got['arm64'] / got['x86-64']:.2f}",
            f"{got['arm64, plain'] / got['x86-64']:.2f}",
        ]
        for name, got in data["models"].items()
    ]
    network = data["network"]
    base = network["x86-64, sse4.1"]
    return "\n".join(
        [
            common.heading("arm64: instructions", data, "python -m eval.arm64"),
            f"Executed instructions per character of every {EVERY}th line of the PKU and MSR test "
            f"sets ({data['characters']:,} characters), counted under QEMU: text in, ends out, "
            "without Python. The ends of all four builds are the same. *Plain*: compiled without "
            "vector instructions, as arm64 was before it had a vector path. "
            f"At most {LIMIT} times x86-64 is wanted.\n",
            common.table(
                ("", *ways, "arm64 to x86-64", "plain arm64 to x86-64"),
                rows,
            ),
            "The network of `accurate` (128 units, random weights and text), by its vector path; "
            "what AVX-512 VNNI and AVX-VNNI take is not emulated and so not counted:\n",
            common.table(
                ("path", "instructions of one text", "to SSE4.1"),
                [[path, f"{n:,}", f"{n / base:.2f}"] for path, n in network.items()],
            ),
            "Instructions are not time: no figure here says how fast an arm64 processor is.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
