"""Bounds of a service that listens on loopback, against clients that stall or send too much."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served

if TYPE_CHECKING:
    from pathlib import Path


listens = pytest.mark.skipif(
    sys.platform == "win32" or not (ROOT / "models" / "general.lex").exists(),
    reason="no SIGTERM to stop it with" if sys.platform == "win32" else "the models are not built",
)


def raw(served: Served, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", served.port), timeout=60)
    connection.sendall(data)
    return connection


def rest(connection: socket.socket) -> bytes:
    """All that comes until the service closes the connection."""
    got = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            got += part
    connection.close()
    return got


def post(length: int | str, path: str = "/v1/cut") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode()


def stuck(served: Served) -> socket.socket:
    """A client that asks for more than fits into its connection and does not read it."""
    body = json.dumps({"text": "他" * 50_000}).encode()
    connection = raw(served, post(len(body), "/v1/tokenize") + body)
    connection.recv(1)
    return connection


@listens
def test_clients_that_stall_are_closed() -> None:
    served = Served("--timeout", "0.5", "--limit", "20")
    try:
        # nothing, half a head, a head a byte at a time, half a body, a second head
        silent, half = raw(served), raw(served, b"POST /v1/cut HT")
        body = raw(served, post(10) + b"{")
        second = raw(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
        deaf = stuck(served)
        dripping = raw(served)
        deadline = time.monotonic() + 60
        try:
            while time.monotonic() < deadline:
                dripping.sendall(b"G")
                time.sleep(0.01)
        except OSError:
            pass
        else:
            pytest.fail("a head was taken for a minute")
        dripping.close()
        assert rest(silent) == b""
        assert rest(half) == b""
        got = rest(body)
        assert got.startswith(b"HTTP/1.1 408")
        assert json.loads(got.partition(b"\r\n\r\n")[2])["error"]["code"] == 408
        assert rest(second).startswith(b"HTTP/1.1 200")
        assert not rest(deaf).endswith(b"0\r\n\r\n")
        assert served.post("/v1/cut", text="他说").code == 200
    finally:
        assert served.stop()[0] == 0


@listens
def test_connections_that_say_nothing_keep_nobody_out() -> None:
    served = Served("--limit", "8")
    try:
        idle = [raw(served, data) for data in (b"", b"POST", post(9) + b"{") for _ in range(8)]
        for _ in range(3):
            assert served.post("/v1/cut", text="他说").json == {"words": ["他", "说"]}
        for connection in idle:
            connection.close()
    finally:
        assert served.stop()[0] == 0


@listens
def test_one_request_too_many_gets_503_as_json() -> None:
    served = Served("--limit", "1")
    try:
        deaf = stuck(served)
        for _ in range(20):
            got = served.ask("GET", "/health")
            assert (got.code, got.headers["retry-after"]) == (503, "1")
            assert got.json["error"]["code"] == 503
        deaf.close()
        deadline = time.monotonic() + 60
        while served.ask("GET", "/health").code != 200:
            assert time.monotonic() < deadline
    finally:
        code, err = served.stop()
    assert code == 0
    assert 1 <= err.count("refused a request: 1 are under way") < 10


@listens
def test_a_head_without_end_is_refused() -> None:
    served = Served()
    try:
        connection = raw(served, b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        got = b""
        try:
            for _ in range(1000):
                connection.sendall(b"a: " + b"b" * 10_000 + b"\r\n")
        except OSError:
            pass
        else:
            pytest.fail("ten megabytes of headers were read")
        with suppress(ConnectionResetError):  # it may come while we still send
            got = connection.recv(4096)
        assert got[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
        connection.close()
    finally:
        assert served.stop()[0] == 0


@listens
@pytest.mark.parametrize("chunked", [False, True])
def test_a_long_body_gets_its_413(chunked: bool) -> None:
    served = Served()
    try:
        for path, code in (("/v1/cut", 413), ("/v1/nothing", 404)):
            connection = served.connect()
            parts: Any = b"a" * 5_000_000
            if chunked:
                parts = (b"a" * 50_000 for _ in range(100))
            connection.request("POST", path, parts, encode_chunked=chunked)
            got = connection.getresponse()
            assert got.status == code
            assert json.loads(got.read())["error"]["code"] == code
            connection.close()
    finally:
        assert served.stop()[0] == 0


@listens
def test_grace_is_an_upper_bound() -> None:
    """The answer is not taken, the body not sent, and the time for these is far longer."""
    served = Served("--grace", "0", "--timeout", "10000")
    deaf, half = stuck(served), raw(served, post(9) + b"{")
    code, err = served.stop()  # waits a minute at most
    assert code == 0
    assert err.splitlines()[-1] == "segmenter serve: stopped"
    assert "Traceback" not in err
    deaf.close()
    half.close()


@listens
def test_grace_bounds_work_in_threads_too(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    served = Served("--user", os.fspath(words), "--reload-local", "--grace", "0")
    words.unlink()
    os.mkfifo(words)  # nobody writes to it: whoever reads it waits for ever
    waiting = raw(served, post(0, "/v1/reload"))
    deadline = time.monotonic() + 60
    while b"\nsegmenter_in_flight 1\n" not in served.ask("GET", "/metrics").body:
        assert time.monotonic() < deadline
    code, err = served.stop()
    assert (code, err.splitlines()[-1]) == (0, "segmenter serve: stopped")
    waiting.close()


@listens
def test_reloading_with_the_token(tmp_path: Path) -> None:
    words, secret = tmp_path / "words.tsv", tmp_path / "token"
    words.write_text("说的\n", "utf-8")
    secret.write_text("0123456789abcdef\n", "ascii")
    served = Served("--user", os.fspath(words), "--reload-token", os.fspath(secret), "--no-page")
    try:
        assert served.ask("POST", "/v1/reload").code == 401
        connection = served.connect()
        connection.request("POST", "/v1/reload", headers={"Authorization": "Bearer " + "x" * 16})
        assert connection.getresponse().status == 401
        connection = served.connect()
        right = {"Authorization": "Bearer 0123456789abcdef"}
        connection.request("POST", "/v1/reload", headers=right)
        assert json.loads(connection.getresponse().read())["reloaded"] is False
        assert served.ask("GET", "/").code == 404
    finally:
        assert served.stop()[0] == 0
