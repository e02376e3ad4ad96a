# Search tokens.

from libc.stdint cimport uint32_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.dag cimport Edge
from segmenter.kernels.bindings.decision cimport Request
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.python cimport Text


cdef extern from "analysis.hpp" namespace "segmenter":
    void edges_of_word "segmenter::word_edges"(
        Worker& worker, const Plan& plan, const Text& word, const Request& request,
        vector[Edge]& edges) except +


cdef extern from "search/units.hpp" namespace "segmenter":
    cdef cppclass UnitReader[Points]:
        UnitReader(const Points& points, const uint8_t* classes, size_t n, cbool split) except +
        size_t end(size_t k) noexcept
        int kind(size_t start, size_t end) noexcept


cdef extern from "search/terms.hpp" namespace "segmenter":
    const uint32_t kLeftOut
    cdef struct Unit:
        uint32_t start
        uint32_t end
        uint32_t position
        uint32_t other
        cbool begins_word
        cbool ends_word
    cdef struct UnitsOfWord "segmenter::Units::Word":
        uint32_t first
        uint32_t last
        uint32_t start
        uint32_t end
        cbool signs
    cdef cppclass Units:
        vector[Unit] units
        vector[UnitsOfWord] words
        void read(const Text& text, uint32_t rules, const uint32_t* ends, size_t count,
                  const uint32_t* other) except +
        uint32_t folded(size_t k) noexcept


cdef extern from "search/inner.hpp" namespace "segmenter":
    const size_t kRememberedWords
    const size_t kRememberedCharacters
    ctypedef int (*InnerLattice)(void* context, uint32_t start, uint32_t end,
                                 vector[Edge]& edges) except -1
    cdef cppclass SearchRules:
        uint32_t min_length
        uint32_t ngrams
        cbool single
        cbool split
        cbool whole
    cdef struct InnerWord:
        uint32_t start
        uint32_t end
        uint32_t position
        uint32_t length
        uint32_t label
        uint32_t token_id
        cbool added
    cdef cppclass InnerWords:
        uint32_t positions
        vector[InnerWord] words
        void find(const Text& word, const uint8_t* classes, const SearchRules& rules,
                  InnerLattice lattice, void* context) except +*
        void best_path(uint32_t n, const vector[Edge]& edges, uint32_t min_length) except +
        const vector[Edge]& path()
    void unit_edges(const Text& text, const uint8_t* classes, vector[Edge]& edges) except +
