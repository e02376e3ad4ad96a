"""A BiLSTM-CRF of three standards, and those of the closed track; neither ships.

    python -m recipes.network --pku DIR --general DIR --shared DIR --work DIR
    python -m recipes.network --closed --pku DIR --shared DIR --work DIR

``--pku`` is the folder of the benchmark's text, ``--general`` the one that
``python -m recipes.general_text`` writes.  ``--work`` keeps what is made on the way (a checkpoint
after every pass; in the closed track the scores of a linear tagger); the same command goes on from
there.

Three standards are learnt side by side: ``pku`` and ``general`` from the text that their linear
taggers are trained on, ``national`` from sentences of the national corpus as it stands, with the
lexicon of ``general``.  The closed track takes the mean of several networks.  Afterwards the scores
of the linear tagger of ``balanced`` are added, with the weight that is best on the dev text of each
standard.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from recipes import linear as taggers
from recipes.national import read_national
from segmenter import artifact
from segmenter.train import bilstm
from segmenter.train.accessor_variety import string_source
from segmenter.train.corpus import read_corpus
from segmenter.train.lessons import Lesson, build, compiled_scores, save_arrays
from segmenter.train.new_words import expose
from segmenter.train.tagging import crf
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.features import FULL, FeatureOptions, FeatureSpace
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.train.tagger import TaggerOptions
    from segmenter.train.tagging import model as form

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

#: The network of three standards (README.md).
THREE = bilstm.BilstmOptions(
    bilstm.Shape(hidden=128),
    bilstm.Dropout(input=0.25, output=0.25, pairs=0.1),
    bilstm.Schedule(batch=3072, epochs=7, patience=1),
)
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
#: One sentence in so many of the national corpus is text of its standard.
NATIONAL = 4
#: How much of each standard's text a pass goes through.
SHARES = {"pku": 1.0, "general": 0.5, "national": 0.5}
#: So much dev F1 may be forgone for more weight of the linear tagger, which knows more of the words
#: of today; general is what they are for (chosen on the half ``choose`` of
#: eval/words_of_today.tsv).  Others: five words of the dev text.
FORGONE = {"general": 7e-4}


def same_folds(texts: Sentences, sentences: Sentences, folds: Array) -> Array:
    """The folds of sentences that stand in a training text, perhaps with other boundaries.

    Args:
        texts: the sentences.
        sentences: the training text.
        folds: the fold of each of its sentences.
    """
    known = {"".join(words): k for words, k in zip(sentences, folds.tolist(), strict=True)}
    return np.array([known.get("".join(words), FULL) for words in texts], np.uint8)


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


def _with_exposures(
    given: taggers.Materials, options: TaggerOptions, space: FeatureSpace
) -> tuple[list[list[str]], Array]:
    """The training text with the sentences that hold words of today, and the folds of all."""
    made, origins = expose(given.sentences, given.new, options.exposures, options.seed)
    folds = np.concatenate([space.folds, space.folds[origins]]) if made else space.folds
    return [*given.sentences, *made], folds


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
        pku, shared, dicts: as for :func:`three_lessons`.
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


def three_lessons(
    pku: str | os.PathLike[str],
    general: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    work: str | os.PathLike[str],
    models: str | os.PathLike[str] = "models",
    dicts: str | os.PathLike[str] = "dicts",
    test: Sentences | None = None,
    say: Callable[[str], None] = print,
) -> list[Lesson]:
    """The lessons of the network of three standards: pku, general, national.

    Args:
        pku: folder of the benchmark's training text.
        general: folder that ``python -m recipes.general_text`` writes.
        shared: folder with ``national/`` and ``lexicons/``.
        work: keeps the scores of the linear taggers.
        models: folder of the compiled linear taggers.
        dicts: the folder ``dicts``.
        test: the benchmark's text.
        say: takes a line on each step.
    """
    lessons: list[Lesson] = []
    options = taggers.SHIPPED["balanced"]

    def scores(portable: form.LinearModel, name: str, sentences: Sentences) -> Array:
        return _kept(work, name, lambda: {"scores": compiled_scores(portable, sentences)})["scores"]

    for standard, text in (("pku", pku), ("general", general)):
        given = taggers.materials(standard, "balanced", text, shared, dicts)
        space = FeatureSpace.of_text(given.sentences, given.sources, options.features)
        sentences, folds = _with_exposures(given, options, space)
        linear = f"{standard}-balanced.model"
        portable = decompile(artifact.open(os.path.join(models, linear)))
        one = Lesson(
            standard, space, sentences, folds, given.dev,
            linear, scores(portable, f"{standard}-dev", given.dev), portable.trans,
            portable.start,
        )  # fmt: skip
        if standard == "pku" and test is not None:
            one.test = (test, scores(portable, "pku-test", test))
        lessons.append(one)
        say(f"{standard}: {len(sentences):,} sentences, {len(space.words.names):,} words")
    path = os.path.join(shared, "national", "segmented.txt")
    sample = [words for i, words in enumerate(read_national(path)) if i % NATIONAL == 0]
    held = [words for i, words in enumerate(read_national(path, "dev")) if i % 8 == 0]
    # one in five of these is in the text of general, with boundaries of that standard; the words of
    # the others are in the counts of the lexicon
    folds = same_folds(sample, lessons[1].sentences, lessons[1].folds)
    lessons.append(
        Lesson(
            "national",
            lessons[1].space,
            sample,
            folds,
            held,
            lessons[1].linear,
            scores(portable, "national-dev", held),
            portable.trans,
            portable.start,
        )
    )
    say(f"national: {len(sample):,} sentences")
    for each in lessons:
        each.share = SHARES[each.standard]
        each.forgone = FORGONE.get(each.standard, each.forgone)
    return lessons


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m recipes.network``: trains that of three standards, or the closed track's."""
    import argparse
    import sys

    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m recipes.network")
    parser.add_argument("--pku", required=True, help="folder of the benchmark's training text")
    parser.add_argument("--general", help="folder that recipes.general_text writes")
    parser.add_argument("--shared", required=True, help="folder with national/ and lexicons/")
    parser.add_argument("--work", required=True, help="folder for what is made on the way")
    parser.add_argument("--models", default="models", help="folder of the linear taggers")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv and the word lists")
    parser.add_argument("--closed", action="store_true", help="January alone, no outside words")
    parser.add_argument("--test", help="gold file of the benchmark; nothing is chosen by it")
    parser.add_argument("--networks", type=int, default=len(CLOSED),
        help="so many of those of the closed track")  # fmt: skip
    parser.add_argument("--every", type=int, default=1, metavar="N",
        help="closed track: the training text is one sentence in N")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of the first network; then one more")
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--out", required=True, help="the file to write, .npz")
    a = parser.parse_args(given)
    os.makedirs(a.work, exist_ok=True)

    def say(line: str) -> None:
        print(line, flush=True)

    test = read_corpus([a.test]).sentences if a.test else None
    if a.closed:
        lessons = [closed_lesson(a.pku, a.shared, a.work, a.dicts, test, a.every, say)]
        recipe = CLOSED[: a.networks]
    elif not a.general:
        parser.error("--general is wanted: the folder that recipes.general_text writes")
    else:
        lessons = three_lessons(a.pku, a.general, a.shared, a.work, a.models, a.dicts, test, say)
        recipe = (THREE,)
    command = "python -m recipes.network " + " ".join("DIR" if os.sep in x else x for x in given)
    each = [replace(o, seed=a.seed + k, threads=a.threads) for k, o in enumerate(recipe)]
    build(lessons, each, a.out, a.work, command=command, say=say)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
