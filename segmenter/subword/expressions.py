r"""Regular expressions of foreign files, parsed by the rules of the engine they were written for.

The patterns of a ``tokenizer.json`` are written for Oniguruma, those of tiktoken for fancy-regex;
``$``, ``^``, ``{1,3}+``, ``[[:alpha:]]`` and ``\w`` mean different things in the two.
:func:`parse` returns a tree, which :mod:`.scanning` compiles to the kernel's instructions.
Anything that cannot be done exactly as in that engine is rejected, and the error quotes it.

>>> parse("a[b-d]")
Concat(parts=(Set(ranges=((97, 97),)), Set(ranges=((98, 100),))))
>>> parse(r"(a)\1")
Traceback (most recent call last):
    ...
segmenter.errors.ArgumentError: pattern: '\\1' at 3 of '(a)\\1' is not supported: ...
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import one_of
from segmenter.errors import ArgumentError
from segmenter.subword import characters
from segmenter.subword.characters import ALL, chars, complement, intersection, union

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Never

    from segmenter.subword.characters import Ranges

ENGINES = ("oniguruma", "fancy")
MANY = 0xFFFFFFFF
#: What an ASCII letter is folded with in addition to its other case.
_FOLDS = {"s": "\u017f", "k": "\u212a"}
#: Pairs of letters that Oniguruma folds with one character (ß, ﬀ, ﬁ, ﬂ, ﬆ).
_FOLDED_PAIRS = ("ss", "ff", "fi", "fl", "st")


class Set(NamedTuple):
    """One character of a set."""

    ranges: Ranges


class Concat(NamedTuple):
    """A concatenation."""

    parts: tuple[Node, ...]


class Alternation(NamedTuple):
    """An alternation: the first part that matches."""

    parts: tuple[Node, ...]


class Repeat(NamedTuple):
    """A repetition; ``mode`` is ``""`` (greedy), ``"?"`` (lazy) or ``"+"`` (possessive)."""

    part: Node
    minimum: int
    maximum: int
    mode: str


class Lookaround(NamedTuple):
    """A lookahead or lookbehind."""

    part: Node
    ahead: bool
    negated: bool


class Atomic(NamedTuple):
    """An atomic group."""

    part: Node


class Anchor(NamedTuple):
    """An anchor: ``begin``, ``end``, ``line begin``, ``line end``, ``word``, ``no word``.

    Attributes:
        kind: which anchor.
        ranges: the characters that end a line, or those that make up words.
        at_end: whether a line may begin at the end of the text.
    """

    kind: str
    ranges: Ranges = ()
    at_end: bool = False


Node = Set | Concat | Alternation | Repeat | Lookaround | Atomic | Anchor

_LF = chars("\n")
_ENDS = union(chars("\n\x0b\x0c\r\x85"), ((0x2028, 0x2029),))
#: Escapes that are not sets of characters, by the letter after the backslash.
_ESCAPED: dict[str, Node] = {"A": Anchor("begin"), "z": Anchor("end")}
_ESCAPED_ONIGURUMA: dict[str, Node] = {
    "O": Set(ALL),
    "R": Atomic(Alternation((Concat((Set(chars("\r")), Set(_LF))), Concat((Set(_ENDS),))))),
    "Z": Lookaround(Concat((Repeat(Set(_LF), 0, 1, ""), Anchor("end"))), True, False),
}
_HEX = characters.chars("0123456789abcdefABCDEF")


class _Flags(NamedTuple):
    fold: bool = False
    dot_all: bool = False
    lines: bool = False
    extended: bool = False


class _Parser:
    def __init__(self, pattern: str, engine: str) -> None:
        self.text, self.engine = pattern, engine
        self.pos = 0
        self.onig = engine == "oniguruma"

    def refuse(self, start: int, why: str) -> Never:
        part = self.text[start : max(self.pos, start + 1)]
        raise ArgumentError(f"pattern: {part!r} at {start} of {self.text!r} {why}")

    def unknown(self, start: int) -> Never:
        self.refuse(start, "is not supported: write the pattern without it")

    def peek(self, prefix: str) -> bool:
        return self.text.startswith(prefix, self.pos)

    def take(self, prefix: str) -> bool:
        if self.peek(prefix):
            self.pos += len(prefix)
            return True
        return False

    def next(self) -> str:
        if self.pos >= len(self.text):
            self.refuse(max(0, self.pos - 1), "ends too early")
        self.pos += 1
        return self.text[self.pos - 1]

    def until(self, mark: str) -> str:
        """Read up to and including a mark; return the text before it, or "" if there is none."""
        end = self.text.find(mark, self.pos)
        start, self.pos = self.pos, len(self.text) if end < 0 else end + len(mark)
        return self.text[start : max(end, start)]

    def parse(self) -> Node:
        node = self.alternation(_Flags())
        if self.pos < len(self.text):
            self.refuse(self.pos, "closes nothing: write \\) for the character")
        return node

    def alternation(self, flags: _Flags) -> Node:
        rows: list[Node] = []
        parts: list[Node] = []
        letters = ""  # the last literals, under (?i)
        while self.pos < len(self.text) and not self.peek(")"):
            start = self.pos
            if self.take("|"):
                rows.append(Concat(tuple(parts)))
                parts, letters = [], ""
                continue
            if flags.extended and (self.text[start].isspace() or self.peek("#")):
                if self.next() == "#":
                    while self.pos < len(self.text) and self.next() != "\n":
                        pass
                continue
            if self.peek("(?") and (changed := self.inline_flags(flags)) is not None:
                if self.onig:  # a(?i)b|c is a(?i:b|c) there
                    parts.append(self.alternation(changed))
                    break
                flags = changed
                continue
            part = self.atom(flags)
            if flags.fold and self.onig:
                letter = self.text[start : self.pos].lower()
                letters = letters[-1:] + letter if len(letter) == 1 else ""
                if letters in _FOLDED_PAIRS:
                    self.refuse(start - 1, "without regard to case is also one character: use [sS]")
            parts.append(self.repeated(part, start))
        rows.append(Concat(tuple(parts)))
        return rows[0] if len(rows) == 1 else Alternation(tuple(rows))

    def inline_flags(self, flags: _Flags) -> _Flags | None:
        """The flags after ``(?i)``; None if the next group is something else."""
        end = self.text.find(")", self.pos)
        letters = self.text[self.pos + 2 : end]
        if end < 0 or not letters or not all(c in "imsx-" for c in letters):
            return None
        start, self.pos = self.pos, end + 1
        return self.with_flags(flags, letters, start)

    def with_flags(self, flags: _Flags, letters: str, start: int) -> _Flags:
        names = {"i": "fold", "x": "extended", "m": "dot_all" if self.onig else "lines"}
        if not self.onig:
            names["s"] = "dot_all"
        on, off, _ = f"{letters}--".split("-", 2)
        for c in on + off:
            if c not in names:
                self.unknown(start)
        changed = {names[c]: True for c in on} | {names[c]: False for c in off}
        return flags._replace(**changed)

    def repeated(self, part: Node, start: int) -> Node:
        while self.pos < len(self.text):
            if isinstance(part, (Lookaround, Anchor)) and self.text[self.pos] in "*+?":
                self.unknown(start)
            quantifier = self.pos
            bounds = self.bounds()
            if bounds is None:
                return part
            minimum, maximum, braces = bounds
            mode = ""
            if self.take("?"):
                mode = "?"
                if braces and self.onig and self.text.find(",", quantifier, self.pos) < 0:
                    self.unknown(quantifier)  # in Oniguruma "exactly that often or not at all"
            elif self.peek("+") and not (braces and self.onig):
                self.pos += 1
                mode = "+"
            if maximum < minimum:
                self.refuse(quantifier, "has its bounds the wrong way round")
            part = Repeat(part, minimum, maximum, mode)
            if not self.onig and self.pos < len(self.text) and self.text[self.pos] in "*+?":
                self.unknown(self.pos)
        return part

    def bounds(self) -> tuple[int, int, bool] | None:
        for mark, minimum, maximum in (("*", 0, MANY), ("+", 1, MANY), ("?", 0, 1)):
            if self.take(mark):
                return minimum, maximum, False
        if not self.peek("{"):
            return None
        end = self.text.find("}", self.pos)
        low, comma, high = self.text[self.pos + 1 : max(end, 0)].partition(",")
        if end < 0 or not (low + high).isdigit() or not (low + comma).strip():
            self.unknown(self.pos)
        self.pos = end + 1
        minimum = int(low or 0)
        return minimum, (int(high) if high else MANY) if comma else minimum, True

    def atom(self, flags: _Flags) -> Node:
        start = self.pos
        c = self.next()
        if c == "(":
            return self.group(flags, start)
        if c == "[":
            return Set(self.bracket(flags, start))
        if c == "\\":
            return self.escape(flags, start)
        if c == ".":
            return Set(ALL if flags.dot_all else complement(_LF))
        if c == "^":
            if self.onig or flags.lines:
                return Anchor("line begin", _LF, not self.onig)
            return Anchor("begin")
        if c == "$":
            return Anchor("line end", _LF) if self.onig or flags.lines else Anchor("end")
        if c in "*+?" or (c == "{" and not self.onig):
            self.refuse(start, "repeats nothing: write a backslash before the character")
        return Set(self.fold_case(chars(c), flags, start))

    def group(self, flags: _Flags, start: int) -> Node:
        if not self.take("?"):
            return self.group_body(flags, start)
        for mark, ahead, negated in (
            ("=", True, False), ("!", True, True), ("<=", False, False), ("<!", False, True),
        ):  # fmt: skip
            if self.take(mark):
                return self.lookaround(self.group_body(flags, start), ahead, negated, start)
        if self.take(">"):
            return Atomic(self.group_body(flags, start))
        if self.take("#"):
            while self.next() != ")":
                pass
            return Concat(())
        if self.take("P<" if not self.onig else "<") or self.take("<"):
            while self.next() != ">":
                pass
            return self.group_body(flags, start)
        letters = ""
        while self.pos < len(self.text) and self.text[self.pos] in "imsx-":
            letters += self.next()
        if not self.take(":"):
            self.pos += 1
            self.unknown(start)
        return self.group_body(self.with_flags(flags, letters, start), start)

    def lookaround(self, part: Node, ahead: bool, negated: bool, start: int) -> Node:
        if ahead:
            return Lookaround(part, True, negated)
        branches = part.parts if isinstance(part, Alternation) else (part,)
        for branch in branches:
            if length_of(branch) is None:
                self.refuse(start, "looks back over parts of no fixed length: give each one")
        looks = tuple(Lookaround(branch, False, negated) for branch in branches)
        if len(looks) == 1:
            return looks[0]
        return Concat(looks) if negated else Alternation(tuple(Concat((look,)) for look in looks))

    def group_body(self, flags: _Flags, start: int) -> Node:
        node = self.alternation(flags)
        if not self.take(")"):
            self.refuse(start, "is never closed")
        return node

    def fold_case(self, ranges: Ranges, flags: _Flags, start: int) -> Ranges:
        if not flags.fold:
            return ranges
        beyond = intersection(ranges, ((0x80, characters.LAST),))
        cased = union(*(characters.category(name) or () for name in ("Lu", "Ll", "Lt")))
        if intersection(beyond, cased) and intersection(ranges, cased) != cased:
            self.refuse(start, "without regard to case is supported for letters of ASCII only")
        extra = ""
        for low, high in intersection(ranges, ((0, 127),)):
            for c in map(chr, range(low, high + 1)):
                extra += c.swapcase() + _FOLDS.get(c.lower(), "") if c.isalpha() else ""
        return union(ranges, chars(extra))

    # --- characters ------------------------------------------------------------------------------

    def escape(self, flags: _Flags, start: int) -> Node:
        c = self.text[self.pos : self.pos + 1]
        node = _ESCAPED.get(c) or (_ESCAPED_ONIGURUMA.get(c) if self.onig else None)
        if c in ("b", "B"):
            node = Anchor("word" if c == "b" else "no word", characters.word(self.engine))
        if node is None:
            return Set(self.fold_case(self.escaped_set(start), flags, start))
        self.pos += 1
        return node

    def escaped_set(self, start: int, *, in_brackets: bool = False) -> Ranges:
        """The set of an escape."""
        c = self.next()
        engine = self.engine
        if c in "pP":
            return self.property(c == "P", start)
        classes: dict[str, Callable[[], Ranges]] = {
            "d": lambda: characters.category("Nd") or (),
            "s": lambda: characters.BLANKS,
            "w": lambda: characters.word(engine, in_brackets),
            "h": lambda: _HEX,
        }
        if c.lower() in classes:
            ranges = classes[c.lower()]()
            return ranges if c.islower() else complement(ranges)
        controls = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
        if c in controls:
            return chars(controls[c])
        if c in "xuU":
            return self.code_point(c, start)
        if c == "0" and self.onig:
            octal = tuple("01234567")
            while self.pos < start + 4 and self.text.startswith(octal, self.pos):
                self.pos += 1
            return chars(chr(int(self.text[start + 1 : self.pos], 8)))
        if c.isalnum() and c.isascii():
            self.unknown(start)
        return chars(c)

    def code_point(self, kind: str, start: int) -> Ranges:
        if self.take("{"):
            digits = self.until("}")
        else:
            length = {"x": 2, "u": 4, "U": 8}[kind]
            digits = self.text[self.pos : self.pos + length]
            self.pos += length
            if len(digits) < length:
                digits = ""
        try:
            return chars(chr(int(digits, 16)))
        except (ValueError, OverflowError):
            self.refuse(start, "is not a code point in hexadecimal")

    def property(self, negated: bool, start: int) -> Ranges:
        name = self.until("}") if self.take("{") else self.next()
        if name.startswith("^"):
            negated, name = not negated, name[1:]
        ranges = characters.prop(name, self.engine)
        if ranges is None:
            self.refuse(
                start,
                "is a property that is not supported: general categories, scripts and a few "
                "others are; use an equivalent of them",
            )
        return complement(ranges) if negated else ranges

    def bracket(self, flags: _Flags, start: int) -> Ranges:
        """A class in brackets, after the opening bracket."""
        negated = self.take("^")
        sets: list[list[Ranges]] = [[]]  # an intersection (&&) of unions
        first = True
        while True:
            begin = self.pos
            if self.take("]") and not first:
                break
            if begin != self.pos:
                members = chars("]")
                if self.onig and self.text.find("]", self.pos) < 0:
                    self.refuse(start, "is an empty class")
            elif self.take("&&"):
                sets.append([])
                first = False
                continue
            elif not self.onig and (self.peek("--") or self.peek("~~")):
                self.pos += 2
                self.unknown(begin)
            else:
                members = self.member(flags, begin)
            first = False
            single = len(members) == 1 and members[0][0] == members[0][1]
            if single and self.peek("-") and not self.peek("-]") and not self.peek("-["):
                self.pos += 1
                begin = self.pos
                end = self.member(flags, begin)
                if len(end) != 1 or end[0][0] != end[0][1] or end[0][0] < members[0][0]:
                    self.refuse(start, "has a range that ends before it begins or in a class")
                members = ((members[0][0], end[0][0]),)
            sets[-1].append(self.fold_case(members, flags, start))
        ranges = union(*sets[0])
        for unions in sets[1:]:
            ranges = intersection(ranges, union(*unions))
        return complement(ranges) if negated else ranges

    def member(self, flags: _Flags, start: int) -> Ranges:
        if self.take("[:"):
            end = self.text.find(":]", self.pos)
            name = self.text[self.pos : max(end, self.pos)]
            self.pos = end + 2 if end >= 0 else self.pos
            ranges = characters.posix(name.lstrip("^"), self.engine)
            if ranges is None or end < 0:
                self.refuse(start, "is not a class of POSIX")
            return complement(ranges) if name.startswith("^") else ranges
        if self.take("["):
            return self.bracket(flags, start)
        if self.take("\\"):
            if self.take("b"):
                return chars("\b")
            return self.escaped_set(start, in_brackets=True)
        return chars(self.next())


def length_of(node: Node) -> int | None:
    """The number of characters that a part matches; None if it varies."""
    if isinstance(node, Set):
        return 1
    if isinstance(node, (Lookaround, Anchor)):
        return 0
    if isinstance(node, Atomic):
        return length_of(node.part)
    if isinstance(node, Repeat):
        length = length_of(node.part)
        return None if length is None or node.minimum != node.maximum else length * node.minimum
    lengths = [length_of(part) for part in node.parts]
    if None in lengths:
        return None
    if isinstance(node, Concat):
        return sum(n or 0 for n in lengths)
    return lengths[0] if len(set(lengths)) == 1 else None


@cache
def parse(pattern: str, engine: str = "fancy") -> Node:
    """Parse a pattern into a tree.

    Args:
        engine: the engine it is written for, ``"oniguruma"`` (``tokenizer.json``) or ``"fancy"``
            (tiktoken).

    Raises:
        ArgumentError: a part of the pattern cannot be done exactly as in that engine; the message
            quotes it.
    """
    one_of("engine", engine, ENGINES)
    return _Parser(pattern, engine).parse()
