"""The runs of a lattice: numbers, dates, letters, scripts, blanks, marks.

Classes of characters become one letter each, and runs are regular expressions over these letters;
the kernel (``kernels/numbers.hpp``, ``kernels/lattice/runs.hpp``) reads the characters once, and
the tests compare the two.  Training counts numbers and dates by these rules.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from segmenter.text import chars

LETTERS = {
    chars.DIGIT: "d", chars.LATIN: "a", chars.HANNUM: "n", chars.BLANK: "_", chars.LF: "l",
    chars.CR: "r", chars.POINT: ".", chars.COLON: ":", chars.COMMA: ",", chars.PERCENT: "%",
    chars.MINUS: "-", chars.GREEK: "G", chars.CYRILLIC: "C", chars.KATAKANA: "K",
    chars.HIRAGANA: "H", chars.HANGUL: "J", chars.LETTER: "L", chars.EXTEND: "~",
    chars.HAN: "h", chars.PUNCT: "p",
}  # fmt: skip

_ALNUM = re.compile("[da][da~]*")
# 12  3.14  10:30  1,000  3/4: joined digits; then a part that is not a number (3.5a), or percent
_NUMBER = re.compile("(d+)((?:[.:]d+(?![da~])|,ddd(?![da~]))*)(?:([.:]d[da~]*)|(%))?")
_SIGN = re.compile("(?:^|[xp_l:])-$")  # a sign, not a joiner as in 5-3, a-1, 五-6
_SCRIPT = re.compile("([GCKHJL])(?:\\1|~)*")
_BLANKS = re.compile("_+")
_MARKS = re.compile("~+")
_LINE_END = re.compile("rl|l")

# 三十  百分之三十  六点二  百分之九点九: each joint once, so that 一点一点 is not a number
_HAN = f"[{chars.HAN_NUMERALS}]+"
# 八点四十五分 is a time: only digits, and 百 千 万 亿 after them, are a fraction
_FRACTION = f"[一二三四五六七八九零○〇]+[百千万亿]*(?![{chars.HAN_NUMERALS}])"
_HAN_NUMBER = re.compile(f"({_HAN})((?:分之{_HAN})?(?:点{_FRACTION})?)")
_HAN_YEAR = re.compile("(?:[一二三四五六七八九零○〇]{2}){1,2}")  # 九八, 一九九八
_MULTIPLIERS = re.compile("[十百千万亿]+")


def _small_numbers() -> dict[str, int]:
    digits = {c: d + 1 for d, c in enumerate("一二三四五六七八九")}
    out = {**digits, "十": 10}
    for c, d in digits.items():
        out["十" + c] = 10 + d
        out[c + "十"] = 10 * d
        for c2, d2 in digits.items():
            out[c + "十" + c2] = 10 * d + d2
    return out


_SMALL = _small_numbers()


class Runs(NamedTuple):
    """What the classes of a text's characters determine.

    Attributes:
        edges: (start, end, kind) of runs, numbers and dates.
        inside: positions inside runs that stay whole, where no word may begin or end.
    """

    edges: list[tuple[int, int, str]]
    inside: set[int]


def classes_of(folded: str, jieba: bool = False) -> str:
    """The classes of folded text, one letter per character."""
    if jieba:  # this profile knows only line ends; letters are joined after decoding
        return "".join({"\n": "l", "\r": "r"}.get(c, "x") for c in folded)
    return "".join(LETTERS.get(chars.char_class(ord(c)), "x") for c in folded)


def scan(folded: str, classes: str) -> Runs:
    """Finds runs, numbers and dates in folded text, from left to right.

    These stay whole (no word begins or ends inside): a run of Latin letters and digits, digits
    with points, colons and thousands commas between them, a sign before, a percent sign after;
    a run of one alphabet; a run of blanks; a line end; combining marks with what precedes them.
    These only compete with words: Chinese numbers, numbers with 万 or 第, dates.

    >>> scan("在12月", "hddh").edges
    [(1, 3, 'number'), (1, 4, 'date')]
    """
    runs = Runs([], set())
    k = 0
    while k < len(folded):
        c = classes[k]
        if c in "da":
            k = _scan_alnum(runs, folded, classes, k)
        elif c == "n":
            k = _scan_han_number(runs, folded, k)
        elif c == "_":
            k = _whole(runs, k, _end(_BLANKS, classes, k), "space")
        elif c in "lr":
            got = _LINE_END.match(classes, k)
            # a carriage return alone does not end a line
            k = _whole(runs, k, got.end(), "newline") if got else _whole(runs, k, k + 1, "space")
        elif c in "GCKHJL":
            k = _whole(runs, k, _end(_SCRIPT, classes, k), "script")
        elif c == "~":
            k = _scan_marks(runs, classes, k)
        else:
            k += 1
    return runs


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    got = pattern.match(text, at)
    return got.end() if got else at


def _whole(runs: Runs, start: int, end: int, kind: str) -> int:
    runs.inside.update(range(start + 1, end))
    runs.edges.append((start, end, kind))
    return end


def _scan_alnum(runs: Runs, folded: str, classes: str, s: int) -> int:
    e = _end(_ALNUM, classes, s)
    if set(classes[s:e]) != {"d"}:
        return _whole(runs, s, e, "latin")
    got = _NUMBER.match(classes, s)
    assert got is not None
    digits, joined, no_number, percent = got.groups()
    e = got.end()
    start = s - 1 if _SIGN.search(classes, max(0, s - 2), s) else s
    _whole(runs, start, e, "latin" if no_number else "number")
    if folded[:start].endswith("第"):
        runs.edges.append((start - 1, e, "number"))
    if not no_number and not percent:
        times = _MULTIPLIERS.match(folded, e)  # 3万, 1.5亿
        if times:
            runs.edges.append((start, times.end(), "number"))
    if start == s and not (joined or no_number or percent):
        value = int(folded[s:e]) if len(digits) <= 4 else 9999
        _offer_dates(runs, folded, s, e, value, len(digits) in (2, 4))
    return e


def _scan_han_number(runs: Runs, folded: str, s: int) -> int:
    got = _HAN_NUMBER.match(folded, s)
    assert got is not None
    run, end = got.end(1), got.end()
    if run - s >= 2:
        runs.edges.append((s, run, "number"))
    if end > run:
        runs.edges.append((s, end, "number"))
    if folded[:s].endswith("第"):
        runs.edges.append((s - 1, run, "number"))
    digits = folded[s:run]
    value = _SMALL.get(digits, 0)
    if value or run - s >= 2:
        year = _HAN_YEAR.fullmatch(digits) is not None
        _offer_dates(runs, folded, s, run, value or 9999, year)
    return end


def _offer_dates(runs: Runs, folded: str, s: int, e: int, value: int, year: bool) -> None:
    unit = folded[e : e + 1]
    if (
        (unit == "年" and year)
        or (unit == "月" and 1 <= value <= 12)
        or (unit == "日" and 1 <= value <= 31)
        or (unit == "时" and value <= 24)
        or (unit == "分" and value <= 59 and folded[e + 1 : e + 2] != "之")
    ):
        runs.edges.append((s, e + 1, "date"))
    if unit == "月" and 1 <= value <= 12 and folded[e + 1 : e + 2] == "份":
        runs.edges.append((s, e + 2, "date"))


def _scan_marks(runs: Runs, classes: str, s: int) -> int:
    """Attaches combining marks that are in no run to what precedes them."""
    e = _end(_MARKS, classes, s)
    if s == 0 or classes[s - 1] in "lr":  # nothing to attach to
        return _whole(runs, s, e, "cluster")
    for i, (a, b, kind) in enumerate(runs.edges):
        if b == s:
            runs.edges[i] = (a, e, kind)
    runs.inside.update(range(s, e))
    if s - 1 not in runs.inside and not any((a, b) == (s - 1, e) for a, b, _ in runs.edges):
        runs.edges.append((s - 1, e, "cluster"))
    return e
