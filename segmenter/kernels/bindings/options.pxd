# Options of a segmenter, and its fingerprint.

from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "open/options.hpp" namespace "segmenter":
    cdef enum OptionNumber:
        kOptions
    cdef struct Option:
        const char* name
        const char* preset
    const Option kOptionTable[8]
    vector[string] values_of(OptionNumber option) except +
    vector[string] more_standards() except +
    cdef struct TaggerFile:
        const char* decoder
        const char* file
    const TaggerFile kTaggers[5]
    const char* kPosFile
    cdef struct Oov:
        const char* name
        cbool subwords
    const Oov kOovs[6]
    cdef struct Preset:
        const char* name
        const char* decoder
    const Preset kPresets[4]


cdef extern from "fingerprint.hpp" namespace "segmenter":
    int kRules
    string c_sha256 "segmenter::sha256"(string text) except +
