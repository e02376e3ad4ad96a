# Tokens of a text; the word at an offset.

from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Decision, WordCache
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.python cimport Text


cdef extern from "bindings/tokens.hpp" namespace "segmenter":
    cdef cppclass TokenColumns:
        vector[int32_t] starts
        vector[int32_t] ends
        vector[int32_t] edge_kinds
        vector[uint16_t] kinds
        vector[uint16_t] tags
        vector[uint8_t] sources
        vector[float] scores
        size_t size()
    cdef cppclass WordFacts:
        void reserve(size_t n) except +
    cdef cppclass TokenSources:
        PyObject* known_tags
        PyObject* look_up
        const uint16_t* costs
        const uint8_t* tags
        const CLexicon* characters
        const CLexicon* lexicon
        cbool by_slot
        uint8_t last_source
        uint8_t unknown
    cdef struct UserToken:
        size_t row
        uint32_t layer
        uint32_t number
    void read_tokens(
        const Text& text, const Decision& decision, WordCache& cache, WordFacts& facts,
        const TokenSources& sources, object words, TokenColumns& columns,
        vector[UserToken]& user_tokens) except +*
    cdef struct TokenFields:
        PyObject* text
        PyObject* kind
        PyObject* source
        PyObject* tag
        PyObject* score
        PyObject* payload
        int32_t start
        int32_t end
        int32_t position
        int32_t length
    object new_token(PyTypeObject* type, const TokenFields& fields)
    cdef cppclass TokenMaker:
        object make(PyTypeObject* type, const TokenFields& fields)
    list c_words_at "segmenter::words_at"(list words, Py_ssize_t start)
    list c_flagged_words "segmenter::flagged_words"(list tagged, PyTypeObject* cls, dict flags)
    list c_words_replaced "segmenter::words_replaced"(list words, Py_ssize_t least, dict known,
                                                      object missing) except +


cdef extern from "offsets.hpp" namespace "segmenter":
    cdef enum class OffsetUnit:
        kCodePoints
    const char* kOffsetUnits[3]
    void unit_offsets(const Text& text, OffsetUnit unit, vector[int32_t]& offsets) except +


cdef extern from "places.hpp" namespace "segmenter":
    cdef enum class WordPlace:
        pass
    cdef cppclass WordFinder:
        size_t first
        size_t last
        size_t row
        uint64_t start_offset
        uint64_t end_offset
        string start(const Plan& plan, const Text& text, cbool utf8, size_t offset, OffsetUnit unit,
                     WordPlace place) except +
        cbool next(Worker& worker, const Plan& plan) except +
        cbool find(const Decision& decision)
    void c_anew_places "segmenter::anew_places"(
        Worker& worker, const Plan& plan, const Text& text, vector[uint32_t]& places) except +
    uint32_t c_anew_reach "segmenter::anew_reach"(const Plan& plan) noexcept nogil


cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t k)
    PyObject* PyTuple_GET_ITEM(object items, Py_ssize_t k)


cdef extern from "bindings/python.hpp" namespace "segmenter":
    str new_word(const Text& text, uint32_t start, uint32_t end)
