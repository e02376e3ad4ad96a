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

#: Kinds by the numbers of the kernels' edges; from "url" on, those of :mod:`segmenter.atoms`.
KINDS = _tokens.KINDS
#: Those of the words and runs of a lattice: ``EdgeKind`` of ``kernels/token.hpp``.
EDGE_KINDS = _tokens.EDGE_KINDS

#: Kinds that a token can have; a pattern of the user's has a kind of its own name.
TOKEN_KINDS = tuple(kind for kind in _tokens.TOKEN_KINDS if kind != "unknown")

_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def kind_of(text: str, edge: str) -> str:
    """The kind of a token: that of its edge, or told by its characters.

    Args:
        text: the token.
        edge: the kind of the edge that made it, of :data:`KINDS` or a pattern's name.
    """
    number = _NUMBERS.get(edge)
    if number is not None and number <= _LAST:
        return _BY_TEXT.get(text) or _by_characters(text)
    return _told(text, number) if number in _BY_RULE else edge


def kinds_of(texts: Iterable[str], edges: Iterable[int], names: Sequence[str]) -> list[str]:
    """:func:`kind_of` of many tokens; edges are places in ``names``, :data:`KINDS` and more.

    >>> kinds_of(["在理", "，"], [0, 0], KINDS)
    ['word', 'punct']
    """
    known = _BY_TEXT
    return [
        (known.get(text) or _by_characters(text)) if edge <= _LAST else kind_of(text, names[edge])
        for text, edge in zip(texts, edges, strict=True)
    ]


#: Kinds that are told by characters, by text; at most so many short ones.
_BY_TEXT: dict[str, str] = {}
_REMEMBERED, _SHORT = 1 << 15, 16
_WORD, _LAST = KINDS.index("word"), KINDS.index("unknown")  # edges of these say nothing
_BY_RULE = frozenset((KINDS.index("number"), KINDS.index("date")))


def _by_characters(text: str) -> str:
    kind = _told(text, _WORD)
    if len(text) <= _SHORT:
        if len(_BY_TEXT) >= _REMEMBERED:
            _BY_TEXT.clear()
        _BY_TEXT[text] = kind
    return kind


def _told(text: str, edge: int) -> str:
    return _tokens.TOKEN_KINDS[_tokens.kind_of(text, chars.classes(text), edge)]
