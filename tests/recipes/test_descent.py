"""The training of the networks of `best`: one that was cut off goes on as if it had not been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch", reason="the networks learn in torch")
from recipes.descent import Descent, descend  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor, nn

PLAN = Descent((0.05, 0.1), 0.1, 0.1, save=0.0)


class Cut(Exception):
    """The training is cut off."""


def trained(checkpoint: Path, cut_at: int | None = None) -> nn.Linear:
    torch.manual_seed(3)
    net: nn.Linear = torch.nn.Linear(4, 1)
    texts = torch.randn(30, 8, 4)

    def loss(number: int) -> tuple[Tensor, int]:
        if number == cut_at:
            raise Cut
        target = texts[number].sum(1, keepdim=True)
        return ((net(texts[number]) - target) ** 2).mean(), 8

    descend(net, [[net.weight], [net.bias]], PLAN, range(30), loss, checkpoint)
    return net


def test_a_training_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    uninterrupted = trained(tmp_path / "whole")
    with pytest.raises(Cut):
        trained(tmp_path / "part", cut_at=17)
    state = torch.load(tmp_path / "part", weights_only=True)
    assert state["steps"] == 17
    resumed = trained(tmp_path / "part")
    assert torch.equal(uninterrupted.weight, resumed.weight)
    assert torch.equal(uninterrupted.bias, resumed.bias)


def test_it_learns_and_ends_with_the_mean(tmp_path: Path) -> None:
    torch.manual_seed(3)
    before = torch.nn.Linear(4, 1).weight
    net = trained(tmp_path / "state")
    assert (net.weight - 1).abs().mean() < (before - 1).abs().mean()
    live = torch.load(tmp_path / "state", weights_only=True)["net"]["weight"]
    assert not torch.equal(live, net.weight)
