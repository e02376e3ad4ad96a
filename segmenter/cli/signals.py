"""Signals that end a command cleanly: half-written files are removed, and the exit code says why.

Ctrl-C is Python's own KeyboardInterrupt; SIGTERM and SIGHUP (the terminal was closed) become
exceptions too, so that ``with`` blocks and ``finally`` run.  SIGPIPE stays ignored, as Python has
it: writing then fails with BrokenPipeError.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Terminated(BaseException):
    """SIGTERM or SIGHUP; a BaseException, so that no ``except Exception`` keeps a command running.

    Attributes:
        number: the signal's number.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def signals_raise() -> Iterator[None]:
    """Have SIGTERM and SIGHUP raise :class:`Terminated` inside the block, in the main thread.

    A process that was started with one of them ignored (nohup) keeps ignoring it.
    """
    taken = []
    if threading.current_thread() is threading.main_thread() and sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _raise)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
