# SentencePiece's normalisation.

from libc.stdint cimport uint32_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.subword.bindings.cutting cimport CTokenFinder


cdef extern from "subword/interface.hpp" namespace "segmenter":
    cdef cppclass CCharsMap "segmenter::CharsMap":
        pass
    cdef cppclass SentencePieceParts:
        const CCharsMap* rules
        const CTokenFinder* symbols
        cbool mark
        cbool suffix
        cbool collapse
        uint32_t blank
    cdef cppclass CSentencePieceNormaliser "segmenter::SentencePieceNormaliser":
        pass
    shared_ptr[CCharsMap] chars_map(const uint8_t* units, size_t n_units, const char* made,
                                    size_t n_made) except +
    cbool begins_rule(const CCharsMap& rules, uint32_t cp)
    cbool shortest_rule(const CCharsMap& rules, const Text& text, vector[uint32_t]& made) except +
    shared_ptr[CSentencePieceNormaliser] sentencepiece_normaliser(
        const SentencePieceParts& parts) except +
    void normalise(const CSentencePieceNormaliser& normaliser, const Text& text,
                   vector[uint32_t]& out) except + nogil
    void normalised_spans(const CSentencePieceNormaliser& normaliser, const Text& text,
                          cbool covering, vector[uint32_t]& starts, vector[uint32_t]& ends) \
        except + nogil
