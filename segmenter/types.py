"""Tokens: views over one column of ends and the caller's own text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord


class Source(Enum):
    """Who decided a token."""

    LEXICON = "lexicon"
    RULE = "rule"  # runs of a class, numbers, dates, line ends
    UNKNOWN = "unknown"  # a character (or span) that no lexicon knows
    MODEL = "model"
    USER = "user"


#: Kinds of tokens, by the kernels' edge kinds.
KINDS = (
    "word", "unknown", "number", "date", "latin", "space", "newline", "script", "cluster",
)  # fmt: skip

#: Kinds of the kernels from here on are words of the user's dictionary, one kind a layer of it.
USER = 16

_SOURCES = (Source.LEXICON, Source.UNKNOWN) + (Source.RULE,) * 7


def source_of(kind: int) -> Source:
    """The source of a token of the kernels' edge kind ``kind``."""
    return _SOURCES[kind]


class Token(NamedTuple):
    """One token.

    ``start`` and ``end`` are code point offsets into the text as given, end exclusive.
    ``position`` counts tokens, ``position_length`` is how many positions a token spans (1 unless a
    search mode nests tokens).  ``tag`` is the lexicon's part-of-speech tag or "", ``score`` the
    natural logarithm of the word's probability or None, ``payload`` what the user's dictionary has
    with the word, or None.
    """

    text: str
    start: int
    end: int
    kind: str
    source: Source
    tag: str = ""
    score: float | None = None
    position: int = 0
    position_length: int = 1
    payload: object = None


class Tokens(Sequence[Token]):
    """The tokens of one text: columns, and the text they are cut from.

    >>> tokens = Tokens("他说", [0, 1], [1, 2], [0, 0], ["r", "v"], [-5.0, -6.0])
    >>> tokens.words, tokens.spans, tokens[1].tag
    (['他', '说'], [(0, 1), (1, 2)], 'v')
    """

    __slots__ = (
        "_ends", "_entries", "_kinds", "_scores", "_sources", "_starts", "_tags", "text",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        starts: list[int],
        ends: list[int],
        kinds: list[int],
        tags: list[str],
        scores: list[float | None] | list[float],
        sources: list[Source] | None = None,
        entries: dict[int, UserWord] | None = None,
    ) -> None:
        self.text = text
        self._starts = starts
        self._ends = ends
        self._kinds = kinds
        self._tags = tags
        self._scores = scores
        self._sources = sources or [source_of(kind) for kind in kinds]
        self._entries = entries or {}

    @property
    def words(self) -> list[str]:
        text = self.text
        return [text[a:b] for a, b in zip(self._starts, self._ends, strict=True)]

    @property
    def spans(self) -> list[tuple[int, int]]:
        return list(zip(self._starts, self._ends, strict=True))

    @property
    def tags(self) -> list[str]:
        return list(self._tags)

    def entry(self, index: int) -> UserWord | None:
        """The entry of the user's dictionary that made token ``index``; None if none did."""
        return self._entries.get(index)

    @property
    def kinds(self) -> list[str]:
        return [KINDS[k] for k in self._kinds]

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"token {index} of {len(self)}")
        start, end, kind = self._starts[index], self._ends[index], self._kinds[index]
        return Token(
            self.text[start:end],
            start,
            end,
            KINDS[kind],
            self._sources[index],
            self._tags[index],
            self._scores[index],
            index,
            payload=entry.payload if (entry := self._entries.get(index)) is not None else None,
        )

    def __iter__(self) -> Iterator[Token]:
        for i in range(len(self)):
            yield self[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tokens({'/'.join(self.words)})"
