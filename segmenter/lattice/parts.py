"""Divides long texts where no word crosses, so that memory does not grow with the text.

A part ends after a mark such as ``，`` before a Han character, if no edge of the DAG crosses the
end.  So every word in the text is in one of the parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segmenter.lattice.dag import WordDag

#: The least number of characters in a part.
PART = 1 << 16
_MARKS = "，。！？；：、\n"
# marks tried in a row before the search skips ahead by half a part
_MAX_TRIES = 64


def parts(
    text: str, dag: Callable[[str], WordDag], longest: int, size: int
) -> Iterator[tuple[int, int]]:
    """Yield spans that tile ``text``; no edge of its DAG crosses their ends.

    Args:
        text: any text.
        dag: returns the DAG of a short text.
        longest: the length of the longest word in ``dag``.
        size: the least length of a part; the last part is less than twice as long.  A part is
            longer if no mark ends it.

    >>> from segmenter import load
    >>> s = load("fast", decoder="unigram")
    >>> list(parts("他说，的确实在理，我们，在理", s.dag, 8, 4))
    [(0, 9), (9, 14)]
    """
    start = 0
    while len(text) - start >= 2 * size:
        end = _part_end(text, start + size, dag, longest, size)
        if end is None:
            break
        yield start, end
        start = end
    yield start, len(text)


def _part_end(
    text: str, offset: int, dag: Callable[[str], WordDag], longest: int, size: int
) -> int | None:
    """Return the first possible end of a part after ``offset``, or None."""
    tries = 0
    while offset + 1 < len(text):
        marks = [k for k in (text.find(mark, offset, offset + size) for mark in _MARKS) if k >= 0]
        if not marks or tries == _MAX_TRIES:
            offset, tries = offset + size // 2, 0
            continue
        offset = min(marks) + 1
        tries += 1
        if offset < len(text) and "\u4e00" <= text[offset] <= "\u9fff":
            first = max(0, offset - longest)
            edges = dag(text[first : offset + longest]).edges
            if not any(first + edge.start < offset < first + edge.end for edge in edges):
                return offset
    return None
