# Bytes, columns and batches: many texts by several threads.

cdef extern from "calls.hpp" namespace "segmenter":
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
    void batch_to "segmenter::cut_batch"(
        const Plan& plan, vector[BatchText]& texts, int threads, vector[Worker*]& workers,
        void* to, int (*finish)(void* to, const BatchPart& part) noexcept nogil) except + nogil
    cdef cppclass ColumnText:
        const uint8_t* data
        size_t n
        const void* offsets
        cbool wide
        size_t rows
        const uint8_t* validity
        size_t validity_from
    cdef enum class ColumnFault:
        kNone
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


cdef class BatchLists:
    """The lists of a batch, filled part by part."""

    cdef list held, out
    cdef WordCache* cache
    cdef vector[BatchText] texts
    cdef object error

    cdef int take(self, const BatchPart& part) except -1:
        cdef size_t i
        for i in range(part.first, part.last):
            if i % 256 == 255:
                PyErr_CheckSignals_raise()
            words = words_list(self.texts[i].text, part.tokens.data() + self.texts[i].first,
                               self.texts[i].count,
                               self.texts[i].dropped, self.cache[0])
            # The lists contain only strings, so they cannot be part of a cycle.  Untracking them
            # until they are returned saves the garbage collector from traversing all of them
            # repeatedly, which would take longer than cutting.
            PyObject_GC_UnTrack(<PyObject*>words)
            self.out.append(words)
        return 0


cdef int take_part(void* to, const BatchPart& part) noexcept with gil:
    cdef BatchLists lists = <BatchLists>to
    try:
        lists.take(part)
    except BaseException as e:
        lists.error = e
        return -1
    return 0
