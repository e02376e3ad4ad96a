"""What a Tokenizer is made of: what training gives, a file keeps, and its class is called with.

>>> from segmenter.pieces.wordlevel import WordLevel
>>> Parts(WordLevel({"他": 0, "说": 1}, "他")).config()["model"]["type"]
'WordLevel'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.pieces.bpe import BPE
from segmenter.pieces.unigram import Unigram
from segmenter.pieces.wordlevel import WordLevel
from segmenter.pieces.wordpiece import WordPiece
from segmenter.subword import decode, normalise, postprocess, pretokenise

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from segmenter.pieces.model import Model
    from segmenter.subword.added import AddedToken, Specials
    from segmenter.subword.lengths import Padding, Truncation

    Library = Literal["tokenizers", "sentencepiece"]

LIBRARIES = (None, "tokenizers", "sentencepiece")


class Parts(NamedTuple):
    """The arguments of :class:`~segmenter.subword.Tokenizer`, by their names; see there."""

    model: Model
    normaliser: normalise.Normaliser = normalise.Identity()
    pretokeniser: pretokenise.PreTokeniser = pretokenise.PreTokeniser()
    postprocessor: postprocess.PostProcessor = postprocess.PostProcessor()
    decoder: decode.Decoder | None = None
    added: tuple[AddedToken, ...] = ()
    allowed: Specials = ()
    meta: Mapping[str, Any] | None = None
    name: str = "<Tokenizer>"
    library: Library | None = None
    truncation: Truncation | None = None
    padding: Padding | None = None

    def config(self) -> dict[str, Any]:
        """All of it as ``tokenizer.json`` writes it; see :meth:`.Tokenizer.config`."""
        return {
            "version": "1.0",
            "truncation": None if self.truncation is None else self.truncation.config(),
            "padding": None if self.padding is None else self.padding.config(),
            "added_tokens": [token.config() for token in self.added],
            "normalizer": self.normaliser.config(),
            "pre_tokenizer": self.pretokeniser.config(),
            "post_processor": self.postprocessor.config(),
            "decoder": (self.decoder or decoder_of(self.model)).config(),
            "model": self.model.config(),
        }


def decoder_of(model: Model) -> decode.Decoder:
    """The decoder that the pieces of a model need."""
    if isinstance(model, WordPiece):
        return decode.WordPiece(model.prefix)
    if isinstance(model, WordLevel):
        return decode.Blanks()
    if isinstance(model, BPE) and model.byte_level:
        return decode.ByteLevel()
    if isinstance(model, BPE) and model.end_of_word_suffix:
        return decode.EndOfWord(model.end_of_word_suffix)
    if isinstance(model, (BPE, Unigram)) and model.byte_fallback:
        return decode.ByteFallback()
    return decode.Fuse()
