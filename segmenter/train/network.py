"""The function behind ``segmenter train bilstm``: trains a CRF, and a BiLSTM-CRF that uses it.

from segmenter import train

made = train.train_network(["train.txt"], "dev.txt", out="mine", standard="mine")
seg = segmenter.load(made.compiled, standard="mine")
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.train import command as linear
from segmenter.train.corpus import read_corpus, read_lexicon
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.features import FeatureSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter.train.command import Path, TrainedFiles


def train_network(
    train: Sequence[Path],
    dev: Path,
    *,
    out: Path,
    standard: str = "own",
    lexicon: Sequence[Path] = (),
    hidden: int = 128,
    epochs: int = 8,
    patience: int = 3,
    seed: int = 1,
    threads: int = 1,
    errors: str = "raise",
    command: str = "",
    say: Callable[[str], None] | None = None,
) -> TrainedFiles:
    """Train a CRF and a BiLSTM-CRF on segmented files, and combine them.

    The CRF is that of :func:`segmenter.train.command.train_tagger`; the network reads the words
    that are its features, and its scores are added with the weight that is best on the dev text.
    If an earlier call was interrupted, the same call resumes the network after its last pass.

    Args:
        train, dev: segmented text; the dev text is needed.
        out: the folder to write to: the files of ``train_tagger``, ``<standard>.npz`` (the
            network's parameters) and ``<standard>-bilstm.model`` (compiled, for
            :func:`segmenter.load`; the CRF is to lie beside it).
        standard: a name for what a word is in this text, and for the files.
        lexicon: at most two word lists whose words become features.
        hidden: units of the LSTM in each direction.
        epochs: maximum number of passes.
        patience: passes without a gain on the dev text after which training ends.
        seed: of the weights and of the order of the sentences.
        threads: of torch; only equal numbers give equal files.
        errors: as for ``train_tagger``.
        command: the command that the card gives for making the model again.
        say: called with a line of text after each step.

    Raises:
        MissingExtraError: torch is not installed.
        DictionaryError, ArgumentError, OSError: as for ``train_tagger``.
    """
    from segmenter.train import bilstm, joint

    options = bilstm.BilstmOptions(
        bilstm.Shape(hidden=hidden),
        schedule=bilstm.Schedule(epochs=epochs, patience=patience),
        seed=seed,
        threads=threads,
    )
    if dev is None:
        raise ArgumentError("dev: the network needs a dev text, which chooses its best pass")
    linear_files = linear.train_tagger(
        "crf", train, dev,
        out=out, standard=standard, lexicon=lexicon, seed=seed, errors=errors,
        progress=False, command=command,
    )  # fmt: skip
    sentences = read_corpus(train, errors=errors).sentences
    dev_sentences = read_corpus([dev], errors=errors).sentences
    sources = [read_lexicon(path, errors=errors)[0] for path in lexicon]
    space = FeatureSpace.of_text(sentences, sources)
    portable = decompile(artifact.open(linear_files.compiled))
    lesson = joint.Lesson(
        standard,
        space,
        sentences,
        space.folds,
        dev_sentences,
        os.path.basename(linear_files.compiled),
        joint.compiled_scores(portable, dev_sentences),
        portable.trans,
        portable.start,
    )
    folder = os.fspath(out)
    parameters = os.path.join(folder, f"{standard}.npz")
    compiled = os.path.join(folder, f"{standard}-bilstm.model")
    joint.build(lesson, options, parameters, folder, command=command, say=say or (lambda _: None))
    linear.compile_tagger(parameters, compiled)
    return linear_files._replace(portable=parameters, compiled=compiled)
