"""The compiled file of a Tokenizer: its parts as sections and meta, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError
from segmenter.pieces import entries, vocabulary
from segmenter.pieces.vocabulary import KIND, REMEDY, UNFIT, unfit
from segmenter.subword import decode, lengths, normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.parts import LIBRARIES, Parts

if TYPE_CHECKING:
    from segmenter.subword.pretokenise import Cutter

__all__ = ["KIND", "opened", "packed"]


def packed(parts: Parts) -> tuple[dict[str, bytes], dict[str, object]]:
    """The sections and the meta that :func:`segmenter.artifact.pack` and ``write`` take."""
    sections, model = vocabulary.packed(parts.model)
    steps = {k: v for k, v in parts.config().items() if k != "model"}
    meta = {"steps": steps, "model": model, "allowed": sorted(parts.allowed)}
    if parts.library is not None:
        meta["library"] = parts.library
    return sections, {**(parts.meta or {}), "tokenizer": meta}


def opened(art: artifact.Artifact, segmenter: Cutter | None) -> Parts:
    """The parts that :func:`packed` gave.

    Raises:
        ArtifactError: the sections hold something else.
        ArgumentError: the Segmenter that the file names gives other boundaries here.
    """
    meta = art.meta
    try:
        kept = entries.check("tokenizer", meta.pop("tokenizer"))
        steps = entries.check("steps", kept["steps"])
        library = kept.get("library")
        if library not in LIBRARIES:
            raise ArgumentError(f"the library {library!r} is not supported")
        words = steps["pre_tokenizer"]
        parts = Parts(
            vocabulary.unpacked(art, kept),
            normaliser=normalise.make(steps["normalizer"]),
            postprocessor=postprocess.make(steps["post_processor"]),
            decoder=decode.make(steps["decoder"]),
            added=tuple(
                AddedToken(**entries.check("added_tokens", token))
                for token in steps["added_tokens"]
            ),
            allowed=artifact.field(art.path, kept, "allowed", list),
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
        return parts._replace(pretokeniser=pretokenise.make(words, segmenter))
    except (LookupError, TypeError, OverflowError, RecursionError) as e:
        if isinstance(e, SegmenterError):
            raise
        raise ArtifactError(art.path, f"its steps are not a tokenizer's: {e}", REMEDY) from e
