"""Two ways to train a linear-chain CRF (Lafferty, McCallum and Pereira 2001).

:func:`train` is the compiled trainer: stochastic gradient descent with L2 regularisation and a
decaying rate, less than a second per epoch for a month of newspaper.  :func:`fit_crfsuite` trains
over the same features by L-BFGS (Liu and Nocedal 1989) with the package ``sklearn-crfsuite``, and
:func:`from_crfsuite` converts such a model to our form, in which our decoder gives the same tags.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError, MissingExtraError
from segmenter.train.tagging.perceptron import Course, Epoch, Trained, pass_seed
from segmenter.train.tagging.scheme import FOUR, TAGS, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]


def train(
    trainer: Any,
    corpus: int,
    dev: int | None,
    *,
    epochs: int = 15,
    rate: float = 0.1,
    decay: float = 1e-5,
    margin: float = 0.0,
    seed: int = 1,
    progress: Callable[[Epoch], None] | None = None,
) -> Trained:
    """Train for ``epochs`` passes and keep the weights that are best on the dev text.

    Args:
        trainer, corpus, dev, seed, progress: as for :func:`.perceptron.train`.
        epochs: number of passes.  The rate falls linearly over all of them, so more epochs are a
            different schedule, not just a longer one.
        rate: step size of the first sentence.
        decay: L2 regularisation per sentence.
        margin: as for :func:`.perceptron.train`, in nats: softmax-margin (Gimpel and Smith 2010).

    Raises:
        ArgumentError: epochs, rate or decay out of range; the weights overflow.
    """
    course = Course(trainer, dev, epochs, progress)
    if not 0 < rate <= 10:
        raise ArgumentError(f"rate: {rate!r} is not above 0 and at most 10")
    if not 0 <= decay < 1:
        raise ArgumentError(f"decay: {decay!r} is not from 0 to below 1")

    def rate_at(passes: int) -> float:
        return rate * (1 - 0.97 * passes / epochs)

    for number in range(1, epochs + 1):
        gain = trainer.crf_epoch(
            corpus, pass_seed(seed, number), rate_at(number - 1), rate_at(number), decay, margin
        )
        check_finite(trainer)
        course.passed(-gain)
    return course.trained


def check_finite(trainer: Any) -> None:
    """Raise ArgumentError if the weights of a CRF have grown beyond what a float holds."""
    if not np.isfinite(np.frombuffer(trainer.weights(), np.float32)).all():
        raise ArgumentError(
            "sentences: the weights of the CRF overflow, as they do where lines are thousands of "
            "characters long: cut the lines at the ends of sentences, or lower rate"
        )


def attributes(trainer: Any, corpus: int, offsets: Array) -> Iterator[list[list[str]]]:
    """The features of each sentence of a corpus, as crfsuite reads them: a list of names per place.

    Args:
        trainer: ``_train.TaggerTrainer``.
        corpus: number of the corpus in it.
        offsets: starts of its sentences, and the end of the last.
    """
    raw_starts, raw_rows = trainer.features(corpus)
    starts = np.frombuffer(raw_starts, np.int64).tolist()
    rows = np.frombuffer(raw_rows, np.uint32)
    names = list(map(str, range(trainer.layout[5])))  # one str a feature, not one an occurrence
    for begin, end in pairwise(offsets.tolist()):
        sentence_names = [names[r] for r in rows[starts[begin] : starts[end]].tolist()]
        base = starts[begin]
        yield [sentence_names[starts[i] - base : starts[i + 1] - base] for i in range(begin, end)]


def fit_crfsuite(
    trainer: Any,
    corpus: int,
    offsets: Array,
    sentences: Sequence[Sequence[str]],
    *,
    c1: float = 0.0,
    c2: float = 0.1,
    iterations: int = 100,
) -> Any:
    """A CRF over the features of ``trainer``, trained by ``sklearn_crfsuite`` (L-BFGS).

    Args:
        trainer: ``_train.TaggerTrainer``; only its features are used.
        corpus: number of the training corpus in it.
        offsets: starts of its sentences, and the end of the last.
        sentences: its words.
        c1, c2: L1 and L2 regularisation.
        iterations: the most iterations.

    Raises:
        MissingExtraError: sklearn-crfsuite is not installed.
    """
    try:
        import sklearn_crfsuite
    except ImportError as e:
        raise MissingExtraError("train", "sklearn_crfsuite", "trainer='crfsuite'") from e
    crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=c1, c2=c2, max_iterations=iterations)
    # a generator: crfsuite keeps its own copy of all features, so Python's need not last
    crf.fit(attributes(trainer, corpus, offsets), (encode(words) for words in sentences))
    return crf


def from_crfsuite(crf: Any, rows: int) -> NDArray[np.float32]:
    """Return the weights of a CRF of :func:`fit_crfsuite` as the trainer's, four per row.

    crfsuite allows any tag after any other; ``features.viterbi(..., constrained=False)`` does too,
    and gives the same tags.  The compiled predictor allows only sequences that words can have.

    Args:
        crf: the fitted ``sklearn_crfsuite.CRF``.
        rows: number of rows of the trainer that it was fitted over.
    """
    number = {t: i for i, t in enumerate(FOUR)}
    weights = np.zeros((rows, TAGS), np.float32)
    for (a, b), w in crf.transition_features_.items():
        weights[number[a], number[b]] = w
    for (row, tag), w in crf.state_features_.items():
        weights[int(row), number[tag]] = w
    return weights.reshape(-1)
