"""Tokens for a search index: words, and the words inside words, from one lattice.

A text indexed as 中华人民共和国 is not found by 共和国; a text indexed by small tokens is found too
often.  So each word of the text is followed by the words inside it: the words on the best path of
its own lattice without the word itself, then the words inside each of them::

    中华人民共和国 → 中华 人民 共和国 → 共和

These guarantees hold for every text and decoder, and tests check them:

* Every word that ``cut`` returns is a token (unless options drop it).
* Tokens nest: of any two, one contains the other or they do not overlap.  (Except n-grams, which an
  option adds to words outside the lexicon.)
* The words inside a word depend on the word alone, not on the text around it.  So if a text
  contains the words of a query as words, it contains all tokens of the query, at the same
  distances.  Decoders that look across words (bigram, taggers) may cut a query differently from the
  same string in a text.
* The modes ``"index"`` and ``"query"`` also contain the units of every word: its characters, a run
  of letters or digits counting as one.  No decoder cuts inside these.  (Where options can, as
  subwords do, every character is a unit: :func:`cuts_runs`.)  So if a text contains a query as
  whole words, at least one path through the query's graph is also in the text's graph, however the
  query was cut: :func:`find` finds it.  Tokens that nest cannot promise more, because a tagger may
  separate two characters in one sentence and join them in another.
* Positions form a token graph (Lucene's PositionIncrement and PositionLength attributes): a token
  spans ``position_length`` positions from ``position``, and a phrase matches if each token begins
  at the position where the previous one ends.

The module also has the two baselines of every search engine, characters and character n-grams.

>>> ngrams("我们相信AI").words
['我们', '们相', '相信', 'AI']
"""

from __future__ import annotations

from segmenter.search.baselines import characters, ngrams
from segmenter.search.builder import Described
from segmenter.search.decompounder import REMEMBERED, Decompounder
from segmenter.search.nested import find, index_tokens, leaves, outermost
from segmenter.search.options import DROPPABLE, SearchOptions, with_characters
from segmenter.search.units import cuts_runs, units

__all__ = [
    "DROPPABLE",
    "REMEMBERED",
    "Decompounder",
    "Described",
    "SearchOptions",
    "characters",
    "cuts_runs",
    "find",
    "index_tokens",
    "leaves",
    "ngrams",
    "outermost",
    "units",
    "with_characters",
]
