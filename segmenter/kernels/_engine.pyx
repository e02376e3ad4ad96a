# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Bindings of the engine's kernels: what cutting, tokens, tags and search need.

All algorithms are in the headers beside it.  bindings/ has two files per subject: what C++ declares
(.pxd), and what Python gets of it (.pxi), in one name space; each of these says at its top what it
uses of the others.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject, PyTypeObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t)
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector

include "bindings/python.pxi"
include "bindings/decision.pxi"
include "bindings/files.pxi"
include "bindings/lexicon.pxi"
include "bindings/matchers.pxi"
include "bindings/dag.pxi"
include "bindings/tagger.pxi"
include "bindings/networks.pxi"
include "bindings/user.pxi"
include "bindings/pos_words.pxi"
include "bindings/pos.pxi"
include "bindings/atoms.pxi"
include "bindings/options.pxi"
include "bindings/open.pxi"
include "bindings/engine.pxi"
include "bindings/batch.pxi"
include "bindings/analysis.pxi"
include "bindings/tokens.pxi"
include "bindings/search.pxi"
