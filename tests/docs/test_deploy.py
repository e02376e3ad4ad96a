"""What is in deploy/: options that the command has, and files that their programs read."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
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
    known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert {word for word in command if word.startswith("--")} <= known


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
    done = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
    )
    assert "segmenter.service" not in done.stderr, done.stderr


def listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets")
@pytest.mark.skipif(
    not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
)
def test_behind_nginx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example's proxy hands requests on, and its limits are the service's."""
    pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "serve"))
    from served import Served

    service = Served(
        "--preset", "fast", "--unix", str(tmp_path / "http.sock"),
        "--allow-host", "segmenter.example.com",
    )  # fmt: skip
    site = (DEPLOY / "nginx.conf").read_text("utf-8")
    site = site.replace("/run/segmenter/http.sock", str(tmp_path / "http.sock"))
    site = re.sub(r"listen 443 ssl;", f"listen unix:{tmp_path}/proxy.sock;", site)
    site = re.sub(r"^ *ssl_certificate.*\n", "", site, flags=re.M)
    folders = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(
        f"{user} pid {tmp_path}/pid; daemon off; error_log {tmp_path}/errors; events {{}}\n"
        f"http {{ access_log off; {folders}\n{site} }}\n",
        "utf-8",
    )
    options = ["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    test = subprocess.run([*options, "-t"], capture_output=True, text=True, check=False)
    assert test.returncode == 0, test.stderr
    proxy = subprocess.Popen(options, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not listens(tmp_path / "proxy.sock"):
            assert proxy.poll() is None, (tmp_path / "errors").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        service.path = str(tmp_path / "proxy.sock")
        got = service.post("/v1/cut", text="他说的确实在理")
        assert got.json == {"words": ["他", "说", "的", "确实", "在理"]}
        assert service.post("/v1/cut", text="长" * 400_000).code == 413
        assert service.ask("POST", "/v1/reload").code == 403
    finally:
        proxy.terminate()
        proxy.wait(timeout=60)
        service.stop()
