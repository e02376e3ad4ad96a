"""A compiled network as one that learns again, and back.

The portable form of a compiled file has whole numbers in its tables, up to 127, and their scale in
the matrices.  For training, tables and matrices must have weights of similar size: Adam's steps
have the same size for all weights, so otherwise only the matrices would change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from segmenter.train import bilstm, bilstm_text
from segmenter.train.tagging.bilstm_crf.model import Direction
from segmenter.train.tagging.features import FeatureSource, FeatureSpace
from segmenter.train.tagging.features.words import NO_CLASS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from segmenter.train.tagging.bilstm_crf import BilstmCrf

    Array = NDArray[Any]

#: States of the two lexicons beside a convention's gold, besides 0 (recipes/standards.py): a class
#: of words is (state in the gold, in the text of ``general``, in the lists).
TEXT_STATES, LIST_STATES = 5, 3
LARGEST = 128.0  # of the whole numbers in a compiled table


def network(
    model: BilstmCrf, names: Sequence[str], options: bilstm.BilstmOptions
) -> bilstm.BilstmCrf:
    """Some standards of a compiled network, to be trained.

    Args:
        model: the portable form; it reads clauses.
        names: of the standards.
        options: of the training; the shape is the model's.
    """
    own, classes = [model.standards[name] for name in names], len(model.lexicon[0]) - 1
    shape = bilstm.Shape(
        char_size=model.char_embedding.shape[1],
        pair_size=model.bigram_embedding.shape[1],
        word_size=model.lexicon[0].shape[1],
        hidden=model.hidden,
        marks=model.meta["marks"],
    )
    pairs = model.bigrams.astype(np.uint64)
    vocab = bilstm_text.Vocabulary(model.chars, pairs[:, 0] << np.uint64(32) | pairs[:, 1])
    net = bilstm.BilstmCrf(replace(options, shape=shape), vocab, classes, names)
    given: list[tuple[Tensor, Array]] = [
        (net.char.weight, model.char_embedding / LARGEST),
        (net.pair.weight, model.bigram_embedding / LARGEST),
        (net.word.weight, np.concatenate(model.lexicon) / LARGEST),
        (net.out, np.stack([one.out_w for one in own])),
        (net.out_bias, np.stack([one.out_b for one in own])),
    ]
    for side, (lstm, weights) in enumerate(zip(_sides(net), model.layers[0], strict=True)):
        biases = [one.bias[side] for one in own]
        given += [
            (lstm.weight_ih_l0, np.column_stack([LARGEST * weights.w_ih, *biases])),
            (lstm.weight_hh_l0, weights.w_hh),
            (lstm.bias_ih_l0, weights.bias),
            (lstm.bias_hh_l0, np.zeros_like(weights.bias)),
        ]
    with torch.no_grad():
        for mine, values in given:
            mine.copy_(torch.from_numpy(np.asarray(values, np.float32)))
    return net


def _sides(net: bilstm.BilstmCrf) -> tuple[Any, Any]:
    return net.forwards[0], net.backwards[0]


def written(net: bilstm.BilstmCrf, model: BilstmCrf) -> BilstmCrf:
    """The portable form of a network that has learnt again.

    Args:
        net: of :func:`network`.
        model: what it began as: words, taggers and transitions stay.  Standards that the network
            has not are left out, since they no longer fit.
    """

    def array(values: Tensor) -> Array:
        return np.asarray(values.detach().numpy(), np.float64)

    layer, columns = [], []
    for lstm in _sides(net):
        matrix = array(lstm.weight_ih_l0)
        bias = array(lstm.bias_ih_l0) + array(lstm.bias_hh_l0)
        inputs = matrix.shape[1] - len(net.standards)
        layer.append(Direction(matrix[:, :inputs], array(lstm.weight_hh_l0), bias))
        columns.append(matrix[:, inputs:].T)
    standards = {
        name: replace(model.standards[name], bias=(forward, backward), out_w=out, out_b=bias)
        for name, forward, backward, out, bias in zip(
            net.standards, *columns, array(net.out), array(net.out_bias), strict=True
        )
    }
    standards = {name: standards[name] for name in model.standards if name in standards}
    return replace(
        model,
        char_embedding=array(net.char.weight),
        bigram_embedding=array(net.pair.weight),
        lexicon=np.split(array(net.word.weight), len(model.lexicon)),
        layers=[(layer[0], layer[1])],
        standards=standards,
    )


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


def space(classes: Mapping[str, int]) -> FeatureSpace:
    """Where words are looked up in text that no standard was trained on: by the classes of a file.

    Args:
        classes: of the words of a standard.
    """
    found = FeatureSpace.of_text([[word] for word in classes], sources(classes))
    by_fold = np.full_like(found.words.classes, NO_CLASS)
    known = [classes.get(word, NO_CLASS) for word in found.words.names]
    by_fold[: len(known)] = np.array(known, by_fold.dtype)[:, None]
    return replace(found, words=found.words._replace(classes=by_fold))
