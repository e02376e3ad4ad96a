"""After a call that had no memory, a worker gives what a new one gives (tests/allocations.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from segmenter import capi
from segmenter.errors import ResourceError

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The allocator that fails when it is told to, as a library that is loaded first."""
    compiler = shutil.which("g++")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("g++ and LD_PRELOAD are needed")
    library = str(tmp_path_factory.mktemp("allocator") / "allocations.so")
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(TESTS / "allocations.cpp"), "-o", library], check=True)
    return library


@pytest.mark.parametrize("part", ["open", "capi", "engine", "subword"])
def test_every_allocation_may_fail(part: str, allocator: str) -> None:
    if part in ("open", "capi"):
        try:
            capi.library()
        except ResourceError as error:
            pytest.skip(str(error))
    paths = os.pathsep.join([str(TESTS.parent), str(TESTS / "capi")])
    result = subprocess.run(
        [sys.executable, str(TESTS / "allocations.py"), part],
        env={**os.environ, "LD_PRELOAD": allocator, "PYTHONPATH": paths},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-3000:] + result.stdout
    counts = [int(line.split()[0]) for line in result.stdout.splitlines()]
    assert counts, result.stdout
    assert all(counts), result.stdout
