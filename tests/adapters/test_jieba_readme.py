"""What jieba 0.42.1 shows of itself runs through ``segmenter.compat.jieba`` and gives our words.

That is the eight sections of its README.md and its ``test/demo.py`` and ``test/test_userdict.py``.
Where jieba prints something else, that stands beside; ``docs/en/jieba.md`` has whole sentences.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

import segmenter as seg
import segmenter.compat.jieba as jieba
import segmenter.compat.jieba.analyse
import segmenter.compat.jieba.posseg as pseg
from segmenter.errors import ResourceError
from segmenter.keywords import load_idf
from segmenter.tagging.pos import load as load_pos

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"

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
    # jieba: 杭研
    assert ", ".join(seg_list) == "他, 来到, 了, 网易, 杭研, 大厦"
    seg_list = jieba.cut_for_search("小明硕士毕业于中国科学院计算所，后在日本京都大学深造")
    # jieba: 小明, 硕士, 毕业, 于, 中国, 科学, 学院, 科学院, 中国科学院, 计算, 计算所, ，, 后, 在,
    # 日本, 京都, 大学, 日本京都大学, 深造
    assert ", ".join(seg_list) == (
        "小明, 硕士, 毕业, 于, 中国, 科学, 学院, 科学院, 中国科学院, 计算, 计算所, ，, 后, 在, "
        "日本, 京都, 大学, 京都大学, 深造"
    )


def test_1_there_is_no_paddle_mode() -> None:
    text = "乒乓球拍卖完了"
    with pytest.warns(UserWarning, match="use_paddle"):
        jieba.enable_paddle()
    with pytest.warns(UserWarning, match="use_paddle") as caught:
        words = jieba.lcut(text, use_paddle=True)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="use_paddle"):
        assert list(jieba.cut(text, use_paddle=True)) == words
    with pytest.warns(UserWarning, match="use_paddle"):
        assert [p.word for p in pseg.cut(text, use_paddle=True)] == words
    assert words == jieba.lcut(text)


#: ``test/userdict.txt``
USERDICT = """云计算 5
李小福 2 nr
创新办 3 i
easy_install 3 eng
好用 300
韩玉赏鉴 3 nz
八一双鹿 3 nz
台中
凱特琳 nz
Edu Trust认证 2000
"""


def test_2_user_dictionary(tmp_path: Path) -> None:
    text = "李小福是创新办主任也是云计算方面的专家"
    # jieba: 李小福 / 是 / 创新 / 办 / 主任 / 也 / 是 / 云 / 计算 / 方面 / 的 / 专家
    assert "/".join(jieba.cut(text)) == "李小福/是/创新/办/主任/也/是/云计算/方面/的/专家"
    userdict = tmp_path / "userdict.txt"
    userdict.write_text(USERDICT, "utf-8")
    jieba.load_userdict(str(userdict))
    jieba.add_word("石墨烯")
    jieba.add_word("凱特琳")
    jieba.del_word("自定义词")
    text += "; 什么是八一双鹿\n例如我输入一个带“韩玉赏鉴”的标题"
    assert "/".join(jieba.cut(text)) == (
        "李小福/是/创新办/主任/也/是/云计算/方面/的/专家/;/ /什么/是/八一双鹿/\n"
        "/例如/我/输入/一个/带/“/韩玉赏鉴/”/的/标题"
    )
    # jieba: 正確/應該/不會/被/切開, 分出/來
    assert (
        "/".join(jieba.cut("「台中」正確應該不會被切開。"))
        == "「/台中/」/正確/應該/不/會/被/切開/。"
    )
    assert "/".join(jieba.cut("可分出「石墨烯」；凱特琳了")) == "可/分出/「/石墨烯/」/；/凱特琳/了"
    assert "/".join(jieba.cut("easy_install is great")) == "easy_install/ /is/ /great"
    got = "/".join(jieba.cut("python 的正则表达式是好用的"))
    assert got == "python/ /的/正则表达式/是/好用/的"
    assert jieba.lcut("考Edu Trust认证") == ["考", "Edu Trust认证"]  # jieba: never one word
    flags = {p.word: p.flag for p in pseg.POSTokenizer(jieba.dt).cut(text)}
    assert [flags[w] for w in ("李小福", "创新办", "八一双鹿", "的")] == ["nr", "i", "nz", "uj"]
    for sentence, parts, before in (
        ("今天天气不错", ("今天", "天气"), "今天/天气/不错"),  # jieba before: 今天天气/不错
        ("如果放到post中将出错。", ("中", "将"), "如果/放到/post/中将/出错/。"),
        ("我们中出了一个叛徒", ("中", "出"), "我们/中/出/了/一个/叛徒"),
    ):
        assert "/".join(jieba.cut(sentence, HMM=False)) == before
        assert (jieba.suggest_freq(parts, True) or 0) <= (jieba.get_FREQ("".join(parts)) or 0)
        assert "/".join(parts) in "/".join(jieba.cut(sentence, HMM=False))


def test_2_adjusting() -> None:
    text = "如果放到post中将出错。"
    assert "/".join(jieba.cut(text, HMM=False)) == "如果/放到/post/中将/出错/。"
    assert jieba.suggest_freq(("中", "将"), True) > 0  # jieba: 494, in counts of its own list
    assert "/".join(jieba.cut(text, HMM=False)) == "如果/放到/post/中/将/出错/。"
    text = "「台中」正确应该不会被切开"
    # jieba needs suggest_freq("台中", True) for it
    assert "/".join(jieba.cut(text, HMM=False)) == "「/台中/」/正确/应该/不/会/被/切开"


ARTICLE = (
    "此外，公司拟对全资子公司吉林欧亚置业有限公司增资4.3亿元，增资后，吉林欧亚置业注册资本由"
    "7000万元增加到5亿元。吉林欧亚置业主要经营范围为房地产开发及百货零售等业务。目前在建吉林欧亚"
    "城市商业综合体项目。2013年，实现营业收入0万元，实现净利润-139.13万元。"
)


def test_3_keywords() -> None:
    keywords = dict(jieba.analyse.extract_tags(ARTICLE, withWeight=True))
    # jieba's first: 欧亚, 吉林, 置业, 万元, 增资
    assert set(list(keywords)[:3]) == {"欧亚", "吉林", "置业"}
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


def test_7_the_analyzer_for_whoosh() -> None:
    fields = pytest.importorskip("whoosh.fields", reason="whoosh-reloaded is not installed")
    from whoosh.filedb.filestore import RamStorage
    from whoosh.qparser import QueryParser

    from segmenter.compat.jieba.analyse.analyzer import STOP_WORDS

    analyzer = jieba.analyse.ChineseAnalyzer()
    schema = fields.Schema(path=fields.ID(stored=True), content=fields.TEXT(analyzer=analyzer))
    index = RamStorage().create_index(schema)
    texts = {
        "b": "The second one 你 中文测试中文 is even more interesting! 吃水果",
        "d": "每月经过下属科室都要亲口交代24口交换机等技术性器件的安装工作",
        "e": "咱俩交换一下吧。",
    }
    writer = index.writer()
    for path, content in texts.items():
        writer.add_document(path=path, content=content)
    writer.commit()
    parser = QueryParser("content", schema=index.schema)

    def find(query: str) -> set[str]:
        with index.searcher() as searcher:
            return {hit["path"] for hit in searcher.search(parser.parse(query))}

    assert find("中文") == {"b"}
    assert find("交换机") == {"d"}
    assert find("交换") == {"d", "e"}
    assert find("interests") == {"b"}  # by its stem
    assert find("的") == set()  # a stop word
    assert "的" in STOP_WORDS
    assert [t.text for t in jieba.analyse.ChineseAnalyzer({"北京"}, 2)("我爱北京天安门")] == [
        "天安门", "安门",
    ]  # fmt: skip


def test_8_the_command_line(tmp_path: Path) -> None:
    news = tmp_path / "news.txt"
    news.write_text("我来到北京清华大学\r\n\n李小福是创新办主任", "utf-8")
    (tmp_path / "userdict.txt").write_text(USERDICT, "utf-8")
    (tmp_path / "small.txt").write_text("我 10 r\n来到 5 v\n北京 7 ns\n", "utf-8")

    def run(*options: str, stdin: bytes = b"") -> str:
        got = subprocess.run(
            [sys.executable, "-m", "segmenter.compat.jieba", *options],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
            check=False,
        )
        assert (got.returncode, got.stderr) == (0, b"")
        return got.stdout.decode("utf-8")

    lines = ["我 / 来到 / 北京 / 清华大学", "", "李小福 / 是 / 创新 / 办 / 主任"]
    assert run("news.txt") == run("-q", stdin=news.read_bytes()) == "\n".join(lines) + "\n"
    assert (
        run("-d", "/", "-u", "userdict.txt", "news.txt").splitlines()[2] == "李小福/是/创新办/主任"
    )
    assert run("news.txt", "-d").splitlines()[0] == "我 来到 北京 清华大学"
    assert run("news.txt", "-d", "-p").splitlines()[0] == "我_r 来到_v 北京_ns 清华大学_nt"
    assert (
        run("-a", "-d", "/", "news.txt").splitlines()[0] == "我/来到/北京/清华/清华大学/华大/大学"
    )
    assert run("-n", "-D", "small.txt", "-d", "/", "news.txt").splitlines()[0] == (
        "我/来到/北京/清/华/大/学"
    )
    assert "segmenter-zh" in run("-V")


def test_8_faults_are_named(tmp_path: Path) -> None:
    from segmenter.compat.jieba.__main__ import main

    assert main([str(tmp_path / "none.txt")]) == 1


def test_initialising_and_dictionaries(tmp_path: Path) -> None:
    jieba.initialize()
    words = tmp_path / "dict.txt.small"
    words.write_text("我 10 r\n来到 5 v\n北京 7 ns\n", "utf-8")
    small = jieba.Tokenizer()
    small.set_dictionary(words)
    assert small.lcut("我来到北京清华", HMM=False) == ["我", "来到", "北京", "清", "华"]


def test_the_table_of_the_page() -> None:
    text = (DOCS / "en" / "jieba.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+/\S+) \| (the same|\S+/\S+) \|$", text, re.M)
    assert len(rows) >= 4
    for sentence, theirs, ours in rows:
        got = "/".join(jieba.cut(sentence))
        assert got == (theirs if ours == "the same" else ours)
        assert (got == theirs) == (ours == "the same")


def test_the_tables_first_column_is_what_jieba_says() -> None:
    real = pytest.importorskip("jieba", reason="the package jieba is not installed")
    text = (DOCS / "en" / "jieba.md").read_text("utf-8")
    for sentence, theirs, _ in re.findall(
        r"^\| (\S+) \| (\S+/\S+) \| (the same|\S+/\S+) \|$", text, re.M
    ):
        assert "/".join(real.cut(sentence)) == theirs
