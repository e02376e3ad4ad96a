"""Counters of the service in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# seconds; a sentence takes a fraction of the first one, a megabyte about 0.1
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """What a process has served; changed by one thread, the event loop's.

    >>> metrics = Metrics("segmenter-zh/rules-1")
    >>> metrics.request("/v1/cut", 200, 0.0007)
    >>> 'segmenter_requests_total{path="/v1/cut",code="200"} 1' in metrics.text()
    True
    """

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.in_flight = 0
        self.characters = 0
        self.reloads = 0
        self.reload_faults = 0
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def request(self, path: str, code: int, seconds: float) -> None:
        """One answered request; ``path`` is a route's, not what a client made up."""
        key = (path, code)
        self._requests[key] = self._requests.get(key, 0) + 1
        counts = self._seconds.setdefault(path, [0] * (len(BUCKETS) + 1))
        counts[next((i for i, most in enumerate(BUCKETS) if seconds <= most), len(BUCKETS))] += 1
        self._sums[path] = self._sums.get(path, 0.0) + seconds

    def text(self) -> str:
        """All counters, as ``GET /metrics`` answers."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("segmenter_requests_total", "counter", "Requests answered.")
        for (path, code), count in sorted(self._requests.items()):
            yield f'segmenter_requests_total{{path="{path}",code="{code}"}} {count}'
        yield from _head("segmenter_request_seconds", "histogram", "Time to answer a request.")
        for path, counts in sorted(self._seconds.items()):
            total = 0
            for most, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                yield f'segmenter_request_seconds_bucket{{path="{path}",le="{most}"}} {total}'
            yield f'segmenter_request_seconds_sum{{path="{path}"}} {self._sums[path]:.6f}'
            yield f'segmenter_request_seconds_count{{path="{path}"}} {total}'
        for name, kind, about, value in (
            ("segmenter_in_flight", "gauge", "Requests under way.", self.in_flight),
            ("segmenter_characters_total", "counter", "Characters segmented.", self.characters),
            ("segmenter_reloads_total", "counter", "User dictionaries reloaded.", self.reloads),
            (
                "segmenter_reload_faults_total",
                "counter",
                "User dictionaries that could not be reloaded.",
                self.reload_faults,
            ),
        ):
            yield from _head(name, kind, about)
            yield f"{name} {value}"
        yield from _head("segmenter_info", "gauge", "What segments.")
        yield f'segmenter_info{{fingerprint="{_label(self.fingerprint)}"}} 1'


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
