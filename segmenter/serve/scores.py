"""The scores by which a tagger chooses its path, as Python lists, for inspection."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.kernels import _tokens
from segmenter.text import chars
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, TAGS, allowed

if TYPE_CHECKING:
    from segmenter.core import Segmenter


class TagScores(NamedTuple):
    """Scores of one text under one tagger; larger is better.

    Attributes:
        start: score of each tag at the start of a stretch; None: the tag cannot begin a word.
        transitions: score of each tag (column) after each tag (row), 4 rows of 4; None: the tag
            cannot follow.
        scores: 4 numbers per character; None if the tag is ruled out there by a user word, inside
            a run of letters or digits, or in blanks.
        gaps: the characters between stretches: blanks and line ends.
    """

    start: list[float | None]
    transitions: list[list[float | None]]
    scores: list[list[float | None]]
    gaps: frozenset[int]


def tag_scores(segmenter: Segmenter, text: str) -> TagScores:
    """Return the scores of every tag at every character, by which a tagger chooses its path.

    The best path is the sequence of tags with the largest sum of ``start``, ``scores`` and
    ``transitions`` (Viterbi 1967); each stretch between blanks is separate.  Tags that user words
    rule out have None.

    Args:
        segmenter: a Segmenter whose decoder is a tagger.

    Raises:
        ArgumentError: the decoder is a lattice, which scores words.

    >>> from segmenter import load
    >>> scored = tag_scores(load("fast"), "确实")
    >>> len(scored.start), len(scored.scores)
    (4, 2)
    """
    if segmenter.tagger is None:
        raise ArgumentError(f"decoder: {segmenter.decoder!r} scores words, not tags: see dag()")
    # int32 columns in units of 1/scale
    scale, start, trans, scores = _tokens.tag_scores(segmenter._engine, text)

    def floats(column: bytes) -> list[float]:
        return [value / scale for value in array("i", column)]

    def rows(values: list[float]) -> list[list[float]]:
        return [values[i : i + TAGS] for i in range(0, len(values), TAGS)]

    floor = _NEVER / scale
    return TagScores(
        [v if name in BEGINS else None for name, v in zip(FOUR, floats(start), strict=True)],
        [
            [v if allowed(previous, name) else None for name, v in zip(FOUR, row, strict=True)]
            for previous, row in zip(FOUR, rows(floats(trans)), strict=True)
        ],
        [[None if v < floor else v for v in row] for row in rows(floats(scores))],
        frozenset(k for k, c in enumerate(text) if chars.char_class(ord(c)) in _BETWEEN),
    )


_BETWEEN = (chars.BLANK, chars.LF, chars.CR)
#: The numbers of the tags that end a word.
LAST = tuple(t for t, name in enumerate(FOUR) if name in ENDS)
_NEVER = -(1 << 27)  # half of the kernels' kTagNever, to which weights are added
