"""Units of text said one way: numerals and measure words, times, telephone numbers, codes."""

from __future__ import annotations

from functools import cache

import pytest
import unit_cases
from reference.runs import MEASURES
from unit_cases import LATTICES, NOT_YET, PRESETS

from segmenter import Segmenter, load

CASES = unit_cases.read()


@cache
def segmenter_of(name: str) -> Segmenter:
    return load(name) if name in PRESETS else load("fast", decoder=name)  # type: ignore[arg-type]


def test_there_are_thirty_cases_of_every_kind() -> None:
    for kind in unit_cases.NAMES:
        parts = [case.part for case in CASES if case.kind == kind]
        assert parts.count("build") >= 15, kind
        assert parts.count("held") >= 15, kind
    assert {case.kind for case in CASES} == set(unit_cases.NAMES)


@pytest.mark.parametrize("name", [*PRESETS, *LATTICES])
def test_units(name: str) -> None:
    wrong = []
    for case in CASES:
        words = segmenter_of(name).cut(case.text)
        if case.holds(words) == (name in NOT_YET.get(case.text, ())):
            wrong.append((case.kind, case.text, words))
    assert wrong == []


def test_other_standards_keep_their_way() -> None:
    pku = load("fast", standard="pku")
    assert "一点五十分" not in pku.cut("列车一点五十分到站")
    assert pku.atoms["clock"] == pku.atoms["measure"] == "model"


# --- every minute ------------------------------------------------------------------------------

DIGITS = "零一二三四五六七八九"


def numeral(n: int) -> str:
    """
    >>> [numeral(n) for n in (0, 10, 15, 40, 59)]
    ['零', '十', '十五', '四十', '五十九']
    """
    tens = "" if n < 10 else ("" if n < 20 else DIGITS[n // 10]) + "十"
    return tens + (DIGITS[n % 10] if n % 10 or not n else "")


def spellings(hour: int, minute: int) -> list[str]:
    said = "两" if hour == 2 else numeral(hour)
    minutes = ("零" if minute < 10 else "") + numeral(minute)
    short = "十分" if minute == 10 else minutes
    return [
        f"{said}点{minutes}分" if minute else f"{said}点整",
        f"{said}点{short}" if minute else f"{said}点钟",
        f"{numeral(hour)}时{minutes}分" if minute else f"{numeral(hour)}时整",
        f"{hour}点{minute:02d}分",
        f"{hour}点{minute:02d}",
        f"{hour}时{minute}分",
    ]


@pytest.mark.parametrize(("name", "step"), [("unigram", 1), ("fast", 1), ("bigram", 7)])
def test_every_minute_is_one_token(name: str, step: int) -> None:
    s = segmenter_of(name)
    wrong = [
        time
        for at in range(0, 24 * 60, step)
        for time in spellings(*divmod(at, 60))
        if time not in s.cut(f"我们{time}出发")
    ]
    assert wrong == []


# --- every numeral and measure word --------------------------------------------------------------

NUMERALS = (
    "一", "二", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十二", "三十", "五十六",
    "一百", "三百五十", "一千", "两万", "3", "15",
)  # fmt: skip
MORE_MEASURES = ("小时", "分钟", "星期", "公里", "公斤", "平方米")


@pytest.mark.parametrize("name", ["fast", "balanced", "unigram", "bigram", "backward-max"])
def test_numerals_and_measure_words_part(name: str) -> None:
    s = segmenter_of(name)
    joined = [
        number + measure
        for number in NUMERALS
        for measure in [*MEASURES, *MORE_MEASURES]
        for words in [s.cut(f"他说有{number}{measure}，很好")]
        if number not in words or measure not in words
    ]
    # words; what may be read either way; what lexicon and model join before units of several
    # characters, which no rule parts
    either = {"一个", "一样", "四周", "一千克", "一千米"}
    assert {word for word in joined if not word.endswith(MORE_MEASURES)} <= either
    assert len(joined) <= len(either) + 5


def test_longer_words_stay_whole() -> None:
    for text in ("五台山", "三轮车", "三角形", "四面八方", "三番五次", "一把手"):
        for name in ("fast", "unigram"):
            assert text in segmenter_of(name).cut(f"这就是{text}。"), (text, name)


def test_context_decides_what_is_a_word() -> None:
    s = segmenter_of("fast")
    assert "三本" in s.cut("他考上了三本院校")
    assert "三本" not in s.cut("他买了三本书")
    assert "一样" in s.cut("两个人不一样，")
    assert "四周" in s.cut("他环顾四周，")


# --- the documents -------------------------------------------------------------------------------


@pytest.mark.skipif(not unit_cases.DOCS.exists(), reason="the documents are not in this copy")
@pytest.mark.parametrize("language", unit_cases.HEADS)
@pytest.mark.parametrize("name", unit_cases.PAGES)
def test_the_tables_are_those_of_the_cases(language: str, name: str) -> None:
    page = (unit_cases.DOCS / language / name).read_text("utf-8")
    assert page == unit_cases.with_table(page, unit_cases.PAGES[name], language), (
        "run python tests/unit_cases.py"
    )
