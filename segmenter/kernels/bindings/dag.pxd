# N-gram models, decoders, and paths through a word DAG.

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Sections
from segmenter.kernels.bindings.lexicon cimport CLexicon


cdef extern from "lattice/ngram.hpp" namespace "segmenter":
    cdef cppclass NgramTable:
        @staticmethod
        void fill(const uint64_t* keys, const uint16_t* costs, const uint8_t* weights, size_t n,
                  uint32_t capacity, uint64_t* records, uint32_t* places) noexcept nogil
    cdef cppclass SeenKeys:
        pass
    cdef cppclass CNgramModel "segmenter::NgramModel":
        CNgramModel() noexcept
        uint32_t n_words


cdef extern from "lattice/bounds.hpp" namespace "segmenter":
    cdef cppclass GainBounds:
        GainBounds(const CLexicon& lex, const CNgramModel& model) except +
        void attach(CNgramModel& model) noexcept nogil
        uint32_t margin(uint32_t word) noexcept nogil
        uint32_t before(uint32_t x, uint32_t a) noexcept nogil
        uint32_t after(uint32_t b, uint32_t y) noexcept nogil


cdef extern from "lattice/decoder.hpp" namespace "segmenter":
    cdef enum class CDecoder "segmenter::Decoder":
        pass
    const char* decoder_name(int number) noexcept nogil
    cbool needs_ngrams(CDecoder decoder) noexcept nogil
    cdef struct Edge:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t token_id
        uint32_t label
    cdef cppclass DagPath:
        int64_t cost
        vector[uint32_t] edges
    vector[DagPath] paths_of_dag "segmenter::dag_paths"(
        uint32_t n, const vector[Edge]& edges, CDecoder decoder, uint32_t k) except +


cdef extern from "opening.hpp" namespace "segmenter":
    void open_ngrams(const Sections& sections, uint32_t n_words, CNgramModel& model,
                     unique_ptr[SeenKeys]& seen) except +
