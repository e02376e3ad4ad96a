# What a call asks for and decides; lists of words; sections of files.

cdef extern from "token.hpp" namespace "segmenter":
    cdef struct Token:
        uint32_t end
        uint32_t what
    const uint32_t kDropped
    const uint32_t kUserWord
    const uint32_t kWord
    const uint32_t kEdgeKinds
    uint32_t token_kind(uint32_t what) noexcept nogil
    uint32_t kind_bits(uint32_t kind) noexcept nogil
    uint32_t token_slot(uint32_t what) noexcept nogil


cdef extern from "request.hpp" namespace "segmenter":
    cdef enum class Want:
        kBare
        kKinds
    cdef struct Match:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t slot
    cdef cppclass Request:
        Want want
        cbool margins
        const uint8_t* marks
        const vector[Match]* found


cdef extern from "result.hpp" namespace "segmenter":
    cdef struct Ends:
        const uint32_t* first
        size_t n
    cdef cppclass Decision:
        vector[Token] tokens
        Ends column
        size_t dropped
        vector[float] margins


cdef extern from "bindings/strings.hpp" namespace "segmenter":
    string string_of(bytes data) except +
    string encoded(str text) except +


cdef str decoded(const string& utf8, const char* errors=b"surrogatepass"):
    """A std::string as str; Cython's own conversion copies it first, which may throw."""
    return PyUnicode_DecodeUTF8(utf8.data(), <Py_ssize_t>utf8.size(), errors)


cdef enum:
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


def turns():
    """How often this thread's calls have given other threads a turn while they made objects; for
    tests."""
    return turns_given()


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


#: Kinds of tokens by number: those of edges, and two that only characters tell.
TOKEN_KINDS = tuple([kKindNames[i].decode() for i in range(kTokenKinds)])
KINDS = TOKEN_KINDS[:kEdgeNames]
#: Kinds from this one on are words of the user, one per layer of the dictionary.
USER_KIND = kUserWord


def kind_of(str text not None, bytes classes not None, int edge):
    """The number of a token's kind; ``classes`` has one byte per character (kinds.hpp)."""
    cdef bytes points = text.encode("utf-32-le", "surrogatepass")
    if len(classes) != len(text):
        raise ValueError("kind_of: expected one class per character")
    return c_kind_of(u32string_view(<const char32_t*><const char*>points, <size_t>len(text)),
                     <const uint8_t*><const char*>classes, edge)
