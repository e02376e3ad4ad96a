"""SentencePiece's ``.model`` files (Kudo & Richardson 2018): BPE and unigram.

The file is one protocol buffer message, ``ModelProto`` of ``sentencepiece_model.proto``.  As in the
library, a text is first normalised (:class:`~segmenter.subword.charsmap.SentencePiece`), and then
the model runs over the whole of it, with ``▁`` for blanks.  Control symbols (``<s>``) are never
recognised in a text, user-defined symbols always.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.subword import decode
from segmenter.subword.added import AddedToken
from segmenter.subword.charsmap import SentencePiece
from segmenter.subword.formats.files import FormatError, read_bytes, splits
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.unigram import UNK_PENALTY, Unigram, float32
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from segmenter.subword.models.model import Model

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
UNIGRAM, BPE_TYPE = 1, 2
# the library's lower bound for the highest score
_FLT_MIN = 2.0**-126
_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class Entry(NamedTuple):
    """A piece of a model: its text, score (natural logarithm, or minus the rank) and type."""

    piece: str
    score: float = 0.0
    type: int = NORMAL


class Proto(NamedTuple):
    """The fields of a ``ModelProto`` that affect ids and text, with its names and defaults."""

    pieces: list[Entry]
    model_type: int = UNIGRAM
    byte_fallback: bool = False
    treat_whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


# the fields to read from the trainer's (2) and the normaliser's (3) part, with their types
_OPTIONS: dict[tuple[int, int], tuple[str, type]] = {
    (2, 3): ("model_type", int),
    (2, 24): ("treat_whitespace_as_suffix", bool),
    (2, 35): ("byte_fallback", bool),
    (2, 44): ("unk_surface", str),
    (3, 2): ("precompiled_charsmap", bytes),
    (3, 3): ("add_dummy_prefix", bool),
    (3, 4): ("remove_extra_whitespaces", bool),
    (3, 5): ("escape_whitespaces", bool),
}


def parse(data: bytes) -> Proto:
    """Parse a ``ModelProto``.

    Raises:
        WireError: the bytes are not a valid message.
        UnicodeDecodeError: a piece is not UTF-8.
    """
    pieces: list[Entry] = []
    options: dict[str, Any] = {}
    for number, value in fields(data):
        if number not in (1, 2, 3):
            continue
        if not isinstance(value, bytes):
            raise WireError("a part is not a message")
        if number == 1:
            pieces.append(_entry(value))
            continue
        for inner_number, option in fields(value):
            name, kind = _OPTIONS.get((number, inner_number), ("", int))
            if name and isinstance(option, bytes) != (kind in (bytes, str)):
                raise WireError(f"{name} has the wrong wire type")
            if name:
                options[name] = bytes(option).decode() if kind is str else kind(option)
    return Proto(pieces, **options)


def _entry(data: bytes) -> Entry:
    piece, score, kind = "", 0.0, NORMAL
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            piece = value.decode("utf-8")
        elif number == 2:
            score = as_float(value)
        elif number == 3 and isinstance(value, int):
            kind = value
    return Entry(piece, score, kind)


def load(path: str | os.PathLike[str], *, library: bool = True) -> Tokenizer:
    """Read a ``.model`` file.

    ``encode`` gives the same ids as ``SentencePieceProcessor.encode``, without ``<s>`` and
    ``</s>``.

    Args:
        library: whether offsets are those of that library (in characters); False: our own, where a
            token covers all characters it comes from (:class:`~segmenter.subword.Tokenizer`).

    Raises:
        FormatError: the file is damaged, or its model is neither BPE nor unigram.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    try:
        proto = parse(read_bytes(path))
    except (WireError, UnicodeDecodeError) as e:
        raise FormatError(name, f"is not a SentencePiece model: {e}") from e
    return from_proto(proto, name, library)


def from_proto(proto: Proto, name: str = "<model>", library: bool = True) -> Tokenizer:
    """The Tokenizer that a ``ModelProto`` describes.

    Raises:
        FormatError: as in :func:`load`.
    """
    unknown = [i for i, entry in enumerate(proto.pieces) if entry.type == UNKNOWN]
    if len(unknown) != 1:
        raise FormatError(name, f"has {len(unknown)} unknown pieces, expected one")
    try:
        model: Model
        if proto.model_type == UNIGRAM:
            model = _unigram(proto, unknown[0])
        elif proto.model_type == BPE_TYPE:
            model = _bpe(proto, unknown[0])
        else:
            kind = _TYPES.get(proto.model_type, str(proto.model_type))
            raise FormatError(name, f"is a {kind} model: only bpe and unigram are supported")
        return Tokenizer(
            model,
            normaliser=SentencePiece(
                proto.precompiled_charsmap,
                add_dummy_prefix=proto.add_dummy_prefix,
                remove_extra_whitespaces=proto.remove_extra_whitespaces,
                escape_whitespaces=proto.escape_whitespaces,
                suffix=proto.treat_whitespace_as_suffix,
                symbols=_of_type(proto, USER_DEFINED),
            ),
            decoder=decode.SentencePiece(
                proto.pieces[unknown[0]].piece,
                proto.unk_surface,
                proto.add_dummy_prefix or proto.remove_extra_whitespaces,
                proto.remove_extra_whitespaces,
                proto.byte_fallback,
            ),
            added=[
                AddedToken(entry.piece, i)
                for i, entry in enumerate(proto.pieces)
                if entry.type == CONTROL
            ],
            name=name,
            library="sentencepiece" if library else None,
        )
    except ArgumentError as e:
        raise FormatError(name, str(e)) from e


def _of_type(proto: Proto, kind: int) -> list[str]:
    return [entry.piece for entry in proto.pieces if entry.type == kind]


def _unigram(proto: Proto, unk_id: int) -> Unigram:
    normal = [entry.score for entry in proto.pieces if entry.type == NORMAL]
    highest = max([_FLT_MIN, *normal])
    return Unigram(
        [
            # a user-defined symbol outweighs its parts; its length is in bytes
            (e.piece, float32(len(e.piece.encode()) * highest) - 0.1)
            if e.type == USER_DEFINED
            else (e.piece, e.score)
            for e in proto.pieces
        ],
        unk_id,
        proto.byte_fallback,
        hidden=[i for i, e in enumerate(proto.pieces) if e.type in (CONTROL, UNUSED, BYTE)],
        single=True,
        unk_score=min(normal, default=0.0) - UNK_PENALTY,
    )


def _bpe(proto: Proto, unk_id: int) -> BPE:
    if unused := _of_type(proto, UNUSED):
        raise ArgumentError(
            f"pieces: {unused[0]!r} is unused; models with a restricted vocabulary are not "
            "supported: save the model without it"
        )
    vocab = {entry.piece: i for i, entry in enumerate(proto.pieces)}
    normal = [entry for entry in proto.pieces if entry.type == NORMAL]
    # equal scores give equal ranks, and then the leftmost pair is merged first
    ranks = {s: k for k, s in enumerate(sorted({e.score for e in normal}, reverse=True))}
    rank_of = {e.piece: ranks[e.score] for e in normal}
    rows = [(rank_of[piece], left, right) for piece, left, right in splits(rank_of)]
    rows.sort(key=lambda row: row[0])
    return BPE(
        vocab,
        [(a, b) for _, a, b in rows],
        byte_fallback=proto.byte_fallback,
        unk=proto.pieces[unk_id].piece,
        fuse_unk=True,
        ranks=[rank for rank, _, _ in rows],
        hidden=[i for i, e in enumerate(proto.pieces) if e.type in (CONTROL, UNKNOWN, BYTE)],
        whole=_of_type(proto, USER_DEFINED),
    )


# --- the part of the protocol buffer wire format that these files use -----------------------------

VARINT, FIXED64, LEN, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are not a valid protocol buffer message."""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) in the order of the message.

    A message is a sequence of fields, each a key (number << 3 | wire type) and a value: a varint
    (0), eight bytes (1), a length and that many bytes (2) or four bytes (5).

    Varints are returned as non-negative int, everything else as bytes.

    Raises:
        WireError: the message is truncated, or uses an obsolete wire type.

    >>> list(fields(b"\\x08\\x96\\x01\\x12\\x02hi"))
    [(1, 150), (2, b'hi')]
    """
    position, size = 0, len(data)
    while position < size:
        key, position = _varint(data, position)
        number, wire = key >> 3, key & 7
        if not number:
            raise WireError(f"a field without a number at byte {position}")
        if wire == VARINT:
            value, position = _varint(data, position)
            yield number, value
            continue
        if wire == LEN:
            length, position = _varint(data, position)
        elif wire in (FIXED64, FIXED32):
            length = 8 if wire == FIXED64 else 4
        else:
            raise WireError(f"a field of the wire type {wire} at byte {position}")
        if length > size - position:
            field = f"a field of {length} bytes at byte {position} of {size}"
            raise WireError(f"it is truncated: {field}")
        yield number, data[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data):
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
        if shift > 63:
            break
    raise WireError(f"a number without an end at byte {position}")


def as_float(value: int | bytes) -> float:
    """Decode a field of four bytes as a float.

    Raises:
        WireError: the field has the wrong wire type.
    """
    if not isinstance(value, bytes) or len(value) != 4:
        raise WireError("a float has the wrong wire type")
    return float(struct.unpack("<f", value)[0])
