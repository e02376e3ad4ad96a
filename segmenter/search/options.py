"""The options of a search index, their checks, and which tokens they drop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from segmenter.choices import check_whole, one_of
from segmenter.errors import wrong_type
from segmenter.kernels import _tokens
from segmenter.text import chars
from segmenter.text.kinds import KINDS, TOKEN_KINDS, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


#: Kinds that options can drop.
DROPPABLE = TOKEN_KINDS
#: Values of the option ``runs``: how letters and digits become tokens.
RUNS = ("whole", "split")

_DEFAULTS = _tokens.SEARCH_DEFAULTS
_MAX_CHARACTERS = 1 << 28  # of a text
_NON_WORDS = frozenset(("space", "newline", "punct"))

WORD, UNKNOWN = KINDS.index("word"), KINDS.index("unknown")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Which tokens an index contains besides the words of the text, and which it leaves out.

    Use the same options for the index and for queries.

    Attributes:
        min_length: the shortest word inside a word, in characters.
        single: add the characters of every word, one by one (a character with its marks, or a run
            of letters or digits, counts as one).
        runs: ``"whole"``, or ``"split"``: letters and digits are single characters too, so that
            part of a run can be found.
        ngrams: add n-grams of this many characters inside longer words that are not in the lexicon
            (names, and unknown words that ``oov="keep"`` or a tagger leaves whole); 0: none.
        stop: words to leave out, also inside words, in any width and case.  Their positions stay
            empty.
        drop: kinds to leave out, from :data:`DROPPABLE`, with everything inside them.  Their
            positions stay empty.  None: the caller's default, which is nothing here, and blanks,
            line ends and punctuation in the adapters.

    Raises:
        TypeError, ArgumentError: an option has the wrong type or value.
    """

    min_length: int = _DEFAULTS["min_length"]
    single: bool = _DEFAULTS["single"]
    ngrams: int = _DEFAULTS["ngrams"]
    stop: frozenset[str] = frozenset()
    drop: frozenset[str] | None = None
    runs: str = _DEFAULTS["runs"]

    def __post_init__(self) -> None:
        check_whole("min_length", self.min_length, 2, _MAX_CHARACTERS)
        if not isinstance(self.single, bool):
            raise wrong_type("single", self.single, "bool")
        if self.ngrams != 0 or isinstance(self.ngrams, bool):
            check_whole("ngrams", self.ngrams, 2, _MAX_CHARACTERS)
        stop = frozenset(chars.fold_str(word) for word in _checked_strings("stop", self.stop))
        object.__setattr__(self, "stop", stop)
        if self.drop is not None:
            object.__setattr__(self, "drop", checked_kinds(self.drop))
        one_of("runs", self.runs, RUNS)


# A cache: the checks of new options cost as much as the tokens of a short text.
_with_characters: dict[SearchOptions | None, SearchOptions] = {}


def with_characters(options: SearchOptions | None) -> SearchOptions:
    """Return the options with the characters of every word added."""
    try:
        return _with_characters[options]
    except (KeyError, TypeError):
        pass
    if options is not None and not isinstance(options, SearchOptions):
        raise wrong_type("options", options, "SearchOptions")
    if len(_with_characters) >= 8:  # a caller may make new options for every call
        _with_characters.clear()
    extended = _with_characters[options] = replace(options or SearchOptions(), single=True)
    return extended


def is_stop(text: str, stop: Collection[str]) -> bool:
    return bool(stop) and chars.fold_str(text) in stop


def is_dropped(text: str, kind: int, drop: Collection[str]) -> bool:
    if not drop:
        return False
    kind_name = KINDS[min(kind, len(KINDS) - 1)]  # the kinds of the user's patterns: "pattern"
    if not _NON_WORDS.issuperset(drop):
        return kind_of(text, kind_name) in drop
    if kind_name in drop:
        return True
    # the first character decides for nearly all words
    return "punct" in drop and kind <= UNKNOWN and _is_punct(text[0]) and all(map(_is_punct, text))


@lru_cache(maxsize=1 << 14)
def _is_punct(character: str) -> bool:
    code = chars.char_class(chars.fold(ord(character)))
    return code == chars.PUNCT or code in chars.JOINERS


def _checked_strings(name: str, values: object) -> Iterable[str]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise wrong_type(name, values, "a collection of str")
    items = list(values)
    for item in items:
        if not isinstance(item, str):
            raise TypeError(f"{name}: {item!r} is not a str")
    return items


def checked_kinds(drop: object) -> frozenset[str]:
    kinds = frozenset(_checked_strings("drop", drop))
    for kind in sorted(kinds):
        one_of("drop", kind, DROPPABLE)
    return kinds
