"""The compiled file of a Tokenizer: its parts as sections and meta, and back."""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError, SegmenterError
from segmenter.subword import decode, entries, lengths, normalise, postprocess, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.bpe import BPE
from segmenter.subword.model import from_bytes, to_bytes
from segmenter.subword.parts import LIBRARIES, Parts
from segmenter.subword.unigram import Unigram
from segmenter.subword.wordlevel import WordLevel
from segmenter.subword.wordpiece import WordPiece

if TYPE_CHECKING:
    from segmenter.subword.model import Model
    from segmenter.subword.pretokenise import Cutter

#: The kind of the artifact.
KIND = "subword"
REMEDY = "train it again with `segmenter subword train ...` or reinstall segmenter-zh"


def packed(parts: Parts) -> tuple[dict[str, bytes], dict[str, object]]:
    """The sections and the meta that :func:`segmenter.artifact.pack` and ``write`` take."""
    model = parts.model.config()
    vocab = model.pop("vocab")
    merges = model.pop("merges", [])
    rows = list(parts.model.vocab.items())
    spelt = [to_bytes(piece) for piece, _ in rows]
    ends, at = array("I"), 0
    for piece in spelt:
        at += len(piece)
        ends.append(at)
    sections = {
        "pieces": b"".join(spelt),
        "ends": _little(ends),
        "ids": _little(array("I", [i for _, i in rows])),
    }
    if isinstance(parts.model, Unigram):
        sections["scores"] = _little(array("d", [score for _, score in vocab]))
    if isinstance(parts.model, BPE):
        number = parts.model.vocab
        flat = [number[piece] for pair in merges for piece in pair]
        sections["merges"] = _little(array("I", flat))
        model["byte_level"] = parts.model.byte_level
        if parts.model.merge_ranks is not None:
            sections["ranks"] = _little(array("I", parts.model.merge_ranks))
        model["whole"] = list(parts.model.whole)
    if isinstance(parts.model, (BPE, Unigram, WordPiece)):
        model["hidden"] = sorted(parts.model.hidden)
    if isinstance(parts.model, Unigram):
        model["fuse_unk"] = parts.model.fuse_unk
        model["single"] = parts.model.single
        model["spelt"] = parts.model.spelt
        model["unk_score"] = parts.model.unk_score
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
        model = _model(art, entries.check("model", kept["model"]))
        normaliser = normalise.make(steps["normalizer"])
        postprocessor = postprocess.make(steps["post_processor"])
        decoder = decode.make(steps["decoder"])
        added = tuple(
            AddedToken(**entries.check("added_tokens", token)) for token in steps["added_tokens"]
        )
        allowed = artifact.field(art.path, kept, "allowed", list)
        library = kept.get("library")
        if library not in LIBRARIES:
            raise ArgumentError(f"the library {library!r} is not supported")
        truncation = lengths.truncation(steps.get("truncation"))
        padding = lengths.padding(steps.get("padding"))
        words = steps["pre_tokenizer"]
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as e:
        raise ArtifactError(art.path, f"its sections are not a tokenizer's: {e}", REMEDY) from e
    try:
        # an ArgumentError here says what is wrong with the Segmenter that the file names
        pretokeniser = pretokenise.make(words, segmenter)
    except (LookupError, TypeError, OverflowError, RecursionError) as e:
        if isinstance(e, SegmenterError):
            raise
        raise ArtifactError(art.path, f"its steps are not a tokenizer's: {e}", REMEDY) from e
    return Parts(
        model,
        normaliser=normaliser,
        pretokeniser=pretokeniser,
        postprocessor=postprocessor,
        decoder=decoder,
        added=added,
        allowed=allowed,
        meta=meta,
        name=art.path,
        library=library,
        truncation=truncation,
        padding=padding,
    )


def _little(column: array[Any]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _numbers(art: artifact.Artifact, section: str, code: str) -> list[Any]:
    column = array(code)
    column.frombytes(bytes(art.section(section)))
    if sys.byteorder == "big":
        column.byteswap()
    return column.tolist()


def _model(art: artifact.Artifact, config: dict[str, Any]) -> Model:
    spelt = bytes(art.section("pieces"))
    pieces, at = [], 0
    for end in _numbers(art, "ends", "I"):
        pieces.append(from_bytes(spelt[at:end]))
        at = end
    ids = _numbers(art, "ids", "I")
    kind = config["type"]
    if kind == "Unigram":
        scores = _numbers(art, "scores", "d")
        return Unigram(
            zip(pieces, scores, strict=True),
            config["unk_id"],
            config["byte_fallback"],
            fuse_unk=config.get("fuse_unk", True),
            hidden=config.get("hidden", ()),
            single=config.get("single", False),
            unk_score=config.get("unk_score"),
            spelt=config.get("spelt", False) is True,
        )
    vocab = dict(zip(pieces, ids, strict=True))
    if kind == "WordLevel":
        return WordLevel(vocab, config["unk_token"])
    if kind == "WordPiece":
        return WordPiece(
            vocab,
            config["unk_token"],
            config["continuing_subword_prefix"],
            config["max_input_chars_per_word"],
            hidden=config.get("hidden", ()),
        )
    by_id = {number: piece for piece, number in vocab.items()}
    flat = _numbers(art, "merges", "I")
    return BPE(
        vocab,
        [(by_id[a], by_id[b]) for a, b in zip(flat[::2], flat[1::2], strict=True)],
        byte_level=config["byte_level"],
        byte_fallback=config["byte_fallback"],
        unk=config["unk_token"],
        fuse_unk=config["fuse_unk"],
        continuing_prefix=config["continuing_subword_prefix"],
        end_of_word_suffix=config["end_of_word_suffix"],
        dropout=config["dropout"] or 0.0,
        ignore_merges=config["ignore_merges"],
        ranks=_numbers(art, "ranks", "I") if "ranks" in art.names() else None,
        whole=config.get("whole", ()),
        hidden=config.get("hidden", ()),
    )
