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
import sys
import unicodedata
from array import array
from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.subword.characters import contains, library
from segmenter.subword.models import entries
from segmenter.subword.models.model import longest_first, to_bytes
from segmenter.subword.normaliser import Normaliser, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.subword.aligned import Aligned

SPACE = "▁"
_NODES = 4096  # nodes of the array whose children are looked up at a time
_LONGEST = 256  # characters per rule at most: a damaged array may contain cycles
_STATES = 16  # states per position of the array at most, on average


class CharsMap:
    """Rules that replace sequences of characters.

    Args:
        data: the precompiled map; empty: no rules.

    Raises:
        ArgumentError: the data is damaged.
    """

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        size = int.from_bytes(data[:4], "little")
        if data and (len(data) < 4 or size % 4 or 4 + size > len(data) or not size):
            raise ArgumentError("precompiled_charsmap: it is damaged: its array has a wrong size")
        units = array("I")
        units.frombytes(data[4 : 4 + size])
        if sys.byteorder == "big":
            units.byteswap()
        self._units = units
        self._made = data[4 + size :]
        self._rules: dict[str, tuple[str | None, int]] = {}

    def _walk(self, node: int, c: str) -> tuple[str | None, int]:
        """The replacement of a sequence that ends with ``c``, and the node to continue from (-1:
        none); node 0 is the root."""
        units, at = self._units, node
        for byte in to_bytes(c):
            at ^= _offset(units[at]) ^ byte
            if at >= len(units) or units[at] & 0x800000FF != byte:
                return None, -1
        made = None
        leaf = at ^ _offset(units[at])
        if units[at] >> 8 & 1 and leaf < len(units):
            place = units[leaf] & 0x7FFFFFFF
            made = self._made[place : self._made.find(b"\0", place)].decode("utf-8", "replace")
        return made, at

    def rule(self, c: str) -> tuple[str | None, int]:
        """:meth:`_walk` from the root, cached."""
        found = self._rules.get(c)
        if found is None:
            found = self._rules[c] = self._walk(0, c) if self._units else (None, -1)
        return found

    def plain(self, text: str) -> bool:
        """Whether no rule begins with any character of ``text``."""
        return all(self.rule(c)[1] == -1 for c in set(text))

    @cached_property
    def inner(self) -> frozenset[str]:
        """Characters that occur in a rule's sequence after the first.

        Raises:
            ArgumentError: the array is not a trie: it has too many paths, or endless ones.
        """
        import numpy as np

        units = np.frombuffer(self._units.tobytes(), np.uint32).astype(np.int64)
        out: set[int] = set()
        every = np.arange(1, 256)
        at = np.zeros(min(1, len(units)), np.int64)
        number, left, behind = at.copy(), at.copy(), at.copy()
        seen: set[int] = set()  # sequences may share their ends, so nodes are met repeatedly
        todo = [(at, number, left, behind)]
        while todo:
            at, number, left, behind = todo.pop()
            place = (units[at] >> 10) << ((units[at] & 0x200) >> 6)
            child = (at ^ place)[:, None] ^ every
            inside = child < len(units)
            met = inside & (units[np.where(inside, child, 0)] & 0x800000FF == every)
            row, column = np.nonzero(met)
            byte = every[column]
            begins = left[row] == 0
            size = (byte >= 0xC0).astype(np.int64) + (byte >= 0xE0) + (byte >= 0xF0)
            lead = np.where(byte < 0x80, byte, byte & (0x3F >> size))
            number = np.where(begins, lead, number[row] << 6 | (byte & 0x3F))
            left = np.where(begins, size, left[row] - 1)
            behind = np.minimum(behind[row] + begins, 2)
            at = child[row, column]
            whole = left == 0
            out.update(number[whole & (behind == 2) & (number <= 0x10FFFF)].tolist())
            number[whole] = 0  # the rest of a sequence does not depend on it
            keys = ((at << 21 | number) << 2 | left) << 2 | behind
            fresh = np.array([k not in seen for k in keys.tolist()], bool)
            seen.update(keys[fresh].tolist())
            if len(seen) > _STATES * len(units):
                raise ArgumentError("precompiled_charsmap: it is damaged: its array is not a trie")
            for a in range(0, len(at), _NODES):
                part = np.flatnonzero(fresh[a : a + _NODES]) + a
                if len(part):
                    todo.append((at[part], number[part], left[part], behind[part]))
        return frozenset(map(chr, out))

    def longest(self, text: str, start: int) -> tuple[str, int]:
        """The replacement at a position of the text, and the end of the text that it replaces."""
        made, node = self.rule(text[start])
        out, end = (text[start], start + 1) if made is None else (made, start + 1)
        at, last = start + 1, min(len(text), start + _LONGEST)
        while node != -1 and at < last:
            made, node = self._walk(node, text[at])
            at += 1
            if made is not None:
                out, end = made, at
        return out, end

    def shortest(self, chunk: str) -> str | None:
        """The replacement of the shortest prefix of ``chunk`` that has a rule."""
        node = 0
        for i, c in enumerate(chunk):
            made, node = self._walk(node, c) if i else self.rule(c)
            if made is not None:
                return made
            if node == -1:
                return None
        return None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


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
        raise ArgumentError(f"precompiled_charsmap: it is not base64: {e}") from e


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
        self.map = CharsMap(self.charsmap)
        self.symbols = tuple(self.symbols)
        self._symbol = longest_first(self.symbols)
        self._table = Table(self._one)

    def __call__(self, text: Aligned) -> Aligned:
        if not text.text:
            return text
        simple = self._simple(text)
        if simple is not None:
            return simple
        parts = self._replaced(text.text)
        space = SPACE if self.escape_whitespaces else " "
        begin, end = 0, len(text.text)
        if self.remove_extra_whitespaces:
            begin = next((a for made, a, _ in parts if made != " "), end)
            if all(made == " " for made, _, _ in parts):
                return text.rebuilt([])
            parts = _single_blanks(parts)
        if self.escape_whitespaces:
            parts = [(made.replace(" ", SPACE), a, b) for made, a, b in parts]
        if self.remove_extra_whitespaces:
            while parts and not (kept := parts[-1][0].rstrip(space)):
                end = parts.pop()[1]
            if parts:
                if kept != parts[-1][0]:
                    end = parts[-1][1]
                parts[-1] = (kept, *parts[-1][1:])
        if self.add_dummy_prefix and (parts or self.suffix or not self.remove_extra_whitespaces):
            at = 0
            if not text.covering:
                at = end if self.suffix else begin
            elif self.suffix and parts:
                at = parts[-1][2]
            parts.insert(len(parts) if self.suffix else 0, (space, at, at))
        if text.covering:
            return text.rebuilt(parts)
        made = "".join(part for part, _, _ in parts)
        return text.anew(made, lambda: self._columns(text, parts, end))

    def _columns(
        self, text: Aligned, parts: list[tuple[str, int, int]], end: int
    ) -> tuple[list[int], list[int]]:
        """SentencePiece's offsets: a character covers the text from its own origin to the origin of
        the next character."""
        starts = [text.span(a, a)[0] for part, a, _ in parts for _ in part]
        return starts, [*starts[1:], text.span(end, end)[0]]

    def _one(self, c: str) -> str:
        made = self.map.rule(c)[0]
        if c in self.map.inner:
            return ""
        return c if made is None else made

    def _simple(self, text: Aligned) -> Aligned | None:
        """The same for a text that changes character by character; None for other texts."""
        if self._symbol or self.suffix or not text.original:
            return None
        # a character that may continue a rule rules this out, whatever precedes it
        made, single = self._table(text.text) if self.map.data else (text.text, True)
        if not single and (not made or not self.map.inner.isdisjoint(text.text)):
            return None
        if self.remove_extra_whitespaces and (
            made[0] == " " or made[-1] in (" ", SPACE) or "  " in made
        ):
            return None
        if self.escape_whitespaces:
            made = made.replace(" ", SPACE)
        prefix = "" if not self.add_dummy_prefix else SPACE if self.escape_whitespaces else " "
        lengths = None if single else lambda: self._table.lengths(text.text)
        if text.covering and not prefix:
            return text.mapped(made, lengths)

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = text.mapped(made, lengths).columns()
            before = [text.base] * len(prefix)
            starts = before + starts
            if text.covering:
                return starts, before + ends
            return starts, [*starts[1:], text.base + len(text.text)]

        return text.anew(prefix + made, spans)

    def _replaced(self, text: str) -> list[tuple[str, int, int]]:
        """(replacement, start, end) of consecutive parts of the text."""
        symbol = self._symbol
        parts: list[tuple[str, int, int]] = []
        at = 0
        while at < len(text):
            found = symbol.match(text, at) if symbol else None
            if found:
                made, end = found.group(), found.end()
            else:
                made, end = self.map.longest(text, at)
            parts.append((made, at, end))
            at = end
        return parts


def _single_blanks(parts: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Drop blanks that begin the text or follow a blank."""
    out = []
    heading = True  # until a part is more than one blank
    blank = True
    for made, a, b in parts:
        if heading and made == " ":
            continue
        heading = False
        kept = made.lstrip(" ") if blank else made
        if kept:
            out.append((kept, a, b))
            blank = kept.endswith(" ")
    return out


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

    Args:
        charsmap: the precompiled map.
    """

    kind = "Precompiled"

    charsmap: bytes = entries.named("precompiled_charsmap", write=_base64, read=of_base64)

    def __post_init__(self) -> None:
        self.map = CharsMap(self.charsmap)

    def __call__(self, text: Aligned) -> Aligned:
        if self.map.plain(text.text):
            return text
        rows: list[tuple[str | None, int, int]] = []
        at, n = 0, len(text.text)
        while at < n:
            end = at + 1
            first = text.text[at]
            if first == "\r" and text.text.startswith("\n", end):
                end += 1
            elif not _stands_alone(first):
                while end < n and extends(text.text[end]):
                    end += 1
            cluster = text.text[at:end]
            made = self.map.shortest(cluster) if len(to_bytes(cluster)) < 6 else None
            if made is not None:
                rows.append((made, at, end))
            else:
                rows += [(self.map.shortest(c), i, i + 1) for i, c in enumerate(cluster, at)]
            at = end
        whole = [(text.text[a:b] if made is None else made, a, b) for made, a, b in rows]
        if text.covering:
            return text.rebuilt(whole)
        return text.transformed("".join(row[0] for row in whole), lambda: _changes(rows))


def _changes(rows: list[tuple[str | None, int, int]]) -> list[int]:
    """The changes as ``tokenizers`` counts them: removed characters go with the preceding one."""
    out: list[int] = []
    for made, a, b in rows:
        new, old = (1 if made is None else len(made)), b - a
        out += [0] * min(new, old) + [1] * (new - old)
        if new < old and out:
            out[-1] += new - old
    return out


#: Readers of entries of ``tokenizer.json``, by type.
READERS = entries.readers(Precompiled, SentencePiece)
