"""``jieba.analyse.tfidf``: TF-IDF, and the base class of both keyword methods.

>>> TFIDF().extract_tags("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", topK=2)
['狮子', '老虎']
"""

from __future__ import annotations

import os
from contextlib import suppress
from math import log
from typing import TYPE_CHECKING, Any

from segmenter.compat.jieba import posseg
from segmenter.compat.jieba.default import dt
from segmenter.compat.jieba.posseg import from_jieba, pair
from segmenter.compat.jieba.texts import text_of
from segmenter.errors import DictionaryError, ResourceError
from segmenter.keywords import Idf, StopWords, TfIdf, load_idf
from segmenter.keywords.stop_words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    Keywords = list[str] | list[pair] | list[tuple[str, float]] | list[tuple[pair, float]]


def _get_abs_path(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(path)


def _existing_file(argument: str, path: str | os.PathLike[str]) -> str:
    full = _get_abs_path(path)
    if not os.path.isfile(full):
        raise ResourceError(f"{argument}: there is no file {full}")
    return full


def _read_lines(argument: str, path: str | os.PathLike[str]) -> list[str]:
    from segmenter.lexicon.lines import LineReader

    return [line for _, line in LineReader(_existing_file(argument, path), "raise").lines]


class KeywordExtractor:
    """Base of both extractors: a Tokenizer, stop words, and a table of inverse frequencies.

    Attributes:
        tokenizer: any object with jieba's ``cut``.
        postokenizer: any object with the ``cut`` of ``posseg``.
    """

    def __init__(self) -> None:
        self.tokenizer: Any = dt
        self.postokenizer: Any = posseg.dt
        self._stop_words: set[str] | None = None
        self._idf: Idf | None = None
        # a copy of the stop words, and their folded form
        self._folded_stop: tuple[set[str], StopWords] | None = None

    @property
    def idf(self) -> Idf:
        return self._idf or load_idf()

    @property
    def STOP_WORDS(self) -> set[str]:
        """The stop words of the project, a new set."""
        return set(load_idf().stop_words)

    @property
    def stop_words(self) -> set[str]:
        """Words that are never keywords; the set may be changed or replaced."""
        if self._stop_words is None:
            self._stop_words = self.STOP_WORDS
        return self._stop_words

    @stop_words.setter
    def stop_words(self, words: Iterable[str]) -> None:
        self._stop_words = words if isinstance(words, set) else set(words)

    def _folded_stop_words(self) -> StopWords:
        """The stop words, folded again if the set has changed."""
        words = self.stop_words
        if self._folded_stop is None or self._folded_stop[0] != words:
            self._folded_stop = set(words), StopWords(words)
        return self._folded_stop[1]

    def set_stop_words(self, stop_words_path: str | os.PathLike[str]) -> None:
        """Add the words of a file, one or several per line; lines that begin with ``# `` are
        comments.

        Raises:
            ResourceError: there is no such file.
        """
        self.stop_words.update(
            w.lower() for w in words_of(_existing_file("stop_words_path", stop_words_path))
        )

    def extract_tags(self, *args: Any, **kwargs: Any) -> Any:
        """For a subclass to implement."""
        raise NotImplementedError

    def _pairs(self, sentence: str) -> list[pair]:
        return [p if isinstance(p, pair) else pair(*p) for p in self.postokenizer.cut(sentence)]


def flagged(pairs: Iterable[pair], ranked: list[tuple[str, float]], with_weight: bool) -> Keywords:
    """Keywords with their first flags in these pairs."""
    flags: dict[str, str] = {}
    for p in pairs:
        flags.setdefault(p.word, p.flag)
    keywords = [(pair(word, flags[word]), weight) for word, weight in ranked]
    return keywords if with_weight else [p for p, _ in keywords]


class TFIDF(KeywordExtractor):
    """Keywords by TF-IDF.

    Args:
        idf_path: see :meth:`set_idf_path`; None: the shipped table.
    """

    def __init__(self, idf_path: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        if idf_path is not None:
            self.set_idf_path(idf_path)

    @property
    def idf_freq(self) -> dict[str, float]:
        """The inverse document frequencies, a new dict."""
        return _values(self.idf)

    @property
    def median_idf(self) -> float:
        """The value of words that the table lacks."""
        return self.idf.idf("")

    def set_idf_path(self, idf_path: str | os.PathLike[str]) -> None:
        """Read inverse document frequencies from a file: word, blank, value.

        Words that the file lacks get the median of its values.

        Raises:
            ResourceError: there is no such file.
            DictionaryError: a line has another form; names file and line.
        """
        values: dict[str, float] = {}
        for number, line in enumerate(_read_lines("idf_path", idf_path), 1):
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
        sentence: str | bytes,
        topK: int | None = 20,
        withWeight: bool = False,
        allowPOS: Iterable[str] = (),
        withFlag: bool = False,
    ) -> Any:
        """The keywords, best first.

        Args:
            sentence: any text; bytes are UTF-8, else GBK.
            topK: number of keywords; None: all.
            withWeight: return pairs ``(word, weight)``.
            allowPOS: flags that keywords must have.
            withFlag: with ``allowPOS``: :class:`~segmenter.compat.jieba.posseg.pair` instead of
                words.
        """
        text = text_of(sentence)
        allow = {from_jieba(flag) for flag in allowPOS}
        tfidf = TfIdf(idf=self.idf, stop_words=self._folded_stop_words())
        pairs = self._pairs(text) if allow else []
        if allow:
            words = [(p.word, from_jieba(p.flag) in allow and tfidf.counts(p.word)) for p in pairs]
        else:
            words = [(word, tfidf.counts(word)) for word in self.tokenizer.cut(text)]
        ranked = tfidf.extract_from(words, topK or None)
        if withFlag and allow:
            return flagged((p for p in pairs if from_jieba(p.flag) in allow), ranked, withWeight)
        return ranked if withWeight else [word for word, _ in ranked]


def _idf_file() -> str:
    """The shipped table as a text file in jieba's form, for programs that read it themselves.

    Written on first access, removed at the exit of the process.
    """
    import atexit
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", delete=False) as file:
        values = _values(load_idf())
        file.writelines(f"{word} {value:.6f}\n" for word, value in values.items())
    atexit.register(_remove, file.name)
    return file.name


def _values(idf: Idf) -> dict[str, float]:
    return {e.word: log(idf.documents / e.count) for e in idf.lexicon if e.count}


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def __getattr__(name: str) -> Any:
    if name == "DEFAULT_IDF":
        path = globals()["DEFAULT_IDF"] = _idf_file()
        return path
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["TFIDF", "KeywordExtractor"]
