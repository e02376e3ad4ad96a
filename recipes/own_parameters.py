"""A standard that learns its own parameters in a network that is trained already.

The standards of ``accurate`` share an encoder; each has a bias of the gates and an output layer of
its own, some 3,000 numbers in 5 kB.  Only these learn here, so nothing of another standard changes.
That is enough for another convention of like text, and too little for what a teacher knows
(eval/results/accurate_tried.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from segmenter.train import bilstm, bilstm_text
from segmenter.train.bilstm.network import batches, make_batch
from segmenter.train.corpus import folded
from segmenter.train.tagging.features import FeatureSource, FeatureSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from segmenter.train.bilstm_text import Encoded
    from segmenter.train.tagging.bilstm_crf import BilstmCrf, Standard

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

#: States of the two lexicons beside a convention's gold, besides 0 (recipes/standards.py): a class
#: of words is (state in the gold, in the text of ``general``, in the lists).
TEXT_STATES, LIST_STATES = 5, 3
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
    own, classes = model.standards[name], len(model.lexicon[0]) - 1
    shape = bilstm.Shape(
        char_size=model.char_embedding.shape[1],
        pair_size=model.bigram_embedding.shape[1],
        word_size=model.lexicon[0].shape[1],
        hidden=model.hidden,
        marks=model.meta["marks"],
    )
    pairs = model.bigrams.astype(np.uint64)
    vocab = bilstm_text.Vocabulary(model.chars, pairs[:, 0] << np.uint64(32) | pairs[:, 1])
    net = bilstm.BilstmCrf(replace(options, shape=shape), vocab, classes, [name])
    sides = (net.forwards[0], net.backwards[0])
    given: list[tuple[Tensor, Array]] = [
        (net.char.weight, model.char_embedding),
        (net.pair.weight, model.bigram_embedding),
        (net.word.weight, np.concatenate(model.lexicon)),
        (net.out, own.out_w[None]),
        (net.out_bias, own.out_b[None]),
    ]
    for side, weights, bias in zip(sides, model.layers[0], own.bias, strict=True):
        given += [
            (side.weight_ih_l0, np.concatenate([weights.w_ih, bias[:, None]], 1)),
            (side.weight_hh_l0, weights.w_hh),
            (side.bias_ih_l0, weights.bias),
            (side.bias_hh_l0, np.zeros_like(weights.bias)),
        ]
    with torch.no_grad():
        for mine, values in given:
            mine.copy_(torch.from_numpy(np.asarray(values, np.float32)))
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    for parameter in own_parameters(net):
        parameter.requires_grad_(True)
    for side in sides:
        side.weight_ih_l0.register_hook(_only_the_standards_column)
    return net


def own_parameters(net: bilstm.BilstmCrf) -> list[nn.Parameter]:
    """Those that learn; of the matrices of the inputs only the standard's column."""
    sides = (net.forwards[0], net.backwards[0])
    return [net.out, net.out_bias, *(side.get_parameter("weight_ih_l0") for side in sides)]


def _only_the_standards_column(gradient: Tensor) -> Tensor:
    found = torch.zeros_like(gradient)
    found[:, -1] = gradient[:, -1]
    return found


def sources(classes: Mapping[str, int]) -> list[FeatureSource]:
    """The lexicons beside the gold, from the classes that a network's words have.

    >>> [source.states for source in sources({"北京": (7 * 6 + 5) * 4 + 2})]
    [{'北京': 5}, {'北京': 2}]
    """
    lists = LIST_STATES + 1
    text = {w: n for w, k in classes.items() if (n := k // lists % (TEXT_STATES + 1))}
    listed = {w: n for w, k in classes.items() if (n := k % lists)}
    return [
        FeatureSource("general", text, TEXT_STATES, 3, 2),
        FeatureSource("lists", listed, LIST_STATES, 2, 1),
    ]


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
    space = FeatureSpace.of_text([folded(words, fold) for words in gold], sources(given.words))
    wanted = [folded(recut(words), fold) for words in gold]
    marks = net.options.shape.marks
    train(net, bilstm_text.encode(net.vocab, space, wanted, space.folds, marks=marks), progress)
    columns = [x.detach().numpy().astype(np.float64) for x in own_parameters(net)]
    out, bias, forward, backward = columns
    return replace(given, bias=(forward[:, -1], backward[:, -1]), out_w=out[0], out_b=bias[0])
