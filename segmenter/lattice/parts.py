"""Divides long texts at places that no word crosses, so that memory does not grow with the text.

A part ends after a mark such as ``，`` before a Han character, at a place that no edge of the DAG
around it crosses.  So every word that occurs in the text occurs in one of the parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segmenter.lattice.dag import WordDag

#: Characters of a part, about.
PART = 1 << 16
_MARKS = "，。！？；：、\n"
# places looked at one after another before a part is let grow by half
_TRIES = 64


def parts(
    text: str, dag: Callable[[str], WordDag], longest: int, size: int
) -> Iterator[tuple[int, int]]:
    """Spans that tile ``text``; no edge of its DAG crosses their ends.

    Args:
        text: any text.
        dag: the DAG of a short text.
        longest: characters of the longest word that ``dag`` knows.
        size: of a part, at least; the last one has less than twice as many.  A part is longer
            where nothing ends it.

    >>> from segmenter import load
    >>> s = load("fast", decoder="unigram")
    >>> list(parts("他说，的确实在理，我们，在理", s.dag, 8, 4))
    [(0, 9), (9, 14)]
    """
    start = 0
    while len(text) - start >= 2 * size:
        end = _end(text, start + size, dag, longest, size)
        if end is None:
            break
        yield start, end
        start = end
    yield start, len(text)


def _end(text: str, at: int, dag: Callable[[str], WordDag], longest: int, size: int) -> int | None:
    """The first end of a part from ``at`` on."""
    tried = 0
    while at + 1 < len(text):
        found = [k for k in (text.find(mark, at, at + size) for mark in _MARKS) if k >= 0]
        if not found or tried == _TRIES:
            at, tried = at + size // 2, 0
            continue
        at = min(found) + 1
        tried += 1
        if at < len(text) and "\u4e00" <= text[at] <= "\u9fff":
            first = max(0, at - longest)
            edges = dag(text[first : at + longest]).edges
            if not any(first + edge.start < at < first + edge.end for edge in edges):
                return at
    return None
