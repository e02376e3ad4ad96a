"""Finds headlines by their words: a small program over segmenter, typed from end to end.

>>> index = Index(["研究生命起源", "他说的确实在理", "生命科学的研究"])
>>> [hit.headline for hit in index.search("生命研究")]
['研究生命起源', '生命科学的研究']
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import segmenter as seg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Hit(NamedTuple):
    """A headline that was found, and where the words of the query stand in it."""

    headline: str
    spans: list[tuple[int, int]]


class Index:
    """An inverted index of headlines.

    Args:
        headlines: what is searched.
        words: words of one's own, such as names.
    """

    def __init__(self, headlines: Iterable[str], words: Sequence[str] = ()) -> None:
        self._segmenter: seg.Segmenter = seg.load("fast").with_words(words)
        self._headlines = list(headlines)
        self._where: defaultdict[str, dict[int, list[tuple[int, int]]]] = defaultdict(dict)
        for number, headline in enumerate(self._headlines):
            for token in self._segmenter.tokenize(headline, mode="search"):
                if token.kind not in ("space", "newline"):
                    spans = self._where[token.text].setdefault(number, [])
                    spans.append((token.start, token.end))

    def search(self, query: str) -> list[Hit]:
        """The headlines that have all words of ``query``, in their order."""
        words = self._segmenter.cut(query)
        if not words:
            return []
        found = set.intersection(*({*self._where.get(word, {})} for word in words))
        return [
            Hit(self._headlines[n], sorted(s for word in words for s in self._where[word][n]))
            for n in sorted(found)
        ]
