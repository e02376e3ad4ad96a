"""tiktoken's rank files: a piece in base64 and its rank a line.

A piece's rank is its id and its place in the order of merges: of all pairs of neighbours the one
that makes the piece of the lowest rank is merged.  The file says neither what cuts a text nor which
special tokens there are: OpenAI's files are known by their digest, others need a preset's name
(:data:`PRESETS`) or a pattern.
"""

from __future__ import annotations

import binascii
import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.subword import patterns, pretokenise
from segmenter.subword.added import AddedToken
from segmenter.subword.bpe import BPE
from segmenter.subword.formats.files import FormatError, read_bytes, read_lines
from segmenter.subword.model import byte_chars
from segmenter.subword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Preset(NamedTuple):
    """What a rank file does not say.

    Attributes:
        patterns: what cuts a text, one after another.
        special: special tokens and their ids.
        digest: SHA-256 of the published file; "": not known.
    """

    patterns: tuple[str, ...]
    special: Mapping[str, int]
    digest: str = ""


def _numbered(first: int, tokens: Iterable[str]) -> dict[str, int]:
    return {token: first + i for i, token in enumerate(tokens)}


_END = "<|endoftext|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_P50K = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_HARMONY = {
    "<|startoftext|>": 199998, _END: 199999, "<|return|>": 200002, "<|constrain|>": 200003,
    "<|channel|>": 200005, "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008,
    "<|call|>": 200012, "<|endofprompt|>": 200018,
}  # fmt: skip
_LLAMA3 = (
    "<|begin_of_text|>", "<|end_of_text|>", *(f"<|reserved_special_token_{i}|>" for i in range(4)),
    "<|start_header_id|>", "<|end_header_id|>", "<|reserved_special_token_4|>", "<|eot_id|>",
    *(f"<|reserved_special_token_{i}|>" for i in range(5, 251)),
)  # fmt: skip
_GLM4 = (
    _END, "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>",
    "<|assistant|>", "<|observation|>", "<|begin_of_image|>", "<|end_of_image|>",
    "<|begin_of_video|>", "<|end_of_video|>",
)  # fmt: skip

#: What :func:`load` knows by name; those with a digest it also knows by the file.
PRESETS: Mapping[str, Preset] = {
    "r50k_base": Preset(
        (patterns.R50K,), {_END: 50256},
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    ),
    "p50k_base": Preset((patterns.R50K,), {_END: 50256}, _P50K),
    "p50k_edit": Preset((patterns.R50K,), {_END: 50256, **_numbered(50281, _FIM)}, _P50K),
    "cl100k_base": Preset(
        (patterns.CL100K,),
        {**_numbered(100257, (_END, *_FIM)), "<|endofprompt|>": 100276},
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": Preset((patterns.O200K,), {_END: 199999, "<|endofprompt|>": 200018}, _O200K),
    "o200k_harmony": Preset(
        (patterns.O200K,),
        {
            **_HARMONY,
            **{
                f"<|reserved_{i}|>": i
                for i in range(200000, 201088)
                if i == 200018 or i not in _HARMONY.values()
            },
        },
        _O200K,
    ),
    "qwen": Preset((patterns.QWEN,), _numbered(151643, (_END, "<|im_start|>", "<|im_end|>"))),
    "deepseek-v3": Preset(patterns.DEEPSEEK3, {}),
    "llama3": Preset((patterns.LLAMA3,), _numbered(128000, _LLAMA3)),
    "llama4": Preset(
        (patterns.O200K,), _numbered(200000, ("<|begin_of_text|>", "<|end_of_text|>"))
    ),
    "glm4": Preset((patterns.LLAMA3,), _numbered(151329, _GLM4)),
}  # fmt: skip


def load(
    path: str | os.PathLike[str],
    preset: str | None = None,
    *,
    pattern: str | Iterable[str] | None = None,
    special: Mapping[str, int] | None = None,
) -> Tokenizer:
    """The Tokenizer of a rank file.

    Args:
        path: the file.
        preset: a name of :data:`PRESETS`; None: the one whose file this is.
        pattern: what cuts a text into spans (several: one after another), instead of the preset's.
        special: special tokens and their ids, instead of the preset's; without a preset none.

    Raises:
        FormatError: the file is damaged (names the line), or a preset's special token has the id
            of one of its pieces.
        ArgumentError: the file is none that is known here, and neither ``preset`` nor ``pattern``
            says what cuts a text; an unknown preset.
        OSError: it cannot be read.
    """
    name = os.fspath(path)
    ranks = read_ranks(path)
    if preset is None and pattern is None:
        preset = _known(path, ranks)
        if preset is None:
            raise ArgumentError(
                f"pattern: {name} is none of OpenAI's files, and ranks do not say what cuts a "
                f"text: give preset= ({', '.join(PRESETS)}) or pattern="
            )
    if preset is not None and preset not in PRESETS:
        raise ArgumentError(f"preset: {preset!r} is none of {', '.join(PRESETS)}")
    chosen = Preset((), {}) if preset is None else PRESETS[preset]
    cuts = chosen.patterns if pattern is None else pattern
    tokens = chosen.special if special is None else special
    taken = {rank: piece for piece, rank in ranks.items()}
    for token, number in tokens.items():
        if number in taken:
            raise FormatError(
                name,
                f"the special token {token!r} has the id {number} of the piece {taken[number]!r}: "
                "give another preset=, or special=",
            )
    return Tokenizer(
        model_of(ranks),
        pretokeniser=_cutting((cuts,) if isinstance(cuts, str) else tuple(cuts)),
        added=[AddedToken(token, number) for token, number in tokens.items()],
        name=name,
    )


def _cutting(cuts: tuple[str, ...]) -> pretokenise.PreTokeniser:
    if len(cuts) == 1:
        return pretokenise.Split(cuts[0], "Removed", invert=True)
    return pretokenise.Sequence([pretokenise.Split(cut) for cut in cuts])


def _known(path: str | os.PathLike[str], ranks: Mapping[bytes, int]) -> str | None:
    """The preset whose file this is, however its lines end and whatever their order."""
    digests = {hashlib.sha256(read_bytes(path)).hexdigest()}
    rows = sorted((rank, piece) for piece, rank in ranks.items())
    whole = b"".join(b"%b %d\n" % (binascii.b2a_base64(p, newline=False), r) for r, p in rows)
    digests.add(hashlib.sha256(whole).hexdigest())
    found = (name for name, preset in PRESETS.items() if preset.digest in digests)
    return next(found, None)


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
