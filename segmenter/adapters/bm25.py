"""BM25 in memory: terms of texts and queries for bm25s, rank_bm25, and retrievers over them.

These libraries use lists of terms without positions.  The terms are words, the words inside them,
and pairs of characters, so that a text is found even if the query was cut differently.

>>> Bag()("臺灣大學，共和国")
['台湾大学', '台湾', '湾大', '大学', '共和国', '共和', '和国']
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from segmenter.adapters._terms import terms_of
from segmenter.errors import check_str
from segmenter.search import outermost

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions


class Bag:
    """A function from a text to its terms, for texts and queries alike.

    For ``bm25s.BM25().index([bag(text) for text in texts])``, ``rank_bm25.BM25Okapi(texts,
    tokenizer=bag)``, LangChain's ``BM25Retriever.from_texts(texts, preprocess_func=bag)``.  Its
    pickle is small.

    Args:
        segmenter: None: the default preset.
        options: None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
        pairs: add pairs of characters.
        characters: add single characters, so that a query of one character finds its texts.
    """

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        options: SearchOptions | None = None,
        *,
        script: bool = True,
        pairs: bool = True,
        characters: bool = False,
    ) -> None:
        self._arguments: dict[str, Any] = {
            "segmenter": segmenter, "options": options, "script": script, "pairs": pairs,
            "characters": characters,
        }  # fmt: skip
        self._terms = terms_of(segmenter, options, script)

    def __call__(self, text: str) -> list[str]:
        """Return the terms of ``text``, by start, then longest first."""
        check_str("text", text)
        terms = self._terms
        tokens = terms.segmenter.tokenize(text, mode="search", options=terms.options)
        folded = terms.fold(text)
        spans = set(tokens.spans)
        if self._arguments["pairs"] or self._arguments["characters"]:
            words = set(outermost(tokens).spans)
            units = list(terms.units(text))
            if self._arguments["characters"]:
                spans.update((u.start, u.end) for u in units)
            if self._arguments["pairs"]:
                for a, b in itertools.pairwise(units):
                    if a.end == b.start and (a.start, b.end) not in words:
                        spans.add((a.start, b.end))
        return [folded[a:b] for a, b in sorted(spans, key=lambda span: (span[0], -span[1]))]

    def line(self, text: str) -> str:
        """Return the terms joined by blanks, for a field that an engine splits at blanks.

        >>> Bag().line("共和国，成立")
        '共和国 共和 和国 成立'
        """
        return joined(self(text))

    @property
    def fingerprint(self) -> str:
        """The identity to store with an index: equal ones give the same terms on every text."""
        flags = f"pairs={self._arguments['pairs']:d} characters={self._arguments['characters']:d}"
        return f"{self._terms.fingerprint} {flags}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._arguments,)


def joined(terms: Iterable[str]) -> str:
    """Return terms joined by blanks; a blank inside a term becomes an underscore."""
    return " ".join(["_".join(term.split()) or "_" for term in terms])


def _made(arguments: dict[str, Any]) -> Bag:
    return Bag(arguments.pop("segmenter"), arguments.pop("options"), **arguments)
