"""Sentences and chunks."""

from __future__ import annotations

import doctest
import itertools

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st

import segmenter
from segmenter import ArgumentError, chunks, load, sentence, sentences

CASES = [
    "他来了。|我走了！|真的？！|好",
    "他说：“你好。”|我笑了。",
    "“走吧！”|他说。",
    "（他昨天来过。）|今天没来。",
    "他（昨天来了。），今天没来。",
    "我……我不知道。|他走了……|",
    "都将改变……|【一季度】新增|",
    "“等等……”|他说。",
    "第一行\n|第二行\r\n\n|第三行",
    "Mr. Li 来了。|Dr. Wang 3.5 kg, e.g. U.S. Army.|",
    "He left. |She stayed! |他用Python.|然后回家。",
    "看 https://a.cn/?q=1&b=2!x 吧。|好。",
    "版本3.12.1发布了。|百度.com也行。",
    "价格是10. |下一句。",
    "1. 第一项\n|2. 第二项",
    "什么?|好!|嗯。 |走。",
    "「好。」|『真的？』|",
    "他说：「我來了。」，然後走了。",
    "真的。。。|好……。|",
]


@pytest.mark.parametrize("case", CASES)
def test_where_sentences_end(case: str) -> None:
    wanted = [part for part in case.split("|") if part]
    assert [s.text for s in sentences("".join(wanted))] == wanted


def whole(text: str) -> None:
    found = sentences(text)
    assert "".join(s.text for s in found) == text
    assert all(s.text == text[s.start : s.end] != "" for s in found)
    for size in (1, 7, 40):
        parts = chunks(text, size)
        assert "".join(c.text for c in parts) == text
        assert all(c.text == text[c.start : c.end] for c in parts)


@given(st.text())
def test_any_text_comes_back_whole(text: str) -> None:
    whole(text)


def test_odd_texts() -> None:
    for seed in range(60):
        whole(worlds.random_text(seed, 60))
    whole("。" * 50 + "”" * 50 + "." * 50 + "…\n" * 20)


TEXT = "他来了。我走了，因为下雨，而且很晚了。好吧！你呢？我们明天再见，到时候再说。"


def test_chunks_keep_to_their_size_and_to_sentences() -> None:
    s = load("fast")
    for unit, measure, more in (
        ("chars", len, {}),
        ("words", lambda t: len(s.cut(t)), {}),
        ("tokens", len, {"tokenizer": len}),
        ("tokens", lambda t: 2 * len(t), {"tokenizer": lambda t: list(t) * 2}),
    ):
        for size in (6, 12, 20, 100):
            parts = chunks(TEXT, size, unit, segmenter=s, **more)
            assert "".join(c.text for c in parts) == TEXT
            assert all(measure(c.text) <= size for c in parts), (unit, size)
    ends = {s.end for s in sentences(TEXT)}
    assert all(c.end in ends for c in chunks(TEXT, 20))
    assert [c.text for c in chunks(TEXT, 100)] == [TEXT]
    assert chunks("", 5) == []


def test_a_long_sentence_breaks_at_commas_and_then_between_words() -> None:
    assert [c.text for c in chunks("我走了，因为下雨，而且很晚。", 6)] == [
        "我走了，", "因为下雨，", "而且很晚。",
    ]  # fmt: skip
    s = load("fast")
    assert [c.text for c in chunks("中华人民共和国成立了", 4, segmenter=s)] == [
        "中华人民共和国", "成立了",
    ]  # fmt: skip


def test_overlap() -> None:
    parts = chunks(TEXT, 12, overlap=6)
    for a, b in itertools.pairwise(parts):
        assert a.start < b.start <= a.end < b.end
        assert a.end - b.start <= 6
    assert any(b.start < a.end for a, b in itertools.pairwise(parts))
    assert parts[-1].end == len(TEXT)
    assert all(len(c.text) <= 12 for c in parts)


def test_arguments() -> None:
    for wrong in (None, b"x", ["x"]):
        with pytest.raises(TypeError, match="text must be str"):
            sentences(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="text must be str"):
            chunks(wrong, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="size must be int"):
        chunks("a", 2.5)  # type: ignore[arg-type]
    for bad, what in (
        ({"size": 0}, "size: 0 is less than 1"),
        ({"size": 3, "overlap": 3}, "overlap: 3 is not less than the size, 3"),
        ({"size": 3, "unit": "bytes"}, "unit: 'bytes' is not one of"),
        ({"size": 3, "unit": "tokens"}, "tokenizer: unit='tokens' needs one"),
        ({"size": 3, "tokenizer": len}, "tokenizer: unit='tokens' needs one"),
    ):
        with pytest.raises(ArgumentError, match=what):
            chunks("a", **bad)  # type: ignore[arg-type]


def test_the_examples() -> None:
    assert doctest.testmod(sentence).failed == 0
    assert segmenter.chunks is chunks
