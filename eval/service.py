"""``python -m eval.service``: load on the service over loopback, by wrk.

Starts ``segmenter serve`` in a process of its own and lets ``wrk`` (a load generator, the Debian
package of that name) keep connections busy, a few seconds a kind of request.  Server and wrk share
the machine, so these are what one process of the service does beside its load generator.
Results: ``eval/results/service.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

CONNECTIONS = 16
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


class Load(NamedTuple):
    """A kind of request: how many characters one has, and its body (None: a GET)."""

    name: str
    path: str
    characters: int
    body: dict[str, Any] | None


class Row(NamedTuple):
    """What came of one kind of request."""

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
        Load("cut, a line", "/v1/cut", len(line), {"text": line}),
        Load("cut, a page", "/v1/cut", 2000, {"text": text[:2000]}),
        Load("cut, 50,000 characters", "/v1/cut", 50_000, {"text": text[:50_000]}),
        Load(
            "cut_batch, 100 lines",
            "/v1/cut_batch",
            sum(map(len, lines[:100])),
            {"texts": list(lines[:100])},
        ),
        Load("tokenize, a line", "/v1/tokenize", len(line), {"text": line}),
    ]


def measure(load: Load, port: int, seconds: float, folder: Path) -> Row:
    """Keeps :data:`CONNECTIONS` connections busy with one kind of request."""
    script = folder / "request.lua"
    lines = []
    if load.body is not None:
        body = json.dumps(load.body, ensure_ascii=False)
        lines = ['wrk.method = "POST"', 'wrk.headers["Content-Type"] = "application/json"']
        lines.append(f"wrk.body = [==[{body}]==]")
    script.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [
            *("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s", "--latency"),
            *("-s", str(script), f"http://127.0.0.1:{port}{load.path}"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return parse(load, done.stdout)


def parse(load: Load, output: str) -> Row:
    """The figures in wrk's report."""

    def latency(share: str) -> float:
        found = re.search(rf"^ +{share}% +([\d.]+)(us|ms|s)$", output, re.M)
        assert found, output
        return float(found[1]) * _UNITS[found[2]]

    rate = re.search(r"^Requests/sec: +([\d.]+)", output, re.M)
    assert rate, output
    faults = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return Row(
        load.name,
        load.characters,
        float(rate[1]),
        latency("50"),
        latency("99"),
        int(faults[1]) if faults else 0,
    )


def render(rows: Sequence[Row], about: dict[str, object], command: str, preset: str) -> str:
    cells = [
        (
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
        "request", "characters", "requests/s", "million characters/s", "median ms", "99% ms",
        "not 200",
    )  # fmt: skip
    return (
        common.heading("The service under load", about, command)
        + f"\nOne process of `segmenter serve --preset {preset} -j 2`, {CONNECTIONS} connections "
        "kept busy by `wrk -t1`\non the same machine over loopback; the machine is shared.  "
        "`GET /health` is what HTTP alone costs.\n\n" + common.table(header, cells)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--seconds", type=float, default=5.0, help="a kind of request")
    parser.add_argument("--dry", action="store_true", help="print, write no file")
    given = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        raise ResourceError("wrk is not installed: apt-get install wrk")
    lines = common.bakeoff_lines(common.data_dir(given.data))[:4000]
    line = [sys.executable, "-m", "segmenter", "serve", "--port", "0", "--preset", given.preset]
    with subprocess.Popen(
        [*line, "-j", "2"], stderr=subprocess.PIPE, text=True, cwd=common.ROOT
    ) as server:
        assert server.stderr is not None
        said = re.search(r":(\d+)/ answers", server.stderr.readline())
        assert said, "the service did not start"
        try:
            with tempfile.TemporaryDirectory() as folder:
                rows = [
                    measure(load, int(said[1]), given.seconds, Path(folder))
                    for load in loads(lines)
                ]
        finally:
            server.terminate()
    about = common.facts(("starlette", "uvicorn", "httptools", "uvloop"))
    report = render(rows, about, "python -m eval.service", given.preset)
    print(report)
    if not given.dry:
        common.write("service", report, {**about, "rows": [row._asdict() for row in rows]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
