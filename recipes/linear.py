"""The linear taggers: their options, text and lexicons, and their training.

Of the project's own words of today those count that are words and no phrases
(:mod:`segmenter.train.new_words` puts them into sentences).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes.national import SAMPLE, read_national
from recipes.word_lists import installed, read_cutword, read_jieba, read_terms, read_thuocl
from segmenter.files.reading import read_lines
from segmenter.kernels import _train
from segmenter.lexicon.builder import trie_of
from segmenter.lexicon.characters import CharTable, code_points
from segmenter.text.chars import fold_str
from segmenter.train.corpus import read_corpus
from segmenter.train.tagger import TaggerOptions, train
from segmenter.train.tagging.features import MARKS, FeatureOptions, FeatureSource
from segmenter.train.tagging.model import MAX_WORD
from segmenter.train.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from segmenter.train.partial import Partly
    from segmenter.train.tagging.model import LinearModel

#: Options for whole labels: the standard ``pku``, and the tagger that projects gold and folds text.
SHIPPED = {
    "balanced": TaggerOptions("crf", runs=3, prune=0.02, decay=2e-5, exposures=4000),
    "fast": TaggerOptions(
        "perceptron", FeatureOptions(states=False), runs=3, prune=2.0, exposures=4000
    ),
    "hmm": TaggerOptions("hmm"),
}
#: Options for text labelled by `best`, gold and written sentences.  The sentences are sixteen times
#: as many, so the decay of each is less, and rare pairs are noise.  The last pass is taken: the dev
#: text of the newspaper would choose for the newspaper.  With the margins, crossing errors of
#: `fast` are 1.6 instead of 1.9; taggers of the newspaper alone gain nothing by one.
TAUGHT = {
    "balanced": TaggerOptions(
        "crf",
        FeatureOptions(min_pair=3, marks=MARKS),
        runs=5,
        epochs=12,
        prune=0.2,
        decay=1.28e-6,
        margin=2.0,
        exposures=30_000,
    ),
    "fast": TaggerOptions(
        "perceptron",
        FeatureOptions(min_pair=3, states=False, marks=MARKS),
        runs=4,
        epochs=10,
        prune=5.0,
        margin=30.0,
        exposures=30_000,
    ),
}
LEAST = 4  # occurrences of a word of jieba: rarer ones contradict the corpus
NO_LISTS = ("words-text.tsv", "words-jieba.tsv", "words-own.tsv")  # of dicts/: a source, or text
#: Tags of names, which are whole whatever their parts.
NAMES = ("nr", "ns", "nt", "nz")
#: Occurrences in the training text that make a word well known.
OFTEN = 3
#: Copies of each written sentence in the training text.
TIMES = 3


class Materials(NamedTuple):
    """Text and lexicons of a tagger."""

    sentences: list[list[str]]  # folded words, as in dev
    dev: list[list[str]]
    sources: list[FeatureSource]  # further lexicons
    terms: set[str]  # the project's own words of today that are words of their own, see opaque


def opaque(terms: Mapping[str, str], sentences: Iterable[Sequence[str]]) -> set[str]:
    """The terms that are words of their own, not a term beside a well-known word.

    Newspaper text of any standard divides such compounds (a kind of fund and 基金, a kind of café
    and 咖啡馆), and a term inside them would otherwise never be found.  As such terms count those
    that the training text lacks, and as a first half those of three and more characters.
    Names are kept whole, and so is a term that is itself a word of the training text.

    >>> text = [["投资", "基金", "基金", "基金"]]
    >>> sorted(opaque({"私募": "n", "私募基金": "n", "基金": "n"}, text))
    ['基金', '私募']
    """
    count = Counter(w for words in sentences for w in words)
    frequent = {w for w, n in count.items() if n >= OFTEN and len(w) > 1}
    new = {w for w in terms if w not in count}
    halves_before = new | {w for w in terms if len(w) > 2}

    def divides(word: str) -> bool:
        halves = ((word[:k], word[k:]) for k in range(2, len(word) - 1))
        return any(
            (a in halves_before and b in frequent) or (a in frequent and b in new)
            for a, b in halves
        )

    return {w for w, tag in terms.items() if w in count or tag[:2] in NAMES or not divides(w)}


def materials(standard: str, name: str, text: Path, shared: Path, tables: Path) -> Materials:
    """Text and lexicons of a tagger.

    Args:
        standard, name: ``"general"`` or ``"pku"``; of :data:`SHIPPED`.
        text: folder of ``train_jan.txt``, ``train_feb.txt`` and ``dev.txt``; of ``general`` also of
            ``national.txt``, with which .013 to .015 of F1 on that corpus are gained for .001 of
            dev F1.
        shared: the corpora.
        tables: the folder of what ``dicts/build.py`` writes.
    """
    joint = standard == "general" and name != "hmm"
    sentences, dev = (
        [words for part in parts for words in read_corpus([text / f"{part}.txt"]).sentences]
        for parts in (("train_jan", "train_feb"), ("dev",))
    )
    terms = read_terms()
    own_words = opaque(terms, sentences)
    sources: list[FeatureSource] = []
    if name != "hmm":
        # The sample is not counted: a sentence must not see its own words as known.
        corpus = enumerate(read_national(shared / "national" / "segmented.txt"))
        national = corpus_source("national", [x for i, x in corpus if not joint or i % SAMPLE])
        further = dict_words(tables / standard)
        if name == "balanced":  # 0.001 of dev F1 for a tenth of the speed and twice the size
            further |= long_lists(shared / "lexicons")
        sources = [national, word_source(further - terms.keys(), own_words)]
    if joint:
        sentences += read_corpus([text / "national.txt"], errors="skip").sentences
    return Materials(sentences, dev, sources, own_words)


def teach(
    name: str,
    materials: Materials,
    options: TaggerOptions,
    partly: Sequence[Sequence[Partly]] = (),
    *,
    standard: str = "general",
    written: Sequence[Sequence[str]] = (),
    dev: Sequence[Sequence[str]] | None = None,
    pairs: Collection[str] | None = None,
) -> LinearModel:
    """Trains a tagger.

    Args:
        name: in the model's metadata, as ``standard``.
        materials: text and lexicons.
        options: of the training.
        partly: partly labelled texts beside its own.
        written: further whole sentences.
        dev: chooses the pass; None: the last one is taken.
        pairs: the only ones that may be features.
    """
    vocabulary = {w for words in materials.sentences for w in words}
    vocabulary.update(w for text in partly for x in text for w in x.words)
    return train(
        [*materials.sentences, *written],
        dev,
        materials.sources,
        options,
        terms=[w for w in materials.terms if w not in vocabulary],
        partly=partly,
        pairs=pairs,
        meta={"standard": standard, "name": name},
    ).model


def word_source(further: Iterable[str], terms: Iterable[str]) -> FeatureSource:
    """The word lists as a source: words of other lists (state 1), of jieba's (2), terms (3)."""
    states = {w: 1 for w in map(fold_str, further) if 2 <= len(w) <= MAX_WORD}
    jieba = read_jieba(installed("jieba", "dict.txt"))
    states.update((w, 2) for w, listed in jieba.items() if listed.count >= LEAST)
    states.update((w, 3) for w in terms)
    return FeatureSource("lists", states, 3, 2, 1)


def count_strings(sentences: Sequence[Sequence[str]], words: set[str]) -> dict[str, int]:
    """Counts the occurrences of each string of ``words`` in the text, also across words.

    >>> count_strings([["他", "不", "能"], ["不能"]], {"不能"})
    {'不能': 2}
    """
    strings = sorted(words)
    if not strings:
        return {}
    table = CharTable({c: 1.0 for w in strings for c in w}, "default")
    units, slots = trie_of(table, table.encode(strings))
    word_of_slot = np.full(len(units), -1, np.int32)
    word_of_slot[slots] = np.arange(len(strings), dtype=np.int32)
    codes, starts = code_points(map("".join, sentences))
    occurrences = _train.count_occurrences(
        units, len(table.classes), word_of_slot, table.ids_of(codes), starts,
        np.zeros(len(sentences), np.uint8), 1, len(strings),
    )  # fmt: skip
    return dict(zip(strings, np.frombuffer(occurrences, np.int32).tolist(), strict=True))


def corpus_source(name: str, sentences: Sequence[Sequence[str]]) -> FeatureSource:
    """Another segmented corpus as a source: how its own text treats each word.

    States 1 to 5: its string occurs but is no word (or once only); a word less than one time in
    five; less than four in five; nearly always, seldom; nearly always, five times and more.
    """
    count = Counter(w for words in sentences for w in words if 2 <= len(w) <= MAX_WORD)
    repeated = {w for w, n in count.items() if n > 1}
    occurrences = count_strings(sentences, repeated)
    states: dict[str, int] = {}
    for w in repeated:
        rate = count[w] / max(1, occurrences[w])
        states[w] = 2 if rate < 0.2 else 3 if rate < 0.8 else 4 if count[w] < 5 else 5
    return FeatureSource(name, states, 5, 3, 2)


def long_lists(folder: Path) -> set[str]:
    """Words of cutword's list and of THUOCL (in ``folder/thuocl``), without its lines of poems."""
    thuocl = read_thuocl(folder / "thuocl")
    cutword = read_cutword(installed("cutword", "dict.txt"))
    return {*cutword, *(w for w, listed in thuocl.items() if listed.tag != "poem")}


def dict_words(folder: Path) -> set[str]:
    """The words of 2 to 8 characters that ``dicts/<standard>/`` took from the lists of others.

    Not those of jieba's list, which is a source itself, nor those of the texts.
    """
    paths = [p for p in sorted(folder.glob("words-*.tsv")) if p.name not in NO_LISTS]
    words = {fold_str(line.partition("\t")[0]) for p in paths for _, line in read_lines(p)}
    return {w for w in words if 2 <= len(w) <= MAX_WORD}


def carry(model: LinearModel, words: Collection[str]) -> LinearModel:
    """Adds words to a tagger's trie without weights: a network finds its words there.

    ``words`` are folded; those with a character that the tagger lacks are left out.
    """
    characters = set(model.chars)
    new = sorted(w for w in set(words) - set(model.words) if characters.issuperset(w))
    entries = [*model.words, *new]
    classes = np.concatenate([model.word_class, np.full(len(new), len(model.groups), np.int64)])
    order = sorted(range(len(entries)), key=entries.__getitem__)
    return dataclasses.replace(
        model,
        words=[entries[i] for i in order],
        word_class=classes[order],
        match=np.concatenate([model.match, np.zeros_like(model.match[:1])]),
        groups=np.concatenate([model.groups, np.zeros(1, np.int64)]),
        meta={**model.meta, "carried": len(new)},
    ).rounded()


def insist(model: LinearModel, words: Collection[str], nats: float) -> LinearModel:
    """Lets a tagger read words of three and more characters as one word more often.

    The words get classes of their own with the weights of their classes before, and matches that
    say B at the first character, M inside and E at the last.

    Args:
        model: the tagger; not changed.
        words: folded; those with a character that the tagger lacks are left out.
        nats: what each character of a word adds.
    """
    characters = set(model.chars)
    listed = [w for w in words if 3 <= len(w) <= MAX_WORD and characters.issuperset(w)]
    class_of = dict(zip(model.words, model.word_class.tolist(), strict=True))
    none = len(model.groups)  # the class of words that the model lacks
    match = np.concatenate([model.match, np.zeros_like(model.match[:1])])
    groups = np.append(model.groups, 0)
    old_classes = sorted({class_of.get(w, none) for w in listed})
    raised = match[old_classes]
    for role, tag in enumerate(("B", "M", "M", "E")):  # first, second, inner, last
        raised[:, 1:, role, FOUR.index(tag)] += nats
    new = {old: none + 1 + i for i, old in enumerate(old_classes)}
    class_of.update((w, new[class_of.get(w, none)]) for w in listed)
    return dataclasses.replace(
        model,
        words=list(class_of),
        word_class=np.array(list(class_of.values()), np.int64),
        match=np.concatenate([match, raised]),
        groups=np.concatenate([groups, groups[old_classes]]),
    ).rounded()
