"""Several processes on one socket, and Unix sockets."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served

import segmenter as seg

pytestmark = [
    pytest.mark.skipif(
        not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
    ),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here"),
]
TEXT = "他说的确实在理"


def children(process: int) -> list[int]:
    found = subprocess.run(
        ["ps", "--ppid", str(process), "-o", "pid="], capture_output=True, text=True, check=False
    )
    return [int(row) for row in found.stdout.split()]


def counted(service: Served, name: str) -> float:
    text = service.ask("GET", "/metrics").body.decode() if service.port else ""
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
    return float(found[1]) if found else 0.0


def wait(for_what: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not for_what():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_counters_are_the_services() -> None:
    """Whichever worker is asked, and after one of them was killed."""
    service = Served("--preset", "fast", "--workers", "2")
    try:
        assert " in 2 processes" in service.said
        wait(lambda: len(children(service.process.pid)) == 2)
        # a connection per request: the workers take turns as they come
        for _ in range(40):
            assert service.post("/v1/cut", text=TEXT).json["words"] == seg.load("fast").cut(TEXT)
        name = 'segmenter_requests_total{code="200",path="/v1/cut"}'
        assert [counted(service, name) for _ in range(8)] == [40.0] * 8
        assert counted(service, "segmenter_characters_total") == 40 * len(TEXT)
        fingerprint = seg.load("fast").fingerprint
        assert counted(service, f'segmenter_info{{fingerprint="{fingerprint}"}}') == 2
        killed = children(service.process.pid)[0]
        os.kill(killed, signal.SIGKILL)
        wait(lambda: len(set(children(service.process.pid)) - {killed}) == 2)
        for _ in range(20):
            assert service.post("/v1/cut", text=TEXT).code == 200
        assert counted(service, name) == 60
        assert counted(service, "segmenter_in_flight") == 0
    finally:
        code, err = service.stop()
    assert code == 0
    assert f"worker {killed} was ended by signal 9" in err
    assert err.endswith("stopped\n")


def test_all_workers_reload(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    service = Served("--preset", "fast", "--workers", "2", "--user", str(words), "--reload-local")
    try:
        words.write_text("他说的\n", "utf-8")
        assert service.ask("POST", "/v1/reload").json["reloaded"] is True
        wait(lambda: counted(service, "segmenter_reloads_total") == 2)
        for _ in range(20):
            assert service.post("/v1/cut", text="他说的").json["words"] == ["他说的"]
        words.write_text("他说\n", "utf-8")
        service.process.send_signal(signal.SIGHUP)
        wait(lambda: counted(service, "segmenter_reloads_total") == 4)
        for _ in range(20):
            assert service.post("/v1/cut", text="他说的").json["words"] == ["他说", "的"]
        # one that takes the place of another has the words of the others
        killed = children(service.process.pid)
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        wait(lambda: len(set(children(service.process.pid)) - set(killed)) == 2)
        wait(lambda: counted(service, "segmenter_reloads_total") == 6)
        for _ in range(20):
            assert service.post("/v1/cut", text="他说的").json["words"] == ["他说", "的"]
    finally:
        assert service.stop()[0] == 0


def test_workers_end_with_the_process_that_watches_them() -> None:
    service = Served("--preset", "fast", "--workers", "2")
    wait(lambda: len(children(service.process.pid)) == 2)
    assert service.post("/v1/cut", text=TEXT).code == 200
    workers = children(service.process.pid)
    service.process.kill()
    service.process.communicate()

    def gone(process: int) -> bool:
        status = Path(f"/proc/{process}/stat")
        try:
            return status.read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    if sys.platform == "linux":
        wait(lambda: all(map(gone, workers)))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_unix_socket(tmp_path: Path, workers: str) -> None:
    path, words = tmp_path / "http.sock", tmp_path / "words.tsv"
    words.write_text("云计算\n", "utf-8")
    # one that an ended service left behind
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    # its timer of a head must not cut off a request that came in time
    service = Served(
        "--preset", "fast", "--unix", str(path), "--workers", workers, "--timeout", "1",
        "--reload-local", "--user", str(words),
    )  # fmt: skip
    try:
        assert service.said.startswith(f"segmenter serve: unix:{path} answers")
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        got = service.post("/v1/cut", text=TEXT)
        assert got.json == {"words": ["他", "说", "的", "确实", "在理"]}
        got = service.post("/v1/cut", text="长" * 100_000)
        assert "".join(got.json["words"]) == "长" * 100_000
        # who connects to a socket is unknown: not a program of this machine's, maybe a proxy
        assert service.ask("POST", "/v1/reload").code == 403
        with service.socket() as silent:
            assert silent.recv(1) == b""  # closed after --timeout
        taken = Served.__new__(Served)
        with pytest.raises(AssertionError, match="in use"):
            taken.__init__("--preset", "fast", "--unix", str(path))  # type: ignore[misc]
    finally:
        code, _ = service.stop()
    assert code == 0
    assert not path.exists()
    path.write_text("mine")
    with pytest.raises(AssertionError, match="in use"):
        Served("--preset", "fast", "--unix", str(path))
    assert path.read_text() == "mine"


def test_options_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="--workers: 0 is not 1 or more"):
        Served("--workers", "0")
    with pytest.raises(AssertionError, match="no/such"):
        Served("--preset", "fast", "--unix", str(tmp_path / "no/such/http.sock"))
