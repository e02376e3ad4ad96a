"""The examples of jieba's README through ``segmenter.compat.jieba`` run and give our words.

Where jieba prints something else, that stands beside; ``docs/from-jieba.md`` has whole sentences.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import segmenter as seg
import segmenter.compat.jieba as jieba
import segmenter.compat.jieba.analyse
import segmenter.compat.jieba.posseg as pseg
from segmenter.errors import ResourceError
from segmenter.keywords import load_idf
from segmenter.pos import load as load_pos

DOCS = Path(__file__).resolve().parents[2] / "docs"

try:
    seg.load()
    load_pos()
    load_idf()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words of one example are none of the next."""
    new = jieba.Tokenizer()
    monkeypatch.setattr(jieba, "dt", new)
    for name in (
        "add_word", "cut_for_search", "del_word", "load_userdict", "suggest_freq", "tokenize",
    ):  # fmt: skip
        monkeypatch.setattr(jieba, name, getattr(new, name))


def test_1_cutting() -> None:
    seg_list = jieba.cut("我来到北京清华大学", cut_all=True)
    assert "/ ".join(seg_list) == "我/ 来到/ 北京/ 清华/ 清华大学/ 华大/ 大学"
    seg_list = jieba.cut("我来到北京清华大学", cut_all=False)
    assert "/ ".join(seg_list) == "我/ 来到/ 北京/ 清华大学"
    seg_list = jieba.cut("他来到了网易杭研大厦")
    assert ", ".join(seg_list) == "他, 来到, 了, 网易, 杭研, 大厦"
    seg_list = jieba.cut_for_search("小明硕士毕业于中国科学院计算所，后在日本京都大学深造")
    # jieba: 小明, 硕士, 毕业, 于, 中国, 科学, 学院, 科学院, 中国科学院, 计算, 计算所, ，, 后, 在,
    # 日本, 京都, 大学, 日本京都大学, 深造
    assert ", ".join(seg_list) == (
        "小明, 硕士, 毕业, 于, 中国, 科学, 学院, 科学院, 计算, 计算所, ，, 后, 在, 日本, 京都, "
        "大学, 深造"
    )


def test_2_user_dictionary(tmp_path: Path) -> None:
    text = "李小福是创新办主任也是云计算方面的专家"
    # jieba: 李小福 / 是 / 创新 / 办 / 主任 / 也 / 是 / 云 / 计算 / 方面 / 的 / 专家
    assert "/".join(jieba.cut(text)) == "李小福/是/创新/办/主任/也/是/云计算/方面/的/专家"
    userdict = tmp_path / "userdict.txt"
    userdict.write_text("创新办 3 i\n云计算 5\n凱特琳 nz\n台中\n", "utf-8")
    jieba.load_userdict(str(userdict))
    assert "/".join(jieba.cut(text)) == "李小福/是/创新办/主任/也/是/云计算/方面/的/专家"


def test_2_adjusting() -> None:
    text = "如果放到post中将出错。"
    assert "/".join(jieba.cut(text, HMM=False)) == "如果/放到/post/中将/出错/。"
    assert jieba.suggest_freq(("中", "将"), True) > 0  # jieba: 494, in counts of its own list
    assert "/".join(jieba.cut(text, HMM=False)) == "如果/放到/post/中/将/出错/。"
    text = "「台中」正确应该不会被切开"
    # jieba: 「/台/中/」/正确/应该/不会/被/切开
    assert "/".join(jieba.cut(text, HMM=False)) == "「/台/中/」/正确/应该/不/会/被/切开"
    assert jieba.suggest_freq("台中", True) > 0  # jieba: 69
    assert "/".join(jieba.cut(text, HMM=False)) == "「/台中/」/正确/应该/不/会/被/切开"


ARTICLE = (
    "此外，公司拟对全资子公司吉林欧亚置业有限公司增资4.3亿元，增资后，吉林欧亚置业注册资本由"
    "7000万元增加到5亿元。吉林欧亚置业主要经营范围为房地产开发及百货零售等业务。目前在建吉林欧亚"
    "城市商业综合体项目。2013年，实现营业收入0万元，实现净利润-139.13万元。"
)


def test_3_keywords() -> None:
    found = dict(jieba.analyse.extract_tags(ARTICLE, withWeight=True))
    # jieba's first: 欧亚, 吉林, 置业, 万元, 增资; 欧亚 is cut otherwise here
    assert list(found)[:3] == ["吉林", "置业", "增资"]
    ranked = jieba.analyse.textrank(ARTICLE, withWeight=True)
    # jieba's first: 吉林, 欧亚, 置业
    assert {"吉林", "置业"} <= {word for word, _ in ranked[:4]}
    assert len(jieba.analyse.extract_tags(ARTICLE, topK=20, withWeight=False, allowPOS=())) == 20


def test_4_parts_of_speech() -> None:
    words = pseg.cut("我爱北京天安门")
    assert [f"{word} {flag}" for word, flag in words] == ["我 r", "爱 v", "北京 ns", "天安门 ns"]


def test_5_parallel() -> None:
    jieba.enable_parallel(4)
    try:
        got = list(jieba.cut("我来到北京\n清华大学\n"))
    finally:
        jieba.disable_parallel()
    assert got == ["我", "来到", "北京", "\n", "清华大学", "\n"]


def test_6_offsets() -> None:
    rows = [
        f"word {tk[0]}\t\t start: {tk[1]} \t\t end:{tk[2]}"
        for tk in jieba.tokenize("永和服装饰品有限公司")
    ]
    # jieba: 永和 is one word
    assert rows[-3:] == [
        "word 服装\t\t start: 2 \t\t end:4",
        "word 饰品\t\t start: 4 \t\t end:6",
        "word 有限公司\t\t start: 6 \t\t end:10",
    ]
    searched = [tk[0] for tk in jieba.tokenize("永和服装饰品有限公司", mode="search")]
    assert searched[-3:] == ["有限", "公司", "有限公司"]


def test_7_initialising_and_dictionaries(tmp_path: Path) -> None:
    jieba.initialize()
    words = tmp_path / "dict.txt.small"
    words.write_text("我 10 r\n来到 5 v\n北京 7 ns\n", "utf-8")
    small = jieba.Tokenizer()
    small.set_dictionary(words)
    assert small.lcut("我来到北京清华", HMM=False) == ["我", "来到", "北京", "清", "华"]


def test_the_table_of_the_page() -> None:
    text = (DOCS / "from-jieba.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+/\S+) \| (the same|\S+/\S+) \|$", text, re.M)
    assert len(rows) >= 4
    for sentence, theirs, ours in rows:
        got = "/".join(jieba.cut(sentence))
        assert got == (theirs if ours == "the same" else ours)
        assert (got == theirs) == (ours == "the same")


def test_the_tables_first_column_is_what_jieba_says() -> None:
    real = pytest.importorskip("jieba", reason="the package jieba is not installed")
    text = (DOCS / "from-jieba.md").read_text("utf-8")
    for sentence, theirs, _ in re.findall(
        r"^\| (\S+) \| (\S+/\S+) \| (the same|\S+/\S+) \|$", text, re.M
    ):
        assert "/".join(real.cut(sentence)) == theirs
