# Linear taggers.

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Sections
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.python cimport Text


cdef extern from "tagging/model.hpp" namespace "segmenter":
    const float kNoOtherWay
    cdef cppclass TaggerModel:
        uint32_t n_pairs
        int32_t trans[16]
        int32_t start[4]
        double scale
    uint32_t longest_known_of(void* model, const uint16_t* ids, uint32_t n, uint32_t k) noexcept


cdef extern from "analysis.hpp" namespace "segmenter":
    void network_emissions(const TaggerModel& m, const Text& text,
                           vector[int16_t]& scores) except + nogil


cdef extern from "opening.hpp" namespace "segmenter":
    void open_tagger(const Sections& sections, CLexicon& lex, uint32_t most_cost,
                     TaggerModel& m) except +
