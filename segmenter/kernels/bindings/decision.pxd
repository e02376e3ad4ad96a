# Requests and results of calls; lists of words; strings and sections of files.

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport PyUnicode_DecodeUTF8, Text


cdef extern from "token.hpp" namespace "segmenter":
    cdef struct Token:
        uint32_t end
        uint32_t label
    const uint32_t kDropped
    const uint32_t kUserWord
    const int kEdgeKinds
    uint32_t token_kind(uint32_t label) noexcept nogil
    uint32_t kind_bits(uint32_t kind) noexcept nogil
    uint32_t token_slot(uint32_t label) noexcept nogil


cdef extern from "request.hpp" namespace "segmenter":
    cdef enum class Want:
        kEndsOnly
        kKinds
    cdef struct Match:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t slot
    cdef cppclass WordMatcher:
        pass
    cdef cppclass Request:
        Want want
        cbool margins
        const void* const* shared


cdef extern from "result.hpp" namespace "segmenter":
    cdef struct Ends:
        const uint32_t* first
    cdef cppclass Decision:
        vector[Token] tokens
        Ends column
        size_t dropped
        vector[float] margins


cdef extern from "bindings/strings.hpp" namespace "segmenter":
    string string_of(bytes data) except +
    string encoded(str text) except +


cdef extern from "bindings/objects.hpp" namespace "segmenter":
    cdef cppclass WordCache:
        void reserve(size_t n) except +
        size_t size()
        const void* const* table()
    object words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                      WordCache& cache)
    object ends_column "segmenter::ends_array"(const Ends& column)
    object ends_array(const Token* tokens, size_t n, size_t dropped)


cdef extern from "bindings/sections.hpp" namespace "segmenter":
    cdef cppclass Sections "segmenter::SectionBuffers":
        int open(object given, const char* misfit) except -1
        void refuse() except +


cdef extern from "files/json.hpp" namespace "segmenter":
    cdef cppclass Json:
        @staticmethod
        Json parse(const string& text) except +


cdef extern from "interrupt.hpp" namespace "segmenter":
    cdef cppclass Interrupt:
        @staticmethod
        uint64_t& of_last_call() nogil


cdef extern from *:
    ctypedef int char32_t


cdef extern from "<string_view>" namespace "std":
    cdef cppclass u32string_view:
        u32string_view(const char32_t* text, size_t n)


cdef extern from "kinds.hpp" namespace "segmenter":
    const char* kKindNames[]
    const int kEdgeNames
    const int kTokenKinds
    int c_kind_of "segmenter::kind_of"(u32string_view text, const uint8_t* classes,
                                       int edge) noexcept nogil


cdef inline str decoded(const string& utf8, const char* errors=b"surrogatepass"):
    """A std::string as str; Cython's own conversion copies it first, which may throw."""
    return PyUnicode_DecodeUTF8(utf8.data(), <Py_ssize_t>utf8.size(), errors)


cdef inline list names_of(const vector[string]& names):
    cdef size_t k
    return [decoded(names[k]) for k in range(names.size())]
