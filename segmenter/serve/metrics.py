"""Counters of the service in the text format of Prometheus (version 0.0.4).

Each worker process adds to a row of its own in memory that all of them share, and whichever is
asked adds the rows up: the figures are the service's, whoever answers.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# seconds; a sentence takes a fraction of the first one, a megabyte about 0.1
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
#: Paths that are counted apart; files of the page are "page", what clients make up is "other".
PATHS = (
    "/v1/cut", "/v1/cut_batch", "/v1/tokenize", "/v1/search", "/v1/explain", "/v1/steps",
    "/v1/reload", "/health", "/metrics", "/openapi.json", "/docs", "page", "other",
)  # fmt: skip
#: Codes that the service answers with; 0: any other.
CODES = (200, 400, 401, 403, 404, 405, 408, 413, 421, 431, 500, 503, 0)

# A row: the gauges, then for each path its codes, its buckets and its nanoseconds, then the
# fingerprint as text.  Cells are of 8 bytes, which a processor writes at once.
_GAUGES = {
    "in_flight": ("segmenter_in_flight", "gauge", "Requests under way."),
    "characters": ("segmenter_characters_total", "counter", "Characters segmented."),
    "reloads": ("segmenter_reloads_total", "counter", "User dictionaries reloaded."),
    "reload_faults": (
        "segmenter_reload_faults_total", "counter", "User dictionaries that could not be reloaded.",
    ),
}  # fmt: skip
_CELLS = {gauge: cell for cell, gauge in enumerate(_GAUGES)}
_OF_PATH = len(CODES) + len(BUCKETS) + 2
_FINGERPRINT = 128  # cells
_ROW = len(_GAUGES) + len(PATHS) * _OF_PATH + _FINGERPRINT


class Metrics:
    """What a service has served; a worker's row is changed by that worker alone.

    Args:
        fingerprint: of what segments.
        workers: processes that share the counters; they are forked after this is made.

    >>> metrics = Metrics("segmenter-zh/rules-1")
    >>> metrics.request("/v1/cut", 200, 0.0007)
    >>> 'segmenter_requests_total{path="/v1/cut",code="200"} 1' in metrics.text()
    True
    """

    def __init__(self, fingerprint: str, workers: int = 1) -> None:
        size = 8 * _ROW * workers
        memory = bytearray(size) if workers == 1 else mmap.mmap(-1, size)
        self._cells = memoryview(memory).cast("q")
        self._rows = workers
        self._at = 0
        self.fingerprint = fingerprint

    def become(self, worker: int) -> None:
        """From now on this process is that worker: the first one is 0.

        A worker that takes the place of one that died goes on counting where it stopped.
        """
        fingerprint = self.fingerprint
        self._at = worker * _ROW
        self._cells[self._at] = 0  # what the other one had in flight
        self.fingerprint = fingerprint

    @property
    def fingerprint(self) -> str:
        """Of what this worker segments with."""
        return self._text_of(self._at)

    @fingerprint.setter
    def fingerprint(self, value: str) -> None:
        raw = value.encode()[: 8 * _FINGERPRINT].ljust(8 * _FINGERPRINT, b"\0")
        start = self._at + _ROW - _FINGERPRINT
        self._cells[start : start + _FINGERPRINT] = memoryview(raw).cast("q")

    def add(self, gauge: str, count: int) -> None:
        """Adds to ``in_flight``, ``characters``, ``reloads`` or ``reload_faults``."""
        self._cells[self._at + _CELLS[gauge]] += count

    def total(self, gauge: str) -> int:
        """One of those of :meth:`add`, of all workers."""
        return self._sum(_CELLS[gauge])

    def request(self, path: str, code: int, seconds: float) -> None:
        """One answered request; a path that is not one of :data:`PATHS` counts as "other"."""
        of_path = PATHS.index(path if path in PATHS else "other")
        start = self._at + len(_GAUGES) + of_path * _OF_PATH
        self._cells[start + CODES.index(code if code in CODES else 0)] += 1
        start += len(CODES)
        bucket = next((i for i, most in enumerate(BUCKETS) if seconds <= most), len(BUCKETS))
        self._cells[start + bucket] += 1
        self._cells[start + len(BUCKETS) + 1] += round(seconds * 1e9)

    def text(self) -> str:
        """All counters, as ``GET /metrics`` answers."""
        return "\n".join(self._lines()) + "\n"

    def _text_of(self, row: int) -> str:
        cells = self._cells[row + _ROW - _FINGERPRINT : row + _ROW]
        return cells.tobytes().rstrip(b"\0").decode("utf-8", "replace")

    def _sum(self, cell: int) -> int:
        return sum(self._cells[cell + row * _ROW] for row in range(self._rows))

    def _lines(self) -> Iterator[str]:
        yield from _head("segmenter_requests_total", "counter", "Requests answered.")
        starts = {path: len(_GAUGES) + i * _OF_PATH for i, path in enumerate(PATHS)}
        for path, start in starts.items():
            for i, code in enumerate(CODES):
                if count := self._sum(start + i):
                    label = f'{{path="{path}",code="{code or "other"}"}}'
                    yield f"segmenter_requests_total{label} {count}"
        yield from _head("segmenter_request_seconds", "histogram", "Time to answer a request.")
        for path, start in starts.items():
            buckets = start + len(CODES)
            counts = [self._sum(buckets + i) for i in range(len(BUCKETS) + 1)]
            if not any(counts):
                continue
            total = 0
            for most, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                yield f'segmenter_request_seconds_bucket{{path="{path}",le="{most}"}} {total}'
            seconds = self._sum(buckets + len(BUCKETS) + 1) / 1e9
            yield f'segmenter_request_seconds_sum{{path="{path}"}} {seconds:.6f}'
            yield f'segmenter_request_seconds_count{{path="{path}"}} {total}'
        for gauge, (name, kind, about) in _GAUGES.items():
            yield from _head(name, kind, about)
            yield f"{name} {self.total(gauge)}"
        yield from _head("segmenter_info", "gauge", "Workers by what they segment with.")
        found = [self._text_of(row * _ROW) for row in range(self._rows)]
        for fingerprint in sorted(set(found) - {""}):
            label = f'{{fingerprint="{_label(fingerprint)}"}}'
            yield f"segmenter_info{label} {found.count(fingerprint)}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
