"""Gradient descent for the networks of the recipes, with checkpoints to resume a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import torch
from torch import nn

from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

_Batch = TypeVar("_Batch")

LEAST = 0.02  # of the highest rate
CLIP = 1.0  # largest norm of the gradient


class Descent(NamedTuple):
    """How a network learns.

    Attributes:
        rates: highest rate of each group of parameters.
        warm_up: share of the steps in which the rate rises; it falls to nothing afterwards.
        mean: the weights at the end are a moving mean (Polyak and Juditsky 1992), which moves by
            so much of its way in a step, and by more in the first steps; 1: the last weights.
        decay: of the weights.
        save: minutes between checkpoints.
    """

    rates: Sequence[float]
    warm_up: float
    mean: float
    decay: float = 0.01
    save: float = 3.0


def descend(
    net: nn.Module,
    groups: Sequence[Sequence[nn.Parameter]],
    plan: Descent,
    batches: Sequence[_Batch],
    loss: Callable[[_Batch], tuple[Tensor, int]],
    checkpoint: Path,
) -> None:
    """Trains a network with AdamW (Loshchilov and Hutter 2019); its weights are their mean then.

    Args:
        net: the network, on its device.
        groups: its parameters that learn, a group for each rate.
        plan: rates and means.
        batches: all of them, in their order.
        loss: of a batch, and how many characters it has.
        checkpoint: a file with the state of the training; if it is there, the training goes on.
            It is left to the caller at the end.
    """
    learning = [x for group in groups for x in group]
    device = learning[0].device
    rated = [{"params": list(x), "most": r} for x, r in zip(groups, plan.rates, strict=True)]
    optimizer = torch.optim.AdamW(
        rated, lr=max(plan.rates), betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
    )
    live = [x.detach() for x in learning]
    mean, steps_done = [x.clone() for x in live], 0
    if checkpoint.exists():
        state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location=device)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        torch._foreach_copy_(mean, state["mean"])
        steps_done = state["steps"]
    begun = saved = time.monotonic()
    moving, characters_read = torch.zeros((), device=device), 0
    net.train()
    for steps, batch in enumerate(batches[steps_done:], steps_done):
        part = steps / len(batches)
        share = min(part / plan.warm_up, (1 - part) / (1 - plan.warm_up))
        for group in optimizer.param_groups:
            group["lr"] = group["most"] * max(share, LEAST)
        value, characters = loss(batch)
        value.backward()
        nn.utils.clip_grad_norm_(learning, CLIP)
        optimizer.step()
        optimizer.zero_grad()
        torch._foreach_lerp_(mean, live, max(plan.mean, 1 / (2 + steps)))
        moving += (0.02 if characters_read else 1.0) * (value.detach() - moving)
        characters_read += characters
        if steps % 200 == 199:
            print(f"{time.monotonic() - begun:.0f} s, {steps + 1} of {len(batches)} steps, "
                  f"{characters_read} characters, loss {moving.item():.4f}", flush=True)  # fmt: skip
        if time.monotonic() - saved > 60 * plan.save:
            state = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
            with WholeFile(checkpoint) as file:
                torch.save({**state, "mean": mean, "steps": steps + 1}, file)
            saved = time.monotonic()
    torch._foreach_copy_(live, mean)
    net.eval()
