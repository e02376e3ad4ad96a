"""Several processes on one socket, the application under a server of one's own, Unix sockets."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served

import segmenter as seg
from segmenter.errors import ArgumentError
from segmenter.serve.configuration import VARIABLE, Configuration

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(
        not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
    ),
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM to stop it with"),
]
TEXT = "他说的确实在理"


def counted(service: Served, name: str) -> float:
    text = service.ask("GET", "/metrics").body.decode() if service.port else ""
    match = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
    return float(match[1]) if match else 0.0


def wait(for_what: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not for_what():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_workers_answer_and_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their counters are added up where prometheus_client's variable names a folder."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    service = Served("--preset", "fast", "--workers", "2")
    try:
        for _ in range(40):
            assert service.post("/v1/cut", text=TEXT).json["words"] == seg.load("fast").cut(TEXT)
        name = 'segmenter_requests_total{code="200",path="/v1/cut"}'
        # a worker counts a request after its answer, which another worker's counters may overtake
        wait(lambda: counted(service, name) == 40)
        assert [counted(service, name) for _ in range(8)] == [40.0] * 8
        assert counted(service, "segmenter_characters_total") == 40 * len(TEXT)
        assert counted(service, "segmenter_in_flight") == 0
    finally:
        assert service.stop()[0] == 0


def test_words_are_reloaded_by_every_worker(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    service = Served("--preset", "fast", "--workers", "2", "--user", str(words))
    try:
        refused = service.ask("GET", "/metrics")
        assert (refused.code, refused.json["error"]["code"]) == (501, 501)
        assert service.post("/v1/cut", text="他说的").json["words"] == ["他", "说的"]
        words.write_text("他说的\n", "utf-8")
        service.process.send_signal(signal.SIGHUP)  # uvicorn starts them anew, one by one
        in_a_row = 0

        def all_have_them() -> bool:
            nonlocal in_a_row
            got = service.post("/v1/cut", text="他说的").json["words"]
            in_a_row = in_a_row + 1 if got == ["他说的"] else 0
            return in_a_row == 20

        wait(all_have_them)
    finally:
        assert service.stop()[0] == 0


def test_the_application_under_a_server_of_ones_own(tmp_path: Path) -> None:
    """`uvicorn segmenter.serve:app`, with options from the environment."""
    words, path = tmp_path / "words.tsv", tmp_path / "http.sock"
    words.write_text("说的\n", "utf-8")
    options = {"model": "fast", "load": {"user": [str(words)]}, "page": False, "hosts": ["cut"]}
    command = [sys.executable, "-m", "uvicorn", "segmenter.serve:app", "--uds", str(path)]
    environment = {**os.environ, VARIABLE: json.dumps(options), "PYTHONPATH": str(ROOT)}
    served = Served.__new__(Served)
    served.port, served.path = 0, str(path)
    served.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        wait(path.exists)
        assert served.post("/v1/cut", text=TEXT).json["words"][:2] == ["他", "说的"]
        assert served.ask("GET", "/").code == 404
    finally:
        err = served.stop()[1]
    assert "Traceback" not in err


def test_a_configuration_that_cannot_be() -> None:
    for text, part in (
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ('{"modle": "fast"}', "'modle' is not one of model, load"),
        ('{"limits": {"max": 1}}', "'limits.max' is not one of max_bytes"),
        ('{"model": "fast", "reload": 1}', "no words to reload"),
        ('{"model": "fast", "load": {"oov": "magic"}}', "oov"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(part)):
            Configuration.parse(text).service()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_unix_socket(tmp_path: Path, workers: str) -> None:
    path, words = tmp_path / "http.sock", tmp_path / "words.tsv"
    words.write_text("云计算\n", "utf-8")
    # one that an ended service left behind
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    service = Served(
        "--preset", "fast", "--unix", str(path), "--workers", workers, "--user", str(words),
        *(["--reload-local"] if workers == "1" else []),
    )  # fmt: skip
    try:
        assert f"running on socket {path} " in service.said
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        got = service.post("/v1/cut", text=TEXT)
        assert got.json == {"words": ["他", "说", "的", "确实", "在理"]}
        got = service.post("/v1/cut", text="长" * 100_000)
        assert "".join(got.json["words"]) == "长" * 100_000
        # who connects to a socket is unknown: not a program of this machine's, maybe a proxy
        assert service.ask("POST", "/v1/reload").code == 403
        served = Served.__new__(Served)
        with pytest.raises(AssertionError, match="in use"):
            served.__init__("--preset", "fast", "--unix", str(path))  # type: ignore[misc]
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
