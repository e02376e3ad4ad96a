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
from segmenter.subword.characters import ALL, contains, intersection, union
from segmenter.subword.expressions import (
    MANY,
    Alternation,
    Anchor,
    Atomic,
    Concat,
    Lookaround,
    Repeat,
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
_ANCHORS = {
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
def first_set(node: Node) -> tuple[Ranges, bool, bool]:
    """The first characters of a part, whether it may be empty, whether it never fails.

    >>> [first_set(parse(pattern))[1:] for pattern in ("a*", "a+", "(?=a)")]
    [(True, True), (False, False), (True, False)]
    """
    if isinstance(node, Set):
        return node.ranges, False, False
    if isinstance(node, (Lookaround, Anchor)):
        return ALL, True, False
    if isinstance(node, Atomic):
        return first_set(node.part)
    if isinstance(node, Repeat):
        first, empty, certain = first_set(node.part)
        if not node.maximum:
            return (), True, True
        return first, empty or not node.minimum, certain or not node.minimum
    if isinstance(node, Alternation):
        firsts = [first_set(part) for part in node.parts]
        return (
            union(*(entry[0] for entry in firsts)),
            any(entry[1] for entry in firsts),
            any(entry[2] for entry in firsts),
        )
    first, empty, certain = (), True, True
    for part in node.parts:
        next_first, next_empty, next_certain = first_set(part)
        first = union(first, next_first) if empty else first
        empty, certain = empty and next_empty, certain and next_certain
    return first, empty, certain


def _before(node: Node, after: _After) -> _After:
    first, empty, certain = first_set(node)
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
        elif isinstance(node, Concat):
            follows = [after]
            for part in reversed(node.parts[1:]):
                follows.append(_before(part, follows[-1]))
            for part, follow in zip(node.parts, reversed(follows), strict=False):
                self.write(part, follow)
        elif isinstance(node, Alternation):
            self.alternation(node, after)
        elif isinstance(node, Repeat):
            self.repeat(node, after)
        elif isinstance(node, (Lookaround, Atomic)):
            header = self.emit(ATOMIC)
            if isinstance(node, Lookaround):
                back = 0 if node.ahead else length_of(node.part) or 0
                self.code[header] = [LOOK, 0, int(node.negated), back]
            self.write(node.part, _ACCEPTED)
            self.emit(ACCEPT)
            self.code[header][1] = len(self.code)
        else:
            op, negated = _ANCHORS[node.kind]
            self.emit(op, self.number(node.ranges), negated or int(node.at_end))

    def alternation(self, node: Alternation, after: _After) -> None:
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
        part, minimum, maximum, mode = node
        while isinstance(part, Concat) and len(part.parts) == 1:
            part = part.parts[0]
        if isinstance(part, Set) and mode != "?":
            apart = not after.ends and not intersection(part.ranges, after.first)
            op = KEEP if mode == "+" or after.certain or apart else LOOP
            self.emit(op, self.number(part.ranges), minimum, maximum)
            return
        if mode == "+":
            self.write(Atomic(Repeat(part, minimum, maximum, "")), after)
            return
        first, empty, _ = first_set(part)
        if empty and maximum == MANY:
            raise ArgumentError(
                f"pattern: {self.pattern!r} repeats a group that may match nothing: make the group "
                "match at least one character"
            )
        inner = _After(union(first, after.first), after.ends, False)
        for _ in range(minimum):
            self.write(part, inner)
        if maximum == MANY:
            split = self.emit(SPLIT)
            self.write(part, inner)
            self.emit(JUMP, split)
            self.branch(split, mode)
            return
        splits = []
        for _ in range(maximum - minimum):
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
    rules = [None if plain else rule_of(step.pattern, step.engine) for step in steps]
    for step in steps:
        node = parse(step.pattern, step.engine) if isinstance(step.pattern, str) else step.pattern
        writer = _Writer(str(step.pattern), sets)
        branches: tuple[Node, ...] = node.parts if isinstance(node, Alternation) else (node,)
        if len(branches) > 32:
            branches = (node,)
        starts, branch_firsts = [], []
        for branch in branches:
            starts.append(len(writer.code))
            writer.write(branch, _ACCEPTED)
            writer.emit(ACCEPT)
            first, empty, _ = first_set(branch)
            branch_firsts.append((first, empty))
        rows.append((writer, starts, branch_firsts, step))
    for rule in rules:
        sets += [] if rule is None else [ranges for ranges, _ in rule.sets if ranges not in sets]
    runs, members = _classes(sets, [str(step.pattern) for step in steps])
    example = [-1] * 256
    for low, _, number in runs:
        if example[number] < 0:
            example[number] = low
    compiled: list[tuple[Any, ...]] = []
    for (writer, starts, branch_firsts, step), rule in zip(rows, rules, strict=True):
        masks = array("I")
        for cp in example:
            bits = [empty or (cp >= 0 and contains(first, cp)) for first, empty in branch_firsts]
            masks.append(sum(1 << i for i, bit in enumerate(bits) if bit))
        code = array("I", [value for inst in writer.code for value in inst])
        may_be_empty = any(row[1] for row in branch_firsts)
        compiled.append(
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
    return Scanner(runs, members, compiled)


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
    mask, bounds = 0, sorted(edges)
    for low, next_low in zip(bounds, [*bounds[1:], characters.LAST + 1], strict=True):
        mask ^= edges[low]
        if low > characters.LAST:
            break
        runs.append((low, next_low - 1, numbers.setdefault(mask, len(numbers))))
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
