"""Trains the shipped linear taggers and those of the closed track.

    python -m recipes.linear general balanced fast --text DIR --shared ../shared/data

For ``general`` the text is the folder that ``python -m recipes.general_text`` writes, for ``pku``
the folder of the benchmark's training text.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes.national import SAMPLE, read_national
from recipes.own_words import opaque, read_terms
from recipes.packages import installed
from recipes.sources import corpus_source, dict_words, long_lists, word_source
from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.train.corpus import read_corpus
from segmenter.train.tagger import Result, TaggerOptions, f1_of_model, train
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import MARKS, FeatureOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from segmenter.train.partial import Partly
    from segmenter.train.tagging.features import FeatureSource

#: What is trained on whole labels: of the standard ``pku``, and the tagger that projects gold and
#: folds text.
SHIPPED = {
    "balanced": TaggerOptions("crf", runs=3, prune=0.02, decay=2e-5, exposures=4000),
    "fast": TaggerOptions(
        "perceptron", FeatureOptions(states=False), runs=3, prune=2.0, exposures=4000
    ),
    "hmm": TaggerOptions("hmm"),
}
#: What is trained on what `best` reads, gold and written sentences beside it.  The sentences are
#: sixteen times as many, so the decay of each is less, rare pairs are noise, and there is no dev
#: text that a pass could be chosen on: the newspaper's would choose for the newspaper.
TAUGHT = {
    "balanced": TaggerOptions(
        "crf",
        FeatureOptions(min_pair=3, marks=MARKS),
        runs=5,
        epochs=12,
        prune=0.2,
        decay=1.28e-6,
        exposures=30_000,
    ),
    "fast": TaggerOptions(
        "perceptron",
        FeatureOptions(min_pair=3, states=False, marks=MARKS),
        runs=5,
        epochs=10,
        prune=3.0,
        exposures=30_000,
    ),
}
#: The project's own words of today.
OWN = Path(__file__).resolve().parent.parent / "dicts" / "own.tsv"
#: How often each written sentence is in the text of a taught tagger, or of one of ``pku``.
TIMES = 3
#: Written sentences by the convention of ``pku``.
WRITTEN = Path(__file__).resolve().parent / "written" / "pku"
#: Models with the longer lists: 0.001 of dev F1 for a tenth of the speed and twice the size.
WIDE = frozenset({"balanced"})
#: Models of ``standard="general"`` that also train on ``national.txt``: 0.013 to 0.015 of F1 on
#: that corpus for 0.001 of dev F1.
JOINT = frozenset({"fast", "balanced"})
#: The closed track: January alone and nothing else.
CLOSED = {
    "closed-crf": TaggerOptions(
        "crf", FeatureOptions(min_pair=1), strings=True, runs=5, decay=3e-5, epochs=30
    ),
    "closed-perceptron": TaggerOptions("perceptron", FeatureOptions(min_pair=1), runs=5),
    "closed-hmm": TaggerOptions("hmm"),
}


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
    sources: list[FeatureSource]
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
    own = read_terms(OWN)
    terms = opaque(own, both)
    options = SHIPPED.get(name) or CLOSED[name]
    closed = name in CLOSED
    joint = standard == "general" and name in JOINT
    sources: list[FeatureSource] = []
    if options.features.lexicon and not closed and options.algorithm != "hmm":
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


def teach(
    name: str,
    given: Materials,
    partly: Sequence[Sequence[Partly]],
    carried: Collection[str] = (),
    options: TaggerOptions | None = None,
) -> Result:
    """Trains a tagger of ``general`` on partly labelled text beside its own.

    Args:
        name: of :data:`TAUGHT`.
        given: text and lexicons.
        partly: the further texts.
        carried: words that the network's other standards know, see :func:`carry`.
        options: default: those of the name.
    """
    known = {w for words in given.sentences for w in words}
    known.update(w for text in partly for x in text for w in x.words)
    result = train(
        given.sentences,
        None,
        given.sources,
        options or TAUGHT[name],
        terms=[w for w in given.terms if w not in known],
        partly=partly,
        meta={"standard": "general", "name": name},
    )
    if carried:
        result.model = carry(result.model, carried)
    return result


def carry(model: form.LinearModel, words: Collection[str]) -> form.LinearModel:
    """Takes words into a tagger's trie without weights: a network finds its words there.

    Args:
        model: the tagger; not changed.
        words: folded; those that it has stay as they are, and those with a character that it has
            not are left out.
    """
    known = set(model.chars)
    new = sorted(w for w in set(words) - set(model.words) if known.issuperset(w))
    every = [*model.words, *new]
    number = len(model.groups)
    classes = np.concatenate([model.word_class, np.full(len(new), number, np.int64)])
    order = sorted(range(len(every)), key=every.__getitem__)
    return dataclasses.replace(
        model,
        words=[every[i] for i in order],
        word_class=classes[order],
        match=np.concatenate([model.match, np.zeros_like(model.match[:1])]),
        groups=np.concatenate([model.groups, np.zeros(1, np.int64)]),
        meta={**model.meta, "carried": len(new)},
    ).rounded()


def build(
    standard: str,
    names: Iterable[str],
    text: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    out: str | os.PathLike[str],
    dicts: str | os.PathLike[str] = "dicts",
    say: Callable[[str], None] = print,
) -> list[str]:
    """Trains shipped models: ``<standard>-<name>.model``.

    Args:
        standard: ``"general"`` or ``"pku"``: how the models' names begin.
        names: of :data:`SHIPPED` or :data:`CLOSED`.
        text: folder of that standard's ``train_jan.txt``, ``train_feb.txt`` and ``dev.txt``
            (``shared/pku``, or what ``recipes/general_text.py`` writes, with ``national.txt``).
        shared: folder with ``national/segmented.txt`` and ``lexicons/``.
        out: folder for the models.
        dicts: the folder ``dicts``: its own list of words of today and ``<standard>/``.
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
            raise ArgumentError(f"names: {name!r} is not one of {', '.join([*SHIPPED, *CLOSED])}")
        closed = name in CLOSED
        given = materials(standard, name, text, shared, dicts)
        sentences, dev, sources = given.sentences, given.dev, given.sources
        if standard == "pku" and not closed:
            sentences = [*sentences, *read_corpus(sorted(WRITTEN.glob("*.txt"))).sentences * TIMES]
        meta = {"standard": standard, "name": name}
        result = train(sentences, dev, sources, options, terms=given.new, meta=meta)
        sections, head = compile_model(result.model)
        path = os.path.join(os.fspath(out), f"{standard}-{name}.model")
        os.makedirs(out, exist_ok=True)
        artifact.write(path, form.KIND, sections, head)
        f1 = f1_of_model(sections, dev)
        say(f"{os.path.basename(path)}: dev F1 {f1:.5f}, {os.path.getsize(path) / 1e6:.1f} MB")
        paths.append(path)
    return paths


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m recipes.linear``: trains the shipped models."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m recipes.linear")
    parser.add_argument("standard", choices=("general", "pku"))
    parser.add_argument("names", nargs="+", choices=[*SHIPPED, *CLOSED])
    parser.add_argument("--text", required=True, help="folder of the standard's training text")
    parser.add_argument("--shared", required=True, help="folder with national/ and lexicons/")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv and the word lists")
    parser.add_argument("--out", default="models")
    a = parser.parse_args(arguments)
    build(a.standard, a.names, a.text, a.shared, a.out, a.dicts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
