"""Texts and queries as search engines index them: characters marked with their place in a word.

An index stores the *units* of a text: its characters, a run of letters or digits counting as one.
The characters alone decide what a unit is, and which blanks and punctuation are left out.
So every substring that begins and ends between units is a phrase, however a decoder cut the
text.  A sign that holds a word together is a unit: 3.14, AT&T, I/O, 50%, C#, 1,000.
A unit carries a *mark* for its place in its word: first, last, inside, or alone.  So words need no
postings of their own: a phrase of units with any marks matches the string, and a phrase with the
marks of the query's own words matches those words and ranks higher.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from segmenter.adapters import chosen
from segmenter.errors import ArgumentError, wrong_type
from segmenter.search import SearchOptions, cuts_runs, units
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core import Segmenter

#: What is dropped by default: blanks, line ends and punctuation are not terms.
DROP = frozenset(("space", "newline", "punct"))
#: Version of an index's content; part of every :attr:`Terms.fingerprint`.
FORM = 2

#: Marks of a unit: a whole word, or the first, an inner or the last unit of one.
ALONE, FIRST, INSIDE, LAST = MARKS = (".", "<", "-", ">")
#: A part of a query with at most this many units is searched for as one word, however it is cut.
ONE_WORD = 3

#: Signs that are units between two letters or digits, and those that are after one.
BETWEEN, AFTER = frozenset(".·：/-&@'’_"), frozenset("%‰#")
COMMA = "，"  # a unit between two digits


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


class Terms:
    """Units of texts and of queries by one Segmenter and one set of options.

    Terms are folded: width and case as the lexicon folds, and with ``script`` Traditional, Hong
    Kong and Taiwan forms; so ``ＡＢＣ`` finds ``abc``, and 大学 finds 大學.

    Args:
        segmenter: None: the default preset.
        options: None: the default.  Only ``stop``, ``drop`` and ``runs`` matter: the others add
            words inside words, and every string of units is found anyway.  A stop word, and a word
            of a kind in ``drop`` other than blanks, line ends and punctuation, is left out with all
            its units: whether a string that has one is found depends on the cut.
        script: fold scripts.

    Raises:
        TypeError: an argument has the wrong type.
    """

    __slots__ = ("by_kind", "drop", "options", "script", "segmenter", "whole")

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
        skip = self.segmenter.skip
        self.drop = (
            options.drop
            | (DROP - {"punct"} if "space" in skip else frozenset())
            | ({"punct"} if "punct" in skip else frozenset())
        )
        # characters show blanks, line ends and punctuation; other kinds depend on the cut
        self.by_kind = options.drop - DROP
        self.whole = not cuts_runs(self.segmenter)

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
        """Yield the words of a text that are not dropped, each with its units.

        A unit belongs to the word in which it begins.
        """
        folded, other = self.fold(text), self.other_readings(text)
        codes = [*map(_code, text), -1]
        spans = enumerate(self.unit_spans(text))
        position, (start, end) = next(spans, (0, (len(text), len(text))))
        at = 0
        for word, dropped in self.words(text):
            first, at = at, at + len(word)
            row = []
            while start < at:
                if not (dropped or self._is_dropped(folded, codes, start, end)):
                    place = 2 * (start == first) + (end >= at)
                    mark, reading = _BY_PLACE[place], other.get(start, "")
                    row.append(Unit(folded[start:end], start, end, position, mark, reading))
                position, (start, end) = next(spans, (0, (len(text), len(text))))
            if row:
                yield word, row

    def unit_spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Return the spans of all units, which tile the text."""
        if self.whole:
            return ((u.start, u.end) for u in units(text, split=self.options.runs == "split"))
        return ((k, k + 1) for k in range(len(text)))

    def _is_dropped(self, folded: str, codes: list[int], start: int, end: int) -> bool:
        """Whether a unit is left out, by its characters and the two beside it."""
        code = codes[start]
        if code in PUNCT:
            if end - start > 1 or "punct" not in self.drop:
                return False
            sign = folded[start]
            before, after = codes[start - 1], codes[end]
            if sign in BETWEEN:
                return not (before in LETTERS and after in LETTERS)
            if sign == COMMA:
                return not before == after == chars.DIGIT
            return not (sign in AFTER and before in LETTERS)
        drop = self.drop
        blank = (code in BLANKS and "space" in drop) or (code in ENDS and "newline" in drop)
        return blank and codes[end - 1] != chars.EXTEND

    def words(self, text: str) -> Iterable[tuple[str, bool]]:
        """Return the words that tile a text, and whether options drop them as words."""
        if self.by_kind or self.segmenter.skip:
            return self._words_and_kinds(text)
        stop = self.options.stop
        words = self.segmenter.cut(text)
        return ((word, bool(stop) and chars.fold_str(word) in stop) for word in words)

    def spans(self, text: str) -> set[tuple[int, int]]:
        spans, at = set(), 0
        for word, _ in self.words(text):
            spans.add((at, at + len(word)))
            at += len(word)
        return spans

    def _words_and_kinds(self, text: str) -> Iterator[tuple[str, bool]]:
        stop, at = self.options.stop, 0
        for token in self.segmenter.tokenize(text):
            if token.start > at:  # what the Segmenter skips
                yield text[at : token.start], False
            yield token.text, token.kind in self.by_kind or chars.fold_str(token.text) in stop
            at = token.end
        if at < len(text):
            yield text[at:], False

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
        rows: list[list[list[Unit]]] = []  # words, in stretches between blanks and punctuation
        end = -1
        for word, row in self.rows(text):
            if not phrase and "punct" in self.drop and PUNCT.issuperset(map(_code, word)):
                continue
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


@lru_cache(maxsize=8)
def _kept(segmenter: Segmenter, options: SearchOptions | None, script: bool) -> Terms:
    return Terms(segmenter, options, script)


def terms_of(
    segmenter: Segmenter | None, options: SearchOptions | None, script: bool, text: object = ""
) -> Terms:
    """Return :class:`Terms`; the last few are kept.

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


_BY_PLACE = INSIDE + LAST + FIRST + ALONE  # by whether a unit begins its word, and ends it
BLANKS = frozenset((chars.BLANK, chars.CR))
ENDS = frozenset((chars.LF, chars.CR))
PUNCT = frozenset((chars.PUNCT, *chars.JOINERS))
LETTERS = frozenset((chars.DIGIT, chars.LATIN))
