"""The network of all standards: what of its lessons reaches the file."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are trained with torch")

from recipes import standards
from segmenter.train import bilstm, bilstm_text
from segmenter.train.tagging import features


def test_every_word_that_was_learnt_with_is_in_the_file() -> None:
    # 北京 begins no longer word: in a linear tagger's file only its pair tells of it
    classes = {"general": {"研究": 3, "研究所": 2, "北京": 1}, "ctb": {"北京": 0}}
    vocab = bilstm_text.vocabulary([[["研究所", "在", "北京"]]], pairs=4)
    options = bilstm.BilstmOptions(bilstm.Shape(char_size=2, pair_size=2, word_size=2, hidden=2))
    model = bilstm.BilstmCrf(options, vocab, 4, ["general", "ctb"])
    linear = {s: ("a.model", 0.0, np.zeros((4, 4)), np.zeros(4)) for s in classes}
    of = standards.Lessons(vocab, [], classes, 4)
    got = standards.arrays(model, of, linear, {"general": 2.0})
    words = got["words"].tobytes().decode().split("\n")
    assert sorted(words) == ["北京", "研究", "研究所"]
    assert dict(zip(words, got["word_class_general"].tolist(), strict=True)) == classes["general"]
    assert got["word_class_ctb"].tolist().count(0xFFFF) == 2


def test_repeated_sentences_have_the_folds_of_the_training_text() -> None:
    folds = np.array([0, 7], np.uint8)
    again = [["今", "天"], ["没有"], ["来"]]
    got = standards.same_folds(again, [["今天"], ["来"]], folds)
    assert got.tolist() == [0, features.FULL, 7]
