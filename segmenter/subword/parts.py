"""The parts of a Tokenizer: the result of training, the content of a file, the class's arguments.

In a file the model is stored in sections (:mod:`segmenter.subword.models.vocabulary`), the steps in
the meta.

>>> from segmenter.subword.models.wordlevel import WordLevel
>>> Parts(WordLevel({"他": 0, "说": 1}, "他")).config()["model"]["type"]
'WordLevel'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError
from segmenter.subword import decode, lengths, normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.models import entries, vocabulary
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.unigram import Unigram
from segmenter.subword.models.vocabulary import REMEDY, UNFIT, unfit
from segmenter.subword.models.wordlevel import WordLevel
from segmenter.subword.models.wordpiece import WordPiece

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from segmenter.subword.added import Specials
    from segmenter.subword.lengths import Padding, Truncation
    from segmenter.subword.models.model import Model
    from segmenter.subword.pretokenise import Cutter

    Library = Literal["tokenizers", "sentencepiece"]

LIBRARIES = (None, "tokenizers", "sentencepiece")


class Parts(NamedTuple):
    """The arguments of :class:`~segmenter.subword.Tokenizer`, which documents them."""

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
        """The parts in the form of ``tokenizer.json``; see :meth:`.Tokenizer.config`."""
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
    """The decoder that suits the pieces of a model."""
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


def packed(parts: Parts) -> tuple[dict[str, bytes], dict[str, object]]:
    """The sections and meta to pass to :func:`segmenter.artifact.pack` or ``write``."""
    sections, model = vocabulary.packed(parts.model)
    steps = {k: v for k, v in parts.config().items() if k != "model"}
    meta = {"steps": steps, "model": model, "allowed": sorted(parts.allowed)}
    if parts.library is not None:
        meta["library"] = parts.library
    return sections, {**(parts.meta or {}), "tokenizer": meta}


def opened(art: artifact.Artifact, segmenter: Cutter | None) -> Parts:
    """Read parts written by :func:`packed`.

    Raises:
        ArtifactError: the content is not that of a Tokenizer.
        ArgumentError: the Segmenter that the file names gives other boundaries here.
    """
    meta = art.meta
    try:
        stored = entries.check("tokenizer", meta.pop("tokenizer"))
        steps = entries.check("steps", stored["steps"])
        library = stored.get("library")
        if library not in LIBRARIES:
            raise ArgumentError(f"library: {library!r} is not supported")
        pretokeniser = steps["pre_tokenizer"]
        parts = Parts(
            vocabulary.unpacked(art, stored),
            normaliser=normalise.make(steps["normalizer"]),
            postprocessor=postprocess.make(steps["post_processor"]),
            decoder=decode.make(steps["decoder"]),
            added=tuple(
                AddedToken(**entries.check("added_tokens", token))
                for token in steps["added_tokens"]
            ),
            allowed=artifact.field(art.path, stored, "allowed", list),
            meta=meta,
            name=art.path,
            library=library,
            truncation=lengths.truncation(steps.get("truncation")),
            padding=lengths.padding(steps.get("padding")),
        )
    except UNFIT as e:
        raise unfit(art, e) from e
    try:
        # an ArgumentError here says what is wrong with the Segmenter that the file names
        return parts._replace(pretokeniser=pretokenise.make(pretokeniser, segmenter))
    except (LookupError, TypeError, OverflowError, RecursionError) as e:
        if isinstance(e, SegmenterError):
            raise
        raise ArtifactError(art.path, f"its steps are not a tokenizer's: {e}", REMEDY) from e
