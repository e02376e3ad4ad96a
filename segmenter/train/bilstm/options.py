"""The options of a BiLSTM-CRF and its training, and the inputs and reports of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import check_whole, one_of
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from segmenter.train.bilstm_text import Encoded


def _at_least_one(options: object, *names: str) -> None:
    for name in names:
        check_whole(name, getattr(options, name), 1)


def _shares(options: object, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(options, name) < 1:
            raise ArgumentError(f"{name}: {getattr(options, name)!r} is not from 0 to below 1")


@dataclass(frozen=True)
class Shape:
    """The network that is built.

    Attributes:
        char_size, pair_size, word_size: of the embeddings of a character, of each of its two
            pairs, of each of its ten numbers on words.
        hidden: units of the LSTM in each direction.
        layers: of LSTMs.
        lexicon: whether the numbers on words are read at all.
        marks: characters between which everything is read by itself
            (:func:`segmenter.train.bilstm_text.clauses`); the CRF's transitions are then all 0, so
            that what a clause is adds up from its characters alone.
    """

    char_size: int = 64
    pair_size: int = 32
    word_size: int = 6
    hidden: int = 192
    layers: int = 1
    lexicon: bool = True
    marks: str = ""

    def __post_init__(self) -> None:
        _at_least_one(self, "char_size", "pair_size", "word_size", "hidden", "layers")


@dataclass(frozen=True)
class Dropout:
    """What is left out at random in training, as shares.

    Attributes:
        input: of the LSTM's input (locked).
        output: of its output (locked).
        pairs: so many pairs count as unknown.
        words: so many of the numbers on words count as none.
    """

    input: float = 0.3
    output: float = 0.3
    pairs: float = 0.1
    words: float = 0.0

    def __post_init__(self) -> None:
        _shares(self, "input", "output", "pairs", "words")


@dataclass(frozen=True)
class Schedule:
    """How long and how fast it learns.

    Attributes:
        epochs: passes over the text at most.
        patience: passes without a gain on the dev text before the end.
        batch: characters per step.
        rate: of Adam (Kingma and Ba 2015) at its highest.
        warm_up: steps until there; from then on it falls as a half cosine to a fiftieth.
        clip: largest norm of the gradient.
        average: of the exponential average of the weights; 0 keeps the last.
    """

    epochs: int = 8
    patience: int = 3
    batch: int = 4096
    rate: float = 2e-3
    warm_up: int = 200
    clip: float = 1.0
    average: float = 0.999

    def __post_init__(self) -> None:
        _at_least_one(self, "epochs", "patience", "batch")
        _shares(self, "average")

    def rate_at(self, step: int, steps: int) -> float:
        """The rate of a step: rises over ``warm_up`` steps, then falls as a half cosine.

        >>> [Schedule(rate=1.0, warm_up=2).rate_at(s, 12) for s in (0, 1, 12)]
        [0.5, 1.0, 0.02]
        """
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        progress = (step - self.warm_up) / max(1, steps - self.warm_up)
        return self.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))


@dataclass(frozen=True)
class BilstmOptions:
    """How a BiLSTM-CRF is built and trained.

    Attributes:
        shape, dropout, schedule: see their classes.
        seed: of the weights, the dropout and the order of the batches.
        threads: of torch.
        precision: ``"auto"``: bfloat16 on a GPU, and on processors that compute it; ``"float32"``;
            ``"bfloat16"``.

    Raises:
        ArgumentError: a value, here or in a group, is out of its range; it is named.

    >>> BilstmOptions(Shape(hidden=128), schedule=Schedule(epochs=6)).shape.hidden
    128
    """

    shape: Shape = Shape()
    dropout: Dropout = Dropout()
    schedule: Schedule = Schedule()
    seed: int = 1
    threads: int = 1
    precision: str = "auto"

    def __post_init__(self) -> None:
        _at_least_one(self, "threads")
        one_of("precision", self.precision, ("auto", "float32", "bfloat16"))


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
