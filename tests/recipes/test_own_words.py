"""The project's list of words of today."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from recipes import own_words
from segmenter.tagging import features
from segmenter.train import tagger

if TYPE_CHECKING:
    from pathlib import Path

    from segmenter.tagging import model as form

LIST = """
他 我 你 的 了 在 是 有 说 去 来 一 个 北京 上海 大学 北京大学 学生 研究 研究生 生命 起源 中国
人民 大会 今天 天气 很 好 不错 图书馆 图书 里 看书 苹果 手机 ， 。
"""
WORDS = LIST.split()


def sentences(n: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    weights = [1 / (1 + k % 17) for k in range(len(WORDS))]
    return [rng.choices(WORDS, weights, k=rng.randint(1, 14)) for _ in range(n)]


def test_compounds_of_a_term_and_a_known_word_are_no_terms() -> None:
    text = [["投资", "基金", "大学"]] * 3 + [["大学城"]]
    own = {
        "私募": "n",
        "私募基金": "n",
        "慕课": "n",
        "慕课大学": "nz",
        "大学城": "n",
        "云大学": "n",
    }
    assert own_words.opaque(own, text) == own.keys() - {"私募基金"}


def test_own_lists_are_folded_and_short(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("慕课\tn\nＡＰＰ\tn\n一\tm\n" + "长" * 9 + "\tn\n", encoding="utf-8")
    assert own_words.read_terms(path) == {"慕课": "n", "app": "n"}


def test_favoured_terms_stay_whole() -> None:
    # 生研 stands in the text often, as the end of 学生 and the beginning of 研究: never a word
    own = {"生研", "慕课", "慕课网"}
    source = features.Source("lists", dict.fromkeys(own, 3), 3, 2, 1)
    options = tagger.Options(epochs=5, exposures=60)
    exposed = tagger.train(sentences(400, 1), sentences(60, 2), [source], options, terms=own).model

    def gain(before: form.LinearModel, after: form.LinearModel, word: str) -> float:
        tags = [0, *[1] * (len(word) - 2), 2]
        rows = range(len(word))
        text = "在" + word + "。"
        return sum(
            float(features.emissions(m, text)[1 + i, t]) * sign
            for m, sign in ((after, 1.0), (before, -1.0))
            for i, t in zip(rows, tags, strict=True)
        )

    favoured = own_words.favour(
        exposed, [own_words.Favour({"慕课"}, 2.0, 9.0), own_words.Favour(own, 7.0, 9.0)]
    )
    assert gain(exposed, favoured, "慕课") == pytest.approx(4, abs=0.01)
    assert gain(exposed, favoured, "慕课网") == pytest.approx(3 * 7 + 2, abs=0.01)  # 慕: B of both
    assert gain(exposed, favoured, "生研") == pytest.approx(0, abs=1e-9)
    assert gain(exposed, favoured, "北京大学") == pytest.approx(0, abs=1e-9)  # known from the text
    assert favoured.meta["favoured"] == 2
