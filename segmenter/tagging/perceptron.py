"""The averaged structured perceptron (Collins 2002), trained by the compiled kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Epoch(NamedTuple):
    """What a pass over the training text came to."""

    number: int
    loss: float  # wrong tags (perceptron), minus the log marginals of the gold tags (CRF)
    f1: float  # word F1 on the dev text; nan without one


class Trained(NamedTuple):
    """Weights of the best epoch on the dev text, and all epochs."""

    weights: NDArray[np.float32]
    best: int
    epochs: list[Epoch]


def f1_of(counts: tuple[int, int, int]) -> float:
    """Word F1 from right, gold and predicted words.

    >>> f1_of((1, 2, 2))
    0.5
    """
    right, gold, predicted = counts
    return 2 * right / (gold + predicted) if gold + predicted else 0.0


def train(
    trainer: Any,
    corpus: int,
    dev: int | None,
    *,
    epochs: int = 20,
    patience: int = 4,
    seed: int = 1,
    progress: Callable[[Epoch], None] | None = None,
) -> Trained:
    """Trains until the dev F1 has not risen for ``patience`` epochs.

    Args:
        trainer: ``_face.TaggerTrainer``.
        corpus: number of the training corpus in it.
        dev: number of the dev corpus; without one the last epoch's weights are taken.
        epochs: at most so many passes.
        patience: passes without a gain before the end.
        seed: of the order of the sentences; equal seeds give equal bytes.
        progress: called after each pass.

    Raises:
        ArgumentError: epochs below 1.
    """
    if epochs < 1:
        raise ArgumentError(f"epochs={epochs!r}: at least one pass is needed")
    done: list[Epoch] = []
    best, best_f1 = 0, -1.0
    weights: NDArray[np.float32] = np.zeros(0, np.float32)
    for number in range(1, epochs + 1):
        wrong = trainer.perceptron_epoch(corpus, seed * 1_000_003 + number)
        trainer.swap_average()
        f1 = float("nan") if dev is None else f1_of(trainer.evaluate(dev))
        epoch = Epoch(number, float(wrong), f1)
        done.append(epoch)
        if dev is None or f1 > best_f1:
            best, best_f1 = number, f1
            weights = np.frombuffer(trainer.weights(), np.float32)
        trainer.swap_average()
        if progress:
            progress(epoch)
        if dev is not None and number - best >= patience:
            break
    return Trained(weights, best, done)
