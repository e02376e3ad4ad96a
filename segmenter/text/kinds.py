"""Kinds of tokens, which depend on a token's characters, not on the lexicon or model that cut it.

The kernels know which edge made a token: a lexicon word, a run of letters, an atom.  But whether a
string is in the lexicon differs from preset to preset, so a token's kind depends on its characters
alone; its ``source`` says where it came from.

>>> [kind_of(text, "word") for text in ("在理", "The", "911", "，", "℃", "三百五", "卡拉OK")]
['word', 'latin', 'number', 'punct', 'symbol', 'number', 'word']
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Kinds by the numbers of the kernels' edges; from "url" on, those of :mod:`segmenter.atoms`.
KINDS = (
    "word", "unknown", "number", "date", "latin", "space", "newline", "script", "cluster",
    "url", "email", "ip", "time", "quantity", "version", "hashtag", "mention", "code", "emoji",
    "pattern",
)  # fmt: skip
#: Those of the words and runs of a lattice: ``EdgeKind`` of ``kernels/decision.hpp``.
EDGE_KINDS = KINDS[:9]

#: Kinds that a token can have; a pattern of the user's has a kind of its own name.
TOKEN_KINDS = (*(kind for kind in KINDS if kind != "unknown"), "punct", "symbol")

_BY_CHARACTERS = frozenset(("word", "unknown"))
_BY_RULE = frozenset(("number", "date"))

_LETTERS = {
    chars.DIGIT: "d",
    chars.LATIN: "a",
    chars.HANNUM: "h",
    chars.HAN: "h",
    chars.EXTEND: "",
    **dict.fromkeys(range(chars.GREEK, chars.LETTER + 1), "s"),
    **dict.fromkeys(chars.JOINERS | {chars.PUNCT}, "p"),
}
_ONES = "一二三四五六七八九零○〇两"
_NUMERALS = f"[{chars.HAN_NUMERALS}]"
_NUMBER = re.compile(
    f"[{_ONES}十]{_NUMERALS}+(?:点{_NUMERALS}+)?|{_NUMERALS}+(?:分之|点){_NUMERALS}+"
    f"(?:点{_NUMERALS}+)?|第{_NUMERALS}+"
)
#: Chinese numerals that are words all the same: 万一, 百万, 千万.
_NO_NUMBER = re.compile(f"[百千万亿]{_NUMERALS}+")
_1_TO_12 = "(?:十[一二]?|[一二三四五六七八九])"
_1_TO_31 = "(?:[一二三四五六七八九]|二?十[一二三四五六七八九]?|三十一?)"
_DATE = re.compile(f"(?:[{_ONES}]{{2}}){{1,2}}年|{_1_TO_12}月份?|{_1_TO_31}[日时]")
#: So are 一时, 十分 and the like.
_NO_DATE = re.compile(f"{_NUMERALS}+分|一时")


class _Classes(dict[str, str]):
    def __missing__(self, c: str) -> str:
        got = self[c] = _LETTERS.get(chars.char_class(chars.fold(ord(c))), "o")
        return got


_CLASSES = _Classes()


def kind_of(text: str, edge: str) -> str:
    """The kind of a token: that of its edge, or told by its characters.

    Args:
        text: the token.
        edge: the kind of the edge that made it, of :data:`KINDS` or a pattern's name.
    """
    if edge in _BY_RULE:
        return "word" if (_NO_NUMBER.fullmatch(text) or _NO_DATE.fullmatch(text)) else edge
    if edge not in _BY_CHARACTERS:
        return edge
    return _BY_TEXT.get(text) or _by_characters(text)


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
_LAST = KINDS.index("unknown")  # of _BY_CHARACTERS


def _by_characters(text: str) -> str:
    kind = _told(text)
    if len(text) <= _SHORT:
        if len(_BY_TEXT) >= _REMEMBERED:
            _BY_TEXT.clear()
        _BY_TEXT[text] = kind
    return kind


def _told(text: str) -> str:
    found = set(map(_CLASSES.__getitem__, text))
    if found == {"p"}:
        return "punct"
    if "h" in found:
        return _of_han(text) if found <= {"h", ""} else "word"
    found.discard("")
    if found == {"d"}:
        return "number"
    if found and found <= {"d", "a"}:
        return "latin"
    if found == {"s"}:
        return "script"
    return "word" if found & {"d", "a", "s"} else "symbol"


def _of_han(text: str) -> str:
    if len(text) > 1 and not _NO_DATE.fullmatch(text):
        if _NUMBER.fullmatch(text):
            return "number"
        if _DATE.fullmatch(text):
            return "date"
    return "word"
