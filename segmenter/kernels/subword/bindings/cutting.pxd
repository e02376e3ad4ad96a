# The steps before a model.

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text


cdef extern from "subword/interface.hpp" namespace "segmenter":
    cdef uint32_t kNoPiece
    cdef struct SubwordPiece:
        uint32_t id
        uint32_t start
        uint32_t end
    cdef struct SubwordSpan:
        uint32_t start
        uint32_t end
    cdef cppclass PieceList:
        size_t size()
        void add(const Text& piece, uint32_t id) except +
    cdef struct ExpressionInst:
        uint32_t op
        uint32_t a
        uint32_t b
        uint32_t c
    cdef struct ExpressionMatch:
        uint32_t start
        uint32_t end
    cdef cppclass Expression:
        vector[ExpressionInst] code
        vector[uint32_t] starts
        uint32_t* first
        cbool empty_possible
    cdef enum CutBehaviour "segmenter::CutBehaviour":
        pass
    cdef enum ScanKind "segmenter::ScanKind":
        pass
    cdef cppclass ScanRule:
        ScanKind kind
        uint32_t digits
        uint32_t contraction
        uint32_t long_s
        uint32_t slash
        uint32_t end_first
        uint8_t* bits
        uint32_t* most
    cdef cppclass ScannerStep "segmenter::PreTokenScanner::Step":
        Expression expression
        CutBehaviour behaviour
        cbool invert
        ScanRule rule
    cdef cppclass PreTokenScanner:
        vector[ScannerStep] steps
        vector[uint8_t] classes
        vector[uint8_t] sets
    cdef cppclass SubwordCaller:
        SubwordCaller() except +
        vector[SubwordSpan]& spans() nogil
        const vector[SubwordPiece]& pieces() nogil
        vector[uint32_t]& ids() nogil
    uint64_t find_spans(const PreTokenScanner& scanner, const Text& text, SubwordCaller& call) \
        except + nogil
    vector[ExpressionMatch] find_matches(const PreTokenScanner& scanner, const Text& text) \
        except + nogil
    cdef cppclass CTokenFinder "segmenter::TokenFinder":
        pass
    shared_ptr[CTokenFinder] token_finder(const PieceList& tokens) except +
    size_t find_tokens(const CTokenFinder& finder, const Text& text, cbool first_only,
                       vector[SubwordPiece]& out) except + nogil


cdef extern from "subword/replacements.hpp" namespace "segmenter":
    cdef cppclass CReplacements "segmenter::Replacements":
        CReplacements() except +
        void set(uint32_t cp, const uint32_t* made, size_t n)
        cbool same(uint32_t cp)
        uint64_t operator[](uint32_t cp)
