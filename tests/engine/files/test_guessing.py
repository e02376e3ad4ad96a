"""Texts in GB18030 and Big5 are told apart; where they cannot be, both are named."""

from __future__ import annotations

import io

import pytest

from segmenter.errors import DictionaryError, EncodingError
from segmenter.files.guessing import encodings
from segmenter.files.reading import read_lines
from segmenter.lexicon.user import UserDictionary

SIMPLIFIED = (
    "今天的天气很好，我们去公园散步。", "他说的确实在理", "北京大学的图书馆在哪里？",
    "人工智能改变了世界",
    "二〇二六年十一月，上海举行了会议",
)  # fmt: skip
TRADITIONAL = (
    "今天的天氣很好，我們去公園散步。", "他說的確實在理", "臺灣大學的圖書館在哪裡？",
    "人工智慧改變了世界",
    "十一月，臺北舉行了會議", "國立故宮博物院", "請問您要喝什麼？",
)  # fmt: skip


@pytest.mark.parametrize("text", SIMPLIFIED)
def test_gb18030_is_guessed(text: str) -> None:
    assert encodings(text.encode("gb18030")) == ["gb18030"]


@pytest.mark.parametrize("text", TRADITIONAL)
def test_big5_is_guessed(text: str) -> None:
    assert encodings(text.encode("big5")) == ["big5"]


def test_traditional_text_in_gb18030_is_not_called_big5_alone() -> None:
    for text in TRADITIONAL:
        assert encodings(text.encode("gb18030"))[0] == "gb18030"


def test_advice_leads_to_the_text() -> None:
    for texts, codec in ((SIMPLIFIED, "gb18030"), (TRADITIONAL, "big5")):
        raw = "\n".join(texts).encode(codec)
        with pytest.raises(EncodingError, match=f"give encoding='{codec}', or errors"):
            list(read_lines(io.BytesIO(raw)))
        assert [line for _, line in read_lines(io.BytesIO(raw), codec)] == list(texts)
        with pytest.raises(DictionaryError, match=f"iconv -f {codec} -t utf-8"):
            UserDictionary.load(raw)
    with pytest.raises(EncodingError, match=r"'爱狸' as GB18030 .* or '乾燥' as Big5"):
        list(read_lines(io.BytesIO("乾燥".encode("big5"))))
    with pytest.raises(EncodingError, match="encoding='gb18030' or encoding='big5', or errors"):
        list(read_lines(io.BytesIO("乾燥".encode("big5"))))
    with pytest.raises(EncodingError, match="UTF-8: give its encoding"):
        list(read_lines(io.BytesIO(b"\xff\xff")))
