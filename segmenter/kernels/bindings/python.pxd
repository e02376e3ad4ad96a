# Access to str, numbers and memory, and the checks of a call, the same in every extension.

from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "text.hpp" namespace "segmenter":
    cdef cppclass Text:
        const void* data
        int width
        size_t n
        uint32_t operator[](size_t k) noexcept nogil
        Text part(size_t start, size_t end) noexcept nogil
    cdef cppclass Cells[T]:
        const T* data
        Py_ssize_t n
        const T& operator[](Py_ssize_t k)


cdef extern from "offsets.hpp" namespace "segmenter":
    const size_t kMostCharacters


cdef extern from "bindings/python.hpp" namespace "segmenter":
    cdef cppclass TextView(Text):
        TextView()
        TextView(object text)
    bytes column_bytes[T](const vector[T]& column)
    enum:
        TURN "segmenter::kTurn"
    int give_turn() except -1
    uint64_t& turns_given()
    cdef cppclass Buffer[T](Cells[T]):
        int take(object numbers, const char* name) except -1
        int take(object numbers, const char* name, cbool writable) except -1
        T* writable() noexcept nogil
    cdef cppclass Pool[T]:
        pass
    cdef cppclass Lease[T]:
        T* take(Pool[T]& pool) except +
    cdef cppclass Leases[T]:
        vector[T*] all
        void take(Pool[T]& pool, int threads) except +


cdef extern from "interrupt.hpp" namespace "segmenter":
    cdef cppclass LongCall:
        void begin(cbool (*ask)() noexcept nogil) except +


cdef extern from "Python.h":
    int PyErr_CheckSignals()  # -1: a signal's handler raised an exception, which is set
    void PyObject_GC_Track(PyObject* o)
    void PyObject_GC_UnTrack(PyObject* o)
    bytes PyBytes_FromStringAndSize(const char* v, Py_ssize_t n)
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)
    char* PyBytes_AS_STRING(object o)
    int _PyBytes_Resize(PyObject** o, Py_ssize_t n) except -1
    bint PyUnicode_CheckExact(object o)
    object PyUnicode_FromObject(object o)
    str PyUnicode_DecodeUTF8(const char* bytes, Py_ssize_t n, const char* errors)


cdef enum:
    SHORT = 16384  # characters; a longer text is decoded with checks for signals


cdef inline cbool signal_raised() noexcept with gil:
    """Whether a signal handler has raised an exception, so that a long call should stop."""
    return PyErr_CheckSignals() < 0


cdef inline object exact_str(object text):
    """``text``; a copy if its class is a subclass of str."""
    if PyUnicode_CheckExact(text):
        return text
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    return PyUnicode_FromObject(text)
