# Typed atoms.

from libc.stdint cimport uint16_t, uint32_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.user cimport string_view


cdef extern from "atoms/rules.hpp" namespace "segmenter":
    cdef struct AtomFound:
        uint32_t start
        uint32_t end
        uint8_t name
        uint8_t how
    cdef cppclass PatternAutomaton:
        vector[uint32_t] starts
        vector[uint16_t] classes
        vector[uint16_t] table
        vector[uint16_t] accepts
        uint32_t width
        cbool any() noexcept nogil
        cbool prepare() except + nogil
    cdef cppclass CAtomRules "segmenter::AtomRules":
        CAtomRules()
        PatternAutomaton patterns
        uint8_t how[19]
        void prepare() except + nogil


cdef extern from "atoms/settings.hpp" namespace "segmenter":
    const int kAtomNames
    const char* kAtomNamesText[19]
    const char* kAtomSettings[3]
    cdef cppclass AtomSettings:
        uint8_t how[19]
        AtomSettings()
        void set(string_view name, string_view setting) except +
        void parse(string_view text) except +
