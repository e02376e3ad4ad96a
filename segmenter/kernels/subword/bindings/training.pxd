# Training of subword models.

from libc.stdint cimport int64_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.subword.bindings.cutting cimport PieceList, PreTokenScanner


cdef extern from "subword/interface.hpp" namespace "segmenter":
    cdef cppclass Counted "segmenter::SpanCounter::Counted":
        const uint32_t* text
        size_t n
        int64_t count
    cdef cppclass CSpanCounter "segmenter::SpanCounter":
        void add(const PreTokenScanner& scanner, const vector[Text]& texts, int threads) \
            except + nogil
        size_t size()
        Counted at(size_t i)
    unique_ptr[CSpanCounter] span_counter() except +
    cdef struct BestPair "segmenter::PairLearner::Best":
        uint32_t left
        uint32_t right
        int64_t count
        double score
    cdef cppclass CPairLearner "segmenter::PairLearner":
        vector[uint32_t] symbols
        void add(const Text& word, int64_t count) except +
        void start() except + nogil
        cbool best(BestPair& out) except + nogil
        void merge(uint32_t made) except + nogil
    unique_ptr[CPairLearner] pair_learner(cbool inner, cbool scored, int64_t least) except +
    cdef cppclass CUnigramCorpus "segmenter::UnigramCorpus":
        void add(const Text& word, double weight) except +
        void set_pieces(const PieceList& pieces, const double* scores) except +
        double expected(double* counts) except + nogil
        void best(double* counts) except + nogil
        const vector[uint32_t]& alternative(uint32_t i) except +
        size_t n_pieces()
    unique_ptr[CUnigramCorpus] unigram_corpus() except +
