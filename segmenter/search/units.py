"""The units of a text: characters with their marks, and runs of letters or digits.

They depend on the text alone, not on the words that a decoder cuts it into.  So a text and a query
have the same units wherever they are the same.

>>> [text[u.start : u.end] for text in ("AI为2️⃣e\u0301te\u0301",) for u in units(text)]
['AI', '为', '2️⃣', 'e\u0301te\u0301']
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import SUBWORDS
from segmenter.text import chars
from segmenter.text.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from segmenter.atoms import Atoms
    from segmenter.choices import Oov
    from segmenter.lexicon.user import UserDictionary

    class HasOptions(Protocol):
        """A Segmenter, as far as units are concerned."""

        @property
        def oov(self) -> Oov: ...
        @property
        def atoms(self) -> Atoms: ...
        @property
        def user(self) -> UserDictionary: ...


_KEYCAP = 0x20E3
# A letter for each class of characters that matters here; "x" for all others.
_LETTERS = {
    chars.DIGIT: "d", chars.LATIN: "l", chars.BLANK: "b", chars.CR: "r", chars.LF: "n",
    chars.GREEK: "g", chars.CYRILLIC: "c", chars.LETTER: "o", chars.EXTEND: "e",
    chars.HAN: "t", chars.HANNUM: "t", chars.KATAKANA: "t", chars.HIRAGANA: "t", chars.HANGUL: "t",
}  # fmt: skip

# 1️⃣ stands alone, as in every decoder; line ends take no marks
_FIRST = "de*k[ek]*|n|r|(?:b+|g+|c+|o+|[tx])[ek]*|[ek]+"
_WHOLE = re.compile(_FIRST + "|(?:(?!de*k)[dl][ek]*)+")
_SPLIT = re.compile(_FIRST + "|[dl][ek]*")

_KINDS = {
    letter: KINDS.index(kind)
    for letters, kind in (
        ("d", "number"), ("l", "latin"), ("gco", "script"), ("br", "space"), ("n", "newline"),
        ("tx", "unknown"), ("ek", "unknown"),
    )
    for letter in letters
}  # fmt: skip

#: Rules of atoms whose setting ``"split"`` cuts between letters and digits: v2, iOS17, 5kg.
_CUTTING = ("version", "code", "quantity")


class Unit(NamedTuple):
    """A unit of a text."""

    start: int
    end: int
    kind: int
    joins: bool  # can be part of an n-gram


class _Classes(dict[int, str]):
    def __missing__(self, point: int) -> str:
        letter = _LETTERS.get(chars.char_class(chars.fold(point)), "x")
        got = self[point] = "k" if point == _KEYCAP else letter
        return got


_CLASSES = _Classes()


def units(text: str, *, split: bool = False) -> Iterator[Unit]:
    """Yield the units of a text, which tile it.

    Args:
        text: any text.
        split: treat letters and digits as single characters.
    """
    classes = text.translate(_CLASSES)
    for found in (_SPLIT if split else _WHOLE).finditer(classes):
        start, end = found.span()
        first = classes[start]
        kind = _KINDS[first]
        if first == "d" and end - start > 1 and "l" in found.group():
            kind = _KINDS["l"]
        yield Unit(start, end, kind, first == "t" or (split and first in "dl"))


def cuts_runs(segmenter: HasOptions) -> bool:
    """Whether the Segmenter's options let words begin or end inside a unit.

    Such are vocabularies of subwords, atoms that are split between a letter and a digit, and user
    words that are split there or may stand inside a run.
    """
    if segmenter.oov in SUBWORDS or any(segmenter.atoms[name] == "split" for name in _CUTTING):
        return True
    for entry in segmenter.user.cutting():
        word = entry.word
        inside = {u.start for u in units(word)}
        if entry.inside and set(word[0].translate(_CLASSES) + word[-1].translate(_CLASSES)) - {
            "t", "x"
        }:  # fmt: skip
            return True
        at = 0
        for part in entry.parts:
            if at and at not in inside:
                return True
            at += len(part)
    return False
