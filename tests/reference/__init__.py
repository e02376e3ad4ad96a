"""The reference of the kernels in plain Python, slow: what their tests compare them with.

The decoders themselves are in :mod:`segmenter.lattice.steps`, where the page plays them too.  Here
is one module per subject, and each names its header.  Where it can, the reference takes
another method than its kernel (a trie of dicts, regular expressions over classes), so that the two
do not share mistakes.
"""

from __future__ import annotations

from reference.atoms import AtomRules
from reference.bilstm import Bilstm
from reference.bounds import GainBounds
from reference.dag import word_dag
from reference.decoders import best, decode
from reference.double_array import DoubleArray, word_number
from reference.expressions import (
    expression_ends,
    expression_matches,
    leftmost_longest,
)
from reference.jieba import guessed_as_jieba, unigram_from_left
from reference.pos import PosModel
from reference.signs import sign_boundaries
from reference.user import user_spans
from reference.variants import Unifier
from reference.words import COST_SCALE, Dictionary, Trie

__all__ = [
    "COST_SCALE",
    "AtomRules",
    "Bilstm",
    "Dictionary",
    "DoubleArray",
    "GainBounds",
    "PosModel",
    "Trie",
    "Unifier",
    "best",
    "decode",
    "expression_ends",
    "expression_matches",
    "guessed_as_jieba",
    "leftmost_longest",
    "sign_boundaries",
    "unigram_from_left",
    "user_spans",
    "word_dag",
    "word_number",
]
