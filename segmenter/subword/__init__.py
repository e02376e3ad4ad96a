"""Subword tokenisation: BPE, WordPiece and unigram models, optionally on top of word segmentation.

A :class:`~segmenter.subword.tokenizer.Tokenizer` runs the usual four steps: normalise
(:mod:`~segmenter.subword.normalise`), pre-tokenise (:mod:`~segmenter.subword.pretokenise`), model
(:mod:`~segmenter.subword.models.bpe` / ``wordpiece`` / ``unigram``) and post-process
(:mod:`~segmenter.subword.postprocess`).  It keeps track of offsets into the caller's text through
all of them.  Nothing here needs an optional extra.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.subword.added import AddedToken
    from segmenter.subword.encoding import Encoding
    from segmenter.subword.models.bpe import BPE
    from segmenter.subword.models.model import Model, Piece
    from segmenter.subword.models.unigram import Unigram
    from segmenter.subword.models.wordpiece import WordPiece
    from segmenter.subword.shipped import SHIPPED, load
    from segmenter.subword.tokenizer import Tokenizer
else:
    _MODULES = {
        "BPE": "models.bpe",
        "SHIPPED": "shipped",
        "AddedToken": "added",
        "Encoding": "encoding",
        "Model": "models.model",
        "Piece": "models.model",
        "Tokenizer": "tokenizer",
        "Unigram": "models.unigram",
        "WordPiece": "models.wordpiece",
        "load": "shipped",
    }

    def __getattr__(name):
        """Imports what is asked for: ``oov="bpe"`` needs a model and no Tokenizer."""
        if name not in _MODULES:
            raise AttributeError(f"module 'segmenter.subword' has no attribute {name!r}")
        from importlib import import_module

        module = import_module(f"segmenter.subword.{_MODULES[name]}")
        value = globals()[name] = getattr(module, name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})


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
