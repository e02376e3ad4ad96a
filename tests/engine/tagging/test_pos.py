"""Part-of-speech tags: the shipped model against the reference, and as Segmenters use it."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given
from reference.pos import model_of

import segmenter as seg
from segmenter.choices import DECODERS, PRESETS
from segmenter.errors import (
    ArgumentError,
    ResourceError,
)
from segmenter.tagging import pos

if TYPE_CHECKING:
    from segmenter import Segmenter


@pytest.fixture(scope="module")
def shipped_tagger() -> pos.PosTagger:
    try:
        return pos.load()
    except ResourceError:
        pytest.skip("models/pos.model is not built here")


@pytest.fixture(scope="module")
def s(shipped_tagger: pos.PosTagger) -> Segmenter:
    return seg.load("fast")


def test_traditional_text_has_the_tags_of_simplified(s: Segmenter) -> None:
    for plain, traditional in (
        ("台中正确应该不会被切开", "台中正確應該不會被切開"),
        ("经济的发展需要时间", "經濟的發展需要時間"),
        ("他们在台湾大学图书馆看书", "他們在臺灣大學圖書館看書"),
    ):
        got = s.tag(traditional)
        assert "".join(word for word, _ in got) == traditional
        assert [tag for _, tag in got] == [tag for _, tag in s.tag(plain)]


def test_shipped_model_equals_reference(shipped_tagger: pos.PosTagger) -> None:
    reference = model_of(shipped_tagger)
    cut = seg.load("fast").cut
    for text in (
        "他说的确实在理", "2026年3月，中国科学院的张小明教授在北京研究人工智能。",
        "买iPhone 15花了1.5亿元！",
        "王　小明\n去上海\r\n👍", worlds.random_text(7, 400),
    ):  # fmt: skip
        assert shipped_tagger.tags(cut(text)) == reference.tags(cut(text))


# --- promises ----------------------------------------------------------------------------------


@given(worlds.texts | worlds.any_text)
def test_boundaries_are_those_of_cut(text: str) -> None:
    tagger = seg.load("fast")
    try:
        got = tagger.tag(text)
    except ResourceError:
        pytest.skip("models/pos.model is not built here")
    assert [word for word, _ in got] == tagger.cut(text)
    assert {tag for _, tag in got} <= set(pos.MEANING)
    assert tagger.tokenize(text, pos=True).tags == [tag for _, tag in got]
    assert tagger.tokenize(text, pos=True).spans == tagger.tokenize(text).spans


@pytest.mark.parametrize("name", [*PRESETS])
@pytest.mark.parametrize("standard", ["general", "pku"])
def test_every_preset(name: str, standard: str, shipped_tagger: pos.PosTagger) -> None:
    try:
        s = seg.load(name, standard=standard)
    except ResourceError:
        pytest.skip("a model is not built here")
    text = "江泽民主席在北京会见了外国客人。"
    got = s.tag(text)
    assert [w for w, _ in got] == s.cut(text)
    assert got[0][1] == "nr"
    assert ("北京", "ns") in got
    assert got[-1] == ("。", "w")
    if standard == "general":
        assert got[0] == ("江泽民", "nr")


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder(decoder: str, shipped_tagger: pos.PosTagger) -> None:
    try:
        s = seg.load("fast", decoder=decoder)
    except ResourceError:
        pytest.skip("a model is not built here")
    assert s.tag("他说的确实在理")[0] == ("他", "r")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"decoder": "unigram"},
        {"decoder": "unigram", "skip": ("space", "punct")},
        {"decoder": "unigram", "matcher": "aho-corasick"},
        {"decoder": "bigram", "user": ["的确实", ("在", "force")]},
        {"atoms": {"url": "keep"}},
    ],
)
def test_tags_of_a_text_are_those_of_its_words(
    options: dict[str, object], shipped_tagger: pos.PosTagger
) -> None:
    """Also when words are known from texts before, and for texts of every width."""
    s = seg.load("fast", **options)  # type: ignore[arg-type]
    texts = [
        "",
        "abc 1,234.5 def\n",
        "caf\xe9 \xe0 Paris",
        "他说的确实在理，研究生命的起源。見 https://例.cn/a 與 iPhone15，Ｂ座１２号",
        "犇骉魑魅\r\n发展中国家的发展",
        "發展經濟 \U00020000\U0001f44d 在在的的 \ud800 乾淨",
        "研究发展经济，" * 40,
    ]
    for _ in range(2):
        for text in texts:
            words = s.cut(text)
            assert s.tag(text) == list(zip(words, shipped_tagger.tags(words), strict=True)), text


def test_words_outside_the_trie_are_tagged_alike_known_or_not(
    shipped_tagger: pos.PosTagger,
) -> None:
    """What such a word says by itself is kept for 32,768 of them."""
    names = [
        a + b + c for a in "赵钱孙李周吴郑王" for b in map(chr, range(0x4E00, 0x5F00)) for c in "煊"
    ]
    lines = [["记者", name, "在", "北京", "报道", "\n"] for name in names[::4]]
    fresh = pos.PosTagger.from_bytes(shipped_tagger.to_bytes(), "fresh")
    first = [fresh.tags(line) for line in lines]
    for start in range(0, len(names), 8192):
        fresh.tags(names[start : start + 8192])
    unknown = [name[::-1] for name in names[::64]]  # beyond those that are kept
    tagger = pos.PosTagger.from_bytes(shipped_tagger.to_bytes(), "other")
    assert [fresh.tags([name, "说"]) for name in unknown] == [
        tagger.tags([name, "说"]) for name in unknown
    ]
    assert [fresh.tags(line) for line in lines] == first


def test_pairs_are_shared_and_untouched(s: Segmenter) -> None:
    first, second = s.tag("促进经济的发展"), s.tag("促进经济的发展")
    assert first == second
    assert all(a is b for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("term", ["机器学习", "操作系统", "社交媒体", "搜索引擎"])
def test_a_term_is_a_noun(s: Segmenter, term: str) -> None:
    """The newspaper of 1998 has none of them, but many phrases (l) of four characters."""
    assert (term, "n") in s.tag(f"他研究{term}。")


def test_lines_are_tagged_alike_together_and_alone(s: Segmenter) -> None:
    lines = ["他在研究历史", "研究历史很难", "  2026年  ", "", "计划发展经济"]
    together = [tag for word, tag in s.tag("\n".join(lines)) if "\n" not in word]
    assert together == [tag for line in lines for _, tag in s.tag(line)]


def test_blanks_are_nobodys_neighbour(shipped_tagger: pos.PosTagger) -> None:
    tags = dict.fromkeys(["他", "在", "研究", "历史"])
    plain = shipped_tagger.tags(list(tags))
    spaced = shipped_tagger.tags(["他", " ", "在", "\u3000", "研究", "\t", "历史"])
    assert spaced[::2] == plain
    assert set(spaced[1::2]) == {"x"}


def test_the_users_tag_wins(s: Segmenter) -> None:
    mine = s.with_words([("研究", "prefer", "zz"), "云南白药", ("提|出", "split", "v")])
    got = mine.tag("他研究云南白药")
    assert got[1] == ("研究", "zz")
    assert dict(got)["云南白药"] in pos.MEANING  # without a tag of its own: by context
    assert mine.tokenize("他研究云南白药", pos=True).tags == [t for _, t in got]
    # parts of a split word are words like others
    assert [t for w, t in mine.tag("他提出问题") if w in "提出"] != ["v", "v", "zz"]
    assert mine.user.tagged
    assert not s.with_words(["云南白药"]).user.tagged


def test_the_users_tag_is_context(s: Segmenter) -> None:
    # a word after a numeral is another than after an adverb
    as_number = s.with_words([("呜啦", "prefer", "m")]).tag("呜啦个人")
    as_adverb = s.with_words([("呜啦", "prefer", "d")]).tag("呜啦个人")
    assert as_number[0] == ("呜啦", "m")
    assert as_adverb[0] == ("呜啦", "d")


def test_threads_and_pickles(s: Segmenter, shipped_tagger: pos.PosTagger) -> None:
    text = "他说的确实在理，中国科学院的教授在北京研究人工智能。" * 5
    expected = s.tag(text)
    with ThreadPoolExecutor(4) as pool:
        assert all(got == expected for got in pool.map(s.tag, [text] * 40))
    restored = pickle.loads(pickle.dumps(shipped_tagger))
    assert restored.tags(["他", "研究", "历史"]) == shipped_tagger.tags(["他", "研究", "历史"])
    assert pickle.loads(pickle.dumps(s)).tag(text) == expected


def test_threads_with_taggers_of_their_own(shipped_tagger: pos.PosTagger) -> None:
    """As the first calls of several threads may have, each of which opens the tagger."""
    taggers = [shipped_tagger.native, pickle.loads(pickle.dumps(shipped_tagger)).native]
    pieces = (
        "他说的确实在理，",
        "研究生命起源。",
        "促进经济的发展，",
        "努力发展经济。",
        "中华人民共和国成立",
    )
    # long, so that other threads run meanwhile, and words in another order in each
    texts = [pieces[k] * 3000 + "".join(pieces) * 200 for k in range(4)]
    expected = [seg.load("fast").tag(text) for text in texts]
    for _ in range(10):
        engine = seg.load("fast")._engine
        with ThreadPoolExecutor(4) as pool:
            results = pool.map(engine.tag, texts, taggers * 2)
            assert list(results) == expected


def test_wrong_types_name_the_argument(shipped_tagger: pos.PosTagger, s: Segmenter) -> None:
    with pytest.raises(TypeError, match="words"):
        shipped_tagger.tags("他说")
    with pytest.raises(TypeError, match="words: item 1"):
        shipped_tagger.tags(["他", 3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="given"):
        shipped_tagger.tags(["他"], [])
    with pytest.raises(TypeError, match="text"):
        s.tag(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="pos"):
        s.tokenize("他", mode="search", pos=True)


# --- the file ----------------------------------------------------------------------------------


def test_the_shipped_model_is_small_and_says_what_it_is(shipped_tagger: pos.PosTagger) -> None:
    assert shipped_tagger.artifact.size <= 3_300_000
    assert list(shipped_tagger.meta["tags"]) == list(pos.MEANING)
