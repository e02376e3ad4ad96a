"""The units of a text as search engines index them (``kernels/search/terms.hpp``), one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters._terms import Unit
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.adapters._terms import Terms

#: Signs that are units between two letters or digits, and those that are after one.
BETWEEN, AFTER = frozenset(".·：/-&@'’_"), frozenset("%‰#")
COMMA = "，"  # a unit between two digits
BLANKS = frozenset((chars.BLANK, chars.CR))
ENDS = frozenset((chars.LF, chars.CR))
PUNCT = frozenset((chars.PUNCT, *chars.JOINERS))
LETTERS = frozenset((chars.DIGIT, chars.LATIN))
BY_PLACE = "-><."  # by whether a unit begins its word, and ends it


def units_of(terms: Terms, text: str) -> Iterator[Unit]:
    """The units of a text that are not dropped."""
    folded, reading = terms.fold(text), terms.readings(text)
    codes = [*chars.classes(text), -1]
    spans = enumerate(terms.unit_spans(text))
    position, (start, end) = next(spans, (0, (len(text), len(text))))
    offset = 0
    for word, dropped in terms.words(text):
        first, offset = offset, offset + len(word)
        while start < offset:
            if not (dropped or is_dropped(terms, folded, codes, start, end)):
                mark = BY_PLACE[2 * (start == first) + (end >= offset)]
                two = (
                    reading and text[start] in variants.SEVERAL and reading[start] != folded[start]
                )
                second_reading = reading[start] if two and reading else ""
                yield Unit(folded[start:end], start, end, position, mark, second_reading)
            position, (start, end) = next(spans, (0, (len(text), len(text))))


def is_dropped(terms: Terms, folded: str, codes: list[int], start: int, end: int) -> bool:
    """Whether a unit is left out, by its characters and the two beside it."""
    code, drop = codes[start], terms.drop
    if code in PUNCT:
        if end - start > 1 or "punct" not in drop:
            return False
        sign, before, after = folded[start], codes[start - 1], codes[end]
        if sign in BETWEEN:
            return not (before in LETTERS and after in LETTERS)
        if sign == COMMA:
            return not before == after == chars.DIGIT
        return not (sign in AFTER and before in LETTERS)
    blank = (code in BLANKS and "space" in drop) or (code in ENDS and "newline" in drop)
    return blank and codes[end - 1] != chars.EXTEND
