"""The teacher of tags, and what its student learns from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tagged_text import SENTENCES

pytest.importorskip("torch", reason="the teacher is a network in torch")

import torch

from recipes import encoder, pos_lessons, pos_students, pos_teacher

if TYPE_CHECKING:
    from pathlib import Path

    from recipes.pos_lessons import Lessons

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CHARACTERS = sorted({c for s in SENTENCES for w, _ in s for c in w})
SIZES = encoder.Sizes(layers=1, width=32, heads=2, wide=64, epsilon=1e-12)
CPU = torch.device("cpu")
torch.set_num_threads(1)


@pytest.fixture
def lessons() -> Lessons:
    unread = [[(w, None) for w, _ in s] for s in SENTENCES]
    return pos_lessons.gather(
        {"train": SENTENCES, "february": unread[:1], "raw": unread}, {"研究": "vn", "上海": "ns"}
    )


@pytest.fixture
def room(
    tmp_path: Path, lessons: Lessons, monkeypatch: pytest.MonkeyPatch
) -> pos_teacher.Classroom:
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL, *CHARACTERS]) + "\n", "utf-8")

    def fresh(_: object) -> encoder.Encoder:
        net = encoder.Encoder(SIZES, len(SPECIAL) + len(CHARACTERS), 64)
        for x in net.parameters():
            torch.nn.init.normal_(x, std=0.3)
        return net

    monkeypatch.setattr(encoder, "load", fresh)
    return pos_teacher.Classroom(tmp_path, lessons, CPU)


def test_lessons_are_read_as_they_were_written(tmp_path: Path, lessons: Lessons) -> None:
    path = tmp_path / "lessons.npz"
    pos_lessons.save(lessons, path)
    again = pos_lessons.read(path)
    assert again.names == lessons.names
    assert again.words == lessons.words
    assert again.listed.tolist() == lessons.listed.tolist()
    assert again.sentences("train") == SENTENCES
    assert {t for s in again.sentences("raw") for _, t in s} == {None}


def test_it_learns_a_tag_from_the_words_around(
    room: pos_teacher.Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("RATE", 3e-3), ("HEAD_RATE", 1e-2), ("HIDDEN", 0.0), ("DROPOUT", 0.0)):
        monkeypatch.setattr(pos_teacher, name, value)
    teacher = room.teach(room.columns("train"), seed=1, passes=200)
    best, _ = room.read([teacher], room.columns("raw"))
    wanted = room.lessons.parts["train"].tags
    names = room.lessons.names
    # 研究 and 工作 are verbs and nouns there
    assert [names[t] for t in best.tolist()] == [names[t] for t in wanted.tolist()]


def test_sentences_beside_it_change_nothing(room: pos_teacher.Classroom) -> None:
    part = room.columns("raw")
    net = room.teach(room.columns("train"), seed=2, passes=1)

    @torch.no_grad()
    def scores(sentences: list[int]) -> torch.Tensor:
        batch = part.batch(np.array(sentences), room.special)
        found: torch.Tensor = net(batch, part.listed[batch.which])
        return found[batch.row == sentences.index(1)]

    alone, beside = scores([1]), scores([7, 1, 9])
    assert torch.allclose(alone, beside, atol=1e-4)


def test_every_sentence_is_in_one_batch(
    room: pos_teacher.Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pos_teacher, "PLACES", 40)
    part = room.columns("train")
    for rng in (None, np.random.default_rng(1)):
        batches = part.batches(rng)
        assert sorted(i for b in batches for i in b.tolist()) == list(range(len(SENTENCES)))
        for b in batches:
            assert len(b) == 1 or room.columns("train").batch(b, room.special).numbers.numel() <= 40
        assert len(batches) > 3


def test_the_student_gets_what_the_teacher_is_sure_of(tmp_path: Path, lessons: Lessons) -> None:
    pos_lessons.save(lessons, tmp_path / "pos-lessons.npz")
    columns = {}
    for name in ("february", "raw"):
        n = len(lessons.parts[name].words)
        columns[f"{name}.tags"] = np.full(n, lessons.names.index("v"), np.uint8)
        columns[f"{name}.chance"] = np.full(n, 255, np.uint8)
    columns["raw.chance"][0] = 100
    columns["raw.tags"][:] = lessons.names.index("n")
    np.savez(tmp_path / "pos-tags.npz", **columns)  # type: ignore[arg-type]
    newspaper = [[("难", "a")]] * 3
    listed = {"研究": "v", "难": "a", "她": "r"}
    names = {"iPhone": "nx", "难": "nz"}
    found = pos_students.taught(tmp_path, newspaper, names, frozenset(), listed)
    assert len(found.sentences) == 1 + len(SENTENCES)
    tags = [pair for s in found.sentences for pair in s]
    assert tags.count(("他", None)) == 1
    assert ("研究", "n") in tags
    assert ("研究", "v") in tags
    assert {t for w, t in tags if w == "iPhone"} == {"nx"}
    # the newspaper knows 难; of 她 the teacher has too few
    assert found.listed == {"研究": "n", "难": "a", "她": "r"}
