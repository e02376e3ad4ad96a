"""Write and read the model in a vocabulary file, as sections and metadata.

A file of kind ``subword`` contains a model and the steps of a tokenizer around it.  This module
handles the model, :mod:`segmenter.subword.parts` the steps.
"""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError
from segmenter.subword.models import entries
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import from_bytes, to_bytes
from segmenter.subword.models.unigram import Unigram
from segmenter.subword.models.wordlevel import WordLevel
from segmenter.subword.models.wordpiece import WordPiece

if TYPE_CHECKING:
    from typing import Any

    from segmenter.kernels._subword import Subwords
    from segmenter.subword.models.model import Model

#: The artifact's kind.
KIND = "subword"
REMEDY = "train it again with `segmenter subword train ...` or reinstall segmenter-zh"
#: The shipped files, by their name in ``oov``: 8,000 pieces each, from the words of a balanced
#: national corpus, plus the printable ASCII characters that it lacks.
SHIPPED = {"bpe": "subword-bpe.model", "unigram": "subword-unigram.model"}
#: The exceptions raised by content that fits no class here.
UNFIT = (LookupError, TypeError, ValueError, OverflowError, RecursionError)


#: For each kind the attributes stored in addition to the entry of ``tokenizer.json``.
_EXTRA_FIELDS = {
    "BPE": ("byte_level", "whole", "hidden"),
    "Unigram": ("fuse_unk", "single", "spelt", "unk_score", "hidden"),
    "WordPiece": ("hidden",),
    "WordLevel": (),
}


class Vocabulary(artifact.OnArtifact):
    """The model of a compiled vocabulary, ignoring the steps around it.

    Raises:
        ArtifactError: the sections are not those of a vocabulary.

    >>> from segmenter.files import resources
    >>> words = Vocabulary.open(resources.find(SHIPPED["bpe"]))
    >>> [words.model.piece_of(piece.id) for piece in words.model.encode("我们")]
    ['我们']
    """

    KIND = KIND
    __slots__ = ("model",)

    def __init__(self, art: artifact.Artifact) -> None:
        super().__init__(art)
        try:
            entry = entries.check("tokenizer", art.meta["tokenizer"])
            self.model = unpacked(art, entry)
        except UNFIT as e:
            raise unfit(art, e) from e

    @property
    def native(self) -> Subwords | None:
        """The compiled model; None: it has more characters than can be compiled."""
        return self.model.kernel

    def __repr__(self) -> str:
        return f"<Vocabulary {self.name}: {self.model!r}>"


#: What opens a file of :data:`SHIPPED` for a Segmenter; see :mod:`segmenter.core.oov`.
open_model = Vocabulary.open


def unfit(art: artifact.Artifact, error: BaseException) -> ArtifactError:
    return ArtifactError(art.path, f"its sections are not a tokenizer's: {error}", REMEDY)


def packed(model: Model) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The sections of a model, and its entry in the metadata."""
    entry = model.config()
    vocab = entry.pop("vocab")
    merges = entry.pop("merges", [])
    items = list(model.vocab.items())
    encoded = [to_bytes(piece) for piece, _ in items]
    ends, end = array("I"), 0
    for piece in encoded:
        end += len(piece)
        ends.append(end)
    sections = {
        "pieces": b"".join(encoded),
        "ends": _little_endian(ends),
        "ids": _little_endian(array("I", [i for _, i in items])),
    }
    if isinstance(model, Unigram):
        sections["scores"] = _little_endian(array("d", [score for _, score in vocab]))
    if isinstance(model, BPE):
        flat = [model.vocab[piece] for pair in merges for piece in pair]
        sections["merges"] = _little_endian(array("I", flat))
        if model.merge_ranks is not None:
            sections["ranks"] = _little_endian(array("I", model.merge_ranks))
    for name in _EXTRA_FIELDS[model.kind]:
        value = getattr(model, name)
        entry[name] = sorted(value) if name == "hidden" else value
    return sections, entry


def _little_endian(column: array[Any]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _read_numbers(art: artifact.Artifact, section: str, code: str) -> list[Any]:
    column = array(code)
    column.frombytes(bytes(art.section(section)))
    if sys.byteorder == "big":
        column.byteswap()
    return column.tolist()


def unpacked(art: artifact.Artifact, tokenizer: dict[str, Any]) -> Model:
    """Read a model written by :func:`packed`; ``tokenizer`` is the tokenizer's entry."""
    entry = dict(entries.check("model", tokenizer["model"]))
    data = bytes(art.section("pieces"))
    pieces, start = [], 0
    for end in _read_numbers(art, "ends", "I"):
        pieces.append(from_bytes(data[start:end]))
        start = end
    ids = _read_numbers(art, "ids", "I")
    if entry["type"] == Unigram.kind:
        entry["vocab"] = zip(pieces, _read_numbers(art, "scores", "d"), strict=True)
        return model_of(entry)
    entry["vocab"] = vocab = dict(zip(pieces, ids, strict=True))
    if entry["type"] == BPE.kind:
        by_id = {number: piece for piece, number in vocab.items()}
        flat = [by_id[number] for number in _read_numbers(art, "merges", "I")]
        entry["merges"] = zip(flat[::2], flat[1::2], strict=True)
        entry["ranks"] = _read_numbers(art, "ranks", "I") if "ranks" in art.names() else None
    return model_of(entry)


def model_of(entry: dict[str, Any]) -> Model:
    """Create the model from an entry of ``tokenizer.json``, or one of ours with further fields.

    Args:
        entry: its vocabulary is a dict from piece to id, or for a unigram model a list of (piece,
            score).

    Raises:
        ArgumentError: the type is not supported; an invalid model.
        KeyError: the entry lacks a field.
    """
    kind, hidden = entry["type"], entry.get("hidden", ())
    if kind not in ("BPE", "Unigram", "WordLevel", "WordPiece"):
        raise ArgumentError(
            f"model: the type {str(kind)[:40]!r} is not one of BPE, Unigram, WordLevel, WordPiece"
        )
    if kind == Unigram.kind:
        return Unigram(
            entry["vocab"],
            entry.get("unk_id"),
            entry.get("byte_fallback", False),
            fuse_unk=entry.get("fuse_unk", True),
            hidden=hidden,
            single=entry.get("single", False) is True,
            unk_score=entry.get("unk_score"),
            spelt=entry.get("spelt", False),
        )
    vocab, unk = entry["vocab"], entry.get("unk_token")
    if not isinstance(vocab, dict):
        raise ArgumentError("model: expected an object of ids by piece as 'vocab'")
    if kind == WordLevel.kind:
        return WordLevel(vocab, unk or "")
    if kind == WordPiece.kind:
        prefix = entry.get("continuing_subword_prefix", "##") or ""
        longest = entry.get("max_input_chars_per_word", 100)
        return WordPiece(vocab, unk or "[UNK]", prefix, longest, hidden=hidden)
    return BPE(
        vocab,
        entry["merges"],
        byte_level=entry.get("byte_level", False),
        byte_fallback=entry.get("byte_fallback", False),
        unk=unk,
        fuse_unk=entry.get("fuse_unk", False),
        continuing_prefix=entry.get("continuing_subword_prefix"),
        end_of_word_suffix=entry.get("end_of_word_suffix"),
        dropout=entry.get("dropout") or 0.0,
        ignore_merges=entry.get("ignore_merges", False),
        ranks=entry.get("ranks"),
        whole=entry.get("whole", ()),
        hidden=hidden,
    )
