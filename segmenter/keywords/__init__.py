"""Keywords of a text: TF-IDF, and TextRank (Mihalcea & Tarau 2004).

>>> text = "机器学习研究如何让机器从数据中学习。机器学习需要大量数据。"
>>> extract_tags(text, 2)
['机器学习', '数据']

The table of document frequencies is compiled from a balanced national corpus, segmented by the
default Segmenter (``recipes/counts.py`` defines a document there); :meth:`Idf.count` makes yours.
Stop words, blanks, punctuation, numbers and single characters are not keywords.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from segmenter.choices import check_whole, checked_threads, one_of
from segmenter.errors import ArgumentError, check_iterable, check_str, wrong_type
from segmenter.keywords.counting import count_words, stop_set
from segmenter.keywords.idf import Idf, load_idf
from segmenter.keywords.ranking import ranks
from segmenter.keywords.stop_words import StopWords
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from segmenter.core import Segmenter

#: The parts of speech for TextRank: nouns and names, verbs used as nouns, verbs.
TEXTRANK_TAGS = ("n", "nr", "ns", "nt", "nz", "vn", "v")


class _Extractor:
    """The base of both methods: Segmenter, table, and conditions for keywords."""

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        *,
        idf: Idf | None = None,
        stop_words: StopWords | Collection[str] | None = None,
        allow: Collection[str] = (),
        least: int = 2,
    ) -> None:
        if isinstance(stop_words, str):
            raise wrong_type("stop_words", stop_words, "a collection of str")
        if isinstance(allow, str):
            allow = (allow,)
        check_iterable("allow", allow)
        check_whole("least", least, 1)
        if segmenter is not None and not hasattr(segmenter, "cut"):
            raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
        self._segmenter = segmenter
        self._idf = idf
        self._stop = None if stop_words is None else stop_set(stop_words)
        self.allow = frozenset(allow)
        self.least = least
        self._weights: dict[str, float] | None = None if stop_words is None and least == 2 else {}

    @property
    def segmenter(self) -> Segmenter:
        """The given Segmenter, or the default one."""
        if self._segmenter is None:
            from segmenter import default

            return default.default_segmenter()
        return self._segmenter

    @property
    def idf(self) -> Idf:
        """The given table, or the shipped one."""
        if self._idf is None:
            self._idf = load_idf()
        return self._idf

    @property
    def stop_words(self) -> StopWords:
        return self.idf.stop_set if self._stop is None else self._stop

    def counts(self, word: str) -> bool:
        """Whether a word may be a keyword, whatever its tag."""
        if len(word.strip()) < self.least:
            return False
        if word in self.stop_words:
            return False
        classes = {chars.char_class(ord(c)) for c in chars.fold_str(word)}
        # 2026年 is not a keyword, iPhone15 may be one
        return bool(classes & _LETTERS) and (chars.DIGIT not in classes or chars.LATIN in classes)

    def _weight(self, word: str) -> float:
        """A word's inverse document frequency, cached; :data:`_NONE` if it is not a keyword."""
        weights = self.idf._weights if self._weights is None else self._weights
        weight = weights.get(word)
        if weight is None:
            weight = self.idf.idf(word) if self.counts(word) else _NO_KEYWORD
            if len(word) <= _MAX_CACHED_LENGTH:
                if len(weights) >= _MAX_CACHED:
                    weights.clear()
                weights[word] = weight
        return weight

    def _words(self, text: str) -> list[tuple[str, bool]]:
        """The words, and whether each may be a keyword."""
        check_str("text", text)
        weight_of, tags = self._weight, self.allow
        if not tags:
            words = self.segmenter.cut(text)
            marked = {word: (word, weight_of(word) != _NO_KEYWORD) for word in dict.fromkeys(words)}
            return list(map(marked.__getitem__, words))
        tagged = self.segmenter.tag(text)
        return [(word, tag in tags and weight_of(word) != _NO_KEYWORD) for word, tag in tagged]

    def extract(self, text: str, top: int | None = 20) -> list[tuple[str, float]]:
        """Return the keywords of a text; see the subclasses."""
        raise NotImplementedError

    def extract_batch(
        self, texts: Iterable[str], top: int | None = 20, *, threads: int = 1
    ) -> Iterator[list[tuple[str, float]]]:
        """Yield :meth:`extract` of each text, in order.

        Args:
            texts: the documents, read a few hundred at a time.
            top: number of keywords per text; None: all.
            threads: native threads that cut texts; one if parts of speech are needed.

        Raises:
            TypeError: ``texts`` is a str, or an item is not a str.
            ArgumentError: ``top`` or ``threads`` has a wrong value.

        >>> [[word for word, _ in found] for found in TfIdf().extract_batch(["老虎怕狮子"], 1)]
        [['狮子']]
        """
        check_iterable("texts", texts)
        _check_top(top)
        return self._extract_batch(iter(texts), top, checked_threads(threads))

    def _extract_batch(
        self, texts: Iterator[str], top: int | None, threads: int
    ) -> Iterator[list[tuple[str, float]]]:
        for text in texts:
            yield self.extract(text, top)


#: The weight of a word that is not a keyword.
_NO_KEYWORD = float("-inf")
#: Limits on words whose weights are cached: characters, and number.
_MAX_CACHED_LENGTH, _MAX_CACHED = 32, 1 << 16
#: Texts per call of cut_batch.
_BATCH = 512
_WEIGHT = itemgetter(1)

_LETTERS = frozenset(
    (chars.HAN, chars.LATIN, chars.GREEK, chars.CYRILLIC, chars.KATAKANA, chars.HIRAGANA,
     chars.HANGUL, chars.LETTER)
)  # fmt: skip


class TfIdf(_Extractor):
    """Keywords by term frequency times inverse document frequency.

    Args:
        segmenter: cuts the texts; None: the default one.
        idf: the table; None: the shipped one.
        stop_words: words that are not keywords; None: those of the table.
        allow: parts of speech that keywords may have (:data:`segmenter.tagging.pos.MEANING`);
            empty: all.
        least: fewest characters of a keyword.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.
    """

    def extract(self, text: str, top: int | None = 20) -> list[tuple[str, float]]:
        """Return the ``top`` keywords with their weights, best first; None: all.

        The weight is the word's share of the words that may be keywords, times its inverse
        document frequency.  Words of equal weight are in text order.

        >>> found = TfIdf().extract("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", 2)
        >>> [word for word, weight in found]
        ['狮子', '大象']
        """
        if not self.allow:
            check_str("text", text)
            _check_top(top)
            return self._extract_words(self.segmenter.cut(text), top)
        return self.extract_from(self._words(text), top)

    def _extract_batch(
        self, texts: Iterator[str], top: int | None, threads: int
    ) -> Iterator[list[tuple[str, float]]]:
        if self.allow:
            yield from super()._extract_batch(texts, top, threads)
            return
        while batch := list(islice(texts, _BATCH)):
            for words in self.segmenter.cut_batch(batch, threads):
                yield self._extract_words(words, top)

    def _extract_words(self, words: list[str], top: int | None) -> list[tuple[str, float]]:
        weights = self.idf._weights if self._weights is None else self._weights
        candidates: list[tuple[str, int, float]] = []
        total = 0
        for word, n in Counter(words).items():
            weight = weights.get(word)
            if weight is None:
                weight = self._weight(word)
            if weight != _NO_KEYWORD:
                total += n
                candidates.append((word, n, weight))
        return _best({word: n / total * weight for word, n, weight in candidates}, top)

    def extract_from(
        self, words: Iterable[tuple[str, bool]], top: int | None = 20
    ) -> list[tuple[str, float]]:
        """Return :meth:`extract` of given pairs (word, whether it may be a keyword).

        >>> words = [("老虎", True), ("怕", False), ("狮子", True), ("狮子", True)]
        >>> [word for word, weight in TfIdf().extract_from(words, 1)]
        ['狮子']
        """
        _check_top(top)
        counts = Counter(word for word, is_candidate in words if is_candidate)
        total = sum(counts.values())
        weights = {word: n / total * self.idf.idf(word) for word, n in counts.items()}
        return _best(weights, top)


class TextRank(_Extractor):
    """Keywords by TextRank (Mihalcea & Tarau 2004): PageRank over words that occur together.

    Two words are neighbours if both may be keywords and they are at most ``span - 1`` words apart;
    the weight of an edge is the number of such pairs.  Iteration ends when no rank changes by more
    than 0.0001, as in the paper.

    Args:
        segmenter, stop_words, least: as for :class:`TfIdf`.
        allow: parts of speech that keywords may have.
        span: width of the window in words.
        damping: share of a rank that comes from the neighbours.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.
    """

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        *,
        idf: Idf | None = None,
        stop_words: StopWords | Collection[str] | None = None,
        allow: Collection[str] = TEXTRANK_TAGS,
        least: int = 2,
        span: int = 5,
        damping: float = 0.85,
    ) -> None:
        super().__init__(segmenter, idf=idf, stop_words=stop_words, allow=allow, least=least)
        check_whole("span", span, 2)
        if not 0 < damping < 1:
            raise ArgumentError(f"damping: {damping!r} is not between 0 and 1")
        self.span = span
        self.damping = damping

    def extract(self, text: str, top: int | None = 20) -> list[tuple[str, float]]:
        """Return the ``top`` keywords with their ranks, best first; the best rank is 1; None: all.

        >>> text = "老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子"
        >>> TextRank(allow=()).extract(text, 1)
        [('狮子', 1.0)]
        """
        return self.extract_from(self._words(text), top)

    def extract_from(
        self, words: Iterable[tuple[str, bool]], top: int | None = 20
    ) -> list[tuple[str, float]]:
        """Return :meth:`extract` of given pairs (word, whether it may be a keyword)."""
        _check_top(top)
        candidates = [word if is_candidate else None for word, is_candidate in words]
        rank_of = ranks(candidates, self.span, self.damping)
        best_rank = max(rank_of.values(), default=1.0)
        return _best({word: rank / best_rank for word, rank in rank_of.items()}, top)


def _check_top(top: int | None) -> None:
    if top is not None:
        check_whole("top", top, 1)


def _best(weights: dict[str, float], top: int | None) -> list[tuple[str, float]]:
    # sorted is stable: equal weights stay in the order of the text
    return sorted(weights.items(), key=_WEIGHT, reverse=True)[:top]


METHODS: dict[str, Callable[..., TfIdf | TextRank]] = {"tfidf": TfIdf, "textrank": TextRank}


def extract_tags(
    text: str,
    top: int | None = 20,
    *,
    method: str = "tfidf",
    weights: bool = False,
    allow: Collection[str] | None = None,
    segmenter: Segmenter | None = None,
    stop_words: StopWords | Collection[str] | None = None,
) -> list[str] | list[tuple[str, float]]:
    """Return the keywords of a text, best first.

    Args:
        top: number of keywords; None: all.
        method: ``"tfidf"`` or ``"textrank"``.
        weights: return ``(word, weight)`` instead of words.
        allow: parts of speech that keywords may have; None: all for TF-IDF; nouns, names and verbs
            for TextRank.
        segmenter: cuts the text; None: the default one.
        stop_words: words that are not keywords; None: the shipped ones.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.

    >>> extract_tags("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", 2, method="textrank")
    ['狮子', '大象']
    """
    keywords = _extractor(method, allow, segmenter, stop_words).extract(text, top)
    return keywords if weights else [word for word, _ in keywords]


def extract_tags_batch(
    texts: Iterable[str],
    top: int | None = 20,
    *,
    method: str = "tfidf",
    allow: Collection[str] | None = None,
    segmenter: Segmenter | None = None,
    stop_words: StopWords | Collection[str] | None = None,
    threads: int = 1,
) -> list[list[tuple[str, float]]]:
    """Return keywords with weights for many texts, one list per text; cut by native threads.

    Args:
        top, method, allow, segmenter, stop_words: as for :func:`extract_tags`.
        threads: see :meth:`TfIdf.extract_batch`, which yields one list at a time.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.

    >>> extract_tags_batch(["老虎怕狮子，狮子怕大象", "大象怕老鼠"], 1)[1][0][0]
    '大象'
    """
    extractor = _extractor(method, allow, segmenter, stop_words)
    return list(extractor.extract_batch(texts, top, threads=threads))


def _extractor(
    method: str,
    allow: Collection[str] | None,
    segmenter: Segmenter | None,
    stop_words: StopWords | Collection[str] | None,
) -> TfIdf | TextRank:
    one_of("method", method, tuple(METHODS))
    options = {} if allow is None else {"allow": allow}
    return METHODS[method](segmenter, stop_words=stop_words, **options)


__all__ = [
    "Idf", "StopWords", "TextRank", "TfIdf", "count_words", "extract_tags", "extract_tags_batch",
    "load_idf",
]  # fmt: skip
