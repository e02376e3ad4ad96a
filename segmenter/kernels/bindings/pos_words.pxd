# Words in the form that part-of-speech taggers take.

from libc.stdint cimport uint16_t, uint32_t, uint8_t
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
        uint8_t tag(size_t i) noexcept nogil
    cdef cppclass CPosModel "segmenter::PosModel":
        uint32_t n_classes
