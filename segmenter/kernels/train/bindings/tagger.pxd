# Training of linear taggers.

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector


cdef extern from "lexicon/double_array.hpp" namespace "segmenter":
    cdef cppclass Trie:
        const uint64_t* units
        uint32_t n_units
        uint32_t n_ids


cdef extern from "lexicon/lexicon.hpp" namespace "segmenter":
    cdef cppclass CLexicon "segmenter::Lexicon":
        pass
    const char* LEXICON_CAPSULE "segmenter::Lexicon::kCapsule"


cdef extern from "train/interface.hpp" namespace "segmenter":
    cdef cppclass CorpusColumns:
        const uint16_t* ids
        const int64_t* offsets
        size_t n_sentences
        const uint8_t* ends
        const uint8_t* folds
    cdef cppclass TrainerOptions:
        uint32_t uni_mask
        uint32_t bi_mask
        uint32_t groups
        uint32_t min_match
        uint32_t max_match
        cbool types
    cdef cppclass LexiconFeatures:
        Trie trie
        const int32_t* word_of_slot
        const int32_t* bigram_of_slot
        const uint16_t* uni_of_id
        const uint16_t* classes
        const uint8_t* groups_of_class
        const uint8_t* type_of_id
        uint32_t n_ids
        uint32_t n_bigrams
        uint32_t n_classes
        uint32_t n_folds
    cdef cppclass CTaggerTrainer "segmenter::TaggerTrainer":
        void add(const CorpusColumns& columns) except + nogil
        size_t corpora()
        size_t characters(size_t corpus)
        size_t rows()
        float* weights()
        vector[size_t] layout() except +
        uint64_t perceptron_epoch(size_t corpus, uint64_t seed, float margin) except + nogil
        void swap_average() except + nogil
        void forget_average()
        double crf_epoch(size_t corpus, uint64_t seed, double eta0, double eta1,
                         double decay, float margin) except + nogil
        void decode(size_t corpus, uint8_t* tags, uint64_t* counts) except + nogil
        void features(size_t corpus, vector[int64_t]& starts, vector[uint32_t]& rows) \
            except + nogil
    unique_ptr[CTaggerTrainer] tagger_trainer(
        const TrainerOptions& options, const LexiconFeatures& lex) except +
    vector[int32_t] c_count_occurrences "segmenter::count_occurrences"(
        const Trie& trie, const int32_t* word_of_slot, const CorpusColumns& columns,
        uint32_t n_folds, uint32_t n_words) except + nogil
    void c_build_pair_hash "segmenter::build_pair_hash"(
        const uint32_t* keys, size_t n_keys, size_t n_pilots, uint32_t n_places,
        vector[uint16_t]& pilots, vector[uint32_t]& places) except + nogil
