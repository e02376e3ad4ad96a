"""The shipped BiLSTM-CRF, and those of the closed track: one command from the corpora to a file.

    python -m segmenter.train.accurate --pku DIR --general DIR --shared DIR --work DIR
    python -m segmenter.train.accurate --closed --pku DIR --shared DIR --work DIR

``--pku`` is the folder of the benchmark's text, ``--general`` the one that
``dicts/make_general.py`` writes.  ``--work`` keeps what is made on the way (a checkpoint after
every pass; in the closed track the scores of a linear tagger); the same command goes on from there.

Three standards are learnt side by side: ``pku`` and ``general`` from the text that their linear
taggers are trained on, ``national`` from sentences of the national corpus as it stands, with the
lexicon of ``general``.  The closed track takes the mean of several networks.  Afterwards the scores
of the linear tagger of ``balanced`` are added, with the weight that is best on the dev text of each
standard.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.tagging import crf, features
from segmenter.tagging.decompile import decompile
from segmenter.tagging.features import FULL, FeatureSpace
from segmenter.train import bilstm, bilstm_text, ensemble, scoring, tagger
from segmenter.train.corpus import read_corpus
from segmenter.train.counts import read_national
from segmenter.train.strings import string_source
from segmenter.train.terms import expose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.tagging import model as form
    from segmenter.train.bilstm_text import Encoded

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

#: The shipped model (eval/results/accurate_tried.md).
SHIPPED = bilstm.Options(
    hidden=128,
    dropout=0.25,
    output_dropout=0.25,
    pair_dropout=0.1,
    batch=3072,
    epochs=7,
    patience=1,
)
_CLOSED = bilstm.Options(
    hidden=128,
    dropout=0.3,
    output_dropout=0.3,
    pair_dropout=0.1,
    batch=2048,
    epochs=7,
    patience=1,
)
#: The closed track: January alone, and the mean of these networks.  The one without a lexicon finds
#: more of the words that the text has not.
CLOSED = (_CLOSED, _CLOSED, replace(_CLOSED, dropout=0.2, output_dropout=0.2, lexicon=False))
PAIRS = 120_000  # pairs of characters with rows of their own
#: One sentence in so many of the national corpus is text of its standard.
NATIONAL = 4
#: How much of each standard's text a pass goes through.
SHARES = {"pku": 1.0, "general": 0.5, "national": 0.5}
#: So much dev F1 may be forgone for more weight of the linear tagger, which knows more of the words
#: of today; general is what they are for (chosen on the half ``choose`` of
#: eval/words_of_today.tsv).  Others: five words of the dev text.
FORGONE = {"general": 7e-4}


@dataclass
class Lesson:
    """One standard's text and lexicon, and the scores of its linear tagger.

    Attributes:
        standard: its name.
        space: lexicon and features of the linear tagger.
        sentences, folds: training text (folded words), and the fold of each sentence.
        dev: text to choose on.
        linear: file name of the linear tagger.
        dev_scores: of the linear tagger on that text, ``(characters, tags)``.
        trans: its transitions.
        share: how much of the text a pass goes through.
        test: text that nothing is chosen by, with the linear tagger's scores; or None.
    """

    standard: str
    space: FeatureSpace
    sentences: Sentences
    folds: Array
    dev: Sentences
    linear: str
    dev_scores: Array
    trans: Array
    share: float = 1.0
    test: tuple[Sentences, Array] | None = None


def compiled_scores(portable: form.LinearModel, sentences: Sentences) -> Array:
    """Scores of a linear tagger, ``(characters, tags)``.

    Args:
        portable: the tagger, as :func:`decompile` gives it.
        sentences: folded words.
    """
    score = features.Scorer(portable)
    scores = [score("".join(words)) for words in sentences]
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


def _with_exposures(
    given: tagger.Materials, options: tagger.Options, space: FeatureSpace
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
        pku, shared, dicts: as for :func:`shipped_lessons`.
        work: keeps the scores of the CRF.
        test: the benchmark's text.
        every: one sentence in so many is the training text (learning curves).
        say: takes a line on each step.
    """
    given = tagger.materials("pku", "closed-crf", pku, shared, dicts)
    o = tagger.CLOSED["closed-crf"]
    sentences = given.sentences[::every]
    space = FeatureSpace(sentences, [string_source(sentences)], min_pair=o.min_pair)
    asked = test or given.dev

    def scores() -> dict[str, Array]:
        trainer = space.trainer()
        corpus = trainer.add_corpus(*space.columns(sentences, space.folds))
        weights = np.zeros(trainer.layout[5] * space.tags, np.float32)
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
            "trans": weights[: space.tags**2].reshape(space.tags, space.tags),
        }

    kept = _kept(work, "closed-crf" if every == 1 else f"closed-crf-{every}", scores)
    one = Lesson(
        "pku", space, sentences, space.folds, given.dev,
        "closed-crf", kept["dev"], kept["trans"],
    )  # fmt: skip
    if test is not None:
        one.test = (test, kept["test"])
    return one


def shipped_lessons(
    pku: str | os.PathLike[str],
    general: str | os.PathLike[str],
    shared: str | os.PathLike[str],
    work: str | os.PathLike[str],
    models: str | os.PathLike[str] = "models",
    dicts: str | os.PathLike[str] = "dicts",
    test: Sentences | None = None,
    say: Callable[[str], None] = print,
) -> list[Lesson]:
    """The lessons of the shipped model: pku, general, national.

    Args:
        pku: folder of the benchmark's training text.
        general: folder that ``dicts/make_general.py`` writes.
        shared: folder with ``national/`` and ``lexicons/``.
        work: keeps the scores of the linear taggers.
        models: folder of the compiled linear taggers.
        dicts: the folder ``dicts``.
        test: the benchmark's text.
        say: takes a line on each step.
    """
    lessons: list[Lesson] = []
    options = tagger.SHIPPED["balanced"]

    def scores(portable: form.LinearModel, name: str, sentences: Sentences) -> Array:
        return _kept(work, name, lambda: {"scores": compiled_scores(portable, sentences)})["scores"]

    for standard, text in (("pku", pku), ("general", general)):
        given = tagger.materials(standard, "balanced", text, shared, dicts)
        space = FeatureSpace(given.sentences, given.sources, min_pair=options.min_pair)
        sentences, folds = _with_exposures(given, options, space)
        linear = f"{standard}-balanced.model"
        portable = decompile(artifact.open(os.path.join(models, linear)))
        one = Lesson(
            standard, space, sentences, folds, given.dev,
            linear, scores(portable, f"{standard}-dev", given.dev), portable.trans,
        )  # fmt: skip
        if standard == "pku" and test is not None:
            one.test = (test, scores(portable, "pku-test", test))
        lessons.append(one)
        say(f"{standard}: {len(sentences):,} sentences, {len(space.words):,} words")
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
        )
    )
    say(f"national: {len(sample):,} sentences")
    for each in lessons:
        each.share = SHARES[each.standard]
    return lessons


def encode(
    lessons: Sequence[Lesson], pairs: int = PAIRS
) -> tuple[bilstm_text.Vocabulary, list[bilstm.Part]]:
    """The lessons as numbers.

    Args:
        lessons: the standards; characters and pairs of the first one have rows.
        pairs: so many pairs of characters at most have rows.
    """
    vocab = bilstm_text.vocabulary([lessons[0].sentences], pairs=pairs)
    parts = []
    for x in lessons:
        text = bilstm_text.encode(vocab, x.space, x.sentences, x.folds)
        text = bilstm_text.shorter(text, bilstm_text.code_points(x.sentences)[0])
        dev = bilstm_text.encode(vocab, x.space, x.dev)
        parts.append(bilstm.Part(x.standard, text, x.share, dev))
    return vocab, parts


def by_sentence(values: Array, offsets: Array) -> list[Array]:
    """The parts of a column that are the sentences'."""
    return [values[a:b] for a, b in pairwise(offsets.tolist())]


class Combined(NamedTuple):
    """How network and linear tagger go together on one standard.

    Attributes:
        weight: of the linear tagger's scores.
        dev: F1 on the dev text with each weight that was tried; 0 is the network alone.
        test: scores of the benchmark's text: the linear tagger, the network, both.
    """

    weight: float
    dev: dict[float, float]
    test: dict[str, scoring.Score]


def combine(
    networks: Sequence[bilstm.BilstmCrf], number: int, lesson: Lesson, dev: Encoded
) -> Combined:
    """Chooses the weight of a linear tagger on the dev text; scores the test text with it.

    Args:
        networks: their mean is what the linear tagger's scores are added to.
        number: of the standard.
        lesson: text and scores of the linear tagger.
        dev: the dev text as numbers.
    """
    crf = ensemble.transitions(networks, number)
    vocab, k = networks[0].vocab, networks[0].options.tags
    tried = bilstm.combine(
        ensemble.emissions(networks, number, dev),
        by_sentence(lesson.dev_scores, dev.offsets),
        bilstm.gold_ends(dev, k),
        crf,
        lesson.trans,
    )
    least = max(tried.values()) - FORGONE.get(lesson.standard, 1e-4)
    best = max(w for w, f in tried.items() if f >= least)
    test: dict[str, scoring.Score] = {}
    if lesson.test is not None:
        sentences, linear = lesson.test
        text = bilstm_text.encode(vocab, lesson.space, sentences)
        network = ensemble.emissions(networks, number, text)
        known = {word for words in lesson.sentences for word in words}
        trans, start, end = crf
        for name, n, w in (("linear", 0.0, 1.0), ("network", 1.0, 0.0), ("both", 1.0, best)):
            cut = []
            for words, a, b in zip(
                sentences, network, by_sentence(linear, text.offsets), strict=True
            ):
                tags = bilstm.decode(
                    n * a + w * b, n * trans + w * lesson.trans, n * start, n * end
                )
                ends = np.flatnonzero(bilstm.word_ends(tags, k)) + 1
                line = "".join(words)
                cut.append([line[i:j] for i, j in pairwise([0, *ends.tolist()])])
            test[name] = scoring.score(sentences, cut, known)
    return Combined(best, tried, test)


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
    networks: Sequence[bilstm.Options],
    out: str | os.PathLike[str],
    work: str | os.PathLike[str],
    pairs: int = PAIRS,
    command: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Trains networks on lessons, chooses the weights of the linear taggers, writes all of it.

    Several networks are scored together, as the mean of their scores; each has a file of its own.

    Args:
        lessons: the standards.
        networks: options of each network.
        out: the file to write, ``.npz``; see :func:`segmenter.train.bilstm.export`.  The second
            network's ends in ``-2.npz``, and so on; what the training came to (passes, seconds,
            dev and test) is in a ``.json`` beside it.
        work: folder of the checkpoints, from which the same call goes on.
        pairs: so many pairs of characters at most have rows.
        command: goes into the metadata.
        say: takes a line on each pass.

    Returns:
        The path.
    """
    if not lessons or not networks:
        raise ArgumentError("lessons, networks: none given")
    vocab, parts = encode(lessons, pairs)
    classes = max(x.space.n_classes for x in lessons)
    stem = os.path.splitext(os.fspath(out))[0]
    stems = [stem, *(f"{stem}-{k}" for k in range(2, len(networks) + 1))]

    def show(e: bilstm.Epoch) -> None:
        scores = ", ".join(f"{k} {v:.5f}" for k, v in e.f1.items())
        say(f"pass {e.number}: loss {e.loss:.4f}, {e.seconds:.0f} s; dev {scores}")

    trained: list[bilstm.BilstmCrf] = []
    passes: list[list[bilstm.Epoch]] = []
    for options, path in zip(networks, stems, strict=True):
        checkpoint = os.path.join(work, f"{os.path.basename(path)}.checkpoint")
        model, done = bilstm.train(
            parts, vocab, classes, options, checkpoint=checkpoint, resume=True, progress=show
        )
        trained.append(model)
        passes.append(done)
    found: dict[str, Combined] = {}
    for number, (x, part) in enumerate(zip(lessons, parts, strict=True)):
        assert part.dev is not None
        got = found[x.standard] = combine(trained, number, x, part.dev)
        say(
            f"{x.standard}: weight {got.weight}, dev {got.dev[0.0]:.5f} alone, "
            f"{got.dev[got.weight]:.5f} with {x.linear}"
        )
        for system, score in got.test.items():
            say(f"test, {system}: F1 {score.f1:.5f}, recall of unknown words {score.oov_recall}")
    about = {
        "standards": {x.standard: {"linear": x.linear, "share": x.share} for x in lessons},
        "torch": bilstm.TORCH,
        "command": command,
    }
    weights = {x.standard: (found[x.standard].weight, x.trans) for x in lessons}
    words = lexicon_words(lessons)
    for model, path in zip(trained, stems, strict=True):
        _save(f"{path}.npz", {**bilstm.export(model, about, weights), **words})
    report = {
        **about,
        "standards": {
            x.standard: {
                "linear": x.linear,
                "share": x.share,
                "sentences": len(x.sentences),
                "weight": got.weight,
                "dev": {str(w): round(f, 5) for w, f in got.dev.items()},
                "test": {
                    k: {"f1": round(v.f1, 5), "oov_recall": v.oov_recall}
                    for k, v in got.test.items()
                },
            }
            for x, got in zip(lessons, found.values(), strict=True)
        },
        "networks": [
            {"options": asdict(o), "passes": [e._asdict() for e in done]}
            for o, done in zip(networks, passes, strict=True)
        ],
        "characters": len(vocab.chars),
        "pairs": len(vocab.pairs),
        "parameters": sum(p.numel() for p in trained[0].parameters()),
    }
    with open(f"{stem}.json", "w", encoding="utf-8", newline="\n") as file:
        json.dump(report, file, ensure_ascii=False, indent=1)
        file.write("\n")
    say(f"{stem}.npz: {os.path.getsize(f'{stem}.npz'):,} bytes")
    return f"{stem}.npz"


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
        parser.error("--general is wanted: the folder that dicts/make_general.py writes")
    else:
        lessons = shipped_lessons(a.pku, a.general, a.shared, a.work, a.models, a.dicts, test, say)
        recipe = (SHIPPED,)
    command = "python -m segmenter.train.accurate " + " ".join(
        "DIR" if os.sep in x else x for x in given
    )
    each = [replace(o, seed=a.seed + k, threads=a.threads) for k, o in enumerate(recipe)]
    build(lessons, each, a.out, a.work, command=command, say=say)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
