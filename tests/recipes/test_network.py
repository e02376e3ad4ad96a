"""What the recipe of the network gives to its training."""

from __future__ import annotations

import numpy as np
import pytest

from segmenter.train.tagging import features

pytest.importorskip("torch", reason="training a BiLSTM-CRF needs torch, see the extra train")

from recipes import network


def test_repeated_sentences_have_the_folds_of_the_training_text() -> None:
    folds = np.array([0, 7], np.uint8)
    again = [["今", "天"], ["没有"], ["来"]]
    got = network.same_folds(again, [["今天"], ["来"]], folds)
    assert got.tolist() == [0, features.FULL, 7]
