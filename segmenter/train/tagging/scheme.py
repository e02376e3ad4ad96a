"""Tag schemes: words as tags of characters, and back (Xue 2003; six tags: Zhao et al. 2006).

Four tags: B begins a word, M continues it, E ends it, S is a word of one character.  Six tags also
distinguish the second and third character of a longer word: B, B2, B3, M, E, S.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

FOUR = ("B", "M", "E", "S")
SIX = ("B", "B2", "B3", "M", "E", "S")
#: How many tags a tagger has that is trained here; the HMM of jieba has six in our form.
TAGS = len(FOUR)
#: Tags that begin a word, and tags that end one.
BEGINS = ("B", "S")
ENDS = ("E", "S")


def tags_of(count: int) -> tuple[str, ...]:
    """Return the names of the tags, in the order of their numbers.

    Args:
        count: 4 or 6.

    Raises:
        ArgumentError: ``count`` is neither.

    >>> tags_of(4)
    ('B', 'M', 'E', 'S')
    """
    if count == 4:
        return FOUR
    if count == 6:
        return SIX
    raise ArgumentError(f"tags={count!r}: a scheme has 4 or 6 tags")


def tag_word(length: int, count: int = 4) -> list[str]:
    """Return the tags of a word of ``length`` characters.

    >>> tag_word(1), tag_word(4), tag_word(5, 6)
    (['S'], ['B', 'M', 'M', 'E'], ['B', 'B2', 'B3', 'M', 'E'])
    """
    if length < 1:
        raise ArgumentError(f"length={length!r}: a word has at least one character")
    names = tags_of(count)
    if length == 1:
        return ["S"]
    inner = [names[min(k, count - 3)] for k in range(1, length - 1)]
    return ["B", *inner, "E"]


def encode(words: Iterable[str], count: int = 4) -> list[str]:
    """Return one tag per character of the words, in order.

    >>> encode(["研究", "生命"])
    ['B', 'E', 'B', 'E']
    """
    return [tag for word in words for tag in tag_word(len(word), count)]


def allowed(before: str, after: str) -> bool:
    """Return whether ``after`` may follow ``before``.

    >>> allowed("B", "E"), allowed("E", "M")
    (True, False)
    """
    if before in ENDS:
        return after in BEGINS
    following = {"B": ("M", "B2"), "B2": ("B3",), "B3": ("M",), "M": ("M",)}
    return after == "E" or after in following[before]
