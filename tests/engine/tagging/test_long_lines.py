"""One long line is decoded in parts by the linear taggers; its words are those of the whole."""

from __future__ import annotations

import random

import pytest

import segmenter as seg
from segmenter.errors import ResourceError
from segmenter.lattice import parts

PART = 1 << 16  # characters, kernels/tagging/tagging.hpp
SENTENCES = (
    "中华人民共和国成立于1949年10月1日",
    "他说的确实在理",
    "研究生院公布了招生办法，共和国的研究者们在讨论。",
    "iPhone15 Pro的价格是8999.00元",
    "結婚的和尚未結婚的",
    "长春市长春药店",
    "👍🏽e\u0301",
)


def tagger(name: str) -> seg.Segmenter:
    try:
        return seg.load(name)
    except ResourceError:
        pytest.skip("models/ is not built here")


def line(seed: int, length: int) -> str:
    """A line without a blank, half of it sentences, half of it characters at random."""
    pick = random.Random(seed)
    han = "".join(SENTENCES).replace(" ", "")
    parts: list[str] = []
    while sum(map(len, parts[-50:])) < 1 or sum(map(len, parts)) < length:
        if pick.random() < 0.5:
            parts.append(pick.choice(SENTENCES).replace(" ", ""))
        else:
            parts.append("".join(pick.choices(han, k=pick.randint(1, 60))))
        if len(parts) > 500:
            parts = ["".join(parts)]
    return "".join(parts)[:length]


@pytest.mark.parametrize("preset", ["fast", "balanced"])
@pytest.mark.parametrize("length", [PART - 1, PART, PART + 1, 3 * PART + 1234])
def test_words_are_those_of_the_whole(preset: str, length: int) -> None:
    s = tagger(preset)
    text = line(length, length)
    words_whole = s.tokenize(text).words  # margins are of the whole
    assert s.cut(text) == words_whole
    ends = s.ends(text).tolist()
    assert ends[-1] == len(text)
    assert [text[a:b] for a, b in zip([0, *ends], ends, strict=False)] == words_whole
    assert s.cut_bytes(text.encode(), threads=2).decode("utf-8").split(" ") == words_whole


@pytest.mark.parametrize("preset", ["fast", "balanced"])
def test_nothing_ends_a_part(preset: str) -> None:
    s = tagger(preset)
    long = "a" * (3 * PART)
    assert s.cut(long) == [long]
    text = "他说" + long + "的确实在理"
    assert s.cut(text) == s.tokenize(text).words


def test_words_of_the_user_and_marks() -> None:
    text = line(7, 2 * PART + 99)
    s = tagger("fast").with_words([("生院公布", "prefer"), ("共和国的", 50)])
    words = s.cut(text)
    assert words == s.tokenize(text).words
    assert "生院公布" in words


@pytest.mark.parametrize("user", [None, ["，他说的", "在理"], ["。" + "中华" * 40 + "，"]])
def test_all_words_are_found_part_by_part(
    user: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = tagger("fast")
    s = s.with_words(user) if user else s
    text = line(11, PART) + ("，".join(SENTENCES) + "中，华") * 300
    words_whole = s.cut_all(text)
    monkeypatch.setattr(parts, "PART", 1500)
    assert len(list(s._words.parts(text))) > 20
    assert s.cut_all(text) == words_whole
    assert list(s._words.spans(text)) == words_whole.spans
