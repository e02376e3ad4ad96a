"""The networks of the closed track, which do not ship: January alone, and nothing else.

    python -m recipes.network --pku DIR --shared DIR --work DIR --out FILE

``--pku`` is the folder of the benchmark's text.  ``--work`` keeps what is made on the way (a
checkpoint after every pass, the scores of a linear tagger); the same command goes on from there.
The mean of several networks is taken, and the scores of the linear tagger are added with the weight
that is best on the dev text.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from recipes import linear as taggers
from segmenter.train import bilstm
from segmenter.train.accessor_variety import string_source
from segmenter.train.corpus import read_corpus
from segmenter.train.joint import Lesson, build, save_arrays
from segmenter.train.tagging import crf
from segmenter.train.tagging.features import FeatureOptions, FeatureSpace
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

_CLOSED = bilstm.BilstmOptions(
    bilstm.Shape(hidden=128),
    bilstm.Dropout(input=0.3, output=0.3, pairs=0.1),
    bilstm.Schedule(batch=2048, epochs=7, patience=1),
)
_WITHOUT_LEXICON = bilstm.BilstmOptions(
    bilstm.Shape(hidden=128, lexicon=False),
    bilstm.Dropout(input=0.2, output=0.2, pairs=0.1),
    _CLOSED.schedule,
)
#: The closed track: January alone, and the mean of these networks.  The one without a lexicon finds
#: more of the words that the text has not.
CLOSED = (_CLOSED, _CLOSED, _WITHOUT_LEXICON)


def _kept(
    work: str | os.PathLike[str], name: str, make: Callable[[], dict[str, Array]]
) -> dict[str, Array]:
    """Arrays that a former run made, or makes and keeps them."""
    path = os.path.join(os.fspath(work), f"{name}.npz")
    if not os.path.exists(path):
        made = make()
        save_arrays(f"{path}.new.npz", made)
        os.replace(f"{path}.new.npz", path)
    with np.load(path) as found:
        return {key: found[key] for key in found.files}


def closed_lesson(
    pku: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    work: str | os.PathLike[str],
    dicts: str | os.PathLike[str] = "dicts",
    test: Sentences | None = None,
    every: int = 1,
    say: Callable[[str], None] = print,
) -> Lesson:
    """January alone; its linear tagger is the closed track's CRF, with four tags.

    Args:
        pku: folder of the benchmark's training text.
        shared: folder with ``national/`` and ``lexicons/``.
        dicts: the folder ``dicts``.
        work: keeps the scores of the CRF.
        test: the benchmark's text.
        every: one sentence in so many is the training text (learning curves).
        say: takes a line on each step.
    """
    given = taggers.materials("pku", "closed-crf", pku, shared, dicts)
    o = taggers.CLOSED["closed-crf"]
    sentences = given.sentences[::every]
    space = FeatureSpace.of_text(
        sentences, [string_source(sentences)], FeatureOptions(min_pair=o.features.min_pair)
    )
    asked = test or given.dev

    def scores() -> dict[str, Array]:
        trainer = space.trainer()
        corpus = trainer.add_corpus(*space.columns(sentences, space.folds))
        weights = np.zeros(trainer.layout[5] * TAGS, np.float32)
        for run in range(o.runs):
            trainer.set_weights(np.zeros_like(weights))
            got = crf.train(
                trainer, corpus, None,
                epochs=o.epochs, rate=o.rate, decay=o.decay, seed=o.seed + 7919 * run,
            )  # fmt: skip
            weights += got.weights / np.float32(o.runs)
            say(f"linear tagger: run {run + 1} of {o.runs}")
        return {
            "dev": space.emissions(trainer, space.columns(given.dev), weights),
            "test": space.emissions(trainer, space.columns(asked), weights),
            "trans": weights[: TAGS**2].reshape(TAGS, TAGS),
        }

    kept = _kept(work, "closed-crf" if every == 1 else f"closed-crf-{every}", scores)
    one = Lesson(
        "pku", space, sentences, space.folds, given.dev,
        "closed-crf", kept["dev"], kept["trans"], np.zeros(TAGS),
    )  # fmt: skip
    if test is not None:
        one.test = (test, kept["test"])
    return one


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m recipes.network``: trains them."""
    import argparse
    import sys

    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m recipes.network")
    parser.add_argument("--pku", required=True, help="folder of the benchmark's training text")
    parser.add_argument("--shared", required=True, help="folder with national/ and lexicons/")
    parser.add_argument("--work", required=True, help="folder for what is made on the way")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv and the word lists")
    parser.add_argument("--test", help="gold file of the benchmark; nothing is chosen by it")
    parser.add_argument("--networks", type=int, default=len(CLOSED),
        help="so many of them")  # fmt: skip
    parser.add_argument("--every", type=int, default=1, metavar="N",
        help="the training text is one sentence in N")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of the first network; then one more")
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--out", required=True, help="the file to write, .npz")
    a = parser.parse_args(given)
    os.makedirs(a.work, exist_ok=True)

    def say(line: str) -> None:
        print(line, flush=True)

    test = read_corpus([a.test]).sentences if a.test else None
    lessons = [closed_lesson(a.pku, a.shared, a.work, a.dicts, test, a.every, say)]
    recipe = CLOSED[: a.networks]
    command = "python -m recipes.network " + " ".join("DIR" if os.sep in x else x for x in given)
    each = [replace(o, seed=a.seed + k, threads=a.threads) for k, o in enumerate(recipe)]
    build(lessons, each, a.out, a.work, command=command, say=say)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
