"""What is in deploy/: options that the command has, and files that their programs read."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter.cli import main

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = ROOT / "deploy"


def commands() -> list[list[str]]:
    """The commands `segmenter serve …` in those files."""
    docker = (DEPLOY / "Dockerfile").read_text("utf-8")
    parts = [re.findall(rf"^{name} (\[.*\])$", docker, re.M) for name in ("ENTRYPOINT", "CMD")]
    joined = [word for found in parts for word in re.findall(r'"(.*?)"', found[0])]
    unit = (DEPLOY / "segmenter.service").read_text("utf-8")
    (start,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    return [joined, shlex.split(start)]


@pytest.mark.parametrize("command", commands(), ids=["Dockerfile", "systemd"])
def test_options_are_the_commands(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command[0].endswith("/bin/segmenter")
    with pytest.raises(SystemExit):
        main([*command[1:], "--help"])
    options = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert {word for word in command if word.startswith("--")} <= options


def test_the_script_has_the_steps_of_the_image() -> None:
    docker = (DEPLOY / "Dockerfile").read_text("utf-8")
    script = (DEPLOY / "try-image").read_text("utf-8")
    assert "pip install --no-cache-dir '.[serve]'" in docker
    assert "pip\" install --quiet --no-cache-dir '.[serve]'" in script
    for word in ("--host", "0.0.0.0", "--workers", "2"):
        assert word in docker
        assert word in script
    assert subprocess.run(["bash", "-n", DEPLOY / "try-image"], check=False).returncode == 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_the_unit_is_one(tmp_path: Path) -> None:
    unit = (DEPLOY / "segmenter.service").read_text("utf-8")
    program = tmp_path / "segmenter"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    copy = tmp_path / "segmenter.service"
    copy.write_text(unit.replace("/opt/segmenter/bin/segmenter", str(program)), "utf-8")
    result = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
    )
    assert "segmenter.service" not in result.stderr, result.stderr
