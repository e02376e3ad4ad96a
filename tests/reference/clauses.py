"""Boundaries that watched characters decide (``clauses.hpp``), but not those of foreign names.

Written from the rules as docs/en/numbers.md says them, over folded text; ``words`` tells whether a
string is a word of the model's lexicon.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reference.runs import MEASURES
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Callable

CANTONESE = "咗嘅喺佢哋啲嗰冇嚟嘢噉㗎唔咩乜谂睇瞓攞畀啫嬲"
VERBS = "食饮睇讲做等谂听搵揾玩去用买卖打行坐瞓写教攞俾畀见试煮洗开住学读养返问着"
ASPECTS = "紧晒过"
WHOLE = ("而家", "依家", "屋企", "讲笑", "几点", "呢个")
LAST, OLD = "也矣哉兮焉邪乎", "吾汝孰兮矣哉"
OFTEN = "曰之而其者于以为不无何莫所且则乃若夫非未勿故岂"
MODERN = "的了这那们吗吧呢很个被么没说你他她它着里都就还让给啊哦到在和"
SURNAMES = (
    "王李张刘陈杨赵黄吴徐孙朱胡郭高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘蒋蔡杜叶程苏魏吕丁任沈"
    "姚卢姜崔钟谭陆汪范石廖贾韦傅邹孟熊秦邱薛侯雷段郝孔邵史毛常顾赖康庞樊兰殷施洪翟颜倪严温"
)
RARE = "斯尔弗蒂娜莎莱雷勒迪埃韦伊赫姆诺佩茨奥伦穆玛娅涅"  # in names from other languages
_NUMERAL = "[一二三四五六七八九十百千万亿零○〇两0-9]"
#: A character after a preposition or an auxiliary, and what follows where it stands alone.
BEFORE = {"在行": "里", "在线": "上", "会长": "高大胖出满成", "要点": "什"}
_WITHIN = re.compile(f"{_NUMERAL}[个工作日天年月周小时分钟秒季度星期]{{1,4}}内(?=向)")
#: 八点/一直, not 8.1.
_ALL_ALONG = re.compile(f"(?<={_NUMERAL}点)一(?=[直起定般些切下旦边律共同路])")
LONGEST = 8  # words looked for, in characters: enough for the lexicons of the tests


class Marks(NamedTuple):
    """Places of a text that are boundaries, and places that are none."""

    cut: set[int]
    joined: set[int]


class Clauses:
    """The clauses of a text: runs of Han characters."""

    def __init__(self, folded: str, words: Callable[[str], bool]) -> None:
        self.text, self.words = folded, words
        self.marks = Marks(set(), set())
        self.now: set[int] = set()  # places of 而家 and 依家

    def cut(self, *places: int) -> None:
        self.marks.cut.update(p for p in places if 0 < p < len(self.text))

    def word_end(self, k: int, end: int) -> int:
        ends = [e for e in range(k + 2, min(end, k + LONGEST) + 1) if self.words(self.text[k:e])]
        return max(ends, default=k + 1)

    def read(self) -> Marks:
        han = "".join(
            "h" if chars.char_class(ord(c)) in (chars.HAN, chars.HANNUM) else "-" for c in self.text
        )
        self.before(han)
        spans = [m.span() for m in re.finditer("h+", han)]
        for i, (s, e) in enumerate(spans):
            if self.now & set(range(s, e)) or any(c in CANTONESE for c in self.text[s:e]):
                self.cantonese(s, e)
            elif self.classical(s, e):
                self.fall_apart(s, e)
                if i and spans[i - 1][1] == s - 1 and self.text[s - 1] in ",、;，；":
                    before = spans[i - 1]
                    clause = self.text[slice(*before)]
                    plain = not any(c in MODERN + CANTONESE for c in clause)
                    if plain and len(clause) < 13 and any(c in OFTEN + OLD for c in clause):
                        self.fall_apart(*before)
        return self.marks

    def before(self, han: str) -> None:
        text = self.text
        for k in range(1, len(text) - 1):
            pair, after = text[k - 1 : k + 1], text[k + 1]
            counted = (
                pair == "要点"
                and chars.char_class(ord(after)) == chars.HANNUM
                and text[k + 2 : k + 3] in MEASURES
                and k + 2 < len(text)
            )
            if not counted and after not in BEFORE.get(pair, ""):
                continue
            if pair == "会长" and k > 1 and text[k - 2] in "副协商学总议国老":
                continue
            if pair != "要点" and self.word_end(k + 1, len(text)) > k + 2:  # 在线/上课
                continue
            self.cut(k)
            if pair == "会长":
                self.marks.joined.add(k + 1)
            elif pair[0] == "在":
                self.cut(k + 1)
        self.cut(*(m.end() for m in re.finditer("太大(?=会)", text)))
        self.cut(*(m.end() for m in _WITHIN.finditer(text)))
        self.cut(*(m.start() for m in _ALL_ALONG.finditer(text)))
        for m in re.finditer("[而依]家", text):
            s, e = m.span()
            if e == len(text):
                continue
            if s and text[s - 1] in "我你佢哋":
                is_name = text[e] not in "人里长庭中属教乡境"
            else:
                free = han[e] == "-" or text[e] in "好几喺係先就都冇未唔开嘅仲呢啲"
                is_name = (s == 0 or han[s - 1] == "-") and free
            if is_name:
                self.whole(s, e)
                self.now.add(s)

    def whole(self, s: int, e: int) -> None:
        self.cut(s, e)
        self.marks.joined.update(range(s + 1, e))

    def cantonese(self, s: int, e: int) -> None:
        clause = self.text[s:e]
        for k in range(s + 1, e):
            pair = self.text[k : k + 2] if k + 1 < e else ""
            aspect = self.text[k] in ASPECTS and self.text[k - 1] in VERBS
            if aspect and not (pair and self.words(pair)):
                self.cut(k, k + 1)
        for word in WHOLE:
            for m in re.finditer(word, clause):
                self.whole(s + m.start(), s + m.end())
        for match in re.finditer("[咗嘅喺]", clause):
            k = s + match.start()
            before, after = clause[max(0, k - s - 1) : k - s], clause[k - s + 1 : k - s + 2]
            c = match.group()
            if not (c == "咗" and before and before in "除为"):
                self.cut(k)
            if (c, after) not in (("嘅", "话"), ("喺", "度")):
                self.cut(k + 1)

    def classical(self, s: int, e: int) -> bool:
        clause = self.text[s:e]
        if any(c in MODERN for c in clause):
            return False
        strong, signs, last_known = False, 0, s
        for k in range(s, e):
            c, end = self.text[k], self.word_end(k, e)
            signs += c in OFTEN
            last = k == e - 1 and len(clause) > 2 and c in LAST + "之"
            old = c in OLD and self.text[k + 1 : k + 2] not in tuple(RARE)
            if k >= last_known and end == k + 1 and (old or last):
                strong, signs = True, signs + (1 if c == "之" else 3 if last else 2)
            last_known = max(last_known, end)
        return strong and signs >= 3

    def fall_apart(self, s: int, e: int) -> None:
        last_known = s
        for k in range(s, e):
            before = self.text[max(s, k - 2) : k]
            named = any(c in SURNAMES for c in before)
            numeral = k > s and all(
                chars.char_class(ord(c)) == chars.HANNUM for c in self.text[k - 1 : k + 1]
            )
            if k >= last_known and not named and not numeral:
                self.cut(k)
            end = self.word_end(k, e)
            if k >= last_known and end >= k + 4:
                self.marks.joined.update(range(k + 1, end))
                self.cut(end)
            last_known = max(last_known, end)
        self.cut(e)


def clause_marks(folded: str, words: Callable[[str], bool]) -> Marks:
    """The boundaries of Cantonese particles and of classical clauses, and the places inside idioms.

    >>> marks = clause_marks("佢食咗饭", {"食饭"}.__contains__)
    >>> sorted(marks.cut)
    [2, 3]
    >>> sorted(clause_marks("旧南阁子也", set().__contains__).cut)
    [1, 2, 3, 4]
    """
    return Clauses(folded, words).read()
