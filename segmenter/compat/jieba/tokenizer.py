"""``Tokenizer`` of the package jieba: its methods and arguments, the words of this package.

>>> Tokenizer().lcut("他来到了网易杭研大厦")[:3]
['他', '来到', '了']
"""

from __future__ import annotations

import os
from heapq import merge
from io import BytesIO
from itertools import islice
from math import exp, log
from threading import RLock
from typing import TYPE_CHECKING, cast

from segmenter.compat.jieba.tables import Frequencies
from segmenter.compat.jieba.texts import no_paddle, text_of
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, ResourceError, check_str, wrong_type
from segmenter.kernels import _tokens
from segmenter.lexicon import Lexicon
from segmenter.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from segmenter.lexicon.user import UserDictionary, UserWord

_PART = 1 << 16  # characters of a long text that are cut at once
_CACHED_WORDS, _LONGEST_CACHED = 1 << 15, 16  # size of _Inner's cache, length of its words


class Tokenizer:
    """Cuts as ``jieba.Tokenizer`` does, in its forms; every instance has its own words.

    Words added or deleted change this Tokenizer alone and may consist of any characters: a new
    Segmenter replaces the old one, and calls under way finish on the old one.

    Args:
        dictionary: a word list in jieba's form (word, count, tag between blanks), which replaces
            the shipped lexicon: words are then found as jieba finds them, by their counts, and with
            ``HMM=True`` by jieba's own HMM.
            None: the shipped lexicon and model.

    Attributes:
        dictionary: the path of the argument.
        initialized: whether the words are loaded.
        user_word_tag_tab: flags of the words that were added with one.
        own_counts: counts that words were added with.
        tmp_dir, cache_file: may be set, but have no effect: no file is cached.
    """

    def __init__(self, dictionary: str | os.PathLike[str] | None = None) -> None:
        self.lock = RLock()
        self.dictionary = None if dictionary is None else os.path.abspath(dictionary)
        self.initialized = False
        self.tmp_dir: str | None = None
        self.cache_file: str | None = None
        self.user_word_tag_tab: dict[str, str] = {}
        self.own_counts: dict[str, float] = {}
        self._total: float | None = None
        self._pending: dict[str, UserWord | None] = {}  # None: forget the word
        self._listed: tuple[Lexicon, list[str]] | None = None
        self._inner_cache: tuple[Segmenter, _Inner] | None = None  # for the words of `plain`
        self._has_line_ends = False  # whether a user word contains a line end
        self._segmenter: Segmenter | None = None
        self._plain: Segmenter | None = None

    def __repr__(self) -> str:
        return f"<Tokenizer dictionary={self.dictionary!r}>"

    # --- Segmenters -------------------------------------------------------------------------------

    def initialize(self, dictionary: str | os.PathLike[str] | None = None) -> None:
        """Load the words now instead of with the first sentence, from another file if given."""
        with self.lock:
            if dictionary is not None and os.path.abspath(dictionary) != self.dictionary:
                self.set_dictionary(dictionary)
            if not self.initialized:
                user = None if self._segmenter is None else self._segmenter.user
                if self.dictionary is None:
                    self._segmenter = load(user=user)
                    self._plain = load(decoder="unigram", user=user)
                else:
                    from segmenter.lexicon.sources import read_words

                    words = read_words(self.dictionary, format="jieba")
                    name = os.path.basename(self.dictionary)
                    lexicon = Lexicon.build(words.entries, profile="jieba", name=name)
                    self._plain = Segmenter(lexicon, user=user)
                    from segmenter.compat.jieba.finalseg import model

                    self._segmenter = Segmenter(
                        lexicon, oov="hmm", unknown_tagger=model(), user=user
                    )
                self.initialized = True

    check_initialized = initialize

    def set_dictionary(self, dictionary_path: str | os.PathLike[str]) -> None:
        """Use another word list from the next sentence on; added words stay.

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
        if self._pending or not self.initialized:
            self._apply_pending()
        return cast("Segmenter", self._segmenter)

    @property
    def plain(self) -> Segmenter:
        """The Segmenter behind ``HMM=False``: words of the lexicon and of the user alone."""
        if self._pending or not self.initialized:
            self._apply_pending()
        return cast("Segmenter", self._plain)

    @property
    def lexicon(self) -> Lexicon:
        return self.plain.lexicon

    @property
    def listed(self) -> list[str]:
        """The lexicon's words that a look-up finds; folding hides some stored forms."""
        lexicon = self.lexicon
        if self._listed is None or self._listed[0] is not lexicon:
            self._listed = (lexicon, [word for word in lexicon.words() if word in lexicon])
        return self._listed[1]

    @property
    def user(self) -> UserDictionary:
        """The words that were added and deleted."""
        return self.segmenter.user

    def _apply_pending(self) -> None:
        """Load the words, and apply all changes since the last sentence at once."""
        with self.lock:
            if not self.initialized:
                self.initialize()
            if self._pending:
                words = [word for word in self._pending.values() if word is not None]
                # `_pending` is cleared last: other threads read it without the lock
                segmenter = cast("Segmenter", self._segmenter)
                user = segmenter.user.without(self._pending).with_words(words)
                segmenter = segmenter.replace(user)
                self._plain = cast("Segmenter", self._plain).replace(user)
                self._segmenter = segmenter
                self._pending = {}

    def _add(self, entries: Iterable[UserWord]) -> None:
        for entry in entries:
            # entries stay in the order of their last change
            self._pending.pop(entry.word, None)
            self._pending[entry.word] = entry
            self._has_line_ends |= "\n" in entry.word

    # --- cutting ---------------------------------------------------------------------------------

    def cut(
        self,
        sentence: str | bytes,
        cut_all: bool = False,
        HMM: bool = True,
        use_paddle: bool = False,
    ) -> Iterator[str]:
        """Yield the words of a sentence; a long text is cut in parts.

        Args:
            cut_all: every word of the lexicon, overlapping.
            HMM: guess words that are not in the lexicon.
            use_paddle: warns; the default mode is used instead.
        """
        no_paddle(use_paddle)
        return self._words(text_of(sentence), cut_all, HMM)

    def lcut(
        self,
        sentence: str | bytes,
        cut_all: bool = False,
        HMM: bool = True,
        use_paddle: bool = False,
    ) -> list[str]:
        no_paddle(use_paddle)
        text = text_of(sentence)
        if cut_all:
            return list(self._cut_all(text))
        return (self.segmenter if HMM else self.plain).cut(text)

    def _words(self, text: str, cut_all: bool, hmm: bool) -> Iterator[str]:
        if cut_all:
            yield from self._cut_all(text)
        else:
            for words in self._parts(text, hmm):
                yield from words

    def _parts(self, text: str, hmm: bool) -> Iterable[list[str]]:
        """The words of a text, as several lists if it is long."""
        segmenter = self.segmenter if hmm else self.plain
        if self._has_line_ends or len(text) <= _PART:
            return (segmenter.cut(text),)
        return self._long_parts(segmenter, text)

    @staticmethod
    def _long_parts(segmenter: Segmenter, text: str) -> Iterator[list[str]]:
        start = 0
        while start < len(text):
            # no rule looks across the end of a line
            end = text.find("\n", start + _PART - 1) + 1 or len(text)
            part = text[start:end] if end - start < len(text) else text
            start = end
            if len(part) < 2 * _PART:
                yield segmenter.cut(part)
            else:  # one long line: its ends take a tenth of the memory of its words
                spans = _spans(segmenter, part)
                while words := [part[a:b] for a, b in islice(spans, _PART)]:
                    yield words

    @property
    def _inner(self) -> _Inner:
        """The words inside words; a new cache after each change of the words."""
        plain = self.plain
        if self._inner_cache is None or self._inner_cache[0] is not plain:
            self._inner_cache = (plain, _Inner(self.FREQ.get))
        return self._inner_cache[1]

    def _cut_all(self, text: str) -> Iterator[str]:
        """Words of two or more characters, cut or in the lexicon, and uncovered characters."""
        plain = self.plain
        covered, previous = 0, (0, 0)
        for span in merge(_spans(self.segmenter, text), plain._words.spans(text)):
            start, end = span
            if end - start < 2 or span == previous:
                continue
            previous = span
            yield from text[covered:start]  # characters that no word covers
            yield text[start:end]
            covered = max(covered, end)
        yield from text[covered:]

    def cut_for_search(self, sentence: str | bytes, HMM: bool = True) -> Iterator[str]:
        """Yield the words, each after the words of two and three characters inside it."""
        for words in self._parts(text_of(sentence), HMM):
            yield from self._with_inner(words)

    def lcut_for_search(self, sentence: str | bytes, HMM: bool = True) -> list[str]:
        return self._with_inner(self.lcut(sentence, HMM=HMM))

    def _with_inner(self, words: list[str]) -> list[str]:
        inner = self._inner
        return _tokens.words_replaced(words, 2, inner.texts, inner.look_up)

    def tokenize(
        self, unicode_sentence: str, mode: str = "default", HMM: bool = True
    ) -> Iterator[tuple[str, int, int]]:
        """Words with their start and exclusive end, in code points.

        Args:
            mode: ``"default"``, or ``"search"``: the tokens of :meth:`cut_for_search`.
            HMM: guess words that are not in the lexicon.

        Raises:
            TypeError: not a str.
            ArgumentError: another mode.
        """
        check_str("unicode_sentence", unicode_sentence)
        if mode not in ("default", "search"):
            raise ArgumentError(f"mode: {mode!r} is neither 'default' nor 'search'")
        return self._tokens(unicode_sentence, mode == "search", HMM)

    def _tokens(self, text: str, search: bool, hmm: bool) -> Iterator[tuple[str, int, int]]:
        start = 0
        for words in self._parts(text, hmm):
            rows = _tokens.words_at(words, start)
            if not search:
                yield from rows
            else:
                inner_rows = self._inner.rows
                for row in rows:
                    word, word_start, _ = row
                    for inner, first, last in inner_rows(word) if len(word) > 2 else ():
                        yield inner, word_start + first, word_start + last
                    yield row
            if rows:
                start = rows[-1][2]

    def get_DAG(self, sentence: str) -> dict[int, list[int]]:
        """For every start, the inclusive ends of the words that begin there."""
        ends: dict[int, set[int]] = {start: set() for start in range(len(sentence))}
        for edge in self.plain.dag(sentence).edges:
            ends[edge.start].add(edge.end - 1)
        return {start: sorted(lasts) or [start] for start, lasts in ends.items()}

    # --- words -----------------------------------------------------------------------------------

    @property
    def FREQ(self) -> Frequencies:
        """Counts of the words; setting one adds the word, as :meth:`add_word` does."""
        return Frequencies(self)

    @property
    def total(self) -> float:
        """The sum of all counts; setting it affects only :meth:`suggest_freq`."""
        return float(self.lexicon.meta["mass"]) if self._total is None else self._total

    @total.setter
    def total(self, value: float) -> None:
        self._total = float(value)

    def get_dict_file(self) -> IO[bytes]:
        """The word list as a binary file in jieba's format, also for the shipped lexicon."""
        if self.dictionary is not None:
            return open(self.dictionary, "rb")
        rows = (f"{e.word} {round(e.count)} {e.tag or 'x'}\n" for e in self.lexicon)
        return BytesIO("".join(rows).encode())

    def load_userdict(
        self, f: str | os.PathLike[str] | IO[bytes] | IO[str] | Iterable[str] | Iterable[bytes]
    ) -> None:
        """Add the words of a file in jieba's format: word, count and tag between blanks.

        The size of a count has no effect, except that 0 deletes the word.

        Args:
            f: a path, a file opened as text or as bytes, or lines.

        Raises:
            DictionaryError, EncodingError: a faulty line, named by file and line.
            TypeError: ``f`` is not one of these.
        """
        from segmenter.lexicon.user import UserDictionary, user_word

        words = UserDictionary.load(_source(f), format="jieba")
        with self.lock:
            for word in words:
                level = "delete" if word.weight == 0 else "prefer"
                self._add([user_word((word.word, level, word.tag, word.payload))])
                if word.weight is not None:
                    self.own_counts[word.word] = int(word.weight)
                if word.tag:
                    self.user_word_tag_tab[word.word] = word.tag

    def add_word(self, word: str, freq: int | str | None = None, tag: str | None = None) -> None:
        """Add a word: every occurrence becomes one token; a count of 0 deletes it.

        Args:
            freq: a count; only whether it is 0 matters.
            tag: part of speech.

        Raises:
            TypeError, ArgumentError: not a word, or not a count.
        """
        from segmenter.lexicon.user import user_word

        word = text_of(word)
        count = None if freq is None else int(freq)
        if count is not None and count < 0:
            raise ArgumentError(f"freq: {freq!r} is below 0: give a count, or 0 to delete the word")
        entry = user_word((word, "delete" if count == 0 else "prefer", tag or ""))
        with self.lock:
            self._add([entry])
            if count is None:
                self.own_counts.pop(word, None)
            else:
                self.own_counts[word] = count
            if count == 0:
                self.user_word_tag_tab.pop(word, None)
            elif tag:
                self.user_word_tag_tab[word] = tag

    def forget_word(self, word: str) -> None:
        """Undo the addition or deletion of a word, or delete a word of the lexicon.

        ``del FREQ[word]`` calls it.
        """
        with self.lock:
            in_lexicon = word in self.lexicon
            self.user_word_tag_tab.pop(word, None)
            self.own_counts.pop(word, None)
            if in_lexicon:
                self.add_word(word, 0)
            else:
                self._pending[word] = None

    def del_word(self, word: str) -> None:
        """Delete a word, so that it is no longer a token."""
        self.add_word(word, 0)

    def suggest_freq(self, segment: str | tuple[str, ...] | list[str], tune: bool = False) -> int:
        """The count at which a word stays whole, or at which its parts stay apart.

        Args:
            segment: the word, or the parts to cut it into.
            tune: apply it: the word becomes one token, or these parts.

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
                self._add([UserWord(word, "force", parts=tuple(parts))])
                self.own_counts[word] = freq
        return freq

    def _log_share(self, word: str) -> float:
        return log((self.FREQ.get(word) or 1.0) / self.total)


class _Inner:
    """The words of two and three characters inside words, cached by word.

    Args:
        count: a function from a string to its count; 0 or None: not a word.

    Attributes:
        texts: by word, the words inside it and the word itself.
    """

    def __init__(self, count: Callable[[str], float | None]) -> None:
        self._count = count
        self._rows: dict[str, tuple[tuple[str, int, int], ...]] = {}
        self.texts: dict[str, tuple[str, ...]] = {}

    def rows(self, word: str) -> tuple[tuple[str, int, int], ...]:
        """The words inside a word, with start and end."""
        rows = self._rows.get(word)
        if rows is None:
            rows = tuple(
                (part, i, i + size)
                for size in (2, 3)
                for i in range(len(word) - size + 1 if len(word) > size else 0)
                if self._count(part := word[i : i + size])
            )
            if len(self._rows) >= _CACHED_WORDS:
                self._rows.clear()
                self.texts.clear()
            if len(word) <= _LONGEST_CACHED:
                self._rows[word] = rows
        return rows

    def look_up(self, word: str) -> tuple[str, ...]:
        """The value of ``texts`` for a word."""
        texts = (*(part for part, _, _ in self.rows(word)), word)
        if word in self._rows:
            self.texts[word] = texts
        return texts


def _source(f: object) -> str | os.PathLike[str] | IO[bytes] | bytes:
    """The argument of ``load_userdict`` as a source for :meth:`UserDictionary.load`."""
    if isinstance(f, (str, os.PathLike, bytes)):
        return f
    read = getattr(f, "read", None)
    if read is not None:
        data = read()
    elif hasattr(f, "__iter__"):
        lines = [line.decode() if isinstance(line, bytes) else line for line in f]
        if not all(isinstance(line, str) for line in lines):
            raise wrong_type("f", f, "a path, a file, or lines of str or bytes")
        data = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    else:
        raise wrong_type("f", f, "a path, a file, or lines")
    file = BytesIO(data.encode() if isinstance(data, str) else data)
    name = getattr(f, "name", None)
    file.name = name if isinstance(name, str) else "<lines>"
    return file


def _spans(segmenter: Segmenter, text: str) -> Iterator[tuple[int, int]]:
    ends = segmenter.ends(text)
    start = 0
    for i in range(0, len(ends), _PART):
        for end in ends[i : i + _PART].tolist():
            yield start, end
            start = end
