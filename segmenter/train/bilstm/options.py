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
    """The sizes of the network.

    Attributes:
        char_size, pair_size, word_size: dimensions of the embeddings of a character, of each of its
            two pairs, of each of its ten word slots.
        hidden: units of the LSTM in each direction.
        layers: of LSTMs.
        lexicon: whether the word slots are inputs.
        marks: characters at which the text is split (:func:`segmenter.train.bilstm_text.clauses`);
            the CRF's transitions are then all 0, so that the score of a clause is the sum of the
            scores of its characters.
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
    """The shares that training drops at random.

    Attributes:
        input: of the LSTM's input (locked).
        output: of its output (locked).
        pairs: of the pairs, which then count as unknown.
        words: of the word slots, which then count as empty.
    """

    input: float = 0.3
    output: float = 0.3
    pairs: float = 0.1
    words: float = 0.0

    def __post_init__(self) -> None:
        _shares(self, "input", "output", "pairs", "words")


@dataclass(frozen=True)
class Schedule:
    """The length of the training and its learning rate.

    Attributes:
        epochs: maximum number of passes over the text.
        patience: passes without a gain on the dev text after which training ends.
        batch: characters per step.
        rate: the highest learning rate of Adam (Kingma and Ba 2015).
        warm_up: steps in which the rate rises; then it falls as a half cosine to a fiftieth.
        clip: maximum norm of the gradient.
        average: decay of the exponential average of the weights; 0 keeps the last weights.
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
    """Options of a BiLSTM-CRF and its training.

    Attributes:
        shape, dropout, schedule: see their classes.
        seed: of the weights, the dropout and the order of the batches.
        threads: of torch.
        precision: ``"auto"`` (bfloat16 on GPUs and processors that support it), ``"float32"`` or
            ``"bfloat16"``.

    Raises:
        ArgumentError: a value, here or in a group, is out of range; the message names it.

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
    """One training corpus.

    Attributes:
        standard: its name.
        text: its sentences.
        share: share of the sentences that a pass uses, drawn anew for each pass.
        dev: text that chooses the best pass, or None.
    """

    standard: str
    text: Encoded
    share: float = 1.0
    dev: Encoded | None = None


class Epoch(NamedTuple):
    """The result of a pass: mean loss per character, word F1 on the dev text of each standard."""

    number: int
    loss: float
    f1: dict[str, float]
    seconds: float
