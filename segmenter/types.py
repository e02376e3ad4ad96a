"""Tokens: views over one column of ends and the caller's own text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, overload

from segmenter.errors import ArgumentError, wrong_type
from segmenter.kernels import _engine
from segmenter.text.kinds import KINDS, kind_of, kinds_of

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord


class Source(Enum):
    """What decided a token."""

    LEXICON = "lexicon"
    RULE = "rule"  # runs of a class, numbers, dates, line ends
    UNKNOWN = "unknown"  # a character (or span) that the lexicon does not have
    MODEL = "model"
    USER = "user"


#: The kernels' kinds from here on are user words, one kind per layer of the dictionary.
USER = _engine.USER_KIND

#: Sources of a lattice's tokens by the kernels' edge kind; the last applies to all higher kinds.
SOURCES = (Source.LEXICON, Source.UNKNOWN) + (Source.RULE,) * (len(KINDS) - 3) + (Source.USER,)
#: The same for a tagger.
SOURCES_OF_MODEL = (Source.MODEL, Source.MODEL, *SOURCES[2:])


def source_of(kind: int) -> Source:
    """The source of a token of the kernels' edge kind ``kind``."""
    return SOURCES[min(kind, len(KINDS) - 1)]


#: Tokens that a longer text's ``repr`` shows.
_SHOWN = 50

#: What offsets can count.
UNITS = ("codepoints", "utf8", "utf16")


class Token(NamedTuple):
    """One token.

    Attributes:
        text: the token's characters.
        start: its offset in the text, in code points unless other units were asked for.
        end: its end, exclusive.
        kind: one of :data:`segmenter.text.kinds.TOKEN_KINDS`, which depends on its characters
            alone, not on lexicon or model; or the name of one of the user's patterns.
        source: what decided it: lexicon, rule, model or user word; or unknown to the lexicon.
        tag: the part-of-speech tag in the lexicon, or "".
        score: how sure the decoder is; higher is surer.  From a lattice, the natural logarithm of
            the word's probability; from a tagger, the margin to the best path with other boundaries
            there, in units of the model; None if there is no such number.
        position: its position: the number of tokens before it, unless a search mode nests tokens.
        position_length: the number of positions it spans: 1, unless a search mode nests tokens.
        payload: the payload of the user word, or None.

    >>> import segmenter
    >>> token = segmenter.load("fast").tokenize("在2026年")[1]
    >>> token.text, token.start, token.end, token.kind, token.source.value
    ('2026年', 1, 6, 'date', 'rule')
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
    """The tokens of one text: columns over that text.

    >>> tokens = Tokens("他说", [0, 1], [1, 2], [0, 0], ["r", "v"], [-5.0, -6.0])
    >>> tokens.words, tokens.spans, tokens[1].tag
    (['他', '说'], [(0, 1), (1, 2)], 'v')
    """

    __slots__ = (
        "_ends", "_entries", "_kinds", "_lengths", "_names", "_offsets", "_positions", "_scores",
        "_sources", "_starts", "_tags", "_words", "text",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        starts: Sequence[int],
        ends: Sequence[int],
        kinds: Sequence[int],
        tags: list[str],
        scores: list[float | None] | list[float],
        sources: list[Source] | None = None,
        entries: dict[int, UserWord] | None = None,
        positions: list[int] | None = None,
        lengths: list[int] | None = None,
        names: tuple[str, ...] = (),
        words: list[str] | None = None,
    ) -> None:
        self.text = text
        self._words = words  # their texts, if the caller has them already
        self._names = KINDS + names  # of kinds: the package's, then the caller's
        self._starts = starts
        self._ends = ends
        self._kinds = kinds
        self._tags = tags
        self._scores = scores
        self._sources = sources or [source_of(kind) for kind in kinds]
        self._entries = entries or {}
        self._positions = positions  # None: tokens follow each other
        self._lengths = lengths
        self._offsets: tuple[Sequence[int], Sequence[int]] = (
            starts,
            ends,
        )  # in the units asked for

    @property
    def words(self) -> list[str]:
        if self._words is not None:
            return list(self._words)
        text = self.text
        return [text[a:b] for a, b in zip(self._starts, self._ends, strict=True)]

    @property
    def spans(self) -> list[tuple[int, int]]:
        return list(zip(*self._offsets, strict=True))

    @property
    def positions(self) -> list[int]:
        return list(range(len(self)) if self._positions is None else self._positions)

    @property
    def position_lengths(self) -> list[int]:
        return [1] * len(self) if self._lengths is None else list(self._lengths)

    def in_units(self, units: str) -> Tokens:
        """Return the same tokens with offsets in other units; linear in the text's length.

        Args:
            units: ``"codepoints"``; ``"utf8"``, bytes of the text in UTF-8 (a lone surrogate takes
                three); ``"utf16"``, code units, as Java and JavaScript count.

        Raises:
            TypeError, ArgumentError: ``units`` is not one of these.

        >>> Tokens("👍好", [0, 1], [1, 2], [1, 0], ["", ""], [None, None]).in_units("utf16").spans
        [(0, 2), (2, 3)]
        """
        table = _offsets(self.text, units)
        new = self._copy()
        if table is None:
            new._offsets = (self._starts, self._ends)
        else:
            new._offsets = ([table[k] for k in self._starts], [table[k] for k in self._ends])
        return new

    @property
    def tags(self) -> list[str]:
        return list(self._tags)

    def with_tags(self, tags: list[str]) -> Tokens:
        """Return the same tokens with other tags, one per token.

        >>> Tokens("他", [0], [1], [0], [""], [None]).with_tags(["r"]).tags
        ['r']
        """
        new = self._copy()
        new._tags = tags
        return new

    def _copy(self) -> Tokens:
        new = Tokens.__new__(Tokens)
        for name in Tokens.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def entry(self, index: int) -> UserWord | None:
        """Return the user dictionary's entry that made token ``index``, or None."""
        return self._entries.get(index)

    @property
    def kinds(self) -> list[str]:
        """Kind of each token; see :attr:`Token.kind`."""
        return kinds_of(self.words, self._kinds, self._names)

    @property
    def own_kinds(self) -> tuple[str, ...]:
        """Kinds that are not in :data:`KINDS`: the user's patterns."""
        return self._names[len(KINDS) :]

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
        text = self.text[start:end]
        return Token(
            text,
            self._offsets[0][index],
            self._offsets[1][index],
            kind_of(text, self._names[kind]),
            self._sources[index],
            self._tags[index],
            self._scores[index],
            index if self._positions is None else self._positions[index],
            1 if self._lengths is None else self._lengths[index],
            entry.payload if (entry := self._entries.get(index)) is not None else None,
        )

    def __iter__(self) -> Iterator[Token]:
        for i in range(len(self)):
            yield self[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) <= _SHOWN:
            return f"Tokens({'/'.join(self.words)})"
        some = [*(t.text for t in self[: _SHOWN - 10]), "…", *(t.text for t in self[-10:])]
        return f"Tokens({'/'.join(some)}; {len(self):,} tokens)"

    def _repr_html_(self) -> str:
        """Coloured words with their tags, for notebooks."""
        from segmenter.notebook import tokens_html

        return tokens_html(self)


def _offsets(text: str, units: str) -> array[int] | None:
    """Offsets of the len(text) + 1 places between code points; None: they are the places."""
    if not isinstance(units, str):
        raise wrong_type("units", units, "str")
    if units not in UNITS:
        raise ArgumentError(f"units: {units!r} is not one of {', '.join(UNITS)}")
    if units == "codepoints" or text.isascii():
        return None
    wide = ("\uffff",) if units == "utf16" else ("\x7f", "\u07ff", "\uffff")
    return array("q", accumulate((1 + sum(c > w for w in wide) for c in text), initial=0))
