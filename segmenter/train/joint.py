"""From segmented text to the parameters of a BiLSTM-CRF that goes with a linear tagger.

A lesson is the text, lexicon and linear tagger of one standard; a network is trained on several
lessons at once.  Afterwards the scores of the linear taggers are added, each with the weight that
is best on the dev text of its standard.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.files.atomic import write_text
from segmenter.lexicon.characters import code_points
from segmenter.train import bilstm, bilstm_text, scoring
from segmenter.train.tagging import bilstm_crf, features

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.train.bilstm_text import Encoded
    from segmenter.train.tagging import model as form
    from segmenter.train.tagging.features import FeatureSpace

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

PAIRS = 120_000  # pairs of characters with rows of their own


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
        trans, start: its transitions, and its scores of the first tag.
        share: how much of the text a pass goes through.
        test: text that nothing is chosen by, with the linear tagger's scores; or None.
        forgone: so much dev F1 may be given up for more weight of the linear tagger (1e-4: five
            words of a dev text of fifty thousand).
    """

    standard: str
    space: FeatureSpace
    sentences: Sentences
    folds: Array
    dev: Sentences
    linear: str
    dev_scores: Array
    trans: Array
    start: Array
    share: float = 1.0
    test: tuple[Sentences, Array] | None = None
    forgone: float = 1e-4


def compiled_scores(portable: form.LinearModel, sentences: Sentences) -> Array:
    """Scores of a linear tagger, ``(characters, tags)``.

    Args:
        portable: the tagger, as :func:`decompile` gives it.
        sentences: folded words.
    """
    score = features.Scorer(portable)
    scores = [score("".join(words)) for words in sentences]
    return np.concatenate(scores).astype(np.float32)


def save_arrays(path: str, arrays: dict[str, Array]) -> None:
    given: dict[str, Any] = dict(arrays)
    np.savez(path, **given)


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
        text = bilstm_text.shorter(text, code_points(map("".join, x.sentences))[0])
        dev = bilstm_text.encode(vocab, x.space, x.dev)
        parts.append(bilstm.Part(x.standard, text, x.share, dev))
    return vocab, parts


def by_sentence(values: Array, offsets: Array) -> list[Array]:
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


def _emissions(networks: Sequence[bilstm.BilstmCrf], standard: int, text: Encoded) -> list[Array]:
    """The mean of the networks' scores of each sentence: networks that differ by their seeds err in
    different places (Hansen and Salamon 1990)."""
    of_each = [bilstm.emissions(model, standard, text) for model in networks]
    return [np.mean(scores, axis=0) for scores in zip(*of_each, strict=True)]


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
    of_each = [bilstm.transitions(model, number) for model in networks]
    trans, start, end = (np.mean(values, axis=0) for values in zip(*of_each, strict=True))
    vocab = networks[0].vocab
    tried = bilstm.combine(
        _emissions(networks, number, dev),
        by_sentence(lesson.dev_scores, dev.offsets),
        bilstm.gold_ends(dev),
        (trans, start, end),
        lesson.trans,
        lesson.start,
    )
    least = max(tried.values()) - lesson.forgone
    best = max(w for w, f in tried.items() if f >= least)
    test: dict[str, scoring.Score] = {}
    if lesson.test is not None:
        sentences, linear = lesson.test
        text = bilstm_text.encode(vocab, lesson.space, sentences)
        network = _emissions(networks, number, text)
        known = {word for words in lesson.sentences for word in words}
        for name, n, w in (("linear", 0.0, 1.0), ("network", 1.0, 0.0), ("both", 1.0, best)):
            cut = []
            for words, a, b in zip(
                sentences, network, by_sentence(linear, text.offsets), strict=True
            ):
                tags = bilstm.decode(
                    n * a + w * b,
                    n * trans + w * lesson.trans,
                    n * start + w * lesson.start,
                    n * end,
                )
                ends = np.flatnonzero(bilstm.word_ends(tags)) + 1
                line = "".join(words)
                cut.append([line[i:j] for i, j in pairwise([0, *ends.tolist()])])
            test[name] = scoring.score(sentences, cut, known)
    return Combined(best, tried, test)


def build(
    lessons: Sequence[Lesson],
    networks: Sequence[bilstm.BilstmOptions],
    out: str | os.PathLike[str],
    work: str | os.PathLike[str],
    pairs: int = PAIRS,
    command: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Trains networks on lessons, chooses the weights of the linear taggers, writes all of it.

    Several networks are scored together, as the mean of their scores; each has a file of its own.

    Args:
        networks: options of each network.
        out: the file to write, ``.npz``; see :func:`segmenter.train.bilstm.export`.  The second
            network's ends in ``-2.npz``, and so on; what the training came to (passes, seconds,
            dev and test) is in a ``.json`` beside it.
        work: folder of the checkpoints, from which the same call goes on.
        pairs: so many pairs of characters at most have rows.
        say: takes a line on each pass.

    Returns:
        The path.
    """
    if not lessons or not networks:
        raise ArgumentError("lessons, networks: none given")
    if any(o.shape.marks for o in networks):
        raise ArgumentError("networks: `marks` is for networks that read clauses")
    vocab, parts = encode(lessons, pairs)
    classes = max(x.space.words.n_classes for x in lessons)
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
    weights = {x.standard: (found[x.standard].weight, x.trans, x.start) for x in lessons}
    words = bilstm_crf.word_arrays({x.standard: x.space.words.outside() for x in lessons})
    for model, path in zip(trained, stems, strict=True):
        save_arrays(f"{path}.npz", {**bilstm.export(model, about, weights), **words})
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
    write_text(f"{stem}.json", [json.dumps(report, ensure_ascii=False, indent=1), "\n"])
    say(f"{stem}.npz: {os.path.getsize(f'{stem}.npz'):,} bytes")
    return f"{stem}.npz"
