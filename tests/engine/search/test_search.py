"""Search tokens: what an index and a query can rely on.

The tests named after complaint 2 (FINDINGS: index and query agree; every coarse token is in the
index output; nested tokens; positions usable for phrases) hold what jieba and rjieba get wrong.
"""

from __future__ import annotations

import random
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from cores import CORES, OPTIONS, Index, tokens_of
from hypothesis import given, settings
from hypothesis import strategies as st
from places import HAS_SUBWORD, SHARED
from reference.inner import edges_of

from segmenter import Segmenter, load, search
from segmenter.atoms import NAMES, Atoms
from segmenter.choices import PRESETS
from segmenter.lexicon.user import UserDictionary
from segmenter.search import SearchOptions

if TYPE_CHECKING:
    from segmenter.types import Token

DATA = SHARED / "data" / "sighan2005"


def paths(tokens: list[Token]) -> list[list[str]]:
    """Every way through the graph of a query, from its first position to its last."""
    end = max(t.position + t.position_length for t in tokens)
    paths_found: list[list[str]] = []
    todo: list[tuple[int, list[str]]] = [(tokens[0].position, [])]
    while todo and len(paths_found) < 200:
        node, words = todo.pop()
        if node == end:
            paths_found.append(words)
        todo += [(node + t.position_length, [*words, t.text]) for t in tokens if t.position == node]
    return paths_found


#: Real sentences, where taggers cut a part otherwise than the whole.
LINES = [
    "中华人民共和国成立五十周年前夕，他在北京大学研究生院说的确实在理。",
    "由於教育背景不同，對於不會發音的單字，他們常常搬家。",
    "2026年11月21日10:30，iPhone 15售价￥5,999.00元，重5kg，见https://a.cn/b?c=1。",
    "#双十一#@张三 谢谢，👨‍👩‍👧‍👦都很好，C++和C#、GB/T 2312，约占50%。",
    "Привет мир，カタカナとひらがな，한국어 e\u0301te\u0301  \r\n 第十二届三千五百人",
]


def has_all_whole_word_queries(s: Segmenter, text: str, sizes: int = 5) -> None:
    """Every query of up to so many neighbouring words of the text is found where it stands."""
    index = s.tokenize(text, mode="index")
    ends = [0, *accumulate(map(len, s.cut(text)))]
    for i, start in enumerate(ends):
        for end in ends[i + 1 : i + 1 + sizes]:
            query = s.tokenize(text[start:end], mode="query")
            assert (start, end) in search.find(index, query), (text, text[start:end])


# --- complaint 2 ---------------------------------------------------------------------------------


@settings(max_examples=60)
@given(text=worlds.texts, options=st.sampled_from(OPTIONS))
def test_complaint_2_every_coarse_token_is_in_the_index_output(
    any_decoder: Segmenter, text: str, options: SearchOptions | None
) -> None:
    coarse = any_decoder.tokenize(text)
    tokens = tokens_of(any_decoder, text, options)
    assert coarse.words == any_decoder.cut(text)
    assert set(coarse.spans) <= set(tokens.spans)
    assert len(set(tokens.spans)) == len(tokens)
    assert any_decoder.cut_for_search(text, options) == tokens.words
    by_span = {(t.start, t.end): t for t in tokens}
    for t in coarse:
        unit = by_span[t.start, t.end]
        assert unit._replace(position=0, position_length=1) == t._replace(position=0)


@settings(max_examples=60)
@given(text=worlds.texts | worlds.any_text | st.lists(st.sampled_from(LINES)).map("".join))
def test_complaint_2_a_text_has_every_query_of_its_whole_words(
    any_decoder: Segmenter, text: str
) -> None:
    has_all_whole_word_queries(any_decoder, text[:120], 3)


@pytest.mark.parametrize("preset", PRESETS)
def test_complaint_2_a_preset_s_index_has_every_query_of_whole_words(preset: str) -> None:
    s = load(preset)
    for text in LINES:
        has_all_whole_word_queries(s, text)
    path = DATA / "pku_test.utf8"
    if not path.exists():
        pytest.skip(f"no {path.name}: the bakeoff's data is not part of the project")
    lines = path.read_text("utf-8-sig").splitlines()
    for text in lines[:: len(lines) // (10 if preset == "accurate" else 30)]:
        has_all_whole_word_queries(s, text[:200])


@settings(max_examples=40)
@given(data=st.data())
def test_complaint_2_words_of_the_user_are_found_as_well(
    any_decoder: Segmenter, data: st.DataObject
) -> None:
    words = data.draw(st.lists(st.text("共和国人ab1 #@", min_size=1, max_size=4), max_size=4))
    extended = any_decoder.with_words(
        [(w, data.draw(st.sampled_from(["force", "prefer", 50]))) for w in words]
    )
    parts = st.sampled_from([*words, "人民", "国", "ab1", "， "])
    text = "".join(data.draw(st.lists(parts, max_size=9)))
    has_all_whole_word_queries(extended, text)


#: Options that let words begin or end inside a run of letters and digits.
CUTTING: list[dict[str, Any]] = [
    *([{"oov": "bpe"}, {"oov": "unigram"}, {"decoder": "unigram", "oov": "bpe"}] * HAS_SUBWORD),
    {"atoms": {"version": "split"}},
    {"atoms": {"code": "split"}},
    {"atoms": {"quantity": "split"}},
    {"atoms": {name: "split" for name in NAMES if name != "emoji"}},
    {"atoms": {"emoji": "model"}},
    {"atoms": Atoms.none()},
    {"user": [("12|3", "split"), ("a|x", "split"), ("e|\u0301", "split"), ("v2", "force")]},
    {"user": UserDictionary(["x", "a1", "00"], inside=True)},
]
HARD = [
    *"年的究人一%-+.:/'#@a1b2xyv \n·αβ\u0301\u200d",
    *("axyz", "v2.0", "123", "5kg", "t3", "12️⃣3", "🇨🇳", "👨\u200d👩\u200d👧", "👍🏽", "Привет"),
]


@pytest.mark.parametrize("options", CUTTING, ids=str)
def test_complaint_2_options_that_cut_runs_find_whole_words_as_well(
    options: dict[str, Any],
) -> None:
    segmenters = [load("fast", **options)]
    if "decoder" not in options:
        segmenters.append(load("balanced", **options))
    pick = random.Random(1)
    for s in segmenters:
        for _ in range(300):
            has_all_whole_word_queries(s, "".join(pick.choices(HARD, k=pick.randint(1, 8))), 4)


def test_complaint_2_a_part_of_a_run_that_is_cut_is_found() -> None:
    for options, text, query in (
        *([({"oov": "bpe"}, "年axyz", "ax"), ({"oov": "unigram"}, "年axyz", "xy")] * HAS_SUBWORD),
        ({"atoms": {"version": "split"}}, "v2.0+", "v2"),
        ({"atoms": {"date": "split"}}, "2026-11-21T10:30:00Z", "T10"),
        ({"atoms": {"number": "split"}}, "约1e5个", "e5"),
        ({"atoms": {"time": "split"}}, "今晚10:30pm见", "pm"),
        ({"user": [("123456", "prefer"), ("12|3456", "split")]}, "年123456", "3456"),
    ):
        for preset in ("fast", "balanced"):
            s = load(preset, **options)  # type: ignore[arg-type]
            index = s.tokenize(text, mode="index")
            offset = text.index(query)
            span = (offset, offset + len(query))
            assert search.find(index, s.tokenize(query, mode="query")) == [span], (s, query)


def test_units_are_of_the_text_alone() -> None:
    def spelt(text: str, **options: bool) -> list[str]:
        return [text[u.start : u.end] for u in search.units(text, **options)]

    assert spelt("AI为12️⃣3e\u0301te\u0301 \t\r\n\u0301Ａ１αβж") == [
        "AI", "为", "1", "2️⃣", "3e\u0301te\u0301", " \t", "\r", "\n", "\u0301", "Ａ１", "αβ", "ж",
    ]  # fmt: skip
    assert spelt("A1e\u0301αβ", split=True) == ["A", "1", "e\u0301", "αβ"]
    for segmenter in (load("fast"), load("fast", decoder="unigram"), load("balanced")):
        pick = random.Random(2)
        for _ in range(1000):
            text = "".join(pick.choices([c for c in HARD if c != "\u0301"], k=8))
            ends = {unit.end for unit in search.units(text)}
            assert ends.issuperset(accumulate(map(len, segmenter.cut(text)))), text


def test_which_options_cut_runs() -> None:
    plain = load("fast", user=["人民共和国", ("提|出", "split"), "iPhone 15"])
    assert not search.cuts_runs(plain)
    assert not search.cuts_runs(load("fast", user=UserDictionary(["共和"], inside=True)))
    assert not search.cuts_runs(load("fast", user=UserDictionary([("A|的", "split")])))
    assert search.cuts_runs(load("fast", user=UserDictionary(["phone"], inside=True)))
    assert search.cuts_runs(load("fast", user=[("Wi|Fi", "split")]))
    # letters are units of their own only where they must be
    assert plain.tokenize("abc", mode="index").words == ["abc"]
    if HAS_SUBWORD:
        letters = load("fast", oov="bpe").tokenize("abc", mode="index").words
        assert letters[-3:] == ["a", "b", "c"]


def test_which_rules_of_atoms_cut_runs() -> None:
    """Those whose tokens, where they are split, end inside a unit: as the rules themselves say."""
    pick = random.Random(42)
    parts = [
        *(
            "1",
            "23",
            "2026",
            "a",
            "pm",
            "e",
            "v",
            "kg",
            "T",
            "Z",
            "fe",
            "G",
            "Ａ",
            "５",
            "é",
            "com",
        ),
        *(".", ":", "-", "/", "@", "#", "'", "+", ",", "%", "万", "年", "三", "http://", "::"),
    ]
    lines = ["".join(pick.choices(parts, k=pick.randint(2, 9))) for _ in range(20_000)]
    lines += ["2026-11-21T10:30:00Z", "10:30pm", "1e5", "5kg", "v2.0rc1", "F-16A", "fe80::1a2b"]
    text = "\n".join(lines)
    units = {unit.end for unit in search.units(text)}
    for name in NAMES:
        if name == "emoji":  # is never split
            continue
        s = load("fast", atoms=dict.fromkeys(NAMES, "model") | {name: "split"})
        cuts = not units.issuperset(s.ends(text).tolist())
        assert search.cuts_runs(s) == cuts, name


def test_what_find_finds() -> None:
    s = CORES["unigram"]

    def find(text: str, query: str, **options: Any) -> list[tuple[int, int]]:
        chosen = SearchOptions(**options)
        return search.find(
            s.tokenize(text, mode="index", options=chosen),
            s.tokenize(query, mode="query", options=chosen),
        )

    assert find("共和国人民共和国", "共和国") == [(0, 3), (5, 8)]
    assert find("共和国人民", "国人") == [(2, 4)]  # by characters
    assert find("共和国", "共国") == find("共和国", "民") == find("共和国", "") == []
    assert find("人，民", "人民") == []
    assert find("人，民", "人、民", drop={"punct"}) == [(0, 3)]
    assert find("人，民", "人民", drop={"punct"}) == []
    assert find("共和国的人民", "国的人", stop={"的"}) == [(2, 5)]
    assert find("共和国的人民", "的人", stop={"的"}) == [(4, 5)]
    with pytest.raises(TypeError, match="options must be SearchOptions"):
        s.tokenize("人", mode="query", options="single")  # type: ignore[arg-type]


@settings(max_examples=60)
@given(text=worlds.texts | worlds.any_text, options=st.sampled_from(OPTIONS))
def test_complaint_2_tokens_nest(
    any_decoder: Segmenter, text: str, options: SearchOptions | None
) -> None:
    tokens = tokens_of(any_decoder, text, options)
    open_ends: list[int] = []
    for start, end in tokens.spans:
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1]
        open_ends.append(end)


@settings(max_examples=60)
@given(text=worlds.texts, data=st.data())
def test_complaint_2_a_phrase_of_whole_words_is_found(
    any_decoder: Segmenter, text: str, data: st.DataObject
) -> None:
    words = any_decoder.tokenize(text)
    if not len(words):
        return
    i = data.draw(st.integers(0, len(words) - 1))
    j = data.draw(st.integers(i + 1, len(words)))
    options = data.draw(st.sampled_from(OPTIONS))
    tokens = tokens_of(any_decoder, text, options)
    index = Index(tokens)
    start = words[i].start
    position = next(t.position for t in tokens if t.start == start)
    # by the words
    assert position in index.phrase(words.words[i:j])
    # by the query's own tokens, where it is cut as the text was: whichever of them are asked for
    query = text[start : words[j - 1].end]
    if any_decoder.cut(query) == words.words[i:j]:
        query_tokens = tokens_of(any_decoder, query, options)
        assert set(query_tokens.words) <= set(tokens.words)
        assert all(position in index.phrase(path) for path in paths(list(query_tokens)))
        assert index.flat(query_tokens)


HAN = st.lists(
    st.sampled_from([w for w in worlds.COUNTS if re.fullmatch("[\u4e00-\u9fff]+", w)]), max_size=20
).map("".join)


@pytest.mark.parametrize("decoder", ["unigram", "forward-max", "backward-max"])
@given(text=HAN, data=st.data())
def test_complaint_2_a_query_is_cut_as_the_text_was(
    decoder: str, text: str, data: st.DataObject
) -> None:
    """Decoders that do not look across words cut what lies between two boundaries alike.

    Without numerals, which rules join by what stands around them.
    """
    text = re.sub("[一二三十千万第年月日时分点]", "", text)
    segmenter = CORES[decoder]
    words = segmenter.tokenize(text)
    if not len(words):
        return
    i = data.draw(st.integers(0, len(words) - 1))
    j = data.draw(st.integers(i + 1, len(words)))
    query = text[words[i].start : words[j - 1].end]
    assert segmenter.cut(query) == words.words[i:j]
    assert set(segmenter.cut_for_search(query)) <= set(segmenter.cut_for_search(text))


@settings(max_examples=60)
@given(text=worlds.texts)
def test_complaint_2_a_word_has_the_same_inside_it_everywhere(
    any_decoder: Segmenter, text: str
) -> None:
    """What is inside a token is what is inside it as a text of its own, in the same places."""
    tokens = list(tokens_of(any_decoder, text))
    lattice = {t.text: edges_of(any_decoder, t.text) for t in tokens}
    for t in tokens:
        graph = any_decoder._decompounder(None).graph(t.text)
        inner = {(u.start - t.start, u.end - t.start) for u in tokens if _inside(u, t)}
        assert inner == {(u.start, u.end) for u in graph.inner}
        for a, b in inner:
            edges = {(e.start, e.end) for e in lattice[t.text]}
            assert (a, b) in edges or any(a >= c and b <= d for c, d in inner - {(a, b)})


def _inside(u: Token, t: Token) -> bool:
    return t.start <= u.start and u.end <= t.end and u != t


def test_complaint_2_words_inside_words() -> None:
    s = CORES["unigram"]
    tokens = tokens_of(s, "中华人民共和国的国中")
    assert [(t.text, t.start, t.position, t.position_length) for t in tokens] == [
        ("中华人民共和国", 0, 0, 4),
        ("中华", 0, 0, 1),
        ("人民", 2, 1, 1),
        ("共和国", 4, 2, 2),
        ("共和", 4, 2, 1),
        ("的", 7, 4, 1),
        ("国中", 8, 5, 1),
    ]
    index = Index(tokens)
    assert index.phrase(["共和国", "的"]) == [2]
    assert index.phrase(["共和", "的"]) == []  # 国 lies between them
    assert index.phrase(["中华", "人民", "共和国", "的", "国中"]) == [0]


def test_options_without_a_hash_are_refused(shipped: Segmenter) -> None:
    with pytest.raises(TypeError, match=r"^options must be SearchOptions, not dict$"):
        shipped.cut_for_search("的确", {})  # type: ignore[arg-type]
