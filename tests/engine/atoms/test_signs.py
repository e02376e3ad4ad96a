"""Signs that stand alone (|, ·, #, `, <, >, /, =, brackets), and what still holds them."""

from __future__ import annotations

import random
from functools import cache

import atom_cases
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.signs import sign_boundaries

from segmenter import Segmenter, load
from segmenter.choices import DECODERS, TAGGERS
from segmenter.text import chars

SIGNS = "|·#`<>/=()[]{}\\"
WIDE = "｜・•＃｀＜＞／＝（）［］｛｝＼"
ALONE = {
    "张三|李四|王五": "张三 | 李四 | 王五",
    "](/ch6": "] ( / ch6",
    "List<String>": "List < String >",
    "</div><br>": "< / div > < br >",
    "a=b": "a = b",
    "`code`": "` code `",
    "腮5kg": "腮 5kg",
    "TCP/IP": "TCP / IP",
    "（张三）": "（ 张三 ）",
    "[1]{a}": "[ 1 ] { a }",
    "|#`<>": "| # ` < >",
}
KEPT = [
    "https://a.cn/b?c=(1)", "C++", "C#", "#话题#", "1/2", "10:30", "2026/11/21", "GB/T 2312",
    "10.0.0.0/8", "12/31/2026",
]  # fmt: skip
PIECES = [*atom_cases.PIECES, *worlds.PIECES, *SIGNS, *WIDE]


@cache
def plain(decoder: str) -> Segmenter:
    """Without atoms: what they hold together is not a boundary."""
    return load("fast", decoder=decoder, atoms=dict.fromkeys(NAMES, "model"))


NAMES = tuple(load("fast").atoms)


@pytest.mark.parametrize("preset", ["fast", "balanced", "accurate"])
@pytest.mark.parametrize("text", ALONE)
def test_signs_stand_alone_in_every_preset(preset: str, text: str) -> None:
    assert " ".join(load(preset).cut(text)) == ALONE[text]
    assert " ".join(load(preset, decoder="unigram").cut(text)) == ALONE[text]


@pytest.mark.parametrize("decoder", DECODERS)
def test_atoms_and_words_of_the_user_hold_them(decoder: str) -> None:
    segmenter = load("fast", decoder=decoder)
    for text in KEPT:
        assert text in segmenter.cut(f"见{text}，好"), text
    mine = segmenter.with_words(["张三|李四", ("<br>", "force")])
    assert mine.cut("张三|李四<br>") == ["张三|李四", "<br>"]
    assert any("沛·阿" in word for word in segmenter.cut("会见阿沛·阿旺晋美。"))


@pytest.mark.parametrize("decoder", TAGGERS)
def test_boundaries_are_those_of_the_reference(decoder: str) -> None:
    segmenter = plain(decoder)

    @settings(max_examples=80)
    @given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | worlds.any_text)
    def check(text: str) -> None:
        ends = set(segmenter.ends(text).tolist())
        assert sign_boundaries(text) <= ends

    check()
    pick = random.Random(decoder)
    text = "".join(pick.choices(PIECES, k=3000))
    assert sign_boundaries(text) <= set(segmenter.ends(text).tolist())


def test_every_form_of_a_sign_is_one() -> None:
    """Whatever folds to a sign is read as the sign is."""
    folded = {chars.fold(ord(c)) for c in SIGNS}
    forms = [chr(c) for c in range(0x10000) if chars.fold(c) in folded]
    assert set(SIGNS + WIDE) <= set(forms)
    segmenter = plain("perceptron")
    for sign in forms:
        for text in (f"张三{sign}", f"{sign}确实", f"{sign}a{sign}{sign}"):
            cut = segmenter.cut(text)
            assert cut.count(sign) == text.count(sign), text


def test_a_unit_parts_a_number_from_the_word_before_it() -> None:
    for preset in ("fast", "balanced", "accurate"):
        segmenter = load(preset)
        for text in ("腮5kg", "长3.5cm", "内存16GB", "频率３００ＭＨｚ"):
            assert len(segmenter.cut(text)) == 2, text


def test_words_of_the_user_go_before() -> None:
    assert load("fast", user=["张三|李四"]).cut("张三|李四") == ["张三|李四"]


@pytest.mark.parametrize("preset", ["fast", "balanced", "accurate"])
def test_a_decade_is_no_year(preset: str) -> None:
    cut = load(preset).cut
    assert cut("生于1990年代末。") == ["生于", "1990", "年代", "末", "。"]
    assert cut("2010年代") == ["2010", "年代"]
    assert cut("1990年代表中国参赛")[:2] == ["1990年", "代表"]
    assert cut("1990年来到上海")[0] == "1990年"
    assert cut("1997年度欧洲")[:2] == ["1997", "年度"]
    assert cut("1997年会议")[0] == "1997年"
    assert cut("到1997年底")[1:] == ["1997年", "底"]
