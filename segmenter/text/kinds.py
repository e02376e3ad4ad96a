"""Kinds of tokens.  A kind depends on the characters of a token, not on the lexicon or model.

The kernels know which edge made a token: a lexicon word, a run of letters, an atom.  But the
lexicons of the presets differ, so the kind of a token depends on its characters
alone; its ``source`` says which edge made it.

>>> [kind_of(text, "word") for text in ("在理", "The", "911", "，", "℃", "三百五", "卡拉OK")]
['word', 'latin', 'number', 'punct', 'symbol', 'number', 'word']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.kernels import _tokens
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The kernels' kinds of edges, by number; from "url" on, those of :mod:`segmenter.atoms`.
KINDS = _tokens.KINDS
#: The kinds of words and runs of a lattice: ``EdgeKind`` of ``kernels/token.hpp``.
EDGE_KINDS = _tokens.EDGE_KINDS

#: The kinds of tokens; matches of a user's pattern have the name of the pattern.
TOKEN_KINDS = tuple(kind for kind in _tokens.TOKEN_KINDS if kind != "unknown")

_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def kind_of(text: str, edge: str) -> str:
    """Return the kind of a token, which follows from its characters or its edge.

    Args:
        text: the token.
        edge: the kind of the edge that made it, of :data:`KINDS` or a pattern's name.
    """
    number = _NUMBERS.get(edge)
    if number is not None and number <= _UNKNOWN:
        return _CACHE.get(text) or _cached_kind(text)
    return _kernel_kind(text, number) if number in _NUMERIC else edge


def kinds_of(texts: Iterable[str], edges: Iterable[int], names: Sequence[str]) -> list[str]:
    """:func:`kind_of` of many tokens; edges are indices of ``names``, :data:`KINDS` and more.

    >>> kinds_of(["在理", "，"], [0, 0], KINDS)
    ['word', 'punct']
    """
    cache = _CACHE
    return [
        (cache.get(text) or _cached_kind(text)) if edge <= _UNKNOWN else kind_of(text, names[edge])
        for text, edge in zip(texts, edges, strict=True)
    ]


#: The kinds of short words by text; limits on their number and length.
_CACHE: dict[str, str] = {}
_MAX_CACHED, _MAX_CACHED_LENGTH = 1 << 15, 16
_WORD, _UNKNOWN = KINDS.index("word"), KINDS.index("unknown")  # the characters decide the kind
_NUMERIC = frozenset((KINDS.index("number"), KINDS.index("date")))


def _cached_kind(text: str) -> str:
    kind = _kernel_kind(text, _WORD)
    if len(text) <= _MAX_CACHED_LENGTH:
        if len(_CACHE) >= _MAX_CACHED:
            _CACHE.clear()
        _CACHE[text] = kind
    return kind


def _kernel_kind(text: str, edge: int) -> str:
    return _tokens.TOKEN_KINDS[_tokens.kind_of(text, chars.classes(text), edge)]
