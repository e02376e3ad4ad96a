# Linear taggers.
#
# Uses lexicon.pxi: Lexicon.

from segmenter.kernels.bindings.decision cimport Sections, WordCache
from segmenter.kernels.bindings.lexicon cimport encode
from segmenter.kernels.bindings.python cimport TextView
from segmenter.kernels.bindings.tagger cimport longest_known_of, open_tagger, TaggerModel


cdef class TaggerWeights:
    """A compiled tagger; keeps its lexicon and buffers alive."""

    cdef TaggerModel model
    cdef readonly Lexicon lexicon
    cdef WordCache cache
    cdef Sections held

    def __init__(self, Lexicon lexicon not None, sections):
        self.lexicon = lexicon
        self.held.open(sections, b"the sections of the tagger do not fit together")
        open_tagger(self.held, lexicon.lex, lexicon.most_cost, self.model)
        self.cache.reserve(<size_t>lexicon.lex.trie.n_units + self.model.n_pairs)

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that the tagger sees.

        Characters unknown to it do not change.
        """
        cdef vector[uint16_t] ids
        ids.resize(<size_t>len(text))
        encode(self.lexicon.lex, TextView(text), ids.data(), longest_known_of,
                  <void*>&self.model)
        return self.lexicon.spelt(text, ids)
