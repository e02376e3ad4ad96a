"""Maximum probability over a word DAG: unigram here; bigram and trigram need a lexicon's model
and are decoders of :func:`segmenter.load`.

>>> from segmenter.lattice.dag import WordDag
>>> unigram(WordDag.of("在理", {"在": 3, "理": 3, "在理": 7}))
['在', '理']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.lattice.max_match import decode, k_best

if TYPE_CHECKING:
    from segmenter.lattice.dag import WordDag


def unigram(dag: WordDag) -> list[str]:
    """The path of least summed cost (costs are -log p, Viterbi 1967)."""
    return decode(dag, "unigram")


def unigram_best(dag: WordDag, n: int) -> list[tuple[list[str], int]]:
    """At most ``n`` paths of least cost with their costs."""
    return k_best(dag, n, "unigram")
