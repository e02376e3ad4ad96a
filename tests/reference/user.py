"""Which words of the user apply (``user/find.hpp``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def user_spans(text: str, levels: Mapping[str, str]) -> list[tuple[int, int]]:
    """The words of the user that apply: force over prefer, then the longest, then the leftmost.

    Args:
        text: any text.  The context of a word is ignored (the kernel skips words that begin or
            end inside a run of letters or digits, or cut a grapheme cluster).
        levels: word -> ``"force"`` or ``"prefer"``.

    Returns:
        disjoint spans (start, end), ascending.

    >>> user_spans("他说的确实在理", {"的确": "prefer", "确实在": "prefer", "他说": "force"})
    [(0, 2), (3, 6)]
    """
    spans = [
        (level != "force", -len(word), start)
        for word, level in levels.items()
        for start in range(len(text))
        if text.startswith(word, start)
    ]
    spans_found: list[tuple[int, int]] = []
    for _, negative, start in sorted(spans):
        end = start - negative
        if all(end <= a or b <= start for a, b in spans_found):
            spans_found.append((start, end))
    return sorted(spans_found)
