"""The readable twin of every kernel: plain Python, slow, and the oracle of the kernels' tests.

Read it to learn how the package works; the compiled headers do the same with windows, packed
integers and vector code.  There is one module per subject, and each names its header.  Where it
can, a twin takes another method than its kernel (a trie of dicts, regular expressions over classes,
a heap, best-first search from the right), so that the two do not share mistakes.

From text to words:

1. :func:`scan` (``runs.py``) finds runs by class: numbers, dates, Latin words, blanks, line ends,
   marks;
2. :func:`word_dag` (``dag.py``) adds the words of a :class:`Dictionary`: the word DAG;
3. a decoder chooses one path: :func:`forward`, :func:`backward`, :func:`bidirectional`,
   :func:`shortest`, :func:`n_shortest`, :func:`unigram`, :func:`bigram`, :func:`trigram`.

Costs are integers, ``-log p`` in units of 1/2048 nat; the cost of a path is the sum along it.

**The tie rule**, everywhere: compare paths of equal cost from the right; where they first differ,
the longer word wins.

>>> words = "他 说 的 的确 确实 实在 在理 理 实 在 确".split()
>>> dag = word_dag("他说的确实在理", Dictionary(dict.fromkeys(words, 1)))
>>> for decode in forward, backward, bidirectional, shortest, n_shortest, unigram:
...     print("/".join(dag.words(decode(dag))))
他/说/的确/实在/理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
他/说/的/确实/在理
"""

from __future__ import annotations

from segmenter.kernels.reference.atoms import AtomTwin
from segmenter.kernels.reference.bilstm import Bilstm
from segmenter.kernels.reference.checksum import crc32
from segmenter.kernels.reference.dag import Dag, Edge, Path, word_dag
from segmenter.kernels.reference.decoders import DECODERS, decode
from segmenter.kernels.reference.double_array import DoubleArray, word_number
from segmenter.kernels.reference.expressions import (
    expression_ends,
    expression_matches,
    leftmost_longest,
)
from segmenter.kernels.reference.jieba import guessed_as_jieba, unigram_from_left
from segmenter.kernels.reference.matching import backward, bidirectional, forward
from segmenter.kernels.reference.ngrams import (
    NgramModel,
    bigram,
    bigram_states,
    trigram,
    trigram_states,
    unigram,
)
from segmenter.kernels.reference.paths import (
    States,
    n_best,
    n_shortest,
    n_shortest_ranked,
    node_states,
    shortest,
    viterbi,
)
from segmenter.kernels.reference.pos import PosModel
from segmenter.kernels.reference.runs import classes_of, scan
from segmenter.kernels.reference.signs import sign_boundaries
from segmenter.kernels.reference.sound import has_empty, lexicon_fault, tagger_fault
from segmenter.kernels.reference.sure import SureWords
from segmenter.kernels.reference.user import user_spans
from segmenter.kernels.reference.utf8 import decode_utf8
from segmenter.kernels.reference.variants import Unifier
from segmenter.kernels.reference.words import COST_SCALE, Dictionary, Trie

__all__ = [
    "COST_SCALE",
    "DECODERS",
    "AtomTwin",
    "Bilstm",
    "Dag",
    "Dictionary",
    "DoubleArray",
    "Edge",
    "NgramModel",
    "Path",
    "PosModel",
    "States",
    "SureWords",
    "Trie",
    "Unifier",
    "backward",
    "bidirectional",
    "bigram",
    "bigram_states",
    "classes_of",
    "crc32",
    "decode",
    "decode_utf8",
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
