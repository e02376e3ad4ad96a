"""Regular expressions of pre-tokenisers, and added tokens (``subword/expressions.hpp``)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def expression_ends(node: Any, text: str, start: int) -> Iterator[int]:
    """The ends of matches from ``start`` of a tree of :mod:`segmenter.subword.expressions`, in the
    order in which a backtracking engine tries them; recursive, without bounds."""
    kind, n = type(node).__name__, len(text)
    if kind == "Set":
        if start < n and any(low <= ord(text[start]) <= high for low, high in node.ranges):
            yield start + 1
    elif kind == "Concat":
        if not node.parts:
            yield start
            return
        rest = type(node)(node.parts[1:])
        for middle in expression_ends(node.parts[0], text, start):
            yield from expression_ends(rest, text, middle)
    elif kind == "Alternation":
        for part in node.parts:
            yield from expression_ends(part, text, start)
    elif kind == "Repeat" and node.mode == "+":
        yield from itertools.islice(expression_ends(node._replace(mode=""), text, start), 1)
    elif kind == "Repeat":
        if node.mode == "?" and node.minimum == 0:
            yield start
        if node.maximum:
            maximum = node.maximum if node.maximum == 0xFFFFFFFF else node.maximum - 1
            rest = node._replace(minimum=max(0, node.minimum - 1), maximum=maximum)
            for middle in expression_ends(node.part, text, start):
                if middle > start or node.minimum:
                    yield from expression_ends(rest, text, middle)
        if node.mode == "" and node.minimum == 0:
            yield start
    elif kind == "Atomic":
        yield from itertools.islice(expression_ends(node.part, text, start), 1)
    elif kind == "Lookaround":
        starts = [start] if node.ahead else range(start + 1)
        matches = any(
            node.ahead or end == start
            for i in starts
            for end in expression_ends(node.part, text, i)
        )
        if matches != node.negated:
            yield start
    elif _is_anchor(node, text, start):
        yield start


def _is_anchor(node: Any, text: str, i: int) -> bool:
    kind: str = node.kind
    at_end: bool = node.at_end

    def within(offset: int) -> bool:
        is_inside = 0 <= offset < len(text)
        return is_inside and any(low <= ord(text[offset]) <= high for low, high in node.ranges)

    if kind == "begin":
        return i == 0
    if kind == "end":
        return i == len(text)
    if kind == "line begin":
        return i == 0 or (within(i - 1) and (i < len(text) or at_end))
    if kind == "line end":
        return i == len(text) or within(i)
    return (within(i - 1) != within(i)) is (kind == "word")


def expression_matches(node: Any, text: str) -> list[tuple[int, int]]:
    """All matches from left to right; none that is empty at the end of the one before."""
    matches_found: list[tuple[int, int]] = []
    i = 0
    while i <= len(text):
        end = next(expression_ends(node, text, i), None)
        if end is None or (end == i and matches_found and matches_found[-1][1] == i):
            i += 1
        else:
            matches_found.append((i, end))
            i = end
    return matches_found


def leftmost_longest(tokens: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """(start, end, index) of tokens in a text: leftmost, then longest, not overlapping."""
    spans_found = []
    i = 0
    while i < len(text):
        matches = [(len(token), k) for k, token in enumerate(tokens) if text.startswith(token, i)]
        if matches:
            length, k = max(matches)
            spans_found.append((i, i + length, k))
            i += length
        else:
            i += 1
    return spans_found
