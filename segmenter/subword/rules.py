r"""Patterns that have a dedicated scanner in the kernel (kernels/subword/scanners.hpp).

A pattern is recognised by its text and engine or, if it only consists of runs of characters, by its
tree.  The scanner gives the same result as the pattern.  Other patterns are interpreted.

>>> rule_of(patterns.GPT2, "oniguruma").kind == GPT2, rule_of(r"\d\s", "fancy") is None
(True, True)
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.subword import patterns
from segmenter.subword.characters import contains, intersection, union
from segmenter.subword.expressions import MANY, Alternation, Concat, Repeat, Set, parse

if TYPE_CHECKING:
    from segmenter.subword.characters import Ranges
    from segmenter.subword.expressions import Node

GPT2, CL100K, O200K, DEEPSEEK, RUNS = range(1, 6)
LETTER, NUMBER, BLANK, BREAK, UPPER, LOWER, SIGN = (1 << i for i in range(7))


class Rule(NamedTuple):
    """The parameters of a scanner in the kernel.

    Attributes:
        kind: which scanner.
        sets: (characters, bit); for ``RUNS`` (characters, number of the run).
        digits: maximum length of a number; 0: any.
        contraction: 0: none, 1: ``'s`` and the like, 2: also in capitals.
        long_s: contractions may be written with a long s.
        slash: slashes are treated like line breaks after signs.
        end_first: blanks at the end form one span, even if they contain line breaks.
        most: maximum length of each run of ``RUNS``; 0: any.
    """

    kind: int
    sets: tuple[tuple[Ranges, int], ...]
    digits: int = 0
    contraction: int = 0
    long_s: bool = False
    slash: bool = False
    end_first: bool = False
    most: tuple[int, ...] = ()


# (kind, digits, contraction, slash, end_first, set of letters): patterns
_KNOWN: dict[tuple[int, int, int, bool, bool, str], tuple[str, ...]] = {
    (GPT2, 0, 1, False, False, r"\p{L}"): (
        patterns.GPT2,
        patterns.GPT2.replace("(?:[sdmt]|ll|ve|re)", "s|'t|'re|'ve|'m|'ll|'d"),
        patterns.R50K,
    ),
    (CL100K, 3, 2, False, True, r"\p{L}"): (patterns.CL100K, patterns.CL100K_ONIGURUMA),
    (CL100K, 3, 2, False, False, r"\p{L}"): (patterns.LLAMA3,),
    (CL100K, 1, 2, False, False, r"\p{L}"): (patterns.QWEN,),
    (CL100K, 1, 2, False, False, r"[\p{L}\p{M}]"): (patterns.QWEN35,),
    (O200K, 3, 2, True, False, r"\p{L}"): (patterns.O200K,),
    (O200K, 1, 0, True, False, r"\p{L}"): (patterns.TEKKEN,),
    (DEEPSEEK, 0, 0, False, False, r"[\p{L}\p{M}]"): (patterns.DEEPSEEK3[2],),
}
# both spellings found in JSON files: line breaks escaped, or literal
_PATTERNS = {
    spelling: row
    for row, known in _KNOWN.items()
    for pattern in known
    for spelling in (pattern, pattern.replace(r"\r", "\r").replace(r"\n", "\n"))
}


def _set(pattern: str, engine: str) -> Ranges:
    node = _bare(parse(pattern, engine))
    assert isinstance(node, Set), pattern
    return node.ranges


def _bare(node: Node) -> Node:
    while isinstance(node, (Concat, Alternation)) and len(node.parts) == 1:
        node = node.parts[0]
    return node


@cache
def rule_of(pattern: str | Node, engine: str) -> Rule | None:
    """The rule of a pattern; None if the kernel has no scanner for it."""
    if not isinstance(pattern, str):
        return _runs(pattern)
    row = _PATTERNS.get(pattern)
    if row is None:
        return _runs(parse(pattern, engine))
    kind, digits, contraction, slash, end_first, letters = row
    sets = [
        (_set(letters, engine), LETTER),
        (_set(r"\p{N}", engine), NUMBER),
        (_set(r"\s", engine), BLANK),
        (_set(r"[\r\n]", engine), BREAK),
    ]
    if kind == O200K:
        sets.append((_set(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", engine), UPPER))
        sets.append((_set(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", engine), LOWER))
    if kind == DEEPSEEK:
        sets.append((_set(r"[\p{P}\p{S}]", engine), SIGN))
    long_s = contraction == 2 and contains(_set("(?i:s)", engine), 0x17F)
    return Rule(kind, tuple(sets), digits, contraction, long_s, slash, end_first)


def _runs(node: Node) -> Rule | None:
    """The rule of an alternation of runs that have no character in common."""
    sets: list[tuple[Ranges, int]] = []
    lengths = [0]
    node = _bare(node)
    for part in node.parts if isinstance(node, Alternation) else (node,):
        part = _bare(part)
        inner = _bare(part.part) if isinstance(part, Repeat) else part
        if isinstance(part, Set):
            ranges, length = part.ranges, 1
        elif isinstance(part, Repeat) and isinstance(inner, Set) and part.mode != "?":
            if part.minimum != 1 or not part.maximum:
                return None
            ranges, length = inner.ranges, 0 if part.maximum == MANY else part.maximum
        else:
            return None
        if not ranges or intersection(union(*(earlier for earlier, _ in sets)), ranges):
            return None
        sets.append((ranges, len(lengths)))
        lengths.append(length)
    return Rule(RUNS, tuple(sets), most=tuple(lengths)) if len(lengths) < 200 else None
