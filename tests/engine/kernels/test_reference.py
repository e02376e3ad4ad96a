"""The compiled kernels against the reference, and the reference against brute force."""

from __future__ import annotations

import random
import struct
import zlib
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ngrams
from reference.dag import word_dag
from reference.decoders import decode
from reference.double_array import DoubleArray, word_number
from reference.words import COST_SCALE, Dictionary, Trie

from segmenter import Segmenter, load
from segmenter.atoms import Atoms
from segmenter.kernels import _engine, _lexicon
from segmenter.lattice import steps
from segmenter.lattice.dag import Edge, WordDag
from segmenter.lattice.ngram import of_lexicon
from segmenter.lattice.steps import result
from segmenter.lexicon import Lexicon
from segmenter.text.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

DICTIONARY = worlds.dictionary()
MODEL = worlds.model()
SMALL = worlds.lexicon()
NONE = Atoms.none()  # the reference knows no atoms
SEGMENTERS = {d: Segmenter(SMALL, decoder=d, atoms=NONE) for d in worlds.ALL_DECODERS}


def spans(path: list[Edge]) -> list[tuple[int, int, str]]:
    return [(e.start, e.end, e.kind) for e in path]


def compiled(segmenter: Segmenter, text: str) -> list[tuple[int, int, str]]:
    tokens = segmenter.tokenize(text)
    edges = (KINDS[kind] for kind in tokens.edge_kinds)
    return [(a, b, kind) for (a, b), kind in zip(tokens.spans, edges, strict=True)]


def check_equal(decoder: str, text: str) -> None:
    expected = spans(decode(text, DICTIONARY, decoder, MODEL))
    assert compiled(SEGMENTERS[decoder], text) == expected


# --- what a lexicon holds ----------------------------------------------------------------------


def test_costs_from_counts_are_the_builders() -> None:
    dictionary = Dictionary.of(SMALL)
    assert dictionary.costs == DICTIONARY.costs
    assert dictionary.unknown == DICTIONARY.unknown
    for kind in ("unknown", "number", "date", "latin", "space", "newline", "script", "cluster"):
        assert dictionary.kinds[kind] == DICTIONARY.kinds[kind], kind


def test_ngram_costs_from_counts_are_the_builders() -> None:
    dictionary = ngrams.read_ngrams(SMALL, Dictionary.of(SMALL))
    assert dictionary.ending == MODEL.ending
    assert dictionary.pairs == MODEL.pairs
    assert dictionary.triples == MODEL.triples
    assert len(MODEL.triples) > 300
    assert {k: w for k, w in dictionary.weights.items() if w} == {
        k: w for k, w in MODEL.weights.items() if w
    }
    assert {k: w for k, w in dictionary.pair_weights.items() if w} == {
        k: w for k, w in MODEL.pair_weights.items() if w
    }
    assert any(MODEL.pair_weights.values())


def test_a_history_sums_to_one() -> None:
    # with all words and classes in the vocabulary and no pruning, the costs are a distribution
    words = dict.fromkeys("甲乙丙", 3)
    dictionary = Dictionary.from_counts(words.items(), {"<num>": 3}, unknown=0)
    rows = [("甲", "乙", 2), ("甲", "丙", 1), ("乙", "甲", 3), ("乙", "<num>", 1)]
    model = ngrams.from_counts(dictionary, rows)
    for v in "甲乙":
        total = sum(
            2.718281828459045 ** (-model.bigram(v, w, cost) / COST_SCALE)
            for w, cost in [*dictionary.costs.items(), ("<num>", dictionary.kinds["number"])]
        )
        assert total == pytest.approx(1, abs=2e-3)


def test_double_array_walk_finds_the_trie_s_words() -> None:
    art = SMALL.artifact
    bmp = art.section("charmap.bmp").cast("H")
    pages, blocks = art.section("charmap.pages").cast("H"), art.section("charmap.blocks").cast("H")
    params = struct.unpack("<45I", art.section("params"))
    array = DoubleArray(art.section("trie.units").cast("Q"), params[0])
    terminal = art.section("words.terminal").cast("Q")
    trie = Trie(DICTIONARY.costs)

    def char_id(c: str) -> int:
        cp = ord(c)
        if cp < 0x10000:
            return bmp[cp] & 0x7FFF
        return blocks[pages[(cp >> 8) - 0x100] * 256 + (cp & 0xFF)] & 0x7FFF

    words = SMALL.words()
    count = 0
    for seed in range(60):
        text = DICTIONARY.fold(worlds.random_text(seed, 30))
        ids = [char_id(c) for c in text]
        for start in range(len(text)):
            got = list(array.words(ids[start:]))
            ends = [end for end in trie.ends(text, start) if end > start + 1]
            assert [start + length for length, _, _ in got] == ends
            for length, slot, cost in got:
                word = text[start : start + length]
                assert cost == DICTIONARY.costs[word]
                assert words[word_number(terminal, slot)] == word
                count += 1
    assert count > 500


# --- the word DAG ------------------------------------------------------------------------------


def check_dag(text: str) -> None:
    got = SEGMENTERS["unigram"].dag(text)
    expected = word_dag(text, DICTIONARY)
    assert [(e.start, e.end, e.cost, e.kind) for e in got.edges] == [
        (e.start, e.end, e.cost, e.kind) for e in expected.edges
    ]
    words = SMALL.words()
    assert [words[e.word] for e in got.edges if e.kind == "word"] == [
        DICTIONARY.words[e.word] for e in expected.edges if e.kind == "word"
    ]


MEASURED = [
    "三本",
    "本书",
    "一面",
    "一本",
    "个人",
    "个人的",
    "百年",
    "千克",
    "天后",
    "三天后",
    "五台",
    "台人",
    "一周",
    "四周",
    "一样",
    "分钟",
    "十分钟",
    "一个",
    "书本",
    "九天",
    "本",
    "个",
    "天",
    "台",
    "书",
    "后",
    "钟",
    "克",
    "面",
    "周",
    "样",
    "两",
    "四",
    "五",
    "零",
    "百",
    "万",
    "九",
    "喺",
    "喺边",
    "喺边度",
    "喺度",
    "内向",
    "在线",
    "在行",
    "行里",
    "会长",
    "要点",
    "高里上",
]
NUMERALS = [
    *"内向在线行会长高里上要点喺边度一二三十百千万零两四九五本个天台人书后分钟克面周样，3。年日",
    "15",
    "三本",
    "一面",
    "个人",
]
COUNTED = {**worlds.COUNTS, **dict.fromkeys(MEASURED, 6)}
PARTED = Segmenter(
    Lexicon.build(
        [(w, n, "x") for w, n in COUNTED.items()], kinds=worlds.KINDS, unknown=worlds.UNKNOWN
    ),
    decoder="unigram",
    atoms={**dict(NONE.items()), "measure": "split"},
)
MEASURE_DICTIONARY = Dictionary.from_counts(COUNTED.items(), worlds.KINDS, worlds.UNKNOWN)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(NUMERALS), max_size=12).map("".join) | worlds.texts)
def test_dag_without_measure_words_in_words(text: str) -> None:
    got = PARTED.dag(text)
    expected = word_dag(text, MEASURE_DICTIONARY, measures=True)
    assert [(e.start, e.end, e.cost, e.kind) for e in got.edges] == [
        (e.start, e.end, e.cost, e.kind) for e in expected.edges
    ]


@settings(max_examples=500)
@given(worlds.texts)
def test_the_dag_is_that_of_the_reference(text: str) -> None:
    check_dag(text)


@settings(max_examples=300)
@given(worlds.any_text)
def test_dag_of_any_text(text: str) -> None:
    check_dag(text)


@settings(max_examples=400)
@given(st.text("第-一十三点分之年月日份时百万0159.,:/%aé \u0301\n人", max_size=24))
def test_dag_of_numbers_and_dates(text: str) -> None:
    check_dag(text)


@pytest.mark.parametrize("unit", "年月日时分")
def test_dag_of_every_number_before_a_unit(unit: str) -> None:
    """Which numbers make a date with 年 月 日 时 分, in digits and in numerals."""
    ones = "零一二三四五六七八九"
    for value in range(100):
        tens, digit = divmod(value, 10)
        han = (
            (ones[tens] if tens > 1 else "")
            + ("十" if tens else "")
            + (ones[digit] if digit else "")
        )
        for number in (str(value), f"{value:02}", han or "零"):
            for after in ("", "之一", "份"):
                check_dag(f"在{number}{unit}{after}")


@pytest.mark.parametrize("name", worlds.long_texts())
def test_dag_of_long_texts(name: str) -> None:
    check_dag(worlds.long_texts()[name])


@pytest.mark.parametrize(
    "snippet",
    [
        "三分之一", "百分之二点三", "三点二", "第三百年", "第3月", "-5日", "五-6月", "12月份",
        "三月份", "1,000万年", "3.5a", "99.9%", "1998年", "人\u0301\u0301", "3月\u0301",
        "的 \u3000", "\r\n", "卡拉ok确", "new york", "中华人民共和国", "日日日日日日日",
        "a-1", ":-1", "的-1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("window", [512, 1024])
def test_rules_where_a_window_ends(snippet: str, window: int) -> None:
    """The kernels read 512 starts at a time: no rule may see where that is."""
    for cut in range(-2, len(snippet) + 3):
        text = "他" * (window - cut) + snippet + "他" * 30
        check_equal("unigram", text)
        if window == 512:
            check_equal("bigram", text)
            check_dag(text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3.14", {"3.14": "number"}),
        ("1,000万", {"1,000": "number", "1,000万": "number"}),
        ("1,0000", {"1": "number", "0000": "number"}),
        ("-5", {"-5": "number"}),
        ("3-5", {"3": "number", "5": "number"}),
        ("99.9%", {"99.9%": "number"}),
        ("３／４", {"３／４": "number"}),
        ("10:30", {"10:30": "number"}),
        ("10∶30", {"10∶30": "number"}),
        ("1998年", {"1998": "number", "1998年": "date"}),
        ("199年", {"199": "number"}),
        ("13月", {"13": "number"}),
        ("12月份", {"12": "number", "12月": "date", "12月份": "date"}),
        ("31日", {"31": "number", "31日": "date"}),
        ("32日", {"32": "number"}),
        ("24时", {"24": "number", "24时": "date"}),
        ("25时", {"25": "number"}),
        ("59分", {"59": "number", "59分": "date"}),
        ("3分之", {"3": "number"}),
        ("三十一日", {"三十一": "number", "三十一日": "date"}),
        ("一九九八年", {"一九九八": "number", "一九九八年": "date"}),
        ("三百年", {"三百": "number"}),
        ("百分之三十", {"百分之三十": "number"}),
        ("一点五亿", {"一点五亿": "number"}),
        ("八点四十五分", {"四十五": "number", "四十五分": "date"}),
        ("六点二", {"六点二": "number"}),
        ("一点一点", {"一点一": "number"}),
        ("第三百", {"三百": "number", "第三百": "number"}),
        ("第3", {"第3": "number", "3": "number"}),
        ("iPhone15", {"iPhone15": "latin"}),
        ("3.5a", {"3.5a": "latin"}),
        ("a\u0301b", {"a\u0301b": "latin"}),
        ("人\u0301", {"人\u0301": "cluster"}),
        ("\u0301", {"\u0301": "cluster"}),
        ("\r\n", {"\r\n": "newline"}),
        ("\r", {"\r": "space"}),
        (" \u3000", {" \u3000": "space"}),
        ("привет", {"привет": "script"}),
        ("3月\u0301", {"3": "number", "3月\u0301": "date", "月\u0301": "cluster"}),
    ],
)
def test_rules(text: str, kinds: dict[str, str]) -> None:
    """What the classes of characters offer, by example."""
    dag = SEGMENTERS["unigram"].dag(text)
    assert {
        text[e.start : e.end]: e.kind for e in dag.edges if e.kind not in ("word", "unknown")
    } == kinds
    check_dag(text)


def test_every_node_leads_on() -> None:
    """No decoder can walk into a dead end: what can be reached has a way on."""
    for seed in range(300):
        dag = word_dag(worlds.random_text(seed, 25), DICTIONARY)
        reached = {0}
        for k in range(len(dag.text)):
            if k in reached:
                assert dag.successors(k), (dag.text, k)
                reached.update(dag.successors(k))
            else:
                assert not dag.successors(k), (dag.text, k)


# --- decoders ----------------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_a_decoder_cuts_as_the_reference(decoder: str) -> None:
    @given(worlds.texts)
    def check(text: str) -> None:
        check_equal(decoder, text)

    check()


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_decoder_on_any_text(decoder: str) -> None:
    @settings(max_examples=60)
    @given(worlds.any_text)
    def check(text: str) -> None:
        check_equal(decoder, text)

    check()


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
@pytest.mark.parametrize("seed", range(6))
def test_decoder_on_texts_of_a_few_hundred(decoder: str, seed: int) -> None:
    check_equal(decoder, worlds.random_text(100 + seed, 60 + 90 * seed))
    check_equal(decoder, worlds.random_text(200 + seed, 60 + 90 * seed, list(worlds.COUNTS)))


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
@pytest.mark.parametrize("name", worlds.long_texts())
def test_decoder_beyond_the_window(decoder: str, name: str) -> None:
    check_equal(decoder, worlds.long_texts()[name])


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "bidirectional-max"])
def test_unknown_runs_are_kept_whole(decoder: str) -> None:
    segmenter = Segmenter(SMALL, decoder=decoder, oov="keep", atoms=NONE)

    @given(st.text("龘堃的人\u03011a ①", max_size=20))
    def check(text: str) -> None:
        expected = decode(text, DICTIONARY, decoder, MODEL, keep_unknown=True)
        assert compiled(segmenter, text) == spans(expected)

    check()


@pytest.mark.parametrize("decoder", ["unigram", "forward-max"])
def test_jieba_profile(decoder: str) -> None:
    counts = {w: n for w, n in worlds.COUNTS.items() if w.isalpha()}
    native = Segmenter(
        Lexicon.build([(w, n, "") for w, n in counts.items()], profile="jieba"), decoder=decoder
    )
    plain = Dictionary.from_counts(counts.items(), jieba=True)

    @given(worlds.texts)
    def check(text: str) -> None:
        assert compiled(native, text) == spans(decode(text, plain, decoder))

    check()
    check_long = worlds.long_texts()["mixed"]
    assert compiled(native, check_long) == spans(decode(check_long, plain, decoder))


@pytest.mark.parametrize("standard", ["general", "pku"])
def test_shipped_lexicons(standard: Literal["general", "pku"]) -> None:
    lexicon = load(standard=standard, decoder="unigram").lexicon
    dictionary = Dictionary.of(lexicon)
    texts = [worlds.random_text(seed, 60) for seed in range(4)]
    texts.append("他说的确实在理。" * 3 + "\n一九九八年新年讲话（附图片１张）\r\n中共中央总书记")
    texts.append("".join(lexicon.words()[:200_000:600]))
    segmenters = {d: Segmenter(lexicon, decoder=d, atoms=NONE) for d in worlds.ALL_DECODERS}
    for text in texts:
        model = of_lexicon(lexicon, word_dag(text, dictionary), order=3)
        for decoder, native in segmenters.items():
            path = decode(text, dictionary, decoder, model)
            assert compiled(native, text) == spans(path), decoder


# --- brute force on short DAGs -----------------------------------------------------------------


def all_paths(dag: WordDag) -> Iterator[list[Edge]]:
    stack: list[tuple[int, list[Edge]]] = [(0, [])]
    while stack:
        k, path = stack.pop()
        if k == len(dag.text):
            yield path
        stack += [(edge.end, [*path, edge]) for edge in dag.starting(k)]


def ngram_cost(path: list[Edge], order: int) -> int:
    """The cost of a path by the definition of the model, word by word."""
    history = ["<s>", "<s>"]
    total = 0
    tokens = [(DICTIONARY.token(e), e.cost) for e in path]
    closing = [] if not path or tokens[-1][0] == "<s>" else [("<s>", MODEL.ending)]
    for token, lower in tokens + closing:
        if token == "<s>":
            lower = MODEL.ending
        if order == 2:
            total += MODEL.bigram(history[-1], token, lower)
        else:
            total += MODEL.trigram(history[-2], history[-1], token, lower)
        history = ["<s>", "<s>"] if token == "<s>" else [history[-1], token]
    return total


COSTS: dict[str, Callable[[list[Edge]], int]] = {
    "shortest": len,
    "unigram": lambda path: sum(e.cost for e in path),
    "bigram": lambda path: ngram_cost(path, 2),
    "trigram": lambda path: ngram_cost(path, 3),
}


def ranked(dag: WordDag, cost: Callable[[list[Edge]], int]) -> list[tuple[list[Edge], int]]:
    """All paths, best first; the tie rule as it is written: from the right, the longer word."""
    rows = [(path, cost(path)) for path in all_paths(dag)]
    rows.sort(key=lambda row: (row[1], [-(e.end - e.start) for e in reversed(row[0])]))
    return rows


short_texts = st.lists(
    st.sampled_from(
        [*"的确实在理他说日日日日中华人民共和国一二三十月分点第龘a \n", "12", "人\u0301"]
    ),
    max_size=9,
).map("".join)


@pytest.mark.parametrize("decoder", COSTS)
def test_decoders_are_exact(decoder: str) -> None:
    native = SEGMENTERS[decoder]
    unit = 1.0 if decoder == "shortest" else 2048.0

    @settings(max_examples=200)
    @given(short_texts)
    def check(text: str) -> None:
        rows = ranked(word_dag(text, DICTIONARY), COSTS[decoder])
        assert compiled(native, text) == spans(rows[0][0])
        for n in (1, 2, 3, 7, 1000):
            expected = [
                ([text[e.start : e.end] for e in path], -cost / unit) for path, cost in rows[:n]
            ]
            assert native.nbest(text, n) == expected, n

    check()


def test_n_shortest_takes_the_most_probable_of_eight() -> None:
    @settings(max_examples=200)
    @given(short_texts)
    def check(text: str) -> None:
        dag = word_dag(text, DICTIONARY)
        expected: list[tuple[int, int, str]] = []
        for a, b in dag.stretches():
            inner = [e for e in dag.edges if a <= e.start and e.end <= b]
            moved = [e._replace(start=e.start - a, end=e.end - a) for e in inner]
            rows = ranked(WordDag(text[a:b], moved), len)[:8]
            best = min(rows, key=lambda row: sum(e.cost for e in row[0]))
            expected += [(a + start, a + end, kind) for start, end, kind in spans(best[0])]
        assert compiled(SEGMENTERS["n-shortest"], text) == expected
        for n in (1, 3, 50):
            assert SEGMENTERS["n-shortest"].nbest(text, n) == [
                (dag.texts(path), -cost / 2048.0) for cost, path in result(steps.n_shortest(dag, n))
            ]

    check()


def test_n_best_of_the_reference_is_exact() -> None:
    rng = random.Random(8)
    problems: dict[str, tuple[steps.Cost, int]] = {
        "unigram": (steps.own_cost, 0),
        "bigram": (MODEL.after_one, 1),
        "trigram": (MODEL.after_two, 2),
        "shortest": (steps.one_each, 0),
    }
    for _ in range(150):
        dag = word_dag(worlds.random_text(rng.randrange(9999), 6), DICTIONARY)
        if len(dag.text) > 16:
            continue
        for name, (cost, memory) in problems.items():
            rows = [(total, path) for path, total in ranked(dag, COSTS[name])]
            assert result(steps.n_best(dag, 12, cost, memory)) == rows[:12]
            assert result(steps.viterbi(dag, cost, memory)) == rows[0][1]


def test_ties_compare_from_the_right_and_the_longer_word_wins() -> None:
    """The tie rule, once: of equal costs, from the right, the first longer word wins."""
    words = dict.fromkeys(["甲", "乙", "丙", "丁", "甲乙", "乙丙", "丙丁", "甲乙丙", "乙丙丁"], 1)
    dag = word_dag("甲乙丙丁", Dictionary(words))
    cheapest = ranked(dag, len)
    assert ["/".join(dag.texts(path)) for path, _ in cheapest[:3]] == [
        "甲/乙丙丁",
        "甲乙/丙丁",
        "甲乙丙/丁",
    ]
    equal = Lexicon.build([(w, 1, "") for w in words])
    for decoder in ("shortest", "unigram", "n-shortest"):
        assert Segmenter(equal, decoder=decoder).cut("甲乙丙丁") == ["甲", "乙丙丁"]
    paths = Segmenter(equal, decoder="shortest").nbest("甲乙丙丁", 3)
    assert ["/".join(words) for words, _ in paths] == ["甲/乙丙丁", "甲乙/丙丁", "甲乙丙/丁"]


# --- below the text ----------------------------------------------------------------------------


@given(st.integers(0, 700), st.integers(0, 15), st.integers(0, 0xFFFFFFFF), st.randoms())
def test_crc32(size: int, start: int, value: int, rng: random.Random) -> None:
    data = memoryview(rng.randbytes(size + start))[start:]
    assert _lexicon.crc32(data, value) == zlib.crc32(data, value)


@given(
    st.lists(
        st.binary(max_size=3)
        | st.text(max_size=3).map(lambda t: t.encode("utf-8", "surrogatepass"))
        | st.sampled_from([b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xbb", b"\n"]),
        max_size=12,
    ).map(b"".join)
)
def test_utf8(data: bytes) -> None:
    got, offset = _engine.cut_bytes(SEGMENTERS["unigram"]._engine, data, b"", 1)
    try:
        data.decode("utf-8")
        expected: tuple[bytes | None, int] = (data, -1)
    except UnicodeDecodeError as e:
        expected = (None, e.start)
    assert (got, offset) == expected


def test_trigrams_decide_backwards_across_windows() -> None:
    """A window may end only where both words of a trigram's history are sure."""
    lexicon = Lexicon.build(
        [("甲乙", 50, ""), ("甲", 10, ""), ("乙", 10, ""), ("丙", 30, ""), ("丁", 30, "")],
        bigrams=[("甲", "乙", 5), ("乙", "丙", 20), ("甲乙", "丙", 40), ("丙", "丁", 2)],
        trigrams=[("乙", "丙", "丁", 20), ("甲乙", "丙", "丙", 40)],
    )
    native = Segmenter(lexicon, decoder="trigram")
    assert native.cut("甲乙丙") == ["甲乙", "丙"]
    assert native.cut("甲乙丙丁") == ["甲", "乙", "丙", "丁"]  # 丁 decides two words back
    for phase in range(4):
        text = "丁" * phase + "甲乙丙丁" * 400
        assert native.cut(text) == ["丁"] * phase + ["甲", "乙", "丙", "丁"] * 400


def test_ties_from_the_left_have_no_kinds_of_an_earlier_text() -> None:
    words = {"甲乙": 1, "乙丙": 1, "甲": 1, "丙": 1}
    s = Segmenter(Lexicon.build([(w, n, "") for w, n in words.items()], profile="jieba"))
    text = "甲乙丙" * 10
    want = " ".join(["甲乙", "丙"] * 10)
    assert s.cut_bytes(text.encode()).decode() == want
    s.cut("\n" * 40)  # leaves line ends in the working memory of calls
    assert s.cut_bytes(text.encode()).decode() == want
