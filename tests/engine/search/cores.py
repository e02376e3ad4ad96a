"""A Segmenter of every decoder, and options of search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import worlds

from segmenter import Segmenter
from segmenter.search import SearchOptions

if TYPE_CHECKING:
    from segmenter.types import Tokens

SMALL = worlds.lexicon()
TAGGERS = ("hmm", "perceptron")
CORES = {d: Segmenter(SMALL, decoder=d) for d in worlds.ALL_DECODERS}
OPTIONS = [
    None,
    SearchOptions(single=True),
    SearchOptions(min_length=3),
    SearchOptions(min_length=3, single=True),
]


def tokens_of(segmenter: Segmenter, text: str, options: SearchOptions | None = None) -> Tokens:
    return segmenter.tokenize(text, mode="search", options=options)


class Index:
    """A positional index of one text that keeps position lengths."""

    def __init__(self, tokens: Tokens) -> None:
        self.postings: dict[str, list[tuple[int, int]]] = {}
        for t in tokens:
            self.postings.setdefault(t.text, []).append((t.position, t.position_length))

    def phrase(self, words: list[str]) -> list[int]:
        """Positions at which the words follow each other, each where the one before it ends."""
        positions = {p: p for p, _ in self.postings.get(words[0], ())} if words else {}
        for word in words:
            places = self.postings.get(word, ())
            positions = {p + n: positions[p] for p, n in places if p in positions}
        return sorted(positions.values())

    def flat(self, query: Tokens) -> bool:
        """As engines without position lengths match: all tokens, at their distances."""
        first = query[0]
        return any(
            all(
                any(p - start == t.position - first.position for p, _ in self.postings[t.text])
                for t in query
            )
            for start, _ in self.postings[first.text]
        )
