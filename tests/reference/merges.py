"""Merges for BPE and WordPiece as they are defined: count everything again at every step.

BPE merges the most frequent pair (Sennrich, Haddow & Birch 2016), WordPiece the pair with the
largest ``freq(pair) / (freq(a) * freq(b))`` (Schuster & Nakajima 2012, in the form of the Hugging
Face course).  Of equally good pairs the one that occurs first in the corpus is merged.  The kernel
(``kernels/subword/pairs.hpp``) keeps its counts up to date instead.

>>> words = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]
>>> [merge.made for merge, _ in zip(learn_bpe(words), range(5))]
['es', 'est', 'lo', 'low', 'ne']
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.subword.training.pairs import Merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Corpus = list[tuple[list[str], int]]
    Counts = tuple[Counter[tuple[str, str]], Counter[str]]


def corpus_of(words: Iterable[tuple[str | Sequence[str], int]], prefix: str = "") -> Corpus:
    """Words as rows of symbols; ``prefix`` comes before every symbol except the first."""
    return [
        ([prefix + s if i else s for i, s in enumerate(word)], count)
        for word, count in words
        if word and count > 0
    ]


def counts_of(corpus: Corpus) -> Counts:
    """How often each two symbols stand side by side, in the order of their first places, and how
    often each symbol stands anywhere."""
    pairs: Counter[tuple[str, str]] = Counter()
    symbols: Counter[str] = Counter()
    for row, count in corpus:
        for symbol in row:
            symbols[symbol] += count
        for pair in pairwise(row):
            pairs[pair] += count
    return pairs, symbols


def learn_bpe(
    words: Iterable[tuple[str | Sequence[str], int]], min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of BPE, one after another, until no pair is left."""
    return _learn(corpus_of(words), "", min_frequency, lambda n, a, b: float(n))


def learn_wordpiece(
    words: Iterable[tuple[str | Sequence[str], int]], prefix: str = "##", min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of WordPiece, one after another, until no pair is left."""
    return _learn(corpus_of(words, prefix), prefix, min_frequency, lambda n, a, b: n / (a * b))


def _learn(
    corpus: Corpus, prefix: str, least: int, score: Callable[[int, int, int], float]
) -> Iterator[Merge]:
    while True:
        pairs, symbols = counts_of(corpus)
        scores = {
            (a, b): score(n, symbols[a], symbols[b]) for (a, b), n in pairs.items() if n >= least
        }
        if not scores:
            return
        left, right = best = max(scores, key=lambda pair: scores[pair])  # the first of equals
        merged = left + right.removeprefix(prefix)
        yield Merge(left, right, merged, pairs[best], scores[best])
        for row, _ in corpus:
            i = 0
            while i + 1 < len(row):
                if (row[i], row[i + 1]) == best:
                    row[i : i + 2] = [merged]
                i += 1
