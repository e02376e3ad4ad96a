"""``segmenter.compat.jieba``: every name and argument of jieba's that is promised, run for real."""

from __future__ import annotations

import inspect
import io
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from places import ROOT

import segmenter as seg
import segmenter.compat.jieba as jieba
from segmenter.compat.jieba import analyse, posseg
from segmenter.errors import (
    ArgumentError,
    DictionaryError,
    EncodingError,
    ResourceError,
)
from segmenter.kernels import _tokens
from segmenter.keywords import load_idf
from segmenter.tagging.pos import MEANING
from segmenter.tagging.pos import load as load_pos

if TYPE_CHECKING:
    from pathlib import Path

try:
    seg.load()
    load_pos()
    load_idf()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)

TEXT = "小明硕士毕业于中国科学院计算所，后在日本京都大学深造"


@pytest.fixture
def t() -> jieba.Tokenizer:
    return jieba.Tokenizer()


# --- cutting -----------------------------------------------------------------------------------


def test_cut_is_that_of_the_default_segmenter() -> None:
    s = seg.load()
    assert list(jieba.cut(TEXT)) == jieba.lcut(TEXT) == s.cut(TEXT)
    assert jieba.lcut(TEXT, HMM=False) == seg.load(decoder="unigram").cut(TEXT)
    assert jieba.lcut(TEXT.encode()) == jieba.lcut(TEXT.encode("gbk")) == s.cut(TEXT)
    assert next(jieba.cut(TEXT)) == "小明"  # an iterator, as in jieba


@given(worlds.texts | worlds.any_text)
def test_nothing_is_lost(text: str) -> None:
    assert "".join(jieba.cut(text)) == text
    assert "".join(jieba.cut(text, HMM=False)) == text
    tokens = list(jieba.tokenize(text))
    assert all(text[a:b] == word for word, a, b in tokens)
    searched = list(jieba.tokenize(text, mode="search"))
    assert all(text[a:b] == word for word, a, b in searched)
    assert [word for word, _, _ in searched] == jieba.lcut_for_search(text)
    # every coarse token is among the finer ones
    assert set(tokens) <= set(searched)
    full = jieba.lcut(text, cut_all=True)
    assert {word for word, _, _ in tokens if len(word) > 1} <= set(full)
    assert set("".join(full)) == set(text)


def test_full_mode_gives_every_word() -> None:
    got = jieba.lcut("我来到北京清华大学", cut_all=True)
    assert got == ["我", "来到", "北京", "清华", "清华大学", "华大", "大学"]


def test_search_mode_puts_the_inner_words_first() -> None:
    got = jieba.lcut_for_search(TEXT)
    offset = got.index("计算所")
    assert got[offset - 1] == "计算"
    assert list(jieba.tokenize("有限公司", mode="search")) == [
        ("有限", 0, 2), ("公司", 2, 4), ("有限公司", 0, 4),
    ]  # fmt: skip


def test_parallel_mode_cuts_alike() -> None:
    text = "他说的确实在理\n小明在北京\r\n\u2028第三\x0b行\r第四" * 50
    expected = jieba.lcut(text)
    jieba.enable_parallel(2)
    try:
        assert jieba.lcut(text) == list(jieba.cut(text)) == expected
        assert jieba.lcut(text, HMM=False) == seg.load(decoder="unigram").cut(text)
    finally:
        jieba.disable_parallel()
    assert jieba.lcut(text) == expected
    for bad in (0, "2", 300):
        with pytest.raises(ArgumentError, match="processnum"):
            jieba.enable_parallel(bad)  # type: ignore[arg-type]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="sentence"):
        jieba.cut(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unicode_sentence"):
        jieba.tokenize(b"x")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="mode: 'other'"):
        jieba.tokenize("x", mode="other")
    with pytest.raises(EncodingError, match="neither UTF-8 nor GBK"):
        jieba.cut(b"\xff\xff\xff")


# --- words -------------------------------------------------------------------------------------


def test_words_take_effect_whatever_is_in_them(t: jieba.Tokenizer) -> None:
    for word in ("石墨烯膜", "iPhone 15", "C++", "[捂脸]", "迈克尔·乔丹"):
        t.add_word(word, 1, "nz")
        assert word in t.lcut(f"我买{word}了")
        assert word in t.lcut(f"我买{word}了", HMM=False)
        assert word in t.FREQ
    assert t.user_word_tag_tab["C++"] == "nz"
    t.del_word("C++")
    assert "C++" not in t.user_word_tag_tab  # whole all the same, by the rule for codes
    t.del_word("[捂脸]")
    assert "[捂脸]" not in t.lcut("我买[捂脸]了")
    t.del_word("北京")
    assert "北京" not in t.lcut("在北京")
    t.add_word("北京")
    assert "北京" in t.lcut("在北京")


def test_tokenizers_are_apart(t: jieba.Tokenizer) -> None:
    second = jieba.Tokenizer()
    before = jieba.lcut("在北京")
    t.del_word("北京")
    assert "北京" not in t.lcut("在北京")
    assert "北京" in second.lcut("在北京")
    assert jieba.lcut("在北京") == before
    assert "北京" in seg.cut("在北京")


def test_suggest_freq_makes_words_whole_or_apart(t: jieba.Tokenizer) -> None:
    text = "如果放到post中将出错。"
    assert "中将" in t.lcut(text, HMM=False)
    low = t.suggest_freq(("中", "将"), True)
    assert low < (jieba.Tokenizer().FREQ.get("中将") or 0)
    for hmm in (True, False):
        words = t.lcut(text, HMM=hmm)
        assert "中将" not in words
        assert words[words.index("中") + 1] == "将"
    assert t.suggest_freq("台中中") > 0
    assert "台中中" not in t.lcut("台中中好", HMM=False)
    t.suggest_freq("台中中", True)
    assert "台中中" in t.lcut("台中中好", HMM=False)


def test_load_userdict_takes_every_kind_of_line_and_source(
    t: jieba.Tokenizer, tmp_path: Path
) -> None:
    text = "云计算 5\n李小福 2 nr\n创新办 3 i\neasy_install 3 eng\nEdu Trust认证 2000\n北京 0\n"
    path = tmp_path / "userdict.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    for source in (str(path), io.BytesIO(text.encode())):
        t = jieba.Tokenizer()
        t.load_userdict(source)
        assert t.lcut("李小福是创新办主任也是云计算方面的专家")[:3] == ["李小福", "是", "创新办"]
        assert "Edu Trust认证" in t.lcut("Edu Trust认证很好")
        assert "北京" not in t.lcut("在北京")
        assert t.user_word_tag_tab["创新办"] == "i"


def test_another_dictionary_takes_the_place_of_the_first(tmp_path: Path) -> None:
    small = tmp_path / "small.txt"
    small.write_text("云计算 10 n\n方面 5 n\n的 100 uj\n专家 5 n\n", "utf-8")
    t = jieba.Tokenizer(str(small))
    assert t.lcut("云计算方面的专家") == ["云计算", "方面", "的", "专家"]
    assert t.lcut("北京专家", HMM=False) == ["北", "京", "专家"]
    assert (t.FREQ.get("云计算"), t.FREQ.get("北京")) == (10, None)
    t.add_word("北京")
    big = tmp_path / "big.txt"
    big.write_text("云 1 n\n计算 100 n\n", "utf-8")
    t.set_dictionary(big)
    assert t.lcut("云计算在北京", HMM=False) == ["云", "计算", "在", "北京"]
    with pytest.raises(ResourceError, match="there is no file"):
        t.set_dictionary(tmp_path / "none.txt")
    broken = tmp_path / "broken.txt"
    broken.write_text("云 1 n\n\ufffd 3 n\n", "utf-8")
    with pytest.raises(DictionaryError, match=r"broken\.txt.*2"):
        jieba.Tokenizer(broken).initialize()


def test_counts_and_dag(t: jieba.Tokenizer) -> None:
    assert t.FREQ["的"] > t.FREQ["北京"] > 0
    assert jieba.get_FREQ("的") == t.FREQ["的"]
    assert jieba.get_FREQ("没有这个词", 7) == 7
    with pytest.raises(KeyError):
        t.FREQ["没有这个词"]
    assert t.total > t.FREQ["的"]
    assert t.get_DAG("去北京玩") == {0: [0], 1: [1, 2], 2: [2], 3: [3]}


def test_threads_change_and_cut_at_once(t: jieba.Tokenizer) -> None:
    t.initialize()
    wrong: list[str] = []

    def cutting() -> None:
        wrong.extend(got for _ in range(200) if (got := "".join(t.cut(TEXT))) != TEXT)

    def adding(k: int) -> None:
        for i in range(20):
            t.add_word(f"新词{k}号{i}")

    threads = [threading.Thread(target=cutting) for _ in range(2)]
    threads += [threading.Thread(target=adding, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert all(f"新词{k}号{i}" in t.FREQ for k in range(2) for i in range(20))


# --- posseg ------------------------------------------------------------------------------------


def test_posseg_tags_words_as_jieba_names_them() -> None:
    got = posseg.lcut("我爱北京天安门，的。")
    assert [tuple(p) for p in got][:4] == [
        ("我", "r"), ("爱", "v"), ("北京", "ns"), ("天安门", "ns"),
    ]  # fmt: skip
    assert got[4].flag == "x"
    assert str(got[0]) == "我/r"
    assert got[0] == posseg.pair("我", "r") != posseg.pair("我", "n")
    assert len({*got, *got}) == len(set(got))
    assert [p.word for p in posseg.cut(TEXT)] == jieba.lcut(TEXT)
    assert [p.word for p in posseg.cut(TEXT, HMM=False)] == jieba.lcut(TEXT, HMM=False)
    assert [p.flag for p in posseg.cut("看了书")][1] == "ul"
    for word, flag in posseg.cut("学习Python3很难"):
        assert (flag == "eng") == (word == "Python3")


def test_pairs_are_made_as_the_class_makes_them() -> None:
    """The kernel writes the slots of each by itself: the same words and flags, objects that the
    caller may change, and nothing that outlives them."""
    text = TEXT + "的地得，过了。Ｐｙｔｈｏｎ 3.14着"
    tagged = jieba.dt.segmenter.tag(text)
    got = posseg.lcut(text)
    assert got == [posseg.pair(word, posseg.to_jieba(word, tag)) for word, tag in tagged]
    pairs = [(word, tag) for word in "的地得，过了着所" for tag in [*MEANING, "own"]]
    objects = _tokens.flagged_words(pairs, posseg.pair, posseg._FLAGS)
    assert objects == [posseg.pair(word, posseg.to_jieba(word, tag)) for word, tag in pairs]
    got[0].word, got[0].flag = "它", "r"
    assert (tuple(got[0]), got[0].encode("utf-8")) == (("它", "r"), "它/r".encode())
    assert posseg.lcut(text)[0].word == tagged[0][0]
    word, flag = "".join(["一个没有的词", "!"]), "".join(["没有的", "标记"])
    counts = sys.getrefcount(word), sys.getrefcount(flag)
    objects = _tokens.flagged_words(
        [(word, flag), (word, "u")] * 9, posseg.pair, {"u": {"的": "uj"}}
    )
    assert [tuple(p) for p in objects] == [(word, flag), (word, "u")] * 9
    assert sys.getrefcount(word) > counts[0]
    del objects
    assert (sys.getrefcount(word), sys.getrefcount(flag)) == counts
    for wrong in (object, str, type("Loose", (), {"word": "", "flag": ""})):
        with pytest.raises((TypeError, AttributeError)):
            _tokens.flagged_words([("a", "b")], wrong, {})


def test_posseg_of_a_tokenizer(t: jieba.Tokenizer) -> None:
    t.add_word("云计算", tag="zz")
    tokenizer = posseg.POSTokenizer(t)
    assert posseg.pair("云计算", "zz") in tokenizer.lcut("学云计算")
    assert posseg.pair("云计算", "zz") not in posseg.lcut("学云计算")


def test_tags_go_both_ways() -> None:
    for tag in MEANING:
        if tag not in ("w", "x"):
            assert posseg.from_jieba(posseg.to_jieba("词", tag)) == tag
    assert {posseg.to_jieba("，", "w"), posseg.to_jieba(" ", "x")} == {"x"}


# --- analyse -----------------------------------------------------------------------------------

ARTICLE = (
    "人工智能正在改变医疗。医院用人工智能读片，医生用人工智能写病历。北京的医院最早引进人工智能，"
    "上海的医院随后跟进。医生认为，人工智能不会取代医生。"
)


def test_extract_tags_ranks_the_words_of_an_article() -> None:
    got = analyse.extract_tags(ARTICLE, topK=3)
    assert got[0] == "人工智能"
    weighted = analyse.extract_tags(ARTICLE, topK=3, withWeight=True)
    assert [w for w, _ in weighted] == got
    assert set(analyse.extract_tags(ARTICLE, allowPOS=("ns",))) == {"北京", "上海"}
    flagged = analyse.extract_tags(ARTICLE, allowPOS=("ns",), withFlag=True, withWeight=True)
    assert {(p.word, p.flag) for p, _ in flagged} == {("北京", "ns"), ("上海", "ns")}
    assert len(analyse.extract_tags(ARTICLE, topK=None)) > 10
    ranked = analyse.textrank(ARTICLE, topK=3, withWeight=True)
    assert "医院" in dict(ranked)
    assert ranked[0][1] == 1.0
    assert analyse.textrank(ARTICLE, allowPOS=("n",), withFlag=True)[0].flag == "n"
    assert analyse.textrank("北京", allowPOS=("ns",)) == []  # nothing stands beside it


def test_own_stop_words_and_values(tmp_path: Path) -> None:
    stop = tmp_path / "stop.txt"
    stop.write_text("人工智能\n医院\n", "utf-8")
    mine = analyse.TFIDF()
    mine.set_stop_words(stop)
    assert not {"人工智能", "医院"} & set(mine.extract_tags(ARTICLE))
    assert "人工智能" in analyse.extract_tags(ARTICLE)
    values = tmp_path / "idf.txt"
    values.write_text("北京 14.5\n医院 1.5\n医生 2.5\n", "utf-8")
    theirs = analyse.TFIDF(values)
    assert theirs.extract_tags("北京医院", withWeight=True)[0] == (
        "北京", pytest.approx(14.5 / 2, abs=1e-3),
    )  # fmt: skip
    values.write_text("北京 14.5\n医院\n", "utf-8")
    with pytest.raises(DictionaryError, match=r"idf\.txt.*2"):
        analyse.TFIDF(values)
    with pytest.raises(ResourceError, match="idf_path"):
        analyse.TFIDF(tmp_path / "none.txt")


# --- the interface itself ----------------------------------------------------------------------


def test_install_takes_the_name() -> None:
    code = (
        "import segmenter.compat.jieba as ours; ours.install()\n"
        "import jieba, jieba.posseg as pseg, jieba.analyse\n"
        "from jieba import analyse, posseg, Tokenizer\n"
        "from jieba.analyse import extract_tags\n"
        "assert jieba is ours and pseg is ours.posseg and jieba.analyse is ours.analyse\n"
        "print(' '.join(jieba.cut('在北京')), [str(p) for p in pseg.cut('在北京')])"
    )
    got = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT, check=True
    )
    assert got.stdout == "在 北京 ['在/p', '北京/ns']\n"
    assert got.stderr == ""


def test_install_refuses_to_mix() -> None:
    code = (
        "import sys, types; sys.modules['jieba'] = types.ModuleType('jieba')\n"
        "import segmenter.compat.jieba as ours; ours.install()"
    )
    got = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    assert "imported already" in got.stderr


def test_signatures_are_those_of_jieba() -> None:
    real = pytest.importorskip("jieba", reason="the package jieba is not installed")
    import jieba.analyse as real_analyse
    import jieba.posseg as real_posseg

    def names(call: object) -> list[str]:
        return list(inspect.signature(call).parameters)  # type: ignore[arg-type]

    for name in (
        "cut", "cut_for_search", "tokenize", "load_userdict", "add_word", "del_word",
        "suggest_freq", "initialize", "set_dictionary", "get_DAG", "enable_parallel",
    ):  # fmt: skip
        assert names(getattr(jieba, name)) == names(getattr(real, name)), name
    for name in ("cut", "lcut"):
        assert names(getattr(posseg, name)) == names(getattr(real_posseg, name))
    for name in ("extract_tags", "textrank", "set_stop_words", "set_idf_path"):
        assert names(getattr(analyse, name)) == names(getattr(real_analyse, name)), name
    for name in ("get_FREQ", "lcut", "lcut_for_search", "disable_parallel", "dt", "Tokenizer"):
        assert hasattr(real, name)
        assert hasattr(jieba, name)
