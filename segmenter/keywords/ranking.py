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

_SETTLED = 1e-4
_MOST_ROUNDS = 200


def ranks(words: Sequence[str | None], span: int, damping: float) -> dict[str, float]:
    """The rank of every word that has a neighbour, in the order in which they first have one.

    Args:
        words: of the text; None: a word that may be no keyword.
        span, damping: see :class:`segmenter.keywords.TextRank`.
    """
    ends = [[*words[k:], *[None] * k] for k in range(span)]
    counts = Counter(
        (word, other)
        for word, *near in zip(*ends, strict=False)
        if word is not None
        for other in near
        if other is not None and other != word
    )
    edges: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (word, other), n in counts.items():
        edges[word][other] += n
        edges[other][word] += n
    return _settled(edges, damping)


def _settled(edges: dict[str, defaultdict[str, int]], damping: float) -> dict[str, float]:
    # What a word hands to a neighbour, rank * n / total, depends on the word and n alone.  It is
    # computed once when the word's rank changes; a round adds up what the neighbours handed out.
    shares = [0.0]
    places: dict[tuple[str, int], int] = {}
    steps = []
    for k, (word, near) in enumerate(edges.items()):
        total = sum(near.values())
        mine = []
        for n in set(near.values()):
            mine.append((len(shares), n))
            places[word, n] = len(shares)
            shares.append(n / total)
        steps.append((k, total, *mine[0], mine[1:]))
    # place 0 is no word's: with one place alone an itemgetter would give no tuple
    handed = [itemgetter(*map(places.__getitem__, near.items()), 0) for near in edges.values()]
    found = [1.0] * len(steps)
    base = 1 - damping
    for _ in range(_MOST_ROUNDS):
        moved = 0.0
        for taken, (k, total, place, n, more) in zip(handed, steps, strict=True):
            new = base + damping * sum(taken(shares))
            change = new - found[k]
            if change > moved or -change > moved:
                moved = abs(change)
            found[k] = new
            shares[place] = new * n / total
            for place, n in more:
                shares[place] = new * n / total
        if moved < _SETTLED:
            break
    return dict(zip(edges, found, strict=True))
