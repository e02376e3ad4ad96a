"""Whether handlers of signals run while a long call works, and not only after it."""

from __future__ import annotations

import gc
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Stop(Exception):
    """What the handler raises."""


def check_heard(call: Callable[[int], object]) -> None:
    """Of many signals, the call hears more than the one after it.

    Args:
        call: takes how many times as long as at first it is to be.  One that ends before it heard
            anything is made again with twice the size, until it takes a second.
    """
    assert threading.current_thread() is threading.main_thread()
    heard = 0
    within = False

    def handler(*_: object) -> None:
        nonlocal heard, within
        heard += 1
        if heard >= 2 and within:
            within = False
            raise Stop

    def is_stopped(size: int) -> bool:
        nonlocal heard, within
        heard, within = 0, True
        signal.setitimer(signal.ITIMER_REAL, 0.03, 0.002)
        try:
            call(size)
            within = False
        except Stop:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return False

    before = signal.signal(signal.SIGALRM, handler)
    gc.disable()  # an exception in a callback of the collector would be lost
    try:
        size, took = 1, 0.0
        begun = time.perf_counter()
        while not is_stopped(size):
            took = time.perf_counter() - begun
            assert took < 1, f"in {took:.2f} s no signal was heard before the end"
            size, begun = size * 2, time.perf_counter()
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.enable()
