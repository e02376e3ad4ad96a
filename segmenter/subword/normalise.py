"""First step: one form for what is written in several, with offsets to the original text.

A normaliser is called with an :class:`Aligned` and gives a new one.  ``config()`` is its entry in
``tokenizer.json`` (Hugging Face ``tokenizers``), :func:`make` reads one; names and meanings are
that library's, and two are ours (:class:`Width`, :class:`Blanks`).

>>> text = NFKC()(Aligned("①ｱﾞ"))
>>> text.text, [text.span(i, i + 1) for i in range(len(text.text))]
('1ア゙', [(0, 1), (1, 2), (2, 3)])
>>> Sequence([NFD(), StripAccents(), Lowercase()])(Aligned("Élan")).text
'elan'
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING

from segmenter.kernels._face import CharTable
from segmenter.subword import entries, expressions, patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal


class Aligned:
    """A text and, for every character, the span of the original text that it came from.

    Args:
        text: the text.
        starts: of every character, the start in the original; None: character i is the original's
            ``base + i``.
        ends: of every character, the end in the original, exclusive.
        base: where the text begins in the original.
        later: what gives ``starts`` and ``ends`` when they are asked for; ids alone need neither.
    """

    __slots__ = ("_ends", "_later", "_starts", "base", "text")

    def __init__(
        self,
        text: str,
        starts: list[int] | None = None,
        ends: list[int] | None = None,
        base: int = 0,
        later: Callable[[], tuple[list[int], list[int]]] | None = None,
    ) -> None:
        self.text = text
        self._starts = starts
        self._ends = ends
        self._later = later
        self.base = base

    @property
    def starts(self) -> list[int] | None:
        """See the class."""
        if self._later is not None:
            self._starts, self._ends = self._later()
            self._later = None
        return self._starts

    @property
    def ends(self) -> list[int] | None:
        """See the class."""
        return self._ends if self.starts is not None else None

    @property
    def original(self) -> bool:
        """Whether the text is still a part of the original."""
        return self._starts is None and self._later is None

    def mapped(self, text: str, lengths: Callable[[], list[int]] | None = None) -> Aligned:
        """A new text that each character of this one became a part of.

        Args:
            text: the new text.
            lengths: gives of each character how many it became; None: one each.
        """
        if lengths is None:
            return Aligned(text, self._starts, self._ends, self.base, self._later)

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = self.columns()
            counts = lengths()
            return (
                [a for a, n in zip(starts, counts, strict=True) for _ in range(n)],
                [b for b, n in zip(ends, counts, strict=True) for _ in range(n)],
            )

        return Aligned(text, base=self.base, later=spans)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Span of the original that the characters from ``start`` to ``end`` came from."""
        if self.starts is None or self.ends is None:
            return self.base + start, self.base + end
        if start < end:
            return self.starts[start], self.ends[end - 1]
        at = self.starts[start] if start < len(self.starts) else (self.ends or [self.base])[-1]
        return at, at

    def part(self, start: int, end: int) -> Aligned:
        """The characters from ``start`` to ``end``, with their offsets."""
        if (start, end) == (0, len(self.text)):
            return self
        if self.starts is None or self.ends is None:
            return Aligned(self.text[start:end], base=self.base + start)
        return Aligned(
            self.text[start:end], self.starts[start:end], self.ends[start:end], self.base
        )

    def columns(self) -> tuple[list[int], list[int]]:
        """``starts`` and ``ends``, written out."""
        if self.starts is None or self.ends is None:
            n = self.base + len(self.text)
            return list(range(self.base, n)), list(range(self.base + 1, n + 1))
        return self.starts, self.ends

    def rebuilt(self, rows: Iterable[tuple[str, int, int]]) -> Aligned:
        """A new text of parts; each part's characters came from ``start`` to ``end`` of this one.

        A part of no characters of this one (start = end) stands between its neighbours.
        """
        starts, ends = self.columns()
        parts: list[str] = []
        new_starts: list[int] = []
        new_ends: list[int] = []
        for part, a, b in rows:
            if len(part) == b - a:
                new_starts += starts[a:b]
                new_ends += ends[a:b]
            else:
                low, high = self.span(a, b)
                new_starts += [low] * len(part)
                new_ends += [high] * len(part)
            parts.append(part)
        return Aligned("".join(parts), new_starts, new_ends, self.base)

    def __repr__(self) -> str:
        return f"Aligned({self.text!r})"


class Normaliser:
    """Base of all; itself the identity, the default."""

    kind = "Identity"

    def __call__(self, text: Aligned) -> Aligned:
        """The normalised text."""
        return text

    def config(self) -> dict[str, Any] | None:
        """Its entry in ``tokenizer.json``; None for the identity."""
        return None

    def __repr__(self) -> str:
        return f"{self.kind}()"


Identity = Normaliser


class Form(Normaliser):
    """One of Unicode's four normalisation forms (Unicode Standard Annex 15)."""

    form: Literal["NFC", "NFD", "NFKC", "NFKD"]

    def __call__(self, text: Aligned) -> Aligned:
        if unicodedata.is_normalized(self.form, text.text):
            return text
        return text.rebuilt(self._parts(text.text))

    def _parts(self, text: str) -> Iterable[tuple[str, int, int]]:
        # normalised apart from one another, segments give what the whole gives
        start = 0
        for i in range(1, len(text) + 1):
            if i == len(text) or _begins_segment(self.kind, text[i]):
                yield unicodedata.normalize(self.form, text[start:i]), start, i
                start = i

    def config(self) -> dict[str, Any]:
        return {"type": self.kind}


class NFC(Form):
    kind = form = "NFC"


class NFD(Form):
    kind = form = "NFD"


class NFKC(Form):
    kind = form = "NFKC"


class NFKD(Form):
    kind = form = "NFKD"


@cache
def _composes_back() -> frozenset[str]:
    """Characters that may combine with what precedes them though their class is 0."""
    jamo = {chr(cp) for cp in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for cp in range(0x30000):
        parts = unicodedata.decomposition(chr(cp)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            jamo.add(chr(int(parts[1], 16)))
    return frozenset(jamo)


@cache
def _begins_segment(form: str, c: str) -> bool:
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", c)[0]
    if unicodedata.combining(first):
        return False
    return form.endswith("D") or (first not in _composes_back() and c not in _composes_back())


#: What :class:`~segmenter.kernels._face.CharTable` takes for "none or several".
ODD = 0xFFFFFFFF


class Table:
    """What characters become, each for itself, remembered.

    Args:
        of: what a character becomes.
    """

    def __init__(self, of: Callable[[str], str]) -> None:
        self._of = of
        self._made: dict[int, str] = {}
        self._kernel = CharTable()

    def __call__(self, text: str) -> tuple[str, bool]:
        """The new text, and whether every character became one."""
        made = self._kernel.apply(text)
        if isinstance(made, int):
            for c in set(text):
                self._learn(c)
            made = self._kernel.apply(text)
        return (text.translate(self._made), False) if made is None else (str(made), True)

    def _learn(self, c: str) -> None:
        made = self._of(c)
        if made != c:
            self._made[ord(c)] = made
        self._kernel.set(ord(c), ord(made) + 1 if len(made) == 1 else ODD)

    def lengths(self, text: str) -> list[int]:
        """How many characters each became."""
        made = self._made
        return [len(made.get(ord(c), c)) for c in text]

    def apply(self, text: Aligned) -> Aligned:
        """The new text with its offsets."""
        made, single = self(text.text)
        if made is text.text:
            return text
        return text.mapped(made, None if single else lambda: self.lengths(text.text))


class Mapped(Normaliser, ABC):
    """Base of those that look at one character at a time."""

    _table: Table | None = None

    @abstractmethod
    def of(self, c: str) -> str:
        """What the character becomes."""

    def __call__(self, text: Aligned) -> Aligned:
        if self._table is None:
            self._table = Table(self.of)
        return self._table.apply(text)

    def config(self) -> dict[str, Any]:
        return {"type": self.kind}


class Lowercase(Mapped):
    """Lower case, a character at a time (so no final sigma)."""

    kind = "Lowercase"

    def of(self, c: str) -> str:
        return c.lower()


class StripAccents(Mapped):
    """Drops combining marks; after NFD or NFKD that strips accents."""

    kind = "StripAccents"

    def of(self, c: str) -> str:
        return "" if unicodedata.category(c)[0] == "M" else c


class Width(Mapped):
    """Full-width ASCII and the ideographic blank become half-width (ours)."""

    kind = "Width"

    def of(self, c: str) -> str:
        cp = ord(c)
        return chr(cp - 0xFEE0) if 0xFF01 <= cp <= 0xFF5E else " " if cp == 0x3000 else c


class Nmt(Mapped):
    """Control characters go, blanks of all kinds become a blank (SentencePiece's ``nmt``)."""

    kind = "Nmt"

    def of(self, c: str) -> str:
        cp = ord(c)
        if 1 <= cp <= 8 or cp == 0xB or 0xE <= cp <= 0x1F or cp in (0x7F, 0x8F, 0x9F):
            return ""
        if cp in (9, 0xA, 0xC, 0xD, 0x1680, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD) or (
            0x200B <= cp <= 0x200F
        ):
            return " "
        return c


_BLANKS = re.compile(f"[{patterns.BLANKS}]+")


class Blanks(Normaliser):
    """Every run of blanks becomes one ``" "``; at both ends they go (ours; SentencePiece's
    ``remove_extra_whitespaces``)."""

    kind = "Blanks"

    def __call__(self, text: Aligned) -> Aligned:
        rows: list[tuple[str, int, int]] = []
        at = 0
        for found in _BLANKS.finditer(text.text):
            rows.append((text.text[at : found.start()], at, found.start()))
            inner = found.start() > 0 and found.end() < len(text.text)
            rows.append((" " if inner else "", found.start(), found.end()))
            at = found.end()
        rows.append((text.text[at:], at, len(text.text)))
        return text.rebuilt(rows) if len(rows) > 1 else text

    def config(self) -> dict[str, Any]:
        return {"type": self.kind}


class Strip(Normaliser):
    """Drops blanks at the ends."""

    kind = "Strip"

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self.left, self.right = left, right

    def __call__(self, text: Aligned) -> Aligned:
        a, b = 0, len(text.text)
        if self.left:
            a = b - len(text.text.lstrip(patterns.BLANKS))
        if self.right:
            b = max(a, len(text.text.rstrip(patterns.BLANKS)))
        if (a, b) == (0, len(text.text)):
            return text
        return text.rebuilt([(text.text[a:b], a, b)])

    def config(self) -> dict[str, Any]:
        return {"type": self.kind, "strip_left": self.left, "strip_right": self.right}


class Replace(Normaliser):
    """Replaces every match of a string or of a regular expression.

    Args:
        pattern: what is sought.
        content: what takes its place.
        regex: ``pattern`` is a regular expression, as Oniguruma reads it.

    Raises:
        ArgumentError: the expression cannot be run here as Oniguruma runs it.
    """

    kind = "Replace"

    def __init__(self, pattern: str, content: str, *, regex: bool = False) -> None:
        self.pattern, self.content, self.regex = pattern, content, regex
        if regex:
            expressions.parse(pattern, "oniguruma")

    def _found(self, text: str) -> Iterable[tuple[int, int]]:
        if self.regex:
            yield from patterns.matches(self.pattern, text, "oniguruma")
            return
        at = text.find(self.pattern) if self.pattern else -1
        while at >= 0:
            yield at, at + len(self.pattern)
            at = text.find(self.pattern, at + len(self.pattern))

    def __call__(self, text: Aligned) -> Aligned:
        if not self.regex and len(self.pattern) == len(self.content) == 1:
            return text.mapped(text.text.replace(self.pattern, self.content))
        rows: list[tuple[str, int, int]] = []
        at = 0
        for start, end in self._found(text.text):
            if start == end:
                continue
            rows.append((text.text[at:start], at, start))
            rows.append((self.content, start, end))
            at = end
        if not rows:
            return text
        rows.append((text.text[at:], at, len(text.text)))
        return text.rebuilt(rows)

    def config(self) -> dict[str, Any]:
        how = "Regex" if self.regex else "String"
        return {"type": self.kind, "pattern": {how: self.pattern}, "content": self.content}


class Prepend(Normaliser):
    """Puts a string before a text that is not empty."""

    kind = "Prepend"

    def __init__(self, prepend: str) -> None:
        self.prepend = prepend

    def __call__(self, text: Aligned) -> Aligned:
        if not text.text:
            return text
        before = len(self.prepend)

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = text.columns()
            return [starts[0]] * before + starts, [starts[0]] * before + ends

        return Aligned(self.prepend + text.text, base=text.base, later=spans)

    def config(self) -> dict[str, Any]:
        return {"type": self.kind, "prepend": self.prepend}


class Bert(Normaliser):
    """BERT's clean-up: control characters, blanks, Han characters apart, accents, case.

    Args:
        clean_text: drop control characters, make every blank ``" "``.
        handle_chinese_chars: put blanks around Han characters.
        strip_accents: drop accents; None: as ``lowercase`` says.
        lowercase: lower case.
    """

    kind = "BertNormalizer"

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self.clean_text = clean_text
        self.handle_chinese_chars = handle_chinese_chars
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self._steps: list[Normaliser] = []
        if clean_text:
            self._steps.append(_BertClean())
        if handle_chinese_chars:
            self._steps.append(_BertHan())
        if lowercase if strip_accents is None else strip_accents:
            self._steps += [NFD(), _NoAccents()]
        if lowercase:
            self._steps.append(Lowercase())
        self._table = Table(self._of)
        self._combining = Table(lambda c: "" if unicodedata.combining(c) else c)

    def _of(self, c: str) -> str:
        return self._in_turn(Aligned(c)).text

    def _in_turn(self, text: Aligned) -> Aligned:
        for step in self._steps:
            text = step(text)
        return text

    def __call__(self, text: Aligned) -> Aligned:
        # without combining marks every character goes its own way through all steps
        alone = text.text.isascii() or self._combining(text.text)[1]
        return self._table.apply(text) if alone else self._in_turn(text)

    def config(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "clean_text": self.clean_text,
            "handle_chinese_chars": self.handle_chinese_chars,
            "strip_accents": self.strip_accents,
            "lowercase": self.lowercase,
        }


class _BertClean(Mapped):
    def of(self, c: str) -> str:
        if c in "\t\n\r":
            return " "
        if c in "\0\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co"):
            return ""
        return " " if c in patterns.BLANKS else c


class _BertHan(Mapped):
    # the last range of extensions begins at 2B920 in tokenizers, where BERT has 2B820
    RANGES = (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
        (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
    )  # fmt: skip

    def of(self, c: str) -> str:
        return f" {c} " if any(a <= ord(c) <= b for a, b in self.RANGES) else c


class _NoAccents(Mapped):
    def of(self, c: str) -> str:
        return "" if unicodedata.category(c) == "Mn" else c


class Sequence(Normaliser):
    """One after another."""

    kind = "Sequence"

    def __init__(self, steps: Iterable[Normaliser]) -> None:
        self.steps = list(steps)

    def __call__(self, text: Aligned) -> Aligned:
        for step in self.steps:
            text = step(text)
        return text

    def config(self) -> dict[str, Any]:
        entries = [step.config() for step in self.steps]
        return {"type": self.kind, "normalizers": [e for e in entries if e is not None]}


def _pattern_of(config: dict[str, Any]) -> tuple[str, bool]:
    """(pattern, whether a regular expression) of ``{"String": …}`` or ``{"Regex": …}``."""
    pattern = config["pattern"]
    return (pattern["Regex"], True) if "Regex" in pattern else (pattern["String"], False)


def _replace(config: dict[str, Any]) -> Replace:
    pattern, regex = _pattern_of(config)
    return Replace(pattern, config["content"], regex=regex)


def _charsmap(config: dict[str, Any]) -> Normaliser:
    from segmenter.subword import charsmap

    return charsmap.make(config)


#: What reads an entry of ``tokenizer.json``, by its type.
READERS: dict[str, Callable[[dict[str, Any]], Normaliser]] = {
    **{step.kind: (lambda _, step=step: step()) for step in (  # type: ignore[misc]
        NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Width, Nmt, Blanks)},
    "Strip": lambda c: Strip(c.get("strip_left", True), c.get("strip_right", True)),
    "Replace": _replace,
    "Prepend": lambda c: Prepend(c["prepend"]),
    "BertNormalizer": lambda c: Bert(
        c.get("clean_text", True), c.get("handle_chinese_chars", True), c.get("strip_accents"),
        c.get("lowercase", True),
    ),
    "Precompiled": lambda c: _charsmap(c),
    "SentencePiece": lambda c: _charsmap(c),
    "Sequence": lambda c: Sequence(make(step) for step in c["normalizers"]),
}  # fmt: skip


def make(config: dict[str, Any] | None) -> Normaliser:
    """The normaliser of an entry of ``tokenizer.json``; None is the identity.

    Raises:
        ArgumentError: a type that is not known here.
    """
    if config is None:
        return Identity()
    return entries.read("normalizer", config, READERS)
