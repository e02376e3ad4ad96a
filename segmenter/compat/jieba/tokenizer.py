"""``Tokenizer`` of the package jieba: its methods and arguments, our words.

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
_REMEMBERED, _SHORT = 1 << 15, 16  # words whose insides are kept, and how long they are at most


class Tokenizer:
    """Cuts as ``jieba.Tokenizer`` does, in its forms; every instance has its own words.

    Words added or deleted change this Tokenizer alone and take effect whatever is in them: a new
    Segmenter takes the old one's place, calls under way finish on the old one.

    Args:
        dictionary: a word list in jieba's form (word, count, tag between blanks), which replaces
            the shipped lexicon: words are then found as jieba finds them, by their counts, and with
            ``HMM=True`` by jieba's own HMM.
            None: the shipped lexicon and model.

    Attributes:
        dictionary: the path given.
        initialized: whether the words are loaded.
        user_word_tag_tab: flags of the words that were added with one.
        own_counts: counts that words were added with.
        tmp_dir, cache_file: may be set, and are not used: nothing is cached.
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
        self._pending: dict[str, UserWord | None] = {}  # None: to be forgotten
        self._listed: tuple[Lexicon, list[str]] | None = None
        self._met: tuple[Segmenter, _Inner] | None = None  # of the words of `plain`
        self._line_ends = False  # whether a word of the user's has one in it
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
        if self._pending or not self.initialized:
            self._settle()
        return cast("Segmenter", self._segmenter)

    @property
    def plain(self) -> Segmenter:
        """The Segmenter behind ``HMM=False``: words of the lexicon and of the user alone."""
        if self._pending or not self.initialized:
            self._settle()
        return cast("Segmenter", self._plain)

    @property
    def lexicon(self) -> Lexicon:
        return self.plain.lexicon

    @property
    def listed(self) -> list[str]:
        """The lexicon's words, less those that it holds in a form which no look-up leads to."""
        lexicon = self.lexicon
        if self._listed is None or self._listed[0] is not lexicon:
            self._listed = (lexicon, [word for word in lexicon.words() if word in lexicon])
        return self._listed[1]

    @property
    def user(self) -> UserDictionary:
        """The words that were added and deleted."""
        return self.segmenter.user

    def _settle(self) -> None:
        """Loads the words; what was added since the last sentence takes effect, all at once."""
        with self.lock:
            if not self.initialized:
                self.initialize()
            if self._pending:
                words = [word for word in self._pending.values() if word is not None]
                # written down after the Segmenters are there: other threads look at `_pending`
                segmenter = cast("Segmenter", self._segmenter)
                user = segmenter.user.without(self._pending).with_words(words)
                segmenter = segmenter.replace(user)
                self._plain = cast("Segmenter", self._plain).replace(user)
                self._segmenter = segmenter
                self._pending = {}

    def _add(self, entries: Iterable[UserWord]) -> None:
        for entry in entries:
            # in the order of the last change
            self._pending.pop(entry.word, None)
            self._pending[entry.word] = entry
            self._line_ends |= "\n" in entry.word

    # --- cutting ---------------------------------------------------------------------------------

    def cut(
        self,
        sentence: str | bytes,
        cut_all: bool = False,
        HMM: bool = True,
        use_paddle: bool = False,
    ) -> Iterator[str]:
        """The words of a sentence, by a generator: those of a long text come as they are found.

        Args:
            cut_all: every word of the lexicon, overlapping.
            HMM: guess words that the lexicon does not have.
            use_paddle: warns; the default mode takes its place.
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
        """The words of a text, those of a long one in several lists."""
        segmenter = self.segmenter if hmm else self.plain
        if self._line_ends or len(text) <= _PART:
            return (segmenter.cut(text),)
        return self._long_parts(segmenter, text)

    @staticmethod
    def _long_parts(segmenter: Segmenter, text: str) -> Iterator[list[str]]:
        at = 0
        while at < len(text):
            # no rule looks across the end of a line
            end = text.find("\n", at + _PART - 1) + 1 or len(text)
            part = text[at:end] if end - at < len(text) else text
            at = end
            if len(part) < 2 * _PART:
                yield segmenter.cut(part)
            else:  # a line so long: ends take a tenth of what the words take
                spans = _spans(segmenter, part)
                while some := [part[start:stop] for start, stop in islice(spans, _PART)]:
                    yield some

    @property
    def _inner(self) -> _Inner:
        """What is inside words; made anew when words are added or deleted."""
        plain = self.plain
        if self._met is None or self._met[0] is not plain:
            self._met = (plain, _Inner(self.FREQ.get))
        return self._met[1]

    def _cut_all(self, text: str) -> Iterator[str]:
        """Words of two characters and more, found or cut, and the characters that none has."""
        plain = self.plain
        covered, before = 0, (0, 0)
        for span in merge(_spans(self.segmenter, text), plain._words.spans(text)):
            start, end = span
            if end - start < 2 or span == before:
                continue
            before = span
            yield from text[covered:start]  # characters that no longer word has
            yield text[start:end]
            covered = max(covered, end)
        yield from text[covered:]

    def cut_for_search(
        self,
        sentence: str | bytes,
        HMM: bool = True,
    ) -> Iterator[str]:
        """The words, before each the words of two and three characters inside it: a generator."""
        for words in self._parts(text_of(sentence), HMM):
            yield from self._with_inner(words)

    def lcut_for_search(
        self,
        sentence: str | bytes,
        HMM: bool = True,
    ) -> list[str]:
        return self._with_inner(self.lcut(sentence, HMM=HMM))

    def _with_inner(self, words: list[str]) -> list[str]:
        inner = self._inner
        return _tokens.words_replaced(words, 2, inner.texts, inner.look_up)

    def tokenize(
        self,
        unicode_sentence: str,
        mode: str = "default",
        HMM: bool = True,
    ) -> Iterator[tuple[str, int, int]]:
        """Words with their start and exclusive end, in code points.

        Args:
            mode: ``"default"``, or ``"search"``: the tokens of :meth:`cut_for_search`.
            HMM: guess words that the lexicon does not have.

        Raises:
            TypeError: no str.
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
                inside = self._inner.rows
                for row in rows:
                    word, at, _ = row
                    for part, first, last in inside(word) if len(word) > 2 else ():
                        yield part, at + first, at + last
                    yield row
            if rows:
                start = rows[-1][2]

    def get_DAG(self, sentence: str) -> dict[int, list[int]]:
        """For every start the last places (inclusive) of the words that begin there."""
        ends: dict[int, set[int]] = {k: set() for k in range(len(sentence))}
        for edge in self.plain.dag(sentence).edges:
            ends[edge.start].add(edge.end - 1)
        return {k: sorted(places) or [k] for k, places in ends.items()}

    # --- words -----------------------------------------------------------------------------------

    @property
    def FREQ(self) -> Frequencies:
        """Counts of the words: what is set there is added, as by :meth:`add_word`."""
        return Frequencies(self)

    @property
    def total(self) -> float:
        """The sum of all counts; it may be set, and moves :meth:`suggest_freq` alone."""
        return float(self.lexicon.meta["mass"]) if self._total is None else self._total

    @total.setter
    def total(self, value: float) -> None:
        self._total = float(value)

    def get_dict_file(self) -> IO[bytes]:
        """The word list as a binary file in jieba's form; of the shipped lexicon, made here."""
        if self.dictionary is not None:
            return open(self.dictionary, "rb")
        rows = (f"{e.word} {round(e.count)} {e.tag or 'x'}\n" for e in self.lexicon)
        return BytesIO("".join(rows).encode())

    def load_userdict(
        self, f: str | os.PathLike[str] | IO[bytes] | IO[str] | Iterable[str] | Iterable[bytes]
    ) -> None:
        """Adds the words of a file: word, count and tag between blanks, as jieba has them.

        A word takes effect whatever its count is; a count of 0 deletes it.

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
        """Adds a word: it is one token wherever it stands; a count of 0 deletes it.

        Args:
            freq: a count; only whether it is 0 matters.
            tag: part of speech.

        Raises:
            TypeError, ArgumentError: no word, or no count.
        """
        from segmenter.lexicon.user import user_word

        word = text_of(word)
        count = None if freq is None else int(freq)
        if count is not None and count < 0:
            raise ArgumentError(f"freq: {freq!r} is below 0")
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
        """Takes back what was added or deleted; a word of the lexicon itself is deleted.

        What ``del FREQ[word]`` does.
        """
        with self.lock:
            known = word in self.lexicon
            self.user_word_tag_tab.pop(word, None)
            self.own_counts.pop(word, None)
            if known:
                self.add_word(word, 0)
            else:
                self._pending[word] = None

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
                self._add([UserWord(word, "force", parts=tuple(parts))])
                self.own_counts[word] = freq
        return freq

    def _log_share(self, word: str) -> float:
        return log((self.FREQ.get(word) or 1.0) / self.total)


class _Inner:
    """The words of two and three characters inside words, with those that were met remembered.

    Args:
        count: the count of a word; 0 or None: it is none.

    Attributes:
        texts: of a word those inside it, and the word itself.
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
            if len(self._rows) >= _REMEMBERED:
                self._rows.clear()
                self.texts.clear()
            if len(word) <= _SHORT:
                self._rows[word] = rows
        return rows

    def look_up(self, word: str) -> tuple[str, ...]:
        """What ``texts`` has for a word."""
        texts = (*(part for part, _, _ in self.rows(word)), word)
        if word in self._rows:
            self.texts[word] = texts
        return texts


def _source(f: object) -> str | os.PathLike[str] | IO[bytes] | bytes:
    """What ``load_userdict`` takes, as :meth:`UserDictionary.load` takes it."""
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
