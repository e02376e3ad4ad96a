"""``python -m eval.service``: load on the service over loopback, by wrk.

Starts ``segmenter serve`` and lets ``wrk`` (a load generator, the Debian package of that name) keep
1, 16, 128 and 1,000 connections busy, a few seconds per kind of request, with one worker and two.
Server and wrk share the machine, so these are what the service does beside its load generator.
Results: ``eval/results/service.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONNECTIONS = (1, 16, 128, 1000)
WORKERS = (1, 2)
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


class Load(NamedTuple):
    """A kind of request: how many characters one has, and its body (None: a GET)."""

    name: str
    path: str
    characters: int
    body: dict[str, Any] | None


class Row(NamedTuple):
    """What came of one kind of request."""

    workers: int
    connections: int
    name: str
    characters: int
    requests_a_second: float
    median_ms: float
    p99_ms: float
    faults: int


def loads(lines: Sequence[str]) -> list[Load]:
    """The kinds of requests, made of lines of running text."""
    text = "".join(lines)
    sentence = "他说的确实在理"
    line = text[:40]
    return [
        Load("GET /health", "/health", 0, None),
        Load("cut, a sentence", "/v1/cut", len(sentence), {"text": sentence}),
        Load("cut, a page", "/v1/cut", 2000, {"text": text[:2000]}),
        Load(
            "cut_batch, 100 lines",
            "/v1/cut_batch",
            sum(map(len, lines[:100])),
            {"texts": list(lines[:100])},
        ),
        Load("tokenize, a line", "/v1/tokenize", len(line), {"text": line}),
    ]


def measure(
    load: Load, port: int, seconds: int, folder: Path, workers: int, connections: int
) -> Row:
    """Keeps that many connections busy with one kind of request."""
    script = folder / "request.lua"
    lines = []
    if load.body is not None:
        body = json.dumps(load.body, ensure_ascii=False)
        lines = ['wrk.method = "POST"', 'wrk.headers["Content-Type"] = "application/json"']
        lines.append(f"wrk.body = [==[{body}]==]")
    script.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [
            *("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"),
            "--timeout=20s",
            *("-s", str(script), f"http://127.0.0.1:{port}{load.path}"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return parse(load, done.stdout, workers, connections)


def parse(load: Load, output: str, workers: int = 1, connections: int = 16) -> Row:
    """The figures in wrk's report."""

    def latency(share: str) -> float:
        found = re.search(rf"^ +{share}% +([\d.]+)(us|ms|s) *$", output, re.M)
        assert found, output
        return float(found[1]) * _UNITS[found[2]]

    rate = re.search(r"^Requests/sec: +([\d.]+)", output, re.M)
    assert rate, output
    faults = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", output)
    lasted = re.search(r"requests in +([\d.]+)s", output)
    assert lasted, output
    refused = int(faults[1]) if faults else 0
    return Row(
        workers,
        connections,
        load.name,
        load.characters,
        # wrk's rate counts the refused too; only what was answered is work done.
        float(rate[1]) - refused / float(lasted[1]),
        latency("50"),
        latency("99"),
        refused + (sum(map(int, broken.groups())) if broken else 0),
    )


def render(
    rows: Sequence[Row], about: dict[str, object], command: str, preset: str, before: str
) -> str:
    cells = [
        (
            row.workers,
            f"{row.connections:,}",
            row.name,
            f"{row.characters:,}",
            f"{row.requests_a_second:,.0f}",
            f"{row.requests_a_second * row.characters / 1e6:.2f}",
            f"{row.median_ms:.2f}",
            f"{row.p99_ms:.2f}",
            row.faults,
        )
        for row in rows
    ]
    header = (
        "workers", "connections", "request", "characters", "answers/s", "million characters/s",
        "median ms", "99% ms", "faults",
    )  # fmt: skip
    return (
        common.heading("The service under load", about, command)
        + f"\n`segmenter serve --preset {preset} --limit 2048`, connections kept busy by `wrk`\n"
        "on the same machine over loopback.  `GET /health` is what HTTP alone costs.  Faults are\n"
        "broken connections and answers other than 200.  A row of zeros: no answer came within\n"
        "the time.  Clients that misbehave: [servers.md](servers.md).\n"
        f"{before}\n\n" + common.table(header, cells)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--seconds", type=int, default=5, help="per kind of request")
    parser.add_argument("--dry", action="store_true", help="print, write no file")
    given = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        raise ResourceError("wrk is not installed: apt-get install wrk")
    lines = common.bakeoff_lines(common.data_dir(given.data))[:4000]
    busy = busy_cores()
    rows: list[Row] = []
    for workers in WORKERS:
        with serving(given.preset, workers) as port, tempfile.TemporaryDirectory() as folder:
            rows += [
                measure(load, port, given.seconds, Path(folder), workers, connections)
                for connections in CONNECTIONS
                for load in loads(lines)
            ]
    about = common.facts(("starlette", "uvicorn", "httptools", "uvloop"))
    about["busy_cores"] = busy
    before = f"Before it other programs kept {busy:.2f} of {os.cpu_count()} cores busy" + (
        ": too many for figures of speed." if busy > 0.3 else "."
    )
    report = render(
        rows, about, f"python -m eval.service --seconds {given.seconds}", given.preset, before
    )
    print(report)
    if not given.dry:
        common.write("service", report, {**about, "rows": [row._asdict() for row in rows]})
    return 0


def busy_cores(seconds: float = 3.0) -> float:
    """How many cores all programs together keep busy (``/proc/stat``, see proc(5))."""

    def idle() -> int:
        fields = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()
        return int(fields[4]) + int(fields[5])  # waiting for a disk is idle too

    before, began = idle(), time.monotonic()
    time.sleep(seconds)
    ticks = os.sysconf("SC_CLK_TCK") * (time.monotonic() - began)
    return max(0.0, (os.cpu_count() or 1) - (idle() - before) / ticks)


@contextmanager
def serving(preset: str, workers: int) -> Iterator[int]:
    """A running service; its port."""
    line = [sys.executable, "-m", "segmenter", "serve", "--port", "0", "--preset", preset]
    line += ["--workers", str(workers), "--limit", "2048"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=common.ROOT) as server:
        assert server.stderr is not None
        said = re.search(r":(\d+)/ answers", server.stderr.readline())
        assert said, "the service did not start"
        try:
            yield int(said[1])
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
