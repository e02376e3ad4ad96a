# The classes of _lexicon.pyx that other modules use.

from libc.stdint cimport uint16_t, uint32_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from segmenter.kernels.bindings.decision cimport Sections, WordCache
from segmenter.kernels.bindings.lexicon cimport CLexicon, CVariants, MarkedMaps
from segmenter.kernels.bindings.user cimport CUserDictionary


cdef class Lexicon:
    cdef CLexicon lex
    cdef unique_ptr[CVariants] variants
    cdef WordCache cache
    cdef Sections sections
    cdef object _costs, _letters  # None: not read yet
    cdef object _longest
    cdef uint32_t most_cost  # of a word of two characters and more
    cdef MarkedMaps marks

    cdef uint32_t slot(self, str text) except? 0
    cdef object canonical(self, str text, const vector[uint16_t]& ids)
    cdef int _encode(self, str text, vector[uint16_t]& ids) except -1
    cdef object _letter_column(self)
    cdef list _words(self, bint as_ids)


cdef class UserWords:
    cdef CUserDictionary words
    cdef list _buffers
