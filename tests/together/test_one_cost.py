"""One cost: what cut chooses by is what nbest, dag, explain and the page charge."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import atom_cases
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import Segmenter, load
from segmenter.atoms import NAMES
from segmenter.choices import DECODERS, LATTICE, TAGGERS
from segmenter.lexicon import Lexicon
from segmenter.serve import graph
from segmenter.serve.gallery import Gallery

SCORED = [d for d in DECODERS if not d.endswith("-max")]
COUNTED = [d for d in LATTICE if d in SCORED]
PIECES = [*atom_cases.PIECES, *worlds.PIECES]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | worlds.any_text
LINES = [
    "他说的确实在理", "见https://a.cn/b，v2.0.1在10:30发布", "研究生命起源的确实在日日日月份",
    "#双十一#@张三 卡拉ok 3.14 50%", "中华人民共和国人民民共和国", "5kg十二月三十一日T恤",
]  # fmt: skip
SETTINGS: list[dict[str, str]] = [
    {},
    dict.fromkeys(NAMES, "model"),
    {n: "split" for n in NAMES if n != "emoji"},
]
WORDS: list[list[Any]] = [
    [],
    ["的确实", ("说的", 1e5), ("在理", "delete"), ("日月", "force"), ("b，v", "prefer")],
    [("华人", "force"), ("研究生", 1e6), ("的确", 0.5), ("人民", "delete"), "a.cn"],
]
JIEBA = Lexicon.build([(w, n, "x") for w, n in worlds.COUNTS.items()], profile="jieba")


@cache
def segmenters_of(decoder: str) -> list[Segmenter]:
    variants = []
    for rules in SETTINGS:
        segmenters = [load("fast", decoder=decoder, atoms=rules)]
        if decoder in LATTICE:
            segmenters.append(Segmenter(worlds.lexicon(), decoder=decoder, atoms=rules))
            segmenters.append(load("fast", decoder=decoder, atoms=rules, oov="hmm", skip=["space"]))
        for segmenter_other in segmenters:
            variants += [segmenter_other.replace(words) for words in WORDS]
    if decoder in ("unigram", "shortest", "n-shortest"):
        variants.append(Segmenter(JIEBA, decoder=decoder))
    return variants


def check(segmenter: Segmenter, text: str) -> None:
    for n in (1, 4):
        paths = segmenter.nbest(text, n)
        assert paths[0][0] == segmenter.cut(text)
        scores = [score for _, score in paths]
        assert scores == sorted(scores, reverse=True)
    # (letters that are joined after decoding, as jieba does it, are not edges)
    joined = segmenter.tagger is None and segmenter.lexicon is JIEBA
    if segmenter.decoder == "unigram" and segmenter.oov == "chars" and not joined:
        paid = sum(row["cost"] for row in segmenter.explain(text).rows)  # type: ignore[misc]
        assert paid == pytest.approx(-paths[0][1], abs=1e-9)
        decided = segmenter.dag(text, decided=True)
        best = [(words, -cost / 2048.0) for words, cost in decided.n_best(4, "unigram")]
        assert best == paths


@pytest.mark.parametrize("decoder", SCORED)
def test_the_first_of_nbest_is_the_cut(decoder: str) -> None:
    for segmenter in segmenters_of(decoder):
        for line in LINES:
            check(segmenter, line)
    pick = random.Random(decoder)
    long = "".join(pick.choices(PIECES, k=900))
    check(pick.choice(segmenters_of(decoder)), long)

    @settings(max_examples=40)
    @given(texts, st.integers(0, 1000))
    def anything(text: str, number: int) -> None:
        check(segmenters_of(decoder)[number % len(segmenters_of(decoder))], text)

    anything()


@pytest.mark.parametrize("decoder", COUNTED)
def test_what_is_decided_costs_nothing(decoder: str) -> None:
    segmenter = load("fast", decoder=decoder)
    text = "见https://a.cn/b"
    alone = segmenter.nbest("见", 1)[0][1]
    with_url = segmenter.nbest(text, 1)[0][1]
    if decoder == "shortest":
        assert (alone, with_url) == (-1.0, -2.0)
    elif decoder in ("unigram", "n-shortest"):
        assert with_url == alone
    by_span = {(e.start, e.end): e for e in segmenter.dag(text, decided=True).edges}
    assert list(by_span) == [(0, 1), (1, len(text))]
    assert by_span[1, len(text)].cost == 0
    assert segmenter.explain(text).rows[1]["cost"] == 0


@pytest.mark.parametrize("decoder", TAGGERS)
def test_a_score_is_none_where_there_is_no_other_way(decoder: str) -> None:
    segmenter = load(decoder=decoder)
    assert [t.score for t in segmenter.tokenize("他")] == [None]
    assert [t.score for t in segmenter.tokenize("iPhone \n")] == [None, None, None]
    forced = segmenter.with_words([("确实", "force")]).tokenize("他说的确实在理")
    for score in [t.score for t in forced] + [t.score for t in segmenter.tokenize("他说的确实")]:
        assert score is None or 0 <= score < 1e4


def test_the_parts_of_an_atom_are_no_words_that_are_not_there() -> None:
    for decoder in ("unigram", "perceptron"):
        for rule, text in [("version", "v2.0.1"), ("time", "10:30"), ("ip", "192.168.1.1")]:
            segmenter = load("fast", decoder=decoder, atoms={rule: "split"})
            words_found = segmenter.cut_all(text)
            assert {t.text for t in words_found} <= {"v", *".:", *"0123456789"}
            for token in words_found:
                assert token.text in segmenter.lexicon
                count = segmenter.lexicon.native.cost(token.text)
                assert token.score == -count / 2048.0
            by_span = {(e.start, e.end): e for e in segmenter.dag(text).edges}
            assert {(t.start, t.end) for t in segmenter.tokenize(text)} <= set(by_span)


def test_the_page_says_the_same() -> None:
    gallery = Gallery.of("fast", atoms={"date": "split"})
    for words in ("", "的确实\n说的=100000\n在理=delete\n他|说=split"):
        drawn = graph.picture(gallery, "他说的确实在理，2026-11-21见a.cn", words)
        unigram = next(d for d in drawn["decoders"] if d["name"] == "unigram")
        assert unigram["cost"] == pytest.approx(-unigram["score"])
        assert drawn["costs"][-1] == pytest.approx(unigram["cost"])
        few = next(d for d in drawn["decoders"] if d["name"] == "n-shortest")
        assert few["cost"] == pytest.approx(-few["score"])
        for d in drawn["decoders"]:
            assert d["cost"] is None or d["cost"] >= unigram["cost"] - 1e-9
