"""The runs of a lattice: numbers, dates, letters, scripts, blanks, marks.

Each class of characters is one letter, and runs are regular expressions over these letters.
The kernel (``kernels/numbers.hpp``, ``kernels/lattice/runs.hpp``) reads the characters in one pass;
the tests compare the two.
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
# 八点四十五分 is a time: only digits, and 百 千 万 亿 after them, are a fraction; 八点/一直
_FRACTION = (
    f"(?!一[直起定般些切下旦边律共同路])[一二三四五六七八九零○〇]+[百千万亿]*"
    f"(?![{chars.HAN_NUMERALS}])"
)
_HAN_NUMBER = re.compile(f"({_HAN})((?:分之{_HAN})?(?:点{_FRACTION})?)")
_HAN_YEAR = re.compile("(?:[一二三四五六七八九零○〇]{2}){1,2}")  # 九八, 一九九八
_MULTIPLIERS = re.compile("[十百千万亿]+")

#: Measure words of one character, which are parted from the numeral before them.
MEASURES = (
    "个本张只条件位名家台辆架艘把支枝根块片颗粒朵棵株头匹峰双副套对群批份封篇部首幅页层栋座间所"
    "项次回遍趟场顿番杯碗盘瓶桶箱袋包盒罐元斤吨克米升里天周秒句段章节门种类样款届期集员户口盏扇"
    "面堵道股缕滴团堆串排列队班组伙捆束卷册盆筐篮壶匙勺锅笼桌席剂贴针枚圈步拳眼曲幕出站楼岁倍寸"
    "尺丈亩顷声号"
)
_COUNTED = "年日度公分平"  # before these a numeral is whole
#: A numeral and a measure word that lexicon and model may join: always, if one of these characters
#: follows, or unless one does; a comma stands for whatever is no Han character.
_ONE_WORD = (
    ("一个", "always", ""),
    ("一样", "unless", "东菜礼"),
    ("一面", "unless", ",镜墙旗锣鼓盾"),
    ("一道", "unless", ",菜题门墙光裂伤闪命"),
    ("一头", "unless", ",牛猪羊驴狮熊象鹿骡蒜"),
    ("一眼", "unless", ",井泉窑"),
    ("一口", "unless", ",井锅饭水血痰"),
    ("一步", "unless", ","),
    ("一里", "unless", ",路地"),
    ("一把", "if", "手"),
    ("一门", "unless", ",课学技手炮"),
    ("四周", "unless", "时后前内课假"),
    ("四面", "unless", ",镜墙旗锣鼓盾"),
    ("八面", "unless", ",镜墙旗锣鼓盾"),
    ("三本", "if", "院校大线学专批生"),
    ("五台", "if", "县区"),
    ("三包", "if", "政服责规"),
    ("三门", "if", "县区湾"),
    ("九天", "if", "揽玄仙"),
    ("二元", "if", "函方论结关对分变色"),
)
#: What ends with the measure word before it: 三/个/人.
_BREAKS = (("个", "人"), ("本", "书"), ("天周秒", "后前内"), ("件", "事"))


def _small_numbers() -> dict[str, int]:
    digits = {c: d + 1 for d, c in enumerate("一二三四五六七八九")}
    values = {**digits, "十": 10}
    for c, d in digits.items():
        values["十" + c] = 10 + d
        values[c + "十"] = 10 * d
        for c2, d2 in digits.items():
            values[c + "十" + c2] = 10 * d + d2
    return values


_SMALL = _small_numbers()


class Runs(NamedTuple):
    """What the classes of a text's characters determine.

    Attributes:
        edges: (start, end, kind) of runs, numbers and dates.
        inside: positions inside runs that stay whole, where no word may begin or end.
        without: words, as start and end, that are left out where numerals and measure words part.
    """

    edges: list[tuple[int, int, str]]
    inside: set[int]
    without: set[tuple[int, int]]


def classes_of(folded: str, jieba: bool = False) -> str:
    """The classes of folded text, one letter per character."""
    if jieba:  # this profile knows only line ends; letters are joined after decoding
        return "".join({"\n": "l", "\r": "r"}.get(c, "x") for c in folded)
    return "".join(LETTERS.get(chars.char_class(ord(c)), "x") for c in folded)


def scan(folded: str, classes: str, measures: bool = False) -> Runs:
    """Finds runs, numbers and dates in folded text, from left to right.

    These stay whole (no word begins or ends inside): a run of Latin letters and digits, digits
    with points, colons and thousands commas between them, a sign before, a percent sign after;
    a run of one alphabet; a run of blanks; a line end; combining marks with what precedes them.
    These only compete with words: Chinese numbers, numbers with 万 or 第, dates.  With ``measures``
    no word holds a numeral and its measure word.

    >>> scan("在12月", "hddh").edges
    [(1, 3, 'number'), (1, 4, 'date')]
    >>> sorted(scan("三本书", "nhh", measures=True).without)
    [(0, 2), (1, 3), (1, 4), (1, 5)]
    """
    runs = Runs([], set(), set())
    k = 0
    while k < len(folded):
        c = classes[k]
        if c in "da":
            k = _scan_alnum(runs, folded, classes, k, measures)
        elif c == "n":
            k = _scan_han_number(runs, folded, classes, k, measures)
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


def _end(pattern: re.Pattern[str], text: str, begin: int) -> int:
    got = pattern.match(text, begin)
    return got.end() if got else begin


def _whole(runs: Runs, start: int, end: int, kind: str) -> int:
    runs.inside.update(range(start + 1, end))
    runs.edges.append((start, end, kind))
    return end


def _scan_alnum(runs: Runs, folded: str, classes: str, s: int, measures: bool) -> int:
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
        _offer_dates(runs, folded, s, e, value, len(digits) in (2, 4), measures)
    if measures and not no_number and not percent:
        _break(runs, folded, e)
    return e


def _measured(folded: str, classes: str, s: int, e: int) -> bool:
    """Whether the numeral [s, e) is parted from a measure word after it."""
    unit, after = folded[e : e + 1], folded[e + 1 : e + 2]
    if not unit or unit not in MEASURES:
        return False
    if folded[e - 1] in "百千万亿" and (e == s + 1 or (folded[e - 1] == "千" and unit in "克米")):
        return False
    for word, left, following in _ONE_WORD:
        if folded[s : e + 1] == word:
            follows = bool(after) and after in following
            if following.startswith(","):
                follows |= classes[e + 1 : e + 2] not in ("h", "n")
            return left != "always" and follows != (left == "if")
    return True


def _counts(numerals: str) -> bool:
    """Whether numerals are one number for certain.

    >>> [_counts(text) for text in ("一百", "三十五", "十二", "一百零五", "三五", "百", "一九九八")]
    [True, True, True, True, False, False, False]
    """
    if len(numerals) < 2 or numerals[0] in "百千万亿":
        return False
    digit = times = False
    for k, c in enumerate(numerals):
        if c in "十百千万亿":
            if k and not digit and numerals[k - 1] == "十":
                return False
            times, digit = True, False
        elif c not in "零○〇":
            if digit and k > 1:
                return False
            digit = True
    return times


def _break(runs: Runs, folded: str, k: int) -> None:
    """Leaves out words that go on where the measure word at ``k`` ends."""
    character, after = folded[k : k + 1], folded[k + 1 : k + 2]
    if (
        character
        and after
        and any(character in units and after in marks for units, marks in _BREAKS)
    ):
        runs.without.update((k, k + length) for length in (2, 3, 4))


def _scan_han_number(runs: Runs, folded: str, classes: str, s: int, measures: bool) -> int:
    got = _HAN_NUMBER.match(folded, s)
    assert got is not None
    run, end = got.end(1), got.end()
    parted = measures and end == run and _measured(folded, classes, s, run)
    if parted:
        runs.without.update((k, run + 1) for k in range(max(s, run - 3), run))
        _break(runs, folded, run)
    after = folded[run : run + 1]
    counted = measures and end == run and bool(after) and after in _COUNTED
    if (parted or counted) and _counts(folded[s:run]):
        _whole(runs, s, run, "number")
    elif run - s >= 2:
        runs.edges.append((s, run, "number"))
    if end > run:
        runs.edges.append((s, end, "number"))
    if folded[:s].endswith("第"):
        runs.edges.append((s - 1, run, "number"))
    digits = folded[s:run]
    value = _SMALL.get(digits, 0)
    if value or run - s >= 2:
        year = _HAN_YEAR.fullmatch(digits) is not None
        _offer_dates(runs, folded, s, run, value or 9999, year, measures)
    return end


def _offer_dates(
    runs: Runs, folded: str, s: int, e: int, value: int, year: bool, measures: bool
) -> None:
    unit = folded[e : e + 1]
    if measures and folded[e : e + 2] == "分钟":
        return
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
