"""The cases of tests/atoms_cases.tsv, and whether tokens are as a case wants them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = Path(__file__).with_name("atoms_cases.tsv")

#: Pieces of texts that are full of atoms, and of what is almost one.
PIECES = [
    *"ab1290.:/-@#'’+％%,，。：（）()[] \n#@", "http://", "https://a.cn", "www.", ".com", "x@y.cn",
    "10.0.0.1", "::1", "2026-11-21", "2026年", "10:30", "v1.2", "-rc1", "X-900", "GB/T ", "C++",
    "5kg", "℃", "1,000", "3.2e-10", "50%", "三千五百", "百分之三十", "第", "月", "日", "#话题#",
    "@张三", "don't", "１０：３０", "Ａ－１", "👍", "🏽", "\u200d", "👩", "🇨", "🇳", "\ufe0f",
    "\u20e3", "\u0301", "क", "\u094d", "त", "\u0600", "각", "か", "\uff9e", "\U000e0067", "é",
    "я", "的", "确实", "中华", "三点", "十分", "8点30", "两点半", "点", "时", "壹佰", "贰拾",
    "元", "廿", "三", "本", "010-", "6278", "1234", " ", "138 ", "+86 ", "(021)",
    "_", "a_b", "京A", "12345", "沪B·",
]  # fmt: skip

#: What is repeated thousands of times, so that work which is not linear shows.
HOSTILE = [
    "a@", "http://", "1.", "1.1.1.1.1", "a.", "a-", "a'", "@", "#", "##", "#a", "@a", ":", "::",
    "1:", "a:b:", "/", "-", "1-", "2026-", "v1.", "a.b@", "a.com", "(", "http://a(", "GB/",
    "GB/T ", "#话题", "👩\u200d", "🇨", "\u200d", "\ufe0f", "1\ufe0f\u20e3", "क\u094d",
    "\u0600", "’a", "‘a’", "C+", "1,000", "1e", "三分之", "十", "2026年", "1~", "$1", "-1", "a_",
    "a@b.c", "www.", "localhost:", "一点", "点", "壹", "拾万", "三本", "一百", "138 ", "+8",
    "(0", "a_b", "_", "京A",
]  # fmt: skip
#: Kinds that nothing but an atom has.
TYPED = frozenset((
    "url", "email", "ip", "time", "quantity", "version", "hashtag", "mention", "code", "emoji",
    "phone", "pattern",
))  # fmt: skip
ANY = "…"


class Case(NamedTuple):
    line: int
    text: str
    settings: str  # of Atoms.parse; "" for the defaults
    expected: tuple[str, ...]  # kind=text, or ANY


def read() -> list[Case]:
    cases = []
    for number, line in enumerate(PATH.read_text(encoding="utf-8").split("\n"), 1):
        if line.count("\t") != 2:
            assert not line or line.startswith("# "), f"{PATH.name}, line {number}"
            continue
        text, settings, expected = (part.replace("\\n", "\n") for part in line.split("\t"))
        parts = tuple(expected.split("|")) if expected else ()
        cases.append(Case(number, text, "" if settings == "-" else settings, parts))
    return cases


def fits(tokens: Sequence[tuple[str, str]], expected: tuple[str, ...]) -> bool:
    """Whether (text, kind) of the tokens are those of a case.

    >>> fits([("见", "word"), ("a.cn", "url")], ("…", "url=a.cn"))
    True
    >>> fits([("见", "word"), ("a.cn", "url")], ("…",))
    False
    """
    reached = {0}  # tokens that the elements so far account for
    for element in expected:
        after = set()
        for i in reached:
            if element == ANY:
                after.add(i)
                while i < len(tokens) and tokens[i][1] not in TYPED:
                    i += 1
                    after.add(i)
            elif i < len(tokens):
                kind, _, text = element.partition("=")
                if tokens[i] == (text, kind):
                    after.add(i + 1)
        reached = after
    return len(tokens) in reached


#: Parts of text that look like an atom which goes on.
NEVER_ENDING = [
    *HOSTILE, "1,", "1，", "1,1.", "1·", "1/", "1%", "+1", "1e1,", "百分之", "一点",
    "1:1", "1～", "第1", "1月", "10时", "￥1", "1万", "一1", "#a b", "@-", ".a", "fe80:", "h://a;",
    "’s", "\u0600a", "e\u0301", "a\u200d", "|", "·", "](", "10:30", "T10:", "腮5kg", "1a,",
]  # fmt: skip
