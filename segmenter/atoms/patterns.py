r"""The user's patterns, compiled to one deterministic automaton that runs without Python.

The language is the regular part of :mod:`re`: literals, ``.``, ``[…]``, ``\d \w \s`` and their
complements (as in :mod:`re`), groups, ``|``, ``* + ? {m,n}``, and a leading ``(?i)``.  References,
look-around, anchors and lazy quantifiers are not supported, as an automaton cannot express them.
Thompson's construction (1968) turns each pattern into a nondeterministic automaton, and the
subset construction (Rabin & Scott 1959) turns all of these into one deterministic automaton.  A
text costs one table look-up per character and possible start.

>>> automaton = compile_patterns([r"SO-\d+", r"[甲乙]\d{2,3}号"])
>>> automaton.longest("SO-123x", 0), automaton.longest("甲12号", 0), automaton.longest("SO-", 0)
((6, 0), (4, 1), None)
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The most characters of a match.
LONGEST = 256
_MAX_NODES = 20_000  # of the nondeterministic automaton
_MAX_STATES = 4_000  # of the deterministic automaton
_MAX_CELLS = 20_000_000  # of its table, 2 bytes each
_MAX_STEPS = 3_000_000  # of the subset construction: about a second
_MAX_DEPTH = 50
_MAX_CODE_POINT = sys.maxunicode

Ranges = tuple[tuple[int, int], ...]  # of code points, inclusive, ascending

_CLASSES = "dwsDWS"
_COUNT = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_GROUP_NAME = re.compile(r"\?P<\w+>")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}


@cache
def _class_ranges(letter: str) -> Ranges:
    r"""The characters of ``\d``, ``\w``, … as in :mod:`re`."""
    all_characters = "".join(map(chr, range(_MAX_CODE_POINT + 1)))
    return tuple((m.start(), m.end() - 1) for m in re.finditer(rf"\{letter}+", all_characters))


def _complement(ranges: Ranges) -> Ranges:
    gaps, next_start = [], 0
    for a, b in ranges:
        if a > next_start:
            gaps.append((next_start, a - 1))
        next_start = b + 1
    if next_start <= _MAX_CODE_POINT:
        gaps.append((next_start, _MAX_CODE_POINT))
    return tuple(gaps)


def _union(ranges: list[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(ranges):
        if merged and a <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return tuple(merged)


def _with_both_cases(ranges: Ranges) -> Ranges:
    cased = list(ranges)
    for a, b in ranges:
        for c in range(a, min(b, a + 0x3000) + 1):
            cases = (chr(c).lower(), chr(c).upper())
            cased.extend((ord(case), ord(case)) for case in cases if len(case) == 1)
    return _union(cased)


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}…"


def _too_large(part: str) -> ArgumentError:
    return ArgumentError(
        f"atoms: {part} is too large: all patterns together may have {_MAX_NODES:,} characters "
        f"and repeats and {_MAX_STATES:,} states; write smaller repeats, or fewer patterns"
    )


class _Node:
    """A state of the nondeterministic automaton: a transition, or epsilon transitions."""

    __slots__ = ("accept", "epsilons", "next", "part", "ranges")

    def __init__(self, part: str = "") -> None:
        self.ranges: Ranges = ()
        self.next = -1
        self.epsilons: list[int] = []
        self.accept = -1
        self.part = part  # the outermost repeat around it, for errors


class _Parser:
    """Parses one pattern and appends its nodes; a fragment is (first node, last node)."""

    def __init__(self, pattern: str, name: str, nodes: list[_Node]) -> None:
        self.name = name
        self.pattern = pattern
        self.nodes = nodes
        self.offset = 0
        self.depth = 0
        self.part = f"pattern {name!r}"
        self.repeat_depth = 0
        self.ranges_by_text: dict[str, Ranges] = {}  # the characters of an item
        self.ignore_case = pattern.startswith("(?i)")
        if self.ignore_case:
            self.offset = 4

    def fail(self, reason: str) -> ArgumentError:
        return ArgumentError(
            f"atoms: pattern {self.name!r}: {reason}, at {self.offset} of {_quoted(self.pattern)}"
        )

    def node(self) -> int:
        if len(self.nodes) >= _MAX_NODES:
            raise _too_large(self.part)
        self.nodes.append(_Node(self.part))
        return len(self.nodes) - 1

    def peek(self) -> str:
        return self.pattern[self.offset : self.offset + 1]

    def parse(self) -> tuple[int, int]:
        start, end = self.choice()
        if self.offset < len(self.pattern):
            raise self.fail("unmatched )")
        return start, end

    def choice(self) -> tuple[int, int]:
        branches = [self.sequence()]
        while self.peek() == "|":
            self.offset += 1
            branches.append(self.sequence())
        if len(branches) == 1:
            return branches[0]
        start, end = self.node(), self.node()
        for a, b in branches:
            self.nodes[start].epsilons.append(a)
            self.nodes[b].epsilons.append(end)
        return start, end

    def sequence(self) -> tuple[int, int]:
        start = end = self.node()
        while (c := self.peek()) and c not in "|)":
            begin = self.offset
            a, b = self.item()
            a, b = self.repeats(begin, a, b)
            self.nodes[end].epsilons.append(a)
            end = b
        return start, end

    def repeats(self, begin: int, a: int, b: int) -> tuple[int, int]:
        c = self.peek()
        if c and c in "*+?":
            self.offset += 1
            minimum, maximum = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[c]
        elif c == "{" and (m := _COUNT.match(self.pattern, self.offset)):
            if not m[1] and not m[3]:
                raise self.fail("a { without a number; write \\{ for the character")
            if max(len(m[1].lstrip("0")), len(m[3].lstrip("0"))) > 3:
                raise self.fail(f"a repeat of more than {LONGEST}")
            self.offset = m.end()
            minimum = int(m[1].lstrip("0") or 0)
            maximum = minimum if not m[2] else int(m[3].lstrip("0") or 0) if m[3] else -1
            if maximum != -1 and maximum < minimum:
                raise self.fail("a repeat whose maximum is less than its minimum")
            if max(minimum, maximum) > LONGEST:
                raise self.fail(f"a repeat of more than {LONGEST}")
        else:
            return a, b
        if (c := self.peek()) and c in "*+?":
            raise self.fail(
                "a quantifier on a quantifier (lazy and possessive ones are not supported)"
            )
        end_offset = self.offset
        outer_part = self.part
        if not self.repeat_depth:
            self.part = (
                f"the part {_quoted(self.pattern[begin:end_offset])} of pattern {self.name!r}"
            )
        self.repeat_depth += 1
        start = end = self.node()
        copies = [(a, b)]
        for _ in range(max(minimum, maximum, 1) - 1):
            self.offset = begin
            copies.append(self.item())
        self.offset = end_offset
        final = self.node()
        self.repeat_depth -= 1
        self.part = outer_part
        for k, (x, y) in enumerate(copies):
            if k >= minimum:
                self.nodes[end].epsilons.append(final)
            self.nodes[end].epsilons.append(x)
            end = y
        if maximum == -1:
            self.nodes[copies[-1][1]].epsilons.append(copies[-1][0])
        if minimum == 0:
            self.nodes[start].epsilons.append(final)
        self.nodes[end].epsilons.append(final)
        if maximum == 0:
            self.nodes[start].epsilons = [final]
        return start, final

    def item(self) -> tuple[int, int]:
        c = self.peek()
        self.offset += 1
        if c == "(":
            if self.pattern.startswith("?:", self.offset):
                self.offset += 2
            elif m := _GROUP_NAME.match(self.pattern, self.offset):
                self.offset = m.end()
            elif self.peek() == "?":
                raise self.fail("look-around, references and flags in a group are not supported")
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise self.fail(f"groups nested more than {_MAX_DEPTH} deep")
            a, b = self.choice()
            self.depth -= 1
            if self.peek() != ")":
                raise self.fail("unmatched (")
            self.offset += 1
            return a, b
        if c in "*+?":
            raise self.fail(f"{c!r} with nothing before it")
        if c in "^$":
            raise self.fail(
                f"{c!r}: word boundaries are checked anyway; write \\{c} for the character"
            )
        begin = self.offset - 1
        if c == ".":
            ranges = _complement(((10, 10),))
        elif c == "[":
            ranges = self.set()
        else:
            ranges = self.character(c)
        text = self.pattern[begin : self.offset]
        if text not in self.ranges_by_text:  # a repeat parses the same item many times
            self.ranges_by_text[text] = _with_both_cases(ranges) if self.ignore_case else ranges
        a, b = self.node(), self.node()
        self.nodes[a].ranges = self.ranges_by_text[text]
        self.nodes[a].next = b
        return a, b

    def character(self, c: str) -> Ranges:
        return self.escape() if c == "\\" else ((ord(c), ord(c)),)

    def escape(self) -> Ranges:
        c = self.peek()
        if not c:
            raise self.fail("a \\ at the end; write \\\\ for the character")
        self.offset += 1
        if c in _CLASSES:
            return _class_ranges(c)
        if c in "xuU":
            size = {"x": 2, "u": 4, "U": 8}[c]
            digits = self.pattern[self.offset : self.offset + size]
            is_hexadecimal = re.fullmatch(rf"[0-9a-fA-F]{{{size}}}", digits)
            if not is_hexadecimal or int(digits, 16) > _MAX_CODE_POINT:
                raise self.fail(f"\\{c} needs {size} hexadecimal digits of a character")
            self.offset += size
            c = chr(int(digits, 16))
        elif c in _ESCAPES:
            c = _ESCAPES[c]
        elif c.isascii() and c.isalnum():
            raise self.fail(f"\\{c} is not supported")
        return ((ord(c), ord(c)),)

    def set(self) -> Ranges:
        ranges: list[tuple[int, int]] = []
        negated = self.peek() == "^"
        self.offset += negated
        begin = self.offset
        while (c := self.peek()) != "]" or self.offset == begin:
            if not c:
                raise self.fail("unmatched [")
            self.offset += 1
            low = self.character(c)
            following = self.pattern[self.offset + 1 : self.offset + 2]
            if _is_single(low) and self.peek() == "-" and following not in ("]", ""):
                self.offset += 1
                c = self.peek()
                self.offset += 1
                high = self.character(c)
                if not _is_single(high) or high < low:
                    raise self.fail("a range whose end is before its start")
                ranges.append((low[0][0], high[0][0]))
            else:
                ranges.extend(low)
        self.offset += 1
        return _complement(_union(ranges)) if negated else _union(ranges)


class Automaton(NamedTuple):
    """A deterministic automaton over classes of characters.

    State 0 is dead, state 1 the start.  Characters from ``starts[i]`` up to, not including,
    ``starts[i + 1]`` have the class ``classes[i]``; ``table[state * width + class]`` is the next
    state; ``accepts[state]`` is the number of the accepted pattern + 1, or 0.
    """

    starts: array[int]
    classes: array[int]
    table: array[int]
    accepts: array[int]
    width: int

    def longest(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the end of the longest match at ``start``, and the number of its pattern."""
        state, match = 1, None
        for i in range(start, min(len(text), start + LONGEST)):
            character_class = self.classes[bisect_right(self.starts, ord(text[i])) - 1]
            state = self.table[state * self.width + character_class]
            if not state:
                break
            if self.accepts[state]:
                match = i + 1, self.accepts[state] - 1
        return match


def compile_patterns(patterns: Sequence[str], names: Sequence[str] = ()) -> Automaton:
    """Compile patterns to one automaton; if two match the same characters, the first wins.

    Args:
        patterns: see the module.
        names: the names of the patterns in errors.

    Raises:
        ArgumentError: a pattern is not supported, matches nothing or the empty text, or is too
            large.
    """
    nodes: list[_Node] = [_Node()]
    for i, pattern in enumerate(patterns):
        name = names[i] if i < len(names) else str(i)
        if not isinstance(pattern, str):
            raise ArgumentError(
                f"atoms: pattern {name!r} must be str, not {type(pattern).__name__}"
            )
        a, b = _Parser(pattern, name, nodes).parse()
        nodes[0].epsilons.append(a)
        nodes[b].accept = i
        if any(nodes[n].accept == i for n in _closure(nodes, [a])[0]):
            raise ArgumentError(
                f"atoms: pattern {name!r}: {_quoted(pattern)} matches the empty text; make it "
                "match at least one character"
            )
    # intervals of characters that no pattern distinguishes; equal sets are mostly one object
    objects = {id(node.ranges): node.ranges for node in nodes if node.ranges}
    sets = sorted(set(objects.values()))
    edges = sorted(
        {0, *(e for ranges in sets for a, b in ranges for e in (a, b + 1))} - {_MAX_CODE_POINT + 1}
    )
    members: list[list[int]] = [[] for _ in edges]
    steps = 0
    for number, ranges in enumerate(sets):
        for a, b in ranges:
            low, high = bisect_right(edges, a) - 1, bisect_right(edges, b)
            steps += high - low
            if steps > _MAX_STEPS:
                raise ArgumentError(
                    f"atoms: the patterns distinguish too many sets of characters ({len(sets):,}): "
                    "write fewer or simpler ones"
                )
            for k in range(low, high):
                members[k].append(number)
    kinds: dict[tuple[int, ...], int] = {}
    classes = [kinds.setdefault(tuple(m), len(kinds)) for m in members]
    by_value = {ranges: number for number, ranges in enumerate(sets)}
    number_of_set = {key: by_value[ranges] for key, ranges in objects.items()}
    width = len(kinds)
    classes_of: list[list[int]] = [[] for _ in sets]
    for kind, cls in kinds.items():
        for number in kind:
            classes_of[number].append(cls)

    first, _ = _closure(nodes, [0])
    states: dict[tuple[int, ...], int] = {(): 0, first: 1}
    queue = [first]
    empty_row = array("H", bytes(2 * width))
    table = [empty_row[:], empty_row[:]]
    accepts = [0, 0]
    parts: dict[str, int] = {}  # part of a pattern -> number of its nodes in all states
    while queue:
        state = queue.pop()
        row = table[states[state]]
        moves: dict[int, list[int]] = {}
        for n in state:
            if nodes[n].ranges:
                moves.setdefault(number_of_set[id(nodes[n].ranges)], []).append(nodes[n].next)
        by_class: dict[int, list[int]] = {}
        for number, targets in moves.items():
            for cls in classes_of[number]:
                by_class.setdefault(cls, []).extend(targets)
        for cls in sorted(by_class):
            target, visited = _closure(nodes, by_class[cls])
            steps += visited
            if target not in states:
                for n in target:
                    parts[nodes[n].part] = parts.get(nodes[n].part, 0) + 1
                too_many = len(states) > _MAX_STATES or len(states) * width > _MAX_CELLS
                if too_many or steps > _MAX_STEPS:
                    raise _too_large(max(parts, key=lambda part: parts[part]))
                states[target] = len(states)
                table.append(empty_row[:])
                numbers = [nodes[n].accept for n in target if nodes[n].accept >= 0]
                accepts.append(min(numbers) + 1 if numbers else 0)
                queue.append(target)
            row[cls] = states[target]
    flat = array("H")
    for row in table:
        flat.extend(row)
    return Automaton(array("I", edges), array("H", classes), flat, array("H", accepts), width)


def _closure(nodes: list[_Node], start: list[int]) -> tuple[tuple[int, ...], int]:
    """Return the nodes that epsilon transitions reach, and the number of nodes visited.

    Nodes with epsilon transitions alone are left out.
    """
    visited = set(start)
    queue = list(start)
    while queue:
        for n in nodes[queue.pop()].epsilons:
            if n not in visited:
                visited.add(n)
                queue.append(n)
    essential = (n for n in visited if nodes[n].ranges or nodes[n].accept >= 0)
    return tuple(sorted(essential)), len(visited)
