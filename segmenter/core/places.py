"""The word at a place of a text, and the words beside it, read from the lines around it alone.

No rule of the engine looks across a line feed.  A line feed is a token of its own: every decoder
ends before it, and every decoder, tagger and rule begins after it as at the start of a text
(``tests/promises.py`` tests all of them).  The end of a sentence does not have this property in
general, since a tagger scores the characters after ``。`` by the characters before it.  In a long
line a linear tagger tests which ends of sentences do have it: if ``。`` is a word of its own on
every best path, whatever is around it, no boundary on one side depends on the other
(``anew_places`` of ``kernels/analysis.hpp``).
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import NamedTuple

from segmenter.choices import check_whole, one_of
from segmenter.errors import ArgumentError, check_str
from segmenter.kernels import _engine
from segmenter.types import UNITS, Token, Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Kinds of tokens that the words before and after a place are not.
_BLANK = ("space", "newline")
#: Characters on either side of a place in which a line's ends are looked for, then sentences'.
_LONG = 1000
_WINDOWS = (250, _LONG, 4 * _LONG)
_ENCODINGS = {"utf8": ("utf-8", 1), "utf16": ("utf-16-le", 2)}


class Part(NamedTuple):
    """A part of a text that is cut whatever is around it, a line for example.

    Attributes:
        start, end: its place in the text.
        base: where the tokens' offsets count from.
        tokens: tokens of which ``range(first, last)`` are the part's.
    """

    start: int
    end: int
    base: int
    tokens: Tokens
    first: int
    last: int


class Place:
    """A place of a text.

    Args:
        text: the text.
        offset: the place, from 0 to the text's length.
        units: what ``offset`` and the offsets of tokens count, one of :data:`UNITS`.
        cut: gives the tokens of a text.
        engine: what cuts.
        whole: the words of ``cut`` may contain line ends: read the whole text.
    """

    __slots__ = ("_at", "_cut", "_engine", "_offset", "_text", "_units", "_whole")

    def __init__(
        self,
        text: str,
        offset: int,
        units: str,
        cut: Callable[[str], Tokens],
        engine: _engine.Engine,
        whole: bool,
    ) -> None:
        check_str("text", text)
        check_whole("offset", offset, 0)
        one_of("units", units, UNITS)
        self._text = text
        self._units = units
        self._cut = cut
        self._engine = engine
        self._whole = whole
        self._at, self._offset = self._code_points(offset)

    def token(self) -> Token | None:
        """The token that the character after the place is in; None at the end of the text."""
        if self._at == len(self._text):
            return None
        part = self._part(self._at)
        k = _first_after(part.tokens, self._at - part.base)
        found = None if k >= part.last else self._in_text(part.tokens[k], part.base)
        return found if found and found.start <= self._offset else None  # others are skipped

    def after(self) -> Token | None:
        """The first token that begins after the place and is not blank."""
        at = self._at
        while at < len(self._text):
            part = self._part(at)
            for k in range(_first_after(part.tokens, at - part.base), part.last):
                token = part.tokens[k]
                if part.base + token.start > self._at and token.kind not in _BLANK:
                    return self._in_text(token, part.base)
            at = part.end
        return None

    def before(self) -> Token | None:
        """The last token that begins before the place and is not blank."""
        at = self._at
        while at > 0:
            part = self._part(at - 1)
            last = min(_first_after(part.tokens, at - part.base), part.last - 1)
            for k in range(last, part.first - 1, -1):
                token = part.tokens[k]
                if part.base + token.start < self._at and token.kind not in _BLANK:
                    return self._in_text(token, part.base)
            at = part.start
        return None

    # --- parts -----------------------------------------------------------------------------------

    def _part(self, at: int) -> Part:
        """The line of the character at ``at``, its end included; or less, if the line is long."""
        text, n = self._text, len(self._text)
        if self._whole:
            return self._line(0, n)
        first, last = max(0, at - _LONG), min(n, at + _LONG)
        start = text.rfind("\n", first, at) + 1 or (None if first else 0)
        end = text.find("\n", at, last) + 1 or (None if last < n else n)
        if start is not None and end is not None:
            return self._line(start, end)
        if (found := self._sentences(start, end, at)) is not None:
            return found
        return self._line(text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or n)

    def _line(self, start: int, end: int) -> Part:
        tokens = self._cut(self._text[start:end])
        return Part(start, end, start, tokens, 0, len(tokens))

    def _sentences(self, start: int | None, end: int | None, at: int) -> Part | None:
        """The part around ``at`` between two places at which the engine starts anew, if they are
        near; ``start`` and ``end`` of the line are such places, where they are known.

        The text between two further ones is cut, because scores of tokens beside a place count what
        other boundaries there would cost.
        """
        reach = _engine.anew_reach(self._engine)
        for size in _WINDOWS if reach else ():
            first, last = max(start or 0, at - size), min(end or len(self._text), at + size)
            found = _engine.anew_places(self._engine, self._text[first:last])
            places = [first + place for place in found]
            if first == start:
                places = [first, first, *places]
            if last == end:
                places += [last, last]
            k = bisect_right(places, at)
            if 2 <= k <= len(places) - 2:
                a, b = places[k - 1], places[k]
                base = max(first, places[k - 2] - reach)
                tokens = self._cut(self._text[base : min(last, places[k + 1] + reach)])
                parts = (_first_after(tokens, place - base) for place in (a, b))
                return Part(a, b, base, tokens, *parts)
        return None

    # --- units -----------------------------------------------------------------------------------

    def _size(self, start: int, end: int) -> int:
        """How many units the characters from ``start`` to ``end`` take."""
        if self._units == "codepoints":
            return end - start
        encoding, size = _ENCODINGS[self._units]
        return len(self._text[start:end].encode(encoding, "surrogatepass")) // size

    def _code_points(self, offset: int) -> tuple[int, int]:
        """The character that a place is before or in, and where it begins in units."""
        low, high, before = 0, min(len(self._text), offset), 0
        if self._units == "codepoints":
            low = before = high
        while low < high:  # every step encodes half as much as the one before
            middle = (low + high + 1) // 2
            size = before + self._size(low, middle)
            if size <= offset:
                low, before = middle, size
            else:
                high = middle - 1
        if low == len(self._text) and before < offset:
            raise ArgumentError(
                f"offset: {offset} is beyond the text's end, {before} in units={self._units!r}"
            )
        return low, before

    def _in_text(self, token: Token, start: int) -> Token:
        """A token of the line that begins at ``start``, as one of the text."""
        first, last = start + token.start, start + token.end
        if first <= self._at:
            begins = self._offset - self._size(first, self._at)
        else:
            begins = self._offset + self._size(self._at, first)
        return token._replace(start=begins, end=begins + self._size(first, last), position=0)


def _first_after(tokens: Tokens, place: int) -> int:
    """The number of the first token that ends after a place."""
    return bisect_right(tokens.spans, place, key=itemgetter(1))
