"""The example's tests, and that a type checker accepts it as it is."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import headlines  # noqa: E402

ROOT = HERE.parent.parent


def test_the_example() -> None:
    assert doctest.testmod(headlines).failed == 0


def test_what_is_found_is_marked() -> None:
    index = headlines.Index(["云南白药的研究", "研究生命起源"], words=["云南白药"])
    (hit,) = index.search("云南白药研究")
    assert [hit.headline[a:b] for a, b in hit.spans] == ["云南白药", "研究"]
    assert index.search("") == []
    assert index.search("没有的") == []


def mypy(source: Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy", reason="mypy is not installed")
    # silent: of an installed package mypy reads the types only, and here it meets the checkout
    options = ["--strict", "--config-file=", "--follow-imports=silent"]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(source)],
        cwd=source.parent,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_typed() -> None:
    process = mypy(HERE / "headlines")
    assert (process.returncode, process.stderr) == (0, ""), process.stdout


def test_the_type_checker_sees_faults(tmp_path: Path) -> None:
    source = tmp_path / "faulty.py"
    source.write_text(
        "import segmenter as seg\n"
        "words: list[int] = seg.cut('他')\n"
        "seg.load('fast').tokenize(b'x')\n"
        "seg.load(decoder=3)\n",
        "utf-8",
    )
    process = mypy(source)
    assert process.returncode == 1
    assert [line.split(":")[1] for line in process.stdout.splitlines() if ": error:" in line] == [
        "2", "3", "4",
    ]  # fmt: skip
