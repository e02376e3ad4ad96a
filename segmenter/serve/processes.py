"""Several processes that answer on one socket: they are forked, watched, and stopped together.

What they share is made before they are forked: the socket, compiled files (mapped), counters
(:class:`segmenter.serve.metrics.Metrics`) and the :class:`Bell`.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

#: A worker that ends sooner than this, in seconds, has not really started.
SOON = 2.0
#: So many of those in a row, and the service stops: it cannot run as it is.
TRIES = 5


class Bell:
    """One process rings it and all others notice when they next look.

    >>> bell = Bell()
    >>> bell.rang(), bell.ring(), bell.rang(), bell.rang()
    (False, None, True, False)
    """

    def __init__(self) -> None:
        self._cell = memoryview(mmap.mmap(-1, 8)).cast("q")
        self._heard = 0

    def ring(self) -> None:
        # two that ring at once may count as one: whoever looks afterwards notices all the same
        self._cell[0] += 1

    def ring_others(self) -> None:
        """As :meth:`ring`, but this process does not notice."""
        self.ring()
        self._heard += 1

    def rang(self) -> bool:
        """Whether it rang since this process last asked."""
        now = self._cell[0]
        heard, self._heard = self._heard, now
        return now != heard


class Workers:
    """The processes of a service, as the one that watches them sees them.

    Args:
        count: how many.
        work: what a worker does: gets its number, from 0, and a descriptor that becomes readable
            when the watching process is gone; returns its exit code.
        say: gets a line about a worker that ended by itself.
        bell: rung by SIGHUP.

    Raises:
        ArgumentError: this system cannot fork.
    """

    def __init__(
        self,
        count: int,
        work: Callable[[int, int], int],
        say: Callable[[str], object],
        bell: Bell,
    ) -> None:
        if not hasattr(os, "fork"):
            raise ArgumentError("--workers: this system cannot fork: use 1")
        self._count = count
        self._work = work
        self._say = say
        self._bell = bell
        self._alive: dict[int, tuple[int, float]] = {}  # process -> worker, when it started
        self._stopping = False
        self._failed = 0

    def run(self) -> int:
        """Until SIGTERM, SIGINT or the end of all; the exit code."""
        self._read, self._write = os.pipe()
        before = {
            number: signal.signal(number, handler)
            for number, handler in (
                (signal.SIGTERM, self._stop),
                (signal.SIGINT, self._stop),
                (signal.SIGHUP, self._ring),
            )
        }
        try:
            for worker in range(self._count):
                self._start(worker)
            while self._alive:
                self._ended(*os.waitpid(-1, 0))
        finally:
            for number, old in before.items():
                signal.signal(number, old)
            os.close(self._read)
            os.close(self._write)
        return 1 if self._failed >= TRIES else 0

    def _start(self, worker: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # a signal that comes between the fork and the note of it would miss the new process
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        if self._stopping:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            return
        process = os.fork()
        if process == 0:
            code = 1
            try:
                os.close(self._write)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the watching process rings
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
                code = self._work(worker, self._read)
            except KeyboardInterrupt:
                code = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        self._alive[process] = (worker, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _ended(self, process: int, status: int) -> None:
        worker, started = self._alive.pop(process)
        if self._stopping:
            return
        self._failed = self._failed + 1 if time.monotonic() - started < SOON else 0
        how = os.waitstatus_to_exitcode(status)
        ended = f"by signal {-how}" if how < 0 else f"with exit code {how}"
        self._say(f"worker {worker + 1} ended {ended}")
        if self._failed >= TRIES:
            self._say(f"{TRIES} workers ended as soon as they started: the service stops")
            self._stop(signal.SIGTERM, None)
        else:
            self._start(worker)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True
        for process in self._alive:
            with suppress(ProcessLookupError):  # ended, and not yet taken out
                os.kill(process, signal.SIGTERM)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self._bell.ring()


if sys.platform != "win32":
    _SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
