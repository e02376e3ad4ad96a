r"""Regular expressions of foreign files, parsed by the rules of the engine they were written for.

The patterns of a ``tokenizer.json`` are written for Oniguruma, those of tiktoken for fancy-regex;
``$``, ``^``, ``{1,3}+``, ``[[:alpha:]]`` and ``\w`` mean different things in the two.
:func:`parse` returns a tree, which :mod:`.scanning` compiles to the kernel's instructions.
Anything that cannot be done exactly as in that engine is rejected, and the error quotes it.

>>> parse("a[b-d]")
Row(parts=(Set(ranges=((97, 97),)), Set(ranges=((98, 100),))))
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
from segmenter.subword.characters import ALL, both, chars, complement, union

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


class Row(NamedTuple):
    """A concatenation."""

    parts: tuple[Node, ...]


class Either(NamedTuple):
    """An alternation: the first part that matches."""

    parts: tuple[Node, ...]


class Repeat(NamedTuple):
    """A repetition; ``mode`` is ``""`` (greedy), ``"?"`` (lazy) or ``"+"`` (possessive)."""

    part: Node
    least: int
    most: int
    mode: str


class Look(NamedTuple):
    """A lookahead or lookbehind."""

    part: Node
    ahead: bool
    negated: bool


class Atomic(NamedTuple):
    """An atomic group."""

    part: Node


class Place(NamedTuple):
    """An anchor: ``begin``, ``end``, ``line begin``, ``line end``, ``word``, ``no word``."""

    kind: str
    ranges: Ranges = ()
    last: bool = False


Node = Set | Row | Either | Repeat | Look | Atomic | Place

_LF = chars("\n")
_ENDS = union(chars("\n\x0b\x0c\r\x85"), ((0x2028, 0x2029),))
#: Escapes that are not sets of characters, by the letter after the backslash.
_ESCAPED: dict[str, Node] = {"A": Place("begin"), "z": Place("end")}
_ESCAPED_ONIGURUMA: dict[str, Node] = {
    "O": Set(ALL),
    "R": Atomic(Either((Row((Set(chars("\r")), Set(_LF))), Row((Set(_ENDS),))))),
    "Z": Look(Row((Repeat(Set(_LF), 0, 1, ""), Place("end"))), True, False),
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
        self.at = 0
        self.onig = engine == "oniguruma"

    def refuse(self, start: int, why: str) -> Never:
        part = self.text[start : max(self.at, start + 1)]
        raise ArgumentError(f"pattern: {part!r} at {start} of {self.text!r} {why}")

    def unknown(self, start: int) -> Never:
        self.refuse(start, "is not supported: write the pattern without it")

    def peek(self, what: str) -> bool:
        return self.text.startswith(what, self.at)

    def take(self, what: str) -> bool:
        if self.peek(what):
            self.at += len(what)
            return True
        return False

    def next(self) -> str:
        if self.at >= len(self.text):
            self.refuse(max(0, self.at - 1), "ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def until(self, mark: str) -> str:
        """Read up to and including a mark; returns the text before it, or "" without a mark."""
        end = self.text.find(mark, self.at)
        start, self.at = self.at, len(self.text) if end < 0 else end + len(mark)
        return self.text[start : max(end, start)]

    def whole(self) -> Node:
        made = self.either(_Flags())
        if self.at < len(self.text):
            self.refuse(self.at, "closes nothing: write \\) for the character")
        return made

    def either(self, flags: _Flags) -> Node:
        rows: list[Node] = []
        parts: list[Node] = []
        letters = ""  # the last literals, under (?i)
        while self.at < len(self.text) and not self.peek(")"):
            start = self.at
            if self.take("|"):
                rows.append(Row(tuple(parts)))
                parts, letters = [], ""
                continue
            if flags.extended and (self.text[start].isspace() or self.peek("#")):
                if self.next() == "#":
                    while self.at < len(self.text) and self.next() != "\n":
                        pass
                continue
            if self.peek("(?") and (changed := self.switched(flags)) is not None:
                if self.onig:  # a(?i)b|c is a(?i:b|c) there
                    parts.append(self.either(changed))
                    break
                flags = changed
                continue
            part = self.one(flags)
            if flags.fold and self.onig:
                letter = self.text[start : self.at].lower()
                letters = letters[-1:] + letter if len(letter) == 1 else ""
                if letters in _FOLDED_PAIRS:
                    self.refuse(start - 1, "without regard to case is also one character: use [sS]")
            parts.append(self.repeated(part, start))
        rows.append(Row(tuple(parts)))
        return rows[0] if len(rows) == 1 else Either(tuple(rows))

    def switched(self, flags: _Flags) -> _Flags | None:
        """The flags after ``(?i)``; None if the next group is something else."""
        end = self.text.find(")", self.at)
        inside = self.text[self.at + 2 : end]
        if end < 0 or not inside or not all(c in "imsx-" for c in inside):
            return None
        start, self.at = self.at, end + 1
        return self.with_flags(flags, inside, start)

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
        while self.at < len(self.text):
            if isinstance(part, (Look, Place)) and self.text[self.at] in "*+?":
                self.unknown(start)
            here = self.at
            bounds = self.bounds()
            if bounds is None:
                return part
            least, most, braces = bounds
            mode = ""
            if self.take("?"):
                mode = "?"
                if braces and self.onig and self.text.find(",", here, self.at) < 0:
                    self.unknown(here)  # there, "exactly that often or not at all"
            elif self.peek("+") and not (braces and self.onig):
                self.at += 1
                mode = "+"
            if most < least:
                self.refuse(here, "has its bounds the wrong way round")
            part = Repeat(part, least, most, mode)
            if not self.onig and self.at < len(self.text) and self.text[self.at] in "*+?":
                self.unknown(self.at)
        return part

    def bounds(self) -> tuple[int, int, bool] | None:
        for mark, least, most in (("*", 0, MANY), ("+", 1, MANY), ("?", 0, 1)):
            if self.take(mark):
                return least, most, False
        if not self.peek("{"):
            return None
        end = self.text.find("}", self.at)
        low, comma, high = self.text[self.at + 1 : max(end, 0)].partition(",")
        if end < 0 or not (low + high).isdigit() or not (low + comma).strip():
            self.unknown(self.at)
        self.at = end + 1
        least = int(low or 0)
        return least, (int(high) if high else MANY) if comma else least, True

    def one(self, flags: _Flags) -> Node:
        start = self.at
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
                return Place("line begin", _LF, not self.onig)
            return Place("begin")
        if c == "$":
            return Place("line end", _LF) if self.onig or flags.lines else Place("end")
        if c in "*+?" or (c == "{" and not self.onig):
            self.refuse(start, "repeats nothing: write a backslash before the character")
        return Set(self.folded(chars(c), flags, start))

    def group(self, flags: _Flags, start: int) -> Node:
        if not self.take("?"):
            return self.closed(flags, start)
        for mark, ahead, negated in (
            ("=", True, False), ("!", True, True), ("<=", False, False), ("<!", False, True),
        ):  # fmt: skip
            if self.take(mark):
                return self.look(self.closed(flags, start), ahead, negated, start)
        if self.take(">"):
            return Atomic(self.closed(flags, start))
        if self.take("#"):
            while self.next() != ")":
                pass
            return Row(())
        if self.take("P<" if not self.onig else "<") or self.take("<"):
            while self.next() != ">":
                pass
            return self.closed(flags, start)
        letters = ""
        while self.at < len(self.text) and self.text[self.at] in "imsx-":
            letters += self.next()
        if not self.take(":"):
            self.at += 1
            self.unknown(start)
        return self.closed(self.with_flags(flags, letters, start), start)

    def look(self, part: Node, ahead: bool, negated: bool, start: int) -> Node:
        if ahead:
            return Look(part, True, negated)
        ways = part.parts if isinstance(part, Either) else (part,)
        for way in ways:
            if length_of(way) is None:
                self.refuse(start, "looks back over parts of no fixed length: give each one")
        looks = tuple(Look(way, False, negated) for way in ways)
        if len(looks) == 1:
            return looks[0]
        return Row(looks) if negated else Either(tuple(Row((one,)) for one in looks))

    def closed(self, flags: _Flags, start: int) -> Node:
        made = self.either(flags)
        if not self.take(")"):
            self.refuse(start, "is never closed")
        return made

    def folded(self, ranges: Ranges, flags: _Flags, start: int) -> Ranges:
        if not flags.fold:
            return ranges
        beyond = both(ranges, ((0x80, characters.LAST),))
        cased = union(*(characters.category(name) or () for name in ("Lu", "Ll", "Lt")))
        if both(beyond, cased) and both(cased, complement(ranges)) and both(ranges, cased) != cased:
            self.refuse(start, "without regard to case is supported for letters of ASCII only")
        extra = ""
        for low, high in both(ranges, ((0, 127),)):
            for c in map(chr, range(low, high + 1)):
                extra += c.swapcase() + _FOLDS.get(c.lower(), "") if c.isalpha() else ""
        return union(ranges, chars(extra))

    # --- characters ------------------------------------------------------------------------------

    def escape(self, flags: _Flags, start: int) -> Node:
        c = self.text[self.at : self.at + 1]
        made = _ESCAPED.get(c) or (_ESCAPED_ONIGURUMA.get(c) if self.onig else None)
        if c in ("b", "B"):
            made = Place("word" if c == "b" else "no word", characters.word(self.engine))
        if made is None:
            return Set(self.folded(self.escaped(start), flags, start))
        self.at += 1
        return made

    def escaped(self, start: int, *, in_brackets: bool = False) -> Ranges:
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
            found = classes[c.lower()]()
            return found if c.islower() else complement(found)
        controls = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
        if c in controls:
            return chars(controls[c])
        if c in "xuU":
            return self.numbered(c, start)
        if c == "0" and self.onig:
            octal = tuple("01234567")
            while self.at < start + 4 and self.text.startswith(octal, self.at):
                self.at += 1
            return chars(chr(int(self.text[start + 1 : self.at], 8)))
        if c.isalnum() and c.isascii():
            self.unknown(start)
        return chars(c)

    def numbered(self, kind: str, start: int) -> Ranges:
        if self.take("{"):
            digits = self.until("}")
        else:
            length = {"x": 2, "u": 4, "U": 8}[kind]
            digits = self.text[self.at : self.at + length]
            self.at += length
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
        found = characters.prop(name, self.engine)
        if found is None:
            self.refuse(
                start,
                "is a property that is not supported: general categories, scripts and a few "
                "others are; use an equivalent of them",
            )
        return complement(found) if negated else found

    def bracket(self, flags: _Flags, start: int) -> Ranges:
        """A class in brackets, after the opening bracket."""
        negated = self.take("^")
        sets: list[list[Ranges]] = [[]]  # inner lists: unions; between them: intersection (&&)
        first = True
        while True:
            here = self.at
            if self.take("]") and not first:
                break
            if here != self.at:
                found = chars("]")
                if self.onig and self.text.find("]", self.at) < 0:
                    self.refuse(start, "is an empty class")
            elif self.take("&&"):
                sets.append([])
                first = False
                continue
            elif not self.onig and (self.peek("--") or self.peek("~~")):
                self.at += 2
                self.unknown(here)
            else:
                found = self.member(flags, here)
            first = False
            single = len(found) == 1 and found[0][0] == found[0][1]
            if single and self.peek("-") and not self.peek("-]") and not self.peek("-["):
                self.at += 1
                here = self.at
                end = self.member(flags, here)
                if len(end) != 1 or end[0][0] != end[0][1] or end[0][0] < found[0][0]:
                    self.refuse(start, "has a range that ends before it begins or in a class")
                found = ((found[0][0], end[0][0]),)
            sets[-1].append(self.folded(found, flags, start))
        out = union(*sets[0])
        for other in sets[1:]:
            out = both(out, union(*other))
        return complement(out) if negated else out

    def member(self, flags: _Flags, here: int) -> Ranges:
        if self.take("[:"):
            end = self.text.find(":]", self.at)
            name = self.text[self.at : max(end, self.at)]
            self.at = end + 2 if end >= 0 else self.at
            found = characters.posix(name.lstrip("^"), self.engine)
            if found is None or end < 0:
                self.refuse(here, "is not a class of POSIX")
            return complement(found) if name.startswith("^") else found
        if self.take("["):
            return self.bracket(flags, here)
        if self.take("\\"):
            if self.take("b"):
                return chars("\b")
            return self.escaped(here, in_brackets=True)
        return chars(self.next())


def length_of(node: Node) -> int | None:
    """The number of characters that a part matches; None if it varies."""
    if isinstance(node, Set):
        return 1
    if isinstance(node, (Look, Place)):
        return 0
    if isinstance(node, Atomic):
        return length_of(node.part)
    if isinstance(node, Repeat):
        one = length_of(node.part)
        return None if one is None or node.least != node.most else one * node.least
    lengths = [length_of(part) for part in node.parts]
    if None in lengths:
        return None
    if isinstance(node, Row):
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
    return _Parser(pattern, engine).whole()
