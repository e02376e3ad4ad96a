# Training of part-of-speech taggers.

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.train.bindings.tagger cimport CLexicon


cdef extern from "train/interface.hpp" namespace "segmenter":
    cdef cppclass PosTrainerOptions:
        const CLexicon* lex
        vector[uint64_t] masks
        vector[uint8_t] affixes
        uint32_t n_tags
        float margin
    cdef cppclass CPosTrainer "segmenter::PosTrainer":
        size_t add(const vector[Text]& words, const uint8_t* tags) except +
        void close() except +
        size_t epoch(uint64_t seed) except + nogil
        void restrict_to(const uint64_t* keys, size_t n) except +
        void second(float prune) except +
        void averages(vector[uint64_t]& keys, vector[uint8_t]& tags, vector[float]& weights) \
            except + nogil
    unique_ptr[CPosTrainer] pos_trainer(const PosTrainerOptions& options) except +
