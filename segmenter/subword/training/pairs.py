"""Training of BPE and WordPiece: merges of adjacent pieces (kernels/subword/pairs.hpp).

Both repeat the same steps: count all adjacent pairs, merge the best pair everywhere, and update the
counts that this changed.

>>> words = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]
>>> [merge.made for merge, _ in zip(learn_bpe(words), range(5))]
['es', 'est', 'lo', 'low', 'ne']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.kernels import _subword

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Merge(NamedTuple):
    """One step: ``left`` and ``right`` become ``made``.

    ``frequency`` is how often they were adjacent; ``score`` is what the pair was chosen by.
    """

    left: str
    right: str
    made: str
    frequency: int
    score: float


def learn_bpe(words: Iterable[tuple[str, int]], min_frequency: int = 1) -> Iterator[Merge]:
    """The merges of BPE, in order, until no pair is left: always the most frequent pair, and of
    equally frequent ones the pair met first.

    Args:
        words: each with its count.
        min_frequency: pairs seen less often are not merged.
    """
    return map(Merge._make, _subword.PairLearner(words, least=min_frequency))


def learn_wordpiece(
    words: Iterable[tuple[str, int]], prefix: str = "##", min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of WordPiece: always the pair with the largest
    ``freq(pair) / (freq(a) * freq(b))``.

    Args:
        words: each with its count.
        prefix: put in front of every symbol of a word except the first.
        min_frequency: pairs seen less often are not merged.  Without a bound the rarest pairs are
            merged first: two characters that each occur once, together, have the score 1.
    """
    return map(Merge._make, _subword.PairLearner(words, prefix, True, min_frequency))
