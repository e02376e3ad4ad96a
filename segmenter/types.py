"""Tokens: views over one column of ends and the caller's own text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import one_of
from segmenter.kernels import _tokens
from segmenter.text.kinds import KINDS, kinds_of

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord


class Source(Enum):
    """The source of a token."""

    LEXICON = "lexicon"
    RULE = "rule"  # runs of a class, numbers, dates, line ends
    UNKNOWN = "unknown"  # a character (or span) that the lexicon does not have
    MODEL = "model"
    USER = "user"


#: The kernels' first kind of user words; there is one kind per layer of the dictionary.
USER = _tokens.USER_KIND

#: Sources of a lattice's tokens by the kernels' edge kind; the last applies to all higher kinds.
SOURCES = (Source.LEXICON, Source.UNKNOWN) + (Source.RULE,) * (len(KINDS) - 3) + (Source.USER,)
#: The same for tokens of a tagger.
SOURCES_OF_MODEL = (Source.MODEL, Source.MODEL, *SOURCES[2:])


def source_of(kind: int) -> Source:
    """The source of a token of the kernels' edge kind ``kind``."""
    return SOURCES[min(kind, len(KINDS) - 1)]


#: The number of tokens in the ``repr`` of a longer text.
_REPR_TOKENS = 50

#: Units of offsets.
UNITS = _tokens.UNITS


class Token(NamedTuple):
    """One token.

    Attributes:
        text: the token's characters.
        start: its offset in the text, in code points or the units given.
        end: its end, exclusive.
        kind: one of :data:`segmenter.text.kinds.TOKEN_KINDS`, which depends on its characters
            alone, not on lexicon or model; or the name of one of the user's patterns.
        source: lexicon, rule, model or user word; or unknown to the lexicon.
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


class Tokens(_tokens.TokenTable, Sequence[Token]):
    """The tokens of one text: columns over the text; each :class:`Token` is made on access.

    ``words``, ``kinds``, ``tags``, ``scores``, ``sources``, ``spans``, ``positions`` and
    ``position_lengths`` are lists; ``starts`` and ``ends`` are arrays of 32-bit integers
    (``array.array``), which NumPy reads without a copy.

    >>> tokens = Tokens("他说", [0, 1], [1, 2], [0, 0], ["r", "v"], [-5.0, -6.0])
    >>> tokens.words, tokens.spans, tokens[1].tag
    (['他', '说'], [(0, 1), (1, 2)], 'v')
    >>> tokens.ends
    array('i', [1, 2])
    """

    __slots__ = ()
    token_class = Token
    kinds_of = staticmethod(kinds_of)

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
        super().__init__(
            text, starts, ends, kinds, tags, scores,
            [source_of(kind) for kind in kinds] if sources is None else sources,
            entries or {}, positions, lengths, _tokens.TOKEN_KINDS + names, words,
        )  # fmt: skip

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
        one_of("units", units, UNITS)
        return self._in_units(units)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) <= _REPR_TOKENS:
            return f"Tokens({'/'.join(self.words)})"
        excerpt = [*(t.text for t in self[: _REPR_TOKENS - 10]), "…", *(t.text for t in self[-10:])]
        return f"Tokens({'/'.join(excerpt)}; {len(self):,} tokens)"

    def _repr_html_(self) -> str:
        """Coloured words with their tags, for notebooks."""
        from segmenter.notebook import tokens_html

        return tokens_html(self)
