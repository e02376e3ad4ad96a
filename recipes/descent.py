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
    """How a network learns."""

    rates: Sequence[float]  # highest rate of each group of parameters
    warm_up: float  # share of the steps in which the rate rises; it falls to nothing afterwards
    mean: float
    decay: float = 0.01  # of the weights
    save: float = 3.0  # minutes between checkpoints


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
        checkpoint: a file with the state of the training, from which it is continued; the caller
            deletes it.
    """
    learning = [x for group in groups for x in group]
    device = learning[0].device
    rated = [{"params": list(x), "most": r} for x, r in zip(groups, plan.rates, strict=True)]
    optimizer = torch.optim.AdamW(
        rated, lr=max(plan.rates), betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
    )
    live = [x.detach() for x in learning]
    mean, done = [x.clone() for x in live], 0
    if checkpoint.exists():
        state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location=device)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        torch._foreach_copy_(mean, state["mean"])
        done = state["steps"]
    begun = saved = time.monotonic()
    average, count = torch.zeros((), device=device), 0
    net.train()
    for steps, batch in enumerate(batches[done:], done):
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
        average += (0.02 if count else 1.0) * (value.detach() - average)
        count += characters
        if steps % 200 == 199:
            print(f"{time.monotonic() - begun:.0f} s, {steps + 1} of {len(batches)} steps, "
                  f"{count} characters, loss {average.item():.4f}", flush=True)  # fmt: skip
        if time.monotonic() - saved > 60 * plan.save:
            state = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
            with WholeFile(checkpoint) as file:
                torch.save({**state, "mean": mean, "steps": steps + 1}, file)
            saved = time.monotonic()
    torch._foreach_copy_(live, mean)
    net.eval()
