"""The portable form of a BiLSTM-CRF (numpy arrays) and its compiler to integers.

A bidirectional LSTM (Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005) reads a stretch of
text without blanks and scores the tags of every character; a linear-chain CRF on top (Huang, Xu &
Yu 2015) finds the best tags.  At the character ``c[i]`` its input is, one after another, the
embeddings of ``c[i]``, of the pairs ``c[i-1] c[i]`` and ``c[i] c[i+1]`` (Chen et al. 2015), and of
ten small numbers on the words of a lexicon that the text spells there (:data:`SLOTS`).

One model has several **standards**, conventions of what a word is.  All weights are shared except a
bias of the gates, the output layer, the transitions and the classes of words.  Each standard names
a linear tagger: its trie finds the words, and its emission scores times ``linear_weight`` are added
to those of the LSTM.

The file, which any trainer can write, is an ``.npz`` of these arrays (``s`` a standard, ``k`` a
layer from 0, ``d`` ``fw`` or ``bw``, ``H`` hidden units, ``D`` inputs of the layer):

======================  ==============  ========================================================
``chars``               (n,)            folded code points; row i + 2 of the embedding
``char_embedding``      (n + 2, Dc)     row 0 unknown characters, row 1 beyond the text
``bigrams``             (m, 2)          pairs of folded code points, 0 beyond the text
``bigram_embedding``    (m + 1, Db)     row 0 unknown pairs; ``bigrams[i]`` has row i + 1
``lexicon_j``           (values, Dj)    a table for each of :data:`SLOTS`; all or none of them
``words``               bytes, UTF-8    the words of the lexicon, separated by line ends
``word_class_s``        (words,)        class of each, 65535: no feature; a slot holds 1 + class
``w_ih_k_d``            (4H, D)         rows of the gates i, f, g, o one after another, as torch
``w_hh_k_d``            (4H, H)         has them
``b_k_d``               (4H,)           sum of the two biases of torch
``bias_s_d``            (4H,)           added in layer 0 for standard s; may be missing
``out_w_s``, ``out_b_s``  (4, 2H), (4,)   of the tags B, M, E, S from forward and backward states
``transitions_s``       (4, 4)          from row to column
``start_s``, ``end_s``  (4,)            of the first and of the last tag
``linear_weight_s``     ()              of the linear tagger's scores
``meta``                str             JSON: ``{"standards": {s: {"linear": file name}}, …}``;
                                        ``"atoms"`` and ``"sure"`` next to ``"linear"``, see
                                        :class:`Standard`; ``"marks"``, see below
======================  ==============  ========================================================

A model with ``"marks"``, a string of punctuation, reads clauses: the text between two marks is
scored by itself, as if it were the whole text, and a mark is a word of its own.  The transitions,
starts and ends of the model are those of the linear tagger times ``linear_weight``, or 0.

Integers.  Weights, embeddings and the recurrent input are 8 bits, sums are 32 bits and exact, so
that no order of adding and no vector path changes a tag; gates are 16 bits.
``kernels/bilstm/model.hpp`` has the meaning of each, ``tests/reference/bilstm.py`` is a
readable form.
"""

from __future__ import annotations

from segmenter.train.tagging.bilstm_crf.compile import compile_model
from segmenter.train.tagging.bilstm_crf.decompile import decompile
from segmenter.train.tagging.bilstm_crf.model import (
    BEYOND,
    KIND,
    SLOTS,
    UNITS,
    BilstmCrf,
    Direction,
    Standard,
    read,
    word_arrays,
)

__all__ = [
    "BEYOND", "KIND", "SLOTS", "UNITS", "BilstmCrf", "Direction", "Standard", "compile_model",
    "decompile", "read", "word_arrays",
]  # fmt: skip
