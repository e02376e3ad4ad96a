"""TextRank's graph and its ranks (Mihalcea & Tarau 2004); the readable form is in tests/reference.

>>> ranks(["老虎", "狮子", None, "老虎"], 3, 0.85)
{'老虎': 1.0, '狮子': 1.0}
"""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOLERANCE = 1e-4
_MAX_ROUNDS = 200


def ranks(words: Sequence[str | None], span: int, damping: float) -> dict[str, float]:
    """Return the rank of every word with a neighbour, in the order of the first neighbours.

    Args:
        words: the words of the text; None for a word that cannot be a keyword.
        span, damping: see :class:`segmenter.keywords.TextRank`.
    """
    shifted = [[*words[k:], *[None] * k] for k in range(span)]
    counts = Counter(
        (word, neighbour)
        for word, *window in zip(*shifted, strict=False)
        if word is not None
        for neighbour in window
        if neighbour is not None and neighbour != word
    )
    edges: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (word, neighbour), n in counts.items():
        edges[word][neighbour] += n
        edges[neighbour][word] += n
    return _converge(edges, damping)


def _converge(edges: dict[str, defaultdict[str, int]], damping: float) -> dict[str, float]:
    # The share of a neighbour in the rank of a word, rank * n / total, depends only on the word and
    # n.  It is computed once when the rank changes; a round adds up the shares from neighbours.
    shares = [0.0]
    share_index: dict[tuple[str, int], int] = {}
    steps = []
    for number, (word, weights) in enumerate(edges.items()):
        total = sum(weights.values())
        own_shares = []
        for n in set(weights.values()):
            own_shares.append((len(shares), n))
            share_index[word, n] = len(shares)
            shares.append(n / total)
        steps.append((number, total, *own_shares[0], own_shares[1:]))
    # share 0 belongs to no word: an itemgetter of one index would not return a tuple
    collectors = [
        itemgetter(*map(share_index.__getitem__, weights.items()), 0) for weights in edges.values()
    ]
    rank_of = [1.0] * len(steps)
    base = 1 - damping
    for _ in range(_MAX_ROUNDS):
        largest_change = 0.0
        for collect, (number, total, index, n, others) in zip(collectors, steps, strict=True):
            rank = base + damping * sum(collect(shares))
            change = rank - rank_of[number]
            if change > largest_change or -change > largest_change:
                largest_change = abs(change)
            rank_of[number] = rank
            shares[index] = rank * n / total
            for index, n in others:
                shares[index] = rank * n / total
        if largest_change < _TOLERANCE:
            break
    return dict(zip(edges, rank_of, strict=True))
