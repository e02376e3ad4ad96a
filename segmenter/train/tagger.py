"""Training of the character taggers: from segmented text to a portable and a compiled model.

>>> Options().tags, Options(algorithm="perceptron").algorithm
(4, 'perceptron')
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter import artifact
from segmenter.chars import fold_str
from segmenter.errors import ArgumentError, MissingExtraError
from segmenter.tagging import crf, features, hmm, perceptron
from segmenter.tagging import model as form
from segmenter.tagging.features import FeatureSpace, Source
from segmenter.train.corpus import read_corpus
from segmenter.train.counts import (
    SAMPLE,
    read_cutword,
    read_jieba,
    read_lines,
    read_national,
    read_thuocl,
)
from segmenter.train.strings import string_source
from segmenter.train.terms import Favour, expose, favour, opaque, read_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.tagging.perceptron import Epoch

ALGORITHMS = ("hmm", "perceptron", "crf")
TRAINERS = ("own", "crfsuite")


@dataclass(frozen=True)
class Options:
    """How a tagger is trained.

    Attributes:
        algorithm: ``"hmm"``, ``"perceptron"`` or ``"crf"``.
        tags: 4 or 6.
        lexicon: words of the training text (jackknifed) and of the sources are features.
        states: group states are features.
        strings: strings of the training text, by accessor variety, are one source more, see
            :mod:`segmenter.train.strings`.
        min_pair: pairs of characters rarer than this are none.
        epochs: passes; 0: 20 for the perceptron (it stops early), 15 for the CRF.
        rate, decay: of the CRF.
        prune: pairs without a weight above this are left out of the model.
        seed: of the order of the sentences.
        runs: so many trainings with seeds of their own, their weights averaged.
        uni_mask, bi_mask: distances used, bit 0 for -2, bit 3 for +1.
        max_word: longest word that is a feature.
        types: types of characters are features.
        trainer: of the CRF: ``"own"`` (compiled, stochastic gradient descent) or ``"crfsuite"``
            (L-BFGS by the package sklearn-crfsuite; ``epochs`` are its iterations then).
        patience: epochs without a gain on the dev text before the perceptron ends.
        exposures: so many sentences are added in which a term stands for a common word, see
            :mod:`segmenter.train.terms`.
    """

    algorithm: str = "crf"
    tags: int = 4
    lexicon: bool = True
    states: bool = True
    strings: bool = False
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
    trainer: str = "own"
    patience: int = 4
    exposures: int = 0

    def __post_init__(self) -> None:
        if self.trainer not in TRAINERS:
            raise ArgumentError(f"trainer={self.trainer!r}: use one of {', '.join(TRAINERS)}")
        if self.patience < 1:
            raise ArgumentError(f"patience={self.patience!r}: at least one epoch")
        if self.trainer != "own" and (self.algorithm != "crf" or self.runs > 1):
            raise ArgumentError(f"trainer={self.trainer!r}: it trains one CRF (runs=1)")
        if self.strings and (self.algorithm == "hmm" or not self.lexicon):
            raise ArgumentError(f"strings={self.strings!r}: for taggers with lexicon features")
        if self.algorithm not in ALGORITHMS:
            raise ArgumentError(f"algorithm={self.algorithm!r}: use one of {', '.join(ALGORITHMS)}")


@dataclass
class Result:
    """A trained tagger and how it came about."""

    model: form.LinearModel
    epochs: list[Epoch] = field(default_factory=list)
    dev_f1: float | None = None  # of the weights as trained, before pruning and rounding


def train(
    sentences: Sequence[Sequence[str]],
    dev: Sequence[Sequence[str]] | None = None,
    sources: Sequence[Source] = (),
    options: Options | None = None,
    *,
    terms: Collection[str] = (),
    meta: Mapping[str, Any] | None = None,
    progress: Callable[[Epoch], None] | None = None,
) -> Result:
    """Trains a tagger.

    Args:
        sentences: folded words.
        dev: text to choose the best epoch on.
        sources: further lexicons.
        options: see :class:`Options`.
        terms: words of a source that training text is too old for; with ``options.exposures``.
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
    if o.strings:
        sources = [*sources, string_source(sentences)]
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
    made, origins = expose(sentences, terms, o.exposures, o.seed)
    sentences = [*sentences, *made]
    folds = np.concatenate([space.folds, space.folds[origins]]) if made else space.folds
    columns = space.columns(sentences, folds)
    corpus = trainer.add_corpus(*columns)
    dev_number = trainer.add_corpus(*space.columns(dev)) if dev else None
    epochs: list[Epoch] = []
    weights: NDArray[np.float32] | None = None
    for run in range(o.runs):
        if run:
            trainer.set_weights(np.zeros(trainer.layout[5] * o.tags, np.float32))
        seed = o.seed + 7919 * run
        if o.trainer == "crfsuite":
            fitted = crf.fit_crfsuite(
                trainer,
                corpus,
                columns.offsets,
                sentences,
                tags=o.tags,
                iterations=o.epochs or 100,
            )
            found = crf.from_crfsuite(fitted, trainer.layout[5], o.tags)
            got = perceptron.Trained(found, 0, [])
        elif o.algorithm == "perceptron":
            got = perceptron.train(
                trainer,
                corpus,
                dev_number,
                epochs=o.epochs or 20,
                patience=o.patience,
                seed=seed,
                progress=progress,
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


def word_source(
    path: str | os.PathLike[str],
    further: Iterable[str] = (),
    terms: Iterable[str] = (),
    least: int = 4,
) -> Source:
    """Word lists as a source.

    Args:
        path: jieba's ``dict.txt`` (MIT): state 2, words of at least ``least`` occurrences.
        further: words of other lists: state 1.
        terms: the project's own list of words of today: state 3.
        least: rarer words of jieba are left out (naively added they contradict the corpus).
    """
    states = {w: 1 for w in map(fold_str, further) if 2 <= len(w) <= form.MAX_WORD}
    states.update((w, 2) for w, listed in read_jieba(path).items() if listed.count >= least)
    states.update((w, 3) for w in terms)
    return Source("lists", states, 3, 2, 1)


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


def long_lists(folder: str | os.PathLike[str]) -> set[str]:
    """Words of cutword's list and of THUOCL (without its lines of poems).

    Args:
        folder: holds ``thuocl/``; the package cutword must be installed (it is not imported, only
            its list is read).
    """
    words: set[str] = set(read_cutword(installed("cutword", "dict.txt")))
    return words | {
        w
        for w, listed in read_thuocl(os.path.join(folder, "thuocl")).items()
        if listed.tag != "poem"
    }


def installed(package: str, *parts: str) -> str:
    """Path of a file inside an installed package, which is not imported.

    Raises:
        MissingExtraError: the package is not installed.
    """
    import importlib.util

    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("train", package, "training the shipped taggers")
    return os.path.join(next(iter(spec.submodule_search_locations)), *parts)


#: What each character of a word of today gains in ``standard="general"``, in units of the model's
#: score (short words, long ones, rare ones too): of the project's own list, of the other lists of
#: dicts/general.  Chosen on the half ``choose`` of eval/words_of_today.tsv and on the dev text.
FAVOUR = {
    "balanced": ((4.0, 6.0, True), (1.0, 1.0, False)),
    "fast": ((48.0, 60.0, True), (12.0, 12.0, False)),
}

#: What is trained for each standard: the model's name and its options.
SHIPPED = {
    "balanced": Options("crf", runs=3, prune=0.02, decay=2e-5, exposures=4000),
    "fast": Options("perceptron", runs=3, prune=2.0, states=False, exposures=4000),
    "hmm": Options("hmm"),
}
#: Models with the longer lists: 0.001 of dev F1 for a tenth of the speed and twice the size.
WIDE = frozenset({"balanced"})
#: Models of ``standard="general"`` that also train on ``national.txt``: 0.013 to 0.015 of F1 on
#: that corpus for 0.001 of dev F1 (eval/results/national_reading.md).
JOINT = frozenset({"fast", "balanced"})
#: The closed track: January alone and nothing else.
CLOSED = {
    "closed-crf": Options("crf", tags=6, strings=True, runs=5, min_pair=1, decay=3e-5, epochs=30),
    "closed-perceptron": Options("perceptron", tags=6, runs=5, min_pair=1),
    "closed-hmm": Options("hmm"),
}


def dict_words(folder: str | os.PathLike[str]) -> set[str]:
    """The words of 2 to 8 characters that ``dicts/<standard>/`` took from the lists of others.

    Not those of jieba's list, which is a source itself, nor those of the texts.
    """
    words: set[str] = set()
    for entry in sorted(os.listdir(folder)):
        if not (entry.startswith("words-") and entry.endswith(".tsv")):
            continue
        if entry in ("words-text.tsv", "words-jieba.tsv", "words-own.tsv"):
            continue
        lines = read_lines(os.path.join(folder, entry))
        words.update(fold_str(line.partition("\t")[0]) for _, line in lines)
    return {w for w in words if 2 <= len(w) <= form.MAX_WORD}


class Materials(NamedTuple):
    """What a shipped model is trained on, see :func:`materials`.

    Attributes:
        sentences, dev: folded words.
        sources: further lexicons.
        own: the project's own list of words of today, with tags.
        terms: those of it that are words of their own, see :func:`opaque`.
        new: those of these that are not in the text.
        listed: words of ``dicts/<standard>/``.
    """

    sentences: list[list[str]]
    dev: list[list[str]]
    sources: list[Source]
    own: dict[str, str]
    terms: set[str]
    new: list[str]
    listed: set[str]


def materials(
    standard: str,
    name: str,
    text: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    dicts: str | os.PathLike[str] = "dicts",
) -> Materials:
    """Text and lexicons of a shipped model, or of one of the closed track.

    Args:
        standard, text, shared, dicts: as for :func:`build`.
        name: of :data:`SHIPPED` or :data:`CLOSED`.
    """
    january = read_corpus([os.path.join(text, "train_jan.txt")]).sentences
    both = january + read_corpus([os.path.join(text, "train_feb.txt")]).sentences
    dev = read_corpus([os.path.join(text, "dev.txt")]).sentences
    listed = dict_words(os.path.join(dicts, standard))
    own = read_terms(os.path.join(dicts, "own.tsv"))
    terms = opaque(own, both)
    options = SHIPPED.get(name) or CLOSED[name]
    closed = name in CLOSED
    joint = standard == "general" and name in JOINT
    sources: list[Source] = []
    if options.lexicon and not closed and options.algorithm != "hmm":
        # The sample is not counted: a sentence must not see its own words as known.
        corpus = enumerate(read_national(os.path.join(shared, "national", "segmented.txt")))
        counted = [words for i, words in corpus if not joint or i % SAMPLE]
        national = corpus_source("national", counted)
        further = listed
        if name in WIDE:
            further = listed | long_lists(os.path.join(shared, "lexicons"))
        jieba = installed("jieba", "dict.txt")
        sources = [national, word_source(jieba, further - own.keys(), terms)]
    sentences = january if closed else both
    if joint:
        path = os.path.join(text, "national.txt")
        sentences = both + read_corpus([path], errors="skip").sentences
    in_text = {w for words in sentences for w in words}
    new = [w for w in terms if w not in in_text]
    return Materials(sentences, dev, sources, own, terms, new, listed)


def build(
    standard: str,
    names: Iterable[str],
    text: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    out: str | os.PathLike[str],
    dicts: str | os.PathLike[str] = "dicts",
    test: str | os.PathLike[str] | None = None,
    commit: str = "",
    say: Callable[[str], None] = print,
) -> list[str]:
    """Trains shipped models: ``<standard>-<name>.model`` and a card beside each.

    Args:
        standard: ``"general"`` or ``"pku"``: how the models' names begin.
        names: of :data:`SHIPPED` or :data:`CLOSED`.
        text: folder of that standard's ``train_jan.txt``, ``train_feb.txt`` and ``dev.txt``
            (``shared/pku``, or what ``dicts/make_general.py`` writes, with ``national.txt``).
        shared: folder with ``national/segmented.txt`` and ``lexicons/``.
        out: folder for the models.
        dicts: the folder ``dicts``: its own list of words of today and ``<standard>/``.
        test: gold text whose score goes into the cards; nothing is chosen by it.
        commit: of the code, for the cards.
        say: takes a line on each model.

    Returns:
        The paths of the models.

    Raises:
        ArgumentError: an unknown name.
    """
    paths: list[str] = []
    for name in names:
        options = SHIPPED.get(name) or CLOSED.get(name)
        if options is None:
            raise ArgumentError(f"names: {name!r} is none of {', '.join([*SHIPPED, *CLOSED])}")
        closed = name in CLOSED
        joint = standard == "general" and name in JOINT
        given = materials(standard, name, text, shared, dicts)
        sentences, dev, sources = given.sentences, given.dev, given.sources
        terms, listed, own = given.terms, given.listed, given.own
        meta = {"standard": standard, "name": name}
        result = train(sentences, dev, sources, options, terms=given.new, meta=meta)
        if standard == "general" and name in FAVOUR:
            ours, others = FAVOUR[name]
            result.model = favour(
                result.model, [Favour(terms, *ours), Favour(listed - own.keys(), *others)]
            )
        sections, head = form.compile_model(result.model)
        path = os.path.join(os.fspath(out), f"{standard}-{name}.model")
        os.makedirs(out, exist_ok=True)
        artifact.write(path, form.KIND, sections, head)
        f1 = f1_of_model(sections, dev)
        scores = {"dev": f1}
        if test is not None:
            scores["test"] = f1_of_model(sections, read_corpus([test]).sentences)
        card = _card(standard, name, options, result, head, path, scores, commit, closed, joint)
        with open(path[: -len(".model")] + ".CARD.md", "w", encoding="utf-8", newline="\n") as file:
            file.write(card)
        say(f"{os.path.basename(path)}: dev F1 {f1:.5f}, {os.path.getsize(path) / 1e6:.1f} MB")
        paths.append(path)
    return paths


def f1_of_model(sections: Mapping[str, bytes], sentences: Sequence[Sequence[str]]) -> float:
    """Word F1 of a compiled tagger on segmented text."""
    from segmenter.kernels import _face

    weights = _face.TaggerWeights(_face.Lexicon(sections), sections)
    engine = _face.Engine(weights.lexicon, _face.TAGGED, tagger=weights)
    right = gold = predicted = 0
    for words in sentences:
        got = engine.cut("".join(words))
        right += len(_spans(words) & _spans(got))
        gold += len(words)
        predicted += len(got)
    return perceptron.f1_of((right, gold, predicted))


def _spans(words: Sequence[str]) -> set[tuple[int, int]]:
    out = set()
    at = 0
    for w in words:
        out.add((at, at + len(w)))
        at += len(w)
    return out


def _card(
    standard: str,
    name: str,
    options: Options,
    result: Result,
    head: Mapping[str, Any],
    path: str,
    scores: Mapping[str, float],
    commit: str,
    closed: bool,
    joint: bool,
) -> str:
    text = (
        "the January text of 1998 of the People's Daily (train_jan.txt)"
        if closed
        else "the January and February text of 1998 of the People's Daily"
    )
    if joint:
        text += f"; one sentence in {SAMPLE} of the national corpus, in that standard"
    convention = (
        "the bakeoff's convention"
        if standard == "pku"
        else "the corpus's own, personal names whole"
    )
    lists = (
        "none" + (", but its own strings by accessor variety" if options.strings else "")
        if closed or options.algorithm == "hmm"
        else "as features only: words and counts of the national corpus (without every 50th line"
        + (f" and one sentence in {SAMPLE}" if joint else "")
        + "), jieba's list (MIT), "
        + ("cutword's list (Apache-2.0), THUOCL (MIT)" if name in WIDE else "words of dicts/")
        + ", the project's own list of words of today"
    )
    given = ", ".join(
        f"{k}={v!r}" for k, v in asdict(options).items() if v != getattr(Options(), k)
    )
    trained = "" if result.dev_f1 is None else f" ({result.dev_f1:.5f} before quantisation)"
    return f"""# {os.path.basename(path)}

| | |
|---|---|
| algorithm | {options.algorithm}, {options.tags} tags |
| standard | {standard}: {convention} |
| trained on | {text} |
| further lexicons | {lists} |
| options | {given or "the defaults"}; seed {options.seed} |
| features | {head["pairs"]:,} pairs, {head["words"]:,} words |
| size | {os.path.getsize(path):,} bytes |
| commit | {commit or "unknown"} |
| test F1 | {f"{scores['test']:.4f}, width folded" if "test" in scores else "not measured"} |
| dev F1 | {scores["dev"]:.5f}{trained}; width folded; the last contiguous days of that January |
| rebuild | `python -m segmenter.train.tagger {standard} {name} --text DIR --shared DIR` |

The corpora are not part of this project and are not passed on; the model holds weights of character
pairs and a list of words with a class each.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m segmenter.train.tagger``: trains the shipped models."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m segmenter.train.tagger")
    parser.add_argument("standard", choices=("general", "pku"))
    parser.add_argument("names", nargs="+", choices=[*SHIPPED, *CLOSED])
    parser.add_argument("--text", required=True, help="folder of the standard's training text")
    parser.add_argument("--shared", required=True, help="folder with national/ and lexicons/")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv and the word lists")
    parser.add_argument("--test", help="gold file of the bakeoff, for the cards")
    parser.add_argument("--commit", default="", help="of the code, for the cards")
    parser.add_argument("--out", default="models")
    a = parser.parse_args(arguments)
    build(a.standard, a.names, a.text, a.shared, a.out, a.dicts, a.test, a.commit)
    return 0


def with_options(options: Options, **changes: Any) -> Options:
    """``options`` with some of them changed.

    >>> with_options(Options(), tags=6).tags
    6
    """
    return replace(options, **changes)


if __name__ == "__main__":
    raise SystemExit(main())
