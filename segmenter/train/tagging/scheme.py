"""The tags of characters: words as tags, and back (Xue 2003).

B begins a word, M continues it, E ends it, S is a word of one character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The names of the tags, in the order of their numbers.
FOUR = ("B", "M", "E", "S")
TAGS = len(FOUR)
#: Tags that begin a word, and tags that end one.
BEGINS = ("B", "S")
ENDS = ("E", "S")


def tag_word(length: int) -> list[str]:
    """Return the tags of a word of ``length`` characters.

    >>> tag_word(1), tag_word(4)
    (['S'], ['B', 'M', 'M', 'E'])
    """
    if length < 1:
        raise ArgumentError(f"length: {length!r} is less than 1")
    return ["S"] if length == 1 else ["B", *"M" * (length - 2), "E"]


def encode(words: Iterable[str]) -> list[str]:
    """Return one tag per character of the words, in order.

    >>> encode(["研究", "生命"])
    ['B', 'E', 'B', 'E']
    """
    return [tag for word in words for tag in tag_word(len(word))]


def allowed(before: str, after: str) -> bool:
    """Return whether ``after`` may follow ``before``.

    >>> allowed("B", "E"), allowed("E", "M")
    (True, False)
    """
    return (before in ENDS) == (after in BEGINS)
