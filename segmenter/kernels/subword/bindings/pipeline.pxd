# From texts to ids in one call.

from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.subword.bindings.charsmap cimport CSentencePieceNormaliser
from segmenter.kernels.subword.bindings.cutting cimport (
    CReplacements, CTokenFinder, PreTokenScanner, SubwordCaller)
from segmenter.kernels.subword.bindings.models cimport SubwordModel


cdef extern from "subword/interface.hpp" namespace "segmenter":
    cdef int kPipelineDone
    cdef int kPipelineUnknown
    cdef cppclass PipelineText:
        PipelineText()
        Text text
        int status
        int worker
        size_t first
        size_t count
    cdef cppclass CTextPipeline "segmenter::TextPipeline":
        const SubwordModel* model
        const CReplacements* replaced
        const CSentencePieceNormaliser* sentencepiece
        vector[uint32_t] prefix
        uint32_t blank
        cbool plain_edges
        uint32_t squeezed
        const CTokenFinder* tokens
        vector[uint32_t] token_ids
        cbool tokens_alone
        const CTokenFinder* normalised_tokens
        const CTokenFinder* odd
        const CTokenFinder* whole
        const PreTokenScanner* before
        const PreTokenScanner* after
        uint32_t mark
        cbool mark_first_only
        cbool mark_blanks
        cbool mark_missing
        vector[uint32_t] spelling
        vector[uint32_t] head
        vector[uint32_t] tail
    void encode_text(const CTextPipeline& pipeline, PipelineText& text, cbool special,
                     SubwordCaller& call) except + nogil
    void encode_texts(const CTextPipeline& pipeline, vector[PipelineText]& texts, cbool special,
                      const vector[SubwordCaller*]& callers) except + nogil
