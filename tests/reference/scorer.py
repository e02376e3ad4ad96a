"""The scores of a linear tagger's portable form at every character, and its best tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.lattice.steps import result
from segmenter.tagging import steps
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]


class Scorer:
    """Scores of the tags at every character of a text: the oracle of the kernel."""

    def __init__(self, model: form.LinearModel) -> None:
        self._model = model
        self._char_row = {c: i for i, c in enumerate(model.chars)}
        self._pair_row = {p: i for i, p in enumerate(model.pairs)}
        self._class_of = dict(zip(model.words, model.word_class.tolist(), strict=True))

    def __call__(self, text: str) -> Array:
        """``(len(text), tags)`` of folded text without blanks and line ends."""
        model = self._model
        char_row, pair_row, class_of = self._char_row, self._pair_row, self._class_of
        n = len(text)
        scores_sum = np.zeros((n, len(FOUR)))
        other_row = char_row.get(form.generic_name(chars.OTHER))

        def row_of(j: int) -> int | None:
            if not 0 <= j < n:
                return other_row
            row = char_row.get(text[j])
            return (
                char_row.get(form.generic_name(chars.char_class(ord(text[j]))))
                if row is None
                else row
            )

        longest = np.zeros((len(model.state), n, 3), np.int64)
        kinds = [0, *(form.char_type(ord(c)) for c in text), 0]
        for i in range(n):
            scores_sum[i] += model.types[(kinds[i] * 8 + kinds[i + 1]) * 8 + kinds[i + 2]]
            for slot, d in enumerate(form.UNI_AT):
                r = row_of(i + d)
                if r is not None:
                    scores_sum[i] += model.uni[r, slot]
            for slot, d in enumerate(form.PAIR_AT):
                if 0 <= i + d < n:
                    p = pair_row.get((text[i + d : i + d + 2] + form.END)[:2])
                    if p is not None:
                        scores_sum[i] += model.bi[p, slot]
            for length in range(2, min(form.MAX_WORD, n - i) + 1):
                k = class_of.get(text[i : i + length])
                if k is None:
                    continue
                rows = model.match[k, min(length, form.LENGTHS + 1) - 2]
                for position in range(length):
                    role = 3 if position == length - 1 else min(position, 2)
                    scores_sum[i + position] += rows[role]
                    for g in range(len(model.state)):
                        if model.groups[k] >> g & 1:
                            kind = 0 if position == 0 else 2 if position == length - 1 else 1
                            longest[g, i + position, kind] = max(
                                longest[g, i + position, kind], min(length, 6) - 1
                            )
        for g in range(len(model.state)):
            code = (longest[g, :, 0] * 6 + longest[g, :, 1]) * 6 + longest[g, :, 2]
            scores_sum += model.state[g, code]
        return scores_sum


def viterbi(model: form.LinearModel, scores: Array, constrained: bool = True) -> list[int]:
    """The best tag sequence (numbers) by Viterbi (1967); ties: the tag of the lower number.

    Args:
        model: for its transitions.
        scores: of :class:`Scorer`.
        constrained: only sequences that words give.  Without it any tag may follow any, and begin
            and end the text, which is how crfsuite decodes.
    """

    def only(values: Array, possible: list[bool]) -> list[float | None]:
        return [v if p else None for v, p in zip(values.tolist(), possible, strict=True)]

    start = only(model.start, [not constrained or name in BEGINS for name in FOUR])
    transitions = [
        only(row, [not constrained or allowed(before, name) for name in FOUR])
        for before, row in zip(FOUR, model.trans, strict=True)
    ]
    last = [t for t, name in enumerate(FOUR) if not constrained or name in ENDS]
    path, _ = result(steps.viterbi(start, transitions, scores.tolist(), last))
    return [tag for tag in path if tag is not None]


def decode(tags: Sequence[str]) -> list[int]:
    """Return the exclusive ends of the words that tags mark; an open word ends with the text.

    Impossible sequences (``E`` after ``E``) are read as a boundary after every ``E`` and ``S`` and
    before every ``B`` and ``S``.

    >>> decode(["B", "E", "S", "B", "M"])
    [2, 3, 5]
    """
    n = len(tags)
    return [i + 1 for i in range(n) if i + 1 == n or tags[i] in ENDS or tags[i + 1] in BEGINS]
