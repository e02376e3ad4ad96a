"""Read files of other libraries as bytes, lines or JSON, with errors that name the file."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from segmenter.errors import EncodingError, SegmenterError
from segmenter.files import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any, AnyStr


class FormatError(SegmenterError, ValueError):
    """A file of another library is damaged, or uses an unsupported feature.

    Args:
        path: the file.
        reason: what is wrong, and what to do.
        line: line number, counted from 1, if known.

    >>> print(FormatError("merges.txt", "expected a pair", 3))
    merges.txt, line 3: expected a pair
    """

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        super().__init__(path, reason, line)
        self.path = path
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        location = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{location}: {self.reason}"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""(line number, line without its end) of a UTF-8 file; only ``\n`` and ``\r\n`` end lines.

    Raises:
        FormatError: the file is not UTF-8.
    """
    name = os.fspath(path)
    try:
        yield from reading.read_lines(path)
    except EncodingError as e:
        raise FormatError(name, f"is not UTF-8: {e.reason}", e.line) from e


def read_json(path: str | os.PathLike[str]) -> Any:
    """The content of a JSON file.

    Raises:
        FormatError: the file is not JSON.
    """
    try:
        return json.loads(read_bytes(path))
    except (ValueError, RecursionError) as e:  # a number of 5,000 digits raises a bare ValueError
        raise FormatError(os.fspath(path), f"is not JSON: {e}") from e


def splits(pieces: Collection[AnyStr]) -> Iterator[tuple[AnyStr, AnyStr, AnyStr]]:
    """Every way to split a piece into two pieces: (piece, left, right), shortest ``left`` first.

    Only lengths of existing pieces are tried, so that a piece of a megabyte is not expensive.

    Args:
        pieces: a set, or another collection with a fast ``in``.

    >>> list(splits({"l": 0, "o": 1, "w": 2, "lo": 3, "ow": 4, "low": 5}))[2:]
    [('low', 'l', 'ow'), ('low', 'lo', 'w')]
    """
    lengths: list[int] = sorted({len(piece) for piece in pieces})
    length_set = {*lengths}
    for piece in pieces:
        size = len(piece)
        for i in lengths:
            if i >= size:
                break
            if size - i in length_set and piece[:i] in pieces and piece[i:] in pieces:
                yield piece, piece[:i], piece[i:]
