"""tiktoken's rank files: a piece in base64 and its rank a line.

A piece's rank is its id and its place in the order of merges: of all pairs of neighbours the one
that makes the piece of the lowest rank is merged.
"""

from __future__ import annotations

import binascii
import os
from typing import TYPE_CHECKING

from segmenter.subword import patterns, pretokenise
from segmenter.subword.bpe import BPE
from segmenter.subword.formats.files import FormatError, read_lines
from segmenter.subword.model import byte_chars
from segmenter.subword.tokenizer import AddedToken, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Special tokens of cl100k_base.
CL100K_SPECIAL: Mapping[str, int] = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str = patterns.CL100K,
    special: Mapping[str, int] | None = None,
) -> Tokenizer:
    """The Tokenizer of a rank file.

    Args:
        path: the file.
        pattern: what cuts a text into spans; by default cl100k_base's.
        special: special tokens and their ids; None: cl100k_base's, those beyond the file's ids.

    Raises:
        FormatError: the file is damaged; names the line.
        OSError: it cannot be read.
    """
    ranks = read_ranks(path)
    size = max(ranks.values(), default=-1) + 1
    if special is None:
        special = {t: i for t, i in CL100K_SPECIAL.items() if i >= size}
    return Tokenizer(
        model_of(ranks),
        pretokeniser=pretokenise.Split(pattern, "Removed", invert=True),
        added=[AddedToken(token, number) for token, number in special.items()],
        name=os.fspath(path),
    )


def read_ranks(path: str | os.PathLike[str]) -> dict[bytes, int]:
    """Piece to rank.

    Raises:
        FormatError: a line is not a piece in base64 and a number, or repeats one.
    """
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            spelt, rank = line.split()
            piece, place = binascii.a2b_base64(spelt, strict_mode=True), int(rank)
        except ValueError as e:
            raise FormatError(
                os.fspath(path), f"{line!r} is not a piece in base64 and its rank", number
            ) from e
        if piece in ranks or place in seen or place < 0 or not piece:
            raise FormatError(os.fspath(path), f"{line!r}: the piece or the rank is taken", number)
        ranks[piece] = place
        seen.add(place)
    return ranks


def model_of(ranks: Mapping[bytes, int]) -> BPE:
    """The model of pieces with ranks: every way to make a piece of two is a merge of its rank."""
    chars = {piece: byte_chars(piece) for piece in ranks}
    rows = []
    for piece, rank in ranks.items():
        for i in range(1, len(piece)):
            left, right = piece[:i], piece[i:]
            if left in ranks and right in ranks:
                rows.append((rank, chars[left], chars[right]))
    rows.sort(key=lambda row: row[0])
    return BPE(
        {chars[piece]: rank for piece, rank in ranks.items()},
        [(left, right) for _, left, right in rows],
        byte_level=True,
        ignore_merges=True,
        ranks=[rank for rank, _, _ in rows],
    )
