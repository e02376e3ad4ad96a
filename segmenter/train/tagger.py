"""Trains character taggers on segmented text, and writes a portable and a compiled model.

>>> TaggerOptions().features.min_pair, TaggerOptions("perceptron").algorithm
(2, 'perceptron')
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter import artifact
from segmenter.choices import check_whole, one_of
from segmenter.errors import ArgumentError
from segmenter.train.accessor_variety import string_source
from segmenter.train.new_words import expose
from segmenter.train.partial import join, joined_by_marks
from segmenter.train.tagging import crf, hmm, perceptron
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import (
    FeatureOptions,
    FeatureSource,
    FeatureSpace,
    between_marks,
)
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.train.partial import Partly
    from segmenter.train.tagging.perceptron import Epoch

ALGORITHMS = ("hmm", "perceptron", "crf")
TRAINERS = ("own", "crfsuite")


@dataclass(frozen=True)
class TaggerOptions:
    """Options of training a tagger.

    Attributes:
        algorithm: ``"hmm"``, ``"perceptron"`` or ``"crf"``.
        features: which features the tagger has; an HMM has none of them.
        strings: strings of the training text, by accessor variety, are another source; see
            :mod:`segmenter.train.accessor_variety`.
        epochs: passes at most; 0: 20 for the perceptron (it stops early), 15 for the CRF, 100
            iterations of crfsuite, none for the HMM, which counts.
        rate, decay: of the CRF.
        prune: leave pairs without a weight above this out of the model.
        seed: of the order of sentences.
        runs: number of trainings with different seeds, whose weights are averaged.
        trainer: for the CRF: ``"own"`` (compiled, stochastic gradient descent) or ``"crfsuite"``
            (L-BFGS by the package sklearn-crfsuite, with ``epochs`` iterations).
        patience: epochs without a gain on the dev text after which the perceptron stops.
        margin: by how much the labels have to lead for each wrong boundary of another path: nats of
            the CRF (softmax-margin, Gimpel and Smith 2010), units of weights of the perceptron; 0:
            any lead is enough.
        exposures: number of sentences to add in which a term replaces a common word; see
            :mod:`segmenter.train.new_words`.
    """

    algorithm: str = "crf"
    features: FeatureOptions = field(default_factory=FeatureOptions)
    strings: bool = False
    epochs: int = 0
    rate: float = 0.1
    decay: float = 1e-5
    prune: float = 0.0
    seed: int = 1
    runs: int = 1
    trainer: str = "own"
    patience: int = 4
    margin: float = 0.0
    exposures: int = 0

    def __post_init__(self) -> None:
        one_of("trainer", self.trainer, TRAINERS)
        one_of("algorithm", self.algorithm, ALGORITHMS)
        for name, least in (("epochs", 0), ("patience", 1), ("runs", 1)):
            check_whole(name, getattr(self, name), least)
        if self.trainer != "own" and (self.algorithm != "crf" or self.runs > 1):
            raise ArgumentError(
                f"trainer: {self.trainer!r} trains a single CRF: give algorithm='crf', runs=1"
            )
        if not 0 <= self.margin < 1e6:
            raise ArgumentError(f"margin: {self.margin!r} is not from 0 to below a million")
        if self.margin and (self.algorithm == "hmm" or self.trainer != "own"):
            raise ArgumentError(
                f"margin: {self.margin!r} needs an own trainer, of crf or perceptron"
            )
        marks = self.features.marks
        if marks and (self.algorithm == "hmm" or self.trainer != "own"):
            raise ArgumentError(f"marks: {marks!r} need an own trainer, of crf or perceptron")
        if self.strings and (self.algorithm == "hmm" or not self.features.lexicon):
            raise ArgumentError(f"strings: {self.strings!r} needs a tagger with lexicon features")

    @property
    def passes(self) -> int:
        """How many passes training takes at most."""
        usual = {"hmm": 0, "perceptron": 20, "crf": 15 if self.trainer == "own" else 100}
        return self.epochs or usual[self.algorithm]

    def as_meta(self) -> dict[str, Any]:
        """All options by name, those of the features among them, as a model's metadata have them.

        >>> TaggerOptions(features=FeatureOptions(min_pair=1)).as_meta()["min_pair"]
        1
        """
        options = asdict(self)
        return {**options.pop("features"), **options}

    def changed(self) -> dict[str, Any]:
        """Those that are not the defaults."""
        defaults = TaggerOptions().as_meta()
        return {k: v for k, v in self.as_meta().items() if v != defaults[k]}


@dataclass
class Result:
    model: form.LinearModel
    epochs: list[Epoch] = field(default_factory=list)
    dev_f1: float | None = None  # of the weights as trained, before pruning and rounding


def train(
    sentences: Sequence[Sequence[str]],
    dev: Sequence[Sequence[str]] | None = None,
    sources: Sequence[FeatureSource] = (),
    options: TaggerOptions | None = None,
    *,
    terms: Collection[str] = (),
    partly: Sequence[Sequence[Partly]] = (),
    pairs: Container[str] | None = None,
    meta: Mapping[str, Any] | None = None,
    progress: Callable[[Epoch], None] | None = None,
) -> Result:
    """Train a tagger.

    Args:
        sentences: folded words.
        dev: text that chooses the best epoch.
        sources: further lexicons.
        terms: words of a source that are newer than the training text; with ``options.exposures``.
        partly: further texts, partly labelled; not for ``"hmm"`` and ``trainer="crfsuite"``.
        pairs: the only pairs of characters that may be features; default: all that are frequent
            enough.  A second training with the ``pairs`` of a pruned model makes up for those that
            it lacks.
        meta: added to the model's metadata.

    Raises:
        ArgumentError: no sentences, options out of range, partly labelled text for a trainer that
            cannot learn from it.
    """
    options = options or TaggerOptions()
    head = {"algorithm": options.algorithm, "options": options.as_meta(), **(meta or {})}
    if partly and (options.algorithm == "hmm" or options.trainer != "own"):
        raise ArgumentError("partly: only the own trainers of crf and perceptron learn from it")
    if options.algorithm == "hmm":
        model = hmm.train(sentences)
        model.meta.update(head)
        return Result(model.rounded())
    if options.strings:
        sources = [*sources, string_source(sentences)]
    exposed, origins = expose(sentences, terms, options.exposures, options.seed)
    text = join(sentences, partly)
    if marks := options.features.marks:
        text = joined_by_marks(text, marks)
        exposed = [between_marks(words, marks)[0] for words in exposed]
        dev = [between_marks(words, marks)[0] for words in dev] if dev else None
    space = FeatureSpace.of_text(
        text.sentences, sources, options.features, folds=text.folds, among=pairs
    )
    trainer = space.trainer()
    sentences = [*text.sentences, *exposed]
    folds = np.concatenate([space.folds, space.folds[origins]]) if exposed else space.folds
    columns = space.columns(sentences, folds, text.unsure if partly else None)
    corpus = trainer.add_corpus(*columns)
    dev_number = trainer.add_corpus(*space.columns(dev)) if dev else None
    epochs: list[Epoch] = []
    weights: NDArray[np.float32] | None = None
    for run in range(options.runs):
        if run:
            trainer.set_weights(np.zeros(trainer.layout[5] * TAGS, np.float32))
        seed = options.seed + 7919 * run
        if options.trainer == "crfsuite":
            fitted = crf.fit_crfsuite(
                trainer, corpus, columns.offsets, sentences, iterations=options.passes
            )
            fitted_weights = crf.from_crfsuite(fitted, trainer.layout[5])
            trained = perceptron.Trained(fitted_weights, 0, [])
        elif options.algorithm == "perceptron":
            trained = perceptron.train(
                trainer,
                corpus,
                dev_number,
                epochs=options.passes,
                patience=options.patience,
                margin=options.margin,
                seed=seed,
                progress=progress,
            )
        else:
            trained = crf.train(
                trainer,
                corpus,
                dev_number,
                epochs=options.passes,
                rate=options.rate,
                decay=options.decay,
                margin=options.margin,
                seed=seed,
                progress=progress,
            )
        epochs += trained.epochs
        weights = trained.weights if weights is None else weights + trained.weights
    assert weights is not None
    weights = weights / np.float32(options.runs)
    f1 = None
    if dev_number is not None:
        trainer.set_weights(weights)
        f1 = perceptron.f1_of(trainer.evaluate(dev_number))
        head["dev_f1"] = round(f1, 5)
    model = space.linear_model(weights, trainer.layout, head, options.prune)
    return Result(model, epochs, f1)


def write(result: Result, folder: str | os.PathLike[str], name: str) -> tuple[str, str]:
    """Write ``name.txt`` (portable) and ``name.model`` (compiled) into ``folder``.

    Returns:
        The paths of both.
    """
    os.makedirs(folder, exist_ok=True)
    text = os.path.join(os.fspath(folder), name + ".txt")
    compiled = os.path.join(os.fspath(folder), name + ".model")
    sections, meta = compile_model(result.model)  # may refuse; then nothing is written
    result.model.write(text)
    artifact.write(compiled, form.KIND, sections, meta)
    return text, compiled
