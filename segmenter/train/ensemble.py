"""Several networks as one: the mean of their scores (Hansen and Salamon 1990).

Networks that differ by the seed of their weights, their dropout and the order of their text err in
different places; the mean of their scores at each character, and of their transitions, errs less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.train import bilstm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from segmenter.train.bilstm_text import Encoded

    Array = NDArray[Any]


def emissions(networks: Sequence[bilstm.BilstmCrf], standard: int, text: Encoded) -> list[Array]:
    """The mean of the networks' scores of each sentence, ``(characters, tags)``.

    Args:
        networks: at least one; of the same vocabulary, standards and tags.
        standard: number of the standard.
        text: the text.
    """
    of_each = [bilstm.emissions(model, standard, text) for model in networks]
    return [np.mean(scores, axis=0) for scores in zip(*of_each, strict=True)]


def transitions(networks: Sequence[bilstm.BilstmCrf], standard: int) -> tuple[Array, Array, Array]:
    """The mean of the networks' transitions, and of their scores of the first and the last tag.

    Args:
        networks: at least one, as for :func:`emissions`.
        standard: number of the standard.
    """
    of_each = [bilstm.transitions(model, standard) for model in networks]
    trans, start, end = (np.mean(values, axis=0) for values in zip(*of_each, strict=True))
    return trans, start, end
