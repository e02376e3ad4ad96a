"""Adapts a trained tagger with a few hundred sentences of another field.

Training starts from the model's weights and stays near them: the likelihood of a CRF with a
Gaussian prior whose means are those weights (Chelba and Acero, "Adaptation of maximum entropy
capitalizer: little data can help a lot", 2004), by a proximal step after each pass.  A perceptron's
scores are not log probabilities; the factor that gives the new text its highest likelihood brings
them close (temperature scaling: Guo et al. 2017).

New features are added from the new text: its pairs of characters, its characters, and its words, in
classes of their own and jackknifed as in :mod:`segmenter.train.tagging.features`.

A compiled model is used as :func:`segmenter.train.tagging.decompile.decompile` returns it, rounded
and pruned.  Weights that training moves may exceed the 8 bits of the model's scale (up to 0.026 of
F1 lost); with half the scale nothing is lost, not even by rounding the other weights to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import FOLDS, FeatureSpace, between_marks, fold_numbers
from segmenter.train.tagging.perceptron import Course, f1_of, pass_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.train.tagging.perceptron import Epoch

    Array = NDArray[Any]
    Text = Sequence[Sequence[str]]

#: Factors tried on the model's weights: a CRF's own scores want 1 or somewhat less.
TEMPERATURES = tuple(2.0 ** (-k / 2) for k in range(17))


@dataclass(frozen=True)
class AdaptOptions:
    """Options of adapting a tagger.

    Attributes:
        epochs: passes over the new text.
        rate: step size of the first sentence; it falls linearly to nearly zero.
        pull: how far the weights return to the model's after each pass, from 0 (not at all) to 1
            (completely): the strength of the prior.  A higher value learns less and forgets less.
        words: whether words of the new text that the model does not know become features.
        seed: of the order of sentences; equal seeds give equal bytes.
    """

    epochs: int = 10
    rate: float = 0.1
    pull: float = 0.1
    words: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise ArgumentError(f"epochs={self.epochs!r}: at least one pass is needed")
        if not 0 < self.rate <= 10:
            raise ArgumentError(f"rate={self.rate!r}: 0 < rate <= 10")
        if not 0 <= self.pull <= 1:
            raise ArgumentError(f"pull={self.pull!r}: 0 <= pull <= 1")


class Adapted(NamedTuple):
    """The result of :func:`adapt`.

    Attributes:
        model: the portable form.
        temperature: the factor that turned its scores into log probabilities.
        epochs: the result of each pass.
        best: the pass whose weights the model has; 0: none was better than the original.
        before, after: word F1 on the dev text, of the original and of the new model before it is
            compiled; None without a dev text.
    """

    model: form.LinearModel
    temperature: float
    epochs: list[Epoch]
    best: int
    before: float | None
    after: float | None


class ModelSpace(FeatureSpace):
    """The features of a model, and those that a new text adds to them.

    Args:
        model: the portable form.
        sentences: the new text, folded words.
        words: whether its words that the model does not know are features.
    """

    def __init__(self, model: form.LinearModel, sentences: Text, words: bool = True) -> None:
        given = model.meta.get("options", {})
        self.tags = model.tags
        self.sources = ()
        self.lexicon = bool(model.words)
        self.uni_mask, self.bi_mask = given.get("uni_mask", 15), given.get("bi_mask", 15)
        self.folds = fold_numbers(len(sentences))
        self.n_groups = len(model.state)
        # --- words: class by fold; new ones are of the last two classes -----------------------
        new: dict[str, list[int]] = {}
        known = dict(zip(model.words, model.word_class.tolist(), strict=True))
        if words and self.lexicon:
            counted = self.words_by_fold(sentences)
            new = {w: folds for w, folds in counted.items() if w not in known}
        self.words = sorted({*known, *new})
        self.n_classes = len(model.groups) + 2
        # of the group of the training text's words: what it has learnt of those holds at once
        # (0.0015 of F1 better than a group of none)
        self.groups_of_class = np.append(model.groups, [1, 1]).astype(np.uint8)
        self.classes = np.zeros((max(1, len(self.words)), FOLDS + 1), np.uint16)
        for i, w in enumerate(self.words):
            if w in known:
                self.classes[i] = known[w]
            else:
                total = sum(new[w])
                rest = [total - n for n in new[w]] + [total]
                self.classes[i] = [0xFFFF if n == 0 else self.n_classes - 2 + (n > 1) for n in rest]
        # --- characters -----------------------------------------------------------------------
        text = "".join("".join(s) for s in sentences)
        own = {c for c in model.chars if len(c) == 1}
        seen, counts = np.unique(list(text), return_counts=True)
        own |= {c for c, n in zip(seen.tolist(), counts.tolist(), strict=True) if n > 1}
        weights = dict.fromkeys(own, 1.0)
        for pair, n in zip(model.pairs, model.pair_counts.tolist(), strict=True):
            for c in pair.removesuffix(form.END):
                weights[c] = weights.get(c, 0.0) + n
        marks = model.meta.get("marks", "")
        self.take_characters(weights, own, bool(model.types.any()), marks, text)
        # --- pairs; those with marks come from those with the end of the text -----------------
        pairs = dict(zip(model.pairs, model.pair_counts.tolist(), strict=True))
        for pair in [p for p in pairs if p[1] in self.marks]:
            n = pairs.pop(pair)
            self._before_marks[pair] = self._before_marks.get(pair, 0) + n
        for pair, n in self.count_pairs(self.columns(sentences, self.folds), 1).items():
            pairs[pair] = pairs.get(pair, 0) + n
        self.pairs = sorted(pairs)
        self.pair_counts = np.array([pairs[p] for p in self.pairs], np.int64)
        self._index()

    def weights_of(
        self, model: form.LinearModel, layout: tuple[int, int, int, int, int, int]
    ) -> NDArray[np.float32]:
        """Return the model's weights in the trainer's rows; 0 for new features.

        A character without a row in the model starts with the row of its class.
        """
        t = self.tags
        uni, kinds, state, match, bi, rows = layout
        w = np.zeros((rows, t), np.float32)
        w[:t] = model.trans
        row_of = {c: i for i, c in enumerate(model.chars)}
        by_id = w[uni:kinds].reshape(-1, 4, t)
        for code, number in self.table.generic.items():
            found = row_of.get(form.generic_name(code))
            if found is not None:
                by_id[number] = model.uni[found]
        for number, c in self.char_of.items():
            found = row_of.get(c)
            code = chars.char_class(ord(c))
            by_id[number] = by_id[self.table.generic[code]] if found is None else model.uni[found]
        w[kinds:state] = model.types
        w[state:match] = model.state.reshape(-1, t)
        n = len(model.groups)
        by_class = w[match:bi].reshape(-1, form.LENGTHS, form.ROLES, t)
        by_class[:n] = model.match
        pair_of = {p: i for i, p in enumerate(self.pairs)}
        kept = [i for i, p in enumerate(model.pairs) if p in pair_of]
        w[bi:].reshape(-1, 4, t)[[pair_of[model.pairs[i]] for i in kept]] = model.bi[kept]
        return w.reshape(-1)


def adapt(
    model: form.LinearModel,
    sentences: Text,
    dev: Text | None = None,
    options: AdaptOptions | None = None,
    *,
    progress: Callable[[Epoch], None] | None = None,
) -> Adapted:
    """Return a model adapted to another text.

    Args:
        model: a perceptron or CRF; not changed.
        sentences: the new text, folded words.
        dev: held-out text, which chooses the best pass, or the original model.
        options: see :class:`AdaptOptions`.
        progress: called after each pass.

    Raises:
        ArgumentError: no sentences, or the model is an HMM, which has counts instead of weights.
    """
    o = options or AdaptOptions()
    algorithm = model.meta.get("algorithm")
    if algorithm not in ("perceptron", "crf"):
        raise ArgumentError(
            f"model: {algorithm!r} cannot be adapted, only a perceptron or a CRF can: train it on "
            "the old text and the new one together"
        )
    if not sentences:
        raise ArgumentError("sentences: the text to adapt to is empty")
    marks = model.meta.get("marks", "")
    if marks:
        sentences = [between_marks(words, marks)[0] for words in sentences]
        dev = [between_marks(words, marks)[0] for words in dev or ()]
    dev = dev or None
    space = ModelSpace(model, sentences, o.words)
    trainer = space.trainer()
    corpus = trainer.add_corpus(*space.columns(sentences, space.folds))
    dev_number = trainer.add_corpus(*space.columns(dev)) if dev else None
    weights = space.weights_of(model, trainer.layout)
    temperature = _temperature(trainer, corpus, weights)
    start = weights * np.float32(temperature)
    trainer.set_weights(start)
    before = None if dev is None else _f1_of(model, sentences, dev)
    course = Course(trainer, dev_number, o.epochs, progress)
    for number in range(o.epochs):
        first, last = (o.rate * (1 - 0.97 * k / o.epochs) for k in (number, number + 1))
        gain = trainer.crf_epoch(corpus, pass_seed(o.seed, number + 1), first, last, 0.0)
        now = np.frombuffer(trainer.weights(), np.float32)
        trainer.set_weights(start + np.float32(1 - o.pull) * (now - start))
        course.passed(-gain)
    got = course.trained
    after = None
    if before is not None:
        after = got.epochs[got.best - 1].f1
        if after <= before:
            return Adapted(model, temperature, got.epochs, 0, before, before)
    meta = {k: v for k, v in model.meta.items() if k not in ("dev_f1", "test_f1")}
    moved = weights + (got.weights - start) / np.float32(temperature)
    adapted = space.linear_model(moved, trainer.layout, meta)
    adapted.meta["sources"] = model.meta.get("sources", [])
    scale = model.meta.get("scale") or compile_model(model)[1]["scale"]
    adapted.meta["scale"] = scale / 2
    return Adapted(adapted, temperature, got.epochs, got.best, before, after)


def _f1_of(model: form.LinearModel, sentences: Text, dev: Text) -> float:
    """Word F1 of the original model, which knows no word of the new text."""
    space = ModelSpace(model, sentences, words=False)
    trainer = space.trainer()
    number = trainer.add_corpus(*space.columns(dev))
    trainer.set_weights(space.weights_of(model, trainer.layout))
    return f1_of(trainer.evaluate(number))


def _temperature(trainer: Any, corpus: int, weights: Array) -> float:
    """The factor on the weights that gives the corpus its highest likelihood."""
    found: list[tuple[float, float]] = []
    for factor in TEMPERATURES:
        trainer.set_weights(weights * np.float32(factor))
        gain = trainer.crf_epoch(corpus, 0, 0.0, 0.0, 0.0)  # a rate of 0: only the likelihood
        if np.isfinite(gain):  # exp() of a perceptron's transitions may be infinite
            found.append((gain, factor))
    return max(found)[1]


__all__ = ["AdaptOptions", "Adapted", "ModelSpace", "adapt"]
