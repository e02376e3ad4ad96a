"""The words of a Tokenizer as jieba's mappings ``FREQ`` and ``posseg.dt.word_tag_tab``."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from segmenter.lexicon import Lexicon
    from segmenter.lexicon.user import UserDictionary


class Words(Protocol):
    """The part of a Tokenizer that the tables need."""

    own_counts: dict[str, float]
    user_word_tag_tab: dict[str, str]

    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def user(self) -> UserDictionary: ...
    @property
    def listed(self) -> Collection[str]: ...
    def add_word(self, word: str, freq: int | None = None, tag: str | None = None) -> object: ...
    def forget_word(self, word: str) -> None: ...


T = TypeVar("T")


class Frequencies(MutableMapping[str, float]):
    """The counts of a Tokenizer's words: setting an item adds a word, deleting it removes the word.

    A deleted word has the count 0, as in jieba.  (Prefixes of words, which jieba also stores with
    the count 0, are not included.)

    >>> from segmenter.compat.jieba import Tokenizer
    >>> freq = Tokenizer().FREQ
    >>> "的" in freq, freq.get("没有这个词")
    (True, None)
    >>> freq["没有这个词"] = 3
    >>> freq["没有这个词"]
    3
    """

    def __init__(self, tokenizer: Words) -> None:
        self._tokenizer = tokenizer

    def _count(self, word: object) -> float | None:
        tokenizer = self._tokenizer
        if not isinstance(word, str):
            return None
        count = tokenizer.own_counts.get(word)
        if count is not None:
            return count
        entry = tokenizer.user.get(word)
        if entry is not None and not entry.parts:
            return 0 if entry.level == "delete" else max(1.0, tokenizer.lexicon.count(word))
        return tokenizer.lexicon.count(word) if word in tokenizer.lexicon else None

    @overload
    def get(self, word: str, default: None = None) -> float | None: ...
    @overload
    def get(self, word: str, default: float | T) -> float | T: ...
    def get(self, word: str, default: object = None) -> object:
        """The count of a word."""
        count = self._count(word)
        return default if count is None else count

    def __contains__(self, word: object) -> bool:
        return self._count(word) is not None

    def __getitem__(self, word: str) -> float:
        count = self._count(word)
        if count is None:
            raise KeyError(word)
        return count

    def __setitem__(self, word: str, count: float) -> None:
        self._tokenizer.add_word(word, int(count))

    def __delitem__(self, word: str) -> None:
        self[word]  # raises KeyError for an unknown word
        self._tokenizer.forget_word(word)

    def __iter__(self) -> Iterator[str]:
        yield from self._tokenizer.listed
        yield from self._user_words()

    def __len__(self) -> int:
        return len(self._tokenizer.listed) + sum(1 for _ in self._user_words())

    def _user_words(self) -> Iterator[str]:
        """The user's words that are not in the lexicon."""
        lexicon = self._tokenizer.lexicon
        for entry in self._tokenizer.user:
            if not entry.parts and entry.word not in lexicon:
                yield entry.word

    def __repr__(self) -> str:
        return f"<Frequencies of {self._tokenizer!r}: {len(self):,} words>"


class WordTags(MutableMapping[str, str]):
    """The flags of words; a flag that is set holds for every occurrence of its word.

    Args:
        tokenizer: the owner of the words.
        to_jieba: a function from a word and its tag to jieba's tag.
    """

    def __init__(self, tokenizer: Words, to_jieba: Callable[[str, str], str]) -> None:
        self._tokenizer = tokenizer
        self._to_jieba = to_jieba

    def __getitem__(self, word: str) -> str:
        flag = self._tokenizer.user_word_tag_tab.get(word)
        if flag:
            return flag
        tag = self._tokenizer.lexicon.tag(word) if isinstance(word, str) else ""
        if not tag:
            raise KeyError(word)
        return self._to_jieba(word, tag)

    def __setitem__(self, word: str, flag: str) -> None:
        self._tokenizer.user_word_tag_tab[word] = flag

    def __delitem__(self, word: str) -> None:
        del self._tokenizer.user_word_tag_tab[word]

    def __iter__(self) -> Iterator[str]:
        tag = self._tokenizer.lexicon.tag
        flags = self._tokenizer.user_word_tag_tab
        yield from flags
        yield from (word for word in self._tokenizer.listed if word not in flags and tag(word))

    def __len__(self) -> int:
        return sum(1 for _ in self)
