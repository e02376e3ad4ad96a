"""Input and output of commands: paths, standard streams, binary files, and progress in them."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError, check_path, wrong_type
from segmenter.files.atomic import WholeFile, name_full_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    File = str | os.PathLike[str] | IO[bytes]
    Progress = bool | Callable[[int, int | None], object] | None


def name_of(file: File, argument: str) -> str:
    """Return the name of a file in messages.

    Raises:
        TypeError: neither a path nor a binary file.
    """
    if isinstance(file, (str, os.PathLike)):
        name = os.fspath(file)
        if not isinstance(name, str):
            raise wrong_type(argument, file, "a path as str, or a binary file")
        check_path(argument, name)
        if name != "-":
            return name
        return "standard input" if argument == "src" else "standard output"
    if not hasattr(file, "read" if argument == "src" else "write"):
        raise wrong_type(argument, file, "a path as str, or a binary file")
    if hasattr(file, "encoding"):
        raise TypeError(f"{argument} is a text file: open it in binary mode, or pass its .buffer")
    called = getattr(file, "name", None)
    if not isinstance(called, str):
        return "<stream>"
    return {"<stdin>": "standard input", "<stdout>": "standard output"}.get(called, called)


@contextmanager
def open_source(src: File) -> Iterator[IO[bytes]]:
    """The binary file behind a path, ``"-"`` (standard input) or a file; closed if opened here."""
    name = name_of(src, "src")
    if not isinstance(src, (str, os.PathLike)):
        yield src
    elif os.fspath(src) == "-":
        if sys.stdin is None:
            raise ArgumentError("src: there is no standard input: give a file")
        yield sys.stdin.buffer
    else:
        with open(name, "rb") as file:
            yield file


@contextmanager
def open_target(dst: File, source: IO[bytes] | None = None) -> Iterator[IO[bytes]]:
    """The binary file to write to: a new file that takes ``dst``'s place once all is written.

    An error, Ctrl-C among them, leaves ``dst`` as it was.  ``"-"`` is standard output; a file
    object, a pipe or a device is written to directly.

    Args:
        source: what is being read; refused where it is the same file as ``dst``.
    """
    name = name_of(dst, "dst")
    if not isinstance(dst, (str, os.PathLike)):
        _refuse_same(status_of(dst), source, name)
        with _naming(name):
            yield dst
        return
    if os.fspath(dst) == "-":
        if sys.stdout is None:
            raise ArgumentError("dst: there is no standard output: give a file")
        _refuse_same(status_of(sys.stdout.buffer), source, name)
        with _naming(name):
            yield sys.stdout.buffer
        return
    target = os.path.realpath(name)
    mode = None
    with suppress(FileNotFoundError):
        there = os.stat(target)
        mode = there.st_mode
        _refuse_same(there, source, name)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if mode is not None and not stat.S_ISREG(mode):
        with _naming(name), open(target, "wb") as file:
            yield file
        return
    with WholeFile(name) as file:
        yield file


@contextmanager
def _naming(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        name_full_file(e, name)
        raise


def status_of(file: IO[bytes]) -> os.stat_result | None:
    """What the operating system says of a file; None where there is no file behind it."""
    with suppress(OSError, AttributeError, ValueError):
        return os.fstat(file.fileno())
    return None


def write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Writes all of ``data``: an unbuffered file (standard output under ``python -u``) may take
    a part at a time."""
    left = memoryview(data)
    while left:
        taken = file.write(left)
        if taken is None:
            if isinstance(file, io.RawIOBase):
                raise BlockingIOError(errno.EAGAIN, "the output does not block and is full")
            return  # a file of the caller's that does not count
        left = left[taken:]


def _refuse_same(there: os.stat_result | None, source: IO[bytes] | None, name: str) -> None:
    here = None if source is None else status_of(source)
    if here is None or there is None or not stat.S_ISREG(here.st_mode):
        return
    if os.path.samestat(here, there):
        raise ArgumentError(f"dst: {name} is the file that is read: write to another one")


def size_of(reader: IO[bytes]) -> int | None:
    """The length of a plain file; None of anything else."""
    status = status_of(reader)
    return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None


def writer_is_terminal(writer: IO[bytes]) -> bool:
    """Whether what is written goes to a terminal, where a progress bar would be in its way."""
    with suppress(OSError, AttributeError, ValueError):
        return writer.isatty()
    return False


@contextmanager
def reporter(
    progress: Progress, name: str, total: int | None, quiet: bool
) -> Iterator[Callable[[int], object]]:
    """What is called with the bytes done: the caller's function, a bar, or nothing.

    Args:
        progress: as given to :meth:`segmenter.Segmenter.cut_file`.
        name: what is read, shown before the bar.
        total: bytes in all, if known.
        quiet: no bar where the caller leaves it open.
    """
    if callable(progress):
        called = progress
        yield lambda done: called(done, total)
        return
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and not quiet
    if not progress or sys.stderr is None:
        yield lambda done: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield from _count(name, total)
        return
    # 0.5 s: nothing flashes up for a small file
    with tqdm(desc=name, total=total, unit="B", unit_scale=True, file=sys.stderr, delay=0.5) as bar:
        yield lambda done: bar.update(done - bar.n)


def _count(name: str, total: int | None) -> Iterator[Callable[[int], object]]:
    """One line that is written again: bytes, and where the size is known share and time left."""
    started = time.monotonic()
    shown: float | None = None
    last = width = 0

    def show() -> None:
        nonlocal width
        line = f"{name}: {last / 1e6:.1f} MB"
        if total:
            left = (time.monotonic() - started) * (total - last) / max(last, 1)
            line = f"{name}: {last / 1e6:.1f} of {total / 1e6:.1f} MB, {last / total:.0%}"
            line += f", {left:.0f} s left" if last < total else ""
        sys.stderr.write("\r" + line.ljust(width))
        sys.stderr.flush()
        width = len(line)

    def report(done: int) -> None:
        nonlocal shown, last
        last, now = done, time.monotonic()
        # nothing flashes up for a small file
        if now - started >= 0.5 and (shown is None or now - shown >= 0.2):
            shown = now
            show()

    try:
        yield report
    finally:
        if shown is not None:
            show()
            sys.stderr.write("\n")
