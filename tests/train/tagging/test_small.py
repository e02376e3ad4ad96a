"""Valid corpora that are small or odd: a model that cuts, or an error that says what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name
from segmenter.train import pos
from segmenter.train.command import train_tagger

if TYPE_CHECKING:
    from pathlib import Path

CORPORA = {
    "the same line": "在 理\n" * 100,
    "one character a line": "在\n" * 100,
    "words of one character": "他 说 的 在 理\n" * 30,
    "words of two characters": "他说 在理\n" * 30,
    "punctuation": "。 ，\n" * 30,
    "digits": "123 45\n" * 30,
    "letters": "ab cd\n" * 30,
    "emoji": "👍 👍🏽\n" * 10,
    "one word": "在理\n" * 100,
    "blank lines": "\n\n在 理\n\n" * 10,
}
TOO_LITTLE = {
    "one line": "在 理\n",
    "one word": "在理\n",
    "one character": "在\n",
    "no character twice": "".join(
        f"{chr(0x4E00 + i)}{chr(0x5000 + i)} {chr(0x6000 + i)}\n" for i in range(60)
    ),
}


@pytest.mark.parametrize("algorithm", ["perceptron", "crf", "hmm"])
@pytest.mark.parametrize("text", CORPORA.values(), ids=CORPORA)
def test_a_model_that_cuts(tmp_path: Path, text: str, algorithm: str) -> None:
    (tmp_path / "text.txt").write_text(text, "utf-8")
    trained = train_tagger(
        algorithm, [tmp_path / "text.txt"], out=tmp_path / "out", epochs=2, progress=False
    )
    segmenter = load_by_name(trained.compiled)
    for line in {"他说的在理123ab。👍", *text.splitlines()}:
        plain = line.replace(" ", "")
        assert "".join(segmenter.cut(plain)) == plain


@pytest.mark.parametrize("algorithm", ["perceptron", "crf"])
@pytest.mark.parametrize("text", TOO_LITTLE.values(), ids=TOO_LITTLE)
def test_too_little_text_is_refused(tmp_path: Path, text: str, algorithm: str) -> None:
    (tmp_path / "text.txt").write_text(text, "utf-8")
    with pytest.raises(ArgumentError, match=r"sentences: too little to learn from: .*more text"):
        train_tagger(algorithm, [tmp_path / "text.txt"], out=tmp_path / "out", progress=False)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_crf_learns_from_a_very_long_line_alone(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(" ".join("他说的在理" * 500) + "\n", "utf-8")
    trained = train_tagger("crf", [tmp_path / "text.txt"], out=tmp_path / "out", progress=False)
    assert load_by_name(trained.compiled).cut("他说的在理") == list("他说的在理")


def test_a_crf_on_a_very_long_line_among_others_is_refused(tmp_path: Path) -> None:
    long_line = " ".join("他说的在理" * 500) + "\n"
    (tmp_path / "text.txt").write_text("他说 的 在理\n" * 50 + long_line, "utf-8")
    with pytest.raises(ArgumentError, match=r"sentences: the weights of the CRF overflow, .*cut"):
        train_tagger("crf", [tmp_path / "text.txt"], out=tmp_path / "out", progress=False)


def test_a_part_of_speech_tagger_needs_a_word_that_recurs(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("他/r 说/v\n他/r 说/v\n12/m\n", "utf-8")
    with pytest.raises(ArgumentError, match=r"sentences: too little .* no word occurs 3 times"):
        pos.train_files([tmp_path / "text.txt"], tmp_path / "pos.model")
    assert not (tmp_path / "pos.model").exists()
    (tmp_path / "text.txt").write_text("他/r 说/v\n" * 3, "utf-8")
    trained = pos.train_files([tmp_path / "text.txt"], tmp_path / "pos.model")
    assert trained.tags(["他", "说"]) == ["r", "v"]
