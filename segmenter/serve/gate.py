"""Around the application: every request is let in or refused, timed and counted.

What holds for all requests stands here: their names, the time for their bodies, how many there are
at once, and that a client which is still sending gets its answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import anyio
from starlette.datastructures import Headers

from segmenter.serve.answers import error
from segmenter.serve.limits import Refused, Seldom

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from segmenter.serve.connections import Connections
    from segmenter.serve.service import Service

_CLOSE = (b"connection", b"close")


class Gate:
    """The application with every request checked, bounded in time, counted and timed.

    Args:
        service: its limits, names and counters; it says which requests were refused because there
            are too many.
        names: what a path is counted as; one that is not here is "other".
    """

    def __init__(
        self,
        app: ASGIApp,
        service: Service,
        names: dict[str, str],
        connections: Connections,
    ) -> None:
        self.app = app
        self.limits = service.limits
        self.access = service.access
        self.metrics = service.metrics
        self.connections = connections
        self.answering = 0  # requests that are there as a whole
        self._names = names
        self._say = Seldom(service.say)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # a scrape does not count itself
        one = 0 if scope["path"] == "/metrics" else 1
        self.metrics.add("in_flight", one)
        started = time.perf_counter()
        exchange = _Exchange(self, scope, receive, send)
        try:
            await exchange.run()
        finally:
            self.metrics.add("in_flight", -one)
            path = self._names.get(scope["path"], "other")
            self.metrics.request(path, exchange.code, time.perf_counter() - started)

    def full(self) -> Refused:
        """The refusal of one request too many, and a line about it."""
        self._say(f"refused a request: {self.limits.requests:,} are under way (--limit)")
        return Refused(503, "too many requests at once: try again", Retry_After="1")


class _Exchange:
    """One request and its answer."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.code = 500
        self._gate = gate
        self._scope = scope
        self._peer = scope.get("client")
        self._receive = receive
        self._send = send
        self._whole = False  # nothing of the body is still to come
        self._counted = False
        self._deadline = anyio.current_time() + gate.limits.seconds

    async def run(self) -> None:
        gate, scope = self._gate, self._scope
        headers = Headers(scope=scope)
        room = gate.connections.begins(self._peer)
        try:
            try:
                if not room:
                    raise gate.full()
                gate.access.check(headers)
                if headers.get("content-length", "0") == "0" and (
                    "transfer-encoding" not in headers
                ):
                    self._arrive()
            except Refused as e:
                await error(e.code, e.message, e.headers)(scope, self.receive, self.send)
                return
            await gate.app(scope, self.receive, self.send)
        finally:
            if self._counted:
                gate.answering -= 1
            gate.connections.ends(self._peer)

    def _arrive(self) -> None:
        gate = self._gate
        self._whole = True
        if gate.answering >= gate.limits.requests:
            raise gate.full()
        gate.answering += 1
        self._counted = True
        gate.connections.arrived(self._peer)

    async def receive(self) -> Message:
        """The next part of the body; 408 where it takes too long."""
        if self._whole:
            return await self._receive()
        with anyio.move_on_at(self._deadline):
            message = await self._receive()
            if message["type"] == "http.request" and not message.get("more_body", False):
                self._arrive()
            return message
        seconds = f"{self._gate.limits.seconds:g}"
        raise Refused(408, f"the body did not arrive within {seconds} seconds")

    async def send(self, message: Any) -> None:
        """Sends; an answer to a request that is still coming ends when the request does.

        A server closes a connection whose answer is complete, and a client that is still sending
        then sees a broken connection and not its answer.
        """
        if message["type"] == "http.response.start":
            self.code = message["status"]
            self._gate.connections.answers(self._peer)
            if not self._whole:
                headers = [row for row in message.get("headers", []) if row[0] != _CLOSE[0]]
                message = {**message, "headers": [*headers, _CLOSE]}
        elif not self._whole and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            with anyio.move_on_at(self._deadline):
                while True:
                    part = await self._receive()
                    if part["type"] != "http.request" or not part.get("more_body", False):
                        break
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)
