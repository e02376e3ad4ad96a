"""Whoosh (whoosh-reloaded): an analyzer by our words.

An index takes the words of a text, the words inside them and their leaves, with the positions of
the token graph and offsets in characters; a query takes its words, a phrase in quotes its leaves,
one position each.  So 共和国 finds 中华人民共和国, and so does "人民共和国" as a phrase; highlights
mark what was asked for.

>>> analyzer = Analyzer()
>>> [(t.text, t.pos) for t in analyzer("共和国成立", mode="index", positions=True)]
[('共和国', 0), ('共和', 0), ('国', 1), ('成立', 2)]
>>> [t.text for t in analyzer("共和国成立", mode="query")]
['共和国', '成立']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._terms import Term, Terms
from segmenter.errors import wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from segmenter.engine import Segmenter
    from segmenter.search import SearchOptions

analysis = require("whoosh.analysis", "whoosh", __name__)


class Analyzer(analysis.Analyzer):  # type: ignore[misc, name-defined]
    """For ``whoosh.fields.TEXT(analyzer=Analyzer(), …)``.

    It is kept in the index with its schema: it pickles as a Segmenter does, small.

    Args:
        segmenter: None: the default preset.  For an index ``load(decoder="unigram")`` cuts queries
            as it cut the texts; ``segmenter.fingerprint`` tells when the index must be built again.
        options: what goes into the index; None: all but blanks, line ends and punctuation.
    """

    def __init__(
        self, segmenter: Segmenter | None = None, options: SearchOptions | None = None
    ) -> None:
        self._terms = Terms(segmenter, options)

    @property
    def segmenter(self) -> Segmenter:
        return self._terms.segmenter

    @property
    def options(self) -> SearchOptions:
        return self._terms.options

    def __getstate__(self) -> dict[str, Any]:
        return {"segmenter": self.segmenter, "options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Analyzer) and (
            (self.segmenter.fingerprint, self.options)
            == (other.segmenter.fingerprint, other.options)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Analyzer({self.segmenter!r}, {self.options!r})"

    def __call__(
        self,
        value: str,
        positions: bool = False,
        chars: bool = False,
        keeporiginal: bool = False,
        removestops: bool = True,
        start_pos: int = 0,
        start_char: int = 0,
        tokenize: bool = True,
        mode: str = "",
        **more: Any,
    ) -> Iterator[Any]:
        """Whoosh's protocol: one token object, filled anew for each term.

        In the mode ``"query"`` Whoosh asks for offsets (``chars``) of a phrase and only of one.
        """
        if not isinstance(value, str):
            raise wrong_type("value", value, "str")
        token = analysis.Token(positions, chars, removestops=removestops, mode=mode, **more)
        for term in self._of(value, mode, chars) if tokenize else [_whole(value)]:
            token.text = term.text
            token.boost = 1.0
            token.stopped = False
            if keeporiginal:
                token.original = value[term.start : term.end]
            if positions:
                token.pos = start_pos + term.position
            if chars:
                token.startchar = start_char + term.start
                token.endchar = start_char + term.end
            yield token

    def _of(self, text: str, mode: str, phrase: bool) -> list[Term]:
        if mode == "query":
            return self._terms.leaves(text) if phrase else self._terms.words(text)
        both = dict.fromkeys(self._terms.nested(text) + self._terms.leaves(text))
        return sorted(both, key=lambda term: (term.start, -term.end))


def _whole(text: str) -> Term:
    return Term(text, 0, len(text), 0, 1)
