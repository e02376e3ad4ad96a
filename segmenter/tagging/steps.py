"""The best tags of a text by Viterbi (1967), step by step.

The page of ``segmenter serve`` plays the steps; the tests compare the result with the kernel
(``kernels/tagging/``), and training decodes its development text with this module.

>>> start = [0.0, None, None, -0.5]  # of B, M, E, S: only B and S begin a word
>>> follows = [[None, 0, 0, None], [None, 0, 0, None], [0, None, None, 0], [0, None, None, 0]]
>>> scores = [[1.0, 0, 0, 0.5], [0, 0, 1.0, 0.5]]
>>> from segmenter.lattice.steps import result
>>> result(viterbi(start, follows, scores, last=(2, 3)))
([0, 2], 2.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from segmenter.lattice.steps import Steps

    Scores = Sequence[float | None]

#: The model of each decoder in Chinese and English, shown on the page beside its name.
ABOUT = {
    "hmm": ("隐马尔可夫模型", "tags by a hidden Markov model"),
    "perceptron": ("平均感知机", "tags by an averaged perceptron"),
    "crf": ("条件随机场", "tags by a conditional random field"),
    "bilstm-crf": ("双向 LSTM-CRF", "tags by a neural network"),
    "encoder-crf": ("预训练编码器-CRF", "tags by an encoder that has read much text"),
}
#: Sums that differ by less are equal: exact scores are rounded to floats.
_TOLERANCE = 1e-9


class Gap(NamedTuple):
    """A blank or line end: the next stretch starts from the sum of the stretches before."""

    at: int
    sum: float


class Cell(NamedTuple):
    """One tag of one character: the ``ways`` to it, and its ``sum`` with its own ``score``.

    A way is (previous tag, or -1 at the start; its sum; score of the transition; both together).
    ``back`` is the previous tag of the best way.
    """

    at: int
    tag: int
    ways: list[tuple[int, float, float, float]]
    score: float
    sum: float
    back: int


class End(NamedTuple):
    """The last character of a stretch, and the best tag that may end it."""

    at: int
    tag: int
    sum: float


class Back(NamedTuple):
    """The tag of a character on the best path, and the previous tag, to which its pointer leads."""

    at: int
    tag: int
    to: int


def viterbi(
    start: Scores,
    transitions: Sequence[Scores],
    scores: Sequence[Scores],
    last: Collection[int],
    gaps: Collection[int] = (),
) -> Steps[tuple[list[int | None], float]]:
    """The sequence of tags with the largest sum of start, transitions and scores.

    Of tags with equal sums the lower number wins.

    Args:
        start: the score of each tag at the start of a stretch; None: it cannot begin one.
        transitions: the score of each tag (column) after each tag (row); None: it cannot follow.
        scores: the score of each tag at each character; None: it is ruled out there.
        last: numbers of the tags that may end a stretch.
        gaps: characters between two stretches, blanks and line ends.

    Returns:
        the number of each character's tag, None in gaps; and the sum.
    """
    cells: list[dict[int, Cell]] = []  # by character, then by tag
    base = 0.0  # the sum of the previous stretches
    for index, tag_scores in enumerate(scores):
        cells.append({})
        previous = cells[index - 1] if index else {}
        if index in gaps:
            base = _best(previous, last).sum if previous else base
            yield Gap(index, base)
            continue
        for tag, score in enumerate(tag_scores):
            if score is None:
                continue
            candidates: list[tuple[int, float, float, float]] = []
            start_score = start[tag]
            if (index == 0 or index - 1 in gaps) and start_score is not None:
                candidates.append((-1, base, start_score, base + start_score))
            for previous_tag, cell in previous.items():
                transition = transitions[previous_tag][tag]
                if transition is not None:
                    candidates.append((previous_tag, cell.sum, transition, cell.sum + transition))
            if candidates:
                best = candidates[0]
                for candidate in candidates[1:]:
                    best = candidate if candidate[3] > best[3] + _TOLERANCE else best
                cells[index][tag] = Cell(index, tag, candidates, score, best[3] + score, best[0])
                yield cells[index][tag]
    path: list[int | None] = [None] * len(scores)
    total: float | None = None
    for index in reversed(range(len(scores))):
        if index in gaps:
            continue
        if index + 1 == len(scores) or index + 1 in gaps:
            cell = _best(cells[index], last)
            total = cell.sum if total is None else total
            yield End(index, cell.tag, cell.sum)
        path[index] = cell.tag
        yield Back(index, cell.tag, cell.back)
        if cell.back >= 0:
            cell = cells[index - 1][cell.back]
    return path, total or 0.0


def _best(cells: dict[int, Cell], last: Collection[int]) -> Cell:
    """Return the best of the tags that may be last."""
    candidates = [cell for tag, cell in cells.items() if tag in last]
    best = candidates[0]
    for cell in candidates[1:]:
        best = cell if cell.sum > best.sum + _TOLERANCE else best
    return best
