"""Subwords: BPE, WordPiece and unigram models, with word segmentation as a pre-tokeniser.

Four steps, as the field names them: normalise, pre-tokenise, model, post-process
(:mod:`~segmenter.subword.normalise`, :mod:`~segmenter.subword.pretokenise`,
:mod:`~segmenter.pieces.bpe` / ``wordpiece`` / ``unigram``, :mod:`~segmenter.subword.postprocess`);
a :class:`~segmenter.subword.tokenizer.Tokenizer` runs them and keeps offsets into the caller's text
through all of them.  Nothing here needs an optional extra.
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
