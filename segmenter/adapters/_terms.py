"""Texts and queries as search engines index them: characters that know their place in a word.

An index stores the *units* of a text: its characters, a run of letters or digits counting as one.
So every substring that begins and ends between units is a phrase, however a decoder cut the text.
A unit carries a *mark* for its place in its word: first, last, inside, or alone.  So words need no
postings of their own: a phrase of units with any marks matches the string; with the marks of the
query's own words it matches those words, and ranks higher.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from segmenter.adapters import chosen
from segmenter.errors import ArgumentError, wrong_type
from segmenter.search import REMEMBERED, SearchOptions, units
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.choices import Mode
    from segmenter.segmenter import Segmenter
    from segmenter.types import Tokens

#: What is dropped by default: blanks, line ends and punctuation are not terms.
DROP = frozenset(("space", "newline", "punct"))
#: Version of an index's content; part of every :attr:`Terms.fingerprint`.
FORM = 1

#: Marks of a unit: a whole word, or the first, an inner or the last unit of one.
ALONE, FIRST, INSIDE, LAST = MARKS = (".", "<", "-", ">")
#: A part of a query with at most this many units is searched for as one word, however it is cut.
ONE_WORD = 3
_LONG = 64  # longer words are not kept


class Unit(NamedTuple):
    """A unit of a text: folded, with its place, its mark, and a second reading."""

    text: str  # folded
    start: int
    end: int
    position: int  # number of the unit in the text, dropped ones counted
    mark: str
    other: str = ""  # a second reading (后 of 後), or ""

    @property
    def readings(self) -> tuple[str, ...]:
        return (self.text, self.other) if self.other else (self.text,)


class Term(NamedTuple):
    """A term of an index of words: folded, with its span and its place in the graph."""

    text: str
    start: int
    end: int
    position: int
    length: int


class _Word(NamedTuple):
    units: tuple[tuple[str, int, int, str], ...]  # folded, start, end, mark
    dropped: bool


class Terms:
    """Units of texts and of queries by one Segmenter and one set of options.

    Terms are folded: width and case as the lexicon folds, and with ``script`` Traditional, Hong
    Kong and Taiwan forms; so ``ＡＢＣ`` finds ``abc``, and 大学 finds 大學.

    Args:
        segmenter: None: the default preset.
        options: None: the default.  Only ``stop``, ``drop`` and ``runs`` matter: the others add
            words inside words, and every string of units is found anyway.
        script: fold scripts.

    Raises:
        TypeError: an argument has the wrong type.
    """

    __slots__ = ("_words", "by_kind", "options", "script", "segmenter")

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        options: SearchOptions | None = None,
        script: bool = True,
    ) -> None:
        self.segmenter = chosen(segmenter)
        if options is not None and not isinstance(options, SearchOptions):
            raise wrong_type("options", options, "SearchOptions")
        if not isinstance(script, bool):
            raise wrong_type("script", script, "bool")
        options = options or SearchOptions()
        if options.drop is None:
            options = replace(options, drop=DROP)
        assert options.drop is not None
        self.options = options
        self.script = script
        # characters show blanks, line ends and punctuation; other kinds depend on the cut
        self.by_kind = bool(options.drop - DROP) or bool(self.segmenter.skip)
        self._words: dict[str, _Word] = {}

    @property
    def fingerprint(self) -> str:
        """The identity to store with an index: equal ones give the same units on every text."""
        o = self.options
        said = repr((sorted(o.stop), sorted(o.drop or ()), o.runs, self.script))
        more = sha256(said.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return f"{self.segmenter.fingerprint} terms={FORM}-{more}"

    # --- units -----------------------------------------------------------------------------------

    def units(self, text: str) -> Iterator[Unit]:
        """Yield the units of a text in order; dropped ones leave their positions empty.

        ``_columns.columns`` returns the same for nearly all texts, several times as fast.
        """
        for _, row in self.rows(text):
            yield from row

    def rows(self, text: str) -> Iterator[tuple[str, list[Unit]]]:
        """Yield the words of a text that are not dropped, each with its units."""
        other = self.other_readings(text)
        at = position = 0
        for word, dropped in self.words(text):
            entry = self.word(word)
            if not (dropped or entry.dropped):
                yield (
                    word,
                    [
                        Unit(folded, at + start, at + end, k, mark, other.get(at + start, ""))
                        for k, (folded, start, end, mark) in enumerate(entry.units, position)
                    ],
                )
            at += len(word)
            position += len(entry.units)

    def words(self, text: str) -> Iterable[tuple[str, bool]]:
        """Return the words that tile a text, and whether their kind is dropped."""
        if not self.by_kind:
            return ((word, False) for word in self.segmenter.cut(text))
        return self._words_and_kinds(text)

    def spans(self, text: str) -> set[tuple[int, int]]:
        """Return the spans of :meth:`words`."""
        spans, at = set(), 0
        for word, _ in self.words(text):
            spans.add((at, at + len(word)))
            at += len(word)
        return spans

    def _words_and_kinds(self, text: str) -> Iterator[tuple[str, bool]]:
        drop, at = self.options.drop or frozenset(), 0
        for token in self.segmenter.tokenize(text):
            if token.start > at:  # what the Segmenter skips
                yield text[at : token.start], True
            yield token.text, token.kind in drop
            at = token.end
        if at < len(text):
            yield text[at:], True

    def word(self, word: str) -> _Word:
        """The units of one word; remembered."""
        entry = self._words.get(word)
        if entry is None:
            entry = self._make(word)
            if len(word) <= _LONG:
                if len(self._words) >= REMEMBERED:
                    self._words.clear()
                self._words[word] = entry
        return entry

    def _make(self, word: str) -> _Word:
        folded = self.fold(word)
        codes = set(map(_code, word))
        if self._is_dropped(word, codes):
            return _Word(_units(folded, word, self.options.runs == "split"), True)
        if codes <= _SINGLE:  # nearly all words: a unit a character
            spans = [(c, k, k + 1) for k, c in enumerate(folded)]
            return _Word(_marked(spans), False)
        return _Word(_units(folded, word, self.options.runs == "split"), False)

    def _is_dropped(self, word: str, codes: set[int]) -> bool:
        options = self.options
        if options.stop and chars.fold_str(word) in options.stop:
            return True
        drop = options.drop or ()
        return (
            ("space" in drop and codes <= BLANKS)
            or ("newline" in drop and chars.LF in codes and codes <= ENDS)
            or ("punct" in drop and codes <= PUNCT)
        )

    # --- folding ---------------------------------------------------------------------------------

    def fold(self, text: str) -> str:
        """Return ``text`` as it is indexed; the length stays the same."""
        text = chars.fold_str(text)
        return variants.fold_str(text) if self.script else text

    def other_readings(self, text: str) -> dict[int, str]:
        """Return second readings by offset: in 以後, the lexicon reads 後 as 后."""
        if not self.script or variants.SEVERAL.isdisjoint(text) or not self.segmenter.variants:
            return {}
        try:
            read = self.segmenter.lexicon.native.fold(text)
        except ArgumentError:  # a tagger without a lexicon
            return {}
        plain = self.fold(text)
        return {
            k: read[k] for k, c in enumerate(text) if c in variants.SEVERAL and read[k] != plain[k]
        }

    # --- queries ---------------------------------------------------------------------------------

    def parts(self, text: str, *, phrase: bool = False) -> list[list[Unit]]:
        """Return the parts of a query, as rows of units: its words, or all of it as one phrase.

        A part between blanks or punctuation with no more than :data:`ONE_WORD` units stays whole,
        since decoders often cut names and words that they do not know.
        """
        rows: list[list[list[Unit]]] = []  # words, in stretches between dropped ones
        end = -1
        for _, row in self.rows(text):
            if row[0].position != end:
                rows.append([])
            rows[-1].append(row)
            end = row[-1].position + 1
        if phrase:
            whole = [unit for words in rows for row in words for unit in row]
            return [whole] if whole else []
        parts: list[list[Unit]] = []
        for words in rows:
            whole = [unit for row in words for unit in row]
            parts += [whole] if len(whole) <= ONE_WORD else words
        return parts

    # --- words as terms --------------------------------------------------------------------------

    def graph(self, text: str, mode: Mode) -> list[Term]:
        """Return words, the words inside them and their characters: modes "index" and "query"."""
        tokens = self.segmenter.tokenize(text, mode=mode, options=self.options)
        return self.terms(tokens)

    def terms(self, tokens: Tokens) -> list[Term]:
        """Return the terms of tokens; a token that can be read in two ways is two terms."""
        text = tokens.text
        folded = self.fold(text)
        other = self.other_readings(text)
        read = "".join(other.get(k, c) for k, c in enumerate(folded)) if other else folded
        out = []
        for (a, b), position, length in zip(
            tokens.spans, tokens.positions, tokens.position_lengths, strict=True
        ):
            out.append(Term(folded[a:b], a, b, position, length))
            if other and folded[a:b] != read[a:b]:
                out.append(Term(read[a:b], a, b, position, length))
        return out


@lru_cache(maxsize=8)
def _kept(segmenter: Segmenter, options: SearchOptions | None, script: bool) -> Terms:
    return Terms(segmenter, options, script)


def terms_of(
    segmenter: Segmenter | None, options: SearchOptions | None, script: bool, text: object = ""
) -> Terms:
    """Return :class:`Terms` that are kept between calls, since they remember words.

    Raises:
        TypeError: an argument has the wrong type; ``text`` is checked here for the caller.
    """
    if not isinstance(text, str):
        raise wrong_type("text", text, "str")
    if options is not None and not isinstance(options, SearchOptions):
        raise wrong_type("options", options, "SearchOptions")
    return _kept(chosen(segmenter), options, script)


def differs(what: str, kept: str, given: str, remedy: str) -> ArgumentError:
    """Return the error for an index that was filled by another Segmenter or with other options."""
    return ArgumentError(
        f"segmenter: {what} was filled by another one, or with other options (the index has "
        f"{kept!r}, the Segmenter {given!r}): {remedy}"
    )


@lru_cache(maxsize=1 << 14)
def _code(character: str) -> int:
    return chars.char_class(chars.fold(ord(character)))


def _units(folded: str, word: str, split: bool) -> tuple[tuple[str, int, int, str], ...]:
    return _marked([(folded[u.start : u.end], u.start, u.end) for u in units(word, split=split)])


def _marked(spans: list[tuple[str, int, int]]) -> tuple[tuple[str, int, int, str], ...]:
    n = len(spans)
    marks = ALONE if n == 1 else FIRST + INSIDE * (n - 2) + LAST
    return tuple([(text, a, b, mark) for (text, a, b), mark in zip(spans, marks, strict=True)])


_SINGLE = frozenset((chars.HAN, chars.HANNUM))
#: Classes of what is dropped: words of blanks, line ends, punctuation alone.
BLANKS = frozenset((chars.BLANK, chars.CR))
ENDS = frozenset((chars.LF, chars.CR))
PUNCT = frozenset((chars.PUNCT, *chars.JOINERS))
