"""What goes into an index: the options, their checks, and whether they drop a token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from segmenter import chars
from segmenter.choices import check_whole
from segmenter.errors import ArgumentError, wrong_type
from segmenter.kinds import KINDS, TOKEN_KINDS, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


#: Kinds that options can drop.
DROPPABLE = TOKEN_KINDS

_NO_WORDS = frozenset(("space", "newline", "punct"))

WORD, UNKNOWN = KINDS.index("word"), KINDS.index("unknown")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What goes into an index beside the words of the text, and what does not.

    Use the same options for the index and for queries.

    Attributes:
        min_length: words inside words have at least so many characters.
        single: also the characters of every word, one by one (a base character with its marks is
            one; a run of letters or digits is one): the most that a query can find.
        runs: ``"whole"``; ``"split"``: letters and digits are characters like the others, so that
            a part of a run is found too.
        ngrams: n-grams of so many characters inside words that are longer and stand in no lexicon
            (names, unknown words that ``oov="keep"`` or a tagger leaves whole); 0: none.
        stop: words that are not tokens, nor inside words; in any width and case.  Their positions
            stay empty.
        drop: kinds that are not tokens, of :data:`DROPPABLE`, with all that is inside them.  Their
            positions stay empty.  None: the default of who takes the options; nothing here, blanks,
            line ends and punctuation in the adapters.

    Raises:
        TypeError, ArgumentError: a value that is not one of these.
    """

    min_length: int = 2
    single: bool = False
    ngrams: int = 0
    stop: frozenset[str] = frozenset()
    drop: frozenset[str] | None = None
    runs: str = "whole"

    def __post_init__(self) -> None:
        check_whole("min_length", self.min_length, 2)
        if not isinstance(self.single, bool):
            raise wrong_type("single", self.single, "bool")
        if self.ngrams != 0 or isinstance(self.ngrams, bool):
            check_whole("ngrams", self.ngrams, 2)
        stop = frozenset(chars.fold_str(word) for word in strings("stop", self.stop))
        object.__setattr__(self, "stop", stop)
        if self.drop is not None:
            object.__setattr__(self, "drop", kinds_of(self.drop))
        check_runs(self.runs)


def is_stop(text: str, stop: Collection[str]) -> bool:
    return bool(stop) and chars.fold_str(text) in stop


def is_dropped(text: str, kind: int, drop: Collection[str]) -> bool:
    if not drop:
        return False
    edge = KINDS[min(kind, len(KINDS) - 1)]  # kinds of the user's own are all "pattern"
    if not _NO_WORDS.issuperset(drop):
        return kind_of(text, edge) in drop
    if edge in drop:
        return True
    # the first character tells of nearly all words
    return "punct" in drop and kind <= UNKNOWN and _is_punct(text[0]) and all(map(_is_punct, text))


@lru_cache(maxsize=1 << 14)
def _is_punct(character: str) -> bool:
    code = chars.char_class(chars.fold(ord(character)))
    return code == chars.PUNCT or code in chars.JOINERS


def check_runs(value: object) -> None:
    if not isinstance(value, str):
        raise wrong_type("runs", value, "str")
    if value not in ("whole", "split"):
        raise ArgumentError(f"runs: {value!r} is not one of whole, split")


def strings(name: str, values: object) -> Iterable[str]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise wrong_type(name, values, "a collection of str")
    out = list(values)
    for value in out:
        if not isinstance(value, str):
            raise TypeError(f"{name}: holds a {type(value).__name__}, not str only")
    return out


def kinds_of(drop: object) -> frozenset[str]:
    kinds = frozenset(strings("drop", drop))
    for kind in sorted(kinds):
        if kind not in DROPPABLE:
            raise ArgumentError(f"drop: {kind!r} is not one of {', '.join(DROPPABLE)}")
    return kinds
