# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The thin face of the compiled kernels; all algorithms are in the headers beside it.

One file per subject in face/; each begins with the declarations of what it calls.
"""

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t)
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.deque cimport deque
from libcpp.memory cimport unique_ptr
from libcpp.utility cimport pair
from libcpp.vector cimport vector

include "face/python.pxi"
include "face/lexicon.pxi"
include "face/matchers.pxi"
include "face/dag.pxi"
include "face/tagger.pxi"
include "face/tagger_train.pxi"
include "face/bilstm.pxi"
include "face/subword_cutting.pxi"
include "face/subword.pxi"
include "face/subword_pipeline.pxi"
include "face/subword_train.pxi"
include "face/user.pxi"
include "face/pos.pxi"
include "face/atoms.pxi"
include "face/engine.pxi"
include "face/views.pxi"
include "face/batch.pxi"
include "face/search.pxi"
