"""Sets of characters as ranges, and the Unicode properties that patterns can name.

The Unicode version is 16.0, whatever the version of Python: its tables are in ``unicode.tsv``, and
the character classes used by the steps of ``tokenizers`` in ``library.tsv``.  A table is a name and
a row of runs over all code points, each with its length in base 36 and its value.  A set is a tuple
of (first, last) ranges, ascending and not adjacent.

>>> contains(prop("Han", "oniguruma"), "你"), contains(prop("L", "fancy"), "1")
(True, False)
>>> intersection(((97, 122),), ((99, 200),))
((99, 122),)
"""

from __future__ import annotations

import os
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Ranges = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ALL: Ranges = ((0, LAST),)
BLANKS: Ranges = (
    (9, 13), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
_JOINERS: Ranges = ((0x200C, 0x200D),)

_LONG = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll",
    "titlecaseletter": "Lt", "modifierletter": "Lm", "otherletter": "Lo", "mark": "M",
    "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me", "number": "N",
    "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
    "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf",
    "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc",
    "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C", "control": "Cc",
    "format": "Cf", "surrogate": "Cs", "privateuse": "Co", "unassigned": "Cn",
}  # fmt: skip


def joined(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """The union of ranges in any order."""
    ranges: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if ranges and low <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
        else:
            ranges.append((low, high))
    return tuple(ranges)


def chars(text: str) -> Ranges:
    return joined((ord(c), ord(c)) for c in text)


def union(*sets: Ranges) -> Ranges:
    return joined(pair for ranges in sets for pair in ranges)


def complement(ranges: Ranges) -> Ranges:
    gaps, next_low = [], 0
    for low, high in ranges:
        if next_low < low:
            gaps.append((next_low, low - 1))
        next_low = high + 1
    if next_low <= LAST:
        gaps.append((next_low, LAST))
    return tuple(gaps)


def intersection(a: Ranges, b: Ranges) -> Ranges:
    ranges, i, k = [], 0, 0
    while i < len(a) and k < len(b):
        low, high = max(a[i][0], b[k][0]), min(a[i][1], b[k][1])
        if low <= high:
            ranges.append((low, high))
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1
    return tuple(ranges)


def contains(ranges: Ranges, c: str | int) -> bool:
    cp = ord(c) if isinstance(c, str) else c
    i = bisect_right(ranges, (cp, LAST + 1)) - 1
    return i >= 0 and ranges[i][0] <= cp <= ranges[i][1]


@cache
def _rows(file: str) -> dict[str, str]:
    """The tables of a file in this directory, by name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
    with open(path, encoding="ascii") as lines:
        return dict(line.rstrip("\n").split("\t") for line in lines if line[0] != "#")


def _pairs(file: str, name: str) -> list[tuple[str, str]]:
    return [(a, b) for a, _, b in (pair.partition(".") for pair in _rows(file)[name].split())]


@cache
def _table(name: str, file: str = "unicode.tsv") -> dict[str, Ranges]:
    rows: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for length, value in _pairs(file, name):
        end = start + int(length, 36)
        if value:
            rows.setdefault(value, []).append((start, end - 1))
        start = end
    return {value: tuple(pairs) for value, pairs in rows.items()}


@cache
def category(name: str) -> Ranges | None:
    """The characters of a general category, given by one letter or two; None if unknown."""
    table = _table("CATEGORIES")
    if name == "LC":
        return union(table["Lu"], table["Ll"], table["Lt"])
    assigned = union(*table.values())
    if name == "Cn":
        return complement(assigned)
    matching = [pairs for key, pairs in table.items() if key.startswith(name)]
    if not matching or not 1 <= len(name) <= 2:
        return None
    return union(*matching, complement(assigned)) if name == "C" else union(*matching)


def _of(*names: str) -> Ranges:
    return union(*(category(name) or () for name in names))


@cache
def word(engine: str, in_brackets: bool = False) -> Ranges:
    r"""``\w``: letters, marks, digits and connectors; in fancy-regex (and Rust) also joiners, in
    Oniguruma, outside brackets, also the superscript digits and fractions of Latin-1."""
    if engine == "fancy":
        return union(_word(), _JOINERS)
    return _word() if in_brackets else union(_word(), chars("²³¹¼½¾"))


def _word() -> Ranges:
    return union(_table("ALPHABETIC")["x"], _of("M", "Nd", "Pc"))


def library(name: str) -> Ranges:
    """A table of ``library.tsv``, such as the characters that ``tokenizers`` treats as marks.

    >>> contains(library("PUNCTUATION"), "$")
    True
    """
    return _table(name, "library.tsv")["x"]


@cache
def lowered() -> dict[str, str]:
    """Lower case of the characters that have one in ``tokenizers`` but not in Python 3.11."""
    pairs = _pairs("library.tsv", "LOWERED")
    return {chr(int(upper, 16)): chr(int(lower, 16)) for upper, lower in pairs}


_ASCII: dict[str, Ranges] = {
    "alnum": ((48, 57), (65, 90), (97, 122)), "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),), "blank": ((9, 9), (32, 32)), "cntrl": ((0, 31), (127, 127)),
    "digit": ((48, 57),), "graph": ((33, 126),), "lower": ((97, 122),), "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)), "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),), "word": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}  # fmt: skip


_UNICODE: dict[str, Callable[[], Ranges]] = {
    "alnum": lambda: union(_table("ALPHABETIC")["x"], _of("Nd")),
    "alpha": lambda: _table("ALPHABETIC")["x"],
    "any": lambda: ALL,
    "assigned": lambda: complement(_of("Cn")),
    "blank": lambda: union(_of("Zs"), chars("\t")),
    "cntrl": lambda: _of("Cc"),
    "digit": lambda: _of("Nd"),
    "graph": lambda: complement(union(BLANKS, _of("Cc", "Cn", "Cs"))),
    "lower": lambda: _table("LOWERCASE")["x"],
    "print": lambda: union(_UNICODE["graph"](), _of("Zs")),
    "punct": lambda: _of("P", "S"),
    "space": lambda: BLANKS,
    "upper": lambda: _table("UPPERCASE")["x"],
    "word": _word,
}
#: Those of them that are properties, by the names that both engines know.
_PROPERTIES = {
    "any": "any", "assigned": "assigned", "alphabetic": "alpha", "alpha": "alpha",
    "lowercase": "lower", "uppercase": "upper", "whitespace": "space", "space": "space",
}  # fmt: skip


@cache
def posix(name: str, engine: str) -> Ranges | None:
    """A POSIX class: all of Unicode in Oniguruma, ASCII in fancy-regex; None if unknown.

    >>> posix("alpha", "fancy")
    ((65, 90), (97, 122))
    """
    if engine != "oniguruma" or name not in _ASCII or name in ("ascii", "xdigit"):
        return _ASCII.get(name)
    return _UNICODE[name]()


@cache
def prop(name: str, engine: str) -> Ranges | None:
    r"""The characters of ``\p{name}``: a general category, a script, or one of a few others.

    Args:
        name: short or long; case, blanks, ``_`` and ``-`` are ignored.
        engine: whose names to use, ``"oniguruma"`` or ``"fancy"``.

    Returns:
        The set, or None if the property is not supported.
    """
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if engine == "fancy":
        kind, equals, value = plain.partition("=")
        if equals and kind not in ("gc", "generalcategory", "sc", "script"):
            return None
        plain = value if equals else kind
    short = _LONG.get(plain, plain[:1].upper() + plain[1:] if plain != "lc" else "LC")
    ranges = category(short)
    if ranges is not None:
        return ranges
    scripts = dict(_pairs("unicode.tsv", "SCRIPT_NAMES"))
    script = _table("SCRIPTS").get(scripts.get(plain, plain))
    if script is not None:
        return script
    if plain in _PROPERTIES:
        return _UNICODE[_PROPERTIES[plain]]()
    if plain == "ascii":
        return _ASCII[plain]
    if engine != "oniguruma":
        return None
    # two of them differ from the POSIX classes of the same names
    apart = {"punct": lambda: _of("P"), "word": lambda: word(engine)}
    return apart[plain]() if plain in apart else posix(plain, engine)
