# The classes of _engine.pyx.

from segmenter.kernels._lexicon cimport Lexicon
from segmenter.kernels._opening cimport Opened
from segmenter.kernels.bindings.decision cimport Decision, Request, WordCache
from segmenter.kernels.bindings.engine cimport CallbackMatcher
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.pos cimport TagCache
from segmenter.kernels.bindings.python cimport Pool


cdef class TaggedWords:
    cdef TagCache cache


cdef class WorkerPool:
    cdef Pool[Worker] workers


cdef class Engine:
    cdef readonly Opened opened  # owns what the plan points to
    cdef Plan plan
    cdef Lexicon lexicon
    cdef object matcher  # None: the lexicon's trie
    cdef CallbackMatcher callback
    cdef WordCache number_cache  # of a matcher, whose tokens have numbers instead of slots
    cdef WordCache* cache
    cdef TaggedWords tagged
    cdef size_t unlock_length  # texts of so many characters are decoded without the lock
    cdef WorkerPool pool
    cdef Pool[Worker]* workers

    cdef int threads(self, int requested)
    cdef const Decision* run(self, Worker* worker, str text, Request& request) except NULL
    cdef object words_of(self, text)
    cdef object ends_of(self, text)
