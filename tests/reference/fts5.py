"""The tokens that SQLite's index has, one unit after another: what ``capi/fts5.cpp`` gives FTS5."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from segmenter.adapters._ends import ENDS_WORD, INSIDE_WORD, ends_word
from segmenter.text import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.adapters._terms import Terms

    Row = tuple[int, int, tuple[str, ...]]  # first and last byte, the tokens of one position

COMMON = frozenset(tables.COMMON)
BOTH = "~"
MARKED, NEXT, OR = "\x01", "\x02", "\x03"
UNIT = f"[^{MARKED}{NEXT}{OR}]+"
CUT = re.compile(f"{MARKED}{UNIT}(?:[{NEXT}{OR}]{UNIT})*", re.S)


def document(terms: Terms, text: str) -> Iterator[Row]:
    """Yield the tokens of a text: each reading of a unit with its mark."""
    units = list(terms.units(text))
    readings_of_units = {(reading, ends_word(unit)) for unit in units for reading in unit.readings}
    joined = {
        reading
        for reading, mark in readings_of_units
        if reading in COMMON and mark == ENDS_WORD and (reading, INSIDE_WORD) in readings_of_units
    }
    for unit in units:
        first, last = (len(text[:at].encode()) for at in (unit.start, unit.end))
        mark = ends_word(unit)
        yield first, last, tuple(r + (BOTH if r in joined else mark) for r in unit.readings)


def query(terms: Terms, text: str, *, prefix: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield the tokens of a phrase, for each position those that a document may have there."""
    if text.startswith(MARKED * 2):
        text = text[1:]
    elif CUT.fullmatch(text):
        for spelt in text[1:].split(NEXT):
            yield tuple(f for reading in spelt[:-1].split(OR) for f in forms(reading, spelt[-1]))
        return
    units = [unit for part in terms.parts(text, phrase=True) for unit in part]
    for k, unit in enumerate(units):
        if prefix and k == len(units) - 1:
            yield unit.readings
        else:
            yield tuple(f for r in unit.readings for f in forms(r, ENDS_WORD + INSIDE_WORD))


def forms(reading: str, marks: str) -> list[str]:
    """Return the tokens that a unit with one of these marks may have in an index."""
    return [reading + mark for mark in (marks + BOTH if reading in COMMON else marks)]
