# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Bindings of subword models: cutting, pipelines, training."""

from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.vector cimport vector

include "bindings/python.pxi"
include "subword/bindings/cutting.pxi"
include "subword/bindings/models.pxi"
include "subword/bindings/charsmap.pxi"
include "subword/bindings/pipeline.pxi"
include "subword/bindings/pieces.pxi"
include "subword/bindings/training.pxi"
