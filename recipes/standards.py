"""The network of all standards: its training texts, and the file that ``accurate`` loads.

One network is trained on ten standards at once.  ``general`` has the newspaper, text labelled by
``best``, partial labels from the gold of other conventions and the written sentences; the others
have their own gold, and raw text labelled by ``best`` in their convention.  A convention with its
own gold also has its own lexicon features: the classes of a word by its training text (jackknifed),
by the text of ``general``, and by the lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recipes import measure_words
from recipes.linear import SHIPPED, Materials, corpus_source
from recipes.national import read_national
from recipes.reading import DOMAINS
from segmenter.train import bilstm, bilstm_text
from segmenter.train.corpus import folded
from segmenter.train.new_words import expose
from segmenter.train.partial import join
from segmenter.train.tagging import bilstm_crf
from segmenter.train.tagging.features import FULL, MARKS, FeatureSpace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from recipes.work import Work
    from segmenter.train.partial import Partly
    from segmenter.train.tagging.model import LinearModel

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

#: Conventions of ``shared/gold`` that are standards of the network.
OWN_GOLD = ("ctb", "sxu", "msr", "ud", "weibo", "sinica")
#: Settings of atoms that belong to a convention: `2026/年`, `@/张三`, `#/双十一/#`.
ATOMS = {
    "sxu": {"calendar": "split"},
    "ud": {"calendar": "split"},
    "weibo": {"mention": "split", "hashtag": "split"},
}
#: Share of each text in a pass, those of ``general`` by their names; written sentences, ``wtb`` and
#: a convention's own gold are read in full.
SHARES = {
    "newspaper": 0.4,
    "raw": 0.4,
    "entities": 0.4,
    "exchanged": 0.25,
    "ctb": 0.4,
    "sxu": 0.4,
    "msr": 0.4,
    "weibo": 0.5,
    "ud": 0.5,
    "sinica": 0.5,
    "pku": 0.7,
    "national": 0.25,
    "read": 0.5,  # by ``best``, by a convention
}
#: Copies of the written sentences in a pass.
TWICE = 2
#: Every fourth sentence of the national corpus is text of its standard.
NATIONAL = 4
PAIRS = 120_000  # pairs of characters with rows of their own
#: The average reaches back over more than a pass of 4,000 steps: the mean of the weights after two
#: passes crosses fewer entities than either.
OPTIONS = bilstm.BilstmOptions(
    bilstm.Shape(hidden=192, marks=MARKS),
    bilstm.Dropout(input=0.2, output=0.25, pairs=0.1),
    bilstm.Schedule(batch=4096, epochs=9, patience=9, average=0.9998),
)


class Lessons(NamedTuple):
    """Training data of the network."""

    vocab: bilstm_text.Vocabulary  # characters and pairs with rows
    parts: list[bilstm.Part]  # the texts
    classes: dict[str, dict[str, int]]  # of the words of each standard, without a fold left out
    n_classes: int


def same_folds(texts: Sentences, sentences: Sentences, folds: Array) -> Array:
    """The folds of ``texts`` that occur in a training text, perhaps with other boundaries."""
    fold_of = {"".join(words): k for words, k in zip(sentences, folds.tolist(), strict=True)}
    return np.array([fold_of.get("".join(words), FULL) for words in texts], np.uint8)


def gold_of(work: Work) -> dict[str, tuple[Sentences, Sentences]]:
    """Training and dev text of each convention; of ``as`` Sinica's with its measure words apart."""
    cut = work.tagger("ctb").cut
    gold: dict[str, tuple[Sentences, Sentences]] = {}
    for name in (*OWN_GOLD, "as"):
        texts = [work.gold("sinica" if name == "as" else name, x) for x in ("train", "dev")]
        if name == "as":
            texts = [[measure_words.parted(words, cut) for words in text] for text in texts]
        train, dev = ([folded(words, work.fold) for words in text] for text in texts)
        gold[name] = train, dev
    return gold


def lessons(work: Work, further: Mapping[str, Sequence[Partly]]) -> Lessons:
    """The texts of all standards as numbers.

    ``further`` are partly labelled texts of ``general``, by name: ``raw``, ``entities``,
    ``exchanged``, the conventions, ``written``.
    """
    general, pku = work.materials, work.texts("pku", "balanced")
    national = work.shared / "national" / "segmented.txt"
    options = SHIPPED["balanced"]
    text = join(general.sentences, list(further.values()))
    space = FeatureSpace.of_text(
        text.sentences, general.sources, options.features, folds=text.folds
    )
    vocab = bilstm_text.vocabulary([text.sentences], pairs=PAIRS)
    parts: list[bilstm.Part] = []
    spaces = {"general": space, "national": space}

    def add(
        standard: str,
        name: str,
        sentences: Sentences,
        folds: Array | None,
        dev: Sentences | None = None,
        unsure: Sequence[Array] | None = None,
    ) -> None:
        about, marks = (vocab, spaces[standard]), OPTIONS.shape.marks
        encoded = bilstm_text.encode(*about, sentences, folds, unsure, marks)
        judged = None if dev is None else bilstm_text.encode(*about, dev, marks=marks)
        parts.append(bilstm.Part(standard, encoded, SHARES.get(name, 1.0), judged))

    def add_newspaper(
        standard: str, name: str, materials: Materials, vocabulary_text: Sentences
    ) -> None:
        new = materials.terms - {word for words in vocabulary_text for word in words}
        exposed, origins = expose(materials.sentences, new, options.exposures, options.seed)
        folds = spaces[standard].folds[: len(materials.sentences)]
        folds = np.concatenate([folds, folds[origins]])
        add(standard, name, [*materials.sentences, *exposed], folds, materials.dev)

    add_newspaper("general", "newspaper", general, text.sentences)
    offset = len(general.sentences)
    for name, partly in further.items():
        part = slice(offset, offset + len(partly))
        for _ in range(TWICE if name == "written" else 1):
            add("general", name, text.sentences[part], text.folds[part], None, text.unsure[part])
        offset += len(partly)
    spaces["pku"] = FeatureSpace.of_text(pku.sentences, pku.sources, options.features)
    add_newspaper("pku", "pku", pku, pku.sentences)
    sample = list(read_national(national))[::NATIONAL]
    dev = list(read_national(national, "dev"))[::16]
    folds = same_folds(sample, general.sentences, text.folds[: len(general.sentences)])
    add("national", "national", sample, folds, dev)
    raw_text = [x.words for x in further["raw"]]
    further_sources = [
        corpus_source("general", [*general.sentences, *raw_text]),
        general.sources[1],
    ]
    for name, (gold, dev_text) in gold_of(work).items():
        spaces[name] = FeatureSpace.of_text(gold, further_sources, options.features)
        add(name, "itself", gold, spaces[name].folds, dev_text)
    for name in DOMAINS:
        rows = [row for _, row in work.saved(f"readings/conventions/{name}")]
        unsure = [np.asarray(x.unsure, np.int64) for x in rows]
        # no fold: no word of the gold comes from these lines
        add(name, "read", [x.words for x in rows], None, None, unsure)
    classes = {standard: of.words.outside() for standard, of in spaces.items()}
    n_classes = max(of.words.n_classes for of in spaces.values())
    return Lessons(vocab, parts, classes, n_classes)


def arrays(
    model: bilstm.BilstmCrf,
    lessons: Lessons,
    linear: Mapping[str, str],
    margins: Mapping[str, float],
) -> dict[str, Array]:
    """The arrays of a network without its linear taggers (:func:`join_taggers`).

    ``linear`` has the file name of each standard's linear tagger, ``margins`` the nats from which
    on that tagger's clause is not read.
    """
    about = {
        "standards": {
            s: {"linear": name, "atoms": ATOMS.get(s, {}), "sure": margins.get(s, 0.0)}
            for s, name in linear.items()
        }
    }
    # all words of the training: the compiler keeps those that the linear tagger can find
    words = bilstm_crf.word_arrays({s: lessons.classes.get(s, {}) for s in linear})
    return {**bilstm.export(model, about), **words}


def join_taggers(
    model: bilstm_crf.BilstmCrf,
    taggers: Mapping[str, LinearModel],
    weights: Mapping[str, float],
) -> None:
    """Adds the transitions of each standard's linear tagger, with the weight of its scores.

    ``taggers`` are found by the names of their files; a standard without a weight takes none.
    """
    for name, standard in model.standards.items():
        tagger, weight = taggers[standard.linear], weights.get(name, 0.0)
        standard.linear_weight = weight
        standard.transitions = standard.transitions + weight * tagger.trans
        standard.start = standard.start + weight * tagger.start
