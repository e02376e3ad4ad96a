"""How a BiLSTM-CRF is built and trained: the options, and what a run reads and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.train.tagging.scheme import tags_of

if TYPE_CHECKING:
    from segmenter.train.bilstm_text import Encoded


@dataclass(frozen=True)
class BilstmOptions:
    """How a BiLSTM-CRF is built and trained.

    Attributes:
        tags: 4 or 6.
        char_size, pair_size, word_size: of the embeddings of a character, of each of its two
            pairs, of each of its ten numbers on words.
        hidden: units of the LSTM in each direction.
        layers: of LSTMs.
        dropout: of the LSTM's input (locked).
        output_dropout: of its output (locked).
        pair_dropout: so many pairs in training count as unknown.
        word_dropout: so many of the numbers on words in training count as none.
        lexicon: whether the numbers on words are read at all.
        epochs: passes over the text at most.
        patience: passes without a gain on the dev text before the end.
        batch: characters per step.
        rate: of Adam (Kingma and Ba 2015) at its highest.
        warm_up: steps until there; from then on it falls as a half cosine to a fiftieth.
        clip: largest norm of the gradient.
        average: of the exponential average of the weights; 0 keeps the last.
        marks: characters between which everything is read by itself
            (:func:`segmenter.train.bilstm_text.clauses`); the CRF's transitions are then all 0, so
            that what a clause is adds up from its characters alone.
        seed: of the weights, the dropout and the order of the batches.
        threads: of torch.
        precision: ``"auto"``: bfloat16 on a GPU, and on processors that compute it; ``"float32"``;
            ``"bfloat16"``.
    """

    tags: int = 4
    char_size: int = 64
    pair_size: int = 32
    word_size: int = 6
    hidden: int = 192
    layers: int = 1
    dropout: float = 0.3
    output_dropout: float = 0.3
    pair_dropout: float = 0.1
    word_dropout: float = 0.0
    lexicon: bool = True
    epochs: int = 8
    patience: int = 3
    batch: int = 4096
    rate: float = 2e-3
    warm_up: int = 200
    clip: float = 1.0
    average: float = 0.999
    marks: str = ""
    seed: int = 1
    threads: int = 1
    precision: str = "auto"

    def __post_init__(self) -> None:
        tags_of(self.tags)
        for name in ("char_size", "pair_size", "word_size", "hidden", "layers", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name}={getattr(self, name)!r}: at least 1")
        for name in ("dropout", "output_dropout", "pair_dropout", "word_dropout", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise ArgumentError(f"{name}={getattr(self, name)!r}: from 0 to below 1")
        if self.precision not in ("auto", "float32", "bfloat16"):
            raise ArgumentError(
                f"precision={self.precision!r}: use 'auto', 'float32' or 'bfloat16'"
            )
        if self.patience < 1 or self.threads < 1:
            raise ArgumentError(f"patience={self.patience!r}, threads={self.threads!r}: at least 1")


class Part(NamedTuple):
    """A corpus of the training.

    Attributes:
        standard: its name.
        text: its sentences.
        share: how much of it a pass goes through; another random part each time.
        dev: text to choose the best pass on, or None.
    """

    standard: str
    text: Encoded
    share: float = 1.0
    dev: Encoded | None = None


class Epoch(NamedTuple):
    """What a pass came to: mean loss a character, word F1 on the dev text of each standard."""

    number: int
    loss: float
    f1: dict[str, float]
    seconds: float


def rate_at(options: BilstmOptions, step: int, steps: int) -> float:
    """The rate of a step: rises over ``warm_up`` steps, then falls as a half cosine.

    >>> [rate_at(BilstmOptions(rate=1.0, warm_up=2), s, 12) for s in (0, 1, 12)]
    [0.5, 1.0, 0.02]
    """
    if step < options.warm_up:
        return options.rate * (step + 1) / options.warm_up
    done = (step - options.warm_up) / max(1, steps - options.warm_up)
    return options.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
