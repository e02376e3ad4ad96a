# The bytes of pieces, joined.

from segmenter.kernels.bindings.python cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from segmenter.kernels.subword.bindings.pieces cimport CPieceBytes, PyLong_AsLong, PyLong_CheckExact


cdef class PieceBytes:
    """The bytes of each piece, asked for on first use: what ids decode to, one memcpy each."""

    cdef CPieceBytes pieces
    cdef object bytes_of

    def __init__(self, bytes_of not None):
        self.bytes_of = bytes_of

    def join(self, list ids not None):
        """The bytes of ids one after another; None: not all are ints that a table can hold."""
        cdef vector[uint32_t] numbers
        cdef Py_ssize_t i
        cdef long number
        cdef bytes piece, out
        numbers.reserve(len(ids))
        for i in range(len(ids)):
            if not PyLong_CheckExact(ids[i]):
                return None
            try:
                number = PyLong_AsLong(ids[i])
            except OverflowError:
                return None
            if number < 0 or number >= 1 << 22:
                return None
            if not self.pieces.knows(<uint32_t>number):
                piece = self.bytes_of(number)
                self.pieces.set(<uint32_t>number, PyBytes_AS_STRING(piece), len(piece))
            numbers.push_back(<uint32_t>number)
        out = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>self.pieces.size(numbers))
        self.pieces.join(numbers, PyBytes_AS_STRING(out))
        return out
