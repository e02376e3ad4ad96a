"""`segmenter serve` as a process of its own, for tests."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any, NamedTuple

from places import ROOT


def send(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any, **options: Any
) -> None:
    """Sends a request; a body that is refused is not read to its end, an answer is there."""
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, path, body, **options)


class Answer(NamedTuple):
    code: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served:
    """A running service; its port is one that was free."""

    def __init__(self, *arguments: str) -> None:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "segmenter", "serve", "--port", "0", *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        self.said = ""  # until it listens
        address = None
        while address is None:
            line = self.process.stderr.readline().decode()
            assert line, self.said
            self.said += line
            address = re.search(r"running on (?:http://[^:/]+:(\d+)|socket (\S+))", line)
        self.port = int(address[1] or 0)
        self.path = address[2]
        deadline = time.monotonic() + 60
        while True:  # its workers may still be starting
            with suppress(OSError), self.socket():
                break
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def socket(self) -> socket.socket:
        """A new connection to it."""
        if not self.path:
            return socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(60)
        connected.connect(self.path)
        return connected

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.sock = self.socket()
        return connection

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """One request; a body that is no bytes goes as JSON."""
        connection = self.connect()
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        send(connection, method, path, raw)
        got = connection.getresponse()
        answer = Answer(got.status, got.read(), {k.lower(): v for k, v in got.getheaders()})
        connection.close()
        return answer

    def post(self, path: str, **fields: Any) -> Answer:
        return self.ask("POST", path, fields)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code, and what it said since it began."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err.decode()
