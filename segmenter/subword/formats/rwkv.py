"""RWKV's vocabulary, ``rwkv_vocab_v20230424.txt``, which is applied by greedy longest match.

A line consists of an id, the piece as a Python literal (``'…'`` or ``b'…'``) and its length in
bytes.
"""

from __future__ import annotations

import ast
import os

from segmenter.errors import ArgumentError
from segmenter.subword import decode, normalise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats.files import FormatError, read_lines
from segmenter.subword.models.model import BYTE_TO_CHAR, byte_chars, to_bytes
from segmenter.subword.models.wordpiece import WordPiece
from segmenter.subword.tokenizer import Tokenizer

#: The token that ends a text, which no text produces.
END = "<|endoftext|>"


def load(path: str | os.PathLike[str]) -> Tokenizer:
    """Read RWKV's vocabulary; the Tokenizer takes the longest piece of bytes from the left.

    Raises:
        FormatError: the file is damaged (the message names the line), or lacks a byte.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    vocab: dict[str, int] = {}
    for line_number, line in read_lines(path):
        if not line.strip():
            continue
        number, _, rest = line.partition(" ")
        literal, _, length = rest.rpartition(" ")
        try:
            piece = ast.literal_eval(literal)
            data = to_bytes(piece) if isinstance(piece, str) else bytes(piece)
            if len(data) != int(length) or not data:
                raise ValueError
            vocab[byte_chars(data)] = int(number)
        except (ValueError, SyntaxError, TypeError) as e:
            reason = f"{line!r} is not an id, a piece and its bytes"
            raise FormatError(name, reason, line_number) from e
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
    """Whether a file begins like RWKV's vocabulary."""
    with open(path, "rb") as f:
        head = f.readline(1000).split()
    return len(head) >= 3 and head[0].isdigit() and head[1][:1] in (b"'", b'"', b"b")
