"""Entries of user dictionaries: what an entry holds, and the forms in which callers write one.

>>> user_word(("提|出", "split")).parts, user_word(("云计算", 50, "n")).weight
(('提', '出'), 50.0)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import ArgumentError, wrong_type

if TYPE_CHECKING:
    from typing import TypeAlias

    Item: TypeAlias = "str | tuple[Any, ...] | UserWord"

LEVELS = ("force", "prefer", "weight", "delete")
#: The source of entries that :meth:`Segmenter.learn <segmenter.segmenter.Segmenter.learn>` made.
LEARNED = "learned"
#: Extension of a compiled dictionary.
COMPILED = ".user"


class UserWord(NamedTuple):
    """An entry of a user dictionary.

    Attributes:
        word: any string but the empty one, matched in the raw text.
        level: ``"force"``: always one token; ``"prefer"``: one token before model, lexicon and
            rules, but not where it would break a grapheme cluster; ``"weight"``: competes with
            the other words by its weight; ``"delete"``: a word of the lexicon that is none.
        weight: of level ``"weight"``: a count beside the counts of the lexicon.
        tag: part of speech, or "".
        payload: anything that JSON can hold; :attr:`segmenter.types.Token.payload` gives it back.
        parts: what the word is cut into (levels force and prefer); joined they are the word.
        fold: width and case do not matter.  Always so for ``"delete"``.
        inside: may begin or end inside a longer run of letters or digits.
        source: where the entry was read, "" if in no file.
        line: the line there, 0 if unknown.
        script: Traditional, Hong Kong and Taiwan forms of its characters count as equal.
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
        """Whether both are the same but for where they were read."""
        return self[:8] == other[:8] and self.script == other.script


def user_word(
    item: Item, *, fold: bool = False, inside: bool = False, script: bool = False
) -> UserWord:
    """An item as callers write it, as an entry that holds together.

    Args:
        item: a str (level prefer); ``(word, level or weight)``, with a tag and a payload after it
            if wanted; or a :class:`UserWord`.  The level ``"split"`` is force with the parts marked
            in the word: ``("提|出", "split")``, a bar of the word itself being written ``\\|`` and
            a backslash ``\\\\``.
        fold: for items that are no UserWord.
        inside: for items that are no UserWord.
        script: for items that are no UserWord.

    Raises:
        TypeError: the item, or a part of it, is of a wrong type.
        ArgumentError: an empty word, an unknown level, a weight below 0, parts that are not the
            word, a payload that JSON cannot hold.
    """
    if isinstance(item, str):
        entry = UserWord(item, fold=fold, inside=inside, script=script)
    elif isinstance(item, UserWord):
        entry = item
    elif isinstance(item, tuple):
        entry = _of_tuple(item, fold, inside)._replace(script=script)
    else:
        raise wrong_type(
            "items: an item", item, "str, (word, level or weight, tag, payload) or UserWord"
        )
    return checked(entry)


def _of_tuple(item: tuple[Any, ...], fold: bool, inside: bool) -> UserWord:
    if not 1 <= len(item) <= 4:
        raise ArgumentError(
            f"items: {item!r} has {len(item)} fields, not (word, level or weight, tag, payload)"
        )
    rest: tuple[Any, ...] = ("prefer", "", None)
    word, level, tag, payload = item + rest[len(item) - 1 :]
    if not isinstance(word, str):
        raise wrong_type("items: a word", word, "str")
    if level is None:
        level = "prefer"
    if isinstance(level, str):
        weight = None
        parts: tuple[str, ...] = ()
        if level == "split":
            level = "force"
            parts = split_parts(word)
            word = "".join(parts)
        return UserWord(word, level, weight, tag, payload, parts, fold, inside)
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        raise wrong_type(f"items: the level or weight of {word!r}", level, "str or a number")
    return UserWord(word, "weight", as_weight(level), tag, payload, (), fold, inside)


def as_weight(number: float) -> float:
    """A number of a caller's or a file's as a weight; one that no float holds is infinite.

    >>> as_weight(50), as_weight(10**400)
    (50.0, inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf


def split_parts(marked: str) -> tuple[str, ...]:
    """The parts of a word marked with bars.

    >>> split_parts("提|出"), split_parts(r"a\\|b|c")
    (('提', '出'), ('a|b', 'c'))
    """
    parts = [""]
    at = 0
    while at < len(marked):
        c = marked[at]
        if c == "\\" and marked[at + 1 : at + 2] in ("|", "\\"):
            at += 1
            parts[-1] += marked[at]
        elif c == "|":
            parts.append("")
        else:
            parts[-1] += c
        at += 1
    if len(parts) < 2 or not all(parts):
        raise ArgumentError(
            f"items: {marked!r} marks no parts: write a bar between two of them, as 提|出"
        )
    return tuple(parts)


def checked(entry: UserWord) -> UserWord:
    """The entry, if it holds together; see :func:`user_word` for the errors."""
    word, level, weight, tag, _, parts, fold, *_ = entry
    if not isinstance(word, str):
        raise wrong_type("items: a word", word, "str")
    if not word:
        raise ArgumentError("items: an empty word")
    if level not in LEVELS:
        raise ArgumentError(
            f"items: {level!r} of {word!r} is not a level: use {', '.join(LEVELS)}, split, or "
            "a weight"
        )
    if not isinstance(tag, str):
        raise wrong_type(f"items: the tag of {word!r}", tag, "str")
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
        if len(parts) < 2 or not all(parts) or "".join(parts) != word:
            raise ArgumentError(
                f"items: the parts {parts!r} are not two or more that join to {word!r}"
            )
    if entry.payload is not None:
        packed_payload(entry)
    if level == "delete" and not fold:
        entry = entry._replace(fold=True)
    return entry


def packed_payload(entry: UserWord) -> str:
    """The payload of an entry as JSON; raises ArgumentError where JSON cannot hold it."""
    import json

    try:
        return json.dumps(entry.payload, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(
            f"items: the payload of {entry.word!r} cannot be kept as JSON: {error}"
        ) from None
