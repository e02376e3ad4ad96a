"""What text of today does to the words of a lexicon, and which raw text it is."""

from __future__ import annotations

import lzma
import sys
from collections import Counter
from typing import TYPE_CHECKING

from places import ROOT

from recipes import raw
from segmenter.train.counts import ClassMap

sys.path.append(str(ROOT / "dicts"))

import today
from today import Today

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def counted(*sentences: str, ngrams: bool = True, words: tuple[str, ...] = ()) -> Today:
    token = ClassMap(Counter({"师尊": 1}))
    return Today.count([s.split() for s in sentences], token, words, ngrams=ngrams)


def test_words_pairs_and_divisions_are_counted() -> None:
    today_counts = counted("师尊 闭关", "师 尊 在", words=("师尊",))
    assert (
        today_counts.one["师尊"],
        today_counts.apart["师尊"],
        today_counts.two["师尊", "闭关"],
    ) == (1, 1, 1)
    assert today_counts.share("师尊") == 0.5
    alone = counted("师尊 闭关", "师 尊 在", words=("师尊",), ngrams=False)
    assert (alone.one["师尊"], alone.apart["师尊"], alone.words()) == (1, 1, 5)
    assert not alone.two


def test_words_that_text_alone_brings() -> None:
    today_counts = counted(*["师尊 闭关 12 次 又"] * 10, "师 尊", "闭 关", ngrams=False)
    assert today_counts.new_words({"闭关"}) == ["师尊"]
    rarely = counted(*["师尊 闭关"] * 5, ngrams=False)
    assert rarely.new_words(set()) == []
    apart = counted(*["师尊 闭关"] * 10, *["师 尊"] * 5, words=("师尊",), ngrams=False)
    assert apart.new_words(set()) == ["闭关"]
    several = counted(*["以後 後勤 闭关"] * 20, ngrams=False)
    assert several.new_words(set()) == ["闭关"]
    assert not several.misses("以後")


def test_an_own_phrase_that_no_text_has_whole() -> None:
    terms = {"嘴替", "互联网嘴替", "具身智能"}
    today_counts = counted(*["互联网 嘴替"] * today.NEVER, *["具身 智能"] * 9, words=tuple(terms))
    lexicon = {*terms, "互联网", "具身", "智能"}
    assert today_counts.phrases(terms, lexicon) == ["互联网嘴替"]
    assert today_counts.phrases(terms, lexicon - {"互联网"}) == []
    counts_whole = counted("互联网嘴替", *["互联网 嘴替"] * 9, words=tuple(terms))
    assert counts_whole.phrases(terms, lexicon) == []


def test_the_rest_is_what_the_sample_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"这是第{chr(0x4E00 + i)}句话。" for i in range(50)]
    with lzma.open(tmp_path / "a.txt.xz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    monkeypatch.setattr(raw, "MOST", 20)
    sampled = [line.text for line in raw.sample(tmp_path)]
    left = [line.text for line in raw.sample(tmp_path, rest=True)]
    assert (len(sampled), len(left)) == (20, 30)
    assert sorted(sampled + left) == sorted(lines)
