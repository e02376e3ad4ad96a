"""The linear-chain CRF (Lafferty, McCallum and Pereira 2001): two ways to train it.

:func:`train` is the compiled trainer: stochastic gradient descent with L2 regularisation and a
rate that falls to nearly nothing, under a second an epoch for a month of newspaper.
:func:`fit_crfsuite` trains by L-BFGS through the package ``sklearn-crfsuite``;
:func:`from_crfsuite` brings the weights of such a model into our form, where our decoder gives the
same tags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError, MissingExtraError
from segmenter.tagging import model as form
from segmenter.tagging.perceptron import Course, Epoch, Trained
from segmenter.tagging.scheme import encode, tags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def train(
    trainer: Any,
    corpus: int,
    dev: int | None,
    *,
    epochs: int = 15,
    rate: float = 0.1,
    decay: float = 1e-5,
    seed: int = 1,
    progress: Callable[[Epoch], None] | None = None,
) -> Trained:
    """Trains for ``epochs`` passes; the weights of the best on the dev text are kept.

    Args:
        trainer: ``_face.TaggerTrainer``.
        corpus: number of the training corpus in it.
        dev: number of the dev corpus; without one the last epoch's weights are taken.
        epochs: passes; the rate falls in a line over all of them, so more of them is another
            schedule and not a longer one.
        rate: step of the first sentence.
        decay: L2 regularisation, a sentence.
        seed: of the order of the sentences; equal seeds give equal bytes.
        progress: called after each pass.

    Raises:
        ArgumentError: epochs, rate or decay out of range.
    """
    course = Course(trainer, dev, epochs, progress)
    if not 0 < rate <= 10 or not 0 <= decay < 1:
        raise ArgumentError(f"rate={rate!r}, decay={decay!r}: 0 < rate <= 10 and 0 <= decay < 1")

    def rate_at(passes: int) -> float:
        return rate * (1 - 0.97 * passes / epochs)

    for number in range(1, epochs + 1):
        gain = trainer.crf_epoch(
            corpus, seed * 1_000_003 + number, rate_at(number - 1), rate_at(number), decay
        )
        course.passed(-gain)
    return course.trained


def string_features(text: str) -> list[list[str]]:
    """The character features of a sentence as crfsuite's attribute strings.

    >>> string_features("一二")[1]
    ['-1:一', '0:二', 'p-1:一二', 'p0:二␄']
    """
    n = len(text)
    padded = text + form.END
    return [
        [f"{d}:{text[i + d]}" for d in form.UNI_AT if 0 <= i + d < n]
        + [f"p{d}:{padded[i + d : i + d + 2]}" for d in form.PAIR_AT if 0 <= i + d < n]
        for i in range(n)
    ]


def fit_crfsuite(
    sentences: Sequence[Sequence[str]],
    *,
    tags: int = 4,
    c1: float = 0.0,
    c2: float = 0.1,
    iterations: int = 100,
    min_count: int = 2,
) -> Any:
    """A CRF over character features, trained by ``sklearn_crfsuite`` (L-BFGS).

    Args:
        sentences: folded words.
        c1, c2: L1 and L2 regularisation.
        iterations: at most so many.
        min_count: features rarer than this are left out.

    Raises:
        MissingExtraError: sklearn-crfsuite is not installed.
    """
    try:
        import sklearn_crfsuite
    except ImportError as e:
        raise MissingExtraError("train", "sklearn_crfsuite", "fit_crfsuite") from e
    crf = sklearn_crfsuite.CRF(
        algorithm="lbfgs", c1=c1, c2=c2, max_iterations=iterations, min_freq=min_count
    )
    crf.fit(
        [string_features("".join(words)) for words in sentences],
        [encode(words, tags) for words in sentences],
    )
    return crf


def from_crfsuite(crf: Any, tags: int = 4) -> form.LinearModel:
    """The weights of a CRF of :func:`fit_crfsuite` in our model form.

    crfsuite takes any tag after any other; ``features.viterbi(..., constrained=False)`` does so
    too and gives its tags, one for one.  The compiled predictor never leaves the sequences that
    words give.

    Args:
        crf: a fitted ``sklearn_crfsuite.CRF`` over :func:`string_features`.
        tags: its scheme.

    Raises:
        ArgumentError: an attribute that is none of ours.
    """
    names = tags_of(tags)
    number = {t: i for i, t in enumerate(names)}
    trans = np.zeros((tags, tags))
    for (a, b), w in crf.transition_features_.items():
        trans[number[a], number[b]] = w
    uni: dict[str, NDArray[np.float64]] = {}
    bi: dict[str, NDArray[np.float64]] = {}
    for (attribute, tag), w in crf.state_features_.items():
        place, _, what = attribute.partition(":")
        rows, at = (bi, place[1:]) if place.startswith("p") else (uni, place)
        try:
            slot = form.UNI_AT.index(int(at))
        except ValueError:
            raise ArgumentError(f"crf: {attribute!r} is no attribute of string_features") from None
        row = rows.get(what)
        if row is None:
            row = rows[what] = np.zeros((4, tags))
        row[slot, number[tag]] = w
    empty = np.zeros((0, 4, tags))
    return form.LinearModel(
        tags=tags,
        start=np.zeros(tags),
        trans=trans,
        chars=list(uni),
        uni=np.stack(list(uni.values())) if uni else empty,
        pairs=list(bi),
        bi=np.stack(list(bi.values())) if bi else empty,
        pair_counts=np.ones(len(bi), np.int64),
        meta={"algorithm": "crf", "trainer": "crfsuite"},
    )
