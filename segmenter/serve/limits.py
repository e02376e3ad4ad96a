"""Limits of requests: their size, and the number of long ones that are computed at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import anyio
import anyio.to_thread

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Limits(NamedTuple):
    """Bounds of a service; ``docs/en/service.md`` lists the errors of requests beyond them.

    >>> Limits(max_bytes=1000).checked().max_tokens
    100000
    """

    #: Bytes of a request's body.
    max_bytes: int = 1 << 20
    #: Characters of a text to tokenize: each may be a token, of 180 bytes of JSON.
    max_tokens: int = 100_000
    #: Long requests that are computed and sent at the same time.
    long_requests: int = 4
    #: Seconds that a long request waits for its turn.
    seconds: float = 30.0

    def checked(self) -> Limits:
        """Check and return these limits.

        Raises:
            ArgumentError: a limit is too small or not finite; the message names it.
        """
        for name, value in zip(self._fields, self, strict=True):
            minimum = 1 if name != "seconds" else 0.001
            if not minimum <= value < float("inf"):
                raise ArgumentError(f"{name}: {value} is not {minimum} or more")
        return self


class Refused(Exception):
    """A request that gets an error: status, message and more headers."""

    def __init__(self, code: int, message: str, **headers: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


async def in_thread(work: Callable[..., T], *arguments: object) -> T:
    """Run ``work(*arguments)`` in another thread; cancelling abandons it."""
    result: T = await anyio.to_thread.run_sync(partial(work, *arguments), abandon_on_cancel=True)
    return result


class Queue:
    """``async with`` a queue: a few long requests at the same time, the others wait.

    Waiting is cheap, refusing is not: refused clients retry, and reading their requests again
    takes the time of answers.  With 64 places to wait in and 1,000 clients that retried at once, 4
    requests per second were answered instead of 780.

    Args:
        capacity: long requests at the same time.
        seconds: longest wait of a request.

    Raises:
        Refused: 503, after that wait.
    """

    def __init__(self, capacity: int, seconds: float) -> None:
        self.capacity = capacity
        self.seconds = seconds
        self.pending = 0  # waiting, computed or sent
        self._free: anyio.Semaphore | None = None

    async def __aenter__(self) -> None:
        if self._free is None:  # created inside the event loop
            self._free = anyio.Semaphore(self.capacity)
        self.pending += 1
        try:
            with anyio.fail_after(self.seconds):
                await self._free.acquire()
        except BaseException as e:
            self.pending -= 1
            if isinstance(e, TimeoutError):
                message = f"{self.pending:,} long requests are waiting: try again"
                raise Refused(503, message, Retry_After="1") from None
            raise

    async def __aexit__(self, *raised: object) -> None:
        assert self._free is not None
        self.pending -= 1
        self._free.release()
