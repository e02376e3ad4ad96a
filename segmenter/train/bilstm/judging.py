"""The output of a network: scores of a text, its best tags, and their accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from segmenter.lattice.steps import result
from segmenter.tagging import steps
from segmenter.train.bilstm.network import make_batch
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from segmenter.train.bilstm.network import BilstmCrf
    from segmenter.train.bilstm_text import Encoded

    Array = NDArray[Any]

#: Numbers of the tags that end a word.
_LAST = [t for t, tag in enumerate(FOUR) if tag in ENDS]


def emissions(model: BilstmCrf, standard: int, text: Encoded, size: int = 16384) -> list[Array]:
    """The network's scores of each sentence, ``(characters, tags)``, in full precision.

    Args:
        size: characters per batch.
    """
    device = next(model.parameters()).device.type
    model.eval()
    lengths = np.diff(text.offsets)
    order = np.argsort(lengths, kind="stable")
    scores_by_sentence: list[Array] = [np.zeros((0, 0))] * len(lengths)
    begin = 0
    with torch.no_grad():
        while begin < len(order):
            end = begin + 1
            while end < len(order) and lengths[order[end]] * (end + 1 - begin) <= size:
                end += 1
            numbers = order[begin:end]
            scores = model.scores(make_batch(standard, text, numbers, device)).cpu().numpy()
            for k, i in enumerate(numbers.tolist()):
                scores_by_sentence[i] = scores[: lengths[i], k]
            begin = end
    return scores_by_sentence


def decode(scores: Array, trans: Array, start: Array, end: Array) -> list[int]:
    """The best tags by Viterbi (1967), among the sequences that words can have.

    Args:
        scores: ``(characters, tags)``.
        trans, start, end: of the CRF.
    """
    scores = scores.astype(np.float64)
    scores[-1] += end
    firsts = [s if tag in BEGINS else None for tag, s in zip(FOUR, start.tolist(), strict=True)]
    moves = [
        [s if allowed(previous, tag) else None for tag, s in zip(FOUR, row, strict=True)]
        for previous, row in zip(FOUR, trans.astype(np.float64).tolist(), strict=True)
    ]
    path, _ = result(steps.viterbi(firsts, moves, scores.tolist(), _LAST))
    return [tag for tag in path if tag is not None]


def word_ends(tags: Sequence[int] | Array) -> Array:
    """Whether a word ends after each character: at every E and S, and at the end."""
    ends = np.isin(np.asarray(tags), _LAST)
    ends[-1] = True
    return ends


def f1(gold: Sequence[Array], predicted: Sequence[Array]) -> float:
    """Word F1 of word ends of sentences.

    >>> a, b = np.array([True, True, True]), np.array([False, True, True])
    >>> f1([a], [a]), f1([a], [b])
    (1.0, 0.4)
    """
    n_correct = n_gold = n_predicted = 0
    for g, p in zip(gold, predicted, strict=True):
        begins = np.r_[True, g[:-1]] & np.r_[True, p[:-1]]
        last_gold = np.flatnonzero(g)[np.cumsum(np.r_[0, g[:-1]])]
        last_predicted = np.flatnonzero(p)[np.cumsum(np.r_[0, p[:-1]])]
        n_correct += int((begins & (last_gold == last_predicted)).sum())
        n_gold += int(g.sum())
        n_predicted += int(p.sum())
    return 2 * n_correct / (n_gold + n_predicted)


def gold_ends(text: Encoded) -> list[Array]:
    bounds = zip(text.offsets[:-1], text.offsets[1:], strict=True)
    return [word_ends(text.tags[a:b]) for a, b in bounds]


def transitions(model: BilstmCrf, standard: int) -> tuple[Array, Array, Array]:
    """Transitions of a standard, and its scores of the first and of the last tag."""
    trans, start, end = (
        x[standard].detach().cpu().numpy() for x in (model.trans, model.start, model.end)
    )
    return trans, start, end


def evaluate(model: BilstmCrf, standard: int, text: Encoded) -> float:
    crf = transitions(model, standard)
    predicted = [word_ends(decode(s, *crf)) for s in emissions(model, standard, text)]
    return f1(gold_ends(text), predicted)


#: Weights of the linear tagger's scores that :func:`combine` tries.
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


def combine(
    scores: Sequence[Array],
    linear: Sequence[Array],
    gold: Sequence[Array],
    crf: tuple[Array, Array, Array],
    linear_trans: Array,
    linear_start: Array,
    weights: Sequence[float] = WEIGHTS,
) -> dict[float, float]:
    """Word F1 with each weight of the linear tagger's scores.

    Args:
        scores: of the network, of each sentence.
        linear: of the linear tagger.
        gold: word ends.
        crf: from :func:`transitions`.
        linear_trans: transitions of the linear tagger, ``(tags, tags)``.
        linear_start: its scores of the first tag.
        weights: the weights to try.
    """
    trans, start, end = crf
    f1_by_weight: dict[float, float] = {}
    for w in weights:
        predicted = [
            word_ends(decode(a + w * b, trans + w * linear_trans, start + w * linear_start, end))
            for a, b in zip(scores, linear, strict=True)
        ]
        f1_by_weight[w] = f1(gold, predicted)
    return f1_by_weight
