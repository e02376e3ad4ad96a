"""New words in raw text, found by :mod:`segmenter.lexicon.recurrence`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError
from segmenter.files.reading import read_lines
from segmenter.lexicon.recurrence import Discovery, NewWord, discover_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Path = str | os.PathLike[str]


def discover(
    paths: Path | Sequence[Path], *, encoding: str = "utf-8", errors: str = "strict", **bounds: Any
) -> Discovery:
    """Find words in raw text that are not in a lexicon.

    Args:
        paths: one or several files, which are read ``max_length + 1`` times.
        encoding: of the files.
        errors: ``"strict"``, or ``"replace"`` for bytes that are not in ``encoding``.
        bounds: as of :func:`segmenter.lexicon.recurrence.discover_in`.

    Raises:
        ArgumentError: a number is out of range; or standard input, which can be read only once.
        EncodingError: a file is not in ``encoding``.
        OSError: a file cannot be read.
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not files:
        raise ArgumentError("paths: no file is named")
    if any(os.fspath(file) == "-" for file in files):
        raise ArgumentError("paths: the text is read several times; standard input cannot be")

    def lines() -> Iterator[str]:
        for file in files:
            for _, line in read_lines(file, encoding, errors):
                yield line

    return discover_in(lines, **bounds)


__all__ = ["Discovery", "NewWord", "discover", "discover_in"]
