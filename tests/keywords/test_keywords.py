"""Keywords: TF-IDF and TextRank against sums done by hand, the table, the shipped list."""

from __future__ import annotations

import pickle
import random
from math import log
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from reference import textrank

import segmenter
from segmenter import Segmenter, keywords
from segmenter.errors import ArgumentError, ArtifactError, ResourceError
from segmenter.keywords import Idf, StopWords, TextRank, TfIdf, count_words, extract_tags, ranking
from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["机器", "学习", "数据", "模型", "需要", "很多", "研究", "语言", "iphone"]


@pytest.fixture(scope="module")
def s() -> Segmenter:
    return Segmenter(Lexicon.build([(w, 9, "n") for w in WORDS]))


@pytest.fixture(scope="module")
def idf() -> Idf:
    documents = [["机器", "学习", "需要"], ["机器", "数据"], ["需要", "很多"], ["需要", "机器"]]
    return Idf.count(documents, stop_words=["很多", "Need"])


@pytest.fixture(scope="module")
def shipped() -> Idf:
    try:
        return keywords.load_idf()
    except ResourceError:
        pytest.skip("models/idf.lex is not built here")


def test_equal_tables_have_equal_bytes(tmp_path: Path) -> None:
    rng = random.Random(3)

    def word() -> str:
        return "".join(
            chr(0x4E00 + int(300 * rng.random() ** 3)) for _ in range(rng.randrange(1, 5))
        )

    documents = [[word() for _ in range(30)] for _ in range(300)]
    for name in ("one", "other"):
        Idf.count(documents, least=1, stop_words=["的", "了"]).save(tmp_path / name)
        documents.reverse()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_idf_counts_documents_not_words(idf: Idf) -> None:
    recounted = Idf.count([["机器", "机器"], ["机器"]])
    assert (recounted.documents, recounted.frequency("机器")) == (2, 2.0)
    assert idf.idf("机器") == pytest.approx(log(4 / 3), abs=1e-3)
    assert idf.idf("数据") == pytest.approx(log(4), abs=1e-3)
    # not listed: half of the one document that would list it
    assert idf.idf("火星") == pytest.approx(log(8), abs=1e-9)
    assert idf.stop_words == {"很多", "need"}


def test_tfidf_by_hand(s: Segmenter, idf: Idf) -> None:
    got = TfIdf(s, idf=idf).extract("机器学习需要数据，机器需要很多很多模型。")
    # seven words that count: 机器 2, 学习 1, 需要 2, 数据 1, 模型 1
    expected = {
        "机器": 2 / 7 * log(4 / 3), "学习": log(4) / 7, "需要": 2 / 7 * log(4 / 3),
        "数据": log(4) / 7, "模型": log(8) / 7,
    }  # fmt: skip
    assert dict(got) == {w: pytest.approx(v, abs=1e-3) for w, v in expected.items()}
    assert [w for w, _ in got] == ["模型", "学习", "数据", "机器", "需要"]  # equals: as in the text


def test_textrank_is_the_fixed_point(s: Segmenter, idf: Idf) -> None:
    text = "机器学习研究模型，语言模型需要数据，机器需要数据，模型学习语言"
    ranker = TextRank(s, idf=idf, allow=(), span=3)
    got = dict(ranker.extract(text, None))
    words = s.cut(text)
    weight: dict[tuple[str, str], int] = {}
    for i, a in enumerate(words):
        for b in words[i + 1 : i + 3]:
            if a != b and "，" not in (a, b):
                weight[a, b] = weight.get((a, b), 0) + 1
                weight[b, a] = weight.get((b, a), 0) + 1
    total = {a: sum(n for (x, _), n in weight.items() if x == a) for a in got}
    for a in got:
        share = sum(got[b] * n / total[b] for (b, c), n in weight.items() if c == a)
        # ranks are scaled so that the best is 1: the constant is scaled alike
        scale = _scale(got, weight, total)
        assert got[a] == pytest.approx(0.15 * scale + 0.85 * share, abs=2e-3)
    assert max(got.values()) == 1.0


@given(
    words=st.lists(
        st.sampled_from([None, None, "", "a", "b", "c", "d", "e", "f", "g"]), max_size=60
    ),
    span=st.integers(2, 6),
    damping=st.sampled_from([0.5, 0.85, 0.99]),
)
def test_ranks_are_those_of_the_reference(
    words: list[str | None], span: int, damping: float
) -> None:
    """To the last bit, and in the same order: equal ranks stay in the order of the text."""
    got = ranking.ranks(words, span, damping)
    assert list(got.items()) == list(textrank.ranks(words, span, damping).items())


def _scale(
    got: dict[str, float], weight: dict[tuple[str, str], int], total: dict[str, int]
) -> float:
    """Unscaled ranks add up to the number of words."""
    return sum(got.values()) / len(got)


def test_what_is_no_keyword(s: Segmenter, idf: Idf) -> None:
    keywords_found = {
        w for w, _ in TfIdf(s, idf=idf).extract("很多，的 12 3.14 2026年 iPhone\n机器", None)
    }
    assert keywords_found == {"iPhone", "机器"}
    assert TfIdf(s, idf=idf).extract("") == []
    assert TextRank(s, idf=idf, allow=()).extract("的") == []
    keywords_left = {
        w for w, _ in TfIdf(s, idf=idf, stop_words=["IPHONE"]).extract("iPhone很多机器", None)
    }
    assert keywords_left == {"很多", "机器"}
    single = TfIdf(s, idf=idf, least=1).extract("猫", None)
    assert [w for w, _ in single] == ["猫"]


def test_tags_choose_the_words(shipped: Idf) -> None:
    text = "小明在北京研究人工智能，北京的研究很快。"
    try:
        places = keywords.extract_tags(text, allow=["ns"])
    except ResourceError:
        pytest.skip("a model is not built here")
    assert places == ["北京"]


def test_values_of_others() -> None:
    idf = Idf.from_values({"猫": 11.7, "狗": 6.25, "的": 0.0})
    assert idf.idf("猫") == pytest.approx(11.7, abs=1e-3)
    assert idf.idf("的") == pytest.approx(0.0, abs=1e-3)
    assert idf.idf("鱼") == pytest.approx(6.25, abs=1e-3)
    with pytest.raises(ArgumentError, match="'猫' is not from 0 to 16"):
        Idf.from_values({"猫": 17.0})
    with pytest.raises(ArgumentError, match="values: empty"):
        Idf.from_values({})


def test_a_table_is_a_file(idf: Idf, tmp_path: Path) -> None:
    path = tmp_path / "own.lex"
    idf.save(path)
    reloaded = keywords.load_idf(path)
    assert reloaded.stop_words == idf.stop_words
    assert [reloaded.idf(w) for w in WORDS] == [idf.idf(w) for w in WORDS]
    Lexicon.build([("猫", 1, "n")]).save(path)
    with pytest.raises(ArgumentError, match="is not a table of document frequencies"):
        keywords.load_idf(path)
    path.write_bytes(b"nothing")
    with pytest.raises(ArtifactError):
        keywords.load_idf(path)


def test_arguments(s: Segmenter, idf: Idf) -> None:
    for bad in (0, -1, 2.5, "3", True):
        with pytest.raises((ArgumentError, TypeError), match="top"):
            TfIdf(s, idf=idf).extract("机器", bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text"):
        TfIdf(s, idf=idf).extract(b"x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"segmenter must be a Segmenter, .*, not str"):
        TfIdf("fast")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="stop_words"):
        TfIdf(s, stop_words="的")
    with pytest.raises(ArgumentError, match="span"):
        TextRank(s, span=1)
    with pytest.raises(ArgumentError, match="damping"):
        TextRank(s, damping=1.0)
    with pytest.raises(ArgumentError, match="least"):
        TfIdf(s, least=0)
    with pytest.raises(ArgumentError, match="method: 'bm25' is not one of tfidf, textrank"):
        keywords.extract_tags("机器", method="bm25", segmenter=s)
    with pytest.raises(ArgumentError, match="documents"):
        Idf.count([])


@given(worlds.texts | worlds.any_text)
def test_keywords_are_words_of_any_text(text: str) -> None:
    tokenizer = Segmenter(worlds.lexicon()) if not _cached else _cached[0]
    _cached[:] = [tokenizer]
    table = Idf.count([["的", "人"], ["人"]])
    for method in (TfIdf(tokenizer, idf=table), TextRank(tokenizer, idf=table, allow=())):
        keywords_found = method.extract(text, None)
        assert len(dict(keywords_found)) == len(keywords_found)
        assert all(word in tokenizer.cut(text) for word, _ in keywords_found)
        values = [weight for _, weight in keywords_found]
        assert values == sorted(values, reverse=True)
        assert method.extract(text, 2) == keywords_found[:2]


_cached: list[Segmenter] = []


def test_the_shipped_table(shipped: Idf) -> None:
    assert shipped.documents > 10_000
    assert len(shipped.lexicon) > 30_000
    assert {"我们", "因为", "the"} <= shipped.stop_words
    assert shipped.idf("的") < shipped.idf("经济") < shipped.idf("恐龙")
    text = (
        "量子计算机利用量子叠加和量子纠缠处理信息。与经典计算机不同，量子计算机的基本单位是"
        "量子比特。科学家认为量子计算机将改变密码学。"
    )
    got = keywords.extract_tags(text, 5)
    assert "计算机" in "".join(map(str, got))
    assert not set(got) & {"认为", "不同", "基本"}
    weighted = keywords.extract_tags(text, 5, weights=True)
    assert [w for w, _ in weighted] == got
    assert set(keywords.extract_tags(text, 5, method="textrank")) & set(got)


def test_a_batch_gives_what_each_text_gives(s: Segmenter, idf: Idf) -> None:
    texts = ["机器学习需要数据", "", "很多模型", "研究语言，研究语言 iphone", "机器"] * 300
    for extractor in (
        TfIdf(s, idf=idf),
        TextRank(s, idf=idf, allow=()),
        TfIdf(s, idf=idf, allow="n"),
    ):
        batch = [extractor.extract(text, 3) for text in texts[:5]] * 300
        for threads in (1, 2):
            assert list(extractor.extract_batch(iter(texts), 3, threads=threads)) == batch
    assert keywords.extract_tags_batch(texts[:2], 1, segmenter=s)[1] == []


def test_what_is_remembered_of_words_changes_nothing(s: Segmenter, idf: Idf) -> None:
    """Whether a word is a keyword depends on the stop words and on the least length."""
    text = "机器学习需要很多数据模型"
    plain = TfIdf(s, idf=idf)
    assert plain.extract(text) == plain.extract(text)
    stopped = [word for word, _ in TfIdf(s, idf=idf, stop_words=["机器"]).extract(text)]
    assert "机器" not in stopped
    assert "很多" in stopped
    assert "很多" not in [word for word, _ in plain.extract(text)]
    assert TfIdf(s, idf=idf, least=3).extract(text) == []


def test_faults_of_a_batch_are_named() -> None:
    with pytest.raises(TypeError, match="texts"):
        TfIdf().extract_batch("文本")
    with pytest.raises(TypeError, match="item 1"):
        list(TfIdf().extract_batch(["文本", 3]))  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="threads"):
        TfIdf().extract_batch([], threads=0)
    with pytest.raises(ArgumentError, match="method"):
        keywords.extract_tags_batch([], method="none")


def test_stop_words_are_dropped_in_either_script(tmp_path: Path) -> None:
    stop = StopWords()
    assert "我们" in stop
    assert "我們" in stop
    assert "THE" in stop
    assert "图书馆" not in stop
    s = segmenter.load("fast")
    assert stop.drop(s.cut("我們的圖書館")) == ["圖書館"]
    assert stop.drop(s.tag("我们的城市")) == [("城市", "n")]
    assert [t.start for t in stop.drop(s.tokenize("我们的城市"))] == [3]
    extended = stop.with_words(["圖書館"])
    assert "图书馆" in extended
    assert extended.without(["图书馆"]) == stop
    assert pickle.loads(pickle.dumps(extended)) == extended
    path = tmp_path / "stop.txt"
    path.write_text("# words of one kind\n城市 圖書館\n的\n", "utf-8")
    listed = StopWords.load(path)
    assert sorted(listed) == ["图书馆", "城市", "的"]
    with pytest.raises(TypeError, match="words"):
        StopWords("的")
    with pytest.raises(ArgumentError, match=r"StopWords\.load"):
        StopWords(path.read_text("utf-8").splitlines())
    with pytest.raises(ArgumentError, match=r"StopWords\.load"):
        extract_tags("城市", stop_words=["城市 圖書館"])
    with pytest.raises(TypeError, match="item"):
        stop.drop([1])
    path.write_text("# nothing\n", "utf-8")
    with pytest.raises(ArgumentError, match="no stop words"):
        StopWords.load(path)


def test_stop_words_of_keywords_in_both_scripts() -> None:
    assert "因為" not in extract_tags("因為圖書館在城市裡，因為城市很大，因為有圖書館", None)
    assert extract_tags("城市的图书馆", stop_words=["圖書館"]) == ["城市"]


def test_counted_words_are_words_and_no_signs() -> None:
    texts = ["我们的城市，我们的河。", "城市 的河 C++ 🙂", "3.5%"]
    counts = count_words(texts, segmenter=segmenter.load("fast"), threads=2)
    assert counts["城市"] == 2
    assert counts["的"] == 3
    assert counts["🙂"] == 1
    assert not {"，", "。", " ", "%"} & set(counts)
    tagged = count_words(texts, segmenter=segmenter.load("fast"), tags=True, stop_words=["的"])
    assert tagged["城市", "n"] == 2
    assert ("的", "u") not in tagged
    with pytest.raises(TypeError, match="texts"):
        count_words("我们")
    with pytest.raises(ArgumentError, match="threads"):
        count_words(texts, threads=0)
