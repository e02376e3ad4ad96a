# The classes of _models.pyx that other modules use.

from libcpp.memory cimport unique_ptr

from segmenter.kernels._lexicon cimport Lexicon
from segmenter.kernels.bindings.dag cimport CNgramModel, GainBounds, SeenKeys
from segmenter.kernels.bindings.decision cimport Sections, WordCache
from segmenter.kernels.bindings.pos cimport PosKnown, TagCall
from segmenter.kernels.bindings.pos_words cimport CPosModel, PosScratch
from segmenter.kernels.bindings.python cimport Pool
from segmenter.kernels.bindings.tagger cimport TaggerModel


cdef class NgramModel:
    cdef CNgramModel model
    cdef unique_ptr[SeenKeys] seen_keys
    cdef unique_ptr[GainBounds] bounds  # empty until a bigram decoder is opened
    cdef Lexicon lexicon
    cdef Sections sections

    cdef int find_bounds(self) except -1


cdef class TaggerWeights:
    cdef TaggerModel model
    cdef readonly Lexicon lexicon
    cdef WordCache cache
    cdef Sections sections


cdef class PosTagger:
    cdef CPosModel model
    cdef PosKnown known
    cdef readonly Lexicon lexicon
    cdef readonly list names
    cdef Sections sections
    cdef Pool[TagCall] calls

    cdef int _run(self, list words, given, PosScratch& scratch) except -1
