# What C++ declares for pieces.pxi.

from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "subword/pieces.hpp" namespace "segmenter":
    cdef cppclass CPieceBytes "segmenter::PieceBytes":
        cbool knows(uint32_t number)
        void set(uint32_t number, const char* data, size_t n) except +
        size_t size(const vector[uint32_t]& ids)
        void join(const vector[uint32_t]& ids, char* to)


cdef extern from "Python.h":
    long PyLong_AsLong(object number) except? -1
    bint PyLong_CheckExact(object number)
