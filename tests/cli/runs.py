"""Command lines that run in this process or in one of their own."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import segmenter
from segmenter import cli

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Run:
    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        self._monkeypatch = monkeypatch
        self._captured = capsysbinary

    def __call__(self, line: str, stdin: bytes | str = b"") -> Ran:
        """Runs a command line in this process."""
        raw = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            code = cli.main(shlex.split(line))
        except SystemExit as e:
            code = int(e.code or 0)
        got = self._captured.readouterr()
        return Ran(code, got.out.decode("utf-8"), got.err.decode("utf-8"))


def opened(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """``python -m segmenter`` with pipes at both ends."""
    return subprocess.Popen(
        [sys.executable, "-m", "segmenter", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def start(data: Path, *arguments: str, unbuffered: str = "") -> subprocess.Popen[bytes]:
    """Starts ``python -m segmenter`` in a process of its own."""
    root = os.path.dirname(os.path.dirname(segmenter.__file__))
    paths = [root, os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "SEGMENTER_DATA": str(data),
        "PYTHONUNBUFFERED": unbuffered,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    return opened(arguments, environment)
