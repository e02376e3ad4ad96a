"""The best tags of a text by Viterbi (1967), step by step, with every tag of every character.

The page of ``segmenter serve`` plays the steps; the tests compare the result with the kernel
(``kernels/tagging/``), and training decodes its development text with it.

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

#: What the models are, in Chinese and English: the page's words beside a decoder's name.
ABOUT = {
    "hmm": ("隐马尔可夫模型", "tags by a hidden Markov model"),
    "perceptron": ("平均感知机", "tags by an averaged perceptron"),
    "crf": ("条件随机场", "tags by a conditional random field"),
    "bilstm-crf": ("双向 LSTM-CRF", "tags by a neural network"),
    "encoder-crf": ("预训练编码器-CRF", "tags by an encoder that has read much text"),
}
#: Sums that differ by less are equal: exact scores were rounded to floats.
_SAME = 1e-9


class Gap(NamedTuple):
    """A blank or line end: the next stretch starts over from the sum of those before."""

    at: int
    sum: float


class Cell(NamedTuple):
    """One tag of one character: the ``ways`` to it, and its ``sum`` with its own ``score``.

    A way is (tag before, or -1 at the beginning; the sum there; the transition's score; both).
    ``back`` is the tag before on the best way.
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
    """The tag of a character on the best path, and the tag ``to`` which its pointer leads."""

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

    Of equal sums the tag of the lower number wins.

    Args:
        start: score of each tag at the start of a stretch; None: it cannot begin one.
        transitions: score of each tag (column) after each tag (row); None: it cannot follow.
        scores: of each tag at each character; None: it is ruled out there.
        last: numbers of the tags that may end a stretch.
        gaps: characters between two stretches, blanks and line ends.

    Returns:
        The number of each character's tag, None in gaps, and the sum.
    """
    cells: list[dict[int, Cell]] = []  # by character, then by tag
    carried = 0.0  # the sum of the stretches before
    for at, own in enumerate(scores):
        cells.append({})
        before = cells[at - 1] if at else {}
        if at in gaps:
            carried = _best(before, last).sum if before else carried
            yield Gap(at, carried)
            continue
        for tag, score in enumerate(own):
            if score is None:
                continue
            ways: list[tuple[int, float, float, float]] = []
            begins = start[tag]
            if (at == 0 or at - 1 in gaps) and begins is not None:
                ways.append((-1, carried, begins, carried + begins))
            for u, cell in before.items():
                step = transitions[u][tag]
                if step is not None:
                    ways.append((u, cell.sum, step, cell.sum + step))
            if ways:
                best = ways[0]
                for way in ways[1:]:
                    best = way if way[3] > best[3] + _SAME else best
                cells[at][tag] = Cell(at, tag, ways, score, best[3] + score, best[0])
                yield cells[at][tag]
    path: list[int | None] = [None] * len(scores)
    total: float | None = None
    for at in reversed(range(len(scores))):
        if at in gaps:
            continue
        if at + 1 == len(scores) or at + 1 in gaps:
            cell = _best(cells[at], last)
            total = cell.sum if total is None else total
            yield End(at, cell.tag, cell.sum)
        path[at] = cell.tag
        yield Back(at, cell.tag, cell.back)
        if cell.back >= 0:
            cell = cells[at - 1][cell.back]
    return path, total or 0.0


def _best(cells: dict[int, Cell], last: Collection[int]) -> Cell:
    """The best of the tags that may be last."""
    found = [cell for tag, cell in cells.items() if tag in last]
    best = found[0]
    for cell in found[1:]:
        best = cell if cell.sum > best.sum + _SAME else best
    return best
