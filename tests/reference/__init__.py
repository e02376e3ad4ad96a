"""The reference of the kernels in plain Python, slow: what their tests compare them with.

There is one module per subject, and each names its header.  Where it can, the reference takes
another method than its kernel (a trie of dicts, regular expressions over classes, a heap), so that
the two do not share mistakes.

Costs are integers, ``-log p`` in units of 1/2048 nat; the cost of a path is the sum along it.

**The tie rule**, everywhere: compare paths of equal cost from the right; where they first differ,
the longer word wins.
"""

from __future__ import annotations

from reference.atoms import AtomTwin
from reference.bilstm import Bilstm
from reference.bounds import GainBounds
from reference.dag import Dag, Edge, Path, word_dag
from reference.decoders import DECODERS, decode
from reference.double_array import DoubleArray, word_number
from reference.expressions import (
    expression_ends,
    expression_matches,
    leftmost_longest,
)
from reference.jieba import guessed_as_jieba, unigram_from_left
from reference.matching import backward, bidirectional, forward
from reference.ngrams import (
    NgramModel,
    bigram,
    bigram_states,
    trigram,
    trigram_states,
    unigram,
)
from reference.paths import (
    States,
    n_best,
    n_shortest,
    n_shortest_ranked,
    node_states,
    shortest,
    viterbi,
)
from reference.pos import PosModel
from reference.signs import sign_boundaries
from reference.user import user_spans
from reference.validate import has_empty, lexicon_fault, tagger_fault
from reference.variants import Unifier
from reference.words import COST_SCALE, Dictionary, Trie
from segmenter.train.runs import classes_of, scan

__all__ = [
    "COST_SCALE",
    "DECODERS",
    "AtomTwin",
    "Bilstm",
    "Dag",
    "Dictionary",
    "DoubleArray",
    "Edge",
    "GainBounds",
    "NgramModel",
    "Path",
    "PosModel",
    "States",
    "Trie",
    "Unifier",
    "backward",
    "bidirectional",
    "bigram",
    "bigram_states",
    "classes_of",
    "decode",
    "expression_ends",
    "expression_matches",
    "forward",
    "guessed_as_jieba",
    "has_empty",
    "leftmost_longest",
    "lexicon_fault",
    "n_best",
    "n_shortest",
    "n_shortest_ranked",
    "node_states",
    "scan",
    "shortest",
    "sign_boundaries",
    "tagger_fault",
    "trigram",
    "trigram_states",
    "unigram",
    "unigram_from_left",
    "user_spans",
    "viterbi",
    "word_dag",
    "word_number",
]
