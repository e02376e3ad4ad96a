# The Aho-Corasick automaton.

from libc.stdint cimport uint16_t
from libcpp.vector cimport vector
from segmenter.kernels.bindings.lexicon cimport CLexicon, Found


cdef extern from "lexicon/aho_corasick.hpp" namespace "segmenter":
    cdef cppclass CAhoCorasick "segmenter::AhoCorasick":
        void build(const CLexicon& lex) except + nogil
        void find(const CLexicon& lex, const uint16_t* ids, size_t n,
                  vector[Found]& words) except + nogil
