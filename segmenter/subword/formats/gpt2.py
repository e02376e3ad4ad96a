"""GPT-2's format: ``vocab.json`` and ``merges.txt`` (Radford et al. 2019).

Pieces are written in an alphabet of 256 printable characters, one per byte.  GPT-2 has 50,257 ids:
256 bytes, 50,000 merges and ``<|endoftext|>``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.subword import pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats.files import FormatError, read_json, read_lines
from segmenter.subword.models.bpe import BPE
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable


def load(
    vocab: str | os.PathLike[str],
    merges: str | os.PathLike[str],
    *,
    special: Iterable[str] = ("<|endoftext|>",),
    add_prefix_space: bool = False,
) -> Tokenizer:
    """Read a ``vocab.json`` and a ``merges.txt``.

    Args:
        vocab: file with a dict from piece to id.
        merges: file with one pair per line, in the order learnt; an initial ``#version`` line is
            skipped.
        special: pieces that are special tokens if the vocabulary has them.
        add_prefix_space: prepend a blank to a text that does not begin with one.

    Raises:
        FormatError: a file is damaged; the message names it and the line.
        OSError: it cannot be read.
    """
    name = os.fspath(vocab)
    pieces = read_json(vocab)
    if not isinstance(pieces, dict):
        raise FormatError(name, "expected an object of pieces and ids")
    try:
        model = BPE(pieces, read_merges(merges), byte_level=True)
    except (ArgumentError, TypeError) as e:
        raise FormatError(name, str(e)) from e
    return Tokenizer(
        model,
        pretokeniser=pretokenise.ByteLevel(add_prefix_space),
        added=[AddedToken(piece, pieces[piece]) for piece in special if piece in pieces],
        name=name,
    )


def read_merges(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """The pairs of a ``merges.txt``.

    Raises:
        FormatError: a line is not a pair.
    """
    pairs: list[tuple[str, str]] = []
    for number, line in read_lines(path):
        line = line.removesuffix("\r")
        if not line or (number == 1 and line.startswith("#version")):
            continue
        pair = line.split(" ")
        if len(pair) != 2:
            reason = f"{line[:80]!r} is not a pair of pieces with one blank between"
            raise FormatError(os.fspath(path), reason, number)
        pairs.append((pair[0], pair[1]))
    return pairs
