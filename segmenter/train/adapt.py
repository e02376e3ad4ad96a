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

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.choices import check_whole
from segmenter.errors import ArgumentError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.crf import check_finite
from segmenter.train.tagging.features import (
    Characters,
    FeatureOptions,
    FeatureSpace,
    between_marks,
    fold_numbers,
    words_by_fold,
)
from segmenter.train.tagging.features.space import Trie
from segmenter.train.tagging.features.words import FOLDS, NO_CLASS, Words
from segmenter.train.tagging.perceptron import Course, f1_of, pass_seed
from segmenter.train.tagging.scheme import TAGS

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
        seed: of the order of sentences; equal seeds give equal bytes.
    """

    epochs: int = 10
    rate: float = 0.1
    pull: float = 0.1
    seed: int = 1

    def __post_init__(self) -> None:
        check_whole("epochs", self.epochs, 1)
        if not 0 < self.rate <= 10:
            raise ArgumentError(f"rate: {self.rate!r} is not above 0 and at most 10")
        if not 0 <= self.pull <= 1:
            raise ArgumentError(f"pull: {self.pull!r} is not from 0 to 1")


class Adapted(NamedTuple):
    """The result of :func:`adapt`.

    Attributes:
        model: the portable form, rounded.
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


class Part(NamedTuple):
    """The part of a model that texts can show: training moves nothing else.

    Attributes:
        model: the part.
        pairs, words: whether each pair and word of the whole model is in it.
    """

    model: form.LinearModel
    pairs: Array
    words: Array

    @classmethod
    def of(cls, model: form.LinearModel, texts: Sequence[str]) -> Part:
        """Find the part.

        Args:
            texts: the new text and the held-out one, folded.
        """
        marks = model.meta.get("marks", "")
        shown = {text[i : i + 2] for text in texts for i in range(len(text) - 1)}
        shown |= {c + end for c in set("".join(texts)) for end in (form.END, *marks)}
        pairs = np.isin(form.pair_codes(model.pairs), form.pair_codes(list(shown)))
        words = np.array(
            [
                word[:2] in shown and all(word[k : k + 2] in shown for k in range(1, len(word) - 1))
                for word in model.words
            ],
            bool,
        )
        return cls(_selected(model, model, pairs, words), pairs, words)

    def joined(self, model: form.LinearModel, adapted: form.LinearModel) -> form.LinearModel:
        """Return the whole model with this part of it adapted; rounded, as both are."""
        rest = _selected(adapted, model, ~self.pairs, ~self.words)
        pairs = [bisect_left(rest.pairs, pair) for pair in adapted.pairs]
        words = [bisect_left(rest.words, word) for word in adapted.words]
        return replace(
            adapted,
            pairs=sorted(rest.pairs + adapted.pairs),
            bi=np.insert(rest.bi, pairs, adapted.bi, axis=0),
            pair_counts=np.insert(rest.pair_counts, pairs, adapted.pair_counts),
            words=sorted(rest.words + adapted.words),
            word_class=np.insert(rest.word_class, words, adapted.word_class),
        )


def _selected(
    head: form.LinearModel, model: form.LinearModel, pairs: Array, words: Array
) -> form.LinearModel:
    """``head`` with some of the pairs and words of ``model``."""
    return replace(
        head,
        pairs=list(compress(model.pairs, pairs.tolist())),
        bi=model.bi[pairs],
        pair_counts=model.pair_counts[pairs],
        words=list(compress(model.words, words.tolist())),
        word_class=model.word_class[words],
    )


def space_of_model(model: form.LinearModel, sentences: Text, words: bool = True) -> FeatureSpace:
    """The features of a model, and those that a new text adds to them.

    Args:
        sentences: the new text, folded words.
        words: whether its words that the model does not know are features.
    """
    options = FeatureOptions(
        lexicon=bool(model.words), types=bool(model.types.any()), marks=model.meta.get("marks", "")
    )
    folds = fold_numbers(len(sentences))
    lexicon_words = _words(model, sentences, folds, words and options.lexicon)
    # --- characters ---------------------------------------------------------------------------
    texts = ["".join(s) for s in sentences]
    text = "".join(texts)
    own_chars = {c for c in model.chars if len(c) == 1}
    own_chars |= {c for c, count in Counter(text).items() if count > 1}
    weights = dict.fromkeys(own_chars, 1.0)
    pairs = dict(zip(model.pairs, model.pair_counts.tolist(), strict=True))
    for pair, count in pairs.items():
        for c in pair.removesuffix(form.END):
            weights[c] = weights.get(c, 0.0) + count
    characters = Characters.number(
        weights, own_chars, lexicon_words.names, text, types=options.types, marks=options.marks
    )
    # --- pairs; those with marks come from those with the end of the text ---------------------
    before_marks = dict(characters.before_marks)
    for pair in [p for p in pairs if p[1] in options.marks]:
        before_marks[pair] = before_marks.get(pair, 0) + pairs.pop(pair)
    for pair, count in characters.count_pairs(*characters.numbers(texts), 1).items():
        pairs[pair] = pairs.get(pair, 0) + count
    pairs = dict(sorted(pairs.items()))
    return FeatureSpace(
        options,
        (),
        folds,
        replace(characters, before_marks=before_marks),
        lexicon_words,
        pairs,
        Trie.of(characters.table, lexicon_words.names, pairs),
    )


def _words(model: form.LinearModel, sentences: Text, folds: Array, add_new: bool) -> Words:
    """The model's words with their classes; ``add_new``: also the text's, in two new classes."""
    known_classes = dict(zip(model.words, model.word_class.tolist(), strict=True))
    new: dict[str, list[int]] = {}
    if add_new:
        counted = words_by_fold(sentences, folds)
        new = {w: by_fold for w, by_fold in counted.items() if w not in known_classes}
    names = sorted({*known_classes, *new})
    n_classes = len(model.groups) + 2
    classes = np.zeros((max(1, len(names)), FOLDS + 1), np.uint16)
    for i, w in enumerate(names):
        if w in known_classes:
            classes[i] = known_classes[w]
        else:
            total = sum(new[w])
            rest = [total - n for n in new[w]] + [total]
            classes[i] = [NO_CLASS if n == 0 else n_classes - 2 + (n > 1) for n in rest]
    # new words are of the group of the training text's: what the model has learnt of those holds at
    # once (0.0015 of F1 better than a group of none)
    groups = np.append(model.groups, [1, 1]).astype(np.uint8)
    return Words(names, classes, n_classes, groups, len(model.state))


def weights_of(
    space: FeatureSpace, model: form.LinearModel, layout: tuple[int, int, int, int, int, int]
) -> NDArray[np.float32]:
    """Return the model's weights in the trainer's rows; 0 for new features.

    A character without a row in the model starts with the row of its class.
    """
    t = TAGS
    generic, named = space.characters.table.generic, space.characters.named
    uni, kinds, state, match, bi, rows = layout
    w = np.zeros((rows, t), np.float32)
    w[:t] = model.trans
    row_of = {c: i for i, c in enumerate(model.chars)}
    rows_by_id = w[uni:kinds].reshape(-1, 4, t)
    for code, number in generic.items():
        row = row_of.get(form.generic_name(code))
        if row is not None:
            rows_by_id[number] = model.uni[row]
    for number, c in named.items():
        row = row_of.get(c)
        code = chars.char_class(ord(c))
        rows_by_id[number] = rows_by_id[generic[code]] if row is None else model.uni[row]
    w[kinds:state] = model.types
    w[state:match] = model.state.reshape(-1, t)
    n_classes = len(model.groups)
    rows_by_class = w[match:bi].reshape(-1, form.LENGTHS, form.ROLES, t)
    rows_by_class[:n_classes] = model.match
    pair_of = {p: i for i, p in enumerate(space.pairs)}
    shared = [i for i, p in enumerate(model.pairs) if p in pair_of]
    w[bi:].reshape(-1, 4, t)[[pair_of[model.pairs[i]] for i in shared]] = model.bi[shared]
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
        model: a perceptron or CRF, rounded as it is read or decompiled; not changed.
        sentences: the new text, folded words.
        dev: held-out text, which chooses the best pass, or the original model.

    Raises:
        ArgumentError: no sentences, or the model is an HMM, which has counts instead of weights.
    """
    options = options or AdaptOptions()
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
    part = Part.of(model, ["".join(words) for words in (*sentences, *(dev or ()))])
    part_model = part.model
    space = space_of_model(part_model, sentences)
    trainer = space.trainer()
    corpus = trainer.add_corpus(*space.columns(sentences, space.folds))
    dev_number = trainer.add_corpus(*space.columns(dev)) if dev else None
    weights = weights_of(space, part_model, trainer.layout)
    temperature = _temperature(trainer, corpus, weights)
    start = weights * np.float32(temperature)
    trainer.set_weights(start)
    before = None if dev is None else _f1_of(part_model, sentences, dev)
    course = Course(trainer, dev_number, options.epochs, progress)
    for number in range(options.epochs):
        first, last = (options.rate * (1 - 0.97 * k / options.epochs) for k in (number, number + 1))
        gain = trainer.crf_epoch(corpus, pass_seed(options.seed, number + 1), first, last, 0.0)
        check_finite(trainer)
        new_weights = np.frombuffer(trainer.weights(), np.float32)
        trainer.set_weights(start + np.float32(1 - options.pull) * (new_weights - start))
        course.passed(-gain)
    trained = course.trained
    after = None
    if before is not None:
        after = trained.epochs[trained.best - 1].f1
        if after <= before:
            return Adapted(model, temperature, trained.epochs, 0, before, before)
    meta = {k: v for k, v in model.meta.items() if k not in ("dev_f1", "test_f1")}
    moved = weights + (trained.weights - start) / np.float32(temperature)
    adapted = part.joined(model, space.linear_model(moved, trainer.layout, meta))
    adapted.meta["sources"] = model.meta.get("sources", [])
    scale = model.meta.get("scale") or compile_model(model)[1]["scale"]
    adapted.meta["scale"] = scale / 2
    return Adapted(adapted, temperature, trained.epochs, trained.best, before, after)


def _f1_of(model: form.LinearModel, sentences: Text, dev: Text) -> float:
    """Word F1 of the original model, which knows no word of the new text."""
    space = space_of_model(model, sentences, words=False)
    trainer = space.trainer()
    number = trainer.add_corpus(*space.columns(dev))
    trainer.set_weights(weights_of(space, model, trainer.layout))
    return f1_of(trainer.evaluate(number))


def _temperature(trainer: Any, corpus: int, weights: Array) -> float:
    """The factor on the weights that gives the corpus its highest likelihood."""
    gains: list[tuple[float, float]] = []
    for factor in TEMPERATURES:
        trainer.set_weights(weights * np.float32(factor))
        gain = trainer.crf_epoch(corpus, 0, 0.0, 0.0, 0.0)  # a rate of 0: only the likelihood
        if np.isfinite(gain):  # exp() of a perceptron's transitions may be infinite
            gains.append((gain, factor))
    return max(gains)[1]
