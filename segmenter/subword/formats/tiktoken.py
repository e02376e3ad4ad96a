"""tiktoken's rank files: a piece in base64 and its rank per line.

A piece's rank is its id and also its position in the order of merges: of all adjacent pairs, the
one whose merge gives the piece of lowest rank is merged first.  The file contains neither the
pattern that splits a text nor the special tokens: known files are recognised by their digest,
others need the name of a preset (:data:`~.presets.PRESETS`) or a pattern.
"""

from __future__ import annotations

import binascii
import hashlib
import os
from typing import TYPE_CHECKING

from segmenter.choices import one_of
from segmenter.errors import ArgumentError
from segmenter.subword import normalise, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.formats.files import FormatError, read_bytes, read_lines, splits
from segmenter.subword.formats.presets import PRESETS, Preset
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.entries import MOST
from segmenter.subword.models.model import byte_chars
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def load(
    path: str | os.PathLike[str],
    preset: str | None = None,
    *,
    pattern: str | Iterable[str] | None = None,
    special: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Read a rank file.

    Args:
        preset: a name in :data:`PRESETS`; None: recognise it by the file.
        pattern: splits a text into spans, instead of the preset's pattern; several patterns are
            applied one after another.
        special: special tokens and their ids, instead of the preset's; None without a preset means
            no special tokens.

    Raises:
        FormatError: the file is damaged (the message names the line), or a special token has the id
            of a piece.
        ArgumentError: the file is unknown, and neither ``preset`` nor ``pattern`` is given; an
            unknown preset.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    ranks = read_ranks(path)
    if preset is None and pattern is None:
        preset = _preset_of(path, ranks)
        if preset is None:
            raise ArgumentError(
                f"pattern: {name} is not a known file, and ranks do not say how to split a "
                f"text: give preset= ({', '.join(PRESETS)}) or pattern="
            )
    if preset is not None:
        one_of("preset", preset, (*PRESETS,))
    settings = Preset((), {}) if preset is None else PRESETS[preset]
    cuts = settings.patterns if pattern is None else pattern
    tokens = settings.special if special is None else special
    piece_of_rank = {rank: piece for piece, rank in ranks.items()}
    for token, number in tokens.items():
        if number in piece_of_rank:
            raise FormatError(
                name,
                f"the special token {token!r} has the id {number} of the piece "
                f"{piece_of_rank[number]!r}: give another preset=, or special=",
            )
    try:
        model = model_of(ranks)
    except ArgumentError as e:
        raise FormatError(name, str(e)) from e
    return Tokenizer(
        model,
        normaliser=normalise.make({"type": settings.normaliser} if settings.normaliser else None),
        pretokeniser=_pretokeniser((cuts,) if isinstance(cuts, str) else tuple(cuts)),
        added=[AddedToken(token, number) for token, number in tokens.items()],
        name=name,
    )


def _pretokeniser(cuts: tuple[str, ...]) -> pretokenise.PreTokeniser:
    if len(cuts) == 1:
        return pretokenise.Split(cuts[0], "Removed", invert=True)
    return pretokenise.Sequence([pretokenise.Split(cut) for cut in cuts])


def _preset_of(path: str | os.PathLike[str], ranks: Mapping[bytes, int]) -> str | None:
    """The preset that a file belongs to, regardless of its line ends and the order of lines."""
    digests = {hashlib.sha256(read_bytes(path)).hexdigest()}
    rows = sorted((rank, piece) for piece, rank in ranks.items())
    canonical = b"".join(b"%b %d\n" % (binascii.b2a_base64(p, newline=False), r) for r, p in rows)
    digests.add(hashlib.sha256(canonical).hexdigest())
    names = (name for name, preset in PRESETS.items() if preset.digest in digests)
    return next(names, None)


def is_ranks(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins with a piece in base64 and a rank."""
    with open(path, "rb") as f:
        head = f.readline(1000).split()
    try:
        return len(head) == 2 and head[1].isdigit() and bool(binascii.a2b_base64(head[0]))
    except ValueError:
        return False


def read_ranks(path: str | os.PathLike[str]) -> dict[bytes, int]:
    """Read the ranks by piece.

    Raises:
        FormatError: a line is not a piece in base64 and a number, or repeats an earlier one.
    """
    name, ranks = os.fspath(path), dict[bytes, int]()
    ranks_seen: set[int] = set()
    for line_number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            encoded, rank_text = line.split()
            if encoded == "=":  # an empty piece in Whisper's file, which never occurs in a text
                continue
            piece, number = binascii.a2b_base64(encoded, strict_mode=True), int(rank_text)
        except ValueError as e:
            reason = f"{line[:80]!r} is not a piece in base64 and its rank"
            raise FormatError(name, reason, line_number) from e
        if not 0 <= number <= MOST:
            raise FormatError(name, f"a rank is a number from 0 to {MOST:,}", line_number)
        if piece in ranks or number in ranks_seen or not piece:
            raise FormatError(name, f"{line[:80]!r}: the piece or the rank is taken", line_number)
        ranks[piece] = number
        ranks_seen.add(number)
    return ranks


def model_of(ranks: Mapping[bytes, int]) -> BPE:
    """The model for ranks: every way to split a piece into two is a merge with its rank."""
    chars = {piece: byte_chars(piece) for piece in ranks}
    rows = [(ranks[piece], chars[left], chars[right]) for piece, left, right in splits(ranks)]
    rows.sort(key=lambda row: row[0])
    return BPE(
        {chars[piece]: rank for piece, rank in ranks.items()},
        [(left, right) for _, left, right in rows],
        byte_level=True,
        ignore_merges=True,
        ranks=[rank for rank, _, _ in rows],
    )
