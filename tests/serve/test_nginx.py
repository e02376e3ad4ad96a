"""deploy/nginx.conf as it stands, in front of the service: what it hands on, and what it bounds."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here"),
    pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets"),
    pytest.mark.skipif(
        not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
    ),
]
long = pytest.mark.skipif(
    "SEGMENTER_SLOW_CLIENTS" not in os.environ,
    reason="a minute of waiting: set SEGMENTER_SLOW_CLIENTS, as .ci/run --full does",
)
NAME = "segmenter.example.com"
#: The times of the configuration, in seconds, and what a busy machine may add.
LIMIT, LATE = 10, 60
GET = f"GET /health HTTP/1.1\r\nHost: {NAME}\r\n".encode()


class Proxy:
    """nginx with the configuration of deploy/, on a free port and with a certificate of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-newkey", "ec",
             "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
             "-keyout", key, "-out", certificate],
            check=True, capture_output=True,
        )  # fmt: skip
        self.tls = ssl.create_default_context(cafile=certificate)
        self.service = Served(
            "--preset", "fast", "--unix", str(folder / "http.sock"), "--allow-host", NAME,
            "--heavy", "1", "--timeout", "60", "--limit", "100",
        )  # fmt: skip
        site = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        for ours, their_header in (
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;"),
            ("/run/segmenter/http.sock", f"{folder}/http.sock"),
            (f"/etc/letsencrypt/live/{NAME}", str(folder)),
        ):
            assert ours in site
            site = site.replace(ours, their_header)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        user = "user root;" if os.geteuid() == 0 else ""
        # workers and their connections as in Debian's nginx.conf
        (folder / "nginx.conf").write_text(
            f"{user} pid {folder}/pid; daemon off; error_log {folder}/errors;\n"
            "worker_processes 2; worker_rlimit_nofile 4096; events { worker_connections 768; }\n"
            f"http {{ access_log off; {folders}\n{site} }}\n",
            "utf-8",
        )
        options = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
        tested = subprocess.run([*options, "-t"], capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stderr
        self.process = subprocess.Popen(options, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LATE
        while True:
            with suppress(OSError), self.connect():
                break
            assert self.process.poll() is None, (folder / "errors").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        """A connection from an address of this machine, without TLS."""
        return socket.create_connection(("127.0.0.1", self.port), LATE, (address, 0))

    def open(self, address: str, sent: bytes = b"", window: int | None = None) -> ssl.SSLSocket:
        plain = self.connect(address)
        if window is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        connection = self.tls.wrap_socket(plain, server_hostname=NAME)
        connection.sendall(sent)
        return connection

    def ask(self, sent: bytes, address: str = "127.0.0.1") -> tuple[int, bytes]:
        """The code and the body of the answer to a request on a connection of its own."""
        got = rest(self.open(address, sent.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)))
        head, _, body = got.partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            body = b"".join(re.split(rb"(?:^|\r\n)[0-9a-f]+\r\n", body))
        return int(head.split()[1]), body

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=LATE)
        assert self.service.stop()[0] == 0


def rest(connection: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    got = b""
    with suppress(ConnectionResetError, ssl.SSLError), connection:
        while part := connection.recv(1 << 16):
            got += part
    return got


def post(path: str, **fields: object) -> bytes:
    body = json.dumps(fields, ensure_ascii=False).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    proxy = Proxy(tmp_path_factory.mktemp("nginx"))
    yield proxy
    proxy.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_what_is_handed_on(proxy: Proxy) -> None:
    code, body = proxy.ask(post("/v1/cut", text="他说的确实在理"))
    assert (code, json.loads(body)) == (200, {"words": ["他", "说", "的", "确实", "在理"]})
    code, body = proxy.ask(post("/v1/cut", text="长" * 100_000))
    assert (code, "".join(json.loads(body)["words"])) == (200, "长" * 100_000)
    assert proxy.ask(post("/v1/reload"))[0] == 403
    assert proxy.ask(post("/v1/reload"), "127.0.0.2")[0] == 403
    assert proxy.ask(GET.replace(b"/health", b"/metrics") + b"\r\n")[0] == 200
    assert proxy.ask(GET.replace(b"/health", b"/metrics") + b"\r\n", "127.0.0.2")[0] == 403


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (post("/v1/cut", text="长" * 400_000), 413),
        (GET + b"a: " + b"b" * 100_000 + b"\r\n\r\n", 400),
        (GET + (b"a: " + b"b" * 1000 + b"\r\n") * 100 + b"\r\n", 400),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET /health HTTQ/1.1\r\n\r\n", 400),
    ],
)
def test_what_is_refused(proxy: Proxy, sent: bytes, code: int) -> None:
    connection = proxy.open("127.0.0.3")
    with suppress(OSError):  # it may be closed before all is sent
        connection.sendall(sent)
    head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert int(head.split()[1]) == code
    is_http = sent.partition(b"\r\n")[0].endswith(b"HTTP/1.1") and code != 414
    assert not is_http or json.loads(body)["error"]["code"] == code


@long
def test_slow_and_silent_clients_are_closed_and_hold_nobody_up(proxy: Proxy) -> None:
    """Without a word, in TLS, in a head, in a body, before a second request, and deaf to an answer;
    meanwhile the service, which computes one long request at a time, answers others."""
    started = time.monotonic()
    slow = "127.0.0.4"
    silent: list[socket.socket] = [
        proxy.connect(slow),
        proxy.open(slow),
        proxy.open(slow, b"POST /v1/cut HT"),
        proxy.open(slow, post("/v1/cut", text="他")[:-3]),
        proxy.open(slow, GET + b"\r\n"),
    ]
    dripping = proxy.open(slow)
    large = post("/v1/tokenize", text="他" * 50_000)  # its answer does not fit into the connection
    deaf = [proxy.open(slow, large, window=4096) for _ in range(3)]
    for connection in deaf:
        assert connection.recv(1)
    code, body = proxy.ask(large)
    assert (code, len(json.loads(body)["tokens"])) == (200, 50_000)
    assert proxy.ask(post("/v1/cut", text="他说"))[0] == 200
    with suppress(OSError):  # a byte of a head at a time
        while time.monotonic() < started + LATE:
            dripping.sendall(b"G")
            time.sleep(0.05)
    assert time.monotonic() < started + LATE
    for connection in silent:
        got = rest(connection)
        assert not got or got.startswith((b"HTTP/1.1 200", b"HTTP/1.1 408"))
    assert time.monotonic() > started + LIMIT - 1
    for connection in deaf:  # reset, which can be seen without reading
        closing = select.poll()
        closing.register(connection, 0)
        assert closing.poll(LATE * 1000)
        connection.close()


@long
def test_a_thousand_connections(proxy: Proxy) -> None:
    """Of one client that is silent, and of one that asks on all of them: others are answered."""
    with ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(proxy.connect("127.0.0.5"))
        for _ in range(20):
            assert proxy.ask(post("/v1/cut", text="他说"), "127.0.0.6")[0] == 200
    with ExitStack() as stack:
        get = GET + b"\r\n"
        asking = [stack.enter_context(proxy.open("127.0.0.7", get)) for _ in range(1000)]
        codes = [connection.recv(12)[9:] for connection in asking]
        assert proxy.ask(post("/v1/cut", text="他说"), "127.0.0.8")[0] == 200
    assert set(codes) <= {b"200", b"429"}
    assert codes.count(b"200") >= 100


def test_more_requests_at_once_than_an_address_may_have(proxy: Proxy) -> None:
    with ExitStack() as stack:
        half = post("/v1/cut", text="他")[:-3]
        for _ in range(64):
            stack.enter_context(proxy.open("127.0.0.9", half))
        code, body = proxy.ask(GET + b"\r\n", "127.0.0.9")
        assert (code, json.loads(body)["error"]["code"]) == (429, 429)
        assert proxy.ask(GET + b"\r\n", "127.0.0.10")[0] == 200
