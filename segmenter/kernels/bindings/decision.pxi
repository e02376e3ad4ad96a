# What a call asks for and decides; lists of words; sections of files.

cdef extern from "decision.hpp" namespace "segmenter":
    cdef struct Token:
        uint32_t end
        uint32_t what
    cdef enum class Want:
        kBare
        kKinds
    cdef struct Match:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t slot
    cdef struct Ends:
        const uint32_t* first
        size_t n
    cdef cppclass Request:
        Want want
        cbool margins
        const uint8_t* marks
        const vector[Match]* found
    cdef cppclass Decision:
        vector[Token] tokens
        Ends column
        size_t dropped
        vector[float] margins
    const uint32_t kDropped
    const uint32_t kUserWord
    const uint32_t kWord
    const uint32_t kEdgeKinds
    uint32_t token_kind(uint32_t what) noexcept nogil
    uint32_t token_slot(uint32_t what) noexcept nogil


cdef enum:
    SIGNALS_EVERY = 65536  # iterations between checks for Ctrl-C in loops that create objects
    UNITS_PER_NAT = 2048  # unit of a lexicon's costs


cdef extern from "bindings/objects.hpp" namespace "segmenter":
    cdef cppclass WordCache:
        void reserve(size_t n) except +
        size_t size()
    object words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                      WordCache& cache)
    object ends_column "segmenter::ends_array"(const Ends& column)
    object ends_array(const Token* tokens, size_t n, size_t dropped)


cdef extern from "bindings/sections.hpp" namespace "segmenter":
    cdef cppclass Sections "segmenter::SectionBuffers":
        int open(object given, const char* misfit) except -1
        cbool has(const string& name)
        Cells[T] of[T](const string& name) except +
        const T* exactly[T](const string& name, Py_ssize_t n) except +
        void refuse() except +


cdef extern from "interrupt.hpp" namespace "segmenter":
    cdef cppclass Interrupt:
        @staticmethod
        uint64_t& of_last_call() nogil


def looked():
    """How many characters were covered by checks for signals in this thread's last native call,
    counting a text once per pass with such checks; for tests."""
    return Interrupt.of_last_call()
