"""Texts and queries as search engines index them: characters marked with their place in a word.

An index stores the *units* of a text: its characters, a run of letters or digits counting as one.
Units, and the blanks and punctuation that are left out, depend on the characters alone.
So every substring that begins and ends between units is a phrase, however a decoder cut the
text.  A sign that holds a word together is a unit: 3.14, AT&T, I/O, 50%, C#, 1,000.
A unit carries a *mark* for its place in its word: first, last, inside, or alone.  So words need no
postings of their own: a phrase of units with any marks matches the string, and a phrase with the
marks of the query's own words matches those words and ranks higher.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from segmenter.adapters import or_default
from segmenter.errors import ArgumentError, check_str, wrong_type
from segmenter.kernels import _tokens
from segmenter.search import SearchOptions, cuts_runs, units
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core import Segmenter

#: Kinds dropped by default: blanks, line ends and punctuation are not terms.
DROP = frozenset(("space", "newline", "punct"))
#: Version of an index's content; part of every :attr:`Terms.fingerprint`.
FORM = 2

#: Marks of a unit: a whole word, or the first, an inner or the last unit of one.
MARKS = (".", "<", "-", ">")
#: A part of a query with at most this many units is searched as one word, however it is cut.
ONE_WORD = 3

# Rules of the kernels' reader of units (kernels/search/terms.hpp).
_SCRIPT, _SPLIT, _ALONE = 1, 2, 4
_DROPS = {"space": 8, "newline": 16, "punct": 32}


class Unit(NamedTuple):
    """A unit of a text: folded, with its span, position, mark and second reading."""

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
            its units, so whether a string that contains one is found depends on the cut.
        script: fold scripts.

    Raises:
        TypeError: an argument has the wrong type.
    """

    __slots__ = ("drop", "dropped_kinds", "keeps_runs", "options", "rules", "script", "segmenter")

    def __init__(
        self,
        segmenter: Segmenter | None = None,
        options: SearchOptions | None = None,
        script: bool = True,
    ) -> None:
        self.segmenter = or_default(segmenter)
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
        skipped = self.segmenter.skip
        self.drop = (
            options.drop
            | (DROP - {"punct"} if "space" in skipped else frozenset())
            | ({"punct"} if "punct" in skipped else frozenset())
        )
        # blanks, line ends and punctuation are known by character, other kinds only from the cut
        self.dropped_kinds = options.drop - DROP
        self.keeps_runs = not cuts_runs(self.segmenter)
        self.rules = sum(bit for kind, bit in _DROPS.items() if kind in self.drop)
        self.rules += _SCRIPT * script + _SPLIT * (options.runs == "split")
        self.rules += _ALONE * (not self.keeps_runs)

    @property
    def fingerprint(self) -> str:
        """The identity to store with an index: equal ones give the same units on every text."""
        options = self.options
        settings = repr(
            (sorted(options.stop), sorted(options.drop or ()), options.runs, self.script)
        )
        digest = sha256(settings.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return f"{self.segmenter.fingerprint} terms={FORM}-{digest}"

    # --- units -----------------------------------------------------------------------------------

    def units(self, text: str) -> Iterator[Unit]:
        """Yield the units of a text in order; dropped ones leave their positions empty."""
        for _, _, _, row in self.rows(text):
            yield from row

    def rows(self, text: str) -> list[tuple[int, int, bool, list[Unit]]]:
        """Return the words of a text that are not dropped: start, end, whether the word is all
        punctuation, and its units.

        A unit belongs to the word in which it begins.
        """
        ends, dropped = self.ends(text)
        return _tokens.term_units(text, ends, dropped, self.rules, self.readings(text), Unit)

    def unit_spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Return the spans of all units, which tile the text."""
        if self.keeps_runs:
            return ((u.start, u.end) for u in units(text, split=self.options.runs == "split"))
        return ((k, k + 1) for k in range(len(text)))

    def ends(self, text: str) -> tuple[array[int], bytes]:
        """Return the ends of the words that tile a text, and for each whether options drop it
        (empty: none is dropped)."""
        if self.dropped_kinds or self.options.stop or self.segmenter.skip:
            words = list(self.words(text))
            ends = accumulate(len(word) for word, _ in words)
            return array("i", ends), bytes(dropped for _, dropped in words)
        return array("i", accumulate(map(len, self.segmenter.cut(text)))), b""

    def words(self, text: str) -> Iterable[tuple[str, bool]]:
        """Return the words that tile a text, and whether options drop them as words."""
        if self.dropped_kinds or self.segmenter.skip:
            return self._words_and_kinds(text)
        stop = self.options.stop
        words = self.segmenter.cut(text)
        return ((word, bool(stop) and chars.fold_str(word) in stop) for word in words)

    def spans(self, text: str) -> set[tuple[int, int]]:
        spans, start = set(), 0
        for word, _ in self.words(text):
            spans.add((start, start + len(word)))
            start += len(word)
        return spans

    def _words_and_kinds(self, text: str) -> Iterator[tuple[str, bool]]:
        stop, end = self.options.stop, 0
        for token in self.segmenter.tokenize(text):
            if token.start > end:  # text that the Segmenter skips
                yield text[end : token.start], False
            yield token.text, token.kind in self.dropped_kinds or chars.fold_str(token.text) in stop
            end = token.end
        if end < len(text):
            yield text[end:], False

    # --- folding ---------------------------------------------------------------------------------

    def fold(self, text: str) -> str:
        """Return ``text`` as it is indexed; the length stays the same."""
        text = chars.fold_str(text)
        return variants.fold_str(text) if self.script else text

    def readings(self, text: str) -> str | None:
        """Return ``text`` as it is indexed, with characters of two readings as the lexicon reads
        them: 后 for 後 in 以後.  None: the text has no such characters."""
        if not self.script or variants.SEVERAL.isdisjoint(text) or not self.segmenter.variants:
            return None
        try:
            folded = self.segmenter.lexicon.native.fold(text)
        except ArgumentError:  # a tagger without a lexicon
            return None
        return "".join(
            r if c in variants.SEVERAL else f
            for c, r, f in zip(text, folded, self.fold(text), strict=True)
        )

    # --- queries ---------------------------------------------------------------------------------

    def parts(self, text: str, *, phrase: bool = False) -> list[list[Unit]]:
        """Return the parts of a query, as rows of units: its words, or all of it as one phrase.

        A part between blanks or punctuation with no more than :data:`ONE_WORD` units stays whole,
        since decoders often cut names and words that they do not know.
        """
        rows: list[list[list[Unit]]] = []  # words, in stretches between blanks and punctuation
        end = -1
        for _, _, signs, row in self.rows(text):
            if not phrase and "punct" in self.drop and signs:
                continue
            if row[0].position != end:
                rows.append([])
            rows[-1].append(row)
            end = row[-1].position + 1
        if phrase:
            flat = [unit for words in rows for row in words for unit in row]
            return [flat] if flat else []
        parts: list[list[Unit]] = []
        for words in rows:
            flat = [unit for row in words for unit in row]
            parts += [flat] if len(flat) <= ONE_WORD else words
        return parts


@lru_cache(maxsize=8)
def _cached_terms(segmenter: Segmenter, options: SearchOptions | None, script: bool) -> Terms:
    return Terms(segmenter, options, script)


def terms_of(
    segmenter: Segmenter | None, options: SearchOptions | None, script: bool, text: object = ""
) -> Terms:
    """Return :class:`Terms`, cached for the last few arguments.

    Raises:
        TypeError: an argument has the wrong type; ``text`` is checked here for the caller.
    """
    check_str("text", text)
    if options is not None and not isinstance(options, SearchOptions):
        raise wrong_type("options", options, "SearchOptions")
    return _cached_terms(or_default(segmenter), options, script)


def stale_index(index: str, stored: str, current: str, remedy: str) -> ArgumentError:
    """Return the error for an index that was filled by another Segmenter or with other options."""
    return ArgumentError(
        f"segmenter: {index} was filled by another Segmenter or with other options (the index has "
        f"{stored!r}, this Segmenter {current!r}): {remedy}"
    )
