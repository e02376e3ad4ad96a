# Calls of an engine.

from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Decision, Match, Request, WordMatcher
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.pos cimport PosKnown
from segmenter.kernels.bindings.pos_words cimport CPosModel, PosScratch
from segmenter.kernels.bindings.python cimport Text


cdef extern from "bindings/matcher.hpp" namespace "segmenter":
    cdef cppclass CallbackMatcher(WordMatcher):
        void set(void* context,
                 int (*find)(void* context, const Text& text, vector[Match]& words) except -1)


cdef extern from "bindings/unlocked.hpp" namespace "segmenter":
    const Decision* run_unlocked(Worker& worker, const Plan& plan, const Text& text,
                                 const Request& request) except +
    void tags_unlocked(const CPosModel& m, const PosKnown& known, PosScratch& s) except +
    size_t c_worth_unlocking "segmenter::worth_unlocking"(const Plan& plan)
