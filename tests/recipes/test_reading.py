"""What the students learn from: the chances of boundaries, and marked entities in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch", reason="chances are gradients of torch")

from recipes import entities, reading
from recipes.raw import Line
from segmenter import load

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["他说的确实在理", "南京市长江大桥", "在", "他才能终于得到发挥"]


def test_chances_are_those_of_the_cut() -> None:
    s = load("balanced")
    probabilities = reading.chances(s, TEXTS)
    for text, chance in zip(TEXTS, probabilities, strict=True):
        assert chance.shape == (len(text),)
        assert ((chance >= 0) & (chance <= 1.0001)).all()
        assert chance[-1] == pytest.approx(1, abs=1e-4)
        ends = np.cumsum([len(w) for w in s.cut(text)])
        assert chance[ends - 1].min() > 0.3
    (alone,) = reading.chances(s, TEXTS[:1])
    np.testing.assert_allclose(alone, probabilities[0], atol=1e-5)


def test_what_nobody_is_sure_of_is_open() -> None:
    row = reading.labelled(entities.Marked("", "走进来吧", []), np.array([0.5, 0.95, 0.2, 1.0]))
    assert row.words == ["走进", "来吧"]
    assert list(row.unsure) == [0, 2]


def test_edges_of_entities_are_sure_and_what_crosses_them_opens() -> None:
    chance = np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    row = reading.labelled(entities.Marked("", "买港风帆布", [(1, 4)]), chance)
    assert (
        row.words == ["买", "港风", "帆", "布"] or 3 in np.cumsum([len(w) for w in row.words]) - 1
    )


def test_so_many_sentences_of_a_file_and_none_of_old_text(tmp_path: Path) -> None:
    lines = [Line("weekly", f"第{i}句 的话") for i in range(5)] + [Line("novels-old", "且听下回")]
    texts = list(reading.of_general(lines, tmp_path, 2))
    assert [x.text for x in texts] == ["第0句", "的话", "第1句", "的话"]
    assert len(list(reading.of_convention(lines, "pku", 6))) == 4
