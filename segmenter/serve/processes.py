"""Several processes that answer on one socket: they are forked, watched, and stopped together.

What is made before they are forked is shared: the socket, compiled files (mapped) and the words of
the user.  uvicorn's own workers are started afresh, each of which loads all of that again, and
outlive the process that watches them where that is killed.
"""

from __future__ import annotations

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


class Supervisor:
    """Starts workers, starts another where one dies, and hands signals on to them.

    SIGTERM and SIGINT stop all; SIGHUP goes to each worker.

    Args:
        work: what a worker does, with SIGHUP blocked: gets a descriptor that becomes readable when
            the supervisor is gone, and whether there was a SIGHUP before; returns its exit code.
        ended: gets the id of a worker that ended.
        say: gets a line about a worker that ended by itself.

    Raises:
        ArgumentError: this system cannot fork.
    """

    def __init__(
        self,
        count: int,
        work: Callable[[int, bool], int],
        ended: Callable[[int], object],
        say: Callable[[str], object],
    ) -> None:
        if not hasattr(os, "fork"):
            raise ArgumentError("--workers: this system cannot fork: use 1")
        self._count = count
        self._work = work
        self._ended = ended
        self._say = say
        self._started: dict[int, float] = {}  # by process
        self._failed = 0
        self._stopping = False
        self._hung_up = False

    def run(self) -> int:
        """Until SIGTERM, SIGINT or the end of all; the exit code."""
        self._read, self._write = os.pipe()
        before = {number: signal.signal(number, self._signalled) for number in _SIGNALS}
        try:
            for _ in range(self._count):
                self._start()
            while self._started:
                self._replace(*os.waitpid(-1, 0))
        finally:
            for number, old in before.items():
                signal.signal(number, old)
            os.close(self._read)
            os.close(self._write)
        return 1 if self._failed >= TRIES else 0

    def _start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # a signal that comes between the fork and the note of it would miss the new process
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        if not self._stopping:
            process = os.fork()
            if process == 0:
                self._be_worker()
            self._started[process] = time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _be_worker(self) -> None:
        code = 1
        try:
            os.close(self._write)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            # SIGHUP waits until the worker has a handler for it
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
            code = self._work(self._read, self._hung_up)
        except KeyboardInterrupt:
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _replace(self, process: int, status: int) -> None:
        started = self._started.pop(process)
        self._ended(process)
        if self._stopping:
            return
        self._failed = self._failed + 1 if time.monotonic() - started < SOON else 0
        how = os.waitstatus_to_exitcode(status)
        by = f"was ended by signal {-how}" if how < 0 else f"ended with exit code {how}"
        self._say(f"worker {process} {by}")
        if self._failed >= TRIES:
            self._say(f"{TRIES} workers ended as soon as they started: the service stops")
            self._signalled(signal.SIGTERM, None)
        else:
            self._start()

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._hung_up = True
        else:
            self._stopping = True
            number = signal.SIGTERM
        for process in self._started:
            with suppress(ProcessLookupError):  # ended, and not yet taken out
                os.kill(process, number)


if sys.platform != "win32":
    _SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
