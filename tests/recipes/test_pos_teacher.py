"""The teacher of tags, and what its student learns from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tagged_text import SENTENCES

pytest.importorskip("torch", reason="the teacher is a network in torch")

import torch

from recipes import descent, encoder, pos, pos_teacher
from recipes.teacher import batches

if TYPE_CHECKING:
    from pathlib import Path

    from segmenter.train.pos import PosOptions

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = {x: i for i, x in enumerate(
    [*SPECIAL, *sorted({c for s in SENTENCES for w, _ in s for c in w})]
)}  # fmt: skip
SIZES = encoder.Sizes(layers=1, width=32, heads=2, wide=64, epsilon=1e-12)
CPU = torch.device("cpu")
torch.set_num_threads(1)


def columns(text: list[list[tuple[str, str | None]]]) -> pos_teacher.Columns:
    return pos_teacher.Columns(text, {"研究": "vn", "上海": "ns"}, VOCABULARY, CPU)


@pytest.fixture
def net() -> pos_teacher.Teacher:
    torch.manual_seed(1)
    base = encoder.Encoder(SIZES, len(VOCABULARY), 200)
    for x in base.parameters():
        torch.nn.init.normal_(x, std=0.3)
    teacher = pos_teacher.Teacher(base, VOCABULARY["[MASK]"])
    return teacher.eval()


UNREAD: list[list[tuple[str, str | None]]] = [[(w, None) for w, _ in s] for s in SENTENCES]
READ: list[list[tuple[str, str | None]]] = [list(s) for s in SENTENCES]


def test_it_learns_a_tag_from_the_words_around(
    net: pos_teacher.Teacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("HIDDEN", 0.0), ("UNLISTED", 0.0), ("PLACES", 300)):
        monkeypatch.setattr(pos_teacher, name, value)
    monkeypatch.setattr(pos_teacher, "PLAN", descent.Descent((3e-3, 1e-2), 0.1, 0.1))
    net.net.drop = net.drop.p = 0.0
    pos_teacher.teach(net, columns(READ), tmp_path / "state", passes=120)
    best, sure = pos_teacher.read(net, columns(UNREAD))
    expected = [tag for s in SENTENCES for _, tag in s]
    # 研究 and 工作 are verbs and nouns there
    assert [pos_teacher.TAGS[t] for t in best.tolist()] == expected
    assert sure.min() > 0.3


def test_sentences_beside_it_change_nothing(net: pos_teacher.Teacher) -> None:
    part = columns(UNREAD)
    torch.nn.init.normal_(net.out.weight)

    @torch.no_grad()
    def scores(chosen: list[int]) -> dict[int, torch.Tensor]:
        (rows,) = batches(part.sizes, np.array(chosen), 1000)
        batch = part.batch(rows)
        scores_found = net(batch, part.listed[batch.words])
        return dict(zip(batch.words.tolist(), scores_found, strict=True))

    alone, together = scores([1]), scores([7, 1, 9])
    assert len(alone) == len(SENTENCES[1])
    for word, vector in alone.items():
        assert torch.allclose(vector, together[word], atol=0.05)  # 16 bits


def test_places_of_words() -> None:
    part = columns([[("研究", "v"), ("他", "r")], [("上海市", "ns")]])
    (rows,) = batches(part.sizes, np.arange(2), 64)
    batch = part.batch(rows)
    flat = batch.packed.numbers.view(-1)
    for k, number in enumerate(batch.words.tolist()):
        word = ["研究", "他", "上海市"][number]
        begin, end = batch.begin[k], batch.end[k]
        assert flat[begin : end + 1].tolist() == [VOCABULARY.get(c, 1) for c in word]
        expected = {1: [4], 2: [1, 3], 3: [1, 2, 3]}[len(word)]
        assert batch.bounds.view(-1)[begin : end + 1].tolist() == expected
        assert set(batch.word.view(-1)[begin : end + 1].tolist()) == {k}
    assert (batch.word == len(batch.words)).sum() == batch.word.numel() - 6


def test_the_student_gets_what_the_teacher_is_sure_of(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: dict[str, object] = {}

    def trained(text: object, listed: object, options: PosOptions, meta: object) -> None:
        arguments.update(text=text, listed=listed)

    monkeypatch.setattr(pos, "train", trained)
    lists = {"研究": "v", "难": "a", "她": "r"}
    monkeypatch.setattr(pos, "word_list", lambda terms, least: {**lists, **terms})
    today = [[("研究", "n"), ("iPhone", "n"), ("他", None), ("操作系统", "l"), ("难", "n")]] * 3
    terms = {"iPhone": "nz", "难": "nz", "操作系统": "n"}
    pos.learn([[("难", "a")]] * 3, [[("她", "n")]], today, terms, {})
    text, listed = arguments["text"], arguments["listed"]
    assert isinstance(text, list)
    assert isinstance(listed, dict)
    assert len(text) == 3 + 1 + 3
    tags = [pair for s in text for pair in s]
    assert tags.count(("他", None)) == 3
    assert ("研究", "n") in tags
    assert {t for w, t in tags if w == "iPhone"} == {"nz"}
    assert {t for w, t in tags if w == "操作系统"} == {"n"}
    # the newspaper knows 难; of 她 the teacher has too few
    assert [listed[w] for w in ("研究", "难", "她")] == ["n", "nz", "r"]
