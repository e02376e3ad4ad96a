"""``jieba.posseg``: words with parts of speech, in jieba's tag set.

>>> [(word, flag) for word, flag in cut("我爱北京天安门")]
[('我', 'r'), ('爱', 'v'), ('北京', 'ns'), ('天安门', 'ns')]

Tags are those of :mod:`segmenter.tagging.pos` as jieba writes them (:func:`to_jieba`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.compat.jieba.default import dt as _default_tokenizer
from segmenter.compat.jieba.tables import WordTags
from segmenter.compat.jieba.texts import no_paddle, text_of
from segmenter.compat.jieba.tokenizer import Tokenizer
from segmenter.kernels import _tokens
from segmenter.tagging import pos

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PARTICLES = {"的": "uj", "了": "ul", "着": "uz", "过": "ug", "地": "uv", "得": "ud"}
_RENAMED = {"w": "x", "nx": "eng"}
_FROM_JIEBA = {
    **dict.fromkeys(_PARTICLES.values(), "u"), "x": "w", "eng": "nx", "nrt": "nr",
    "nrfg": "nr", **{tag.lower(): tag for tag in pos.MEANING if not tag.islower()},
}  # fmt: skip


def to_jieba(word: str, tag: str) -> str:
    """A tag as jieba writes it: morphemes in small letters, punctuation and blanks ``x``, foreign
    letters ``eng``, particles one by one.

    >>> to_jieba("的", "u"), to_jieba("，", "w"), to_jieba("民", "Ng"), to_jieba("书", "n")
    ('uj', 'x', 'ng', 'n')
    """
    if tag == "u":
        return _PARTICLES.get(word, tag)
    tag = _RENAMED.get(tag, tag)
    return tag.lower() if tag in pos.MEANING else tag


#: Tags that jieba writes differently, for all words or by word.
_FLAGS: dict[str, str | dict[str, str]] = {
    **{tag: flag for tag in pos.MEANING if (flag := to_jieba("", tag)) != tag},
    "u": _PARTICLES,
}


def from_jieba(flag: str) -> str:
    """A flag of jieba's as a tag of :data:`segmenter.tagging.pos.MEANING`.

    >>> from_jieba("uj"), from_jieba("nrt"), from_jieba("ns")
    ('u', 'nr', 'ns')
    """
    return _FROM_JIEBA.get(flag, flag)


class pair:
    """A word and its flag.

    >>> p = pair("书", "n")
    >>> p.word, p.flag, str(p), tuple(p)
    ('书', 'n', '书/n', ('书', 'n'))
    """

    __slots__ = ("flag", "word")

    def __init__(self, word: str, flag: str) -> None:
        self.word = word
        self.flag = flag

    def __repr__(self) -> str:
        return f"pair({self.word!r}, {self.flag!r})"

    def __str__(self) -> str:
        return f"{self.word}/{self.flag}"

    def __iter__(self) -> Iterator[str]:
        return iter((self.word, self.flag))

    def __lt__(self, other: pair) -> bool:
        return self.word < other.word

    def __eq__(self, other: object) -> bool:
        return isinstance(other, pair) and (self.word, self.flag) == (other.word, other.flag)

    def __hash__(self) -> int:
        return hash(self.word)

    def encode(self, arg: str) -> bytes:
        """``str(self)`` as bytes."""
        return str(self).encode(arg)


class POSTokenizer:
    """Tags by the words of a :class:`Tokenizer`.

    Args:
        tokenizer: None: a new one.
    """

    def __init__(self, tokenizer: Tokenizer | None = None) -> None:
        self.tokenizer = Tokenizer() if tokenizer is None else tokenizer

    def __repr__(self) -> str:
        return f"<POSTokenizer tokenizer={self.tokenizer!r}>"

    def __getattr__(self, name: str) -> Any:
        """Attributes of the Tokenizer, as in jieba: ``add_word``, ``FREQ``, ``load_userdict`` …"""
        if name.startswith("__") or name == "tokenizer":
            raise AttributeError(name)
        return getattr(self.tokenizer, name)

    @property
    def word_tag_tab(self) -> WordTags:
        """The flags of words; a flag that is set holds for every occurrence of its word."""
        return WordTags(self.tokenizer, to_jieba)

    def makesure_userdict_loaded(self) -> None:
        """Do nothing: the user's words are loaded already."""

    def initialize(self, dictionary: str | None = None) -> None:
        """Load words and tagger now."""
        self.tokenizer.initialize(dictionary)
        pos.load()

    def cut(self, sentence: str | bytes, HMM: bool = True) -> Iterator[pair]:
        return (p for p in self.lcut(sentence, HMM))

    def lcut(self, sentence: str | bytes, HMM: bool = True) -> list[pair]:
        segmenter = self.tokenizer.segmenter if HMM else self.tokenizer.plain
        tagged = segmenter.tag(text_of(sentence))
        user_flags = self.tokenizer.user_word_tag_tab
        if not user_flags:
            return _tokens.flagged_words(tagged, pair, _FLAGS)
        # a tag of the user is kept as written
        return [pair(word, user_flags.get(word) or to_jieba(word, tag)) for word, tag in tagged]


dt = POSTokenizer(_default_tokenizer)
initialize = dt.initialize


def cut(sentence: str | bytes, HMM: bool = True, use_paddle: bool = False) -> Iterator[pair]:
    no_paddle(use_paddle)
    return dt.cut(sentence, HMM)


def lcut(sentence: str | bytes, HMM: bool = True, use_paddle: bool = False) -> list[pair]:
    no_paddle(use_paddle)
    return dt.lcut(sentence, HMM)


__all__ = ["POSTokenizer", "cut", "dt", "from_jieba", "initialize", "lcut", "pair", "to_jieba"]
