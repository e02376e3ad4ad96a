"""The words that serve as features, and the class of each in each fold of the training text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.train.tagging import model as form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

TRAINING_STATES = 8
FOLDS = 10
FULL = FOLDS  # the fold number of text outside the training text
KNOWN = 4  # training states from here on make a word one of the group "training"
NO_CLASS = 0xFFFF  # in that fold the word is no feature


class FeatureSource(NamedTuple):
    """A further lexicon whose words are features.

    Attributes:
        name: its name in model files.
        states: folded words with a state from 1 to ``degrees``; other words have 0.
        degrees: the number of states besides 0.
        strong: words with at least this state are in the lexicon's group.
        alone: words with at least this state are features even if no other source knows them.
    """

    name: str
    states: Mapping[str, int]
    degrees: int = 1
    strong: int = 1
    alone: int = 1


class Words(NamedTuple):
    """Words with their classes.

    Attributes:
        names: the words, sorted.
        classes: of each in each fold, then outside the training text, ``(words, FOLDS + 1)``;
            :data:`NO_CLASS`: no feature there.
        n_classes: how many classes there are.
        groups_of_class: a bit mask of groups for each class.
        n_groups: how many groups have states.
    """

    names: list[str]
    classes: Array
    n_classes: int
    groups_of_class: Array
    n_groups: int

    @classmethod
    def none(cls) -> Words:
        return cls([], np.zeros((1, FOLDS + 1), np.uint16), 1, np.zeros(1, np.uint8), 0)

    def outside(self) -> dict[str, int]:
        """The classes of the words that are features outside the training text."""
        classes = self.classes[: len(self.names), FULL].tolist()
        return {w: k for w, k in zip(self.names, classes, strict=True) if k != NO_CLASS}


def fold_numbers(sentences: int, folds: int = FOLDS) -> Array:
    """The fold of each sentence: contiguous, since neighbouring sentences share their rare words.

    >>> fold_numbers(4, 2).tolist()
    [0, 0, 1, 1]
    """
    return (np.arange(sentences, dtype=np.int64) * folds // max(1, sentences)).astype(np.uint8)


def training_states(count: Array, occurrences: Array) -> Array:
    """The training state (table above) from counts as a word and occurrences of the string."""
    rate = count / np.maximum(occurrences, 1)
    states = np.where(rate < 0.1, 3, np.where(rate < 0.5, 4, np.where(rate < 0.9, 5, 7)))
    states = np.where((states == 7) & (count < 3), 6, states)
    states = np.where(count == 0, np.where(occurrences < 3, 1, 2), states)
    return np.where(occurrences == 0, 0, states)


def words_by_fold(sentences: Sequence[Sequence[str]], folds: Array) -> dict[str, list[int]]:
    """Count each word of 2 to ``form.MAX_WORD`` characters in each fold."""
    counts: dict[str, list[int]] = {}
    for words, k in zip(sentences, folds.tolist(), strict=True):
        for w in words:
            if 2 <= len(w) <= form.MAX_WORD:
                counts.setdefault(w, [0] * FOLDS)[k] += 1
    return counts


def with_classes(
    names: list[str],
    by_fold: Mapping[str, list[int]],
    occurrences: Array,
    sources: Sequence[FeatureSource],
    states: bool,
) -> Words:
    """Class words by what the training text and the sources know of them.

    Args:
        occurrences: how often each word's string occurs in each fold, ``(words, FOLDS)``.
        sources: further lexicons.
        states: whether groups of words have states.
    """
    none = [0] * FOLDS
    count = np.array([by_fold.get(w, none) for w in names], np.int32).reshape(-1, FOLDS)
    cls = training_states(_leave_out(count), _leave_out(occurrences))
    alone = cls >= 3
    n_classes = TRAINING_STATES
    for source in sources:
        s = np.array([source.states.get(w, 0) for w in names], np.int64)[:, None]
        cls = cls * (source.degrees + 1) + s
        alone = alone | (s >= source.alone)
        n_classes *= source.degrees + 1
    groups = [
        1 * (c[0] >= KNOWN)
        | sum((c[k] >= source.strong) << k for k, source in enumerate(sources, 1))
        for c in np.ndindex(TRAINING_STATES, *(source.degrees + 1 for source in sources))
    ]
    return Words(
        names,
        np.where(alone, cls, NO_CLASS).astype(np.uint16),
        n_classes,
        np.array(groups, np.uint8),
        1 + len(sources) if states else 0,
    )


def _leave_out(counts: Array) -> Array:
    """Columns 0 … 9: the sum without that fold; column 10: the whole sum."""
    total = counts.sum(axis=1, keepdims=True)
    return np.concatenate([total - counts, total], axis=1)
