"""Search tokens: their graph, options, units, the user's words, arguments; the baselines."""

from __future__ import annotations

import gc
import re
import weakref
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import pytest
import worlds
from cores import CORES, SMALL, Index, tokens_of
from hypothesis import given, settings
from hypothesis import strategies as st
from places import SHARED
from reference.inner import best_path, inner_words, unit_spans

import segmenter
from segmenter import ArgumentError, Segmenter, default, load, search
from segmenter.atoms import Atoms
from segmenter.errors import ResourceError
from segmenter.kernels import _tokens
from segmenter.lattice.dag import Edge
from segmenter.lexicon import Lexicon
from segmenter.search import SearchOptions, decompounder
from segmenter.text.chars import classes, fold_str
from segmenter.text.kinds import KINDS
from segmenter.types import USER, Source

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = SHARED / "data" / "sighan2005"


@settings(max_examples=80)
@given(
    text=worlds.texts,
    options=st.builds(
        SearchOptions,
        min_length=st.integers(2, 4),
        single=st.booleans(),
        ngrams=st.sampled_from([0, 2, 3]),
        stop=st.frozensets(st.sampled_from(["的", "人民", "，", "AB", "共和国"])),
        drop=st.frozensets(st.sampled_from(search.DROPPABLE), max_size=3),
    ),
)
def test_positions_are_a_graph_and_dropped_tokens_leave_gaps(
    any_decoder: Segmenter, text: str, options: SearchOptions
) -> None:
    tokens = tokens_of(any_decoder, text, options)
    assert any_decoder.cut_for_search(text, options) == tokens.words
    spans = tokens.spans
    assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))
    assert tokens.positions == sorted(tokens.positions)
    place: dict[int, int] = {}  # one offset a position
    for t in tokens:
        assert t.position_length >= 1
        assert place.setdefault(t.position, t.start) == t.start
        assert place.setdefault(t.position + t.position_length, t.end) == t.end
    assert [place[p] for p in sorted(place)] == sorted(place.values())
    # the same tokens at the same positions as without dropping, but for those dropped
    kept_options = SearchOptions(options.min_length, options.single, options.ngrams)
    everything = list(tokens_of(any_decoder, text, kept_options))
    assert [t for t in everything if t in set(tokens)] == list(tokens)
    missing = [t for t in everything if t not in set(tokens)]
    if not options.drop:
        assert {fold_str(t.text) for t in missing} <= options.stop
    for t in tokens:
        assert t.kind not in options.drop
        assert fold_str(t.text) not in options.stop


def test_stop_words_and_kinds() -> None:
    s = CORES["unigram"]
    got = tokens_of(
        s, "他说，的  在理。OK 12", SearchOptions(stop={"的", "ｏｋ"}, drop={"punct", "space"})
    )
    assert [(t.text, t.position) for t in got] == [("他", 0), ("说", 1), ("在理", 5), ("12", 9)]
    # stop words inside words go, words around them stay
    got = tokens_of(s, "共和国", SearchOptions(stop={"共和"}))
    assert [(t.text, t.position_length) for t in got] == [("共和国", 2)]
    # with a kind goes what is inside it
    assert s.cut_for_search("2026年", SearchOptions()) == ["2026年", "2026"]
    assert s.cut_for_search("在2026年", SearchOptions(drop={"date"})) == ["在"]


def test_characters_of_words() -> None:
    s = CORES["unigram"]
    got = tokens_of(s, "共和国", SearchOptions(single=True))
    assert got.words == ["共和国", "共和", "共", "和", "国"]
    assert got.position_lengths == [3, 2, 1, 1, 1]
    assert s.cut_for_search("ab12人\u0301", SearchOptions(single=True)) == ["ab12", "人\u0301"]


@settings(max_examples=60)
@given(text=st.text("的人民共和国龘堃三千五百年一2日", max_size=20))
def test_with_single_every_character_is_findable(any_decoder: Segmenter, text: str) -> None:
    options = SearchOptions(single=True)
    tokens = tokens_of(any_decoder, text, options)
    characters = {(k, k + 1) for k, c in enumerate(text) if c != "2"}
    assert characters <= set(tokens.spans)
    # so the characters of any piece are a phrase
    index = Index(tokens)
    for a, b in ((0, len(text)), (1, 4), (2, 9)):
        if text[a:b] and "2" not in text[a:b]:
            assert index.phrase(list(text[a:b]))


def test_ngrams_of_words_outside_the_lexicon() -> None:
    keep = Segmenter(SMALL, oov="keep")
    assert keep.cut_for_search("龘堃字龘人民") == ["龘堃字龘", "人民"]
    options = SearchOptions(ngrams=2)
    got = tokens_of(keep, "龘堃字龘人民", options)
    assert [(t.text, t.position, t.position_length) for t in got] == [
        ("龘堃字龘", 0, 4),
        ("龘堃", 0, 2),
        ("堃字", 1, 2),
        ("字龘", 2, 2),
        ("人民", 4, 1),
    ]
    assert Index(got).phrase(["堃字", "龘"]) == []
    assert Index(got).phrase(["龘堃", "字龘", "人民"]) == [0]
    assert keep.cut_for_search("龘堃", options) == ["龘堃"]
    assert keep.cut_for_search("共和国abc", options) == ["共和国", "共和", "abc"]


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.dictionaries(
                st.tuples(st.integers(0, n - 1), st.integers(1, n)).filter(lambda s: s[0] < s[1]),
                st.tuples(st.integers(0, 9), st.sampled_from(["word", "unknown", "number"])),
            ),
        )
    ),
    st.integers(2, 3),
)
def test_best_path_against_brute_force(
    lattice: tuple[int, dict[tuple[int, int], tuple[int, str]]], least: int
) -> None:
    n, spans = lattice
    edges = [Edge(a, b, cost, kind) for (a, b), (cost, kind) in sorted(spans.items())]

    def price(path: list[Edge]) -> tuple[int, int]:
        unlisted = [e for e in path if e.kind == "unknown" or e.end - e.start < least]
        return sum(e.end - e.start for e in unlisted), sum(e.cost for e in path)

    paths: list[list[Edge]] = []
    todo: list[list[Edge]] = [[]]
    while todo:
        path = todo.pop()
        offset = path[-1].end if path else 0
        if offset == n:
            paths.append(path)
        todo += [[*path, e] for e in edges if e.start == offset and e.end - e.start < n]
    columns = [(e.start, e.end, e.cost, KINDS.index(e.kind)) for e in edges]
    by_span = {(e.start, e.end): e for e in edges}
    got = [by_span[span] for span in _tokens.best_path(n, columns, least)]
    assert got == best_path("x" * n, edges, least)
    if not paths:
        assert got == []
    else:
        # equal prices: compare from the right, the longer word wins
        best = min(map(price, paths))
        among = [p for p in paths if price(p) == best]
        assert got == max(among, key=lambda p: [e.end - e.start for e in reversed(p)])


@settings(max_examples=300)
@given(text=worlds.texts, split=st.booleans())
def test_units_against_the_reference(text: str, split: bool) -> None:
    got = [(a, b, KINDS[kind]) for a, b, kind in _tokens.units(text, classes(text), split)]
    assert got == list(unit_spans(text, split))


OF_USER = Segmenter(
    SMALL,
    user=[
        "中华人民", "人民共和国", "一日千里的人", ("的|确", "split"), ("日日日日", 9.0),
        ("共和", "delete"), ("和国中", "force"),
    ],
)  # fmt: skip


@settings(max_examples=150)
@given(
    text=worlds.texts,
    name=st.sampled_from(["of user", *sorted(CORES)]),
    options=st.builds(
        SearchOptions,
        min_length=st.integers(2, 4),
        single=st.booleans(),
        ngrams=st.sampled_from((0, 2, 3)),
        runs=st.sampled_from(("whole", "split")),
    ),
    whole=st.booleans(),
)
def test_words_inside_words_against_the_reference(
    text: str, name: str, options: SearchOptions, whole: bool
) -> None:
    s = CORES.get(name, OF_USER)
    for word in {*s.cut(text), text, "一日千里的人民共和国中"}:
        positions, units = s._words.inside(word, options, whole)
        expected = inner_words(s, word, options, whole)
        assert (positions, [row[:4] for row in units]) == (
            expected[0],
            [tuple(row[:4]) for row in expected[1]],
        )
        for (*_, kind, number, added), inner in zip(units, expected[1], strict=True):
            assert added == (inner.edge is None)
            if inner.edge is not None:
                assert inner.edge.kind == ("user" if kind >= USER else KINDS[kind])
                assert number == inner.edge.word or inner.edge.word < 0


# --- where it comes from makes no difference ------------------------------------------------------


def test_used_and_fresh_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = list(worlds.long_texts().values())
    used = Segmenter(SMALL)
    before = [used.cut_for_search(t) for t in texts]
    assert [used.cut_for_search(t) for t in reversed(texts)] == before[::-1]
    monkeypatch.setattr(decompounder, "REMEMBERED", 3)
    fresh = Segmenter(SMALL)
    assert [fresh.cut_for_search(t) for t in texts] == before
    assert [tokens_of(fresh, t).words for t in texts] == before
    (compounds,) = fresh._decompounders.values()
    assert 0 < len(compounds._words) <= 3
    assert 0 < len(compounds._rows) <= 3


def test_long_words_are_not_remembered_and_need_no_recursion() -> None:
    words = ["日" * k for k in range(1, 130)]
    deep = Segmenter(Lexicon.build([(w, 2, "") for w in words]))
    got = deep.tokenize("日" * 129, mode="search")
    assert len(got) > 60
    assert got[0].position_length == max(got.positions) + 1
    lengths = {len(w) for d in deep._decompounders.values() for w in d._rows}
    assert not [n for n in lengths if n > 64]
    assert deep.cut_for_search("a" * 100_000) == ["a" * 100_000]


def test_the_inside_of_a_long_word_is_sought_once_in_a_text() -> None:
    words = ["日" * k for k in range(1, 80)]
    deep = Segmenter(Lexicon.build([(w, 2, "") for w in words]))
    decompounder, sought = deep._decompounder(None), []
    inner = decompounder._inside

    def count(word: str, *arguments: Any) -> Any:
        sought.append(word)
        return inner(word, *arguments)

    decompounder._inside = count
    result = deep.cut_for_search("日" * 79)
    text = ("日" * 79 + "。") * 20
    assert deep.tokenize(text, mode="search").words == [*result, "。"] * 20
    assert deep.cut_for_search(text) == [*result, "。"] * 20
    assert sought.count("日" * 79) == 3


def test_options_made_anew_do_not_pile_up() -> None:
    s = Segmenter(SMALL)
    for n in range(2, 40):
        s.cut_for_search("共和国", SearchOptions(min_length=n))
    assert len(s._decompounders) <= 8


@pytest.mark.parametrize(
    ("name", "terms"), [("min_length", ["共和国"]), ("ngrams", ["共和国", "共和"])]
)
def test_a_length_is_one_that_a_text_can_have(name: str, terms: list[str]) -> None:
    longest: dict[str, Any] = {name: 1 << 28}
    assert load("fast").cut_for_search("共和国", SearchOptions(**longest)) == terms
    for n in ((1 << 28) + 1, 10**30):
        options: dict[str, Any] = {name: n}
        with pytest.raises(ArgumentError, match=rf"^{name}: {n} is not from 2 to 268435456$"):
            SearchOptions(**options)


def test_a_segmenter_that_nobody_holds_goes() -> None:
    s = Segmenter(SMALL).with_words(["云计"])
    s.cut_for_search("共和国云计算")
    s.tokenize("共和国云计算", mode="search")
    gone = weakref.ref(s)
    gc.disable()
    try:
        del s
        assert gone() is None  # by its count of references alone
    finally:
        gc.enable()


# --- the user's words -----------------------------------------------------------------------------


def test_words_of_the_user() -> None:
    s = CORES["unigram"]
    assert s.cut_for_search("人民共和国") == ["人民", "共和国", "共和"]
    mine = s.with_words([("人民共和国", "force", "nt", {"id": 7}), ("民共", 9, "x"), ("华人民", 5)])
    got = list(tokens_of(mine, "人民共和国"))
    assert [t.text for t in got] == ["人民共和国", "人民", "共和国", "共和"]
    assert (got[0].source, got[0].tag, got[0].payload) == (Source.USER, "nt", {"id": 7})
    assert s.cut_for_search("人民共和国") == ["人民", "共和国", "共和"]
    reduced = mine.without(["共和", "和国"])
    assert reduced.cut_for_search("人民共和国") == ["人民共和国", "人民", "共和国"]
    # a word that is to be cut is no token, inside another neither
    cut = s.with_words([("人民|共和", "split"), ("人民共和国", "force")])
    assert cut.cut_for_search("人民共和国") == ["人民共和国", "人民", "共和国", "共和"]
    inner = tokens_of(s.with_words([("人中在理", "force"), ("中在理", 5, "n", "p")]), "人中在理")
    assert [(t.text, t.source, t.tag, t.payload) for t in inner][1:] == [
        ("中在理", Source.USER, "n", "p"),
        ("在理", Source.LEXICON, "x", None),
    ]
    library = s.with_words(["龘堃字学", "龘堃字学书馆", "iPhone 15", "iPhone 15 Pro", "hone"])
    assert library.cut_for_search("龘堃字学书馆") == ["龘堃字学书馆", "龘堃字学"]
    assert library.cut_for_search("iPhone 15 Pro") == [
        "iPhone 15 Pro", "iPhone 15", "iPhone", "15", "Pro",
    ]  # fmt: skip
    (token,) = [t for t in tokens_of(s.with_words(["说的", "他说的"]), "他说的") if t.start == 1]
    assert (token.text, token.source) == ("说的", Source.USER)


def test_a_tagger_without_a_lexicon(shipped: Segmenter) -> None:
    from segmenter.files import resources
    from segmenter.tagging.predictor import Predictor

    try:
        path = resources.find("general-fast.model")
    except ResourceError:
        pytest.skip("models/ is not built here")
    bare = Segmenter(None, decoder="perceptron", tagger=Predictor.open(path))
    text = "中华人民共和国成立了"
    assert bare.cut_for_search(text) == bare.cut(text)
    got = tokens_of(bare, text, SearchOptions(single=True))
    assert set(text) <= set(got.words)


# --- offsets in other units -----------------------------------------------------------------------


@given(worlds.texts | worlds.any_text, st.sampled_from(["words", "search"]))
def test_units(text: str, mode: str) -> None:
    s = CORES["unigram"]
    plain = s.tokenize(text, mode=mode)
    for units, encoding, size in (("utf8", "utf-8", 1), ("utf16", "utf-16-le", 2)):
        got = s.tokenize(text, mode=mode, units=units)
        assert got.words == plain.words
        data = text.encode(encoding, "surrogatepass")
        for t, expected in zip(got, plain, strict=True):
            part = data[t.start * size : t.end * size]
            assert part.decode(encoding, "surrogatepass") == t.text
            assert t == expected._replace(start=t.start, end=t.end)
        assert got.in_units("codepoints") == plain
        assert got.spans == [(t.start, t.end) for t in got]


def test_units_of_every_view() -> None:
    assert CORES["unigram"].cut_all("👍人民").in_units("utf16").spans[-1] == (3, 4)
    with pytest.raises(ArgumentError, match="units: 'bytes' is not one of codepoints, utf8, utf16"):
        CORES["unigram"].tokenize("人", units="bytes")
    with pytest.raises(TypeError, match="units must be str"):
        CORES["unigram"].tokenize("人", units=8)  # type: ignore[arg-type]


# --- the baselines --------------------------------------------------------------------------------


@given(worlds.texts | worlds.any_text, st.sampled_from(["whole", "split"]), st.integers(2, 4))
def test_baselines(text: str, runs: str, n: int) -> None:
    single = search.characters(text, runs=runs)
    assert "".join(single.words) == text
    assert single.positions == list(range(len(single)))
    got = search.ngrams(text, n, runs=runs)
    begins = {t.start: t.position for t in single}
    ends = {t.end: t.position + 1 for t in single}
    covered = 0
    for t in got:
        assert t.position == begins[t.start]
        assert t.position_length == ends[t.end] - t.position <= n
        assert t.start <= covered
        covered = max(covered, t.end)
    assert covered == len(text)
    for a, b in pairwise(got):
        assert a.position < b.position
        assert a.end <= b.start or a.position_length == b.position_length == min(
            n, a.position_length
        )


def test_baselines_by_example() -> None:
    assert search.ngrams("我们相信AI").words == ["我们", "们相", "相信", "AI"]
    assert search.ngrams("我们相信AI", runs="split").words == ["我们", "们相", "相信", "信A", "AI"]
    assert search.ngrams("好，3D打印机", 3).words == ["好", "，", "3D", "打印机"]
    assert search.ngrams("好，3D打印机", 3, drop=["punct"]).positions == [0, 2, 3]
    assert search.characters("x9 Привет人\u0301\r\n").words == [
        "x9",
        " ",
        "Привет",
        "人\u0301",
        "\r",
        "\n",
    ]
    assert search.characters("x9", runs="split").kinds == ["latin", "number"]
    assert search.ngrams("カタカナ한글").words[:2] == ["カタ", "タカ"]
    assert search.ngrams("").words == search.characters("").words == []
    full_search = search.ngrams("我们相信AI和2026年")
    assert Index(full_search).phrase(["相信", "AI"]) == [2]
    assert Index(full_search).flat(search.ngrams("相信AI"))


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"min_length": 1}, ArgumentError, "min_length: 1 is not from 2 to 268435456"),
        ({"min_length": "2"}, TypeError, "min_length must be int, not str"),
        ({"single": 1}, TypeError, "single must be bool, not int"),
        ({"ngrams": 1}, ArgumentError, "ngrams: 1 is not from 2 to 268435456"),
        ({"ngrams": True}, TypeError, "ngrams must be int, not bool"),
        ({"stop": "的"}, TypeError, "stop must be a collection of str, not str"),
        ({"stop": [1]}, TypeError, "stop: 1 is not a str"),
        ({"drop": ["puncts"]}, ArgumentError, "drop: 'puncts' is not one of word, number"),
    ],
)
def test_wrong_options(options: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        SearchOptions(**options)  # type: ignore[arg-type]


def test_wrong_arguments() -> None:
    s = CORES["unigram"]
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        s.cut_for_search(b"a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="options must be SearchOptions, not dict"):
        s.tokenize("a", mode="search", options={})  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="options: mode='words' takes none"):
        s.tokenize("a", options=SearchOptions())
    with pytest.raises(ArgumentError, match="mode: 'fine' is not one of words, search"):
        s.tokenize("a", mode="fine")
    with pytest.raises(ArgumentError, match="runs: 'x' is not one of whole, split"):
        search.characters("a", runs="x")
    with pytest.raises(ArgumentError, match="n: 1 is less than 2"):
        search.ngrams("a", 1)
    with pytest.raises(TypeError, match="text must be str"):
        search.ngrams(None)  # type: ignore[arg-type]


def test_functions_of_the_module(shipped: Segmenter) -> None:
    text = "中华人民共和国成立"
    assert segmenter.cut_for_search(text) == default.default_segmenter().cut_for_search(text)
    assert segmenter.tokenize(text, mode="search").words == segmenter.cut_for_search(text)
    got = shipped.cut_for_search(text)
    assert {"人民", "共和国", "共和", "成立"} <= set(got)


def test_leaves_and_outermost_keep_kinds_of_the_users_own() -> None:
    s = Segmenter(worlds.lexicon(), atoms=Atoms(patterns={"order": "[A-Z]{3}"}))
    tokens = s.tokenize("确实ABC", mode="search")
    for form in (search.leaves, search.outermost):
        assert [(t.text, t.kind) for t in form(tokens)][-1] == ("ABC", "order")
    assert search.outermost(tokens).words == ["确实", "ABC"]


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(single=True, drop=frozenset(("space", "punct", "newline"))),
        SearchOptions(stop=frozenset(("共和", "成立", "The"))),
    ],
)
def test_index_tokens_are_each_words_graph(options: SearchOptions) -> None:
    """Columns of many words at once are the tokens one by one."""
    s = load("balanced", user=["中华人民", ("研究生命", 5.0, "vn", {"id": 1})])
    text = "中华人民共和国成立，研究生命的起源 the THE 共和国\n" * 2
    units = s._decompounder(options)
    drop = options.drop or frozenset()
    expected, position = [], 0
    for token in s.tokenize(text):
        graph = units.graph(token.text)
        rows = [(token.start, token.end, position, graph.positions, token.tag)]
        rows += [
            (token.start + t.start, token.start + t.end, position + t.position, t.length,
             t.described.tag)
            for t in graph.inner
        ]  # fmt: skip
        if token.kind not in drop:
            expected += [r for r in rows if text[r[0] : r[1]].lower() not in {*options.stop, "the"}
                         or not options.stop]  # fmt: skip
        position += graph.positions
    units = s.tokenize(text, mode="search", options=options)
    assert [(t.start, t.end, t.position, t.position_length, t.tag) for t in units] == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: search.leaves(cast("Any", 3)), "tokens must be Tokens, not int"),
        (lambda: search.outermost(cast("Any", "他说")), "tokens must be Tokens, not str"),
        (
            lambda: search.find(cast("Any", "他说"), cast("Any", None)),
            "text must be Tokens, not str",
        ),
        (
            lambda: search.index_tokens(cast("Any", None), cast("Any", None)),
            "coarse must be Tokens, not NoneType",
        ),
        (lambda: search.cuts_runs(cast("Any", None)), "segmenter must be Segmenter, not NoneType"),
    ],
)
def test_wrong_types_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
