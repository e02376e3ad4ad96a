"""Words that cross annotated entities: which they are, and what is left of their counts."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from places import ROOT

import segmenter
from segmenter.lexicon import Lexicon

if not (ROOT / "dicts").is_dir():
    pytest.skip("dicts/ is not here (an installed package)", allow_module_level=True)
# At the end: an installed package must win over the checkout's folder of the same name.
sys.path += [str(ROOT), str(ROOT / "dicts")]

import crossing

from recipes.entities import Marked

WORDS = [
    ("城关镇", 2.0, "ns"),
    ("镇上", 40.0, "s"),
    ("上街村", 2.0, "ns"),
    ("街村", 5.0, "ns"),
    ("城关", 5.0, "ns"),
    ("<s>", 50.0, ""),
]
SENTENCES = [Marked("address", "城关镇上街村", [(0, 3), (3, 6)], ("town", "village"))] * 10
PAIRS: dict[Any, float] = {("镇上", "街村"): 4.0, ("城关", "镇上"): 50.0, ("<s>", "城关镇"): 4.0}


def built(triples: dict[Any, float]) -> Any:
    """What ``dicts/build.py`` makes of a standard."""
    return SimpleNamespace(words={"text": list(WORDS)}, pairs=dict(PAIRS), triples=triples)


def test_a_word_that_crosses_edges_is_found() -> None:
    words = [row for row in WORDS if row[0] != "<s>"]
    lexicon = Lexicon.build(words, bigrams=[("城关", "镇上", 2.0)])
    assert segmenter.Segmenter(lexicon, decoder="unigram").cut("城关镇上街村") == [
        "城关",
        "镇上",
        "街村",
    ]
    assert crossing.crossing_words(lexicon, SENTENCES, {"镇上": 40.0}) == {"镇上"}
    # it is known from so much other text that ten sentences do not count
    assert crossing.crossing_words(lexicon, SENTENCES, {"镇上": 400.0}) == set()


def test_counts_of_such_words_are_lowered_with_their_pairs() -> None:
    made = built({("城关", "镇上", "街村"): 6.0})
    crossing.lower(made, {"镇上"})
    counts = {word: count for word, count, _ in made.words["text"]}
    assert counts == {**{word: count for word, count, _ in WORDS}, "镇上": 12.0}
    assert made.pairs == {("城关", "镇上"): 15.0, ("<s>", "城关镇"): 4.0}
    assert made.triples == {}


def test_entities_are_whole_after_the_rounds() -> None:
    made = built({})
    crossing.doubt_crossing(made, "general", SENTENCES)
    words = [row for row in made.words["text"] if row[0] != "<s>"]
    lexicon = Lexicon.build(words)
    assert segmenter.Segmenter(lexicon, decoder="unigram").cut("城关镇上街村") == [
        "城关镇",
        "上街村",
    ]
