# What C++ declares for tokens.pxi.

from cpython.object cimport PyObject
from cpython.object cimport PyTypeObject
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Decision, WordCache
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.python cimport Text


cdef extern from "bindings/tokens.hpp" namespace "segmenter":
    cdef cppclass TokenColumns:
        vector[int32_t] starts
        vector[int32_t] ends
        vector[int32_t] kinds
        vector[uint16_t] told
        vector[uint16_t] tags
        vector[uint8_t] sources
        vector[float] scores
        size_t size()
    cdef cppclass WordFacts:
        void reserve(size_t n) except +
    cdef cppclass TokenSources:
        PyObject* facts
        PyObject* look_up
        const uint16_t* costs
        const uint8_t* tag_of
        const CLexicon* lexicon
        cbool by_slot
        uint8_t last_source
        uint8_t unknown
    cdef struct OfUser:
        size_t row
        uint32_t layer
        uint32_t number
    int read_tokens(const Text& text, const Decision& made, WordCache& cache, WordFacts& facts,
                    const TokenSources& source, object words, TokenColumns& columns,
                    vector[OfUser]& of_user) except +
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
    void unit_places(const Text& text, cbool utf16, vector[int32_t]& places) except +
    list c_words_at "segmenter::words_at"(list words, Py_ssize_t start)
    list c_flagged_words "segmenter::flagged_words"(list tagged, PyTypeObject* cls, dict flags)
    list c_words_replaced "segmenter::words_replaced"(list words, Py_ssize_t least, dict known,
                                                      object missing) except +


cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t k)
    PyObject* PyTuple_GET_ITEM(object items, Py_ssize_t k)


cdef extern from "bindings/python.hpp" namespace "segmenter":
    str new_word(const Text& text, uint32_t start, uint32_t end)
