"""Connections of the server: how many there are, and how long each may keep it waiting.

A connection waits for a request, is read from, or has its answer sent.  Where there are too many,
the one that has waited longest makes room for a new one, so connections that say nothing keep
nobody out.  uvicorn has no limit for a request's head, none for the time that a client takes to
send it or to take its answer, and answers what is not HTTP in plain text: this protocol, which is
uvicorn's with these added, has them.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from segmenter.serve.answers import encode_error
from segmenter.serve.limits import CONNECTION, Throttle

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.serve.limits import Limits
    from segmenter.serve.metrics import Metrics

#: Bytes of a request's head: its address and its header fields.
MAX_HEAD = 1 << 16

# silent connections, which end by "timeout", are not worth a line
_SAID = {
    "limit": "closed a waiting connection: {:,} are open (--limit)",
    "head": f"refused a request: its head has more than {MAX_HEAD:,} bytes",
    "invalid": "refused a request that is not valid HTTP/1.1",
}


class Connections:
    """The connections of one server.

    Args:
        limits: how many there may be, and how many seconds each step may take.
        metrics: counts those that were closed without an answer to a whole request.
        say: gets a line about them, once per second at most.
    """

    def __init__(self, limits: Limits, metrics: Metrics, say: Callable[[str], object]) -> None:
        self.limits = limits
        self.count = 0
        self.waiting: dict[Connection, None] = {}  # the one that has waited longest comes first
        self._metrics = metrics
        self._say = Throttle(say)

    def make_room(self) -> bool:
        """Closes the connection that has waited longest; whether there was one."""
        longest = next(iter(self.waiting), None)
        if longest is not None:
            longest.refuse(503, "too many connections at once: try again", "limit")
        return longest is not None

    def closed(self, reason: str) -> None:
        """Counts a connection that the service closed, and says so where it refused one."""
        self._metrics.closed(reason)
        if reason in _SAID:
            self._say(_SAID[reason].format(self.limits.connections))


class Connection:
    """One connection, as the application sees it: its place among the others and its timer.

    The application says that a request begins, has arrived as a whole, is being answered, and ends.
    That it has arrived the protocol says too, which knows it before the application is called.
    """

    __slots__ = (
        "_all",
        "_answering",
        "_left",
        "_lost",
        "_over",
        "_refused",
        "_timer",
        "_transport",
    )

    def __init__(self, connections: Connections, transport: asyncio.Transport) -> None:
        self._all = connections
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None
        self._answering = self._refused = self._lost = False
        self._left = 0.0  # seconds for the client to take the rest of its answer
        full = connections.count >= connections.limits.connections
        self._over = full and not connections.make_room()
        connections.count += 1
        self.ends()

    def begins(self) -> bool:
        """The head of a request is there; whether there is room for it."""
        self._stop()
        return not self._over or self._all.count <= self._all.limits.connections

    def arrived(self) -> None:
        """The request is there as a whole: from now on it does not make room for others."""
        self._all.waiting.pop(self, None)

    def answers(self) -> None:
        """Its answer begins: the client has a time to take all parts of it."""
        self._answering = True
        self._left = self._all.limits.seconds

    def sends(self) -> None:
        """A part of the answer is handed on."""
        if self._answering and not self._refused:
            self._start(self._left)

    def sent(self) -> None:
        """It was: the time in which the next part is made is not the client's."""
        if self._timer is not None and self._answering and not self._refused:
            self._left = self._timer.when() - asyncio.get_running_loop().time()
            self._stop()

    def ends(self) -> None:
        """It is answered: the next one may come."""
        if self._refused or self._lost:  # a client may leave before its answer is there
            return
        self._answering = False
        self._all.waiting.pop(self, None)  # behind those that have waited longer
        self._all.waiting[self] = None
        self._start()

    def lost(self) -> None:
        self._lost = True
        self._stop()
        self._all.waiting.pop(self, None)
        self._all.count -= 1

    def refuse(self, code: int, message: str, reason: str) -> None:
        """Answers what was sent so far with an error, and closes as soon as that is taken."""
        self._refused = True
        self._all.closed(reason)
        self._all.waiting.pop(self, None)
        self._start()
        if code == 503 and (self._answering or self._transport.get_write_buffer_size()):
            self._transport.abort()  # it has its answer, which is not to be followed by another
            return
        body = encode_error(code, message)
        retry = "retry-after: 1\r\n" if code == 503 else ""
        head = (
            f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n{retry}connection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + body)
        if code == 503:
            self._transport.close()
        else:  # what the client still sends is read and dropped, so that it gets to see the answer
            self._transport.write_eof()

    def _start(self, seconds: float | None = None) -> None:
        self._stop()
        if self._lost:
            return
        seconds = self._all.limits.seconds if seconds is None else seconds
        self._timer = asyncio.get_running_loop().call_later(seconds, self._expired)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expired(self) -> None:
        if not self._refused:
            self._all.closed("timeout")
        # at once: closing would wait until the client takes what is still to be sent
        self._transport.abort()


class Protocol(HttpToolsProtocol):  # type: ignore[misc]
    """uvicorn's protocol for one connection, with bounds on a request's head and errors in JSON."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = connections
        self._connection: Connection
        self.app_state: dict[str, Any]
        self._refused = False
        self._in_head = False
        self._began = False  # the head began in the bytes that are being read
        self._fields = 0  # bytes of the head's address and fields that are whole
        self._head = 0  # bytes read of a head that does not end

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._connection = Connection(self._all, transport)
        self.app_state = {**self.app_state, CONNECTION: self._connection}

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.lost()
        super().connection_lost(exc)

    def eof_received(self) -> bool:
        """The client sends no more; it may still wait for the answer to what it has sent."""
        unanswered = self.cycle is not None and not self.cycle.response_complete
        if unanswered and not self.cycle.more_body:
            self.cycle.keep_alive = False
            return True
        return False

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._began = False
        super().data_received(data)
        if self._in_head and not self._began:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self.send_400_response("")

    def on_message_begin(self) -> None:
        self._in_head = self._began = True
        self._fields = self._head = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._take(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._take(len(name) + len(value) + len(": \r\n"))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._connection.arrived()
        super().on_message_complete()

    def _take(self, size: int) -> None:
        self._fields += size
        if self._fields > MAX_HEAD:
            raise ValueError  # the parser stops, and data_received calls send_400_response

    def send_400_response(self, msg: str) -> None:
        """uvicorn's answer to what is not HTTP, as JSON; 431 where the head is too long."""
        if self._refused:
            return
        self._refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            if not self.cycle.more_body:
                return  # a request before it is still being answered: on_response_complete is next
            if self.pipeline or self.cycle.response_started:
                self.transport.abort()
                return
            self.cycle.disconnected = True  # nothing of what the application says is sent
            self.cycle.message_event.set()
        self._refuse()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._refused and self.cycle.response_complete and not self.transport.is_closing():
            self._refuse()

    def _refuse(self) -> None:
        self._unset_keepalive_if_required()
        if max(self._fields, self._head) > MAX_HEAD:
            message = f"the request's head has more than {MAX_HEAD:,} bytes"
            self._connection.refuse(431, message, "head")
        else:
            self._connection.refuse(400, "the request is not valid HTTP/1.1", "invalid")
