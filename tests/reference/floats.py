"""A BiLSTM-CRF in floats, in readable form: what its weights say before they become integers.

The tests hold the compiled form to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.train.tagging.bilstm_crf.model import (
    SLOTS,
    TAGS,
    UNKNOWN,
    BilstmCrf,
    Direction,
)
from segmenter.train.tagging.model import MAX_WORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Floats = NDArray[np.float64]


def word_slots(text: str, classes: Mapping[str, int]) -> Array:
    """The ten numbers of :data:`SLOTS` at every character, ``(len(text), 10)``.

    Args:
        text: folded.
        classes: class of each word.

    >>> word_slots("中国人", {"中国": 3, "国人": 0})[:, [0, 4]].tolist()
    [[4, 0], [1, 4], [0, 1]]
    """
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(text)):
        for length in range(2, min(MAX_WORD, len(text) - i) + 1):
            k = classes.get(text[i : i + length])
            if k is None:
                continue
            kind, value = min(length, 5) - 2, (min(length, 7), k)
            places = [(i, kind), (i + length - 1, 4 + kind)]
            places += [(i + at, 8 if length == 3 else 9) for at in range(1, length - 1)]
            for place in places:
                best[place] = max(best.get(place, (0, 0)), value)
    slots = np.zeros((len(text), len(SLOTS)), np.int64)
    for place, (_, k) in best.items():
        slots[place] = 1 + k
    return slots


def emissions(model: BilstmCrf, text: str, standard: str) -> Floats:
    """Scores of the tags at every character in floats, ``(len(text), 4)``, without the linear part.

    A model with marks scores the clauses between them, each by itself, and marks with 0.

    Args:
        model: the portable form.
        text: folded text without blanks and line ends.
        standard: one of ``model.standards``.
    """
    emissions_sum = np.zeros((len(text), TAGS))
    offset = 0
    for clause in re.split(f"[{re.escape(marks)}]" if (marks := _marks(model)) else "(?!)", text):
        if clause:
            emissions_sum[offset : offset + len(clause)] = _read(model, clause, standard)
        offset += len(clause) + 1
    return emissions_sum


def _marks(model: BilstmCrf) -> str:
    return str(model.meta.get("marks", ""))


def _read(model: BilstmCrf, text: str, standard: str) -> Floats:
    """The scores of text that is read in one go."""
    row = {cp: i + 2 for i, cp in enumerate(model.chars.tolist())}
    pair = {(a, b): i + 1 for i, (a, b) in enumerate(model.bigrams.tolist())}
    codes = [0, *map(ord, text), 0]
    slots = word_slots(text, model.standards[standard].words)
    x = np.array(
        [
            np.concatenate(
                [
                    model.char_embedding[row.get(codes[i + 1], UNKNOWN)],
                    model.bigram_embedding[pair.get((codes[i], codes[i + 1]), 0)],
                    model.bigram_embedding[pair.get((codes[i + 1], codes[i + 2]), 0)],
                    *(t[v] for t, v in zip(model.lexicon, slots[i], strict=bool(model.lexicon))),
                ]
            )
            for i in range(len(text))
        ]
    )
    parameters = model.standards[standard]
    for k, layer in enumerate(model.layers):
        states = [
            _lstm(x[::step], one, bias if k == 0 else np.zeros_like(bias))[::step]
            for one, bias, step in zip(layer, parameters.bias, (1, -1), strict=True)
        ]
        x = np.concatenate(states, axis=1)
    output_scores: Floats = x @ parameters.out_w.T + parameters.out_b
    return output_scores


def _lstm(x: Floats, direction: Direction, bias: Floats) -> Floats:
    """Hidden states of one direction over its inputs in order."""
    size = direction.w_hh.shape[1]
    h, c = np.zeros(size), np.zeros(size)
    states = np.zeros((len(x), size))
    for t, gates in enumerate(x @ direction.w_ih.T + direction.bias + bias):
        i, f, g, o = np.split(gates + direction.w_hh @ h, 4)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        states[t] = h
    return states
