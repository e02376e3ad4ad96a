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

#: Units of the size of a chunk.
UNITS = ("chars", "words", "tokens")

_CLOSING = "”’」』）】》〉〕］｝\"')]}»›"
# Abbreviations whose full stop ends no sentence; in lower case, without the full stop.
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
_VISIBLE = re.compile(r"\S")
# Characters before a full stop that decide its role: an abbreviation, or the number of an item.
_LOOKBEHIND = 32
# The sentence goes on before one of these, whatever mark precedes it.
_CONTINUING = frozenset("，、；：,;:。｡！？!?…⋯.—–-")


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
    """Return the sentences of a text, which tile it: joined, they are the text.

    A sentence ends after 。！？ and the like, with the closing quotes, brackets and blanks that
    follow; at a line end; after a full stop that is not part of an abbreviation, number or address;
    and after an ellipsis that a quote, a blank or a line end follows.  Text without any of these is
    one sentence: pauses are not guessed.

    Args:
        text: any text, or its pieces, such as lines or the output of a language model.

    Returns:
        a list; for pieces an iterator over the same sentences, which yields each as soon as no
        further piece can change it.

    Raises:
        TypeError: ``text`` is neither a str nor an iterable of str.

    >>> [s.text for s in sentences("他说：“好。”我问Mr. Li：“3.5元？”他走了……")]
    ['他说：“好。”', '我问Mr. Li：“3.5元？”', '他走了……']
    >>> [s.text for s in sentences(iter(["他来", "了。我", "走了。", "”好"]))]
    ['他来了。', '我走了。”', '好']
    """
    if isinstance(text, str):
        ends = _EndFinder().feed(text, True)
        return [Sentence(text[a:b], a, b) for a, b in zip([0, *ends], ends, strict=False)]
    if isinstance(text, bytes) or not hasattr(text, "__iter__"):
        raise wrong_type("text", text, "str, or an iterable of str")
    return _stream(iter(text))


def _stream(pieces: Iterator[str]) -> Iterator[Sentence]:
    finder = _EndFinder()
    last = False
    while not last:
        piece = next(pieces, None)
        last = piece is None
        if not isinstance(piece, str | None):
            raise wrong_type("text", piece, "str, or an iterable of str")
        for end in finder.feed(piece or "", last):
            start = finder.start
            yield Sentence(finder.take(end), start, end)


class _EndFinder:
    """Finds the ends of sentences in a text that grows.

    Attributes:
        start: the start of the next sentence to take, in the whole text.
    """

    def __init__(self) -> None:
        self.start = 0
        self._text = ""  # the text not yet taken, with up to _LOOKBEHIND characters before it
        self._base = 0  # the offset of _text in the whole text
        # offsets in _text:
        self._scanned = 0  # all ends before this offset are decided
        self._last_end = 0
        self._pending: list[int] = []  # the last end, while line ends may still move it

    def feed(self, piece: str, final: bool) -> list[int]:
        """Return the ends, in the whole text, that no further piece can change.

        ``final``: there is no further piece.
        """
        text = self._text = self._text + piece
        ends, n = self._pending, len(text)
        for match in _END.finditer(text, self._scanned):
            end = match.end()
            if end == n and not final:
                self._scanned = match.start()
                break
            stop = match["stop"]
            if stop is None:  # a line end belongs to the sentence before it
                if self._base + self._last_end == 0 or text[self._last_end : match.start()].strip():
                    ends.append(end)
                else:
                    ends[-1] = end
                self._last_end = end
            elif _is_end(text, match, stop, n):
                ends.append(end)
                self._last_end = end
        else:
            self._scanned = n
        if final:
            if self._last_end < n:
                ends.append(n)
        elif ends and not _VISIBLE.search(text, ends[-1]):
            self._pending = [ends.pop()]
        else:
            self._pending = []
        return [self._base + end for end in ends]

    def take(self, end: int) -> str:
        """Return the text up to ``end``, an offset in the whole text, and forget it."""
        sentence = self._text[self.start - self._base : end - self._base]
        self.start = end
        dropped = max(0, end - self._base - _LOOKBEHIND)
        self._text = self._text[dropped:]
        self._base += dropped
        self._scanned, self._last_end = self._scanned - dropped, self._last_end - dropped
        self._pending = [offset - dropped for offset in self._pending]
        return sentence


def _is_end(text: str, match: re.Match[str], stop: str, n: int) -> bool:
    end = match.end()
    if end == n:
        return True
    next_char, closed, blank = text[end], bool(match["close"]), bool(match["blank"])
    if next_char in _CONTINUING and not (next_char == "…" and stop[0] != "…"):
        return False
    if next_char in "\r\n\u2028\u2029":
        return True
    if stop == ".":
        return _is_full_stop(text, match.start(), next_char, closed, blank)
    if stop[0] in "…⋯.":
        return closed or blank or next_char in "“‘「『（《【\"'"
    if stop[0] in "!?" and not blank and not closed:
        previous = text[match.start() - 1 : match.start()]
        return not (previous.isascii() and not previous.isspace() and next_char.isascii())
    return True


def _is_full_stop(text: str, offset: int, next_char: str, closed: bool, blank: bool) -> bool:
    previous = text[offset - 1 : offset]
    if not previous or previous.isspace():
        return False
    if not previous.isascii():  # 你好.
        return not (next_char.isascii() and next_char.isalpha() and not blank)  # 百度.com
    if not (blank or closed or not next_char.isascii()):
        return False
    if previous.isdigit():
        return (blank or closed) and offset >= 2 and not _is_item_number(text, offset)
    word = _WORD.search(text, max(0, offset - 16), offset)
    if word is not None:
        abbreviation = word[0].lower()
        if abbreviation in _ABBREVIATIONS or len(abbreviation) == 1:
            return False
    return not (next_char.isascii() and next_char.islower())


def _is_item_number(text: str, offset: int) -> bool:
    """Whether the number before the full stop at ``offset`` begins a line, as in a list."""
    start = offset
    while start > 0 and text[start - 1].isdigit():
        start -= 1
    return start == 0 or text[start - 1] in "\r\n"


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
    cutter = segmenter or default.default_segmenter()
    measure: Callable[[str], int] = len
    if unit == "words":

        def measure(part: str) -> int:
            return len(cutter.cut(part))

    elif unit == "tokens":
        measure = _counter(tokenizer)
    pieces = list(_pieces(text, size, measure, cutter))
    return _pack(text, pieces, size, overlap)


def _counter(tokenizer: Any) -> Callable[[str], int]:
    encode = getattr(tokenizer, "encode", tokenizer)
    if not callable(encode):
        raise wrong_type("tokenizer", tokenizer, "a function or an object with encode")

    def count(part: str) -> int:
        tokens = encode(part)
        if isinstance(tokens, int):
            return tokens
        return len(getattr(tokens, "ids", tokens))

    return count


_COMMA = re.compile(r"(?<=[，、；：,;:—…）】》”’])(?![，、；：,;:—…）】》”’])")


def _pieces(
    text: str, size: int, measure: Callable[[str], int], cutter: Segmenter
) -> Iterable[tuple[int, int, int]]:
    """(start, end, size) of every sentence, or of its parts if it is too long."""
    for sentence in sentences(text):
        length = measure(sentence.text)
        if length <= size:
            yield sentence.start, sentence.end, length
            continue
        commas = [m.start() for m in _COMMA.finditer(sentence.text)]
        cuts = [0, *(p for p in commas if 0 < p < len(sentence.text)), len(sentence.text)]
        for a, b in pairwise(cuts):
            part = sentence.text[a:b]
            length = measure(part)
            if length <= size:
                yield sentence.start + a, sentence.start + b, length
                continue
            offset = sentence.start + a
            for word in _tiling(cutter, part):
                yield offset, offset + len(word), measure(word)
                offset += len(word)


def _tiling(cutter: Segmenter, part: str) -> Iterable[str]:
    """The words of a part, each with the characters that the Segmenter skips before it."""
    offset = 0
    for token in cutter.tokenize(part):
        yield part[offset : token.end]
        offset = token.end
    if offset < len(part):
        yield part[offset:]


def _pack(text: str, pieces: list[tuple[int, int, int]], size: int, overlap: int) -> list[Sentence]:
    sums = list(accumulate((n for _, _, n in pieces), initial=0))
    packed: list[Sentence] = []
    first, n = 0, len(pieces)
    while first < n:
        last = max(first + 1, bisect_right(sums, sums[first] + size) - 1)
        a, b = pieces[first][0], pieces[last - 1][1]
        packed.append(Sentence(text[a:b], a, b))
        if last >= n:
            break
        # the next chunk repeats pieces that fit into the overlap, but not the first of this chunk
        resume = last
        while (
            resume - 1 > first
            and sums[last] - sums[resume - 1] <= overlap
            and sums[last + 1] - sums[resume - 1] <= size
        ):
            resume -= 1
        first = resume
    return packed
