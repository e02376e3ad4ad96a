"""From segmented text to the parameters of a BiLSTM-CRF that goes with a linear tagger.

A lesson is the text, lexicon and linear tagger of one standard.  Afterwards the scores of that
tagger are added, with the weight that is best on the dev text.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.files.atomic import write_text
from segmenter.lexicon.characters import code_points
from segmenter.train import bilstm, bilstm_text
from segmenter.train.adapt import space_of_model, weights_of
from segmenter.train.tagging import bilstm_crf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from segmenter.train.tagging import model as form
    from segmenter.train.tagging.features import FeatureSpace

    Array = NDArray[Any]
    Sentences = Sequence[Sequence[str]]

PAIRS = 120_000  # pairs of characters with rows of their own
#: The loss of dev F1 that is accepted for a larger weight of the linear tagger: five words in a dev
#: text of 50,000.
FORGONE = 1e-4


@dataclass
class Lesson:
    """A standard's text and lexicon, and the scores of its linear tagger.

    Attributes:
        standard: its name.
        space: lexicon and features of the linear tagger.
        sentences, folds: training text (folded words), and the fold of each sentence.
        dev: text to choose on.
        linear: file name of the linear tagger.
        dev_scores: of the linear tagger on that text, ``(characters, tags)``.
        trans, start: its transitions, and its scores of the first tag.
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


def compiled_scores(portable: form.LinearModel, sentences: Sentences) -> Array:
    """Scores of a linear tagger, ``(characters, tags)``.

    Args:
        portable: the tagger, as :func:`decompile` gives it.
        sentences: folded words.
    """
    space = space_of_model(portable, sentences, words=False)
    trainer = space.trainer()
    weights = weights_of(space, portable, trainer.layout)
    return space.emissions(trainer, space.columns(sentences), weights)


def save_arrays(path: str, arrays: dict[str, Array]) -> None:
    named: dict[str, Any] = dict(arrays)
    np.savez(path, **named)


def build(
    lesson: Lesson,
    options: bilstm.BilstmOptions,
    out: str | os.PathLike[str],
    work: str | os.PathLike[str],
    command: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Train a network, choose the weight of the linear tagger, and write the parameters.

    Args:
        out: the file to write, ``.npz``; see :func:`segmenter.train.bilstm.export`.  A report on
            the training (passes, seconds, dev F1) is written next to it as ``.json``.
        work: folder of the checkpoint, from which a later call resumes.
        say: called with a line of text after each pass.

    Returns:
        The path.
    """
    stem = os.path.splitext(os.fspath(out))[0]
    vocab = bilstm_text.vocabulary([lesson.sentences], pairs=PAIRS)
    text = bilstm_text.encode(vocab, lesson.space, lesson.sentences, lesson.folds)
    text = bilstm_text.shorter(text, code_points(map("".join, lesson.sentences))[0])
    dev = bilstm_text.encode(vocab, lesson.space, lesson.dev)
    words = lesson.space.words

    def show(epoch: bilstm.Epoch) -> None:
        scores = ", ".join(f"{k} {v:.5f}" for k, v in epoch.f1.items())
        say(f"pass {epoch.number}: loss {epoch.loss:.4f}, {epoch.seconds:.0f} s; dev {scores}")

    model, passes = bilstm.train(
        [bilstm.Part(lesson.standard, text, 1.0, dev)], vocab, words.n_classes, options,
        checkpoint=os.path.join(work, f"{os.path.basename(stem)}.checkpoint"),
        resume=True, progress=show,
    )  # fmt: skip
    f1_by_weight = bilstm.combine(
        bilstm.emissions(model, 0, dev),
        [lesson.dev_scores[a:b] for a, b in pairwise(dev.offsets.tolist())],
        bilstm.gold_ends(dev),
        bilstm.transitions(model, 0),
        lesson.trans,
        lesson.start,
    )
    weight = max(w for w, f1 in f1_by_weight.items() if f1 >= max(f1_by_weight.values()) - FORGONE)
    say(
        f"{lesson.standard}: weight {weight}, dev {f1_by_weight[0.0]:.5f} alone, "
        f"{f1_by_weight[weight]:.5f} with {lesson.linear}"
    )
    about = {
        "standards": {lesson.standard: {"linear": lesson.linear}},
        "torch": bilstm.TORCH,
        "command": command,
    }
    combined = {lesson.standard: (weight, lesson.trans, lesson.start)}
    word_arrays = bilstm_crf.word_arrays({lesson.standard: words.outside()})
    save_arrays(f"{stem}.npz", {**bilstm.export(model, about, combined), **word_arrays})
    report = {
        **about,
        "standards": {
            lesson.standard: {
                "linear": lesson.linear,
                "sentences": len(lesson.sentences),
                "weight": weight,
                "dev": {str(w): round(f1, 5) for w, f1 in f1_by_weight.items()},
            }
        },
        "options": asdict(options),
        "passes": [e._asdict() for e in passes],
        "characters": len(vocab.chars),
        "pairs": len(vocab.pairs),
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    write_text(f"{stem}.json", [json.dumps(report, ensure_ascii=False, indent=1), "\n"])
    say(f"{stem}.npz: {os.path.getsize(f'{stem}.npz'):,} bytes")
    return f"{stem}.npz"
