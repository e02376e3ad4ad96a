"""Teaches taggers to trust words that are newer than their training text.

A tagger learns from its training text how far to trust a word list.  Words that are newer than the
text do not occur in it, so nothing is learnt about them.  Therefore sentences
are added in which such a word replaces a common one (replacement from a lexicon, as in the data
augmentation of Dai and Adel 2020).  The new word is known from the list alone, and its pairs
of characters stay unknown; so the tagger learns the weight of the list against all other features.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Sentences shorter than this take no term: there is no context to learn from.
LEAST_WORDS = 6


def expose(
    sentences: Sequence[Sequence[str]], terms: Iterable[str], exposures: int, seed: int
) -> tuple[list[list[str]], list[int]]:
    """Copies of sentences in which a term replaces a common word.

    Args:
        sentences: the training text, folded words.
        terms: the words to insert, in any order.
        exposures: number of sentences to make.
        seed: of the choices; equal seeds give equal sentences.

    Returns:
        The sentences, and for each the index of its original.

    Raises:
        ArgumentError: there are no terms, or no sentence has a common word of 2 to 4 Han characters
            (seen five times and more).

    >>> expose([["他", "在", "北京", "大学", "学习", "。"]] * 5, ["慕课"], 1, seed=1)
    ([['他', '在', '北京', '大学', '慕课', '。']], [0])
    """
    pool = sorted(set(terms))
    if not exposures:
        return [], []
    if not pool:
        raise ArgumentError("terms: none is left to put into the training text")
    count = Counter(w for words in sentences for w in words)
    common = {
        w
        for w, n in count.items()
        if n >= 5 and 2 <= len(w) <= 4 and all(chars.char_class(ord(c)) == chars.HAN for c in w)
    }
    usable = [
        i
        for i, words in enumerate(sentences)
        if len(words) >= LEAST_WORDS and any(w in common for w in words)
    ]
    if not usable:
        raise ArgumentError("sentences: none has a common word that a term could stand for")
    rng = random.Random(seed)

    def pick(items: Sequence[int]) -> int:
        # random() gives the same numbers in every version of Python; choice() does not promise it
        return items[int(rng.random() * len(items))]

    new_sentences: list[list[str]] = []
    origins: list[int] = []
    for _ in range(exposures):
        i = pick(usable)
        words = list(sentences[i])
        words[pick([k for k, w in enumerate(words) if w in common])] = pool[pick(range(len(pool)))]
        new_sentences.append(words)
        origins.append(i)
    return new_sentences, origins
