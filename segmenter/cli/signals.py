"""Signals that end a command cleanly: half-written files are removed, and the exit code says why.

Ctrl-C is Python's own KeyboardInterrupt; SIGTERM becomes an exception too, so that ``with`` blocks
and ``finally`` run.  SIGPIPE stays ignored, as Python has it: writing then fails with
BrokenPipeError.
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
    """SIGTERM; a BaseException, so that no ``except Exception`` keeps a command running."""


@contextmanager
def sigterm_raises() -> Iterator[None]:
    """Have SIGTERM raise :class:`Terminated` inside the block, if this is the main thread.

    A process that was started with SIGTERM ignored keeps ignoring it.
    """
    possible = threading.current_thread() is threading.main_thread() and sys.platform != "win32"
    if not possible or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated
