"""What holds for every request: it is let in or refused, bounded in time, counted and timed."""

from __future__ import annotations

import time
from asyncio import CancelledError
from typing import TYPE_CHECKING, Any

import anyio
from starlette.datastructures import Headers

from segmenter.serve.answers import error
from segmenter.serve.limits import CONNECTION, Refused, Throttle

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from segmenter.serve.access import Access
    from segmenter.serve.connections import Connection
    from segmenter.serve.limits import Limits
    from segmenter.serve.metrics import Metrics

_CLOSE = (b"connection", b"close")


class Middleware:
    """An ASGI application around ``app``.

    Args:
        limits, access, metrics: of the service.
        say: gets a line where requests are refused because there are too many.
        names: what a path is counted as; one that is not here is "other".
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        access: Access,
        metrics: Metrics,
        say: Callable[[str], object],
        names: dict[str, str],
    ) -> None:
        self.app = app
        self.limits = limits
        self.access = access
        self.answering = 0  # requests that are there as a whole
        self._metrics = metrics
        self._names = names
        self._say = Throttle(say)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # a scrape does not count itself
        one = 0 if scope["path"] == "/metrics" else 1
        self._metrics.in_flight.inc(one)
        started = time.perf_counter()
        request = _Request(self, scope, receive, send)
        try:
            await request.run()
        finally:
            self._metrics.in_flight.dec(one)
            path = self._names.get(scope["path"], "other")
            self._metrics.request(path, request.code, time.perf_counter() - started)

    def full(self) -> Refused:
        self._say(f"refused a request: {self.limits.connections:,} are under way (--limit)")
        return Refused(503, "too many requests at once: try again", Retry_After="1")


class _Request:
    def __init__(self, around: Middleware, scope: Scope, receive: Receive, send: Send) -> None:
        self.code = 500
        self._around = around
        self._scope = scope
        self._connection: Connection | None = scope.get("state", {}).get(CONNECTION)
        self._receive = receive
        self._send = send
        self._whole = False  # nothing of the body is still to come
        self._counted = False
        self._answered = False
        self._deadline = anyio.current_time() + around.limits.seconds

    async def run(self) -> None:
        around, scope = self._around, self._scope
        headers = Headers(scope=scope)
        has_room = self._connection is None or self._connection.begins()
        try:
            try:
                if not has_room:
                    raise around.full()
                around.access.check(headers)
                if headers.get("content-length", "0") == "0" and (
                    "transfer-encoding" not in headers
                ):
                    self._arrive()
            except Refused as e:
                await error(e.code, e.message, e.headers)(scope, self.receive, self.send)
                return
            await around.app(scope, self.receive, self.send)
        except CancelledError:  # the service stops, and --grace is over
            if self._answered:
                raise
            self._whole = True  # the rest of the body is not waited for
            close = {"Connection": "close"}
            await error(503, "the service is stopping", close)(scope, self.receive, self.send)
        finally:
            if self._counted:
                around.answering -= 1
            if self._connection is not None:
                self._connection.ends()

    def _arrive(self) -> None:
        around = self._around
        self._whole = True
        if around.answering >= around.limits.connections:
            raise around.full()
        around.answering += 1
        self._counted = True
        if self._connection is not None:
            self._connection.arrived()

    async def receive(self) -> Message:
        """The next part of the body; 408 where it takes too long."""
        if self._whole:
            return await self._receive()
        with anyio.move_on_at(self._deadline):
            message = await self._receive()
            if message["type"] == "http.request" and not message.get("more_body", False):
                self._arrive()
            return message
        seconds = f"{self._around.limits.seconds:g}"
        raise Refused(408, f"the body did not arrive within {seconds} seconds")

    async def send(self, message: Any) -> None:
        """Sends; an answer to a request that is still coming ends when the request does.

        A server closes a connection whose answer is complete, and a client that is still sending
        then sees a broken connection and not its answer.
        """
        if message["type"] == "http.response.start":
            self.code = message["status"]
            self._answered = True
            if self._connection is not None:
                self._connection.answers()
            if not self._whole:
                headers = [row for row in message.get("headers", []) if row[0] != _CLOSE[0]]
                message = {**message, "headers": [*headers, _CLOSE]}
        elif not self._whole and not message.get("more_body", False):
            await self._hand_on({**message, "more_body": True})
            with anyio.move_on_at(self._deadline):
                while True:
                    part = await self._receive()
                    if part["type"] != "http.request" or not part.get("more_body", False):
                        break
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._hand_on(message)

    async def _hand_on(self, message: Any) -> None:
        """Sends; returns when the client has taken most of what was sent."""
        if self._connection is not None:
            self._connection.sends()
        await self._send(message)
        if self._connection is not None:
            self._connection.sent()
