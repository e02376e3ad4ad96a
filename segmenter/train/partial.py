"""Partly labelled text: sentences in which some boundaries are left open.

A boundary is left open if teachers disagree, or if another convention cuts finer or coarser; the
trainers use the other boundaries (Tsuboi et al. 2008 for the CRF and the network, Liu et al. 2014
for the perceptron).

>>> known = Partly(["他", "走", "进", "来"], [1])
>>> known.text, known.unsure  # 走进 or 走/进
('他走进来', [1])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.train.tagging.features import between_marks, fold_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]


class Partly(NamedTuple):
    """A sentence with open boundaries.

    Attributes:
        words: folded words; where a boundary is open, either segmentation.
        unsure: characters (numbers from 0) after which the boundary is open.
    """

    words: list[str]
    unsure: Sequence[int] = ()

    @property
    def text(self) -> str:
        return "".join(self.words)


class Joined(NamedTuple):
    """Fully and partly labelled sentences as one training text.

    Attributes:
        sentences: all of them.
        unsure: for each, the characters after which the boundary is open.
        folds: the fold of each; every fold has a part of every text.
    """

    sentences: list[Sequence[str]]
    unsure: list[Array]
    folds: Array


def join(sentences: Sequence[Sequence[str]], partly: Sequence[Sequence[Partly]] = ()) -> Joined:
    """Join texts.

    Args:
        sentences: fully labelled text.
        partly: further texts, partly labelled.

    >>> got = join([["他", "来"]], [[Partly(["走进"], [0])]])
    >>> got.sentences, [u.tolist() for u in got.unsure], got.folds.tolist()
    ([['他', '来'], ['走进']], [[], [0]], [0, 0])
    """
    all_sentences: list[Sequence[str]] = list(sentences)
    unsure = [np.zeros(0, np.int64) for _ in sentences]
    folds = [fold_numbers(len(sentences))]
    for text in partly:
        all_sentences += [sentence.words for sentence in text]
        unsure += [np.asarray(sentence.unsure, np.int64) for sentence in text]
        folds.append(fold_numbers(len(text)))
    return Joined(all_sentences, unsure, np.concatenate(folds))


def joined_by_marks(text: Joined, marks: str) -> Joined:
    """The same sentences, with a mark at both ends of each.

    Args:
        text: from :func:`join`.
        marks: see :data:`segmenter.train.tagging.features.MARKS`.

    >>> got = joined_by_marks(join([["他", "来"]], [[Partly(["走进", "。"], [0])]]), "。")
    >>> got.sentences, [u.tolist() for u in got.unsure]
    ([['。', '他', '来', '。'], ['。', '走进', '。']], [[], [1]])
    """
    sentences: list[Sequence[str]] = []
    unsure = []
    for words, unsure_places in zip(text.sentences, text.unsure, strict=True):
        marked, n_before = between_marks(words, marks)
        sentences.append(marked)
        unsure.append(unsure_places + n_before)
    return Joined(sentences, unsure, text.folds)
