"""The bonus for boundaries changes the standard ``general`` of two files and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch", reason="the module of the students trains networks with torch")

from recipes import students
from recipes.work import Work
from segmenter import artifact
from segmenter.loading import load_by_name
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.model import KIND, LinearModel
from segmenter.train.tagging.scheme import ENDS, FOUR, allowed

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "他在北京"
#: Nats for 他在 and for 北京 as a word: less than a bonus, and more.
NARROW, WIDE = 0.1, 3.0


def tagger(folder: Path) -> None:
    uni = np.zeros((len(TEXT), 4, 4))
    for first, nats in ((TEXT.index("他"), NARROW), (TEXT.index("北"), WIDE)):
        uni[first, 2, FOUR.index("B")] = nats
    legal = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
    model = LinearModel(
        start=np.array([0.0, -50.0, -50.0, 0.0]),
        trans=np.where(legal, 0.0, -50.0),
        chars=list(TEXT),
        uni=uni,
    )
    artifact.write(folder / "general-balanced.model", KIND, *compile_model(model))


def network(folder: Path, linear: str) -> None:
    """A file of two standards, as far as the stage reads it."""
    about = {"linear": "general-balanced.model", "linear_digest": linear}
    standards = {
        "general": {**about, "number": 1},
        "pku": {**about, "number": 0, "linear": "pku-balanced.model"},
    }
    sections = {f"standard.{i}.params": np.arange(25, dtype="<i4").tobytes() for i in range(2)}
    meta = {"standards": standards, "scale": 256}
    artifact.write(folder / "accurate.model", "bilstm-crf", sections, meta)


def test_a_narrow_decision_against_a_boundary_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "BONUS", {"general-balanced.model": 0.2, "accurate.model": 0.5})
    work = Work(tmp_path, tmp_path)
    work.models.mkdir()
    tagger(tmp_path)
    before = tmp_path / "general-balanced.model"
    network(tmp_path, artifact.open(before).digest)
    students.boundaries(work)
    after = work.models / "general-balanced.model"
    assert load_by_name(str(before)).cut(TEXT) == ["他在", "北京"]
    assert load_by_name(str(after)).cut(TEXT) == ["他", "在", "北京"]
    old, new = (
        artifact.open(tmp_path / "accurate.model"),
        artifact.open(work.models / "accurate.model"),
    )
    digests = {name: about["linear_digest"] for name, about in new.meta["standards"].items()}
    assert digests == {
        "general": artifact.open(after).digest,
        "pku": old.meta["standards"]["pku"]["linear_digest"],
    }
    changed = {
        name: np.frombuffer(new.section(name), "<i4") - np.frombuffer(old.section(name), "<i4")
        for name in old.names()
    }
    general = changed["standard.1.params"]
    assert general[4:8].tolist() == [0, 0, 0, 128]
    moves = [128 * (b in ENDS and allowed(a, b)) for a in FOUR for b in FOUR]
    assert general[9:25].tolist() == moves
    assert not general[:4].any()
    assert not changed["standard.0.params"].any()
