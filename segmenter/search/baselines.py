"""The two baselines of every search engine: single characters and character n-grams.

>>> ngrams("我们相信AI").words
['我们', '们相', '相信', 'AI']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.choices import check_whole, one_of
from segmenter.errors import check_str
from segmenter.search.builder import RULE, TokensBuilder
from segmenter.search.options import RUNS, UNKNOWN, checked_kinds, is_dropped
from segmenter.search.units import units

if TYPE_CHECKING:
    from collections.abc import Collection

    from segmenter.types import Tokens


def characters(text: str, *, runs: str = "whole", drop: Collection[str] = ()) -> Tokens:
    """Return every character of a text as a token.

    Args:
        text: any text.  Combining marks stay with their character.
        runs: ``"whole"``: a run of Latin letters and digits is one token, as are runs of another
            alphabet and of blanks; ``"split"``: every letter and digit is a token.
        drop: kinds to leave out, from :data:`DROPPABLE`; their positions stay empty.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.

    >>> characters("我们相信AI").words
    ['我', '们', '相', '信', 'AI']
    """
    return _baseline(text, 1, runs, drop)


def ngrams(text: str, n: int = 2, *, runs: str = "whole", drop: Collection[str] = ()) -> Tokens:
    """Return all n-grams of characters of a text as tokens, which overlap.

    N-grams consist of Han characters, kana and Hangul only (and, with ``runs="split"``, letters and
    digits).  Every other unit is a token and separates n-grams.  Fewer than ``n`` characters
    between such units are one token.

    Args:
        text: any text.
        n: characters per token, at least 2.
        runs, drop: see :func:`characters`.

    Raises:
        TypeError, ArgumentError: an argument has the wrong type or value.

    >>> ngrams("我们相信AI", 3, runs="split").words
    ['我们相', '们相信', '相信A', '信AI']
    """
    check_whole("n", n, 2)
    return _baseline(text, n, runs, drop)


def _baseline(text: str, n: int, runs: str, drop: Collection[str]) -> Tokens:
    check_str("text", text)
    one_of("runs", runs, RUNS)
    drop = checked_kinds(drop)
    tokens = TokensBuilder(text)

    def add(first: int, last: int, kind: int) -> None:
        start, end = text_units[first].start, text_units[last].end
        if not is_dropped(text[start:end], kind, drop):
            tokens.add(start, end, first, last - first + 1, kind, RULE)

    text_units = list(units(text, split=runs == "split"))
    i = 0
    while i < len(text_units):
        j = i + 1
        while n > 1 and text_units[i].joins and j < len(text_units) and text_units[j].joins:
            j += 1
        if j - i == 1:
            add(i, i, text_units[i].kind)
        else:
            size = min(n, j - i)
            for k in range(i, j - size + 1):
                add(k, k + size - 1, UNKNOWN)
        i = j
    return tokens.tokens()
