"""The second half of what the network learns of the conventions: raw text that an ensemble cut.

A convention's own gold is small (85 thousand to a million words).  Beside the network a CRF is
trained on it; the sum of their scores cuts better than either (0.001 to 0.003 of dev F1).  The sum
labels raw text of the domains that the gold comes from, and the network goes on with that text
beside all others, so that it learns what the ensemble knows and costs no more than before
(self-training, Yarowsky 1995; distillation of an ensemble, Hinton, Vinyals and Dean 2015).
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes import linear, standards
from segmenter.train import bilstm, bilstm_text
from segmenter.train.corpus import folded
from segmenter.train.tagger import TaggerOptions, train
from segmenter.train.tagging.features import FULL, MARKS, FeatureOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recipes.raw import Line
    from segmenter.train.tagging import model as form

#: The convention's own CRF.
CRF = TaggerOptions(
    "crf", FeatureOptions(min_pair=1, marks=MARKS), runs=3, epochs=15, prune=0.02, decay=2e-5
)
WEIGHT = 0.75  # of its scores in the ensemble
#: Files of the raw text that are like a convention's own.
DOMAINS = {
    "ctb": (
        "news-broadcast", "summary-csts", "weekly", "zhihu-hot", "wiki-cmrc", "prose", "news-tw",
        "subtitles", "tech-cs",
    ),
    "sxu": ("news-broadcast", "summary-csts", "prose", "exam", "novels-old", "zhihu-hot"),
    "msr": ("news-broadcast", "summary-csts", "laws", "weekly", "prose"),
    "ud": ("wiki-cmrc", "wiki-drcd-tw", "exam", "tech-cs"),
    "weibo": (
        "weibo-hot", "weibo-rumor", "weibo-virus", "zhihu-hot", "summary-csts", "subtitles",
    ),
    "sinica": ("news-tw", "wiki-drcd-tw", "laws-tw"),
}  # fmt: skip
LINES = 60_000  # of a convention, the same number of each file as far as there are so many
SEED = 5
#: The passes that follow: a lower rate, and shares of the texts by their names in
#: :func:`recipes.standards.lessons`; gold of the conventions is read whole.
OPTIONS = replace(
    standards.OPTIONS,
    schedule=replace(standards.OPTIONS.schedule, rate=1e-3, epochs=4, warm_up=100, patience=9),
    seed=7,
)
SHARES = {
    "newspaper": 0.25,
    "ctb": 0.2,
    "sxu": 0.2,
    "msr": 0.2,
    "weibo": 0.2,
    "ud": 0.3,
    "wtb": 1.0,
    "sinica": 0.3,
    "written": 0.5,
    "pku": 0.25,
    "national": 0.1,
}
SHARE = 0.35  # of the text that the ensemble cut


class Plan(NamedTuple):
    """Passes of a network that goes on.

    Attributes:
        options: of the training.
        voted: how much of the voted text a pass goes through.
    """

    options: bilstm.BilstmOptions
    voted: float


FIRST = Plan(OPTIONS, 0.1)
#: The second round has new votes.
AGAIN = Plan(replace(OPTIONS, seed=8), 0.2)


def crf(of: standards.Lessons, name: str, sentences: Sequence[Sequence[str]]) -> form.LinearModel:
    """The CRF of a convention, with every word that the network was trained with in its trie.

    Args:
        of: what the network learnt from.
        name: of the convention.
        sentences: its gold, in the characters of the models.
    """
    model = train(sentences, None, of.sources, CRF, meta={"standard": name}).model
    return linear.carry(model, of.classes[name])


def lines(found: Sequence[Line], name: str) -> list[str]:
    """The raw text that a convention's ensemble cuts.

    Args:
        found: of :func:`recipes.raw.sample`.
        name: of the convention.
    """
    by_file: dict[str, list[str]] = {file: [] for file in DOMAINS[name]}
    for line in found:
        if line.source in by_file:
            by_file[line.source].append(line.text)
    rng = random.Random(f"{SEED} {name}")
    most = LINES // len(by_file) + 1
    return [text for texts in by_file.values() for text in rng.sample(texts, min(most, len(texts)))]


def parts(
    of: standards.Lessons,
    cut: Mapping[str, Callable[[str], Sequence[str]]],
    found: Sequence[Line],
    fold: Callable[[str], str],
    voted: float,
) -> Iterator[bilstm.Part]:
    """All that the network goes on with.

    Args:
        of: what it learnt from before.
        cut: the ensemble of each convention.
        found: of :func:`recipes.raw.sample`.
        fold: brings text to the characters of the models.
        voted: how much of the voted text a pass goes through.
    """
    shares = {**SHARES, "voted": voted}
    for name, part in zip(of.names, of.parts, strict=True):
        yield part._replace(share=shares.get(name, part.share))
    for name, ensemble in cut.items():
        words = [[w for w in ensemble(text) if not w.isspace()] for text in lines(found, name)]
        own = [folded(each, fold) for each in words]
        folds = np.full(len(own), FULL, np.uint8)  # no gold: no word of it comes from these lines
        text = bilstm_text.encode(of.vocab, of.spaces[name], own, folds, marks=OPTIONS.shape.marks)
        yield bilstm.Part(name, text, SHARE)
