"""Middleware for every request: access control, counters and timing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers

from segmenter.serve.answers import error
from segmenter.serve.limits import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from segmenter.serve.access import Access
    from segmenter.serve.metrics import Metrics


class Middleware:
    """An ASGI application around ``app``.

    Args:
        access, metrics: those of the service.
        names: the label of each path in the counters; other paths are "other".
    """

    def __init__(
        self, app: ASGIApp, access: Access, metrics: Metrics, names: dict[str, str]
    ) -> None:
        self.app = app
        self._access = access
        self._metrics = metrics
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # a scrape of the counters does not count itself
        increment = 0 if scope["path"] == "/metrics" else 1
        self._metrics.in_flight.inc(increment)
        started = time.perf_counter()
        code = 500

        async def send_counted(message: Any) -> None:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
            await send(message)

        app = self.app
        try:
            self._access.check(Headers(scope=scope))
        except Refused as e:
            app = error(e.code, e.message, e.headers)
        try:
            await app(scope, receive, send_counted)
        finally:
            self._metrics.in_flight.dec(increment)
            path = self._names.get(scope["path"], "other")
            self._metrics.request(path, code, time.perf_counter() - started)
