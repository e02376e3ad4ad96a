"""The units of a text as columns, for indexing many texts: ``Terms.units`` with NumPy.

A text's characters are one array, in which words, runs, marks and dropped units are found without
Python code per character.  :meth:`segmenter.adapters._terms.Terms.units` does the same for one
text, and handles the rest: short texts, and texts with combining marks or characters with two
readings.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segmenter.adapters._terms import (
    AFTER,
    ALONE,
    BETWEEN,
    BLANKS,
    COMMA,
    ENDS,
    FIRST,
    INSIDE,
    LAST,
    LETTERS,
    PUNCT,
)
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from segmenter.adapters._terms import Terms

    Numbers = NDArray[np.int64]

_POINTS = 0x110000
#: Shorter texts are faster one unit after another.
SHORT = 48


class UnitColumns(NamedTuple):
    """The units of a text that are not dropped, one per row."""

    tokens: list[str]  # folded text and mark
    starts: Numbers  # first character
    ends: Numbers  # the one after the last
    positions: Numbers  # numbers of the units, dropped ones counted


class _Table:
    """Classes and folds of characters, computed when first needed, so that few pages are touched.

    Threads share it: each entry is written once, its class last.
    """

    def __init__(self, script: bool) -> None:
        self.script = script
        self.codes = np.zeros(_POINTS, np.uint8)  # class + 1; 0: not met yet
        self.folds = np.zeros(_POINTS, "<u4")

    def read(self, points: NDArray[np.uint32]) -> NDArray[np.uint8]:
        codes = self.codes[points]
        if not codes.all():
            for point in set(points[codes == 0].tolist()):
                folded = chars.fold(point)
                self.folds[point] = variants.fold(folded) if self.script else folded
                self.codes[point] = chars.char_class(folded) + 1
            codes = self.codes[points]
        return codes


_TABLES = {script: _Table(script) for script in (False, True)}


def _by_code(values: dict[int, int]) -> NDArray[np.uint8]:
    table = np.zeros(len(chars.CLASS_NAMES) + 1, np.uint8)
    for code, value in values.items():
        table[code + 1] = value
    return table


# What runs together: characters of one number other than 0.
_LETTERS = {chars.GREEK: 2, chars.CYRILLIC: 3, chars.LETTER: 4, chars.BLANK: 5}
_RUNS = {
    "split": _by_code(_LETTERS),
    "whole": _by_code({chars.DIGIT: 1, chars.LATIN: 1, **_LETTERS}),
}
# What may be dropped, and what a sign may stand beside.
_DROPPED = {
    "space": _by_code(dict.fromkeys(BLANKS, 1)).view(bool),
    "newline": _by_code(dict.fromkeys(ENDS, 1)).view(bool),
    "punct": _by_code(dict.fromkeys(PUNCT, 1)).view(bool),
}
_HOLDS = _by_code(dict.fromkeys(LETTERS, 1)).view(bool)
# by whether a unit is the first of its word, and whether it is the last
_MARKS = np.frombuffer((INSIDE + LAST + FIRST + ALONE).encode(), np.uint8)
# What a sign must stand beside: 1 between two letters or digits, 2 after one, 3 between two digits
_SIGNS = np.zeros(max(map(ord, BETWEEN | AFTER | {COMMA})) + 2, np.uint8)
for _signs, _number in ((BETWEEN, 1), (AFTER, 2), (COMMA, 3)):
    _SIGNS[[ord(c) for c in _signs]] = _number


def columns(terms: Terms, text: str, *, least: int = SHORT) -> UnitColumns | None:
    """Return the units of ``text``, or None if only ``terms.units`` can find them.

    Args:
        least: return None for shorter texts.
    """
    n = len(text)
    if n < least or not n:
        return None
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    table = _TABLES[terms.script]
    codes = table.read(points)
    if (codes == chars.EXTEND + 1).any() or terms.other_readings(text):
        return None
    ends, words_dropped = words(terms, text)
    first = np.zeros(n + 1, bool)  # whether a word begins here; the last: the end of the text
    first[0] = True
    first[ends] = True
    begins = np.ones(n + 1, bool)
    if terms.whole:
        runs = _RUNS[terms.options.runs][codes]
        begins[1:n] = (runs[1:] == 0) | (runs[1:] != runs[:-1])
    places = np.flatnonzero(begins)
    starts, stops = places[:-1], places[1:]
    folded = table.folds[points]
    dropped = _dropped(terms, codes, folded)[starts]
    if words_dropped.any():
        dropped |= words_dropped[np.cumsum(first[:n])[starts] - 1]
    mark = first[stops].astype(np.uint8) + 2 * first[starts].astype(np.uint8)
    if dropped.any():
        kept = np.flatnonzero(~dropped)
        starts, stops, mark, positions = starts[kept], stops[kept], mark[kept], kept
    else:
        positions = np.arange(len(starts))

    longer = np.flatnonzero(stops - starts > 1)
    texts = list(folded[starts].tobytes().decode("utf-32-le", "surrogatepass"))
    if len(longer):
        whole = folded.tobytes().decode("utf-32-le", "surrogatepass")
        for k, a, b in zip(
            longer.tolist(), starts[longer].tolist(), stops[longer].tolist(), strict=True
        ):
            texts[k] = whole[a:b]
    tokens = list(map(add, texts, _MARKS[mark].tobytes().decode("ascii")))
    return UnitColumns(tokens, starts, stops, positions)


def _dropped(
    terms: Terms, codes: NDArray[np.uint8], folded: NDArray[np.uint32]
) -> NDArray[np.bool_]:
    """Which characters are dropped where a unit begins with them."""
    dropped = np.zeros(len(codes), bool)
    for kind in terms.drop & _DROPPED.keys():
        dropped |= _DROPPED[kind][codes]
    if "punct" in terms.drop:
        signs = np.flatnonzero(_DROPPED["punct"][codes])
        which = _SIGNS[np.minimum(folded[signs], len(_SIGNS) - 1)]
        signs, which = signs[which > 0], which[which > 0]
        around = np.concatenate((codes, np.zeros(1, np.uint8)))  # also before the first
        before, after = around[signs - 1], around[signs + 1]
        holds = _HOLDS[before] & ((which == 2) | _HOLDS[after])
        digits = (before == chars.DIGIT + 1) & (after == chars.DIGIT + 1)
        dropped[signs[np.where(which == 3, digits, holds)]] = False
    return dropped


def words(terms: Terms, text: str) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the ends of the words that tile a text, and which of them options drop."""
    if not (terms.by_kind or terms.options.stop or terms.segmenter.skip):
        ends = terms.segmenter.ends(text).astype(np.int64)
        return ends, np.zeros(len(ends), bool)
    pairs = [(len(word), out) for word, out in terms.words(text)]
    lengths = np.array([length for length, _ in pairs], np.int64)
    return np.cumsum(lengths), np.array([out for _, out in pairs], bool)
