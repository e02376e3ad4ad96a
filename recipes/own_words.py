"""The project's own list of words of today: which of it are words, and what they gain in a tagger.

How training text gets sentences with such words is :mod:`segmenter.train.terms`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segmenter.chars import fold_str
from segmenter.tagging import features
from segmenter.tagging import model as form
from segmenter.train.counts import read_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping, Sequence

#: Tags of names: they are whole whatever they are made of.
NAMES = ("nr", "ns", "nt", "nz")
#: A word of the training text that is seen so often is well known.
OFTEN = 3
#: The training state of words whose characters the text holds often and never as a word.
CONTRADICTED = 2


def read_terms(path: str | os.PathLike[str]) -> dict[str, str]:
    """The project's own list (word, tab, tag): folded words of 2 to 8 characters with their tags.

    Raises:
        OSError: the file cannot be read.
    """
    terms: dict[str, str] = {}
    for _, line in read_lines(path):
        word, _, tag = line.partition("\t")
        word = fold_str(word)
        if 2 <= len(word) <= form.MAX_WORD:
            terms[word] = tag
    return terms


def opaque(terms: Mapping[str, str], sentences: Iterable[Sequence[str]]) -> set[str]:
    """The terms that are words of their own: not two words, one of them a term and one well known.

    Newspaper text of any standard divides such compounds (a kind of fund and 基金, a kind of café
    and 咖啡馆), and a term inside them would otherwise never be found.  As such terms count those
    that the training text does not have, and as a first half those of three and more characters.
    Names are kept whole.

    Args:
        terms: words and their tags.
        sentences: the training text; its words of two and more characters that are seen at least
            three times are well known.  A term that is itself a word there is kept.

    >>> text = [["投资", "基金", "基金", "基金"]]
    >>> sorted(opaque({"私募": "n", "私募基金": "n", "基金": "n"}, text))
    ['基金', '私募']
    """
    count = Counter(w for words in sentences for w in words)
    known = {w for w, n in count.items() if n >= OFTEN and len(w) > 1}
    new = {w for w in terms if w not in count}
    first = new | {w for w in terms if len(w) > 2}

    def divides(word: str) -> bool:
        halves = ((word[:k], word[k:]) for k in range(2, len(word) - 1))
        return any((a in first and b in known) or (a in known and b in new) for a, b in halves)

    return {w for w, tag in terms.items() if w in count or tag[:2] in NAMES or not divides(w)}


class Favour(NamedTuple):
    """A list of words and what each character of them gains, in units of the model's score.

    Attributes:
        words: folded words.
        short: for words of 2 and 3 characters.
        long: for longer ones.
        rare: whether words that the training text has less than one time in ten gain too, and
            those that it contradicts gain half.
    """

    words: Collection[str]
    short: float
    long: float
    rare: bool = False


def favour(model: form.LinearModel, lists: Sequence[Favour]) -> form.LinearModel:
    """Raises the score of every tag that a word wants.

    Words that the training text has as words, and those that it contradicts by holding their
    characters often and never as a word, stay as they are, for training has weighed them, unless
    a list says otherwise.

    Args:
        model: with lexicon features; not changed.
        lists: the first list that has a word counts; words that are no features of the model are
            left out.
    """
    per_state = len(model.groups) // features.TRAINING_STATES
    word_class = model.word_class.copy()
    place: dict[tuple[int, int], int] = {}
    match, groups = [model.match], [model.groups]
    for i, word in enumerate(model.words):
        old = int(word_class[i])
        number = next((k for k, given in enumerate(lists) if word in given.words), None)
        if number is None or old // per_state > (3 if lists[number].rare else 1):
            continue
        if (old, number) not in place:
            place[old, number] = len(model.groups) + len(place)
            gain = np.where(np.arange(form.LENGTHS) < 2, lists[number].short, lists[number].long)
            if old // per_state == CONTRADICTED:
                gain = gain / 2
            rows = model.match[old : old + 1].copy()
            rows[0, :, 0, 0] += gain  # first: B
            rows[0, :, 1:3, 1] += gain[:, None]  # second and inner: M
            rows[0, :, 3, 2] += gain  # last: E
            match.append(rows)
            groups.append(model.groups[old : old + 1])
        word_class[i] = place[old, number]
    return replace(
        model,
        word_class=word_class,
        match=np.concatenate(match),
        groups=np.concatenate(groups),
        meta={**model.meta, "favoured": int((word_class >= len(model.groups)).sum())},
    ).rounded()
