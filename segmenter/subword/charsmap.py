"""SentencePiece's normalisation: a precompiled map of characters, blanks, a dummy prefix.

``.model`` files and the ``Precompiled`` entries of ``tokenizer.json`` contain a *precompiled
charsmap*: the length of a double array (Darts-clone, Yata) in bytes, the array, and the
NUL-terminated replacements.  The array maps UTF-8 sequences to positions among the replacements.
SentencePiece replaces the longest sequence at each position; ``tokenizers`` works on grapheme
clusters, see :class:`Precompiled`.

>>> from segmenter.subword.aligned import Aligned
>>> SentencePiece()(Aligned("  to  be ")).text
'▁to▁be'
"""

from __future__ import annotations

import base64
import binascii
import unicodedata
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.kernels import _subword
from segmenter.subword.aligned import check_length
from segmenter.subword.characters import contains, library
from segmenter.subword.models import entries
from segmenter.subword.models.model import to_bytes
from segmenter.subword.normaliser import Normaliser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.subword.aligned import Aligned

SPACE = "▁"


def rules(data: bytes) -> _subword.CharsMap:
    """The rules of a precompiled map; of an empty one none.

    Raises:
        ArgumentError: the data is damaged.
    """
    size = int.from_bytes(data[:4], "little")
    if data and (len(data) < 4 or size % 4 or 4 + size > len(data) or not size):
        raise ArgumentError(
            "precompiled_charsmap: the array has a wrong size: the model is damaged"
        )
    return _subword.CharsMap(data[4 : 4 + size], data[4 + size :])


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def of_base64(text: str) -> bytes:
    """Decode a charsmap as stored in ``tokenizer.json``.

    Raises:
        ArgumentError: it is not base64.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as e:
        raise ArgumentError(f"precompiled_charsmap: not base64: {e}") from e


@dataclass(eq=False, repr=False)
class SentencePiece(Normaliser):
    """SentencePiece's normalisation, as done before its model runs.

    ``tokenizer.json`` has no entry for it and uses several steps instead.

    Args:
        charsmap: the precompiled map of characters.
        add_dummy_prefix: put a blank in front of the text (after it with ``suffix``).
        remove_extra_whitespaces: drop blanks at both ends and collapse runs of blanks.
        escape_whitespaces: write ``▁`` for a blank.
        suffix: blanks end words (``treat_whitespace_as_suffix``).
        symbols: user-defined symbols, which are left unchanged.
    """

    kind = "SentencePiece"
    whole = True

    charsmap: bytes = entries.named("precompiled_charsmap", b"", write=_base64, read=of_base64)
    _: KW_ONLY
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    suffix: bool = False
    symbols: Iterable[str] = ()

    def __post_init__(self) -> None:
        self.symbols = tuple(self.symbols)
        self.kernel = _subword.SentencePieceNormaliser(
            rules(self.charsmap),
            symbols=_subword.TokenFinder(dict.fromkeys(filter(None, self.symbols))),
            mark=self.add_dummy_prefix,
            suffix=self.suffix,
            collapse=self.remove_extra_whitespaces,
            blank=SPACE if self.escape_whitespaces else " ",
        )

    def __call__(self, text: Aligned) -> Aligned:
        if not text.text:
            return text

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = self.kernel.spans(text.text, text.covering)
            if not text.original:
                pairs = [text.span(a, b) for a, b in zip(starts, ends, strict=True)]
                return [a for a, _ in pairs], [b for _, b in pairs]
            return [text.base + a for a in starts], [text.base + b for b in ends]

        try:
            new_text = self.kernel.text(text.text)
        except RuntimeError as e:  # it would be too long
            raise ArgumentError(str(e)) from None
        return text.with_text(new_text, spans)


@cache
def extends(c: str) -> bool:
    """Whether a character belongs to the grapheme cluster before it (Unicode Annex 29)."""
    return contains(library("EXTENDING"), c)


@cache
def _stands_alone(c: str) -> bool:
    """Whether a character is always a cluster of its own: controls and most invisible ones."""
    return unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\u200c\u200d"


@dataclass(eq=False, repr=False)
class Precompiled(Normaliser):
    """The ``Precompiled`` normaliser of ``tokenizers``: a charsmap over grapheme clusters.

    A cluster of fewer than six bytes that starts with a rule's sequence is replaced as a whole; in
    other clusters each character is replaced separately.
    """

    kind = "Precompiled"

    charsmap: bytes = entries.named("precompiled_charsmap", write=_base64, read=of_base64)

    def __post_init__(self) -> None:
        self.map = rules(self.charsmap)

    def __call__(self, text: Aligned) -> Aligned:
        if self.map.plain(text.text):
            return text
        rows: list[tuple[str | None, int, int]] = []
        start, n, size = 0, len(text.text), 0
        while start < n:
            end, counted = start + 1, len(rows)
            first_char = text.text[start]
            if first_char == "\r" and text.text.startswith("\n", end):
                end += 1
            elif not _stands_alone(first_char):
                while end < n and extends(text.text[end]):
                    end += 1
            cluster = text.text[start:end]
            replacement = self.map.shortest(cluster) if len(to_bytes(cluster)) < 6 else None
            if replacement is not None:
                rows.append((replacement, start, end))
            else:
                rows += [(self.map.shortest(c), i, i + 1) for i, c in enumerate(cluster, start)]
            size += sum(len(row[0] or "") for row in rows[counted:])
            check_length(size, text.limit)
            start = end
        parts = [(text.text[a:b] if new is None else new, a, b) for new, a, b in rows]
        if text.covering:
            return text.rebuilt(parts)
        return text.transformed("".join(row[0] for row in parts), lambda: _changes(rows))


def _changes(rows: list[tuple[str | None, int, int]]) -> list[int]:
    """The changes as ``tokenizers`` counts them: removed characters go with the preceding one."""
    changes: list[int] = []
    for replacement, a, b in rows:
        new, old = (1 if replacement is None else len(replacement)), b - a
        changes += [0] * min(new, old) + [1] * (new - old)
        if new < old and changes:
            changes[-1] += new - old
    return changes
