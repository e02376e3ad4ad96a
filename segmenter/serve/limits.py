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
    """Bounds of a service; ``docs/en/service.md`` says what a request beyond one gets.

    >>> Limits(max_bytes=1000).checked().max_tokens
    100000
    """

    #: Bytes of a request's body.
    max_bytes: int = 1 << 20
    #: Characters of a text whose tokens are asked for: each may be a token, of 180 bytes of JSON.
    max_tokens: int = 100_000
    #: Long requests that are computed and sent at once.
    long_requests: int = 4
    #: Seconds that a long request waits for its turn.
    seconds: float = 30.0

    def checked(self) -> Limits:
        """These limits.

        Raises:
            ArgumentError: one of them is not a bound; names it.
        """
        for name, value in zip(self._fields, self, strict=True):
            least = 1 if name != "seconds" else 0.001
            if not least <= value < float("inf"):
                raise ArgumentError(f"{name}: {value} is not {least} or more")
        return self


class Refused(Exception):
    """A request that gets an error: its status and message, and headers beside them."""

    def __init__(self, code: int, message: str, **headers: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


async def in_thread(work: Callable[..., T], *arguments: object) -> T:
    """``work(*arguments)`` in another thread.  Cancelled, it is waited for no longer."""
    done: T = await anyio.to_thread.run_sync(partial(work, *arguments), abandon_on_cancel=True)
    return done


class Queue:
    """``async with`` it: a few long requests at once, the others wait their turn.

    Waiting costs little, refusing does not: a client that is refused asks again, and reading its
    request again takes the time in which others would be answered.  With 64 places to wait in and
    1,000 clients that asked again at once, 4 requests per second were answered of 780.

    Args:
        seconds: how long a request waits.

    Raises:
        Refused: 503, it has waited that long.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self.at_once = at_once
        self.seconds = seconds
        self.inside = 0  # computed, sent or waiting
        self._free: anyio.Semaphore | None = None

    async def __aenter__(self) -> None:
        if self._free is None:  # made where the event loop runs
            self._free = anyio.Semaphore(self.at_once)
        self.inside += 1
        try:
            with anyio.fail_after(self.seconds):
                await self._free.acquire()
        except BaseException as e:
            self.inside -= 1
            if isinstance(e, TimeoutError):
                message = f"{self.inside:,} long requests are waiting: try again"
                raise Refused(503, message, Retry_After="1") from None
            raise

    async def __aexit__(self, *raised: object) -> None:
        assert self._free is not None
        self.inside -= 1
        self._free.release()
