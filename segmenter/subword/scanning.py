r"""Compile pre-tokenisers to the kernel's instructions (kernels/subword/expressions.hpp).

A step that does not change the text is a sequence of :class:`Cut`; :func:`scanner` compiles all
steps into one kernel.

>>> scanner([Cut(r" ?\p{L}+|\p{N}{1,3}")]).spans("你好 world 12345")
[(0, 2), (2, 8), (8, 9), (9, 12), (12, 14)]
>>> scanner([Cut(r"\d", "Removed"), Cut("b", "MergedWithNext")]).spans("ab1bc")
[(0, 1), (1, 2), (3, 5)]
"""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.kernels import _subword
from segmenter.subword import characters
from segmenter.subword.characters import ALL, both, contains, union
from segmenter.subword.expressions import (
    MANY,
    Atomic,
    Either,
    Look,
    Place,
    Repeat,
    Row,
    Set,
    length_of,
    parse,
)
from segmenter.subword.rules import Rule, rule_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from segmenter.subword.characters import Ranges
    from segmenter.subword.expressions import Node

#: What can happen to the matches of a pattern.
BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
#: Maximum number of instructions of a pattern, with repeated groups expanded.
LIMIT = 4000

ACCEPT, SET, LOOP, KEEP, SPLIT, JUMP, LOOK, ATOMIC = range(8)
_PLACES = {
    "begin": (8, 0), "end": (9, 0), "line begin": (10, 0), "line end": (11, 0), "word": (12, 0),
    "no word": (12, 1),
}  # fmt: skip


class _After(NamedTuple):
    """What follows a part: its possible first characters, whether the end of the text may follow,
    whether it always matches."""

    first: Ranges
    ends: bool
    certain: bool


_ACCEPTED = _After((), True, True)


@cache
def opens(node: Node) -> tuple[Ranges, bool, bool]:
    """The first characters of a part, whether it may be empty, whether it never fails.

    >>> [opens(parse(pattern))[1:] for pattern in ("a*", "a+", "(?=a)")]
    [(True, True), (False, False), (True, False)]
    """
    if isinstance(node, Set):
        return node.ranges, False, False
    if isinstance(node, (Look, Place)):
        return ALL, True, False
    if isinstance(node, Atomic):
        return opens(node.part)
    if isinstance(node, Repeat):
        first, empty, certain = opens(node.part)
        if not node.most:
            return (), True, True
        return first, empty or not node.least, certain or not node.least
    if isinstance(node, Either):
        opened = [opens(part) for part in node.parts]
        return (
            union(*(row[0] for row in opened)),
            any(row[1] for row in opened),
            any(row[2] for row in opened),
        )
    first, empty, certain = (), True, True
    for part in node.parts:
        more, may, must = opens(part)
        first = union(first, more) if empty else first
        empty, certain = empty and may, certain and must
    return first, empty, certain


def _before(node: Node, after: _After) -> _After:
    first, empty, certain = opens(node)
    return _After(
        union(first, after.first) if empty else first,
        empty and after.ends,
        certain and after.certain,
    )


class _Writer:
    """Compiles one pattern; sets are numbered in a list shared by all patterns."""

    def __init__(self, pattern: str, sets: list[Ranges]) -> None:
        self.pattern, self.sets = pattern, sets
        self.code: list[list[int]] = []

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        self.code.append([op, a, b, c])
        if len(self.code) > LIMIT:
            raise ArgumentError(
                f"pattern: {self.pattern!r} has more than {LIMIT} steps when its repeated groups "
                "are written out: repeat them less often"
            )
        return len(self.code) - 1

    def number(self, ranges: Ranges) -> int:
        if ranges not in self.sets:
            self.sets.append(ranges)
        return self.sets.index(ranges)

    def write(self, node: Node, after: _After) -> None:
        if isinstance(node, Set):
            self.emit(SET, self.number(node.ranges))
        elif isinstance(node, Row):
            follows = [after]
            for part in reversed(node.parts[1:]):
                follows.append(_before(part, follows[-1]))
            for part, follow in zip(node.parts, reversed(follows), strict=False):
                self.write(part, follow)
        elif isinstance(node, Either):
            self.either(node, after)
        elif isinstance(node, Repeat):
            self.repeat(node, after)
        elif isinstance(node, (Look, Atomic)):
            at = self.emit(ATOMIC)
            if isinstance(node, Look):
                back = 0 if node.ahead else length_of(node.part) or 0
                self.code[at] = [LOOK, 0, int(node.negated), back]
            self.write(node.part, _ACCEPTED)
            self.emit(ACCEPT)
            self.code[at][1] = len(self.code)
        else:
            op, negated = _PLACES[node.kind]
            self.emit(op, self.number(node.ranges), negated or int(node.last))

    def either(self, node: Either, after: _After) -> None:
        jumps = []
        for i, part in enumerate(node.parts):
            if i + 1 == len(node.parts):
                self.write(part, after)
                break
            split = self.emit(SPLIT)
            self.code[split][1] = len(self.code)
            self.write(part, after)
            jumps.append(self.emit(JUMP))
            self.code[split][2] = len(self.code)
        for jump in jumps:
            self.code[jump][1] = len(self.code)

    def repeat(self, node: Repeat, after: _After) -> None:
        part, least, most, mode = node
        while isinstance(part, Row) and len(part.parts) == 1:
            part = part.parts[0]
        if isinstance(part, Set) and mode != "?":
            apart = not after.ends and not both(part.ranges, after.first)
            op = KEEP if mode == "+" or after.certain or apart else LOOP
            self.emit(op, self.number(part.ranges), least, most)
            return
        if mode == "+":
            self.write(Atomic(Repeat(part, least, most, "")), after)
            return
        first, empty, _ = opens(part)
        if empty and most == MANY:
            raise ArgumentError(
                f"pattern: {self.pattern!r} repeats a group that may match nothing: make the group "
                "match at least one character"
            )
        inner = _After(union(first, after.first), after.ends, False)
        for _ in range(least):
            self.write(part, inner)
        if most == MANY:
            split = self.emit(SPLIT)
            self.write(part, inner)
            self.emit(JUMP, split)
            self.branch(split, mode)
            return
        splits = []
        for _ in range(most - least):
            splits.append(self.emit(SPLIT))
            self.write(part, inner)
        for split in splits:
            self.branch(split, mode)

    def branch(self, split: int, mode: str) -> None:
        ways = [split + 1, len(self.code)]
        self.code[split][1:3] = ways[::-1] if mode == "?" else ways


class Cut(NamedTuple):
    """A step that splits a text at the matches of a pattern.

    Attributes:
        pattern: the regular expression, or a tree.
        behaviour: what happens to matches, one of :data:`~.pretokenise.BEHAVIOURS`.
        invert: keep the matches, and treat the rest as delimiters.
        engine: the engine the pattern is written for.
    """

    pattern: str | Node
    behaviour: str = "Isolated"
    invert: bool = False
    engine: str = "fancy"


class Scanner(_subword.Scanner):
    """The kernel's scanner, with a limit on backtracking.

    Raises:
        ArgumentError: from every method, for a text on which a pattern backtracks too often.
    """

    def spans(self, text: str) -> list[tuple[int, int]]:
        try:
            return super().spans(text)
        except RuntimeError as e:
            raise ArgumentError(str(e)) from None

    def matches(self, text: str) -> list[tuple[int, int]]:
        try:
            return super().matches(text)
        except RuntimeError as e:
            raise ArgumentError(str(e)) from None


def scanner(steps: Sequence[Cut], *, plain: bool = False) -> Scanner:
    """A scanner that applies steps in order, each within the spans of the previous one.

    Args:
        plain: interpret every pattern, even those that :mod:`.rules` recognises.

    Raises:
        ArgumentError: see :func:`parse`; or the patterns distinguish more than 256 classes of
            characters.
    """
    return _scanner(tuple(steps), plain)


@cache
def _scanner(steps: tuple[Cut, ...], plain: bool) -> Scanner:
    sets: list[Ranges] = []
    rows: list[tuple[_Writer, list[int], list[tuple[Ranges, bool]], Cut]] = []
    known = [None if plain else rule_of(step.pattern, step.engine) for step in steps]
    for step in steps:
        node = parse(step.pattern, step.engine) if isinstance(step.pattern, str) else step.pattern
        writer = _Writer(str(step.pattern), sets)
        ways: tuple[Node, ...] = node.parts if isinstance(node, Either) else (node,)
        if len(ways) > 32:
            ways = (node,)
        starts, opened = [], []
        for way in ways:
            starts.append(len(writer.code))
            writer.write(way, _ACCEPTED)
            writer.emit(ACCEPT)
            first, empty, _ = opens(way)
            opened.append((first, empty))
        rows.append((writer, starts, opened, step))
    for rule in known:
        sets += [] if rule is None else [ranges for ranges, _ in rule.sets if ranges not in sets]
    runs, members = _classes(sets, [str(step.pattern) for step in steps])
    example = [-1] * 256
    for low, _, number in runs:
        if example[number] < 0:
            example[number] = low
    made: list[tuple[Any, ...]] = []
    for (writer, starts, opened, step), rule in zip(rows, known, strict=True):
        masks = array("I")
        for cp in example:
            bits = [empty or (cp >= 0 and contains(first, cp)) for first, empty in opened]
            masks.append(sum(1 << i for i, bit in enumerate(bits) if bit))
        code = array("I", [value for inst in writer.code for value in inst])
        may_be_empty = any(row[1] for row in opened)
        made.append(
            (
                code,
                array("I", starts),
                masks,
                may_be_empty,
                BEHAVIOURS.index(step.behaviour),
                step.invert,
                None if rule is None else (_bits(rule, example), *rule[:1], *rule[2:]),
            )
        )
    return Scanner(runs, members, made)


def _bits(rule: Rule, example: list[int]) -> bytes:
    """The bits of each character class for a rule's scanner, from one character of the class."""
    return bytes(
        sum(bit for ranges, bit in rule.sets if cp >= 0 and contains(ranges, cp)) for cp in example
    )


def _classes(
    sets: list[Ranges], patterns: list[str]
) -> tuple[list[tuple[int, int, int]], list[bytes]]:
    """(first, last, class) covering all code points, and for each set its classes, 256 bytes."""
    edges: dict[int, int] = {0: 0}
    for i, ranges in enumerate(sets):
        for low, high in ranges:
            edges[low] = edges.get(low, 0) ^ (1 << i)
            edges[high + 1] = edges.get(high + 1, 0) ^ (1 << i)
    numbers: dict[int, int] = {}
    runs: list[tuple[int, int, int]] = []
    inside, places = 0, sorted(edges)
    for low, after in zip(places, [*places[1:], characters.LAST + 1], strict=True):
        inside ^= edges[low]
        if low > characters.LAST:
            break
        runs.append((low, after - 1, numbers.setdefault(inside, len(numbers))))
    if len(numbers) > 256:
        raise ArgumentError(
            f"pattern: {patterns!r} distinguish over 256 kinds of characters: use fewer classes"
        )
    masks = [*numbers, *[0] * (256 - len(numbers))]
    members = [bytes(mask >> i & 1 for mask in masks) for i in range(len(sets))]
    return runs, members


def matches(pattern: str, text: str, engine: str = "fancy") -> list[tuple[int, int]]:
    """(start, end) of all matches in order, including empty ones.

    Args:
        engine: see :func:`~.expressions.parse`.

    Raises:
        ArgumentError: the pattern cannot be run here.
    """
    return scanner([Cut(pattern, engine=engine)]).matches(text)
