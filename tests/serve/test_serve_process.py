"""Bounds of a service that listens on loopback, against clients that stall or send too much."""

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
from served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def timeouts(served: Served) -> int:
    """How many connections were closed because a client took too long."""
    text = served.ask("GET", "/metrics").body.decode()
    found = re.search(r'connections_closed_total{reason="timeout"} (\d+)', text)
    return int(found[1]) if found else 0


@listens
def test_clients_that_stall_are_closed() -> None:
    served = Served("--timeout", "0.5", "--limit", "20")
    try:
        # nothing, half a head, a head a byte at a time, half a body, a second head
        silent, half = raw(served), raw(served, b"POST /v1/cut HT")
        body = raw(served, post(10) + b"{")
        second = raw(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
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
        before = timeouts(served)
        deaf = stuck(served)
        while timeouts(served) == before:
            assert time.monotonic() < deadline + 60
            time.sleep(0.05)
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


def answers(got: bytes) -> list[tuple[int, Any]]:
    """The codes and JSON values of answers with a length, one after another."""
    found = []
    while got:
        head, _, rest = got.partition(b"\r\n\r\n")
        fields = dict(row.lower().split(b": ", 1) for row in head.split(b"\r\n")[1:])
        length = int(fields[b"content-length"])
        assert fields[b"content-type"] == b"application/json"
        found.append((int(head.split()[1]), json.loads(rest[:length])))
        got = rest[length:]
    return found


@pytest.fixture(scope="module")
def plain() -> Iterator[Served]:
    service = Served("--preset", "fast", "--timeout", "60")
    yield service
    assert service.stop()[0] == 0


FIELD = b"a: " + b"b" * 992 + b"\r\n"  # 997 bytes
GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@listens
@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (GET + FIELD * 60 + b"\r\n", 200),
        (GET + FIELD * 100 + b"\r\n", 431),
        (GET + b"a: " + b"b" * 100_000 + b"\r\n\r\n", 431),
        (GET + FIELD * 200 + b"\r\n", 431),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", 431),
        (GET + FIELD * 10_000, 431),  # without end
        (GET + b"a: " + b"b" * 1_000_000, 431),
        (b"GET /health HTTQ/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00" * 100, 400),  # TLS
    ],
)
def test_a_head_that_is_refused_is_answered_in_json(plain: Served, sent: bytes, code: int) -> None:
    connection = raw(plain, sent)
    connection.shutdown(socket.SHUT_WR)
    ((got, body),) = answers(rest(connection))
    assert got == code
    assert code == 200 or body["error"]["code"] == code
    # a long head in the same packets as the request before it
    connection = raw(plain, GET + b"\r\n" + sent)
    connection.shutdown(socket.SHUT_WR)
    assert [code for code, _ in answers(rest(connection))] == [200, code]


@listens
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
        ((code, _),) = answers(rest(connection))
        assert code == 400


@listens
@pytest.mark.parametrize("length", [10, 5000, 100_000])
def test_a_client_that_sends_no_more_still_gets_its_answer(plain: Served, length: int) -> None:
    body = json.dumps({"text": "他" * length}, ensure_ascii=False).encode()
    connection = raw(plain, post(len(body)) + body)
    connection.shutdown(socket.SHUT_WR)
    got = rest(connection)
    assert got.startswith(b"HTTP/1.1 200")
    assert got.count("他".encode()) == length
    # and one that left in the middle of its body gets none
    connection = raw(plain, post(len(body)) + body[:-1])
    connection.shutdown(socket.SHUT_WR)
    assert rest(connection) == b""


@listens
def test_a_body_that_breaks_off_in_nonsense(plain: Served) -> None:
    head = b"POST /v1/cut HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection = raw(plain, head + b"3\r\n{  \r\nno length\r\n")
    connection.shutdown(socket.SHUT_WR)
    ((code, body),) = answers(rest(connection))
    assert (code, body["error"]["message"]) == (400, "the request is not valid HTTP/1.1")


@listens
def test_clients_that_drip_are_closed() -> None:
    """A byte at a time, often enough for any limit on silence: the whole has a time."""
    served = Served("--preset", "fast", "--timeout", "1")
    try:
        body = json.dumps({"text": "他" * 50_000}).encode()
        head, slow = raw(served, GET + b"a: "), raw(served, post(10_000) + b"{")
        sipping = socket.socket()
        sipping.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sipping.connect(("127.0.0.1", served.port))
        sipping.sendall(post(len(body), "/v1/tokenize") + body)
        dripping = {head: b"a", slow: b" "}
        deadline = time.monotonic() + 60
        sips = 0
        while (dripping or timeouts(served) < 2) and time.monotonic() < deadline:
            for connection in list(dripping):
                try:
                    connection.sendall(dripping[connection])
                except OSError:
                    del dripping[connection]
            sips += len(sipping.recv(1))
            time.sleep(0.02)
        assert not dripping, "a client that drips was listened to for a minute"
        assert sips < 1000
        got = rest(slow)
        assert got == b"" or answers(got)[0][0] == 408
        assert not rest(sipping).endswith(b"0\r\n\r\n")
        assert timeouts(served) >= 2
    finally:
        assert served.stop()[0] == 0


@listens
@pytest.mark.parametrize("path", ["/v1/cut", "/v1/tokenize"])
def test_a_crowd_at_once(path: str) -> None:
    """More connections than places, opened together: each gets an answer, and is counted."""
    served = Served("--preset", "fast", "--limit", "50", "--heavy", "1")
    crowd = 200
    text = "他说的确实在理" * (1 if path == "/v1/cut" else 200)
    body = json.dumps({"text": text}, ensure_ascii=False).encode()
    try:
        connections = [raw(served) for _ in range(crowd)]
        for connection in connections:
            with suppress(OSError):  # refused before it asked
                connection.sendall(post(len(body), path) + body)
        codes = []
        for connection in connections:
            connection.settimeout(60)
            got = connection.recv(12)
            assert got.startswith(b"HTTP/1.1 "), got
            codes.append(int(got[9:]))
        for connection in connections:
            connection.close()
        assert set(codes) <= {200, 503}
        assert codes.count(200) >= 50
        metrics = served.ask("GET", "/metrics").body.decode()
        refused = sum(
            float(count)
            for count in re.findall(
                r'^segmenter_(?:connections_closed_total\{reason="limit"\}'
                r'|requests_total\{code="503",path="[^"]*"\}) (\S+)$',
                metrics, re.M,
            )
        )  # fmt: skip
        assert refused >= codes.count(503)
    finally:
        code, err = served.stop()
    assert code == 0
    assert codes.count(503) == 0 or "(--limit)" in err


@listens
def test_the_end_of_the_grace_period_is_said_in_json() -> None:
    served = Served("--preset", "fast", "--grace", "1", "--timeout", "1000")
    stuck_body = raw(served, post(9) + b"{")
    deadline = time.monotonic() + 60
    while b"\nsegmenter_in_flight 1.0\n" not in served.ask("GET", "/metrics").body:
        assert time.monotonic() < deadline
    code, err = served.stop()
    assert code == 0
    assert "segmenter serve: requests cut off when --grace ended: 1\n" in err
    ((code, body),) = answers(rest(stuck_body))
    assert (code, body["error"]["message"]) == (503, "the service is stopping")


@listens
def test_the_access_log_has_times_and_nothing_else() -> None:
    served = Served("--preset", "fast", "--access-log")
    assert served.ask("GET", "/health?a=b").code == 200
    served.process.send_signal(signal.SIGTERM)
    out, err = served.process.communicate(timeout=60)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} 127\.0\.0\.1:\d+ - "
        r'"GET /health\?a=b HTTP/1\.1" 200\n',
        out.decode(),
    )
    assert err.decode() == "segmenter serve: stopped\n"


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
    while b"\nsegmenter_in_flight 1.0\n" not in served.ask("GET", "/metrics").body:
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
