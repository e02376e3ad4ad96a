"""Connections of the server: how many there are, and how long each may keep it waiting.

A connection waits for a request, is read from, or has its answer sent.  What waits or is still
sending its request is given up for a newcomer, the longest first, where there are too many: so
connections that say nothing keep nobody out.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from segmenter.serve.answers import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.serve.limits import Limits

#: Bytes of a request's head.
MAX_HEAD = 1 << 16

_TOO_LONG = encode(
    {"error": {"code": 431, "message": f"the request's head has more than {MAX_HEAD:,} bytes"}}
)


@dataclass(eq=False, slots=True)
class Connection:
    """One connection: its transport, its time limit, and where it stands."""

    transport: asyncio.Transport
    peer: tuple[str, int]
    timer: asyncio.TimerHandle | None = None
    #: Bytes read while a request's head was waited for; None: the head is there.
    head: int | None = 0
    #: Whether it came when there were too many and none could be given up.
    over: bool = False


class Connections:
    """The connections of one server.

    :meth:`protocol` makes the server report to it; the application says of a request, by the
    address of its client, that it begins, has arrived, is being answered, and ends.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._all: dict[tuple[str, int], Connection] = {}
        self._made = 0
        self._waiting: dict[Connection, None] = {}  # the one that waits longest comes first

    def __len__(self) -> int:
        return len(self._all)

    def protocol(self, base: type[Any]) -> Callable[..., Any]:
        """The server's own protocol, watched.

        Of it :class:`asyncio.Protocol` is used, and the attribute ``client``, which a request's
        scope gets its address from.
        """
        connections = self

        class Watched(base):  # type: ignore[misc]
            _watched: Connection

            def connection_made(self, transport: asyncio.Transport) -> None:
                self._watched = connections.made(transport)
                super().connection_made(transport)
                # connections of a Unix socket have no address: they are told apart by ours, which
                # the server hands to the application with every request
                if getattr(self, "client", None) is None:
                    self.client = self._watched.peer

            def data_received(self, data: bytes) -> None:
                if connections.may_read(self._watched, len(data)):
                    super().data_received(data)

            def connection_lost(self, exc: Exception | None) -> None:
                connections.lost(self._watched)
                super().connection_lost(exc)

        return Watched

    # --- what the server says --------------------------------------------------------------------

    def made(self, transport: asyncio.Transport) -> Connection:
        """A connection came."""
        self._made += 1
        host, port, *_ = transport.get_extra_info("peername") or ("unix", self._made)
        new = Connection(transport, (str(host), int(port)))
        if len(self._all) >= self._limits.requests:
            longest = next(iter(self._waiting), None)
            if longest is None:
                new.over = True
            else:
                self._give_up(longest)
        self._all[new.peer] = new
        self._wait(new)
        return new

    def may_read(self, connection: Connection, size: int) -> bool:
        """Whether the next bytes are read; a head that does not end is refused."""
        if connection.head is None:
            return True
        if connection.head > MAX_HEAD:
            if not connection.transport.is_closing():
                length = str(len(_TOO_LONG)).encode()
                connection.transport.write(
                    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"
                    b"content-type: application/json\r\ncontent-length: " + length + b"\r\n\r\n"
                    + _TOO_LONG
                )  # fmt: skip
                connection.transport.close()
            return False
        connection.head += size
        return True

    def lost(self, connection: Connection) -> None:
        """A connection is closed."""
        self._stop(connection)
        self._waiting.pop(connection, None)
        if self._all.get(connection.peer) is connection:
            del self._all[connection.peer]

    # --- what the application says ---------------------------------------------------------------

    def begins(self, peer: tuple[str, int] | None) -> bool:
        """The head of a request is there; whether there is room for it."""
        connection = self._of(peer)
        if connection is None:
            return True
        self._stop(connection)
        connection.head = None
        return not connection.over

    def arrived(self, peer: tuple[str, int] | None) -> None:
        """The request is there as a whole: from now on it is not given up."""
        if (connection := self._of(peer)) is not None:
            self._waiting.pop(connection, None)

    def answers(self, peer: tuple[str, int] | None) -> None:
        """Its answer begins: the client has a time to take it."""
        if (connection := self._of(peer)) is not None:
            self._start(connection)

    def ends(self, peer: tuple[str, int] | None) -> None:
        """It is answered: the next one may come."""
        if (connection := self._of(peer)) is not None:
            self._waiting.pop(connection, None)
            self._wait(connection)

    # ---------------------------------------------------------------------------------------------

    def _of(self, peer: tuple[str, int] | None) -> Connection | None:
        return None if peer is None else self._all.get((peer[0], peer[1]))

    def _wait(self, connection: Connection) -> None:
        connection.head = 0
        self._waiting[connection] = None
        self._start(connection)

    def _start(self, connection: Connection) -> None:
        self._stop(connection)
        loop = asyncio.get_running_loop()
        connection.timer = loop.call_later(self._limits.seconds, self._give_up, connection)

    def _stop(self, connection: Connection) -> None:
        if connection.timer is not None:
            connection.timer.cancel()
            connection.timer = None

    def _give_up(self, connection: Connection) -> None:
        # at once: closing would wait until the client takes what is still to be sent
        self.lost(connection)
        connection.transport.abort()
