"""Measure words of the Sinica treebank."""

from __future__ import annotations

import pytest

from recipes.measure_words import parted


@pytest.mark.parametrize(
    ("word", "theirs", "wanted"),
    [
        ("一條", "一 條", "一 條"),
        ("這幾天", "這 幾 天", "這 幾 天"),
        ("第一次", "第一 次", "第一 次"),
        ("一起", "一起", "一起"),  # a word of both
        ("這個", "這個", "這 個"),  # of the Chinese Treebank alone
        ("一條條", "一 條條", "一條條"),
        ("二十世紀", "二十 世紀", "二十世紀"),
        ("一方面", "一 方面", "一方面"),
        ("小木屋", "小 木屋", "小木屋"),  # neither number nor determiner
        ("十月", "十月", "十月"),
    ],
)
def test_numbers_and_determiners_stand_alone(word: str, theirs: str, wanted: str) -> None:
    cut = {f"他{word}來": ["他", *theirs.split(), "來"]}.__getitem__
    assert parted(["他", word, "來"], cut) == ["他", *wanted.split(), "來"]
