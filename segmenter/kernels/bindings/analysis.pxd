# Results of a text other than its words.

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.atoms cimport AtomFound
from segmenter.kernels.bindings.dag cimport Edge
from segmenter.kernels.bindings.decision cimport Request
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.python cimport Text


cdef extern from "analysis.hpp" namespace "segmenter":
    cdef cppclass BestCut:
        int64_t cost
        vector[uint32_t] starts
        vector[uint32_t] ends
    double cost_unit(const Plan& plan) noexcept
    vector[AtomFound]& found_atoms "segmenter::atoms_of"(
        Worker& worker, const Plan& plan, const Text& text) except + nogil
    void whole_dag(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                   cbool decided, vector[Edge]& edges) except + nogil
    void best_cuts "segmenter::nbest"(
        Worker& worker, const Plan& plan, const Text& text, const Request& request, size_t count,
        vector[BestCut]& cuts) except + nogil
    void scores_of_tags "segmenter::tag_scores"(
        Worker& worker, const Plan& plan, const Text& text, const Request& request,
        vector[int32_t]& scores) except + nogil
