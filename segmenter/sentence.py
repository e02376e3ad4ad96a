"""Sentences of a text, and chunks of limited size for retrieval and language models.

Both are spans of the unchanged text: sentences cover it without gaps, and chunks break at sentence
ends.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, overload

from segmenter import default
from segmenter.choices import check_whole, one_of
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, check_str, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

#: What a chunk's size can count.
UNITS = ("chars", "words", "tokens")

_CLOSING = "”’」』）】》〉〕］｝\"')]}»›"
# Abbreviations whose full stop ends no sentence; lower case, without it.
_ABBREVIATIONS = frozenset(
    (
        "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "no", "vol", "fig", "eq", "cf",
        "al", "inc", "ltd", "co", "corp", "dept", "est", "gen", "gov", "rev", "sen", "col", "capt",
        "lt", "sgt", "e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "u.n", "jan", "feb", "mar", "apr",
        "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "pp", "ed", "eds", "approx",
    )
)  # fmt: skip
_END = re.compile(
    r"(?P<stop>[。｡！？!?‼⁇⁈⁉]+[。｡！？!?…⋯~～]*|…+|⋯+|\.{3,}|\.)"
    rf"(?P<close>[{re.escape(_CLOSING)}]*)(?P<blank>[^\S\n\r]*)"
    r"|\r\n|[\n\r\u2028\u2029]"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z.]*$")
_SEEN = re.compile(r"\S")
# Characters before a full stop that may decide what it ends: a word, or the number of an item.
_BEFORE = 32
# After one of these the sentence goes on, whatever mark was before it.
_GOES_ON = frozenset("，、；：,;:。｡！？!?…⋯.—–-")


class Sentence(NamedTuple):
    """A stretch of a text: its characters from ``start`` to ``end``, in code points."""

    text: str
    start: int
    end: int


@overload
def sentences(text: str) -> list[Sentence]: ...  # type: ignore[overload-overlap]
@overload
def sentences(text: Iterable[str]) -> Iterator[Sentence]: ...
def sentences(text: str | Iterable[str]) -> list[Sentence] | Iterator[Sentence]:
    """The sentences of a text, which tile it: joined, they are the text.

    A sentence ends after 。！？ and the like, with the closing quotes, brackets and blanks that
    follow; at a line end; after a full stop that is not part of an abbreviation, number or address;
    and after an ellipsis that a quote, a blank or a line end follows.  Text without any of these is
    one sentence: where a speaker paused is not guessed.

    Args:
        text: any text, or one that arrives in pieces, such as lines or what a model writes.

    Returns:
        a list; of pieces an iterator, which gives a sentence as soon as no further piece can
        change it, and the same sentences as the whole text.

    Raises:
        TypeError: ``text`` is neither a str nor an iterable of str.

    >>> [s.text for s in sentences("他说：“好。”我问Mr. Li：“3.5元？”他走了……")]
    ['他说：“好。”', '我问Mr. Li：“3.5元？”', '他走了……']
    >>> [s.text for s in sentences(iter(["他来", "了。我", "走了。", "”好"]))]
    ['他来了。', '我走了。”', '好']
    """
    if isinstance(text, str):
        ends = _Ends().found(text, True)
        return [Sentence(text[a:b], a, b) for a, b in zip([0, *ends], ends, strict=False)]
    if isinstance(text, bytes) or not hasattr(text, "__iter__"):
        raise wrong_type("text", text, "str, or an iterable of str")
    return _arriving(iter(text))


def _arriving(pieces: Iterator[str]) -> Iterator[Sentence]:
    found = _Ends()
    last = False
    while not last:
        piece = next(pieces, None)
        last = piece is None
        if not isinstance(piece, str | None):
            raise wrong_type("text", piece, "str, or an iterable of str")
        for end in found.found(piece or "", last):
            start = found.given
            yield Sentence(found.take(end), start, end)


class _Ends:
    """Finds the ends of sentences in a text that grows.

    Attributes:
        given: where the sentence begins that was not taken yet.
    """

    def __init__(self) -> None:
        self.given = 0
        self._text = ""  # what is not taken yet, after some characters before it
        self._base = 0  # where it begins in the whole text
        self._at = 0  # whether a sentence ends before this place is decided; in self._text, as:
        self._last = 0  # the last end
        self._waiting: list[int] = []  # the last end, while line ends may still move it

    def found(self, more: str, final: bool) -> list[int]:
        """The ends that are certain now, in the whole text; ``final``: nothing follows."""
        text = self._text = self._text + more
        out, n = self._waiting, len(text)
        for found in _END.finditer(text, self._at):
            end = found.end()
            if end == n and not final:
                self._at = found.start()
                break
            stop = found["stop"]
            if stop is None:  # a line's end stays with the sentence before it
                if self._base + self._last == 0 or text[self._last : found.start()].strip():
                    out.append(end)
                else:
                    out[-1] = end
                self._last = end
            elif _is_end(text, found, stop, n):
                out.append(end)
                self._last = end
        else:
            self._at = n
        if final:
            if self._last < n:
                out.append(n)
        elif out and not _SEEN.search(text, out[-1]):
            self._waiting = [out.pop()]
        else:
            self._waiting = []
        return [self._base + end for end in out]

    def take(self, end: int) -> str:
        """The text up to a place of the whole text, which is then no longer kept."""
        taken = self._text[self.given - self._base : end - self._base]
        self.given = end
        cut = max(0, end - self._base - _BEFORE)
        self._text = self._text[cut:]
        self._base += cut
        self._at, self._last = self._at - cut, self._last - cut
        self._waiting = [place - cut for place in self._waiting]
        return taken


def _is_end(text: str, found: re.Match[str], stop: str, n: int) -> bool:
    end = found.end()
    if end == n:
        return True
    following, closed, blank = text[end], bool(found["close"]), bool(found["blank"])
    if following in _GOES_ON and not (following == "…" and stop[0] != "…"):
        return False
    if following in "\r\n\u2028\u2029":
        return True
    if stop == ".":
        return _is_full_stop(text, found.start(), following, closed, blank)
    if stop[0] in "…⋯.":
        return closed or blank or following in "“‘「『（《【\"'"
    if stop[0] in "!?" and not blank and not closed:
        before = text[found.start() - 1 : found.start()]
        return not (before.isascii() and not before.isspace() and following.isascii())
    return True


def _is_full_stop(text: str, at: int, following: str, closed: bool, blank: bool) -> bool:
    before = text[at - 1 : at]
    if not before or before.isspace():
        return False
    if not before.isascii():  # 你好.
        return not (following.isascii() and following.isalpha() and not blank)  # 百度.com
    if not (blank or closed or not following.isascii()):
        return False
    if before.isdigit():
        return (blank or closed) and at >= 2 and not _is_number_of_item(text, at)
    word = _WORD.search(text, max(0, at - 16), at)
    if word is not None:
        spelt = word[0].lower()
        if spelt in _ABBREVIATIONS or len(spelt) == 1:
            return False
    return not (following.isascii() and following.islower())


def _is_number_of_item(text: str, at: int) -> bool:
    """Whether the number before the full stop at ``at`` begins a line, as in a list."""
    k = at
    while k > 0 and text[k - 1].isdigit():
        k -= 1
    return k == 0 or text[k - 1] in "\r\n"


def chunks(
    text: str,
    size: int,
    unit: str = "chars",
    overlap: int = 0,
    *,
    segmenter: Segmenter | None = None,
    tokenizer: Any = None,
) -> list[Sentence]:
    """Split a text into chunks of at most ``size`` that break at sentence ends.

    A longer sentence breaks after a comma or the like, or, without one, between words.  Without
    ``overlap``, the chunks joined are the text.

    Args:
        text: any text.
        size: the largest size of a chunk, at least 1; only a single word may exceed it.
        unit: unit of ``size`` and ``overlap``: ``"chars"``, ``"words"`` or ``"tokens"``.
        overlap: how much of the previous chunk a chunk may repeat, in whole sentences or parts of
            one; less than ``size``.
        segmenter: cuts the words; None: the default Segmenter.
        tokenizer: for ``"tokens"``: a function that returns a text's tokens or their number, or an
            object with ``encode``, as in tokenizers, transformers, tiktoken and
            ``segmenter.subword``.  Each sentence, or part of one, is counted on its own.

    Returns:
        text, start and end of each chunk; an empty list for an empty text.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.

    >>> [c.text for c in chunks("他来了。我走了，因为下雨。好吧。", 9)]
    ['他来了。', '我走了，因为下雨。', '好吧。']
    """
    check_str("text", text)
    check_whole("size", size, 1)
    check_whole("overlap", overlap, 0)
    if overlap >= size:
        raise ArgumentError(f"overlap: {overlap} is not less than the size, {size}")
    one_of("unit", unit, UNITS)
    if segmenter is not None and not isinstance(segmenter, Segmenter):
        raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
    if (unit == "tokens") != (tokenizer is not None):
        raise ArgumentError(
            "tokenizer: unit='tokens' needs a tokenizer, such as segmenter.subword.load('bpe'), "
            "and the other units take none"
        )
    s = segmenter or default.default_segmenter()
    measure: Callable[[str], int] = len
    if unit == "words":

        def measure(part: str) -> int:
            return len(s.cut(part))

    elif unit == "tokens":
        measure = _counter(tokenizer)
    pieces = list(_pieces(text, size, measure, s))
    return _packed(text, pieces, size, overlap)


def _counter(tokenizer: Any) -> Callable[[str], int]:
    encode = getattr(tokenizer, "encode", tokenizer)
    if not callable(encode):
        raise wrong_type("tokenizer", tokenizer, "a function or an object with encode")

    def count(part: str) -> int:
        found = encode(part)
        if isinstance(found, int):
            return found
        return len(getattr(found, "ids", found))

    return count


_COMMA = re.compile(r"(?<=[，、；：,;:—…）】》”’])(?![，、；：,;:—…）】》”’])")


def _pieces(
    text: str, size: int, measure: Callable[[str], int], s: Segmenter
) -> Iterable[tuple[int, int, int]]:
    """(start, end, size) of every sentence, or of its parts if it is too long."""
    for sentence in sentences(text):
        n = measure(sentence.text)
        if n <= size:
            yield sentence.start, sentence.end, n
            continue
        places = [m.start() for m in _COMMA.finditer(sentence.text)]
        cuts = [0, *(p for p in places if 0 < p < len(sentence.text)), len(sentence.text)]
        for a, b in pairwise(cuts):
            part = sentence.text[a:b]
            n = measure(part)
            if n <= size:
                yield sentence.start + a, sentence.start + b, n
                continue
            at = sentence.start + a
            for word in _tiling(s, part):
                yield at, at + len(word), measure(word)
                at += len(word)


def _tiling(s: Segmenter, part: str) -> Iterable[str]:
    """The words of a part, each with the characters that the Segmenter skips before it."""
    at = 0
    for token in s.tokenize(part):
        yield part[at : token.end]
        at = token.end
    if at < len(part):
        yield part[at:]


def _packed(
    text: str, pieces: list[tuple[int, int, int]], size: int, overlap: int
) -> list[Sentence]:
    sums = list(accumulate((n for _, _, n in pieces), initial=0))
    out: list[Sentence] = []
    first, n = 0, len(pieces)
    while first < n:
        last = max(first + 1, bisect_right(sums, sums[first] + size) - 1)
        a, b = pieces[first][0], pieces[last - 1][1]
        out.append(Sentence(text[a:b], a, b))
        if last >= n:
            break
        # begin again with what fits into the overlap, but never where this chunk began
        back = last
        while (
            back - 1 > first
            and sums[last] - sums[back - 1] <= overlap
            and sums[last + 1] - sums[back - 1] <= size
        ):
            back -= 1
        first = back
    return out
