# Models of pieces in a capsule, which another extension cuts unknown text with.

cdef extern from "unknown.hpp" namespace "segmenter":
    cdef cppclass UnknownCutter:
        pass
    const char* CUTTER_CAPSULE "segmenter::UnknownCutter::kCapsule"
