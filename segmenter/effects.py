"""The effects of a user's words on texts: how often each applies, and what else it changes.

>>> from segmenter import load
>>> s = load("fast", user=["的确", "云计算平台"])
>>> for effect in effects(s, ["他说的确实在理。", "云计算平台很好", "的确如此"]):
...     print(effect.entry.word, effect.places, effect.changes, *effect.examples)
的确 2 1 ('他/说/的/确实/在理', '他/说/的确/实在理')
云计算平台 1 0
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import check_iterable
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segmenter.core import Segmenter
    from segmenter.lexicon.user import UserWord

_AROUND = 8  # characters of an example on either side of what changes
_ENDS = frozenset("。！？；!?;\n")


class Effect(NamedTuple):
    """What one word of the user does.

    Attributes:
        entry: the word.
        places: how often it is a token; of a deleted word, how often it would be one.
        changes: in how many of these places boundaries of other words change with it.
        examples: some of them: the words without the user's words, and with them.
    """

    entry: UserWord
    places: int
    changes: int
    examples: tuple[tuple[str, str], ...]


class _Count:
    __slots__ = ("changes", "examples", "places")

    def __init__(self) -> None:
        self.places = self.changes = 0
        self.examples: list[tuple[str, str]] = []


def effects(segmenter: Segmenter, texts: Iterable[str], *, examples: int = 3) -> list[Effect]:
    """Return what each word of the user does to texts: where it applies and what it changes.

    Args:
        segmenter: has the words; it is compared with itself without them.
        texts: lines or sentences, read once.
        examples: how many changes to keep of each word.

    Raises:
        TypeError: ``texts`` is a str, or an item is not a str.
    """
    check_iterable("texts", texts)
    plain = segmenter.replace(None)
    counts = {entry: _Count() for entry in map(_bare, segmenter.user)}
    deleted = {_folded(e.word): e for e in counts if e.level == "delete"}
    for text in texts:
        before = plain.tokenize(text)
        after = segmenter.tokenize(text)
        of_user = map(after.entry, range(len(after)))
        spans = list(_of_user(after.spans, of_user))
        for (a, b), word in zip(before.spans, before.words, strict=True):
            entry = deleted.get(_folded(word)) if deleted else None
            if entry is not None:
                spans.append((a, b, entry))
        if not spans:
            continue
        old, new = [0, *(b for _, b in before.spans)], [0, *(b for _, b in after.spans)]
        common = sorted({*old} & {*new})
        for *_, entry in spans:
            counts[_bare(entry)].places += 1
        charged: set[tuple[UserWord, int, int]] = set()
        for first, last in _changed(common, old, new):
            here = [s for s in spans if s[0] < last and s[1] > first]
            if here and sum(b - a for a, b, _ in here) >= last - first:
                continue  # nothing but words of the user changes
            if not here:
                here = [min(spans, key=lambda s: min(abs(s[0] - last), abs(s[1] - first)))]
            for a, b, entry in here:
                if (entry, a, b) in charged:
                    continue
                charged.add((entry, a, b))
                count = counts[_bare(entry)]
                count.changes += 1
                if len(count.examples) < examples:
                    count.examples.append(_example(text, common, old, new, first, last))
    return [Effect(e, c.places, c.changes, tuple(c.examples)) for e, c in counts.items()]


def _bare(entry: UserWord) -> UserWord:
    # payloads may be lists, which have no hash
    return entry if entry.payload is None else entry._replace(payload=None)


def _folded(word: str) -> str:
    return chars.fold_str(word)


def _of_user(
    spans: Iterable[tuple[int, int]], entries: Iterable[UserWord | None]
) -> Iterator[tuple[int, int, UserWord]]:
    """Span and entry of the user's words; the parts of a split are one."""
    left = 0
    start = 0
    for (a, b), entry in zip(spans, entries, strict=True):
        if entry is None:
            continue
        if not entry.parts:
            yield a, b, entry
            continue
        if not left:
            start, left = a, len(entry.word)
        left -= b - a
        if left <= 0:
            left = 0
            yield start, b, entry


def _changed(common: list[int], old: list[int], new: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches between boundaries of both whose words differ."""
    for first, last in pairwise(common):
        n = bisect_left(old, last) - bisect_left(old, first)
        m = bisect_left(new, last) - bisect_left(new, first)
        if n != 1 or m != 1:
            yield first, last


def _example(
    text: str, common: list[int], old: list[int], new: list[int], first: int, last: int
) -> tuple[str, str]:
    """The words around a change, without the user's words and with them."""
    a, b = bisect_left(common, first), bisect_left(common, last)
    while a > 0 and first - common[a - 1] <= _AROUND and text[common[a] - 1] not in _ENDS:
        a -= 1
    while b + 1 < len(common) and common[b + 1] - last <= _AROUND and text[common[b]] not in _ENDS:
        b += 1

    def words(ends: list[int]) -> str:
        here = ends[bisect_left(ends, common[a]) : bisect_left(ends, common[b]) + 1]
        return "/".join(text[p:q] for p, q in pairwise(here))

    return words(old), words(new)
