# What C++ declares for tagger.pxi.

from libc.stdint cimport int16_t, int32_t, int8_t, uint16_t, uint32_t, uint8_t
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Sections
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.python cimport Text


cdef extern from "pair_hash.hpp" namespace "segmenter":
    cdef cppclass PairHash:
        void attach(const uint16_t* pilots, size_t n_pilots, uint32_t places) noexcept nogil


cdef extern from "tagging/model.hpp" namespace "segmenter":
    const float kNoOtherWay
    cdef cppclass TaggerModel:
        const CLexicon* lex
        PairHash hot
        PairHash cold
        const int8_t* uni
        const int8_t* pair
        const uint32_t* longer
        const int16_t* match
        const int16_t* state
        const int16_t* type
        const uint8_t* type_of
        const int16_t* wide_pair
        const int16_t* wide_uni
        const uint8_t* groups_of
        uint32_t n_matches
        uint32_t n_pairs
        uint32_t groups
        uint32_t tags
        int32_t trans[36]
        int32_t start[6]
        double scale
        void set_params(const int32_t* params, uint32_t tags) noexcept nogil
    uint32_t longest_known_of(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept


cdef extern from "inspect.hpp" namespace "segmenter":
    void network_emissions(const TaggerModel& m, const Text& text,
                           vector[int16_t]& out) except + nogil


cdef extern from "opening.hpp" namespace "segmenter":
    void open_tagger(const Sections& held, CLexicon& lex, uint32_t most_cost,
                     TaggerModel& m) except +
