"""Partly labelled text of the recipes: written sentences, projected gold, votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recipes import linear, partial, votes
from recipes.raw import Line
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.train import tagger
from segmenter.train.partial import Partly, join
from segmenter.train.tagging.features import FeatureOptions

if TYPE_CHECKING:
    from pathlib import Path


def test_every_written_sentence_can_be_read() -> None:
    found = partial.read_written(str)
    assert len(found) > 6000
    for sentence in found:
        assert all(sentence.words)
        assert all(0 <= i < len(sentence.text) - 1 for i in sentence.unsure)


@pytest.mark.parametrize("line", ["他  说", "他 / 说", "/他说", "他//说"])
def test_a_line_with_an_empty_word_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"他 说\n{line}\n", encoding="utf-8")
    with pytest.raises(DictionaryError, match=r"a\.txt, line 2"):
        partial.read_written(str, tmp_path)


def test_gold_decides_where_words_overlap() -> None:
    cut = {"老师生前来": ["老师", "生前", "来"]}.__getitem__
    (got,) = partial.project([["老", "师生", "前来"]], cut, str)
    # 老|师生|前来 and 老师|生前|来 share no boundary: nothing of it is convention
    assert got.words == ["老", "师生", "前来"]
    assert not got.unsure


def test_a_finer_cut_is_left_open() -> None:
    (got,) = partial.project([["第", "三", "次"]], lambda text: [text], str)
    assert got.words == ["第三次"]
    assert got.unsure == [0, 1]


def test_the_vote_of_two_against_one() -> None:
    line = Line("weekly", "才能终于得到")
    joined, apart = (np.array([x, 1, 0, 1, 0, 1], np.uint8) for x in (0, 1))

    def vote(first: Any, wapic: Any, bigram: Any) -> list[Partly]:
        labels = {"first": first, "wapic": wapic, "bigram": bigram}
        return list(votes.voted([line], labels, votes.FIRST, str))

    (got,) = vote(joined, joined, apart)  # 0.9: the lattice alone
    assert got == Partly(["才能", "终于", "得到"], [])
    (got,) = vote(apart, joined, apart)  # 2.2
    assert got == Partly(["才", "能", "终于", "得到"], [])
    (got,) = vote(apart, joined, joined)  # 1.3: the first tagger alone leaves it open
    assert got.unsure == [0]


def test_lines_end_at_blanks_and_old_books_are_left_out() -> None:
    lines = [Line("weekly", "你好 世界"), Line("novels-old", "话说")]
    ends = np.array([0, 1, 1, 0, 1, 0, 1], np.uint8)
    labels = dict.fromkeys(votes.FIRST.weights, ends)
    got = list(votes.voted(lines, labels, votes.FIRST, str))
    assert [x.words for x in got] == [["你好"], ["世界"]]


def test_labels_follow_a_cutter_that_drops_blanks() -> None:
    assert votes.label(["你好 世界"], str.split).tolist() == [0, 1, 1, 0, 1]
    with pytest.raises(ArgumentError, match="does not stand"):
        votes.label(["你好"], lambda _: ["再见"])


def test_carried_words_have_no_weights() -> None:
    text = [["他", "说"], ["北京", "大学"]] * 6
    options = tagger.TaggerOptions(features=FeatureOptions(min_pair=1), epochs=2)
    model = tagger.train(text, options=options).model
    more = linear.carry(model, ["研究所", "北京"])
    assert more.words == sorted([*model.words, "研究所"])
    place = more.words.index("研究所")
    assert not more.match[more.word_class[place]].any()
    known = model.words.index("北京")
    assert more.word_class[more.words.index("北京")] == model.word_class[known]


def test_folds_hold_a_part_of_every_text() -> None:
    got = join([["他"]] * 20, [[Partly(["说"])] * 20])
    assert np.bincount(got.folds[:20], minlength=10).tolist() == [2] * 10
    assert np.bincount(got.folds[20:], minlength=10).tolist() == [2] * 10
