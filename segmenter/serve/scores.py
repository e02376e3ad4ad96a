"""The scores by which a tagger chooses its path, as Python lists, for inspection."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.train.tagging.scheme import tags_of

if TYPE_CHECKING:
    from segmenter.segmenter import Segmenter


class TagScores(NamedTuple):
    """Scores of one text under one tagger; larger is better.

    Attributes:
        tags: the names of the T tags.
        start: score of each tag at the start of a stretch, T numbers.
        transitions: score of each tag (column) after each tag (row), T rows of T.
        scores: T numbers per character; None if the tag is ruled out there by a user word, inside
            a run of letters or digits, or in blanks.
    """

    tags: tuple[str, ...]
    start: list[float]
    transitions: list[list[float]]
    scores: list[list[float | None]]


def tag_scores(segmenter: Segmenter, text: str) -> TagScores:
    """Return the scores of every tag at every character, by which a tagger chooses its path.

    The best path is the sequence of tags with the largest sum of ``start``, ``scores`` and
    ``transitions`` (Viterbi 1967); each stretch between blanks is separate.  Tags that user words
    rule out have None.

    Args:
        segmenter: a Segmenter whose decoder is a tagger.
        text: any text.

    Raises:
        ArgumentError: the decoder is a lattice, which scores words.

    >>> from segmenter import load
    >>> scored = tag_scores(load("fast"), "确实")
    >>> scored.tags, len(scored.scores)
    (('B', 'M', 'E', 'S'), 2)
    """
    if segmenter.tagger is None:
        raise ArgumentError(f"decoder: {segmenter.decoder!r} scores words, not tags: see dag()")
    return _of_columns(*segmenter._engine.tag_scores(text))


def _of_columns(tags: int, scale: float, start: bytes, trans: bytes, scores: bytes) -> TagScores:
    """From the kernels' int32 columns, in units of 1/``scale``."""

    def floats(column: bytes) -> list[float]:
        return [value / scale for value in array("i", column)]

    def rows(values: list[float]) -> list[list[float]]:
        return [values[i : i + tags] for i in range(0, len(values), tags)]

    never = _NEVER / scale
    return TagScores(
        tags_of(tags),
        floats(start),
        rows(floats(trans)),
        [[None if v < never else v for v in row] for row in rows(floats(scores))],
    )


_NEVER = -(1 << 27)  # half of the kernels' kTagNever, which weights are added to
