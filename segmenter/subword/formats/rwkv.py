"""RWKV's vocabulary: ``rwkv_vocab_v20230424.txt``, a piece a line, the longest first in a text.

A line is an id, the piece as Python writes it (``'…'`` or ``b'…'``) and its length in bytes.
"""

from __future__ import annotations

import ast
import os

from segmenter.errors import ArgumentError
from segmenter.pieces.model import BYTE_TO_CHAR, byte_chars, to_bytes
from segmenter.pieces.wordpiece import WordPiece
from segmenter.subword import decode, normalise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats.files import FormatError, read_lines
from segmenter.subword.tokenizer import Tokenizer

#: The id that ends a text there; no text gives it.
END = "<|endoftext|>"


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """The Tokenizer of RWKV's vocabulary: from the left always the longest piece of bytes.

    Raises:
        FormatError: the file is damaged (names the line), or lacks a byte.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    vocab: dict[str, int] = {}
    for at, line in read_lines(path):
        if not line.strip():
            continue
        number, _, rest = line.partition(" ")
        spelt, _, length = rest.rpartition(" ")
        try:
            piece = ast.literal_eval(spelt)
            data = to_bytes(piece) if isinstance(piece, str) else bytes(piece)
            if len(data) != int(length) or not data:
                raise ValueError
            vocab[byte_chars(data)] = int(number)
        except (ValueError, SyntaxError, TypeError) as e:
            raise FormatError(name, f"{line!r} is not an id, a piece and its bytes", at) from e
    lacking = [byte for byte in range(256) if BYTE_TO_CHAR[byte] not in vocab]
    if lacking:
        raise FormatError(name, f"lacks the byte {lacking[0]:#04x}: no text could be spelt")
    try:
        model = WordPiece(vocab, BYTE_TO_CHAR[0], "", (1 << 31) - 1)
        return Tokenizer(
            model,
            normaliser=normalise.ByteLevel(),
            decoder=decode.ByteLevel(),
            added=[] if model.at(0) else [AddedToken(END, 0)],
            name=name,
        )
    except (ArgumentError, TypeError) as e:
        raise FormatError(name, str(e)) from e


def is_rwkv(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as RWKV's vocabulary does."""
    with open(path, "rb") as f:
        head = f.readline(1000).split()
    return len(head) >= 3 and head[0].isdigit() and head[1][:1] in (b"'", b'"', b"b")
