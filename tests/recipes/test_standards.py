"""The network of all standards: what of its lessons reaches the file."""

from __future__ import annotations

import types

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are trained with torch")

from recipes import standards
from segmenter.train import bilstm, bilstm_text
from segmenter.train.tagging import bilstm_crf, features


def test_every_word_that_was_learnt_with_is_in_the_file() -> None:
    # 北京 begins no longer word: in a linear tagger's file only its pair tells of it
    classes = {"general": {"研究": 3, "研究所": 2, "北京": 1}, "ctb": {"北京": 0}}
    vocab = bilstm_text.vocabulary([[["研究所", "在", "北京"]]], pairs=4)
    options = bilstm.BilstmOptions(bilstm.Shape(char_size=2, pair_size=2, word_size=2, hidden=2))
    model = bilstm.BilstmCrf(options, vocab, 4, ["general", "ctb"])
    linear = dict.fromkeys(classes, "a.model")
    lessons = standards.Lessons(vocab, [], classes, 4)
    got = standards.arrays(model, lessons, linear, {"general": 2.0})
    words = got["words"].tobytes().decode().split("\n")
    assert sorted(words) == ["北京", "研究", "研究所"]
    assert dict(zip(words, got["word_class_general"].tolist(), strict=True)) == classes["general"]
    assert got["word_class_ctb"].tolist().count(0xFFFF) == 2


def test_a_linear_tagger_stands_beside_a_standard() -> None:
    def standard(linear: str) -> bilstm_crf.Standard:
        a = np.ones(1)
        return bilstm_crf.Standard((a, a), a, a, np.ones((4, 4)), np.ones(4), a, linear)

    trained = types.SimpleNamespace(
        standards={"general": standard("a.model"), "ctb": standard("b.model")}
    )
    tagger = types.SimpleNamespace(trans=np.full((4, 4), 6.0), start=np.full(4, 8.0))
    taggers = {"a.model": tagger, "b.model": tagger}
    standards.join_taggers(trained, taggers, {"general": 0.5})
    general, ctb = trained.standards["general"], trained.standards["ctb"]
    assert (general.linear_weight, ctb.linear_weight) == (0.5, 0.0)
    assert (general.transitions == 4.0).all()
    assert (general.start == 5.0).all()
    assert (ctb.transitions == 1.0).all()


def test_repeated_sentences_have_the_folds_of_the_training_text() -> None:
    folds = np.array([0, 7], np.uint8)
    repeated = [["今", "天"], ["没有"], ["来"]]
    got = standards.same_folds(repeated, [["今天"], ["来"]], folds)
    assert got.tolist() == [0, features.FULL, 7]
