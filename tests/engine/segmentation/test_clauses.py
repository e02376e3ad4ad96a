"""Cantonese, classical text and names from other languages: what watched characters decide."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.clauses import CANTONESE, LAST, MODERN, OFTEN, OLD, Marks, clause_marks

from segmenter import Segmenter, load
from segmenter.lexicon import Lexicon
from segmenter.tagging.predictor import Predictor

PIECES = [  # without 㗎, which the lexicons lack
    *CANTONESE.replace("㗎", ""), *LAST, *OLD, *OFTEN, *MODERN, *"，。、12a\n",
    "而家", "食咗", "睇緊", "除咗", "喺度", "嘅話", "项脊轩", "旧南阁子", "虎视", "君子", "天下",
    "民不畏死", "奈何", "王伏胜", "三十", "学而时习", "开发", "计划",
]  # fmt: skip
PLACES = [
    "在线上", "在行里", "会长高", "要点一份", "要点什么", "太大会", "十五日内向", "八点一直",
    "我依家去", "依家幾點",
]  # fmt: skip
ALL = [*PIECES, *PLACES]


@cache
def fast() -> Segmenter:
    return load("fast", atoms={"measure": "split"})


@cache
def lattice() -> Segmenter:
    return load("fast", decoder="unigram", atoms={"measure": "split"})


def expected(s: Segmenter, text: str) -> Marks:
    tagger, lexicon = fast().tagger, s.lexicon
    assert isinstance(tagger, Predictor)
    assert lexicon is not None

    def is_word(word: str) -> bool:
        if len(word) == 2 or s.tagger is None:  # the tagger's are in its pairs of characters
            return bool(lexicon.native.find(word) >= 0)
        return bool(tagger.native.lexicon.find(word) >= 0)

    return clause_marks(tagger.fold(text), is_word)


def check(s: Segmenter, text: str) -> None:
    marks = expected(s, text)
    ends = set(s.ends(text).tolist())
    # what falls apart in classical text has dates, which lattices keep
    dates = {k for t in s.tokenize(text) if t.kind == "date" for k in range(t.start, t.end)}
    assert marks.cut - marks.joined - dates <= ends, text
    assert not (marks.joined - marks.cut) & ends, text


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_boundaries_are_those_of_the_reference(text: str) -> None:
    check(fast(), text)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(ALL), max_size=14).map("".join))
def test_a_lattice_has_them_too(text: str) -> None:
    check(lattice(), text)


def test_they_are_in_a_long_text() -> None:
    pick = random.Random(48)  # the blocks of a lattice end at clauses where one ends soon
    for s, pieces in ((fast(), PIECES), (lattice(), ALL)):
        check(s, "".join("".join(pick.choices(pieces, k=40)) + "。" for _ in range(100)))


def test_a_long_text_is_cut_like_its_sentences() -> None:
    """The blocks of a lattice end at clauses, so rules see the same in a text of many blocks."""
    pieces = random.Random(48).choices(ALL, k=6000)
    sentences = ["".join(pieces[k : k + 12]) + "。" for k in range(0, 6000, 12)]
    sentences = [sentence.replace("\n", "") for sentence in sentences]
    cut = lattice().cut
    assert cut("".join(sentences)) == [word for sentence in sentences for word in cut(sentence)]


@pytest.mark.parametrize("preset", ["fast", "balanced", "accurate"])
def test_no_name_holds_de(preset: str) -> None:
    cut = load(preset).cut
    for text in ("莱顿斯通的弗雷德威格", "B1楼的飞迪特", "斯塔万格的厄德高来了"):
        assert "的" in cut(text), text
    assert any("的" in word and len(word) > 1 for word in cut("亚的斯亚贝巴是埃塞俄比亚首都"))


@pytest.mark.parametrize("preset", ["fast", "balanced"])
def test_other_text_comes_out_as_before(preset: str) -> None:
    """The rules are off where numerals are not parted; text without their signs is the same."""
    on, off = load(preset), load(preset, atoms={"measure": "model"})
    for text in (
        "他在线上课，会长出席了大会。", "这个计划之所以重要，也在于此。", "不在乎别人怎么说",
        "斯大林格勒的战役", "邓相扬之所以认为", "过去的事情", "王先生也来了", "吾悦广场附近",
        "吾尔沃斯大厦",
    ):  # fmt: skip
        assert on.cut(text) == off.cut(text), text


def test_a_character_that_the_lexicon_lacks_is_not_watched() -> None:
    s = Segmenter(Lexicon.build([("中国", 2, "n")]), decoder="unigram")
    assert s.cut("见到https和中国人") == ["见", "到", "https", "和", "中国", "人"]
