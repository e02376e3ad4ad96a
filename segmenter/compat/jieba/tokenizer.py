"""``Tokenizer`` of the package jieba: its methods and arguments, our words.

>>> Tokenizer().lcut("他来到了网易杭研大厦")[:3]
['他', '来到', '了']
"""

from __future__ import annotations

import os
from math import exp
from threading import RLock
from typing import TYPE_CHECKING, cast

from segmenter.engine import Segmenter, load
from segmenter.errors import ArgumentError, EncodingError, ResourceError, wrong_type
from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from segmenter.lexicon.user import UserDictionary


def text_of(sentence: object) -> str:
    """A sentence as str; bytes are UTF-8, else GBK, as jieba reads them.

    Raises:
        TypeError: it is neither str nor bytes.
        EncodingError: bytes of neither encoding.
    """
    if isinstance(sentence, str):
        return sentence
    if not isinstance(sentence, bytes):
        raise wrong_type("sentence", sentence, "str or bytes")
    try:
        return sentence.decode("utf-8")
    except UnicodeDecodeError as e:
        try:
            return sentence.decode("gbk")
        except UnicodeDecodeError:
            raise EncodingError("sentence is neither UTF-8 nor GBK", e.start) from None


def no_paddle(use_paddle: bool) -> None:
    """Refuses paddle's mode rather than give other words than were asked for.

    Raises:
        ArgumentError: ``use_paddle`` is set.
    """
    if use_paddle:
        raise ArgumentError(
            "use_paddle: there is no such mode here; leave it out: the default finds unknown words"
        )


class Frequencies:
    """What jieba has as ``FREQ``: the counts of a Tokenizer's words, to be read.

    >>> "的" in Tokenizer().FREQ, Tokenizer().FREQ.get("没有这个词")
    (True, None)
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def get(self, word: str, default: float | None = None) -> float | None:
        entry = self._tokenizer.user.get(word)
        if entry is not None:
            if entry.level == "delete":
                return 0
            return max(1.0, self._tokenizer.lexicon.count(word))
        return self._tokenizer.lexicon.count(word) if word in self._tokenizer.lexicon else default

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) is not None

    def __getitem__(self, word: str) -> float:
        found = self.get(word)
        if found is None:
            raise KeyError(word)
        return found


class Tokenizer:
    """Cuts as ``jieba.Tokenizer`` does, in its forms; every instance has its own words.

    Words added or deleted change this Tokenizer alone and take effect whatever is in them: a new
    Segmenter takes the old one's place, calls under way finish on the old one.

    Args:
        dictionary: a word list in jieba's form (word, count, tag between blanks), which replaces
            the shipped lexicon: words are then found by their counts alone, as jieba finds them.
            None: the shipped lexicon and model.

    Attributes:
        dictionary: the path given.
        initialized: whether the words are loaded.
        tmp_dir, cache_file: may be set, and are not used: nothing is cached.
    """

    def __init__(self, dictionary: str | os.PathLike[str] | None = None) -> None:
        self.lock = RLock()
        self.dictionary = None if dictionary is None else os.path.abspath(dictionary)
        self.initialized = False
        self.tmp_dir: str | None = None
        self.cache_file: str | None = None
        self.user_word_tag_tab: dict[str, str] = {}
        self._segmenter: Segmenter | None = None
        self._plain: Segmenter | None = None

    def __repr__(self) -> str:
        return f"<Tokenizer dictionary={self.dictionary!r}>"

    # --- what cuts -------------------------------------------------------------------------------

    def initialize(self, dictionary: str | os.PathLike[str] | None = None) -> None:
        """Loads the words now rather than with the first sentence; of another file, if given."""
        with self.lock:
            if dictionary is not None and os.path.abspath(dictionary) != self.dictionary:
                self.set_dictionary(dictionary)
            if not self.initialized:
                user = self.user if self._segmenter is not None else None
                if self.dictionary is None:
                    self._segmenter = load(user=user)
                    self._plain = load(decoder="unigram", user=user)
                else:
                    from segmenter.lexicon.sources import read_words

                    words = read_words(self.dictionary, format="jieba")
                    name = os.path.basename(self.dictionary)
                    lexicon = Lexicon.build(words.entries, profile="jieba", name=name)
                    self._plain = Segmenter(lexicon, user=user)
                    guess = load(decoder="unigram", oov="hmm").guesser
                    self._segmenter = Segmenter(lexicon, oov="hmm", guesser=guess, user=user)
                self.initialized = True

    check_initialized = initialize

    def set_dictionary(self, dictionary_path: str | os.PathLike[str]) -> None:
        """Takes the words of another list from the next sentence on; those added by hand stay.

        Raises:
            ResourceError: there is no such file.
        """
        path = os.path.abspath(dictionary_path)
        if not os.path.isfile(path):
            raise ResourceError(f"dictionary_path: there is no file {path}")
        with self.lock:
            self.dictionary = path
            self.initialized = False

    @property
    def segmenter(self) -> Segmenter:
        """The Segmenter behind ``HMM=True``."""
        if not self.initialized:
            self.initialize()
        return cast("Segmenter", self._segmenter)

    @property
    def plain(self) -> Segmenter:
        """The Segmenter behind ``HMM=False``: words of the lexicon and of the user alone."""
        if not self.initialized:
            self.initialize()
        return cast("Segmenter", self._plain)

    @property
    def lexicon(self) -> Lexicon:
        return self.plain.lexicon

    @property
    def user(self) -> UserDictionary:
        """The words that were added and deleted."""
        from segmenter.lexicon.user import UserDictionary

        return UserDictionary() if self._segmenter is None else self._segmenter.user

    def _replace(self, user: UserDictionary) -> None:
        self.segmenter, self.plain  # noqa: B018  both are loaded before either is changed
        self._segmenter = self.segmenter.replace(user)
        self._plain = self.plain.replace(user)

    # --- cutting ---------------------------------------------------------------------------------

    def cut(
        self,
        sentence: str | bytes,
        cut_all: bool = False,
        HMM: bool = True,
        use_paddle: bool = False,
    ) -> Iterator[str]:
        """The words of a sentence.

        Args:
            sentence: any text.
            cut_all: every word of the lexicon, overlapping.
            HMM: guess words that the lexicon does not have.
            use_paddle: refused.
        """
        return iter(self.lcut(sentence, cut_all, HMM, use_paddle))

    def lcut(
        self,
        sentence: str | bytes,
        cut_all: bool = False,
        HMM: bool = True,
        use_paddle: bool = False,
    ) -> list[str]:
        """:meth:`cut` as a list."""
        no_paddle(use_paddle)
        text = text_of(sentence)
        if cut_all:
            return self._cut_all(text)
        return (self.segmenter if HMM else self.plain).cut(text)

    def _cut_all(self, text: str) -> list[str]:
        whole = {(t.start, t.end) for t in self.segmenter.tokenize(text) if len(t.text) > 1}
        whole |= {span for span in self.plain.cut_all(text).spans if span[1] - span[0] > 1}
        out: list[str] = []
        covered = 0
        for start, end in sorted(whole):
            out += text[covered:start]  # characters that no longer word has
            out.append(text[start:end])
            covered = max(covered, end)
        out += text[covered:]
        return out

    def cut_for_search(
        self,
        sentence: str | bytes,
        HMM: bool = True,
    ) -> Iterator[str]:
        """The words, before each the words of two and three characters inside it."""
        return (word for word, _, _ in self._search_tokens(text_of(sentence), HMM))

    def lcut_for_search(
        self,
        sentence: str | bytes,
        HMM: bool = True,
    ) -> list[str]:
        """:meth:`cut_for_search` as a list."""
        return list(self.cut_for_search(sentence, HMM))

    def tokenize(
        self,
        unicode_sentence: str,
        mode: str = "default",
        HMM: bool = True,
    ) -> Iterator[tuple[str, int, int]]:
        """Words with their start and exclusive end, in code points.

        Args:
            unicode_sentence: any text.
            mode: ``"default"``, or ``"search"``: the tokens of :meth:`cut_for_search`.
            HMM: guess words that the lexicon does not have.

        Raises:
            TypeError: no str.
            ArgumentError: another mode.
        """
        if not isinstance(unicode_sentence, str):
            raise wrong_type("unicode_sentence", unicode_sentence, "str")
        if mode not in ("default", "search"):
            raise ArgumentError(f"mode: {mode!r} is neither 'default' nor 'search'")
        if mode == "search":
            return self._search_tokens(unicode_sentence, HMM)
        return iter(_with_offsets(self.lcut(unicode_sentence, HMM=HMM)))

    def _search_tokens(self, text: str, hmm: bool) -> Iterator[tuple[str, int, int]]:
        words = self.FREQ
        for word, start, end in _with_offsets(self.lcut(text, HMM=hmm)):
            for size in (2, 3):
                for i in range(len(word) - size + 1) if len(word) > size else ():
                    part = word[i : i + size]
                    if words.get(part):
                        yield part, start + i, start + i + size
            yield word, start, end

    def get_DAG(self, sentence: str) -> dict[int, list[int]]:
        """For every start the last places (inclusive) of the words that begin there."""
        ends: dict[int, set[int]] = {k: set() for k in range(len(sentence))}
        for edge in self.plain.dag(sentence).edges:
            ends[edge.start].add(edge.end - 1)
        return {k: sorted(places) or [k] for k, places in ends.items()}

    # --- words -----------------------------------------------------------------------------------

    @property
    def FREQ(self) -> Frequencies:
        """Counts of the words, to be read."""
        return Frequencies(self)

    @property
    def total(self) -> float:
        """The sum of all counts."""
        return float(self.lexicon.meta["mass"])

    def load_userdict(self, f: str | os.PathLike[str] | bytes | IO[bytes]) -> None:
        """Adds the words of a file: word, count and tag between blanks, as jieba has them.

        A word takes effect whatever its count is; a count of 0 deletes it.

        Raises:
            DictionaryError, EncodingError: a faulty line, named by file and line.
        """
        from segmenter.lexicon.user import UserDictionary

        words = UserDictionary.load(f, format="jieba")
        items = [(w.word, "delete" if w.weight == 0 else "prefer", w.tag, w.payload) for w in words]
        with self.lock:
            self._replace(self.user.with_words(items))
            self.user_word_tag_tab.update((w.word, w.tag) for w in words if w.tag)

    def add_word(self, word: str, freq: int | str | None = None, tag: str | None = None) -> None:
        """Adds a word: it is one token wherever it stands; a count of 0 deletes it.

        Args:
            word: whatever is in it.
            freq: a count; only whether it is 0 matters.
            tag: part of speech.

        Raises:
            TypeError, ArgumentError: no word, or no count.
        """
        word = text_of(word)
        if freq is not None and int(freq) < 0:
            raise ArgumentError(f"freq: {freq!r} is below 0")
        gone = freq is not None and int(freq) == 0
        with self.lock:
            self.segmenter  # noqa: B018  loaded
            item = (word, "delete" if gone else "prefer", tag or "")
            self._replace(self.user.without([word]).with_words([item]))
            if tag and not gone:
                self.user_word_tag_tab[word] = tag
            elif gone:
                self.user_word_tag_tab.pop(word, None)

    def del_word(self, word: str) -> None:
        """Deletes a word: no token is it any more."""
        self.add_word(word, 0)

    def suggest_freq(self, segment: str | tuple[str, ...] | list[str], tune: bool = False) -> int:
        """The count at which a word stays whole, or at which its parts stay apart.

        Args:
            segment: the word; or its parts, where it shall be cut.
            tune: make it so: the word becomes one token, or these parts.

        Returns:
            a count on the scale of :attr:`total`.
        """
        if isinstance(segment, (str, bytes)):
            word = text_of(segment)
            share = exp(sum(self._log_share(w) for w in self.plain.cut(word)))
            freq = max(int(share * self.total) + 1, int(self.FREQ.get(word) or 1))
            if tune:
                self.add_word(word, freq)
            return freq
        parts = [text_of(part) for part in segment]
        word = "".join(parts)
        share = exp(sum(map(self._log_share, parts)))
        freq = min(int(share * self.total), int(self.FREQ.get(word) or 0))
        if tune:
            from segmenter.lexicon.user import UserWord

            with self.lock:
                entry = UserWord(word, "force", parts=tuple(parts))
                self._replace(self.user.with_words([entry]))
        return freq

    def _log_share(self, word: str) -> float:
        from math import log

        return log((self.FREQ.get(word) or 1.0) / self.total)


def _with_offsets(words: list[str]) -> list[tuple[str, int, int]]:
    out = []
    at = 0
    for word in words:
        out.append((word, at, at + len(word)))
        at += len(word)
    return out
