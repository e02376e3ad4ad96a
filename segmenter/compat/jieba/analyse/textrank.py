"""``jieba.analyse.textrank``: keywords by TextRank, in jieba's forms.

>>> TextRank().textrank("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", topK=1)
['狮子']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter import keywords
from segmenter.compat.jieba import posseg
from segmenter.compat.jieba.analyse.tfidf import KeywordExtractor, flagged
from segmenter.compat.jieba.posseg import from_jieba
from segmenter.compat.jieba.texts import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.compat.jieba.posseg import pair

_FLAGS = ("ns", "n", "vn", "v")


class TextRank(KeywordExtractor):
    """Keywords by TextRank.

    Attributes:
        span: width of the window in words.
        pos_filt: the allowed flags of the last call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = self.postokenizer = posseg.dt
        self.pos_filt: frozenset[str] = frozenset(_FLAGS)
        self.span = 5
        self._current_ranking: keywords.TextRank | None = None  # of the call under way

    def pairfilter(self, wp: pair) -> bool:
        """Whether a word may be a keyword; a subclass may override it."""
        allowed = not self.pos_filt or from_jieba(wp.flag) in map(from_jieba, self.pos_filt)
        return allowed and (self._current_ranking or self._ranking()).counts(wp.word)

    def _ranking(self) -> keywords.TextRank:
        return keywords.TextRank(idf=self.idf, stop_words=self._folded_stop_words(), span=self.span)

    def textrank(
        self,
        sentence: str | bytes,
        topK: int | None = 20,
        withWeight: bool = False,
        allowPOS: Iterable[str] = _FLAGS,
        withFlag: bool = False,
    ) -> Any:
        """The keywords, best first; arguments as for :meth:`TFIDF.extract_tags`."""
        self.pos_filt = frozenset(allowPOS)
        pairs = self._pairs(text_of(sentence))
        ranking = self._current_ranking = self._ranking()
        try:
            allowed = {p: bool(self.pairfilter(p)) for p in set(pairs)}
        finally:
            self._current_ranking = None
        ranked = ranking.extract_from([(p.word, allowed[p]) for p in pairs], topK or None)
        if withFlag and self.pos_filt:
            return flagged((p for p in pairs if allowed[p]), ranked, withWeight)
        return ranked if withWeight else [word for word, _ in ranked]

    extract_tags = textrank


__all__ = ["TextRank"]
