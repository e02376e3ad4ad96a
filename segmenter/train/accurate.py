"""The shipped BiLSTM-CRF, and those of the closed track: one command from the corpora to a file.

    python -m segmenter.train.accurate --pku DIR --general DIR --shared DIR --work DIR
    python -m segmenter.train.accurate --closed --pku DIR --shared DIR --work DIR

``--pku`` is the folder of the benchmark's text, ``--general`` the one that
``dicts/make_general.py`` writes.  ``--work`` keeps what is made on the way (scores of the linear
taggers, a checkpoint after every pass); the same command goes on from there.

Three standards are learnt side by side: ``pku`` and ``general`` from the text that their linear
taggers are trained on, ``national`` from one sentence in 20 of the national corpus as it stands.
The network's scores are added to those of the linear tagger of ``balanced``.  In training text
these come from taggers that have not seen the sentence: five of them, each without a fifth.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.tagging import crf, features
from segmenter.tagging.decompile import decompile
from segmenter.tagging.features import FULL, FeatureSpace
from segmenter.train import bilstm, bilstm_text, tagger
from segmenter.train.counts import SAMPLE, read_national
from segmenter.train.strings import string_source
from segmenter.train.terms import expose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.tagging.features import Columns

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

GROUPS = 5  # taggers that each leave out a part of the text

#: The shipped model, chosen on dev (eval/results/accurate.md).
SHIPPED = bilstm.Options()
#: The closed track: January alone.
CLOSED = bilstm.Options()
#: How much of each standard's text a pass goes through.
SHARES = {"pku": 1.0, "general": 0.5, "national": 1.0}


@dataclass
class Lesson:
    """One standard's text, lexicon and linear tagger.

    Attributes:
        standard: its name.
        space: lexicon and features of the linear tagger.
        sentences, folds: training text (folded words), and the fold of each sentence.
        dev: text to choose on.
        scores, dev_scores: of the linear tagger, ``(characters, tags)``; None without one.
        share: how much of it a pass goes through.
    """

    standard: str
    space: FeatureSpace
    sentences: Sentences
    folds: Array
    dev: Sentences
    scores: Array | None = None
    dev_scores: Array | None = None
    share: float = 1.0


def without(columns: Columns, out: Array) -> Columns:
    """A text without some of its sentences.

    Args:
        columns: the text.
        out: for each sentence, whether it is left out.
    """
    lengths = np.diff(columns.offsets)
    places = np.repeat(~out, lengths)
    offsets = np.zeros(int((~out).sum()) + 1, np.int64)
    np.cumsum(lengths[~out], out=offsets[1:])
    return type(columns)(columns.ids[places], offsets, columns.ends[places], columns.folds[~out])


def held_out_scores(
    space: FeatureSpace,
    texts: Sequence[Columns],
    options: tagger.Options,
    groups: int = GROUPS,
    say: Callable[[str], None] = print,
) -> list[Array]:
    """Scores of CRFs that were not trained on the sentences which they score.

    Args:
        space: the features.
        texts: the first is the training text; others, whose sentences have the folds of training
            sentences that they repeat, are only scored.
        options: of the CRF; one run of each.
        groups: how many CRFs; each leaves out every fold of its part.
        say: takes a line on each.

    Returns:
        float32, ``(characters, tags)``, for each text.
    """
    out = [np.zeros((len(c.ids), space.tags), np.float32) for c in texts]
    # text that repeats no training sentence was seen by none of them: the first scores it
    part = [np.where(c.folds == FULL, 0, c.folds.astype(np.int64) * groups // FULL) for c in texts]
    for g in range(groups):
        trainer = space.trainer()
        corpus = trainer.add_corpus(*without(texts[0], part[0] == g))
        got = crf.train(
            trainer, corpus, None,
            epochs=options.epochs or 15, rate=options.rate, decay=options.decay,
            seed=options.seed + 7919 * g,
        )  # fmt: skip
        for c, p, scores in zip(texts, part, out, strict=True):
            if not (p == g).any():
                continue
            places = np.repeat(p == g, np.diff(c.offsets))
            scores[places] = space.emissions(trainer, without(c, p != g), got.weights)
        say(f"linear scores: part {g + 1} of {groups}")
    return out


def compiled_scores(model: str | os.PathLike[str], sentences: Sentences) -> Array:
    """Scores of a compiled linear tagger, ``(characters, tags)``.

    Args:
        model: its path.
        sentences: folded words.
    """
    portable = decompile(artifact.open(os.fspath(model)))
    scores = [features.emissions(portable, "".join(words)) for words in sentences]
    return np.concatenate(scores).astype(np.float32)


def same_folds(texts: Sentences, sentences: Sentences, folds: Array) -> Array:
    """The folds of sentences that stand in a training text, perhaps with other boundaries.

    Args:
        texts: the sentences.
        sentences: the training text.
        folds: the fold of each of its sentences.
    """
    known = {"".join(words): k for words, k in zip(sentences, folds.tolist(), strict=True)}
    return np.array([known.get("".join(words), FULL) for words in texts], np.uint8)


def _save(path: str, arrays: dict[str, Array]) -> None:
    given: dict[str, Any] = dict(arrays)
    np.savez(path, **given)


def _kept(
    work: str | os.PathLike[str], name: str, make: Callable[[], dict[str, Array]]
) -> dict[str, Array]:
    """Arrays that a former run made, or makes and keeps them."""
    path = os.path.join(os.fspath(work), f"{name}.npz")
    if not os.path.exists(path):
        made = make()
        _save(f"{path}.new.npz", made)
        os.replace(f"{path}.new.npz", path)
    with np.load(path) as found:
        return {key: found[key] for key in found.files}


def lesson(
    standard: str,
    name: str,
    text: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    work: str | os.PathLike[str],
    dicts: str | os.PathLike[str],
    model: str | os.PathLike[str] | None,
    repeats: Sentences = (),
    say: Callable[[str], None] = print,
) -> tuple[Lesson, Array, Array]:
    """The lesson of a standard that has a linear tagger.

    Args:
        standard, text, shared, dicts: as for :func:`segmenter.train.tagger.build`.
        name: the linear tagger, of ``tagger.SHIPPED`` or ``tagger.CLOSED``.
        work: a folder for what is kept.
        model: the compiled tagger, whose scores are those of the dev text; None trains one.
        repeats: further text to score; its sentences may stand in the training text.
        say: takes a line on each step.

    Returns:
        The lesson; folds and scores of ``repeats``.
    """
    given = tagger.materials(standard, name, text, shared, dicts)
    options = tagger.SHIPPED.get(name) or tagger.CLOSED[name]
    sources = given.sources
    if options.strings:
        sources = [*sources, string_source(given.sentences)]
    space = FeatureSpace(given.sentences, sources, min_pair=options.min_pair)
    made, origins = expose(given.sentences, given.new, options.exposures, options.seed)
    sentences = [*given.sentences, *made]
    folds = np.concatenate([space.folds, space.folds[origins]]) if made else space.folds
    again = same_folds(repeats, sentences, folds)

    def scores() -> dict[str, Array]:
        columns = space.columns(sentences, folds)
        texts = [columns, *([space.columns(repeats, again)] if repeats else [])]
        held = held_out_scores(space, texts, options, say=say)
        if model is not None:
            dev = compiled_scores(model, given.dev)
        else:
            trainer = space.trainer()
            corpus = trainer.add_corpus(*columns)
            weights = np.zeros(trainer.layout[5] * space.tags, np.float32)
            for run in range(options.runs):
                trainer.set_weights(np.zeros_like(weights))
                weights += crf.train(
                    trainer, corpus, None,
                    epochs=options.epochs or 15, rate=options.rate, decay=options.decay,
                    seed=options.seed + 7919 * run,
                ).weights / np.float32(options.runs)  # fmt: skip
            dev = space.emissions(trainer, space.columns(given.dev), weights)
        return {"train": held[0], "repeats": held[-1], "dev": dev}

    kept = _kept(work, f"linear-{standard}-{name}", scores)
    say(f"{standard}: {len(sentences):,} sentences, {len(space.words):,} words")
    return (
        Lesson(standard, space, sentences, folds, given.dev, kept["train"], kept["dev"]),
        again,
        kept["repeats"],
    )


def shipped_lessons(
    pku: str | os.PathLike[str],
    general: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    work: str | os.PathLike[str],
    models: str | os.PathLike[str] = "models",
    dicts: str | os.PathLike[str] = "dicts",
    say: Callable[[str], None] = print,
) -> list[Lesson]:
    """The lessons of the shipped model: pku, general, national."""
    path = os.path.join(shared, "national", "segmented.txt")
    sample = [words for i, words in enumerate(read_national(path)) if i % SAMPLE == 0]
    held = [words for i, words in enumerate(read_national(path, "dev")) if i % 4 == 0]
    compiled = {s: os.path.join(models, f"{s}-balanced.model") for s in ("pku", "general")}
    one, _, _ = lesson("pku", "balanced", pku, shared, work, dicts, compiled["pku"], say=say)
    two, folds, scores = lesson(
        "general", "balanced", general, shared, work, dicts, compiled["general"], sample, say
    )
    dev = _kept(
        work, "linear-national-dev", lambda: {"dev": compiled_scores(compiled["general"], held)}
    )["dev"]
    three = Lesson("national", two.space, sample, folds, held, scores, dev)
    for each in (one, two, three):
        each.share = SHARES[each.standard]
    return [one, two, three]


def encode(
    lessons: Sequence[Lesson], linear: bool = True, pairs: int = 150_000
) -> tuple[bilstm_text.Vocabulary, list[bilstm.Part]]:
    """The lessons as numbers.

    Args:
        lessons: the standards.
        linear: whether the linear taggers' scores are added.
        pairs: so many pairs of characters at most have rows.
    """
    vocab = bilstm_text.vocabulary([x.sentences for x in lessons], pairs=pairs)
    parts = []
    for x in lessons:
        text = bilstm_text.encode(
            vocab, x.space, x.sentences, x.folds, x.scores if linear else None
        )
        text = bilstm_text.shorter(text, bilstm_text.code_points(x.sentences)[0])
        dev = bilstm_text.encode(vocab, x.space, x.dev, None, x.dev_scores if linear else None)
        parts.append(bilstm.Part(x.standard, text, x.share, dev))
    return vocab, parts


def lexicon_words(lessons: Sequence[Lesson]) -> dict[str, Array]:
    """The words behind the ten numbers: ``words`` (UTF-8, a line each) and the class of each in
    every standard, 0xFFFF where it is no feature."""
    classes = {
        x.standard: dict(zip(x.space.words, x.space.classes[:, FULL].tolist(), strict=True))
        for x in lessons
    }
    known = sorted({w for of in classes.values() for w, c in of.items() if c != 0xFFFF})
    out: dict[str, Array] = {"words": np.frombuffer("\n".join(known).encode(), np.uint8)}
    for standard, of in classes.items():
        out[f"word_class_{standard}"] = np.array([of.get(w, 0xFFFF) for w in known], np.uint16)
    return out


def build(
    lessons: Sequence[Lesson],
    options: bilstm.Options,
    out: str | os.PathLike[str],
    work: str | os.PathLike[str],
    linear: bool = True,
    command: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Trains a network on lessons and writes its parameters.

    Args:
        lessons: the standards.
        options: of the network.
        out: the file to write, ``.npz``; see :func:`segmenter.train.bilstm.export`.
        work: folder of the checkpoint.
        linear: whether the linear taggers' scores are added.
        command: goes into the metadata.
        say: takes a line on each pass.

    Returns:
        The path.
    """
    if not lessons:
        raise ArgumentError("lessons: none given")
    started = time.monotonic()
    vocab, parts = encode(lessons, linear)
    classes = max(x.space.n_classes for x in lessons)
    name = os.path.splitext(os.path.basename(os.fspath(out)))[0]

    def show(e: bilstm.Epoch) -> None:
        scores = ", ".join(f"{k} {v:.5f}" for k, v in e.f1.items())
        say(f"pass {e.number}: loss {e.loss:.4f}, {e.seconds:.0f} s; dev {scores}")

    model, passes = bilstm.train(
        parts,
        vocab,
        classes,
        options,
        checkpoint=os.path.join(work, f"{name}.checkpoint"),
        resume=True,
        progress=show,
    )
    meta = {
        "standards": {
            x.standard: {
                "linear": f"{'general' if x.standard == 'national' else x.standard}-balanced.model"
                if linear
                else None,
                "sentences": len(x.sentences),
                "share": x.share,
            }
            for x in lessons
        },
        "seed": options.seed,
        "passes": [e._asdict() for e in passes],
        "seconds": round(time.monotonic() - started),
        "torch": bilstm.TORCH,
        "command": command,
    }
    _save(os.fspath(out), {**bilstm.export(model, meta), **lexicon_words(lessons)})
    say(f"{os.fspath(out)}: {os.path.getsize(out):,} bytes")
    return os.fspath(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m segmenter.train.accurate``: trains the shipped network, or the closed track's."""
    import argparse
    import sys

    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m segmenter.train.accurate")
    parser.add_argument("--pku", required=True, help="folder of the benchmark's training text")
    parser.add_argument("--general", help="folder that dicts/make_general.py writes")
    parser.add_argument("--shared", required=True, help="folder with national/ and lexicons/")
    parser.add_argument("--work", required=True, help="folder for what is made on the way")
    parser.add_argument("--models", default="models", help="folder of the linear taggers")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv and the word lists")
    parser.add_argument("--closed", action="store_true", help="January alone, no outside words")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--out", required=True, help="the file to write, .npz")
    a = parser.parse_args(given)
    os.makedirs(a.work, exist_ok=True)

    def say(line: str) -> None:
        print(line, flush=True)

    if a.closed:
        name = "closed-crf"
        one, _, _ = lesson("pku", name, a.pku, a.shared, a.work, a.dicts, None, say=say)
        lessons, options = [one], CLOSED
    elif not a.general:
        parser.error("--general is wanted: the folder that dicts/make_general.py writes")
    else:
        lessons = shipped_lessons(a.pku, a.general, a.shared, a.work, a.models, a.dicts, say)
        options = SHIPPED
    options = replace(options, seed=a.seed, threads=a.threads)
    command = "python -m segmenter.train.accurate " + " ".join(
        "DIR" if os.sep in x else x for x in given
    )
    build(lessons, options, a.out, a.work, command=command, say=say)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
