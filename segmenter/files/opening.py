"""Input and output of commands: paths, standard streams, binary files, and progress."""

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
    """Return the name of a file for messages.

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
    file_name = getattr(file, "name", None)
    if not isinstance(file_name, str):
        return "<stream>"
    return {"<stdin>": "standard input", "<stdout>": "standard output"}.get(file_name, file_name)


@contextmanager
def open_source(src: File) -> Iterator[IO[bytes]]:
    """Open a path or ``"-"`` (standard input), or pass on a file of the caller's."""
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
    """Open a new binary file, which replaces ``dst`` once all is written.

    An error or Ctrl-C leaves ``dst`` unchanged.  ``"-"`` is standard output; a file object, a pipe
    or a device is written to directly.

    Args:
        source: the file that is read; an error if it is the same file as ``dst``.
    """
    name = name_of(dst, "dst")
    if not isinstance(dst, (str, os.PathLike)):
        _refuse_same(status_of(dst), source, name)
        with _name_in_errors(name):
            yield dst
        return
    if os.fspath(dst) == "-":
        if sys.stdout is None:
            raise ArgumentError("dst: there is no standard output: give a file")
        _refuse_same(status_of(sys.stdout.buffer), source, name)
        with _name_in_errors(name):
            yield sys.stdout.buffer
        return
    with suppress(FileNotFoundError):
        _refuse_same(os.stat(name), source, name)
    with WholeFile(name) as file:
        yield file


@contextmanager
def _name_in_errors(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        name_full_file(e, name)
        raise


def status_of(file: IO[bytes]) -> os.stat_result | None:
    """Return the status of a file; None if the operating system has no such file."""
    with suppress(OSError, AttributeError, ValueError):
        return os.fstat(file.fileno())
    return None


def write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Write all of ``data``, also to an unbuffered file, which may write only a part at a time."""
    remaining = memoryview(data)
    while remaining:
        n_written = file.write(remaining)
        if n_written is None:
            if isinstance(file, io.RawIOBase):
                raise BlockingIOError(errno.EAGAIN, "the output does not block and is full")
            return  # a file of the caller's that does not count bytes
        remaining = remaining[n_written:]


def _refuse_same(target_status: os.stat_result | None, source: IO[bytes] | None, name: str) -> None:
    source_status = None if source is None else status_of(source)
    if source_status is None or target_status is None or not stat.S_ISREG(source_status.st_mode):
        return
    if os.path.samestat(source_status, target_status):
        raise ArgumentError(f"dst: {name} is also the source: write to another file")


def size_of(reader: IO[bytes]) -> int | None:
    """Return the length of a regular file; None for anything else."""
    status = status_of(reader)
    return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None


def writer_is_terminal(writer: IO[bytes]) -> bool:
    """Whether the output goes to a terminal, where a progress bar would disturb it."""
    with suppress(OSError, AttributeError, ValueError):
        return writer.isatty()
    return False


@contextmanager
def reporter(
    progress: Progress, name: str, total: int | None, quiet: bool
) -> Iterator[Callable[[int], object]]:
    """Return a function of the bytes done: the caller's, one that draws a bar, or a dummy.

    Args:
        progress: as in :meth:`segmenter.Segmenter.cut_file`.
        name: the name of the input, shown before the bar.
        total: the number of bytes, if known.
        quiet: no bar if ``progress`` is None.
    """
    if callable(progress):
        callback = progress
        yield lambda bytes_done: callback(bytes_done, total)
        return
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and not quiet
    if not progress or sys.stderr is None:
        yield lambda bytes_done: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield from _progress_line(name, total)
        return
    # 0.5 s: no bar for a small file
    with tqdm(desc=name, total=total, unit="B", unit_scale=True, file=sys.stderr, delay=0.5) as bar:
        yield lambda bytes_done: bar.update(bytes_done - bar.n)


def _progress_line(name: str, total: int | None) -> Iterator[Callable[[int], object]]:
    """A line that is rewritten: bytes done and, if the total is known, share and time left."""
    start_time = time.monotonic()
    shown_at: float | None = None
    bytes_done = width = 0

    def show() -> None:
        nonlocal width
        line = f"{name}: {bytes_done / 1e6:.1f} MB"
        if total:
            seconds = (time.monotonic() - start_time) * (total - bytes_done) / max(bytes_done, 1)
            share = bytes_done / total
            line = f"{name}: {bytes_done / 1e6:.1f} of {total / 1e6:.1f} MB, {share:.0%}"
            line += f", {seconds:.0f} s left" if bytes_done < total else ""
        sys.stderr.write("\r" + line.ljust(width))
        sys.stderr.flush()
        width = len(line)

    def report(n: int) -> None:
        nonlocal shown_at, bytes_done
        bytes_done, now = n, time.monotonic()
        # no line for a small file
        if now - start_time >= 0.5 and (shown_at is None or now - shown_at >= 0.2):
            shown_at = now
            show()

    try:
        yield report
    finally:
        if shown_at is not None:
            show()
            sys.stderr.write("\n")
