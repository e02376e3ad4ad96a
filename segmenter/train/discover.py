"""New words in raw text, found by :mod:`segmenter.lexicon.recurrence`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.files.reading import read_lines
from segmenter.lexicon.recurrence import Discovery, NewWord, discover_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Sequence

    Path = str | os.PathLike[str]


def discover(
    paths: Path | Sequence[Path],
    *,
    known: Collection[Container[str]] = (),
    min_count: int = 10,
    max_length: int = 4,
    min_pmi: float = 5.0,
    min_entropy: float = 1.5,
    max_strings: int = 20_000_000,
    encoding: str = "utf-8",
    errors: str = "strict",
    progress: Callable[[int, int], object] | None = None,
) -> Discovery:
    """Find words in raw text that are not in a lexicon.

    Args:
        paths: one or several files, which are read ``max_length + 1`` times.
        known: lexicons, user dictionaries or sets of known words, which are looked up folded.
        min_count: fewest occurrences of a word.
        max_length: most characters of a word, 2 to 16.
        min_pmi: least pointwise mutual information of its parts, in nats.
        min_entropy: least branching entropy on either side, in nats.
        max_strings: most distinct strings counted at once, 16 bytes each.
        encoding: of the files.
        errors: ``"strict"``, or ``"replace"`` for bytes that are not in ``encoding``.
        progress: called before each reading with its number, from 1, and the number of readings.

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

    return discover_in(
        lines,
        known=known,
        min_count=min_count,
        max_length=max_length,
        min_pmi=min_pmi,
        min_entropy=min_entropy,
        max_strings=max_strings,
        progress=progress,
    )


__all__ = ["Discovery", "NewWord", "discover", "discover_in"]
