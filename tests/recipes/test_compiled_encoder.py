"""A checkpoint's weights in the file of ``best`` are those that torch reads with."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the recipe of best needs torch")

import torch
from encoder_text import scores

from recipes import compiled_encoder, encoder, teacher

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def net() -> Any:
    """A small teacher of random weights."""
    torch.manual_seed(1)
    sizes = encoder.Sizes(layers=2, width=128, heads=2, wide=192, epsilon=1e-12)
    net = teacher.Teacher(encoder.Encoder(sizes, 50, 40), np.zeros((4, 4)), np.zeros(4))
    with torch.no_grad():
        for weights in net.parameters():
            weights.add_(0.1 * torch.randn_like(weights))
    return net.eval()


def test_scores_are_those_of_torch(net: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # training and reading round to 16 bits
    monkeypatch.setattr(teacher, "faster", lambda device: contextlib.nullcontext())
    exported = compiled_encoder.weights(net.state_dict(), net.net.sizes, 7)
    draw = np.random.default_rng(1)
    for length, name in ((1, "general"), (5, "ctb"), (30, "as")):
        tokens = draw.integers(0, 50, length)
        text = teacher.Text(
            np.array([0, length]),
            tokens,
            np.zeros((length, 4), np.uint8),
            *[np.ones(length, np.uint8)] * 2,
            np.array([teacher.CONVENTIONS.index(name)]),
        )
        pieces = teacher.Pieces(text.offsets[:-1], text.lengths, text.convention)
        (rows,) = teacher.batches(pieces.lengths, np.arange(1), 64)
        batch = teacher.Columns(text, torch.device("cpu"), 7).batch(pieces, rows)
        with torch.no_grad():
            four = net.scores(batch)[:, 0].numpy()
        emissions = scores(exported, tokens, name)
        np.testing.assert_allclose(emissions, four[:, :3] - four[:, 3:], rtol=1e-3, atol=1e-3)


def test_tokens_that_no_character_has_are_left_out(net: Any) -> None:
    exported = compiled_encoder.weights(net.state_dict(), net.net.sizes, 7)
    table = np.array([3, 9, 9, 40], np.uint16)
    small, new = compiled_encoder.with_tokens_of(exported, table)
    few, full = (x.arrays["token.weight"] for x in (small, exported))
    assert len(few) == 4
    np.testing.assert_array_equal(few[new], full[table])
    np.testing.assert_array_equal(few[small.first], full[7])


def test_texts_are_read_in_pieces() -> None:
    text = "他说：“好！？”我走了。然后……没有"
    assert compiled_encoder.pieces(text) == ["他说", "好", "我走了", "然后", "没有"]


def test_networks_are_averaged(net: Any, tmp_path: Path) -> None:
    state = net.state_dict()
    for name, factor in (("a", 1.0), ("b", 3.0)):
        torch.save({"net": {k: factor * x for k, x in state.items()}}, tmp_path / f"{name}.pt")
    averaged = compiled_encoder.mean([tmp_path / "a.pt", tmp_path / "b.pt"])
    assert averaged.keys() == state.keys()
    torch.testing.assert_close(averaged["own"], 2 * state["own"])
