"""The hidden Markov model over BMES tags: counts, smoothed, in the form of a linear tagger.

Emissions P(character | tag), transitions P(tag | tag) and initial probabilities are relative
frequencies, the emissions with additive smoothing (Laplace).  In log space they are the scores of a
linear model whose only feature is the character itself, so the Viterbi of the other taggers decodes
it.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.scheme import FOUR, TAGS, allowed, encode

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
    names, tags = FOUR, TAGS
    if not smoothing > 0:
        raise ArgumentError(f"smoothing={smoothing!r}: a positive number is needed")
    number = {t: i for i, t in enumerate(names)}
    start, trans = np.zeros(tags), np.zeros((tags, tags))
    emit: dict[str, Counter[int]] = {}
    total = np.zeros(tags)
    for words in sentences:
        text = "".join(words)
        column = [number[t] for t in encode(words)]
        if not column:
            continue
        start[column[0]] += 1
        for a, b in pairwise(column):
            trans[a, b] += 1
        for c, k in zip(text, column, strict=True):
            got = emit.get(c)
            if got is None:
                got = emit[c] = Counter()
            got[k] += 1
            total[k] += 1
    if not emit:
        raise ArgumentError("sentences: the training text is empty")
    size = len(emit) + 1  # and one for what was never seen
    log_total = np.log(total + smoothing * size)
    known = sorted(emit)
    # a class of characters that were never seen: emitted as often as one that was seen once
    generic = [form.generic_name(code) for code in range(len(chars.CLASS_NAMES))]
    uni = np.zeros((len(known) + len(generic), 4, tags))
    for i, c in enumerate(known):
        row = np.array([emit[c][k] for k in range(tags)], np.float64)
        uni[i, 2] = np.log(row + smoothing) - log_total
    once = np.array([sum(1 for c in known if emit[c][k] == 1) for k in range(tags)], np.float64)
    uni[len(known) :, 2] = np.log(once / max(1.0, once.sum()) + smoothing) - log_total
    may = np.array([[allowed(a, b) for b in names] for a in names])
    sums = np.where(may, trans + 1, 0).sum(axis=1, keepdims=True)
    log_trans = np.where(may, np.log(np.where(may, trans + 1, 1)) - np.log(sums), 0.0)
    begins = np.array([t in ("B", "S") for t in names])
    log_start = np.where(begins, np.log(start + 1) - math.log(start.sum() + 2), 0.0)
    return form.LinearModel(
        tags=tags,
        start=log_start,
        trans=log_trans,
        chars=known + generic,
        uni=uni,
        bi=np.zeros((0, 4, tags)),
        match=np.zeros((0, form.LENGTHS, form.ROLES, tags)),
        state=np.zeros((0, form.STATES, tags)),
        meta={"algorithm": "hmm", "smoothing": smoothing},
    )
