"""The effects of a user's words on texts: their occurrences, and changes of other boundaries.

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

_CONTEXT = 8  # characters of an example on either side of the change
_SENTENCE_ENDS = frozenset("。！？；!?;\n")


class Effect(NamedTuple):
    """The effect of one word of the user.

    Attributes:
        entry: the word.
        places: the number of tokens of the word; of a deleted word, the number without deletion.
        changes: the number of these places where boundaries of other words change too.
        examples: some of these changes: the text cut without the user's words, and with them.
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
    """Return the effect of each word of the user on texts.

    Args:
        segmenter: has the user's words; it is compared with a copy without them.
        texts: lines or sentences, read once.
        examples: the number of changes to keep per word.

    Raises:
        TypeError: ``texts`` is a str, or an item is not a str.
    """
    check_iterable("texts", texts)
    plain = segmenter.replace(None)
    counts = {entry: _Count() for entry in map(_bare, segmenter.user)}
    deleted = {_folded(e.word): e for e in counts if e.level == "delete"}
    for text in texts:
        plain_tokens = plain.tokenize(text)
        tokens = segmenter.tokenize(text)
        entries = map(tokens.entry, range(len(tokens)))
        spans = list(_user_spans(tokens.spans, entries))
        for (a, b), word in zip(plain_tokens.spans, plain_tokens.words, strict=True):
            entry = deleted.get(_folded(word)) if deleted else None
            if entry is not None:
                spans.append((a, b, entry))
        if not spans:
            continue
        old_ends = [0, *(b for _, b in plain_tokens.spans)]
        new_ends = [0, *(b for _, b in tokens.spans)]
        common_ends = sorted({*old_ends} & {*new_ends})
        for *_, entry in spans:
            counts[_bare(entry)].places += 1
        counted: set[tuple[UserWord, int, int]] = set()
        for start, end in _changed(common_ends, old_ends, new_ends):
            causes = [s for s in spans if s[0] < end and s[1] > start]
            if causes and sum(b - a for a, b, _ in causes) >= end - start:
                continue  # only words of the user change
            if not causes:
                causes = [min(spans, key=lambda s: min(abs(s[0] - end), abs(s[1] - start)))]
            for a, b, entry in causes:
                if (entry, a, b) in counted:
                    continue
                counted.add((entry, a, b))
                count = counts[_bare(entry)]
                count.changes += 1
                if len(count.examples) < examples:
                    example = _example(text, common_ends, old_ends, new_ends, start, end)
                    count.examples.append(example)
    return [Effect(e, c.places, c.changes, tuple(c.examples)) for e, c in counts.items()]


def _bare(entry: UserWord) -> UserWord:
    # payloads may be lists, which have no hash
    return entry if entry.payload is None else entry._replace(payload=None)


def _folded(word: str) -> str:
    return chars.fold_str(word)


def _user_spans(
    spans: Iterable[tuple[int, int]], entries: Iterable[UserWord | None]
) -> Iterator[tuple[int, int, UserWord]]:
    """Yield span and entry of each word of the user; the parts of a split form one span."""
    missing = 0  # characters of a split that are still to come
    start = 0
    for (a, b), entry in zip(spans, entries, strict=True):
        if entry is None:
            continue
        if not entry.parts:
            yield a, b, entry
            continue
        if not missing:
            start, missing = a, len(entry.word)
        missing -= b - a
        if missing <= 0:
            missing = 0
            yield start, b, entry


def _changed(common: list[int], old: list[int], new: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches between common boundaries whose words differ."""
    for start, end in pairwise(common):
        old_words = bisect_left(old, end) - bisect_left(old, start)
        new_words = bisect_left(new, end) - bisect_left(new, start)
        if old_words != 1 or new_words != 1:
            yield start, end


def _example(
    text: str, common: list[int], old: list[int], new: list[int], start: int, end: int
) -> tuple[str, str]:
    """The words around a change, without the user's words and with them."""
    first, last = bisect_left(common, start), bisect_left(common, end)
    while first > 0 and start - common[first - 1] <= _CONTEXT:
        if text[common[first] - 1] in _SENTENCE_ENDS:
            break
        first -= 1
    while last + 1 < len(common) and common[last + 1] - end <= _CONTEXT:
        if text[common[last]] in _SENTENCE_ENDS:
            break
        last += 1

    def words(ends: list[int]) -> str:
        stretch = ends[bisect_left(ends, common[first]) : bisect_left(ends, common[last]) + 1]
        return "/".join(text[a:b] for a, b in pairwise(stretch))

    return words(old), words(new)
