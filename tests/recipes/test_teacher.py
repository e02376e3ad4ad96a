"""The network of `best`: an encoder that corrects the linear tagger."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch", reason="the teacher is a network in torch")

import torch
from hypothesis import given
from hypothesis import strategies as st

from recipes import descent, encoder, masked, teacher, teacher_lessons
from segmenter import load

if TYPE_CHECKING:
    from pathlib import Path

SIZES = encoder.Sizes(layers=1, width=16, heads=2, wide=32, epsilon=1e-12)
TOKENS = ["[PAD]", "[UNK]", "[CLS]", *"他说的确实在理才能终于得到"]
TEXTS = ["他说的确实在理", "他才能终于得到", "在理"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of an encoder; a separator of lines that is a token stands among the others."""
    (tmp_path / "vocab.txt").write_text("\n".join([*TOKENS, "\u2028", "很"]) + "\n", "utf-8")
    return tmp_path


@pytest.fixture
def reader(folder: Path) -> teacher.Reader:
    return teacher.Reader(folder, load("balanced"))


CPU = torch.device("cpu")


@pytest.fixture
def net(reader: teacher.Reader) -> teacher.Teacher:
    torch.manual_seed(1)
    small = encoder.Encoder(SIZES, len(TOKENS) + 2, 64)
    nn = torch.nn.init
    for x in small.parameters():
        nn.normal_(x, std=0.3)
    return teacher.Teacher(small, reader.trans, reader.start)


def rows(texts: list[str]) -> list[teacher.Row]:
    tagger = load("balanced")
    return [
        teacher.Row("general", t, np.ones(len(t), np.uint8), np.zeros(len(t), np.uint8), tagger)
        for t in texts
    ]


def pieces_of(text: teacher.Text) -> teacher.Pieces:
    return teacher.Pieces(text.offsets[:-1], text.lengths, text.convention)


def chances(
    net: teacher.Teacher, reader: teacher.Reader, texts: list[str], convention: str
) -> list[np.ndarray]:
    """The chance of a word's end after each character."""
    text = reader.columns([row._replace(convention=convention) for row in rows(texts)])
    (packed,) = teacher.batches(text.lengths, np.arange(len(texts)), 1000)
    batch = teacher.Columns(text, CPU, 2).batch(pieces_of(text), packed)
    probabilities = net.crf.chances(net.scores(batch), batch.lengths).T.numpy()
    by_number = dict(zip(packed.pieces.tolist(), probabilities, strict=True))
    return [by_number[i][: len(x)] for i, x in enumerate(texts)]


def test_a_token_may_be_a_separator_of_lines(folder: Path) -> None:
    vocabulary = encoder.read_vocabulary(folder)
    assert vocabulary["很"] == len(TOKENS) + 1
    assert vocabulary["他"] == 3


def test_a_character_that_the_vocabulary_lacks_is_read_folded(reader: teacher.Reader) -> None:
    assert reader.numbers("說他龘").tolist() == [TOKENS.index("说"), 3, 1]


def test_without_training_the_linear_tagger_decides(
    net: teacher.Teacher, reader: teacher.Reader
) -> None:
    cut = load("balanced").cut
    probabilities = chances(net, reader, TEXTS, "general")
    for text, chance in zip(TEXTS, probabilities, strict=True):
        got = (np.flatnonzero(chance > 0.5) + 1).tolist()
        expected = np.cumsum([len(w) for w in cut(text)]).tolist()
        assert got == expected


def test_sentences_beside_it_change_nothing(net: teacher.Teacher, reader: teacher.Reader) -> None:
    torch.nn.init.normal_(net.common.weight)
    together = chances(net, reader, TEXTS, "ctb")
    for text, chance in zip(TEXTS, together, strict=True):
        (alone,) = chances(net, reader, [text], "ctb")
        np.testing.assert_allclose(alone, chance, atol=0.02)  # 16 bits


def test_open_boundaries_are_not_learnt(net: teacher.Teacher, reader: teacher.Reader) -> None:
    text = "才能"
    apart = np.ones(2, np.uint8)
    joined = np.array([0, 1], np.uint8)
    tagger = load("balanced")
    three = [
        teacher.Row("general", text, apart, np.array([1, 0], np.uint8), tagger),
        teacher.Row("general", text, joined, np.zeros(2, np.uint8), tagger),
        teacher.Row("general", text, apart, np.zeros(2, np.uint8), tagger),
    ]
    columns = reader.columns(three)
    pieces = pieces_of(columns)
    (packed,) = teacher.batches(pieces.lengths, np.arange(3), 192)
    batch = teacher.Columns(columns, CPU, 2).batch(pieces, packed)
    back = np.argsort(packed.pieces)
    first, second, third = net.crf.loss(net.scores(batch), batch)[back].tolist()
    assert first == pytest.approx(0, abs=1e-4)
    assert np.exp(-second) + np.exp(-third) == pytest.approx(1, abs=1e-3)


def test_training_goes_on_from_its_checkpoint(
    folder: Path, reader: teacher.Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons, marks = folder / "lessons.npz", np.zeros(len(TOKENS) + 2, bool)
    columns = reader.columns(rows(TEXTS * 20))  # every character a word
    parts = np.zeros(len(columns.convention), np.uint8)
    arrays = columns._asdict()
    np.savez(lessons, **arrays, part=parts, trans=reader.trans, start=reader.start, marks=marks)
    plan = teacher.Schedule(passes=4, rate=0.01, own_rate=0.1, places=64, shares={}, doubted=0.0)
    monkeypatch.setattr(teacher, "Descent", functools.partial(descent.Descent, save=0.0))

    def train(path: Path) -> teacher.Teacher:
        torch.manual_seed(1)
        small = encoder.Encoder(SIZES, len(TOKENS) + 2, 64)
        return teacher.train(lessons, small, 2, path, plan, CPU)

    right = train(folder / "whole.pt")
    calls, batch = iter(range(30)), teacher.Columns.batch

    def stopped(
        self: teacher.Columns, pieces: teacher.Pieces, packed_rows: teacher.Rows
    ) -> teacher.Batch:
        if next(calls) == 20:
            raise KeyboardInterrupt
        return batch(self, pieces, packed_rows)

    with monkeypatch.context() as patch:
        patch.setattr(teacher.Columns, "batch", stopped)
        with pytest.raises(KeyboardInterrupt):
            train(folder / "parts.pt")
    resumed = train(folder / "parts.pt")
    for parameter, other in zip(right.parameters(), resumed.parameters(), strict=True):
        torch.testing.assert_close(parameter, other)
    (chance,) = chances(right, reader, ["才能"], "general")
    assert chance[0] > 0.5


def test_every_pass_has_every_sentence_once(reader: teacher.Reader) -> None:
    columns = reader.columns(rows(TEXTS * 30))
    plan = teacher.Schedule(passes=1.5, places=64, shares={})
    marks = np.zeros(len(TOKENS) + 2, bool)
    order = teacher.schedule(columns, plan, np.zeros(90, np.uint8), marks)
    counts = np.bincount(np.concatenate([rows.pieces for _, rows in order]), minlength=90)
    assert counts.min() == 1
    assert counts.sum() == 135


@given(st.lists(st.integers(1, 150), min_size=1, max_size=60), st.integers(64, 500))
def test_pieces_are_packed_without_overlap(sizes: list[int], most: int) -> None:
    lengths = np.array(sizes)
    column = torch.arange(1, lengths.sum() + 1)
    starts = np.cumsum(lengths) - lengths
    numbers: list[int] = []
    for packing in teacher.batches(lengths, np.arange(len(sizes)), most):
        assert packing.height * packing.length <= max(most, packing.length)
        pieces = packing.pieces
        packed = teacher.pack(column, starts, lengths, packing, 7)
        tokens = packed.numbers.view(-1)[packed.index[packed.valid]]
        expected = [column[starts[k] : starts[k] + lengths[k]] for k in pieces]
        assert tokens.tolist() == torch.cat(expected).tolist()
        assert (packed.places.view(-1)[packed.fronts] == 0).all()
        assert (packed.numbers > 0).sum() == lengths[pieces].sum() + len(pieces)
        numbers += pieces.tolist()
    assert sorted(numbers) == list(range(len(sizes)))


def test_a_piece_is_a_clause_of_a_chosen_sentence(reader: teacher.Reader) -> None:
    text = reader.columns(rows(["他说在理", "确实在理"]))
    marks = np.zeros(len(TOKENS) + 2, bool)
    marks[reader.numbers("在")] = True
    pieces = teacher.clauses(text, np.array([True, False]), marks)
    assert pieces.starts.tolist() == [0, 3, 4]
    assert pieces.lengths.tolist() == [2, 1, 4]


def test_halves_are_of_like_size() -> None:
    halves = [teacher_lessons.half_of(f"句子{i}") for i in range(400)]
    assert 150 < sum(halves) < 250


def test_a_pass_has_its_share_of_each_part(reader: teacher.Reader) -> None:
    columns = reader.columns(rows(TEXTS * 100))
    parts = np.arange(300).astype(np.uint8) % 2  # gold, evidence
    plan = teacher.Schedule(passes=1.0, places=64, shares={"gold": 0.0, "evidence": 1.5})
    order = teacher.schedule(columns, plan, parts, np.zeros(len(TOKENS) + 2, bool))
    numbers = np.concatenate([rows.pieces for _, rows in order])
    assert (parts[numbers] == 1).all()
    assert 190 < len(numbers) < 260
    assert np.bincount(numbers).max() == 2


def test_the_encoder_learns_to_guess(folder: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    small = encoder.Encoder(SIZES, len(TOKENS) + 2, 64)
    before = [x.clone() for x in small.parameters()]
    column = np.array([3, 4, 5, 6, 7, 8] * 50, np.uint16)
    np.savez(tmp_path / "raw.npz", numbers=column, offsets=np.arange(0, 301, 6))
    tokens = {"[CLS]": 2, "[MASK]": 1}
    plan = masked.Plan(passes=2.0, rate=1e-2, places=128)
    after = masked.train(tmp_path / "raw.npz", small, tokens, plan, CPU, tmp_path / "state")
    moved = [not torch.equal(a, b) for a, b in zip(before, after.parameters(), strict=True)]
    names = [name for name, _ in after.named_parameters()]
    assert {n for n, m in zip(names, moved, strict=True) if not m} == {"token.weight", "position"}
