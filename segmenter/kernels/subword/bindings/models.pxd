# Subword models.

from libc.stdint cimport int64_t, uint32_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.bindings.unknown cimport UnknownCutter
from segmenter.kernels.subword.bindings.cutting cimport PieceList, PreTokenScanner, SubwordCaller


cdef extern from "subword/interface.hpp" namespace "segmenter":
    cdef uint8_t kPieceHidden
    cdef uint8_t kPieceWhole
    cdef cppclass UnknownRule:
        uint32_t unk
        cbool fuse
        cbool byte_fallback
        cbool together
        uint32_t byte_ids[256]
    cdef cppclass BpeParts:
        PieceList pieces
        vector[uint8_t] marks
        const uint32_t* merges
        size_t n_merges
        cbool byte_level
        uint32_t n_ids
        UnknownRule unknown
        vector[uint32_t] prefix
        vector[uint32_t] suffix
    cdef cppclass UnigramParts:
        PieceList pieces
        vector[double] scores
        UnknownRule unknown
        double unk_score
        cbool single
    cdef cppclass WordPieceParts:
        PieceList first
        PieceList inner
        uint32_t unk
        size_t max_chars
    cdef cppclass WordLevelParts:
        PieceList words
        uint32_t unk
    cdef cppclass SubwordModel:
        pass
    shared_ptr[SubwordModel] bpe_model(const BpeParts& parts) except +
    shared_ptr[SubwordModel] unigram_model(const UnigramParts& parts) except +
    shared_ptr[SubwordModel] wordpiece_model(const WordPieceParts& parts) except +
    shared_ptr[SubwordModel] wordlevel_model(const WordLevelParts& parts) except +
    int64_t c_encode "segmenter::encode"(
        const SubwordModel& model, const PreTokenScanner* scanner, const Text& text,
        SubwordCaller& call) except + nogil
    unique_ptr[UnknownCutter] cutter_of(const SubwordModel& model) except +


cdef extern from "subword/bindings/int_list.hpp" namespace "segmenter":
    cdef cppclass IntCache:
        void reserve(size_t n) except +
    object int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache)
