"""``python -m eval.servers``: the service under three servers, against clients that misbehave.

Runs the ASGI application of the service under uvicorn, hypercorn and granian, each with those of
its own limits that come closest to ``segmenter serve``, and ``segmenter serve`` itself; every probe
is one misbehaving client on loopback, or a crowd of them, and waits for a few seconds at most.
Needs ``pip install hypercorn granian``.
Results: ``eval/results/servers.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Seconds of every limit, and how long a probe waits for a server to act on it.
LIMIT, WAIT = 2, 8
#: Seconds to finish after SIGTERM.
GRACE = 1
#: Connections, and the crowd that comes at once.
PLACES, CROWD = 50, 150

_APP = "eval.servers:app"
SERVERS: dict[str, Sequence[str]] = {
    "uvicorn": (
        "-m", "uvicorn", _APP, "--port", "PORT", "--http", "httptools", "--log-level", "warning",
        "--limit-concurrency", f"{PLACES}", "--timeout-keep-alive", f"{LIMIT}",
        "--timeout-graceful-shutdown", f"{GRACE}",
    ),
    "hypercorn": (
        "-m", "hypercorn", _APP, "-b", "127.0.0.1:PORT", "--read-timeout", f"{LIMIT}",
        "--keep-alive", f"{LIMIT}", "--graceful-timeout", f"{GRACE}", "--log-level", "WARNING",
    ),
    "granian": (
        "-m", "granian", "--interface", "asgi", _APP, "--port", "PORT", "--http", "1", "--no-ws",
        "--backpressure", f"{PLACES}", "--backlog", "1024", "--log-level", "warning",
        "--http1-header-read-timeout", f"{LIMIT * 1000}", "--workers-kill-timeout", f"{GRACE}",
        "--http1-buffer-size", "65536", "--respawn-failed-workers",
    ),
    "segmenter serve": (
        "-m", "segmenter", "serve", "--preset", "fast", "--port", "PORT", "--limit", f"{PLACES}",
        "--timeout", f"{LIMIT}", "--grace", f"{GRACE}",
    ),
}  # fmt: skip

_GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@cache
def _application() -> Any:
    from segmenter import load
    from segmenter.serve.limits import Limits
    from segmenter.serve.service import Service, application

    return application(Service(load("fast"), limits=Limits(connections=PLACES, seconds=LIMIT)))


async def app(scope: Any, receive: Any, send: Any) -> None:
    """The service, made in the server's process when it first calls."""
    await _application()(scope, receive, send)


@contextmanager
def serving(command: Sequence[str], *more: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A running server: its port and process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    line = [sys.executable, *(part.replace("PORT", str(port)) for part in command), *more]
    with subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=common.ROOT
    ) as process:
        try:
            until = time.monotonic() + 60
            while status(exchange(port, _GET + b"\r\n")) != "200":
                if time.monotonic() > until:
                    raise RuntimeError(f"{command[1]} did not start")
                time.sleep(0.1)
            yield port, process
        finally:
            process.kill()


def connect(port: int, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
    if data:
        connection.sendall(data)
    return connection


def rest(connection: socket.socket, seconds: float = WAIT) -> bytes | None:
    """What comes until the server closes; None: it does not."""
    got = b""
    until = time.monotonic() + seconds
    try:
        while (left := until - time.monotonic()) > 0:
            connection.settimeout(left)
            part = connection.recv(1 << 16)
            if not part:
                return got
            got += part
    except TimeoutError:
        return None
    except OSError:
        return got
    finally:
        connection.close()
    return None


def exchange(port: int, data: bytes) -> bytes:
    """What a client gets that sends ``data`` and then no more."""
    try:
        connection = connect(port, data)
        connection.shutdown(socket.SHUT_WR)
        return rest(connection) or b""
    except OSError:
        return b""


def status(got: bytes) -> str:
    """The status of the first answer, and whether its error is JSON."""
    if not got:
        return "no answer"
    code = got[9:12].decode("latin-1")
    if code == "200":
        return code
    return f"{code}, " + ("JSON" if b'{"error"' in got else "no JSON")


def post(body: bytes, path: bytes = b"/v1/cut", more: bytes = b"") -> bytes:
    head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
    return head + b"%d\r\n" % len(body) + more + b"\r\n" + body


def text(length: int) -> bytes:
    return json.dumps({"text": "他" * length}, ensure_ascii=False).encode()


# --- probes --------------------------------------------------------------------------------------


def dripping(port: int, start: bytes, drop: bytes) -> str:
    connection = connect(port, start)
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        try:
            connection.sendall(drop)
        except OSError:
            return "closed"
        time.sleep(0.05)
    connection.close()
    return "kept open"


def silent(port: int) -> str:
    return "kept open" if rest(connect(port)) is None else "closed"


def deaf(port: int) -> str:
    """Asks for megabytes and reads none of them."""
    connection = connect(port, post(text(90_000), b"/v1/tokenize"))
    time.sleep(WAIT)
    got = rest(connection, 2)
    return "kept open" if got is None or got.endswith(b"0\r\n\r\n") else "closed"


def kept_out(port: int) -> str:
    """A request beside connections that say nothing."""
    idle = [connect(port) for _ in range(PLACES)]
    connection = connect(port, _GET + b"Connection: close\r\n\r\n")
    got = rest(connection, LIMIT / 2)
    for one in idle:
        one.close()
    return "waits" if got is None else status(got)


def crowd(port: int) -> str:
    """Many long requests at once."""
    connections = []
    for _ in range(CROWD):
        with suppress(OSError):
            connections.append(connect(port))
    for connection in connections:
        with suppress(OSError):
            connection.sendall(post(text(2500), b"/v1/tokenize"))
    codes: dict[str, int] = {}
    for connection in connections:
        try:
            code = connection.recv(12)[9:].decode("latin-1") or "closed"
        except TimeoutError:
            code = "waits"
        except OSError:
            code = "closed"
        codes[code] = codes.get(code, 0) + 1
        connection.close()
    return ", ".join(f"{count} × {code}" for code, count in sorted(codes.items()))


def two_lengths(port: int) -> str:
    inner = b"0\r\n\r\n" + _GET + b"\r\n"
    got = exchange(port, post(inner, more=b"Transfer-Encoding: chunked\r\n"))
    return f"{status(got)}; answers: {len(re.findall(rb'HTTP/1.1 [0-9]', got))}"


def stopping(port: int, process: subprocess.Popen[bytes]) -> str:
    """What a client with half a body gets when the server stops, and whether it stops in time."""
    connection = connect(port, post(text(9))[:-5])
    time.sleep(0.3)
    process.terminate()
    began = time.monotonic()
    try:
        process.wait(GRACE + WAIT)
        ended = "in time" if time.monotonic() - began < GRACE + 2 else "late"
    except subprocess.TimeoutExpired:
        ended = "not"
    got = rest(connection, 2)
    return f"ends {ended}; the client: {status(got or b'')}"


def children(process: int) -> set[int]:
    found = subprocess.run(
        ["ps", "--ppid", str(process), "-o", "pid=,args="],
        capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    rows = (row.split(maxsplit=1) for row in found.splitlines())
    return {int(pid) for pid, line in rows if "resource_tracker" not in line}


def soon(done: Callable[[], bool]) -> bool:
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        if done():
            return True
        time.sleep(0.1)
    return False


def worker_killed(port: int, process: subprocess.Popen[bytes]) -> str:
    workers = children(process.pid)
    os.kill(min(workers), signal.SIGKILL)
    again = soon(lambda: len(children(process.pid) - {min(workers)}) == len(workers))
    return "replaced" if again else "not replaced"


def supervisor_killed(port: int, process: subprocess.Popen[bytes]) -> str:
    workers = children(process.pid)
    process.kill()
    process.wait()

    def gone() -> bool:
        return not any(
            os.path.exists(f"/proc/{worker}/exe") and _lives(worker) for worker in workers
        )

    ended = soon(gone)
    for worker in workers:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    return "workers end" if ended else "workers stay"


def _lives(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def memory(port: int, process: subprocess.Popen[bytes]) -> str:
    """Of the processes together, what is shared counted once."""
    total = 0
    for one in {process.pid, *children(process.pid)}:
        with open(f"/proc/{one}/smaps_rollup", encoding="ascii") as file:
            found = re.search(r"^Pss: +(\d+) kB", file.read(), re.M)
        total += int(found[1]) if found else 0
    return f"{total / 1024:.0f} MB"


#: Probes of a server with one process, and of one with two.
ONE: dict[str, Callable[[int], str]] = {
    "a connection that says nothing": silent,
    "a head, 20 bytes a second": lambda port: dripping(port, _GET + b"a: ", b"b"),
    "a body, 20 bytes a second": lambda port: dripping(port, post(b" " * 9999)[:-9990], b" "),
    "an answer that nobody takes": deaf,
    f"a request beside {PLACES} silent connections": kept_out,
    f"{CROWD} long requests at once": crowd,
    "a head of 100,000 bytes": lambda port: status(
        exchange(port, _GET + b"a: " + b"b" * 100_000 + b"\r\n\r\n")
    ),
    "not HTTP": lambda port: status(exchange(port, b"\x16\x03\x01\x02\x00" * 20 + b"\r\n\r\n")),
    "Content-Length with Transfer-Encoding": two_lengths,
    "a long text, and the sending side closed": lambda port: status(
        exchange(port, post(text(5000)))
    ),
}
TWO: dict[str, Callable[[int, subprocess.Popen[bytes]], str]] = {
    "memory of two workers, fast": memory,
    "a worker is killed": worker_killed,
    "the supervisor is killed": supervisor_killed,
}


_CONCLUSION = """
`segmenter serve` is uvicorn with a protocol of ours around its own
(`segmenter/serve/connections.py`) and workers that are forked (`segmenter/serve/processes.py`).
What the others would need to be smaller:

- **uvicorn** alone has no limit for a head, for its size or for an answer that is not taken; its
  limit of connections lets silent ones keep everybody out. It takes a protocol class from its
  caller, which the other two do not, so what is missing is added in one place. Its workers load
  everything again, and outlive their supervisor if that is killed.
- **hypercorn** has a limit for reading, and refuses long heads; it has no limit of connections,
  answers a request with two lengths twice (h11 keeps the connection open), and does not replace a
  worker that died.
- **granian** has a limit for heads and holds back what is too much without refusing it, so silent
  connections make everybody wait for that limit. A half-closed connection gets no answer, an
  answer that is not taken is held for ever, and a head longer than its buffer was answered in one
  run and dropped without an answer in another.
"""


def probe(command: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    with serving(command) as (port, process):
        for name, one in ONE.items():
            found[name] = one(port)
            time.sleep(0.3)
        found["SIGTERM with half a body"] = stopping(port, process)
    for name, two in TWO.items():
        with serving(command, "--workers", "2") as (port, process):
            time.sleep(3)  # both are there
            found[name] = two(port, process)
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(WAIT)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print, write no file")
    given = parser.parse_args(arguments)
    found = {name: probe(command) for name, command in SERVERS.items()}
    rows = [
        (name, *(found[server][name] for server in found)) for name in next(iter(found.values()))
    ]
    about = common.facts(("uvicorn", "httptools", "hypercorn", "h11", "granian", "starlette"))
    report = (
        common.heading("Servers for the service", about, "python -m eval.servers")
        + "\nThe application of the service under each server, with limits of "
        f"{LIMIT} seconds and\n{PLACES} connections where it has such limits; "
        f"a probe waits {WAIT} seconds.\n\n"
        + common.table(("client or event", *found), rows)
        + _CONCLUSION
    )
    print(report)
    if not given.dry:
        common.write("servers", report, {**about, "found": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
