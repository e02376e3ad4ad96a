# Python's side of a call, the same in every extension: texts, signals, working memory.

from segmenter.kernels.bindings.python cimport (
    PyErr_CheckSignals, PyUnicode_CheckExact, PyUnicode_FromObject)


cdef enum:
    SHORT = 16384  # a longer text looks for signals while it is decoded


cdef cbool asked() noexcept with gil:
    """Whether a long call should stop because a signal handler has raised an exception."""
    return PyErr_CheckSignals() < 0


cdef inline object plain(object text):
    """``text`` as an exact str: subclasses are copied."""
    if PyUnicode_CheckExact(text):
        return text
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    return PyUnicode_FromObject(text)


cdef int raised(int code) except -1:
    """Raises what is set after -1 of a function that C++ exceptions leave too."""
    return code
