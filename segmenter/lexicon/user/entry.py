"""Entries of user dictionaries, and the forms of items from which they are made.

>>> user_word(("提|出", "split")).parts, user_word(("云计算", 50, "n")).weight
(('提', '出'), 50.0)
"""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import ArgumentError, check_str, wrong_type
from segmenter.kernels import _lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias, TypedDict, Unpack

    Item: TypeAlias = "str | tuple[Any, ...] | UserWord"
    #: Words, or a mapping of words to a level, a weight, or (level or weight, tag, payload).
    Items: TypeAlias = Iterable[Item] | Mapping[str, str | float | tuple[Any, ...] | None]

    class WordOptions(TypedDict, total=False):
        """Options for items other than a :class:`UserWord`, which describes them; default False."""

        fold: bool
        inside: bool
        script: bool


LEVELS = _lexicon.USER_LEVELS
#: The names of WordOptions.
OPTIONS = ("fold", "inside", "script")
#: The source of entries made by :meth:`Segmenter.learn <segmenter.core.Segmenter.learn>`.
LEARNED = "learned"
#: Extension of a compiled dictionary.
COMPILED = ".user"


class UserWord(NamedTuple):
    """An entry of a user dictionary.

    Attributes:
        word: any non-empty string, matched in the raw text.
        level: ``"force"``: always one token; ``"prefer"``: one token that takes precedence over
            model, lexicon and rules, unless it would break a grapheme cluster; ``"weight"``:
            competes with other words by its weight; ``"delete"``: removes a lexicon word.
        weight: for level ``"weight"``: a count on the scale of the lexicon's counts.
        tag: part of speech, or "".
        payload: any value that JSON can express; see :attr:`segmenter.types.Token.payload`.
        parts: the parts to cut the word into (levels force and prefer); joined, they are the word.
        fold: ignore width and case.  Always true for ``"delete"``.
        inside: the word may begin or end inside a longer run of letters or digits.
        source: the file of the entry, or "".
        line: the line there, 0 if unknown.
        script: treat Traditional, Hong Kong and Taiwan forms of its characters as equal.
    """

    word: str
    level: str = "prefer"
    weight: float | None = None
    tag: str = ""
    payload: object = None
    parts: tuple[str, ...] = ()
    fold: bool = False
    inside: bool = False
    source: str = ""
    line: int = 0
    script: bool = False

    def same(self, other: UserWord) -> bool:
        """Return whether both are equal, apart from source and line."""
        return self[:8] == other[:8] and self.script == other.script


def word_options(options: WordOptions) -> WordOptions:
    """Return these options; raise TypeError for an unknown name or a wrong value."""
    for name, value in options.items():
        if name not in OPTIONS:
            raise TypeError(f"{name!r} is not an option: expected {', '.join(OPTIONS)}")
        if not isinstance(value, bool):
            raise wrong_type(name, value, "bool")
    return options


def user_word(item: Item, **options: Unpack[WordOptions]) -> UserWord:
    """Return the checked entry for an item.

    Args:
        item: a str (level prefer); ``(word, level or weight)``, optionally followed by a tag and a
            payload; or a :class:`UserWord`.  The level ``"split"`` is force, with the parts marked
            in the word: ``("提|出", "split")``.  A bar in the word itself is written ``\\|``, a
            backslash ``\\\\``.
        options: for items other than a UserWord.

    Raises:
        TypeError: the item, or part of it, has the wrong type.
        ArgumentError: an empty word, an unknown level, a negative weight, parts that do not join to
            the word, or a payload that JSON cannot express.
    """
    if isinstance(item, str):
        entry = UserWord(item, **options)
    elif isinstance(item, UserWord):
        entry = item
        check_str(f"items: the source of {entry.word!r}", entry.source)
    elif isinstance(item, tuple):
        entry = _of_tuple(item, options)
    else:
        raise wrong_type(
            "items: an item", item, "str, (word, level or weight, tag, payload) or UserWord"
        )
    return checked(entry)


def _of_tuple(item: tuple[Any, ...], options: WordOptions) -> UserWord:
    if not 1 <= len(item) <= 4:
        raise ArgumentError(
            f"items: {item!r} has {len(item)} fields, not (word, level or weight, tag, payload)"
        )
    defaults: tuple[Any, ...] = ("prefer", "", None)
    word, level, tag, payload = item + defaults[len(item) - 1 :]
    check_str("items: a word", word)
    if level is None:
        level = "prefer"
    if isinstance(level, str):
        weight = None
        parts: tuple[str, ...] = ()
        if level == "split":
            level = "force"
            parts = split_parts(word)
            word = "".join(parts)
        return UserWord(word, level, weight, tag, payload, parts, **options)
    if isinstance(level, bool) or not isinstance(level, Real):  # Real: NumPy numbers too
        raise wrong_type(f"items: the level or weight of {word!r}", level, "str or a number")
    return UserWord(word, "weight", as_weight(level), tag, payload, **options)


def mapped_item(pair: tuple[Any, Any]) -> tuple[Any, ...]:
    """Return the item for a pair of a mapping: a word and its value.

    >>> mapped_item(("云计算", 50)), mapped_item(("云计算", ("prefer", "nz")))
    (('云计算', 50), ('云计算', 'prefer', 'nz'))
    """
    word, value = pair
    if isinstance(value, (tuple, list)):
        return (word, *value)
    if isinstance(value, str) and value not in (*LEVELS, "split"):
        raise ArgumentError(
            f"items: the value {value!r} of {word!r} is neither a level ({', '.join(LEVELS)}, "
            f"split) nor a weight; for a tag write {{{word!r}: ('prefer', {value!r})}}"
        )
    return (word, value)


def as_weight(number: float | Real) -> float:
    """Return a number as a weight; a number too large for a float is infinite.

    >>> as_weight(50), as_weight(10**400)
    (50.0, inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf


def split_parts(marked: str) -> tuple[str, ...]:
    """Return the parts of a word, which bars separate.

    >>> split_parts("提|出"), split_parts(r"a\\|b|c")
    (('提', '出'), ('a|b', 'c'))
    """
    characters: list[list[str]] = [[]]
    offset = 0
    while offset < len(marked):
        c = marked[offset]
        if c == "\\" and marked[offset + 1 : offset + 2] in ("|", "\\"):
            offset += 1
            characters[-1].append(marked[offset])
        elif c == "|":
            characters.append([])
        else:
            characters[-1].append(c)
        offset += 1
    parts = list(map("".join, characters))
    if len(parts) < 2 or not all(parts):
        raise ArgumentError(
            f"items: {marked!r} marks no parts: write a bar between two of them, as 提|出"
        )
    return tuple(parts)


def checked(entry: UserWord) -> UserWord:
    """Return the entry if it is valid; for the errors see :func:`user_word`."""
    word, level, weight, tag, _, parts, fold, *_ = entry
    check_str("items: a word", word)
    if not word:
        raise ArgumentError("items: an empty word")
    if level not in LEVELS:
        raise ArgumentError(
            f"items: {level!r} of {word!r} is not a level: use {', '.join(LEVELS)}, split, or "
            "a weight"
        )
    check_str(f"items: the tag of {word!r}", tag)
    if level == "weight":
        if isinstance(weight, str):
            raise wrong_type(f"items: the weight of {word!r}", weight, "a number")
        if weight is None or not 0 <= as_weight(weight) < math.inf:
            raise ArgumentError(f"items: weight {weight!r} of {word!r} is not a number >= 0")
    elif weight is not None:
        raise ArgumentError(f"items: {word!r} has a weight and the level {level!r}: give one")
    if parts:
        if level not in ("force", "prefer"):
            raise ArgumentError(f"items: {word!r} has parts: its level is force or prefer")
        are_words = all(isinstance(part, str) and part for part in parts)
        if len(parts) < 2 or not are_words or "".join(parts) != word:
            raise ArgumentError(
                f"items: the parts {parts!r} are not two or more that join to {word!r}"
            )
    if entry.payload is not None:
        packed_payload(entry)
    if level == "delete" and not fold:
        entry = entry._replace(fold=True)
    return entry


def packed_payload(entry: UserWord) -> str:
    """Return the payload as JSON; raises ArgumentError if JSON cannot express it."""
    import json

    try:
        return json.dumps(entry.payload, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(
            f"items: the payload of {entry.word!r} cannot be written as JSON: {error}"
        ) from None
