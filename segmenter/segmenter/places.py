"""The word at a place of a text, and the words beside it, read from the lines around it alone.

No rule of the engine looks across a line feed: it is a token of its own before which every decoder
ends and after which every decoder, tagger and rule begins as at the start of a text
(``tests/promises.py`` holds all of them to it).  Sentence ends are no such places: a tagger scores
the characters after ``。`` by those before it.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from segmenter.choices import check_whole, one_of
from segmenter.errors import ArgumentError, wrong_type
from segmenter.types import UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.types import Token, Tokens

#: Kinds of tokens that the words before and after a place are not.
_BLANK = ("space", "newline")
_ENCODINGS = {"utf8": ("utf-8", 1), "utf16": ("utf-16-le", 2)}


class Place:
    """A place of a text.

    Args:
        text: the text.
        offset: the place, from 0 to the text's length.
        units: what ``offset`` and the offsets of tokens count, one of :data:`UNITS`.
        cut: gives the tokens of a text.
        whole: the words of ``cut`` may contain line ends: read the whole text.
    """

    __slots__ = ("_at", "_cut", "_offset", "_text", "_units", "_whole")

    def __init__(
        self, text: str, offset: int, units: str, cut: Callable[[str], Tokens], whole: bool
    ) -> None:
        if not isinstance(text, str):
            raise wrong_type("text", text, "str")
        check_whole("offset", offset, 0)
        one_of("units", units, UNITS)
        self._text = text
        self._units = units
        self._cut = cut
        self._whole = whole
        self._at, self._offset = self._code_points(offset)

    def token(self) -> Token | None:
        """The token that the character after the place is in; None at the end of the text."""
        if self._at == len(self._text):
            return None
        start, tokens = self._line(self._at)
        k = _first_after(tokens, self._at - start)
        found = None if k == len(tokens) else self._in_text(tokens[k], start)
        return found if found and found.start <= self._offset else None  # others are skipped

    def after(self) -> Token | None:
        """The first token that begins after the place and is not blank."""
        at = self._at
        while at < len(self._text):
            start, tokens = self._line(at)
            for k in range(_first_after(tokens, at - start), len(tokens)):
                token = tokens[k]
                if start + token.start > self._at and token.kind not in _BLANK:
                    return self._in_text(token, start)
            at = self._end(at)
        return None

    def before(self) -> Token | None:
        """The last token that begins before the place and is not blank."""
        at = self._at
        while at > 0:
            start, tokens = self._line(at - 1)
            for k in range(min(_first_after(tokens, at - start), len(tokens) - 1), -1, -1):
                token = tokens[k]
                if start + token.start < self._at and token.kind not in _BLANK:
                    return self._in_text(token, start)
            at = start
        return None

    # --- lines -----------------------------------------------------------------------------------

    def _start(self, at: int) -> int:
        return 0 if self._whole else self._text.rfind("\n", 0, at) + 1

    def _end(self, at: int) -> int:
        found = -1 if self._whole else self._text.find("\n", at)
        return len(self._text) if found < 0 else found + 1

    def _line(self, at: int) -> tuple[int, Tokens]:
        """The line of the character at ``at``, with its end: where it begins, and its tokens."""
        start = self._start(at)
        return start, self._cut(self._text[start : self._end(at)])

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
