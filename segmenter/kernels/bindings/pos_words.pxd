# Words in the form that part-of-speech taggers take.

from libc.stdint cimport int32_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.python cimport Text


cdef extern from "pos/pos.hpp" namespace "segmenter":
    cdef uint32_t kNoTag
    cdef enum:
        kShapes
    cdef cppclass PosWord:
        PosWord() noexcept
        uint32_t id
        uint16_t cls
    PosWord pos_word(const CLexicon& lex, const Text& text,
                     uint32_t n_classes) noexcept nogil
    cdef cppclass PosScratch:
        void begin(size_t n, const CPosModel& model, const PosWord& boundary) except +
        void push(const PosWord& word, uint32_t given) except +
        void end() except +
        size_t places() noexcept nogil
        uint8_t tag(size_t i) noexcept nogil
    cdef cppclass CPosModel "segmenter::PosModel":
        const CLexicon* lex
        uint32_t n_tags
        uint32_t n_classes
        int32_t margin
        const uint64_t* masks
        const uint8_t* affixes
        const uint16_t* table
        const int8_t* rows
