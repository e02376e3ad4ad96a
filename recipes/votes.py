"""Raw text labelled by a vote of several systems.

A boundary stands where the weights of those who see one reach the threshold; where the sum is
close to it, the boundary is left open.  Errors of the systems complement each other, so their vote
is a better teacher than the best of them.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes.partial import words_of
from segmenter.errors import ArgumentError
from segmenter.train.partial import Partly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from recipes.raw import Line

    Array = NDArray[np.uint8]

#: Old vernacular and classical Chinese: useful to cut, harmful in excess.
SKIPPED = frozenset({"classical-modern", "novels-old"})
#: Traditional text, which wapic has not learnt.
TRADITIONAL = frozenset({"news-tw", "wiki-drcd-tw", "laws-tw"})
SEED = 1
PER_SOURCE = 12_000  # sentences of a file that a network learns from
UNREAD = 255  # of a chance of the teacher, otherwise in 254ths: it has not read the text
UNSURE = 0.2  # a sentence with a larger share of open boundaries is left out


class Vote(NamedTuple):
    """Weights of the voters, by name, and how sums are read.

    Attributes:
        weights: of each voter.
        least: a boundary from here on.
        low, high: sums between these leave it open.
    """

    weights: Mapping[str, float]
    least: float
    low: float
    high: float


#: Before there is a network: the first tagger, the CRF of the package wapic, the lattice.
FIRST = Vote({"first": 1.3, "wapic": 1.1, "bigram": 0.9}, 1.65, 1.2, 2.1)
#: With the network that learnt from the first vote, all conventions and the written sentences.
SECOND = Vote({"network": 1.6, "first": 0.9, "wapic": 1.1, "bigram": 0.6}, 2.1, 1.9, 2.3)
#: The second round: `accurate` of the first is the network, and the lattice has the grown lexicon.
THIRD = Vote({"network": 1.6, "first": 0.9, "wapic": 1.1, "lattice": 0.6}, 2.1, 1.9, 2.3)

#: With the teacher, whose chances by two conventions vote (README.md, "The teacher").
FOURTH = Vote(
    {"wapic": 1.2, "teacher": 1.0, "ctb": 1.0, "lattice": 0.5, "accurate": 0.4}, 2.09, 1.72, 2.46
)


def label(lines: Iterable[str], cut: Callable[[str], Sequence[str]]) -> Array:
    """Word ends of all lines, one after another: 1 after the last character of each word.

    Args:
        lines: the texts.
        cut: the system; blanks that it drops are words of their own.

    Raises:
        ArgumentError: the words are not those of the text.
    """
    columns = []
    for line in lines:
        ends = np.zeros(len(line), np.uint8)
        at = 0
        for word in cut(line):
            while not line.startswith(word, at) and at < len(line) and line[at].isspace():
                at += 1
                ends[at - 1] = 1
            if not line.startswith(word, at):
                raise ArgumentError(f"cut: {word!r} does not stand in {line!r} at {at}")
            at += len(word)
            ends[at - 1] = 1
        ends[-1:] = 1
        columns.append(ends)
    return np.concatenate(columns) if columns else np.zeros(0, np.uint8)


def where_they_overlap(voted: Array, own: Array) -> Array:
    """One's own ends of words, and a vote's where words of the two overlap.

    Elsewhere one of them cuts finer than the other, which is convention: the voters have theirs.

    Args:
        voted, own: ends of words of the same text.

    >>> where_they_overlap(np.array([0, 1, 1, 1, 0, 1]), np.array([1, 0, 1, 0, 0, 1])).tolist()
    [0, 1, 1, 0, 0, 1]
    """
    shared = (voted & own).astype(bool)
    shared[-1] = True
    starts = np.concatenate([[0], np.flatnonzero(shared)[:-1] + 1])
    apart = ~shared
    overlap = np.logical_or.reduceat(voted.astype(bool) & apart, starts)
    overlap &= np.logical_or.reduceat(own.astype(bool) & apart, starts)
    lengths = np.diff([*starts.tolist(), len(own)])
    found: Array = np.where(np.repeat(overlap, lengths), voted, own)
    return found


def voted(
    lines: Sequence[Line],
    labels: Mapping[str, Array],
    vote: Vote,
    fold: Callable[[str], str],
    per_source: int | None = None,
    own: Array | None = None,
) -> Iterator[Partly]:
    """The lines with the boundaries of a vote, those of which enough is sure; blanks divide them.

    Args:
        lines: the raw text.
        labels: of :func:`label`, by voter, or chances.
        vote: weights and thresholds.
        fold: brings text to the characters of the models.
        per_source: so many lines of a file at most.
        own: ends of words that stand unless those of the vote overlap them.
    """
    votes = [labels[name].astype(np.float32) * w for name, w in vote.weights.items()]
    total = np.sum(votes, axis=0)
    ends = (total >= vote.least).astype(np.uint8)
    unsure = (total > vote.low) & (total < vote.high)
    if own is not None:
        unsure &= ends != own
        ends = where_they_overlap(ends, own)
    starts = np.concatenate([[0], np.cumsum([len(line.text) for line in lines])])
    taken: Counter[str] = Counter()
    order = list(range(len(lines)))
    random.Random(SEED).shuffle(order)  # folds of the features are then alike
    for i in order:
        line, a, b = lines[i], int(starts[i]), int(starts[i + 1])
        if line.source in SKIPPED or unsure[a:b].sum() > UNSURE * (b - a):
            continue
        taken[line.source] += 1
        if per_source is not None and taken[line.source] > per_source:
            continue
        text = fold(line.text)
        for part in re.finditer("[^ ]+", text):
            first, last = part.span()
            if last - first > 1:
                here = np.flatnonzero(unsure[a + first : a + last - 1]).tolist()
                yield Partly(words_of(part[0], ends[a + first : a + last]), here)
