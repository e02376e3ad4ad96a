"""Stop words: words left out of lists, counts and indexes, in either script.

>>> from segmenter import load
>>> s, stop = load("fast"), StopWords()
>>> stop.drop(s.cut("我们的圖書館在那裡")), stop.drop(s.tag("我们的城市"))
(['圖書館'], [('城市', 'n')])
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from segmenter.errors import ArgumentError, check_iterable, check_str, wrong_type
from segmenter.files import resources
from segmenter.lexicon import Lexicon
from segmenter.text import chars, variants

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

#: The shipped table of document frequencies, and the tag of the stop words in it.
SHIPPED, STOP = "idf.lex", "stop"

_Item = TypeVar("_Item")
_MAX_CACHED = 1 << 16
_SEVERAL_WORDS = re.compile(r"[\u3400-\u9fff]\s+[\u3400-\u9fff]")


class StopWords:
    """A set of stop words; comparison ignores width, case and script.  Immutable.

    Args:
        words: the words; None: the shipped list of function words.

    Raises:
        TypeError: ``words`` is a str, or an item is not a str.
        ArgumentError: an item consists of several words separated by blanks.

    >>> stop = StopWords().with_words(["据悉"])
    >>> "據悉" in stop, "这" in stop, "這" in stop, "图书馆" in stop
    (True, True, True, False)
    """

    __slots__ = ("_answers", "_folded")

    def __init__(self, words: Iterable[str] | None = None) -> None:
        self._folded = (
            _shipped() if words is None else frozenset(_fold(word) for word in _checked(words))
        )
        self._answers: dict[str, bool] = {}

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, encoding: str = "utf-8") -> StopWords:
        """Load a list with one or several words per line; lines that begin with ``# `` are
        comments.

        Raises:
            DictionaryError: a line is not in the encoding.
            ArgumentError: there is no word in the file.
            OSError: the file cannot be read.
        """
        words = list(words_of(path, encoding))
        if not words:
            raise ArgumentError(f"path: {path} has no stop words: write one or several per line")
        return cls(words)

    def with_words(self, words: Iterable[str]) -> StopWords:
        """Return a set with more words."""
        return StopWords(self._folded | {_fold(word) for word in _checked(words)})

    def without(self, words: Iterable[str]) -> StopWords:
        """Return a set without some words."""
        return StopWords(self._folded - {_fold(word) for word in _checked(words)})

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str):
            return False
        is_stop = self._answers.get(word)
        if is_stop is None:
            is_stop = _fold(word) in self._folded
            if len(self._answers) >= _MAX_CACHED:
                self._answers.clear()
            self._answers[word] = is_stop
        return is_stop

    def drop(self, items: Iterable[_Item]) -> list[_Item]:
        """Return the items that are not stop words: words, ``(word, tag)`` pairs, or tokens.

        Raises:
            TypeError: an item is none of these.

        >>> from segmenter import tokenize
        >>> [(t.text, t.start) for t in StopWords().drop(tokenize("我们的城市"))]
        [('城市', 3)]
        """
        if isinstance(items, (str, bytes)):
            raise wrong_type("items", items, "an iterable of words, pairs or tokens")
        return [item for item in items if _word_of(item) not in self]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._folded))

    def __len__(self) -> int:
        return len(self._folded)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StopWords):
            return NotImplemented
        return self._folded == other._folded

    def __hash__(self) -> int:
        return hash(self._folded)

    def __reduce__(self) -> tuple[type[StopWords], tuple[frozenset[str]]]:
        return StopWords, (self._folded,)

    def __repr__(self) -> str:
        return f"<StopWords: {len(self):,} words>"


def words_of(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[str]:
    """Yield the words of a list, one or several per line; ``# `` begins a comment."""
    from segmenter.lexicon.lines import LineReader

    for _, line in LineReader(path, "raise", encoding).lines:
        if not line.startswith(("# ", "#\t")):
            yield from line.split()


@cache
def _shipped() -> frozenset[str]:
    return frozenset(_fold(word) for word in listed(Lexicon.open(resources.find(SHIPPED))))


def listed(table: Lexicon) -> frozenset[str]:
    """Return the stop words of a table of document frequencies."""
    return frozenset(entry.word for entry in table if entry.tag == STOP)


def _fold(word: str) -> str:
    return variants.same_str(chars.fold_str(word))


def _checked(words: Iterable[str]) -> Iterator[str]:
    check_iterable("words", words)
    for word in words:
        check_str("words: a word", word)
        if _SEVERAL_WORDS.search(word):
            raise ArgumentError(
                f"words: {word[:20]!r} is not one word: give each word as an item, or use "
                "StopWords.load for a file with several words per line"
            )
        yield word


def _word_of(item: object) -> str:
    if isinstance(item, tuple) and item and isinstance(item[0], str):
        return item[0]
    word = item if isinstance(item, str) else getattr(item, "text", None)
    if not isinstance(word, str):
        raise wrong_type("items: an item", item, "a word, a pair of word and tag, or a token")
    return word
