"""The process: what it imports, pipes, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from runs import start

import segmenter
from segmenter import cli
from segmenter.cli.parsers import COMMANDS as TABLE

if TYPE_CHECKING:
    from pathlib import Path


def test_cut_starts_light(data: Path) -> None:
    code = (
        "import sys, io; from segmenter import cli; cli.main(['cut', '--quiet']); "
        "print(sorted({'numpy', 'json', 'dataclasses', 'tqdm', 'inspect'} & set(sys.modules)))"
    )
    got = subprocess.run(
        [sys.executable, "-c", code],
        input="他说".encode(),
        capture_output=True,
        check=True,
        cwd=os.path.dirname(os.path.dirname(segmenter.__file__)),
        env={**os.environ, "SEGMENTER_DATA": str(data)},
    )
    assert got.stdout.decode() == "他 说[]\n"


def test_a_command_imports_its_own_module_only() -> None:
    root = os.path.dirname(os.path.dirname(segmenter.__file__))
    code = (
        "import sys; from segmenter import cli\n"
        "def loaded(): return {n for n, _ in TABLE if f'segmenter.cli.{n}' in sys.modules}\n"
        "from segmenter.cli.parsers import COMMANDS as TABLE, main_parser\n"
        "main_parser().format_help(); assert not loaded(), loaded()\n"
        "main_parser().parse_args(['cut']); assert loaded() == {'cut'}, loaded()\n"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=root)
    assert (got.returncode, got.stderr) == (0, b"")
    modules = {f.removesuffix(".py") for f in os.listdir(os.path.dirname(cli.__file__))}
    assert {name for name, _ in TABLE} <= modules


def test_lines_come_as_they_are_typed(data: Path) -> None:
    with start(data, "cut") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in ("他说\n", "的确\n"):
            process.stdin.write(line.encode())
            process.stdin.flush()
            # would wait for ever if output were held back until the input ends
            assert process.stdout.readline().decode().replace(" ", "") == line
        process.stdin.write("在理".encode())
        printed, err = process.communicate(timeout=60)
    assert (printed.decode(), err) == ("在理", b"")
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_reader_that_goes_away(data: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说的确实在理\n" * 100_000, "utf-8")
    for command, unbuffered in (("cut", ""), ("cut", "1"), ("tokenize", "")):
        with start(data, command, str(source), unbuffered=unbuffered) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline()
            process.stdout.close()
            assert process.wait(timeout=60) == 141
            assert process.stderr.read() == b""


def test_all_is_written_where_python_does_not_buffer(data: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("他说\n" * 100_000, "utf-8")
    with start(data, "cut", str(source), unbuffered="1") as process:
        printed, _ = process.communicate(timeout=60)
    assert printed.decode() == "他 说\n" * 100_000


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send there")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_leaves_nothing_half(data: Path, tmp_path: Path, number: str, code: int) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old", "utf-8")
    with start(data, "cut", "-o", str(target)) as process:
        assert process.stdin is not None
        process.stdin.write("他说\n".encode())
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not [f for f in tmp_path.iterdir() if f.stat().st_size and f != target]:
            assert time.monotonic() < deadline, "the temporary file never got its first line"
            time.sleep(0.01)
        process.send_signal(getattr(signal, number))
        assert process.wait(timeout=60) == code
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert target.read_text("utf-8") == "old"
    assert os.listdir(tmp_path) == ["out.txt"]
