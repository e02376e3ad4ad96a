r"""The user's patterns, compiled to one deterministic automaton that runs without Python.

The language is the regular part of :mod:`re`: literals, ``.``, ``[…]``, ``\d \w \s`` and their
complements (as in :mod:`re`), groups, ``|``, ``* + ? {m,n}``, and a leading ``(?i)``.  References,
look-around, anchors and lazy quantifiers, which an automaton cannot express, are not
supported.  Thompson's construction (1968) turns a pattern into a nondeterministic automaton, the
subset construction (Rabin & Scott 1959) turns all into a deterministic one.  A text costs one table
look-up per character and possible start.

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

#: A match has at most so many characters.
LONGEST = 256
_MOST_NODES = 20_000  # of the construction
_MOST_STATES = 4_000  # of the automaton
_MOST_CELLS = 20_000_000  # of its table, 2 bytes each
_MOST_STEPS = 3_000_000  # of the work: about a second
_DEEPEST = 50
_TOP = sys.maxunicode

Ranges = tuple[tuple[int, int], ...]  # of code points, both ends in, ascending

_CLASSES = "dwsDWS"
_COUNT = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_NAMED = re.compile(r"\?P<\w+>")
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}


@cache
def _class(letter: str) -> Ranges:
    r"""The characters of ``\d``, ``\w``, … as :mod:`re` has them."""
    every = "".join(map(chr, range(_TOP + 1)))
    return tuple((m.start(), m.end() - 1) for m in re.finditer(rf"\{letter}+", every))


def _opposite(ranges: Ranges) -> Ranges:
    out, at = [], 0
    for a, b in ranges:
        if a > at:
            out.append((at, a - 1))
        at = b + 1
    if at <= _TOP:
        out.append((at, _TOP))
    return tuple(out)


def _union(parts: list[tuple[int, int]]) -> Ranges:
    out: list[tuple[int, int]] = []
    for a, b in sorted(parts):
        if out and a <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return tuple(out)


def _any_case(ranges: Ranges) -> Ranges:
    out = list(ranges)
    for a, b in ranges:
        for c in range(a, min(b, a + 0x3000) + 1):
            cases = (chr(c).lower(), chr(c).upper())
            out.extend((ord(other), ord(other)) for other in cases if len(other) == 1)
    return _union(out)


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}…"


def _too_large(part: str) -> ArgumentError:
    return ArgumentError(
        f"atoms: {part} is too large: all patterns together may have {_MOST_NODES:,} characters "
        f"and repeats and {_MOST_STATES:,} states; write smaller repeats, or fewer patterns"
    )


class _Node:
    """A state: characters that lead to the next one, or two empty moves."""

    __slots__ = ("accept", "free", "next", "part", "ranges")

    def __init__(self, part: str = "") -> None:
        self.ranges: Ranges = ()
        self.next = -1
        self.free: list[int] = []
        self.accept = -1
        self.part = part  # what errors say of it: the outermost repeat that it is of


class _Parser:
    """Adds the states of one pattern."""

    def __init__(self, pattern: str, name: str, nodes: list[_Node]) -> None:
        self.name = name
        self.pattern = pattern
        self.nodes = nodes
        self.at = 0
        self.depth = 0
        self.part = f"pattern {name!r}"
        self.repeated = 0  # how deep in repeats
        self.known: dict[str, Ranges] = {}  # the characters of an item, by its text
        self.ignore_case = pattern.startswith("(?i)")
        if self.ignore_case:
            self.at = 4

    def fail(self, what: str) -> ArgumentError:
        return ArgumentError(
            f"atoms: pattern {self.name!r}: {what}, at {self.at} of {_short(self.pattern)}"
        )

    def node(self) -> int:
        if len(self.nodes) >= _MOST_NODES:
            raise _too_large(self.part)
        self.nodes.append(_Node(self.part))
        return len(self.nodes) - 1

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def parse(self) -> tuple[int, int]:
        start, end = self.choice()
        if self.at < len(self.pattern):
            raise self.fail("a ) without its (")
        return start, end

    def choice(self) -> tuple[int, int]:
        ways = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            ways.append(self.sequence())
        if len(ways) == 1:
            return ways[0]
        start, end = self.node(), self.node()
        for a, b in ways:
            self.nodes[start].free.append(a)
            self.nodes[b].free.append(end)
        return start, end

    def sequence(self) -> tuple[int, int]:
        start = end = self.node()
        while (c := self.peek()) and c not in "|)":
            begin = self.at
            a, b = self.item()
            a, b = self.repeats(begin, a, b)
            self.nodes[end].free.append(a)
            end = b
        return start, end

    def repeats(self, begin: int, a: int, b: int) -> tuple[int, int]:
        c = self.peek()
        if c and c in "*+?":
            self.at += 1
            least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[c]
        elif c == "{" and (m := _COUNT.match(self.pattern, self.at)):
            if not m[1] and not m[3]:
                raise self.fail("a { that counts nothing; write \\{ for the character")
            if max(len(m[1].lstrip("0")), len(m[3].lstrip("0"))) > 3:
                raise self.fail(f"a repeat of more than {LONGEST}")
            self.at = m.end()
            least = int(m[1].lstrip("0") or 0)
            most = least if not m[2] else int(m[3].lstrip("0") or 0) if m[3] else -1
            if most != -1 and most < least:
                raise self.fail("a repeat whose maximum is less than its minimum")
            if max(least, most) > LONGEST:
                raise self.fail(f"a repeat of more than {LONGEST}")
        else:
            return a, b
        if (c := self.peek()) and c in "*+?":
            raise self.fail(
                "a quantifier on a quantifier (lazy and possessive ones are not supported)"
            )
        stop = self.at
        around = self.part
        if not self.repeated:
            self.part = f"the part {_short(self.pattern[begin:stop])} of pattern {self.name!r}"
        self.repeated += 1
        start = end = self.node()
        copies = [(a, b)]
        for _ in range(max(least, most, 1) - 1):
            self.at = begin
            copies.append(self.item())
        self.at = stop
        final = self.node()
        self.repeated -= 1
        self.part = around
        for k, (x, y) in enumerate(copies):
            if k >= least:
                self.nodes[end].free.append(final)
            self.nodes[end].free.append(x)
            end = y
        if most == -1:
            self.nodes[copies[-1][1]].free.append(copies[-1][0])
        if least == 0:
            self.nodes[start].free.append(final)
        self.nodes[end].free.append(final)
        if most == 0:
            self.nodes[start].free = [final]
        return start, final

    def item(self) -> tuple[int, int]:
        c = self.peek()
        self.at += 1
        if c == "(":
            if self.pattern.startswith("?:", self.at):
                self.at += 2
            elif m := _NAMED.match(self.pattern, self.at):
                self.at = m.end()
            elif self.peek() == "?":
                raise self.fail("look-around, references and flags inside are not supported")
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self.fail(f"groups in groups, more than {_DEEPEST} deep")
            a, b = self.choice()
            self.depth -= 1
            if self.peek() != ")":
                raise self.fail("a ( without its )")
            self.at += 1
            return a, b
        if c in "*+?":
            raise self.fail(f"{c!r} with nothing before it")
        if c in "^$":
            raise self.fail(
                f"{c!r}: word boundaries are checked anyway; write \\{c} for the character"
            )
        begin = self.at - 1
        if c == ".":
            ranges = _opposite(((10, 10),))
        elif c == "[":
            ranges = self.set()
        else:
            ranges = self.character(c)
        text = self.pattern[begin : self.at]
        if text not in self.known:  # a repeat reads it again and again
            self.known[text] = _any_case(ranges) if self.ignore_case else ranges
        a, b = self.node(), self.node()
        self.nodes[a].ranges = self.known[text]
        self.nodes[a].next = b
        return a, b

    def character(self, c: str) -> Ranges:
        return self.escape() if c == "\\" else ((ord(c), ord(c)),)

    def escape(self) -> Ranges:
        c = self.peek()
        if not c:
            raise self.fail("a \\ at the end")
        self.at += 1
        if c in _CLASSES:
            return _class(c)
        if c in "xuU":
            size = {"x": 2, "u": 4, "U": 8}[c]
            digits = self.pattern[self.at : self.at + size]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{size}}}", digits) or int(digits, 16) > _TOP:
                raise self.fail(f"\\{c} needs {size} hexadecimal digits of a character")
            self.at += size
            c = chr(int(digits, 16))
        elif c in _PLAIN:
            c = _PLAIN[c]
        elif c.isascii() and c.isalnum():
            raise self.fail(f"\\{c} is not supported")
        return ((ord(c), ord(c)),)

    def set(self) -> Ranges:
        parts: list[tuple[int, int]] = []
        opposite = self.peek() == "^"
        self.at += opposite
        begin = self.at
        while (c := self.peek()) != "]" or self.at == begin:
            if not c:
                raise self.fail("a [ without its ]")
            self.at += 1
            low = self.character(c)
            after = self.pattern[self.at + 1 : self.at + 2]
            if _is_one(low) and self.peek() == "-" and after not in ("]", ""):
                self.at += 1
                c = self.peek()
                self.at += 1
                high = self.character(c)
                if not _is_one(high) or high < low:
                    raise self.fail("a range whose end is before its start")
                parts.append((low[0][0], high[0][0]))
            else:
                parts.extend(low)
        self.at += 1
        return _opposite(_union(parts)) if opposite else _union(parts)


class Automaton(NamedTuple):
    """A deterministic automaton over classes of characters.

    State 0 is dead, state 1 the first.  Characters from ``starts[i]`` to before ``starts[i + 1]``
    are of the class ``classes[i]``; ``table[state * width + class]`` is the next state;
    ``accepts[state]`` is a pattern's number + 1, or 0.
    """

    starts: array[int]
    classes: array[int]
    table: array[int]
    accepts: array[int]
    width: int

    def longest(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the end of the longest match from ``start`` on, and its pattern's number."""
        state, found = 1, None
        for k in range(start, min(len(text), start + LONGEST)):
            c = self.classes[bisect_right(self.starts, ord(text[k])) - 1]
            state = self.table[state * self.width + c]
            if not state:
                break
            if self.accepts[state]:
                found = k + 1, self.accepts[state] - 1
        return found


def compile_patterns(patterns: Sequence[str], names: Sequence[str] = ()) -> Automaton:
    """Compile patterns to one automaton; if two match the same characters, the first wins.

    Args:
        patterns: see the module.
        names: their names in errors.

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
        nodes[0].free.append(a)
        nodes[b].accept = i
        if any(nodes[n].accept == i for n in _closure(nodes, [a])[0]):
            raise ArgumentError(
                f"atoms: pattern {name!r}: {_short(pattern)} matches the empty text; make it match "
                "at least one character"
            )
    # intervals of characters that no pattern tells apart; equal sets are mostly one object
    objects = {id(node.ranges): node.ranges for node in nodes if node.ranges}
    sets = sorted(set(objects.values()))
    edges = sorted({0, *(e for ranges in sets for a, b in ranges for e in (a, b + 1))} - {_TOP + 1})
    members: list[list[int]] = [[] for _ in edges]
    steps = 0
    for number, ranges in enumerate(sets):
        for a, b in ranges:
            low, high = bisect_right(edges, a) - 1, bisect_right(edges, b)
            steps += high - low
            if steps > _MOST_STEPS:
                raise ArgumentError(
                    f"atoms: the patterns distinguish too many sets of characters ({len(sets):,}): "
                    "write fewer or simpler ones"
                )
            for k in range(low, high):
                members[k].append(number)
    kinds: dict[tuple[int, ...], int] = {}
    classes = [kinds.setdefault(tuple(m), len(kinds)) for m in members]
    by_value = {ranges: number for number, ranges in enumerate(sets)}
    of_set = {key: by_value[ranges] for key, ranges in objects.items()}
    width = len(kinds)
    classes_of: list[list[int]] = [[] for _ in sets]
    for kind, cls in kinds.items():
        for number in kind:
            classes_of[number].append(cls)

    first, _ = _closure(nodes, [0])
    states: dict[tuple[int, ...], int] = {(): 0, first: 1}
    todo = [first]
    none = array("H", bytes(2 * width))
    table = [none[:], none[:]]
    accepts = [0, 0]
    parts: dict[str, int] = {}  # how many nodes of each stand in the states
    while todo:
        state = todo.pop()
        row = table[states[state]]
        moves: dict[int, list[int]] = {}
        for n in state:
            if nodes[n].ranges:
                moves.setdefault(of_set[id(nodes[n].ranges)], []).append(nodes[n].next)
        by_class: dict[int, list[int]] = {}
        for number, targets in moves.items():
            for cls in classes_of[number]:
                by_class.setdefault(cls, []).extend(targets)
        for cls in sorted(by_class):
            after, seen = _closure(nodes, by_class[cls])
            steps += seen
            if after not in states:
                for n in after:
                    parts[nodes[n].part] = parts.get(nodes[n].part, 0) + 1
                many = len(states) > _MOST_STATES or len(states) * width > _MOST_CELLS
                if many or steps > _MOST_STEPS:
                    raise _too_large(max(parts, key=lambda part: parts[part]))
                states[after] = len(states)
                table.append(none[:])
                numbers = [nodes[n].accept for n in after if nodes[n].accept >= 0]
                accepts.append(min(numbers) + 1 if numbers else 0)
                todo.append(after)
            row[cls] = states[after]
    flat = array("H")
    for row in table:
        flat.extend(row)
    return Automaton(array("I", edges), array("H", classes), flat, array("H", accepts), width)


def _closure(nodes: list[_Node], start: list[int]) -> tuple[tuple[int, ...], int]:
    """All states that empty moves reach, and how many nodes were visited."""
    seen = set(start)
    todo = list(start)
    while todo:
        for n in nodes[todo.pop()].free:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    kept = (n for n in seen if nodes[n].ranges or nodes[n].accept >= 0)
    return tuple(sorted(kept)), len(seen)
