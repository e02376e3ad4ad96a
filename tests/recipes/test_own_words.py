"""The project's list of words of today."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recipes import linear, partial, word_lists
from segmenter import artifact
from segmenter.loading import load_by_name
from segmenter.text.chars import fold_str
from segmenter.train.partial import Partly
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.model import KIND, LENGTHS, ROLES, LinearModel
from segmenter.train.tagging.scheme import FOUR, allowed

if TYPE_CHECKING:
    from pathlib import Path


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
    terms = {
        "私募": "n",
        "私募基金": "n",
        "慕课": "n",
        "慕课大学": "nz",
        "大学城": "n",
        "云大学": "n",
    }
    assert linear.opaque(terms, text) == terms.keys() - {"私募基金"}


def test_own_lists_are_folded_and_short(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("慕课\tn\nＡＰＰ\tn\n一\tm\n" + "长" * 9 + "\tn\n", encoding="utf-8")
    assert word_lists.read_terms(path) == {"慕课": "n", "app": "n"}


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (["买", "了", "Ａ", "股"], ["买", "了", "Ａ股"]),  # width and case are folded,
        (["他", "發", "微", "信"], ["他", "發微信"]),  # and so are variants
        (["第", "二百六十六", "条"], ["第二百六十六", "条"]),
        (["第", "三", "条"], ["第", "三", "条"]),
        (["Ａ", "股价"], ["Ａ", "股价"]),  # no boundary after the word
    ],
)
def test_words_of_the_list_are_whole(words: list[str], whole: list[str]) -> None:
    own_words = partial.OwnWords({"a股", "发微信"}, lambda text: fold_str(text).replace("發", "发"))
    assert own_words.joined(Partly(words, []), leave_open=False).words == whole


def test_gold_of_another_convention_leaves_them_open() -> None:
    own_words = partial.OwnWords({"a股"}, fold_str)
    row = own_words.joined(Partly(["买", "A", "股"], []), leave_open=True)
    assert (row.words, row.unsure) == (["买", "A", "股"], [1])


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (set(), "我 在 字 节 跳 动 吃 瓜"),
        ({"字节跳动"}, "我 在 字节跳动 吃 瓜"),
        ({"字节跳动", "吃瓜"}, "我 在 字节跳动 吃 瓜"),  # short ones are left to the tagger
        ({"字节跳舞", "吃瓜群"}, "我 在 字 节 跳 动 吃 瓜"),
        ({"节跳动"}, "我 在 字 节跳动 吃 瓜"),
    ],
)
def test_a_tagger_insists_on_words_that_it_has_and_on_words_that_are_new(
    words: set[str], whole: str, tmp_path: Path
) -> None:
    chars = sorted("我在字节跳动吃瓜")
    uni = np.zeros((len(chars), 4, 4))
    uni[:, 2, 3] = 0.4  # single characters
    legal = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
    model = LinearModel(
        start=np.array([0.0, -50.0, -50.0, 0.0]),
        trans=np.where(legal, 0.0, -50.0),
        chars=chars,
        uni=uni,
        words=["吃瓜", "字节"],
        word_class=np.zeros(2, np.int64),
        match=np.zeros((1, LENGTHS, ROLES, 4)),
        groups=np.zeros(1, np.int64),
    )
    insisting = linear.insist(model, words, 2.0)
    listed = {w for w in words if len(w) > 2 and set(w) <= set(chars)}
    assert set(insisting.words) == {"吃瓜", "字节", *listed}
    path = tmp_path / "insisting.model"
    artifact.write(path, KIND, *compile_model(insisting))
    assert " ".join(load_by_name(str(path)).cut(whole.replace(" ", ""))) == whole
