r"""Patterns of pre-tokenisers for the standard library's ``re``, which knows no ``\p{L}``.

GPT-2's pattern and its successors are written for engines that know Unicode's categories.
:func:`compile` spells these classes out from :mod:`unicodedata`; what they are made of is the
Unicode version of the running Python (``unicodedata.unidata_version``).

>>> compile(r" ?\p{L}+|\p{N}{1,3}").findall("你好 world 12345")
['你好', ' world', '123', '45']
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

#: GPT-2 (Radford et al. 2019, ``encoder.py``).
GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

#: cl100k_base (OpenAI's tiktoken).
CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)

#: The same as Oniguruma (``tokenizers``) writes it, where ``$`` is the end of a line and ``{1,3}+``
#: is no possessive quantifier.
CL100K_ONIGURUMA = CL100K.replace("{1,3}+", "{1,3}").replace("$", r"\z")

#: Llama 3's.
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# Unicode's White_Space; Python's own \s has U+001C to U+001F besides
_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
#: White_Space as a string
BLANKS = "".join(c for c in map(chr, range(0x3001)) if re.match(f"[{_SPACE}]", c))
# Unicode's \w: Alphabetic, marks, decimal digits, connectors, joiners
_WORD = ("L", "M", "Nl", "Nd", "Pc")
WORD_MORE = (
    (0x200C, 0x200D), (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189),
)  # fmt: skip


def is_word(category: str) -> bool:
    r"""Whether the characters of a general category are of ``\w``."""
    return category.startswith(_WORD)


@cache
def category_ranges() -> dict[str, list[tuple[int, int]]]:
    """Ranges of code points (both ends in) a category; planes 4 to 13 are unassigned."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    category = unicodedata.category
    for low, high in ((0, 0x3FFFF), (0xE0000, 0xE0FFF)):
        last, start = category(chr(low)), low
        for cp in range(low + 1, high + 2):
            now = category(chr(cp)) if cp <= high else ""
            if now != last:
                ranges.setdefault(last, []).append((start, cp - 1))
                last, start = now, cp
    ranges.setdefault("Co", []).append((0xF0000, 0x10FFFF))
    ranges.setdefault("Cn", []).append((0x40000, 0xDFFFF))
    ranges["Cn"].append((0xE1000, 0xEFFFF))
    return ranges


@cache
def category_class(name: str) -> str:
    r"""What stands between brackets for ``\p{name}``: ``L``, ``Lu``, ``N``, ….

    Raises:
        ArgumentError: it is no general category (scripts and other properties are not known).
    """
    found = [
        pair for key, pairs in category_ranges().items() if key.startswith(name) for pair in pairs
    ]
    if not found or not 1 <= len(name) <= 2:
        raise ArgumentError(
            rf"pattern: \p{{{name}}} is no general category of Unicode: only these are known here, "
            "use an equivalent of them"
        )
    found.sort()
    joined = [found[0]]
    for low, high in found[1:]:
        if low == joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return "".join(
        f"\\U{a:08x}" if a == b else f"\\U{a:08x}-\\U{b:08x}" for a, b in joined
    )  # fmt: skip


@cache
def word_class() -> str:
    r"""What stands between brackets for ``\w``."""
    more = "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in WORD_MORE)
    return "".join(category_class(c) for c in _WORD) + more


@cache
def _negated(inner: str) -> str:
    """The complement of a class, for use between brackets."""
    covered = re.compile(f"[{inner}]")
    out, start = [], None
    for cp in range(0x110000 + 1):
        outside = cp < 0x110000 and not covered.match(chr(cp))
        if outside and start is None:
            start = cp
        elif not outside and start is not None:
            out.append(f"\\U{start:08x}-\\U{cp - 1:08x}")
            start = None
    return "".join(out)


def _class_of(escape: str) -> tuple[str, Callable[[], str]]:
    """The class that a backslash and a letter stand for, and what makes its inside."""
    kind, name = escape[1], escape[2:].strip("{}")
    negated = kind.isupper()
    if kind in "pP":
        negated ^= name.startswith("^")
        inner = category_class(name.lstrip("^"))
    elif kind in "sS":
        inner = _SPACE
    elif kind in "dD":
        inner = category_class("Nd")
    else:
        inner = word_class()
    if negated:
        return f"[^{inner}]", lambda: _negated(inner)
    return f"[{inner}]", lambda: inner


_ESCAPE = re.compile(r"\\(?:[pP](?:\{\^?\w+\}|[A-Z])|.)", re.S)


def translate(pattern: str) -> str:
    r"""A pattern with ``\p``, ``\s``, ``\w`` and ``\d`` spelt out as Unicode defines them.

    Raises:
        ArgumentError: a property that is no general category.
    """
    out: list[str] = []
    inside = False
    i = 0
    while i < len(pattern):
        escape = _ESCAPE.match(pattern, i)
        if escape is not None:
            text = escape.group()
            i = escape.end()
            if text[1] in "pPsSwWdD":
                outside, inner = _class_of(text)
                out.append(inner() if inside else outside)
            elif text[1] in "hH":
                raise ArgumentError(rf"pattern: {text} is not known here: write its characters out")
            elif text in (r"\z", r"\Z"):
                out.append(r"\Z")
            else:
                out.append(text)
            continue
        c = made = pattern[i]
        i += 1
        if c == "[" and inside:
            made = r"\["
        elif c == "[":
            inside = True
            if pattern.startswith("^", i):
                made, i = "[^", i + 1
        elif c == "]":
            inside = False
        elif c == "$" and not inside:
            made = r"\Z"  # "$" of those engines is the very end
        out.append(made)
    return "".join(out)


@cache
def compile(pattern: str) -> re.Pattern[str]:
    """A compiled pattern.

    Raises:
        ArgumentError: ``re`` cannot run it.
    """
    try:
        return re.compile(translate(pattern))
    except re.error as e:
        raise ArgumentError(f"pattern: {pattern!r} cannot be run here: {e}") from e
