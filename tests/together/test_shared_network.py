"""The standards of the shipped BiLSTM-CRF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from segmenter import artifact, load
from segmenter.choices import STANDARDS
from segmenter.cli.options import MORE_STANDARDS
from segmenter.serve.settings import CHOICES

if TYPE_CHECKING:
    from segmenter.choices import Standard

MODEL = Path(__file__).resolve().parents[2] / "models" / "accurate.model"


def test_every_list_of_standards_has_those_of_the_file() -> None:
    standards = set(artifact.open(str(MODEL)).meta["standards"])
    assert {*STANDARDS, *MORE_STANDARDS} == standards
    assert set(CHOICES["standard"]) - {""} == standards


@pytest.mark.parametrize(
    ("standard", "words"),
    [("as", "這 種 情況 我 看 過 兩 次"), ("sinica", "這種 情況 我 看 過 兩次")],
)
def test_measure_words_are_apart_in_as_alone(standard: Standard, words: str) -> None:
    text = words.replace(" ", "")
    assert load("accurate", standard=standard).cut(text) == words.split()


@pytest.mark.parametrize(
    ("standard", "words"),
    [
        ("sxu", "他 1959 年 3 月 出生"),
        ("ud", "他 1959 年 3 月 出生"),
        ("ctb", "他 1959年 3月 出生"),
        ("sxu", "二十 世纪 八十 年代"),
    ],
)
def test_dates_are_cut_as_in_the_corpus(standard: Standard, words: str) -> None:
    text = words.replace(" ", "")
    assert load("accurate", standard=standard).cut(text) == words.split()
