"""Tokens for a search index: words, and the words inside words, from one lattice.

A text that is indexed as 中华人民共和国 is not found by 共和国; one that is indexed by small tokens
is found too often.  So a word of the text comes with the words inside it, the best path of its own
lattice without the word itself, and so on inside those::

    中华人民共和国 → 中华 人民 共和国 → 共和

What holds for every text and every decoder, and is tested as stated:

* Every word that ``cut`` gives is a token (unless options drop it).
* Tokens nest: of any two, one lies in the other or they have no character in common.  (N-grams,
  which an option adds to words outside the lexicon, overlap by nature.)
* What is inside a word depends on the word alone, not on the text around it.  A text that has the
  words of a query as its own words therefore has all tokens of the query, in the same places
  relative to each other.  Whether a query is cut as the text was is up to the decoder: decoders
  that look across words (bigram, taggers) may cut a piece of a text otherwise than the whole.
* Index and query (the modes ``"index"`` and ``"query"``) have the characters of every word too, a
  run of letters or digits being one.  No decoder cuts inside these, so a text that contains a query
  as whole words has, whatever the query was cut into, at least one path through the query's graph
  as a path of its own: :func:`find` finds it.  No stricter promise can be kept by tokens that
  nest: a tagger may cut any two characters apart in one sentence and not in another.
* Positions are those of a token graph (Lucene's PositionIncrement and PositionLength attributes):
  a token spans ``position_length`` positions from ``position``, and a phrase matches where each
  token begins at the position at which the one before it ends.

The two baselines of every search engine, single characters and character n-grams, are here too.

>>> ngrams("我们相信AI").words
['我们', '们相', '相信', 'AI']
"""

from __future__ import annotations

from segmenter.search.baselines import characters, ngrams, unit_edges, units
from segmenter.search.inside import REMEMBERED, Grains, best_path, user_edges
from segmenter.search.nested import find, index_tokens, leaves, outermost
from segmenter.search.options import DROPPABLE, SearchOptions
from segmenter.search.table import Described

__all__ = [
    "DROPPABLE",
    "REMEMBERED",
    "Described",
    "Grains",
    "SearchOptions",
    "best_path",
    "characters",
    "find",
    "index_tokens",
    "leaves",
    "ngrams",
    "outermost",
    "unit_edges",
    "units",
    "user_edges",
]
