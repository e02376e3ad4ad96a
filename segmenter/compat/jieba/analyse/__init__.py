"""``jieba.analyse``: keywords, in jieba's forms.

>>> extract_tags("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", topK=2)
['狮子', '老虎']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter.compat.jieba.analyse.textrank import TextRank
from segmenter.compat.jieba.analyse.tfidf import TFIDF

if TYPE_CHECKING:
    import os

default_tfidf = TFIDF()
default_textrank = TextRank()
# as in jieba, these names are functions here and modules for `from jieba.analyse.tfidf import …`
extract_tags = tfidf = default_tfidf.extract_tags
textrank = default_textrank.extract_tags
set_idf_path = default_tfidf.set_idf_path


def set_stop_words(stop_words_path: str | os.PathLike[str]) -> None:
    """Add stop words to both default extractors."""
    default_tfidf.set_stop_words(stop_words_path)
    default_textrank.set_stop_words(stop_words_path)


__all__ = [
    "TFIDF", "ChineseAnalyzer", "TextRank", "extract_tags", "set_idf_path", "set_stop_words",
    "textrank", "tfidf",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "ChineseAnalyzer":  # needs whoosh
        from segmenter.compat.jieba.analyse.analyzer import ChineseAnalyzer

        return ChineseAnalyzer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
