"""Subword tokenisation: BPE, WordPiece and unigram models, optionally on top of word segmentation.

A :class:`~segmenter.subword.tokenizer.Tokenizer` runs the usual four steps: normalise
(:mod:`~segmenter.subword.normalise`), pre-tokenise (:mod:`~segmenter.subword.pretokenise`), model
(:mod:`~segmenter.pieces.bpe` / ``wordpiece`` / ``unigram``) and post-process
(:mod:`~segmenter.subword.postprocess`).  It keeps track of offsets into the caller's text through
all of them.  Nothing here needs an optional extra.
"""

from __future__ import annotations

from segmenter.pieces.bpe import BPE
from segmenter.pieces.model import Model, Piece
from segmenter.pieces.unigram import Unigram
from segmenter.pieces.wordpiece import WordPiece
from segmenter.subword.added import AddedToken
from segmenter.subword.encoding import Encoding
from segmenter.subword.shipped import SHIPPED, load
from segmenter.subword.tokenizer import Tokenizer

__all__ = [
    "BPE",
    "SHIPPED",
    "AddedToken",
    "Encoding",
    "Model",
    "Piece",
    "Tokenizer",
    "Unigram",
    "WordPiece",
    "load",
]
