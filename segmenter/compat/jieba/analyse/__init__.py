"""``jieba.analyse``: keywords, in jieba's forms.

>>> extract_tags("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", topK=2)
['狮子', '老虎']
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from segmenter.compat.jieba import posseg
from segmenter.compat.jieba.default import dt
from segmenter.compat.jieba.posseg import from_jieba, pair
from segmenter.errors import DictionaryError, ResourceError
from segmenter.keywords import Idf, load_idf
from segmenter.keywords import TextRank as _TextRank
from segmenter.keywords import TfIdf as _TfIdf

if TYPE_CHECKING:
    from collections.abc import Iterable

    Found = list[str] | list[pair] | list[tuple[str, float]] | list[tuple[pair, float]]


def _file(argument: str, path: str | os.PathLike[str]) -> list[str]:
    full = os.path.abspath(path)
    if not os.path.isfile(full):
        raise ResourceError(f"{argument}: there is no file {full}")
    from segmenter.lexicon.sources import LineReader

    return [line for _, line in LineReader(full, "raise").lines]


class KeywordExtractor:
    """What both extractors share: a Tokenizer, stop words, and a table of inverse frequencies."""

    def __init__(self) -> None:
        self.tokenizer = dt
        self.postokenizer = posseg.dt
        self._own_stop_words: set[str] = set()
        self._idf: Idf | None = None

    @property
    def idf(self) -> Idf:
        return self._idf or load_idf()

    @property
    def stop_words(self) -> frozenset[str]:
        """The words that are no keywords: the project's list and those of `set_stop_words`."""
        return load_idf().stop_words | self._own_stop_words

    def set_stop_words(self, stop_words_path: str | os.PathLike[str]) -> None:
        """Adds the words of a file, a word a line.

        Raises:
            ResourceError: there is no such file.
        """
        words = _file("stop_words_path", stop_words_path)
        self._own_stop_words.update(w.strip().lower() for w in words if w.strip())

    def _extract(
        self,
        method: type[_TfIdf | _TextRank],
        sentence: str,
        top: int | None,
        with_weight: bool,
        allow: Iterable[str],
        with_flag: bool,
    ) -> Found:
        tags = {from_jieba(flag) for flag in allow}
        extractor = method(
            self.tokenizer.segmenter, idf=self.idf, stop_words=self.stop_words, allow=tags
        )
        found = extractor.extract(sentence, top or None)
        if not (with_flag and tags):
            return found if with_weight else [word for word, _ in found]
        flags: dict[str, str] = {}
        for p in self.postokenizer.lcut(sentence):
            if from_jieba(p.flag) in tags:
                flags.setdefault(p.word, p.flag)
        pairs = [(pair(word, flags[word]), weight) for word, weight in found]
        return pairs if with_weight else [p for p, _ in pairs]


class TFIDF(KeywordExtractor):
    """Keywords by TF-IDF.

    Args:
        idf_path: see :meth:`set_idf_path`; None: the shipped table.
    """

    def __init__(self, idf_path: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        if idf_path is not None:
            self.set_idf_path(idf_path)

    def set_idf_path(self, idf_path: str | os.PathLike[str]) -> None:
        """Takes the inverse document frequencies of a file: word, blank, value.

        Words that it lacks get the median of its values.

        Raises:
            ResourceError: there is no such file.
            DictionaryError: a line is none of these; names file and line.
        """
        values: dict[str, float] = {}
        for number, line in enumerate(_file("idf_path", idf_path), 1):
            word, _, value = line.strip().rpartition(" ")
            try:
                values[word] = float(value)
            except ValueError:
                values[""] = 0.0
            if "" in values:
                raise DictionaryError(os.fspath(idf_path), number, f"{line!r} is not 'word value'")
        self._idf = Idf.from_values(values, name=os.path.basename(idf_path))

    def extract_tags(
        self,
        sentence: str,
        topK: int | None = 20,
        withWeight: bool = False,
        allowPOS: Iterable[str] = (),
        withFlag: bool = False,
    ) -> Any:
        """The keywords, best first.

        Args:
            sentence: any text.
            topK: so many; None: all.
            withWeight: give ``(word, weight)``.
            allowPOS: flags that keywords must have.
            withFlag: with ``allowPOS``: :class:`~segmenter.compat.jieba.posseg.pair` instead of
                words.
        """
        return self._extract(_TfIdf, sentence, topK, withWeight, allowPOS, withFlag)


class TextRank(KeywordExtractor):
    """Keywords by TextRank."""

    def textrank(
        self,
        sentence: str,
        topK: int | None = 20,
        withWeight: bool = False,
        allowPOS: Iterable[str] = ("ns", "n", "vn", "v"),
        withFlag: bool = False,
    ) -> Any:
        """The keywords, best first; arguments as for :meth:`TFIDF.extract_tags`."""
        return self._extract(_TextRank, sentence, topK, withWeight, allowPOS, withFlag)

    extract_tags = textrank


default_tfidf = TFIDF()
default_textrank = TextRank()
extract_tags = tfidf = default_tfidf.extract_tags
textrank = default_textrank.extract_tags
set_idf_path = default_tfidf.set_idf_path


def set_stop_words(stop_words_path: str | os.PathLike[str]) -> None:
    """Adds stop words to both default extractors."""
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
