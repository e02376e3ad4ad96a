"""segmenter/keywords/ranking.py as the paper says it: every edge looked at in every round."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ranks(words: Sequence[str | None], span: int, damping: float) -> dict[str, float]:
    edges: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for i, word in enumerate(words):
        for neighbour in words[i + 1 : i + span]:
            if word is not None and neighbour is not None and neighbour != word:
                edges[word][neighbour] += 1
                edges[neighbour][word] += 1
    ranks_now = dict.fromkeys(edges, 1.0)
    total = {word: sum(near.values()) for word, near in edges.items()}
    for _ in range(200):
        moved = 0.0
        for word, near in edges.items():
            share = sum(
                ranks_now[neighbour] * n / total[neighbour] for neighbour, n in near.items()
            )
            new = 1 - damping + damping * share
            moved = max(moved, abs(new - ranks_now[word]))
            ranks_now[word] = new
        if moved < 1e-4:
            break
    return ranks_now
