"""The two trainers of the CRF, the perceptron and the HMM: seconds of training, F1 on the dev text.

All train on January 1998 alone, with the same features, without a further lexicon.
"""

from __future__ import annotations

import resource
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from segmenter.kernels import _engine, _lexicon, _models
from segmenter.lattice.steps import result
from segmenter.tagging.steps import viterbi
from segmenter.train import scoring, tagger
from segmenter.train.corpus import read_corpus
from segmenter.train.tagging import crf, features
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.scheme import FOUR, TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    Text = Sequence[Sequence[str]]

#: What is trained: a name for the table, the options.
TRAININGS = {
    "HMM, counted": tagger.TaggerOptions("hmm"),
    "perceptron, own trainer": tagger.TaggerOptions("perceptron"),
    "CRF, own trainer (SGD)": tagger.TaggerOptions("crf"),
    "CRF, crfsuite (L-BFGS)": tagger.TaggerOptions("crf", trainer="crfsuite"),
}


class Row(NamedTuple):
    """A training: wall seconds of all of it, passes, F1 of the compiled model on the dev text."""

    name: str
    seconds: float
    passes: int
    f1: float
    peak_mb: float


def measure(name: str, options: tagger.TaggerOptions, train: Text, dev: Text) -> Row:
    """Trains once, from words in memory to a compiled model."""
    started = time.perf_counter()
    result = tagger.train(train, dev, (), options)
    sections, _ = compile_model(result.model)
    seconds = time.perf_counter() - started
    passes = len(result.epochs) or (100 if options.trainer == "crfsuite" else 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    engine = _engine.Engine(_models.TaggerWeights(_lexicon.Lexicon(sections), sections))
    f1 = scoring.score(dev, [engine.cut("".join(words)) for words in dev]).f1
    return Row(name, seconds, passes, f1, peak)


def equal_tags(train: Text, dev: Text, iterations: int) -> tuple[int, int]:
    """The number of dev tags on which our decoder and crfsuite agree, and of all tags."""
    space = features.FeatureSpace.of_text(train)
    trainer = space.trainer()
    columns, unseen = space.columns(train, space.folds), space.columns(dev)
    corpus, held_out = trainer.add_corpus(*columns), trainer.add_corpus(*unseen)
    fitted = crf.fit_crfsuite(trainer, corpus, columns.offsets, train, iterations=iterations)
    weights = crf.from_crfsuite(fitted, trainer.layout[5])
    scores = space.emissions(trainer, unseen, weights).tolist()
    moves = weights.reshape(-1, TAGS)[:TAGS].tolist()
    rows = crf.attributes(trainer, held_out, unseen.offsets)
    equal = total = 0
    for (first, end), items in zip(pairwise(unseen.offsets.tolist()), rows, strict=True):
        ours, _ = result(viterbi([0.0] * TAGS, moves, scores[first:end], range(TAGS)))
        theirs = map(FOUR.index, fitted.predict_single(items))
        equal += sum(a == b for a, b in zip(ours, theirs, strict=True))
        total += end - first
    return equal, total


def parts(rows: Sequence[Row], equal: tuple[int, int]) -> list[str]:
    """The report."""
    cells = [
        (r.name, f"{r.seconds:.1f}", r.passes, f"{r.f1:.4f}", f"{r.peak_mb:,.0f}") for r in rows
    ]
    header = ("trainer", "seconds", "passes", "dev F1", "peak MB so far")
    return [
        "Trained on `train_jan.txt` alone, four tags, the same features for perceptron and",
        "CRF (jackknifed lexicon of the training text), no further lexicon, one run. Seconds",
        "are for the whole training, from words in memory to the compiled model, on one core;",
        "F1 is that of the compiled model on `dev.txt`, width folded. Passes: epochs over the",
        "text, for crfsuite iterations of L-BFGS. Nothing is trained on the dev text; perceptron",
        "and our CRF choose their best epoch on it.",
        "",
        common.table(header, cells),
        "With crfsuite's weights before quantisation, our decoder gives the same tags as crfsuite",
        f"for {equal[0]:,} of {equal[1]:,} characters of the dev text.",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save; 1 where a tag differs from crfsuite's."""
    args = common.arguments("trainers", "Trainers: seconds and F1.").parse_args(arguments)
    folder = common.data_dir(args.data) / "pku"
    train = read_corpus([folder / "train_jan.txt"]).sentences
    dev = read_corpus([folder / "dev.txt"]).sentences
    rows: list[Row] = []
    for name, options in TRAININGS.items():
        rows.append(measure(name, options, train, dev))
        print(rows[-1], flush=True)
    equal = equal_tags(train, dev, iterations=30)
    common.publish(
        "training",
        "Trainers of the character taggers",
        common.facts(("sklearn-crfsuite", "python-crfsuite")),
        parts(rows, equal),
        {"rows": [r._asdict() for r in rows], "equal": equal},
        command="python -m eval.trainers",
        dry=args.dry,
    )
    return 0 if equal[0] == equal[1] else 1


if __name__ == "__main__":
    sys.exit(main())
