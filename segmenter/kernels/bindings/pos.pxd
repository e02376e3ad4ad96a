# Part-of-speech taggers.

from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Json, Sections, Token, WordCache
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.pos_words cimport CPosModel, PosScratch, PosWord
from segmenter.kernels.bindings.python cimport TextView


cdef extern from "pos/known.hpp" namespace "segmenter":
    cdef cppclass PosKnown:
        void begin(const CPosModel& model, size_t n_slots) except +
        void look_up(PosWord& word) except +
        PosWord boundary() except +


cdef extern from "bindings/tagged.hpp" namespace "segmenter":
    cdef cppclass TagCache:
        cbool is_of(object tagger)
        void reserve(size_t n, object tagger) except +
    void decide_tags(const CPosModel& m, const PosKnown& known, PosScratch& s) except + nogil
    cdef cppclass TagCall:
        PosScratch scratch
        void read(const CPosModel& m, PosKnown& known, const TextView& text, const Token* tokens,
                  size_t n, size_t dropped, const WordCache& cache, TagCache& tags) except +
    object tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                       size_t dropped, WordCache& cache, TagCache& tags, object names)


cdef extern from "opening.hpp" namespace "segmenter":
    void open_pos(const Sections& sections, const Json& meta, const CLexicon& lex, CPosModel& m,
                  vector[string]& tags) except +
