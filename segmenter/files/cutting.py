"""Cuts files line by line, in bounded memory, and writes the result atomically.

Each line of input gives a line of output.  The caller passes a function that cuts the UTF-8 bytes
of whole lines; this module handles encodings, chunks, line numbers of errors, progress and the
atomic writing of the result.
A line ends at ``\\n``; a ``\\r`` before it belongs to the line end.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from segmenter.files.opening import (
    name_of,
    open_source,
    open_target,
    reporter,
    size_of,
    write_all,
    writer_is_terminal,
)
from segmenter.files.reading import checked_cut, read_chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.files.opening import File, Progress


class FileSummary(NamedTuple):
    """The result of :meth:`Segmenter.cut_file`.

    Attributes:
        lines: lines read, including a last line without a line end.
        bytes: bytes read.
        seconds: wall-clock time.

    >>> print(FileSummary(2, 3_000_000, 0.5))
    2 lines, 3.00 MB in 0.50 s (6.0 MB/s)
    """

    lines: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        speed = self.bytes / 1e6 / max(self.seconds, 1e-9)
        return (
            f"{self.lines:,} lines, {self.bytes / 1e6:.2f} MB in {self.seconds:.2f} s "
            f"({speed:.1f} MB/s)"
        )


def cut_file(
    cut: Callable[[bytes], bytes],
    src: File,
    dst: File,
    *,
    progress: Progress = None,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> FileSummary:
    """Cut ``src`` into ``dst``; see :meth:`segmenter.Segmenter.cut_file`, which calls this.

    Args:
        cut: cuts the UTF-8 bytes of whole lines, line by line.
    """
    start_time = time.perf_counter()
    name = name_of(src, "src")
    with open_source(src) as reader, open_target(dst, reader) as writer:
        quiet = writer_is_terminal(writer)
        with reporter(progress, name, size_of(reader), quiet) as report:
            lines = bytes_read = 0
            for data, count, end in read_chunks(reader, name, encoding, errors):
                write_all(writer, checked_cut(cut, data, name, lines, bytes_read, encoding, errors))
                writer.flush()  # a reader of the output need not wait for more input
                lines += count
                bytes_read = end
                report(bytes_read)
    return FileSummary(lines, bytes_read, time.perf_counter() - start_time)
