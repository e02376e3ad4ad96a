# Python's side of a call: texts, signals, lists of words.

cdef extern from "text.hpp" namespace "segmenter":
    cdef cppclass Text:
        const void* data
        int width
        size_t n
        uint32_t operator[](size_t k) noexcept nogil
    cdef cppclass Cells[T]:
        const T* data
        Py_ssize_t n
        const T& operator[](Py_ssize_t k)


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
    MOST_CHARACTERS = 0x7FFFFFFF // 8  # per call: up to eight counts per character fit 31 bits
    SHORT = 16384  # a shorter text keeps the GIL: releasing it would cost more than the text
    SIGNALS_EVERY = 65536  # iterations between checks for Ctrl-C in loops that create objects
    UNITS_PER_NAT = 2048  # unit of a lexicon's costs


cdef extern from "face/pyobjects.hpp" namespace "segmenter":
    cdef cppclass WordCache:
        void reserve(size_t n) except +
        size_t size()
    cdef cppclass TextView(Text):
        TextView()
        TextView(object text)
    object words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                      WordCache& cache)
    object raw[T](const vector[T]& column)
    cdef cppclass Sections:
        void open(object given, const char* misfit)
        int has(object name) except -1
        Cells[T] of[T](object name) except +*
        const T* exactly[T](object name, Py_ssize_t n) except +*
        void refuse() except +*
    object ends_column "segmenter::ends_array"(const Ends& column)
    object ends_array(const Token* tokens, size_t n, size_t dropped)


cdef extern from "face/pool.hpp" namespace "segmenter":
    cdef cppclass Pool[T]:
        pass
    cdef cppclass Lease[T]:
        T* take(Pool[T]& pool) except +
    cdef cppclass Leases[T]:
        vector[T*] all
        void take(Pool[T]& pool, int threads) except +


cdef extern from "interrupt.hpp" namespace "segmenter":
    cdef cppclass Interrupt:
        @staticmethod
        uint64_t& of_last_call() nogil
    cdef cppclass LongCall:
        void begin(cbool (*ask)() noexcept nogil) except +


cdef extern from "Python.h":
    int PyErr_CheckSignals()  # -1: a signal's handler raised an exception, which is set
    int PyErr_CheckSignals_raise "PyErr_CheckSignals"() except -1
    void PyObject_GC_Track(PyObject* o)
    void PyObject_GC_UnTrack(PyObject* o)
    bytes PyBytes_FromStringAndSize(const char* v, Py_ssize_t n)
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)
    char* PyBytes_AS_STRING(object o)
    int _PyBytes_Resize(PyObject** o, Py_ssize_t n) except -1
    bint PyUnicode_CheckExact(object o)
    object PyUnicode_FromObject(object o)


cdef cbool asked() noexcept with gil:
    """Whether a long call should stop because a signal handler has raised an exception."""
    return PyErr_CheckSignals() < 0


def looked():
    """How many characters were covered by checks for signals in this thread's last native call,
    counting a text once per pass with such checks; for tests."""
    return Interrupt.of_last_call()


cdef inline object plain(object text):
    """``text`` as an exact str: subclasses are copied."""
    if PyUnicode_CheckExact(text):
        return text
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    return PyUnicode_FromObject(text)
