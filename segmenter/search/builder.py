"""Builds the tokens of an index one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.types import Source, Tokens

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord


class Described(NamedTuple):
    """Tag, score and source of a word inside a word, and its entry if it is the user's."""

    tag: str = ""
    score: float | None = None
    source: Source = Source.RULE
    entry: UserWord | None = None


RULE = Described()


class TokensBuilder:
    """Builds the tokens of one text.

    Args:
        text: the text.
        names: the names of the user's kinds; see :class:`~segmenter.types.Tokens`.
    """

    def __init__(self, text: str, names: tuple[str, ...] = ()) -> None:
        self.text = text
        self.names = names
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.positions: list[int] = []
        self.lengths: list[int] = []
        self.kinds: list[int] = []
        self.tags: list[str] = []
        self.scores: list[float | None] = []
        self.sources: list[Source] = []
        self.entries: dict[int, UserWord] = {}

    def add(
        self, start: int, end: int, position: int, length: int, kind: int, described: Described
    ) -> None:
        if described.entry is not None:
            self.entries[len(self.starts)] = described.entry
        self.starts.append(start)
        self.ends.append(end)
        self.positions.append(position)
        self.lengths.append(length)
        self.kinds.append(kind)
        self.tags.append(described.tag)
        self.scores.append(described.score)
        self.sources.append(described.source)

    def add_copy(self, tokens: Tokens, number: int, position: int, length: int) -> None:
        """Add a copy of token ``number`` of ``tokens`` at a position in the graph."""
        start, end, kind, tag, score, source, entry = tokens.row(number)
        self.add(start, end, position, length, kind, Described(tag, score, source, entry))

    def tokens(self) -> Tokens:
        return Tokens(
            self.text,
            self.starts,
            self.ends,
            self.kinds,
            self.tags,
            self.scores,
            self.sources,
            self.entries,
            self.positions,
            self.lengths,
            self.names,
        )
