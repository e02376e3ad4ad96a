"""Training of the character taggers: from segmented text to a portable and a compiled model.

>>> Options().tags, Options(algorithm="perceptron").algorithm
(4, 'perceptron')
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter import artifact
from segmenter.chars import fold_str
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.tagging import crf, features, hmm, perceptron
from segmenter.tagging import model as form
from segmenter.tagging.features import FeatureSpace, Source
from segmenter.train.counts import read_lines, read_segmented

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.tagging.perceptron import Epoch

ALGORITHMS = ("hmm", "perceptron", "crf")


@dataclass(frozen=True)
class Options:
    """How a tagger is trained.

    Attributes:
        algorithm: ``"hmm"``, ``"perceptron"`` or ``"crf"``.
        tags: 4 or 6.
        lexicon: words of the training text (jackknifed) and of the sources are features.
        states: group states are features.
        min_pair: pairs of characters rarer than this are none.
        epochs: passes; 0: 20 for the perceptron (it stops early), 15 for the CRF.
        rate, decay: of the CRF.
        prune: pairs without a weight above this are left out of the model.
        seed: of the order of the sentences.
        runs: so many trainings with seeds of their own, their weights averaged.
        uni_mask, bi_mask: distances used, bit 0 for -2, bit 3 for +1.
        max_word: longest word that is a feature.
        types: types of characters are features.
    """

    algorithm: str = "crf"
    tags: int = 4
    lexicon: bool = True
    states: bool = True
    min_pair: int = 2
    epochs: int = 0
    rate: float = 0.1
    decay: float = 1e-5
    prune: float = 0.0
    seed: int = 1
    runs: int = 1
    uni_mask: int = 15
    bi_mask: int = 15
    max_word: int = form.MAX_WORD
    types: bool = True

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ArgumentError(f"algorithm={self.algorithm!r}: use one of {', '.join(ALGORITHMS)}")


@dataclass
class Result:
    """A trained tagger and how it came about."""

    model: form.LinearModel
    epochs: list[Epoch] = field(default_factory=list)
    dev_f1: float | None = None  # of the weights as trained, before pruning and rounding


def read_corpus(paths: Iterable[str | os.PathLike[str]]) -> list[list[str]]:
    """Sentences of segmented files, folded.

    Raises:
        DictionaryError: a line that is too long to be a sentence or holds a control character;
            names file, line and reason.
        EncodingError: a line is not UTF-8.
        ArgumentError: no sentence at all.
    """
    out: list[list[str]] = []
    names = [os.fspath(p) for p in paths]
    for name in names:
        for number, line in read_lines(name):
            if "\0" in line:
                raise DictionaryError(name, number, "a NUL character: is this a text file?")
            if len(line) > 100_000:
                raise DictionaryError(
                    name, number, "more than 100,000 characters: one sentence a line"
                )
        out += read_segmented(name)
    if not out:
        raise ArgumentError(f"training files hold no sentence: {', '.join(names)}")
    return out


def read_source(name: str, path: str | os.PathLike[str]) -> Source:
    """A further lexicon from a word list: one word a line, what follows a tab is ignored.

    Raises:
        DictionaryError: a word with a blank in it; names file, line and reason.
    """
    states: dict[str, int] = {}
    for number, line in read_lines(path):
        word = fold_str(line.partition("\t")[0])
        if not word or word.startswith("#"):
            continue
        if word.split() != [word]:
            raise DictionaryError(
                os.fspath(path), number, "a word with a blank: fields are separated by tabs"
            )
        states[word] = 1
    return Source(name, states)


def train(
    sentences: Sequence[Sequence[str]],
    dev: Sequence[Sequence[str]] | None = None,
    sources: Sequence[Source] = (),
    options: Options | None = None,
    *,
    meta: Mapping[str, Any] | None = None,
    progress: Callable[[Epoch], None] | None = None,
) -> Result:
    """Trains a tagger.

    Args:
        sentences: folded words.
        dev: text to choose the best epoch on.
        sources: further lexicons.
        options: see :class:`Options`.
        meta: goes into the model.
        progress: called after each epoch.

    Raises:
        ArgumentError: no sentences, options out of range.
    """
    o = options or Options()
    head = {"algorithm": o.algorithm, "options": asdict(o), **(meta or {})}
    if o.algorithm == "hmm":
        model = hmm.train(sentences, tags=o.tags)
        model.meta.update(head)
        return Result(model.rounded())
    space = FeatureSpace(
        sentences,
        sources,
        tags=o.tags,
        lexicon=o.lexicon,
        states=o.states and o.lexicon,
        min_pair=o.min_pair,
        uni_mask=o.uni_mask,
        bi_mask=o.bi_mask,
        max_word=o.max_word,
        types=o.types,
    )
    trainer = space.trainer()
    corpus = trainer.add_corpus(*space.columns(sentences, space.folds))
    dev_number = trainer.add_corpus(*space.columns(dev)) if dev else None
    epochs: list[Epoch] = []
    weights: NDArray[np.float32] | None = None
    for run in range(o.runs):
        if run:
            trainer.set_weights(np.zeros(trainer.layout[5] * o.tags, np.float32))
        seed = o.seed + 7919 * run
        if o.algorithm == "perceptron":
            got = perceptron.train(
                trainer, corpus, dev_number, epochs=o.epochs or 20, seed=seed, progress=progress
            )
        else:
            got = crf.train(
                trainer,
                corpus,
                dev_number,
                epochs=o.epochs or 15,
                rate=o.rate,
                decay=o.decay,
                seed=seed,
                progress=progress,
            )
        epochs += got.epochs
        weights = got.weights if weights is None else weights + got.weights
    if weights is None:
        raise ArgumentError(f"runs={o.runs!r}: at least one training is needed")
    weights = weights / np.float32(o.runs)
    f1 = None
    if dev_number is not None:
        trainer.set_weights(weights)
        f1 = perceptron.f1_of(trainer.evaluate(dev_number))
        head["dev_f1"] = round(f1, 5)
    model = space.linear_model(weights, trainer.layout, head, o.prune)
    return Result(model, epochs, f1)


def write(result: Result, folder: str | os.PathLike[str], name: str) -> tuple[str, str]:
    """Writes ``name.txt`` (portable) and ``name.model`` (compiled) into ``folder``.

    Returns:
        The paths of both.
    """
    os.makedirs(folder, exist_ok=True)
    text = os.path.join(os.fspath(folder), name + ".txt")
    compiled = os.path.join(os.fspath(folder), name + ".model")
    result.model.write(text)
    sections, meta = form.compile_model(result.model)
    artifact.write(compiled, form.KIND, sections, meta)
    return text, compiled


# --- the lexicons of the shipped models ----------------------------------------------------------


def jieba_source(
    path: str | os.PathLike[str], further: Iterable[str] = (), least: int = 4
) -> Source:
    """jieba's word list (MIT) as a source: state 2, words of at least ``least`` occurrences.

    Args:
        path: jieba's ``dict.txt``.
        further: words of other lists: state 1.
        least: rarer words of jieba are left out (naively added they contradict the corpus).
    """
    states = {w: 1 for w in map(fold_str, further) if 2 <= len(w) <= form.MAX_WORD}
    for _, line in read_lines(path):
        fields = line.split(" ")
        if len(fields) >= 2 and int(fields[1]) >= least:
            states[fold_str(fields[0])] = 2
    return Source("lists", states, 2, 2, 1)


def corpus_source(name: str, sentences: Sequence[Sequence[str]]) -> Source:
    """Another segmented corpus as a source: how its own text treats each word.

    States 1 to 5: its string is there but no word (or once only); a word less than one time in
    five; less than four in five; nearly always, seldom; nearly always, five times and more.
    """
    count: Counter[str] = Counter()
    for words in sentences:
        count.update(w for w in words if 2 <= len(w) <= form.MAX_WORD)
    known = {w for w, n in count.items() if n > 1}
    seen = features.count_strings(sentences, known)
    states: dict[str, int] = {}
    for w in known:
        rate = count[w] / max(1, seen[w])
        states[w] = 2 if rate < 0.2 else 3 if rate < 0.8 else 4 if count[w] < 5 else 5
    return Source(name, states, 5, 3, 2)


def with_options(options: Options, **changes: Any) -> Options:
    """``options`` with some of them changed.

    >>> with_options(Options(), tags=6).tags
    6
    """
    return replace(options, **changes)
