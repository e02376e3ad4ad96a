"""Readings: the table, its rules by hand, and texts of every kind."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given

from segmenter import load
from segmenter.errors import ArgumentError, DictionaryError, ResourceError

pytest.importorskip("pypinyin")

from segmenter.reading import pinyin, readings, ruby, rules

if TYPE_CHECKING:
    from segmenter.reading.rules import Unit

try:
    S = load()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)


def unit(text: str, tag: str, position: str = "only") -> Unit:
    return rules.Unit(text, text, tag, position)


def read_unit(table: str, units: list[tuple[str, str]], i: int) -> str:
    """The reading of one of the units, each a word, by a table of one character."""
    row = [unit(*u) for u in units]
    context = rules.Context(row[i], row[:i], row[i + 1 :])
    rules_found = rules.parse(table, "a table")[row[i].text]
    return next(rule.reading[0] for rule in rules_found if rule.holds(context))


# Sentences beside those of eval/, which measures: every kind of condition of the shipped table.
@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("他还没还我钱", "ta1 hai2 mei2 huan2 wo3 qian2"),
        ("我只买了一只鸡", "wo3 zhi3 mai3 le5 yi1 zhi1 ji1"),
        ("你得吃得饱", "ni3 dei3 chi1 de5 bao3"),
        ("头发又长了一寸", "tou2 fa5 you4 zhang3 le5 yi1 cun4"),
        ("市长为人民服务", "shi4 zhang3 wei4 ren2 min2 fu2 wu4"),
        ("慢慢地走在地上", "man4 man4 de5 zou3 zai4 di4 shang4"),
        ("銀行門口有一隻貓", "yin2 hang2 men2 kou3 you3 yi1 zhi1 mao1"),
        ("看得见也想得开", "kan4 de5 jian4 ye3 xiang3 de5 kai1"),
        ("电子和桌子", "dian4 zi3 he2 zhuo1 zi5"),
        ("辽宁很著名", "liao2 ning2 hen3 zhu4 ming2"),
        ("还有教育", "hai2 you3 jiao4 yu4"),
    ],
)
def test_sentences_are_read_as_people_read_them(text: str, read_as: str) -> None:
    assert " ".join(pinyin(text, tones="numbers", segmenter=S)) == read_as


@pytest.mark.parametrize(
    ("condition", "units", "holds"),
    [
        ("tag:v", [("行", "vn")], True),
        ("tag:v", [("行", "n")], False),
        ("at:first", [("行", "v")], False),
        ("before:银", [("银", "n"), ("行", "v")], True),
        ("before:银", [("银", "n"), ("了", "u"), ("行", "v")], False),
        ("after:*钱", [("行", "v"), ("价钱", "n")], True),
        ("after:钱*", [("行", "v"), ("价钱", "n")], False),
        ("after:/n", [("行", "v"), ("价钱", "n")], True),
        ("after:给_/r_$", [("行", "v"), ("给", "v"), ("我", "r")], True),
        ("after:给_/r_$", [("行", "v"), ("给", "v"), ("我", "r"), ("，", "w")], True),
        ("after:给_/r_$", [("行", "v"), ("给", "v"), ("我", "r"), ("看", "v")], False),
        ("before:^", [("好", "a"), ("。", "w"), ("行", "v")], True),
        ("before:把_/", [("把", "p"), ("他", "r"), ("行", "v")], True),
        ("before:得/u", [("得", "v"), ("行", "v")], False),
        ("near:琴", [("行", "v"), ("一", "m"), ("琴", "n")], True),
        ("near:琴", [("行", "v"), ("！", "w"), ("琴", "n")], False),
        ("near:琴", [("琴", "n"), ("，", "w"), ("行", "v")], True),
    ],
)
def test_a_condition_chooses_the_reading(
    condition: str, units: list[tuple[str, str]], holds: bool
) -> None:
    i = next(i for i, (text, _) in enumerate(units) if text == "行")
    assert read_unit(f"行 hang2 {condition}\n行 xing2", units, i) == ("hang2" if holds else "xing2")


def test_all_conditions_of_a_row_hold_and_the_first_row_wins() -> None:
    table = "行 hang2 tag:v after:了\n行 heng2 tag:v\n行 xing2"
    assert read_unit(table, [("行", "v"), ("了", "u")], 0) == "hang2"
    assert read_unit(table, [("行", "v")], 0) == "heng2"
    assert read_unit(table, [("行", "a"), ("了", "u")], 0) == "xing2"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("行", "a row is a character or word, a reading, and conditions"),
        ("行 xing", "'xing' is not a syllable with the number of its tone"),
        ("银行 hang2", "银行 has 2 characters, not 1"),
        ("行 hang2 with:了", "'with:了' is not one of tag, at, before, after, near with a colon"),
        ("行 hang2 tag", "'tag' is not one of"),
        ("行 hang2 tag:", "tag: has no value"),
        ("行 hang2 near:给_我", "near: takes one word, not several in a row"),
        ("行 hang2 at:end", "at: must be one of only, first, inner, last"),
        ("行 xing2\n行 hang2 tag:n", "行 has its usual reading in a row above"),
    ],
)
def test_faults_of_a_table_are_named_with_their_line(row: str, fault: str) -> None:
    line = 2 + row.count("\n")
    with pytest.raises(DictionaryError, match=re.escape(fault)) as e:
        rules.parse(f"# a table\n{row}", "a.txt")
    assert (e.value.path, e.value.line) == ("a.txt", line)


def test_the_tags_of_the_shipped_table_are_some_that_there_are() -> None:
    """No condition asks for a tag that there is not."""
    tags = set("nvadpcuymqrfstbzeijlkhowx")
    tags |= {"nr", "ns", "nt", "nz", "nx", "vn", "vd", "an", "ad", "Ng", "Vg", "Ag", "Dg"}
    for key, entry in rules.shipped().items():
        for rule in entry:
            for name, choices in rule.conditions:
                if name == "tag":
                    assert {tag for (tag,) in choices} <= tags, (key, rule)


def test_tones_and_words() -> None:
    assert pinyin("绿的，书") == ["lǜ", "de", "，", "shū"]
    assert pinyin("绿的，书", tones="numbers") == ["lü4", "de5", "，", "shu1"]
    assert pinyin("绿的，书", tones="none") == ["lü", "de", "，", "shu"]
    assert pinyin("他在西安銀行唱卡拉OK。", words=True) == [
        *["tā", "zài", "xī'ān", "yínháng", "chàng", "kǎlāOK", "。"]
    ]


def test_the_segmenter_given_decides() -> None:
    text = "他说的确实在理"
    assert pinyin(text)[2:4] == ["de", "què"]
    assert pinyin(text, segmenter=S.with_words(["的确"]))[2:4] == ["dí", "què"]


def test_ruby_is_html_of_the_whole_text() -> None:
    assert ruby("他&書<b>") == (
        "<ruby>他<rt>tā</rt></ruby>&amp;<ruby>書<rt>shū</rt></ruby>&lt;b&gt;"
    )
    assert ruby("") == ""


@given(worlds.texts | worlds.any_text)
def test_any_text_is_read_whole(text: str) -> None:
    readings_found = readings(text, segmenter=S)
    assert "".join(r.word for r in readings_found) == text
    for r in readings_found:
        assert "".join(part for part, _ in r.parts) == r.word
        assert all(len(part) == 1 for part, syllable in r.parts if syllable)
    plain = re.sub(r"<rt>.*?</rt>|</?ruby>", "", ruby(text, segmenter=S))
    assert plain == escape(text)


@pytest.mark.parametrize("call", [pinyin, readings, ruby])
def test_wrong_arguments_are_named(call: Any) -> None:
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        call(b"x")
    with pytest.raises(ArgumentError, match="tones: 'accents' is not one of marks, numbers, none"):
        call("x", tones="accents")
    with pytest.raises(TypeError, match=r"segmenter must be a Segmenter, .*, not str"):
        call("x", segmenter="fast")
