# Compiled files: their container and checksums.

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "crc32.hpp" namespace "segmenter":
    cdef cppclass Crc32:
        @staticmethod
        uint32_t of(const void* data, size_t n, uint32_t seed) noexcept nogil


cdef extern from "files/container.hpp" namespace "segmenter":
    cdef struct CSection "segmenter::Container::Section":
        string name
        uint64_t offset
        uint64_t length
    cdef cppclass Container:
        uint32_t version
        string kind
        string digest
        cbool newer
        vector[CSection] sections
        void read(const uint8_t* file, uint64_t size, const char* kind) except +
        void verify(const uint8_t* file, uint64_t size) except + nogil
