"""A standard that learns its own parameters in a network that is trained already.

The standards of ``accurate`` share an encoder; each has a bias of the gates and an output layer of
its own, some 3,000 numbers in 5 kB.  Only these learn here, so nothing of another standard changes.
That is enough for another convention of like text, and too little for what a teacher knows
(README.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from recipes import compiled_network
from segmenter.train import bilstm, bilstm_text
from segmenter.train.bilstm.network import batches, make_batch
from segmenter.train.corpus import folded
from segmenter.train.tagging.features import FeatureSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from segmenter.train.bilstm_text import Encoded
    from segmenter.train.tagging.bilstm_crf import BilstmCrf, Standard

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

#: Passes over the gold, 130 thousand characters for ``as``.
OPTIONS = bilstm.BilstmOptions(
    dropout=bilstm.Dropout(input=0.0, output=0.1, pairs=0.0),
    schedule=bilstm.Schedule(epochs=6, batch=2048, rate=2e-3, warm_up=20, average=0.99),
    precision="float32",
)


def network(model: BilstmCrf, name: str, options: bilstm.BilstmOptions) -> bilstm.BilstmCrf:
    """One standard of a compiled network, to be trained; only what is its own learns.

    Args:
        model: the portable form; it reads clauses.
        name: of the standard.
        options: of the training; the shape is the model's.
    """
    net = compiled_network.network(model, [name], options)
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    for parameter in own_parameters(net):
        parameter.requires_grad_(True)
    for side in (net.forwards[0], net.backwards[0]):
        side.get_parameter("weight_ih_l0").register_hook(_only_the_standards_column)
    return net


def own_parameters(net: bilstm.BilstmCrf) -> list[nn.Parameter]:
    """Those that learn; of the matrices of the inputs only the standard's column."""
    sides = (net.forwards[0], net.backwards[0])
    return [net.out, net.out_bias, *(side.get_parameter("weight_ih_l0") for side in sides)]


def _only_the_standards_column(gradient: Tensor) -> Tensor:
    found = torch.zeros_like(gradient)
    found[:, -1] = gradient[:, -1]
    return found


def train(
    net: bilstm.BilstmCrf,
    text: Encoded,
    progress: Callable[[int, float], None] = lambda number, loss: None,
) -> None:
    """Trains the parameters of a network that learn; they end as the average of the steps.

    Args:
        net: of :func:`network`.
        text: gold.
        progress: takes the number of a pass and its loss by character.
    """
    seed, schedule = net.options.seed, net.options.schedule
    parts = [bilstm.Part("", text, 1.0)]
    learning = own_parameters(net)
    average = [x.detach().clone() for x in learning]
    adam = torch.optim.Adam(learning, lr=schedule.rate, betas=(0.9, 0.98))
    steps = sum(1 for _ in batches(parts, schedule.batch, np.random.default_rng(seed)))
    torch.manual_seed(seed)
    step = 0
    for number in range(1, schedule.epochs + 1):
        net.train()
        total = 0.0
        for _, some in batches(parts, schedule.batch, np.random.default_rng([seed, number])):
            batch = make_batch(0, text, some)
            loss = net.loss(batch)
            adam.zero_grad()
            (loss / int(batch.lengths.sum())).backward()
            nn.utils.clip_grad_norm_(learning, schedule.clip)
            adam.param_groups[0]["lr"] = schedule.rate_at(step, steps * schedule.epochs)
            adam.step()
            step += 1
            keep = min(schedule.average, step / (step + 10))
            with torch.no_grad():
                for mean, now in zip(average, learning, strict=True):
                    mean.lerp_(now, 1 - keep)
            total += float(loss.detach())
        progress(number, total / len(text.chars))
    with torch.no_grad():
        for mean, now in zip(average, learning, strict=True):
            now.copy_(mean)
    net.eval()


def learn(
    model: BilstmCrf,
    name: str,
    gold: Sentences,
    recut: Callable[[Sequence[str]], list[str]],
    fold: Callable[[str], str],
    progress: Callable[[int, float], None] = lambda number, loss: None,
) -> Standard:
    """A standard that cuts otherwise than another, with that one's words.

    Args:
        model: the portable form of the network; not changed.
        name: of the standard that it begins as.
        gold: that one's text, as it stands.
        recut: gives the words of a sentence of it in the new convention.
        fold: brings text to the characters of the models.
        progress: see :func:`train`.
    """
    torch.set_num_threads(1)
    net, given = network(model, name, OPTIONS), model.standards[name]
    beside = compiled_network.sources(given.words)
    space = FeatureSpace.of_text([folded(words, fold) for words in gold], beside)
    wanted = [folded(recut(words), fold) for words in gold]
    marks = net.options.shape.marks
    train(net, bilstm_text.encode(net.vocab, space, wanted, space.folds, marks=marks), progress)
    columns = [x.detach().numpy().astype(np.float64) for x in own_parameters(net)]
    out, bias, forward, backward = columns
    return replace(given, bias=(forward[:, -1], backward[:, -1]), out_w=out[0], out_b=bias[0])
