"""What `segmenter serve` bounds by itself, and how it stops; its proxy is in `test_nginx.py`."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served, send

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.skipif(
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


@pytest.fixture(scope="module")
def plain() -> Iterator[Served]:
    service = Served("--preset", "fast")
    yield service
    assert service.stop()[0] == 0


def test_two_lengths_of_a_body_are_refused(plain: Served) -> None:
    """What is a body to a proxy that believes the one must not be a request to us."""
    body = b"0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for fields in (
        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n" % len(body),
        b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n" % len(body),
        b"Content-Length: 5\r\nContent-Length: %d\r\n" % len(body),
    ):
        head = b"POST /v1/cut HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n"
        connection = raw(plain, head + body)
        connection.shutdown(socket.SHUT_WR)
        got = rest(connection)
        assert got.startswith(b"HTTP/1.1 400")
        assert got.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("chunked", [False, True])
def test_a_long_body_gets_its_413(plain: Served, chunked: bool) -> None:
    for path, code in (("/v1/cut", 413), ("/v1/nothing", 404)):
        connection = plain.connect()
        parts: Any = b"a" * 5_000_000
        if chunked:
            parts = (b"a" * 50_000 for _ in range(100))
        send(connection, "POST", path, parts, encode_chunked=chunked)
        got = connection.getresponse()
        assert got.status == code
        assert json.loads(got.read())["error"]["code"] == code
        connection.close()


def test_one_connection_too_many_gets_503() -> None:
    served = Served("--preset", "fast", "--limit", "3")
    try:
        connections = [raw(served) for _ in range(3)]
        assert served.ask("GET", "/health").code == 503
        for connection in connections:
            connection.close()
        deadline = time.monotonic() + 60
        while served.ask("GET", "/health").code != 200:
            assert time.monotonic() < deadline
    finally:
        assert served.stop()[0] == 0


def test_the_access_log_has_times_and_nothing_else() -> None:
    served = Served("--preset", "fast", "--access-log")
    assert served.ask("GET", "/health?a=b").code == 200
    served.process.send_signal(signal.SIGTERM)
    printed, err = served.process.communicate(timeout=60)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} 127\.0\.0\.1:\d+ - "
        r'"GET /health\?a=b HTTP/1\.1" 200\n',
        printed.decode(),
    )
    assert all(line.startswith("segmenter serve: ") for line in err.decode().splitlines())


@pytest.mark.parametrize(
    ("host", "says"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)]
)
def test_an_address_that_others_reach_wants_a_proxy(host: str, says: bool) -> None:
    served = Served("--preset", "fast", "--host", host)
    assert served.stop()[0] == 0
    assert ("put a proxy in front of it" in served.said) == says


def test_grace_is_an_upper_bound() -> None:
    """The answer is not taken, and the body not sent."""
    served = Served("--grace", "0")
    body = json.dumps({"text": "他" * 50_000}).encode()
    deaf = raw(served, post(len(body), "/v1/tokenize") + body)
    deaf.recv(1)
    half = raw(served, post(9) + b"{")
    assert served.stop()[0] == 0  # waits a minute at most
    deaf.close()
    half.close()


def test_grace_bounds_work_in_threads_too(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    served = Served("--user", os.fspath(words), "--reload-local", "--grace", "0")
    words.unlink()
    os.mkfifo(words)  # nobody writes to it: whoever reads it waits for ever
    waiting = raw(served, post(0, "/v1/reload"))
    deadline = time.monotonic() + 60
    while b"\nsegmenter_in_flight 1.0\n" not in served.ask("GET", "/metrics").body:
        assert time.monotonic() < deadline
    assert served.stop()[0] == 0
    waiting.close()


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
