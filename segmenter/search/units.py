"""The units of a text: characters with their marks, and runs of letters or digits.

Units depend on the text alone, not on its segmentation.  So equal strings in a text and a query
have equal units.

>>> [text[u.start : u.end] for text in ("AI为2️⃣e\u0301te\u0301",) for u in units(text)]
['AI', '为', '2️⃣', 'e\u0301te\u0301']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import SUBWORDS
from segmenter.kernels import _engine
from segmenter.text import chars

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


# Han characters, kana and Hangul can be parts of n-grams, and single letters and digits.
_JOIN = frozenset((chars.HAN, chars.HANNUM, chars.KATAKANA, chars.HIRAGANA, chars.HANGUL))
_JOIN_SPLIT = _JOIN | {chars.DIGIT, chars.LATIN}
# A word that begins and ends with others than these may stand inside no unit.
_RUNS = frozenset(
    (chars.DIGIT, chars.LATIN, chars.BLANK, chars.CR, chars.LF, chars.GREEK, chars.CYRILLIC,
     chars.LETTER, chars.EXTEND)
)  # fmt: skip


class Unit(NamedTuple):
    """A unit of a text."""

    start: int
    end: int
    kind: int
    joins: bool  # can be part of an n-gram


def units(text: str, *, split: bool = False) -> Iterator[Unit]:
    """Yield the units of a text, which tile it.

    Args:
        text: any text.
        split: treat letters and digits as single characters.
    """
    classes = chars.classes(text)
    joining = _JOIN_SPLIT if split else _JOIN
    for start, end, kind in _engine.units(text, classes, split):
        yield Unit(start, end, kind, classes[start] in joining)


def cuts_runs(segmenter: HasOptions) -> bool:
    """Whether the Segmenter's options let words begin or end inside a unit.

    Such are vocabularies of subwords, atoms that are split between a letter and a digit, and user
    words that are split there or may stand inside a run.
    """
    if segmenter.oov in SUBWORDS or any(
        segmenter.atoms[name] == "split" for name in _engine.CUTTING_ATOMS
    ):
        return True
    for entry in segmenter.user.cutting():
        word = entry.word
        inside = {u.start for u in units(word)}
        if entry.inside and not _RUNS.isdisjoint(chars.classes(word[0] + word[-1])):
            return True
        at = 0
        for part in entry.parts:
            if at and at not in inside:
                return True
            at += len(part)
    return False
