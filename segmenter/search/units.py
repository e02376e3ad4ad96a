"""The units of a text: characters with their marks, and runs of letters or digits.

Units depend on the text alone, not on its segmentation.  So equal strings in a text and a query
have equal units.

>>> [text[u.start : u.end] for text in ("AI为2️⃣e\u0301te\u0301",) for u in units(text)]
['AI', '为', '2️⃣', 'e\u0301te\u0301']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import wrong_type
from segmenter.kernels import _tokens
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from segmenter.kernels import _engine

    class HasEngine(Protocol):
        """A Segmenter, or another object with an engine."""

        @property
        def _engine(self) -> _engine.Engine: ...


# Characters that can be parts of n-grams; letters and digits only if runs are split.
_NGRAM_CLASSES = frozenset((chars.HAN, chars.HANNUM, chars.KATAKANA, chars.HIRAGANA, chars.HANGUL))
_NGRAM_CLASSES_SPLIT = _NGRAM_CLASSES | {chars.DIGIT, chars.LATIN}


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
    ngram_classes = _NGRAM_CLASSES_SPLIT if split else _NGRAM_CLASSES
    for start, end, kind in _tokens.units(text, classes, split):
        yield Unit(start, end, kind, classes[start] in ngram_classes)


def cuts_runs(segmenter: HasEngine) -> bool:
    """Whether the Segmenter's options let words begin or end inside a unit.

    These options are subwords, atoms that are split between a letter and a digit, and user words
    that are split there or may begin or end inside a run.
    """
    try:
        engine = segmenter._engine
    except AttributeError:
        raise wrong_type("segmenter", segmenter, "Segmenter") from None
    return engine.opened.cuts_runs()
