"""What the indexes of other systems take of a text, and what a query asks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.adapters import chosen
from segmenter.chars import fold_str
from segmenter.errors import wrong_type
from segmenter.search import SearchOptions, leaves, outermost

if TYPE_CHECKING:
    from segmenter.engine import Segmenter
    from segmenter.types import Tokens

#: Options of adapters whose caller gives none: blanks, line ends and punctuation are no terms.
PLAIN = SearchOptions(drop=frozenset(("space", "newline", "punct")))


class Term(NamedTuple):
    """A term of an index or a query: folded text, code points it spans, its place in the graph."""

    text: str
    start: int
    end: int
    position: int
    length: int


class Terms:
    """Terms of texts by one Segmenter and one set of options; the same for index and queries.

    Terms are folded as the lexicon folds (width, case), so that ``ＡＢＣ`` finds ``abc``.

    Args:
        segmenter: None: the default preset.
        options: None: :data:`PLAIN`.

    Raises:
        TypeError: of another type.
    """

    __slots__ = ("options", "segmenter")

    def __init__(self, segmenter: Segmenter | None, options: SearchOptions | None) -> None:
        self.segmenter = chosen(segmenter)
        if options is not None and not isinstance(options, SearchOptions):
            raise wrong_type("options", options, "SearchOptions")
        self.options = options or PLAIN

    def tokens(self, text: str) -> Tokens:
        """Words and the words inside them."""
        return self.segmenter.tokenize(text, mode="search", options=self.options)

    def nested(self, text: str) -> list[Term]:
        """Words and the words inside them, by start and then longest first."""
        return _terms(self.tokens(text))

    def leaves(self, text: str) -> list[Term]:
        """What words are made of, one after the other."""
        return _terms(leaves(self.tokens(text)))

    def words(self, text: str) -> list[Term]:
        """The words alone."""
        return _terms(outermost(self.tokens(text)))


def _terms(tokens: Tokens) -> list[Term]:
    return [
        Term(fold_str(word), start, end, position, length)
        for word, (start, end), position, length in zip(
            tokens.words, tokens.spans, tokens.positions, tokens.position_lengths, strict=True
        )
    ]
