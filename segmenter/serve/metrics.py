"""Counters of the service, with the Prometheus client library for Python.

If the environment variable ``PROMETHEUS_MULTIPROC_DIR`` names an empty folder when the service
starts, its processes keep their counters there, and the process that answers sums them.
"""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Environment variable of the folder where the processes of a service keep their counters.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"

# seconds; a sentence takes a fraction of the first bucket, a megabyte about 0.1
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """The counters of a service.

    >>> metrics = Metrics()
    >>> metrics.request("/v1/cut", 200, 0.0007)
    >>> b'segmenter_requests_total{code="200",path="/v1/cut"} 1.0' in metrics.text()
    True
    """

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "segmenter_requests", "Requests answered.", ["path", "code"], registry=registry
        )
        self._seconds = Histogram(
            "segmenter_request_seconds", "Time to answer a request.", ["path"],
            buckets=_BUCKETS, registry=registry,
        )  # fmt: skip
        self.characters = Counter(
            "segmenter_characters", "Characters segmented.", registry=registry
        )
        self.reloads = Counter(
            "segmenter_reloads", "User dictionaries reloaded.", registry=registry
        )
        self.reload_errors = Counter(
            "segmenter_reload_faults", "User dictionaries that could not be reloaded.",
            registry=registry,
        )  # fmt: skip
        self.in_flight = Gauge(
            "segmenter_in_flight", "Requests under way.", registry=registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self._info = Gauge(
            "segmenter_info", "Workers by what they segment with.", ["fingerprint"],
            registry=registry, multiprocess_mode="livesum",
        )  # fmt: skip
        self._fingerprint: str | None = None
        self._labelled: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def request(self, path: str, code: int, seconds: float) -> None:
        labelled = self._labelled.get((path, code))
        if labelled is None:  # looking up labels takes as long as counting
            labelled = self._requests.labels(path, code), self._seconds.labels(path)
            self._labelled[path, code] = labelled
        counter, histogram = labelled
        counter.inc()
        histogram.observe(seconds)

    def ended(self) -> None:
        """Note that this process ends and has no requests under way."""
        if FOLDER in os.environ:
            mark_process_dead(os.getpid())

    def segments_with(self, fingerprint: str) -> None:
        """Note the fingerprint that this process segments with from now on."""
        if self._fingerprint is not None:
            self._info.labels(self._fingerprint).set(0)
        self._info.labels(fingerprint).set(1)
        self._fingerprint = fingerprint

    def text(self) -> bytes:
        """All counters, as ``GET /metrics`` answers."""
        if FOLDER not in os.environ:
            return bytes(generate_latest(self._registry))
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        return bytes(generate_latest(registry))
