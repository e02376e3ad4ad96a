"""The hidden Markov model over BMES tags: counts, smoothed, in the form of a linear tagger.

Emissions P(character | tag), transitions P(tag | tag) and initial probabilities are relative
frequencies, the emissions with additive smoothing (Laplace).  In log space they are the scores of a
linear model whose only feature is the character itself, so the Viterbi of the other taggers decodes
it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.scheme import BEGINS, FOUR, TAGS, allowed, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def train(sentences: Iterable[Sequence[str]], *, smoothing: float = 0.1) -> form.LinearModel:
    """Train an HMM by counting a segmented text.

    Args:
        sentences: folded words.
        smoothing: added to every count of an emission.

    Raises:
        ArgumentError: no sentences, or ``smoothing`` is not positive.
    """
    if not smoothing > 0:
        raise ArgumentError(f"smoothing: {smoothing!r} is not above 0")
    start, trans = np.zeros(TAGS), np.zeros((TAGS, TAGS))
    emit: defaultdict[str, list[int]] = defaultdict(lambda: [0] * TAGS)
    for words in sentences:
        column = [*map(FOUR.index, encode(words))]
        if not column:
            continue
        start[column[0]] += 1
        for a, b in pairwise(column):
            trans[a, b] += 1
        for c, k in zip("".join(words), column, strict=True):
            emit[c][k] += 1
    if not emit:
        raise ArgumentError("sentences: the training text is empty")
    size = len(emit) + 1  # and one for what was never seen
    seen_chars = sorted(emit)
    counts = np.array([emit[c] for c in seen_chars], np.float64)
    log_total = np.log(counts.sum(axis=0) + smoothing * size)
    # a class of characters that were never seen: emitted as often as one that was seen once
    generic = [form.generic_name(code) for code in range(len(chars.CLASS_NAMES))]
    uni = np.zeros((len(seen_chars) + len(generic), 4, TAGS))
    uni[: len(seen_chars), 2] = np.log(counts + smoothing) - log_total
    seen_once = (counts == 1).sum(axis=0)
    uni[len(seen_chars) :, 2] = np.log(seen_once / max(1, seen_once.sum()) + smoothing) - log_total
    is_allowed = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
    sums = np.where(is_allowed, trans + 1, 0).sum(axis=1, keepdims=True)
    log_trans = np.where(is_allowed, np.log(np.where(is_allowed, trans + 1, 1)) - np.log(sums), 0.0)
    begins = np.array([t in BEGINS for t in FOUR])
    log_start = np.where(begins, np.log(start + 1) - math.log(start.sum() + 2), 0.0)
    return form.LinearModel(
        start=log_start,
        trans=log_trans,
        chars=seen_chars + generic,
        uni=uni,
        bi=np.zeros((0, 4, TAGS)),
        match=np.zeros((0, form.LENGTHS, form.ROLES, TAGS)),
        state=np.zeros((0, form.STATES, TAGS)),
        meta={"algorithm": "hmm", "smoothing": smoothing},
    )
