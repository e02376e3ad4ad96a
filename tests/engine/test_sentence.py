"""Sentences and chunks."""

from __future__ import annotations

import doctest
import itertools
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st

import segmenter
from segmenter import ArgumentError, chunks, load, sentence, sentences

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

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
    expected = [part for part in case.split("|") if part]
    assert [s.text for s in sentences("".join(expected))] == expected


def in_pieces(text: str, cuts: list[int]) -> list[sentence.Sentence]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return list(sentences(text[a:b] for a, b in itertools.pairwise(places)))


@pytest.mark.parametrize("case", CASES)
def test_pieces_of_a_text_have_its_sentences(case: str) -> None:
    text = case.replace("|", "")
    assert in_pieces(text, list(range(len(text)))) == sentences(text)
    for k in range(len(text)):
        assert in_pieces(text, [k]) == sentences(text)


@given(
    st.text(alphabet='我好a1 .。…！!?，”"(\n\r\u2028\u3000', max_size=40),
    st.lists(st.integers(0, 40), max_size=12),
)
def test_any_pieces_have_the_sentences_of_the_text(text: str, cuts: list[int]) -> None:
    assert in_pieces(text, cuts) == sentences(text)


def test_a_sentence_is_given_as_soon_as_it_is_certain() -> None:
    given_out = []

    def pieces() -> Iterator[str]:
        for piece, is_known in (
            ("他来了", 0), ("。", 0), ("”", 0), ("\n", 0), ("\n", 0), ("我", 1), ("走。你", 2),
        ):  # fmt: skip
            yield piece
            assert len(given_out) == is_known

    given_out.extend(sentences(pieces()))
    assert [one.text for one in given_out] == ["他来了。”\n\n", "我走。", "你"]


def test_a_text_without_an_end_takes_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is new is looked at; the marks at the end of a piece are looked at again."""
    looked = 0

    class Counted:
        def finditer(self, text: str, begin: int) -> Iterator[re.Match[str]]:
            nonlocal looked
            looked += len(text) - begin
            return END.finditer(text, begin)

    END = sentence._END
    monkeypatch.setattr(sentence, "_END", Counted())
    parts = list(sentences("没有标点的字" for _ in range(1000)))
    assert [len(one.text) for one in parts] == [6000]
    assert looked < 2 * 6000


@pytest.mark.parametrize("text", [1, None, [1], ["好", b"x"]])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="text"):
        list(sentences(text))


def whole(text: str) -> None:
    pieces = sentences(text)
    assert "".join(s.text for s in pieces) == text
    assert all(s.text == text[s.start : s.end] != "" for s in pieces)
    for size in (1, 7, 40):
        parts = chunks(text, size)
        assert "".join(c.text for c in parts) == text
        assert all(c.text == text[c.start : c.end] for c in parts)


@given(st.text())
def test_any_text_comes_back_whole(text: str) -> None:
    whole(text)


def test_sentences_rebuild_odd_texts() -> None:
    for seed in range(60):
        whole(worlds.random_text(seed, 60))
    whole("。" * 50 + "”" * 50 + "." * 50 + "…\n" * 20)


TEXT = "他来了。我走了，因为下雨，而且很晚了。好吧！你呢？我们明天再见，到时候再说。"


def test_chunks_keep_to_their_size_and_to_sentences() -> None:
    s = load("fast")
    for unit, measure, unit_rest in (
        ("chars", len, {}),
        ("words", lambda t: len(s.cut(t)), {}),
        ("tokens", len, {"tokenizer": len}),
        ("tokens", lambda t: 2 * len(t), {"tokenizer": lambda t: list(t) * 2}),
    ):
        for size in (6, 12, 20, 100):
            parts = chunks(TEXT, size, unit, segmenter=s, **unit_rest)
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


def test_chunks_overlap_up_to_a_limit() -> None:
    parts = chunks(TEXT, 12, overlap=6)
    for a, b in itertools.pairwise(parts):
        assert a.start < b.start <= a.end < b.end
        assert a.end - b.start <= 6
    assert any(b.start < a.end for a, b in itertools.pairwise(parts))
    assert parts[-1].end == len(TEXT)
    assert all(len(c.text) <= 12 for c in parts)


def test_arguments() -> None:
    for wrong in (None, b"x", [1]):
        with pytest.raises(TypeError, match="text must be str"):
            list(sentences(wrong))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="text must be str"):
            chunks(wrong, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="size must be int"):
        chunks("a", 2.5)  # type: ignore[arg-type]
    for bad, problem in (
        ({"size": 0}, "size: 0 is less than 1"),
        ({"size": 3, "overlap": 3}, "overlap: 3 is not less than the size, 3"),
        ({"size": 3, "unit": "bytes"}, "unit: 'bytes' is not one of"),
        ({"size": 3, "unit": "tokens"}, "tokenizer: unit='tokens' needs a tokenizer"),
        ({"size": 3, "tokenizer": len}, "tokenizer: unit='tokens' needs a tokenizer"),
    ):
        with pytest.raises(ArgumentError, match=problem):
            chunks("a", **bad)  # type: ignore[arg-type]


def test_the_examples() -> None:
    assert doctest.testmod(sentence).failed == 0
    assert segmenter.chunks is chunks
