# The classes of _opening.pyx that engines have as members.

from libcpp.memory cimport shared_ptr

from segmenter.kernels._lexicon cimport UserWords
from segmenter.kernels.bindings.atoms cimport CAtomRules
from segmenter.kernels.bindings.open cimport COpened


cdef class AtomRules:
    cdef CAtomRules rules


cdef class Opened:
    cdef shared_ptr[const COpened] opened
    cdef dict parts  # the objects that it points into, by their kind
    cdef UserWords user
    cdef AtomRules rules

    cdef const COpened* native(self) noexcept
