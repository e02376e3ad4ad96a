"""Marks read like the end of the text: a sentence's words do not hang on its punctuation."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from segmenter import artifact, load
from segmenter.errors import ArgumentError
from segmenter.train.adapt import AdaptOptions, adapt
from segmenter.train.partial import Partly
from segmenter.train.tagger import TaggerOptions, train
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.features import MARKS, FeatureOptions

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("他", "说", "的", "确实", "在理", "在", "的确", "理", "人", "人们", "实在", "来", "往来")


def sentences(count: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    sentences_made = []
    for _ in range(count):
        words = [rng.choice(WORDS) for _ in range(rng.randint(2, 9))]
        for _ in range(rng.randint(0, 3)):
            words.insert(rng.randint(0, len(words)), rng.choice(MARKS + "、（）"))
        sentences_made.append(words)
    return sentences_made


@pytest.fixture(scope="module", params=["crf", "perceptron"])
def model(request: pytest.FixtureRequest) -> form.LinearModel:
    options = TaggerOptions(request.param, FeatureOptions(min_pair=1, marks=MARKS), epochs=3)
    partly = [[Partly(words, [0]) for words in sentences(50, 2)]]
    return train(sentences(300, 1), options=options, partly=partly).model


def test_words_of_a_sentence_do_not_hang_on_marks_around_it(
    model: form.LinearModel, tmp_path: Path
) -> None:
    path = tmp_path / "marks.model"
    artifact.write(str(path), form.KIND, *compile_model(model))
    cut = load(str(path)).cut
    rng = random.Random(3)
    moved = 0
    for _ in range(300):
        text = "".join(rng.choice("他说的确实在理人们来往") for _ in range(rng.randint(1, 12)))
        words = cut(text)
        for before, after in (("", "。"), ("", "！"), ("“", "”"), ("：", ""), ("，", "？”")):
            assert cut(before + text + after) == [*before, *words, *after]
        moved += cut("人" + text)[1:] != words
    assert moved, "the words depend on nothing around them: the test shows nothing"


def test_marks_are_for_the_own_trainers() -> None:
    with pytest.raises(ArgumentError, match="marks: "):
        TaggerOptions("hmm", FeatureOptions(marks=MARKS))


def test_adapted_models_keep_their_marks(model: form.LinearModel, tmp_path: Path) -> None:
    new = [["确", "实在", "理"], ["他", "确", "实在", "。"]] * 20
    got = adapt(model, new, options=AdaptOptions(epochs=3)).model
    path = tmp_path / "adapted.model"
    artifact.write(str(path), form.KIND, *compile_model(decompile_again(got, tmp_path)))
    cut = load(str(path)).cut
    assert cut("确实在理") == ["确", "实在", "理"]
    for before, after in (("", "。"), ("“", "”"), ("：", "！")):
        assert cut(before + "确实在理" + after) == [*before, "确", "实在", "理", *after]


def decompile_again(model: form.LinearModel, folder: Path) -> form.LinearModel:
    path = folder / "once.model"
    artifact.write(str(path), form.KIND, *compile_model(model))
    return decompile(artifact.open(str(path)))
