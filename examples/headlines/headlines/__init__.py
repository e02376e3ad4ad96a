"""Finds headlines by their words: a small, fully typed program over segmenter.

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
    """A matching headline, and the spans of the query's words in it."""

    headline: str
    spans: list[tuple[int, int]]


class Index:
    """An inverted index of headlines.

    Args:
        headlines: the headlines to search.
        words: more words, such as names.
    """

    def __init__(self, headlines: Iterable[str], words: Sequence[str] = ()) -> None:
        self._segmenter: seg.Segmenter = seg.load("fast").with_words(words)
        self._headlines = list(headlines)
        self._postings: defaultdict[str, dict[int, list[tuple[int, int]]]] = defaultdict(dict)
        for number, headline in enumerate(self._headlines):
            for token in self._segmenter.tokenize(headline, mode="search"):
                if token.kind not in ("space", "newline"):
                    spans = self._postings[token.text].setdefault(number, [])
                    spans.append((token.start, token.end))

    def search(self, query: str) -> list[Hit]:
        """The headlines with all words of ``query``, in the order of the index."""
        words = self._segmenter.cut(query)
        if not words:
            return []
        numbers = set.intersection(*({*self._postings.get(word, {})} for word in words))
        return [
            Hit(self._headlines[n], sorted(s for word in words for s in self._postings[word][n]))
            for n in sorted(numbers)
        ]
