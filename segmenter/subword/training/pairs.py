"""Training of BPE and WordPiece: merges of adjacent pieces (kernels/subword/pairs.hpp).

Both repeat the same steps: count all adjacent pairs, merge the best pair everywhere, and update the
counts that this changed.

>>> words = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]
>>> [merge.made for merge, _ in zip(learn(words), range(5))]
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


def learn(
    words: Iterable[tuple[str, int]],
    min_frequency: int = 1,
    *,
    prefix: str = "",
    scored: bool = False,
) -> Iterator[Merge]:
    """The merges in order, until no pair is left; of equally good pairs the one met first.

    Args:
        words: each with its count.
        min_frequency: pairs seen less often are not merged.  With ``scored`` and no bound the
            rarest pairs are merged first: two characters that each occur once, together, have the
            score 1.
        prefix: put in front of every symbol of a word except the first.
        scored: False: the most frequent pair is merged (BPE); True: the pair with the largest
            ``freq(pair) / (freq(a) * freq(b))`` (WordPiece).
    """
    return map(Merge._make, _subword.PairLearner(words, prefix, scored, min_frequency))
