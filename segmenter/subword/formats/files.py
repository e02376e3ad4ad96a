"""Reading the files of other libraries: bytes, lines and JSON, with errors that name the file."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, TypeVar

from segmenter import files
from segmenter.errors import EncodingError, SegmenterError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

Piece = TypeVar("Piece", str, bytes)


class FormatError(SegmenterError, ValueError):
    """A file of another library is damaged, or uses what is not supported.

    Args:
        path: the file.
        reason: what is wrong, and what to do.
        line: line number, counted from 1, where there is one.

    >>> print(FormatError("merges.txt", "expected a pair", 3))
    merges.txt, line 3: expected a pair
    """

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        super().__init__(path, reason, line)
        self.path = path
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: {self.reason}"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """A file's content."""
    with open(path, "rb") as f:
        return f.read()


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""(line number, line without its end) of a UTF-8 file; only ``\n`` and ``\r\n`` end lines.

    Raises:
        FormatError: the file is not UTF-8.
    """
    name = os.fspath(path)
    try:
        yield from files.read_lines(path)
    except EncodingError as e:
        raise FormatError(name, f"is not UTF-8: {e.reason}", e.line) from e


def read_json(path: str | os.PathLike[str]) -> Any:
    """What a JSON file holds.

    Raises:
        FormatError: it is not JSON.
    """
    try:
        return json.loads(read_bytes(path))
    except (ValueError, RecursionError) as e:  # a number of 5,000 digits is a bare ValueError
        raise FormatError(os.fspath(path), f"is not JSON: {e}") from e


def parted(pieces: Collection[Piece]) -> Iterator[tuple[Piece, Piece, Piece]]:
    """Every way to make a piece of two: (piece, left, right), ``left`` short to long.

    Only lengths that pieces have are tried: a piece of a megabyte costs no more than it should.

    Args:
        pieces: a set, or what else answers ``in`` quickly.

    >>> list(parted({"l": 0, "o": 1, "w": 2, "lo": 3, "ow": 4, "low": 5}))[2:]
    [('low', 'l', 'ow'), ('low', 'lo', 'w')]
    """
    lengths: list[int] = sorted({len(piece) for piece in pieces})
    there = {*lengths}
    for piece in pieces:
        size = len(piece)
        for i in lengths:
            if i >= size:
                break
            if size - i in there and piece[:i] in pieces and piece[i:] in pieces:
                yield piece, piece[:i], piece[i:]
