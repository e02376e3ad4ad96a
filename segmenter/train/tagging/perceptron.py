"""The averaged structured perceptron (Collins 2002), trained by the compiled kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.choices import check_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Epoch(NamedTuple):
    """The result of one pass over the training text."""

    number: int
    loss: float  # wrong tags (perceptron), minus the log marginals of the gold tags (CRF)
    f1: float  # word F1 on the dev text; nan without one


class Trained(NamedTuple):
    """The weights that are best on the dev text, and all epochs."""

    weights: NDArray[np.float32]
    best: int
    epochs: list[Epoch]


def f1_of(counts: tuple[int, int, int]) -> float:
    """Word F1 from right, gold and predicted words.

    >>> f1_of((1, 2, 2))
    0.5
    """
    correct, gold, predicted = counts
    return 2 * correct / (gold + predicted) if gold + predicted else 0.0


def pass_seed(seed: int, number: int) -> int:
    """Return the seed of one pass, so that every pass orders the sentences differently.

    Args:
        seed: the seed of the whole training.
        number: the pass, from 1.

    Raises:
        ArgumentError: ``seed`` is negative or has more than 40 bits.

    >>> pass_seed(2, 1)
    2000007
    """
    check_whole("seed", seed, 0, (1 << 40) - 1)
    return seed * 1_000_003 + number


class Course:
    """Scores each epoch on the dev text and keeps the best weights.

    Args:
        trainer: ``_train.TaggerTrainer``.
        dev: number of the dev corpus in it; None: the last epoch is the best.
        epochs: the number planned.
        progress: called after each epoch.

    Raises:
        ArgumentError: epochs below 1.
    """

    def __init__(
        self,
        trainer: Any,
        dev: int | None,
        epochs: int,
        progress: Callable[[Epoch], None] | None = None,
    ) -> None:
        check_whole("epochs", epochs, 1)
        self._trainer = trainer
        self._dev = dev
        self._progress = progress
        self._best_f1 = -1.0
        self.trained = Trained(np.zeros(0, np.float32), 0, [])

    def passed(self, loss: float) -> None:
        """Record the trainer's current weights as the next epoch."""
        epochs = self.trained.epochs
        f1 = float("nan") if self._dev is None else f1_of(self._trainer.evaluate(self._dev))
        epochs.append(Epoch(len(epochs) + 1, loss, f1))
        if self._dev is None or f1 > self._best_f1:
            self._best_f1 = f1
            weights = np.frombuffer(self._trainer.weights(), np.float32)
            self.trained = Trained(weights, len(epochs), epochs)
        if self._progress:
            self._progress(epochs[-1])

    def stale(self) -> int:
        """Epochs since the best one; 0 without a dev text."""
        return len(self.trained.epochs) - self.trained.best


def train(
    trainer: Any,
    corpus: int,
    dev: int | None,
    *,
    epochs: int = 20,
    patience: int = 4,
    margin: float = 0.0,
    seed: int = 1,
    progress: Callable[[Epoch], None] | None = None,
) -> Trained:
    """Train until dev F1 has not risen for ``patience`` epochs.

    Args:
        trainer: ``_train.TaggerTrainer``.
        corpus: number of the training corpus in it.
        dev: number of the dev corpus; None: keep the last epoch's weights.
        epochs: the most passes.
        patience: passes without a gain after which training ends.
        margin: by how much the labels have to lead for each wrong boundary of another path (Taskar,
            Guestrin and Koller 2003), in the units of the weights.
        seed: of the order of sentences; equal seeds give equal bytes.
        progress: called after each pass.

    Raises:
        ArgumentError: epochs below 1.
    """
    course = Course(trainer, dev, epochs, progress)
    for number in range(1, epochs + 1):
        wrong = trainer.perceptron_epoch(corpus, pass_seed(seed, number), margin)
        trainer.swap_average()
        course.passed(float(wrong))
        trainer.swap_average()
        if course.stale() >= patience:
            break
    return course.trained
