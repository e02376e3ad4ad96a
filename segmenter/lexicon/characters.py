"""The characters of a lexicon: their ids and classes, and the map from code points.

The map includes folding of width and case, so that text needs no folded copy.
"""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

# Profiles say which characters form runs and whether look-ups fold.
PROFILES = ("default", "jieba")

RULE_CHARS = "年月份日时分第点之"


def code_points(texts: Iterable[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the code points of texts in a row, uint32, and their offsets, one more than texts.

    >>> codes, offsets = code_points(["一", "二三"])
    >>> codes.tolist() == [*map(ord, "一二三")], offsets.tolist()
    (True, [0, 1, 3])
    """
    texts = texts if isinstance(texts, list) else list(texts)
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32), offsets


def _jieba_class(cp: int) -> int:
    # jieba joins ASCII letters and digits into runs and has no other class.
    if chr(cp).isascii() and chr(cp).isalnum():
        return chars.LATIN
    return {0x0A: chars.LF, 0x0D: chars.CR}.get(cp, chars.OTHER)


#: The number of code points in the two planes with characters of many classes.
_PLANES = 0x20000


@functools.cache
def _planes(
    fold: Callable[[int], int], char_class: Callable[[int], int]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Folded code points of the first two planes and their classes, the same for all lexicons."""
    folded = np.fromiter(map(fold, range(_PLANES)), np.uint32, _PLANES)
    classes = np.fromiter(map(char_class, range(_PLANES)), np.uint8, _PLANES)
    return folded, classes[folded]


def _identity(cp: int) -> int:
    return cp


class CharTable:
    """Character ids of a lexicon and the map from code points to them.

    Id 0 stands for all unknown characters.  Then follow the characters of classes that form runs,
    Chinese numerals last (below ``n_runs``); the characters that join runs, like the point in 3.14
    (below ``n_special``); the characters of the rules for numbers and dates, adjacent, for a range
    test; and all others, most frequent first.
    """

    def __init__(self, weights: Mapping[str, float], profile: str) -> None:
        if profile not in PROFILES:
            raise ArgumentError(f"profile: {profile!r} is not one of {', '.join(PROFILES)}")
        self.profile = profile
        jieba = profile == "jieba"
        self._class = _jieba_class if jieba else chars.char_class
        self._fold = _identity if jieba else chars.fold
        fixed = "0123456789abcdefghijklmnopqrstuvwxyz"
        if not jieba:
            fixed += chars.HAN_NUMERALS + ".·：/，%‰- " + RULE_CHARS
        fixed += "\n\r"
        characters = {ord(c) for c in weights} | {ord(c) for c in fixed}
        class_of = {cp: self._class(cp) for cp in characters}
        in_runs = {cp for cp in characters if class_of[cp] not in chars.ORDINARY}
        special = [cp for cp in map(ord, fixed) if cp in in_runs]  # digits adjacent
        special += sorted(in_runs - set(special))
        ids: dict[int, int] = {}
        classes = [chars.OTHER]
        # one id per class for the characters that are not in the lexicon
        self.generic = {chars.OTHER: 0}

        def assign_ids(group: Collection[int]) -> int:
            for cp in special:
                if class_of[cp] in group:
                    ids[cp] = len(classes)
                    classes.append(class_of[cp])
            for code in sorted(group):
                self.generic[code] = len(classes)
                classes.append(code)
            return len(classes)

        runs = set(range(1, chars.HAN)) - chars.JOINERS
        assign_ids(runs - {chars.HANNUM})
        self.n_runs = assign_ids({chars.HANNUM})
        self.n_special = assign_ids(chars.JOINERS)
        for cp in [] if jieba else map(ord, RULE_CHARS):
            ids[cp] = len(classes)
            classes.append(class_of[cp])
        for code in (chars.HAN, chars.PUNCT):
            self.generic[code] = len(classes)
            classes.append(code)
        ordinary = [cp for cp in characters if cp not in ids]
        ordinary.sort(key=lambda cp: (-weights.get(chr(cp), 0.0), cp))
        for cp in ordinary:
            ids[cp] = len(classes)
            classes.append(class_of[cp])
        if len(classes) > 0x7FFF:
            raise ArgumentError(
                f"entries: {len(classes):,} distinct characters, a double array holds 32,767: "
                "leave out words of rare characters"
            )
        self.ids = ids
        self.classes = bytes(classes)

    def entry(self, cp: int) -> int:
        """Return the map entry of a code point: the id, and bit 15 if it is not canonical."""
        folded = self._fold(cp)
        character_id = self.ids.get(folded)
        if character_id is None:
            return self.generic[self._class(folded)] | 0x8000
        return character_id if folded == cp else character_id | 0x8000

    def _entries(self) -> np.ndarray[Any, Any]:
        """:meth:`entry` of every code point of the first two planes."""
        folded, classes = _planes(self._fold, self._class)
        ids = np.zeros(_PLANES, np.uint16)
        for cp, character_id in self.ids.items():
            if cp < _PLANES:
                ids[cp] = character_id
        generic = np.array([self.generic[c] for c in range(len(self.generic))], np.uint16)
        entries: np.ndarray[Any, Any] = ids[folded]
        unknown = entries == 0
        entries[unknown] = generic[classes[unknown]]
        entries[unknown | (folded != np.arange(_PLANES))] |= 0x8000
        return entries

    def sections(self) -> dict[str, bytes]:
        entries = self._entries()
        pages = np.zeros(0x1000, np.uint16)
        blocks: dict[bytes, int] = {}
        other = struct.pack("<H", 0x8000) * 256
        han = struct.pack("<H", self.generic[chars.HAN] | 0x8000) * 256
        stored_blocks = [bytes(512)]
        pages_of_words = {cp >> 8 for cp in self.ids if cp > 0xFFFF}
        for page in range(0x100, 0x1100):
            start = page << 8
            if page < 0x200:
                raw = entries[start : start + 0x100].tobytes()
            elif page in pages_of_words or page in (0xE00, 0xE01):
                raw = struct.pack("<256H", *(self.entry(start + k) for k in range(256)))
            elif 0x200 <= page < 0x400 and self.profile != "jieba":
                raw = han
            else:
                raw = other
            if raw not in blocks:
                blocks[raw] = len(stored_blocks)
                stored_blocks.append(raw)
            pages[page - 0x100] = blocks[raw]
        return {
            "charmap.bmp": entries[:0x10000].tobytes(),
            "charmap.pages": pages.tobytes(),
            "charmap.blocks": b"".join(stored_blocks),
            "charmap.classes": self.classes,
        }

    def encode(self, words: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the character ids of folded words in a row, and their offsets."""
        codes, offsets = code_points(words)
        return self.encode_codes(codes), offsets

    def encode_codes(self, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the character ids of folded code points; 0 for characters without one."""
        table = np.zeros(0x110000, np.uint16)
        table[list(self.ids)] = list(self.ids.values())
        ids: np.ndarray[Any, Any] = table[codes]
        return ids

    def ids_of(self, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the character ids of a text's code points."""
        unique, inverse = np.unique(codes, return_inverse=True)
        unique_ids = np.array([self.entry(int(cp)) & 0x7FFF for cp in unique], np.uint16)
        return unique_ids[inverse]
