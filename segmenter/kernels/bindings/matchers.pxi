# The Aho-Corasick automaton over a lexicon's trie.
#
# Uses lexicon.pxi: Lexicon.

from segmenter.kernels.bindings.lexicon cimport encode, Found
from segmenter.kernels.bindings.matchers cimport CAhoCorasick
from segmenter.kernels.bindings.python cimport raw, TextView


cdef class AhoCorasick:
    """The automaton over a lexicon's double array; see lexicon/aho_corasick.hpp.  Immutable."""

    cdef Lexicon lexicon
    cdef CAhoCorasick automaton

    def __init__(self, Lexicon lexicon not None):
        self.lexicon = lexicon
        with nogil:
            self.automaton.build(lexicon.lex)

    def find(self, str text not None):
        """All words in ``text``: uint32 triples (start, end, number) as bytes, by start, then by
        end."""
        cdef TextView view = TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] out
        with nogil:
            ids.resize(view.n)
            encode(self.lexicon.lex, view, ids.data())
            self.automaton.find(self.lexicon.lex, ids.data(), ids.size(), out)
        return raw(out)
