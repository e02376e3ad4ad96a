# Bytes, columns and batches.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Token, WordCache
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.python cimport Text


cdef extern from "batch.hpp" namespace "segmenter":
    cdef cppclass BytesCall:
        int64_t bad
        BytesCall() except +
        void run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n,
                 int threads, vector[Worker*]& workers) except + nogil
        size_t size()
        void lend(char* memory, size_t n)
        cbool in_place()
        void copy(char* to) nogil
    cdef cppclass BatchText:
        BatchText()
        Text text
        size_t first
        size_t count
        size_t dropped
    cdef cppclass BatchPart:
        size_t first
        size_t last
        vector[Token] tokens
    int append_lists(PyObject* lists, const BatchText* texts, size_t n, const Token* tokens,
                     WordCache& cache, size_t& since_turn) except -1
    void batch_to "segmenter::cut_batch"(
        const Plan& plan, vector[BatchText]& texts, int threads, vector[Worker*]& workers,
        void* context,
        int (*finish)(void* context, const BatchPart& part) noexcept nogil) except + nogil
    cdef cppclass ColumnText:
        const uint8_t* data
        size_t n
        const void* offsets
        cbool wide
        size_t rows
        const uint8_t* validity
        size_t validity_from
    cdef enum class ColumnFault:
        kOffsets
        kUtf8
        kTooLong
    cdef cppclass ColumnCall:
        ColumnCall() except +
        ColumnFault fault
        size_t fault_row
        int64_t fault_byte
        cbool copied
        size_t words
        size_t n_bytes
        void run(const Plan& plan, const ColumnText& column, int threads,
                 vector[Worker*]& workers, void* lists) except + nogil
        void take(const ColumnText& column, void* lists, void* ends,
                  char* bytes) except + nogil
