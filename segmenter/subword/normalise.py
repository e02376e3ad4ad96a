"""First step: normalise spelling variants, keeping offsets into the original text.

A normaliser takes an :class:`Aligned` and returns a new one.  ``config()`` returns its entry in
``tokenizer.json`` (Hugging Face ``tokenizers``), and :data:`make` reads one.  Names and meanings
are that library's, except for two of our own (:class:`Width`, :class:`Blanks`).  Character classes
are that library's too, whatever the version of Python (``library.tsv``).

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
from dataclasses import dataclass
from typing import TYPE_CHECKING

from segmenter.subword import characters, expressions, forms, patterns
from segmenter.subword import charsmap as charsmap  # has two more steps of the family
from segmenter.subword.aligned import Aligned
from segmenter.subword.characters import contains, library
from segmenter.subword.models import entries
from segmenter.subword.models.model import byte_chars, byte_spans, to_bytes
from segmenter.subword.normaliser import Normaliser as Normaliser
from segmenter.subword.normaliser import Table
from segmenter.subword.scanning import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Identity = Normaliser


class Form(Normaliser):
    """One of Unicode's four normalisation forms (Unicode Standard Annex 15), in the version of
    ``tokenizers`` (:mod:`.forms`)."""

    form: forms.Name

    def __call__(self, text: Aligned) -> Aligned:
        if unicodedata.is_normalized(self.form, text.text):
            return text
        rows = list(forms.parts(self.form, text.text))
        new_text = "".join(row[0] for row in rows)
        if new_text == text.text:
            return text
        if text.covering:
            return text.rebuilt(rows)
        old = text.text

        def changes() -> list[int]:
            rows_changes: list[int] = []
            for part, a, b in rows:
                unchanged = part == old[a:b]
                rows_changes += [0] * len(part) if unchanged else forms.changes(self.form, old[a:b])
            return rows_changes

        return text.transformed(new_text, changes)


class NFC(Form):
    kind = form = "NFC"


class NFD(Form):
    kind = form = "NFD"


class NFKC(Form):
    kind = form = "NFKC"


class NFKD(Form):
    kind = form = "NFKD"


class Mapped(Normaliser, ABC):
    """Base class of normalisers that look at one character at a time."""

    _table: Table | None = None

    @abstractmethod
    def replacement(self, c: str) -> str:
        """The replacement of a character."""

    def __call__(self, text: Aligned) -> Aligned:
        if self._table is None:
            self._table = Table(self.replacement)
        return self._table.apply(text)


class Lowercase(Mapped):
    """Converts to lower case one character at a time, so without final sigma."""

    kind = "Lowercase"

    def replacement(self, c: str) -> str:
        return characters.lowered().get(c) or c.lower()


class StripAccents(Mapped):
    """Drops combining marks, which after NFD or NFKD strips accents."""

    kind = "StripAccents"

    def replacement(self, c: str) -> str:
        return "" if contains(library("MARKS"), c) else c


class Width(Mapped):
    """Turns full-width ASCII and the ideographic space half-width (our own)."""

    kind = "Width"

    def replacement(self, c: str) -> str:
        cp = ord(c)
        return chr(cp - 0xFEE0) if 0xFF01 <= cp <= 0xFF5E else " " if cp == 0x3000 else c


class Nmt(Mapped):
    """Drops control characters and turns all kinds of blanks into ``" "`` (SentencePiece's
    ``nmt``)."""

    kind = "Nmt"

    def replacement(self, c: str) -> str:
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
    """Turns every run of blanks into one ``" "`` and drops them at both ends (our own;
    SentencePiece's ``remove_extra_whitespaces``)."""

    kind = "Blanks"

    def __call__(self, text: Aligned) -> Aligned:
        rows: list[tuple[str, int, int]] = []
        offset = 0
        for match in _BLANKS.finditer(text.text):
            rows.append((text.text[offset : match.start()], offset, match.start()))
            inner = match.start() > 0 and match.end() < len(text.text)
            rows.append((" " if inner else "", match.start(), match.end()))
            offset = match.end()
        rows.append((text.text[offset:], offset, len(text.text)))
        return text.rebuilt(rows) if len(rows) > 1 else text


@dataclass(eq=False, repr=False)
class Strip(Normaliser):
    """Drops blanks at the ends."""

    kind = "Strip"

    left: bool = entries.named("strip_left", True)
    right: bool = entries.named("strip_right", True)

    def __call__(self, text: Aligned) -> Aligned:
        start, end = 0, len(text.text)
        if self.left:
            start = end - len(text.text.lstrip(patterns.BLANKS))
        if self.right:
            end = max(start, len(text.text.rstrip(patterns.BLANKS)))
        if (start, end) == (0, len(text.text)):
            return text
        return text.rebuilt([(text.text[start:end], start, end)])


class Replace(entries.Replacing, Normaliser):
    """Replaces every match of a string or of a regular expression.

    Args:
        pattern: the string or expression to search for.
        content: the replacement.
        regex: ``pattern`` is a regular expression for Oniguruma.

    Raises:
        ArgumentError: the expression cannot be run exactly as in Oniguruma.
    """

    def __init__(self, pattern: str, content: str, *, regex: bool = False) -> None:
        super().__init__(pattern, content, regex=regex)
        if regex:
            expressions.parse(pattern, "oniguruma")

    def _matches(self, text: str) -> Iterable[tuple[int, int]]:
        if self.regex and text:
            yield from matches(self.pattern, text, "oniguruma")
        if self.regex:
            return
        start = text.find(self.pattern) if self.pattern else -1
        while start >= 0:
            yield start, start + len(self.pattern)
            start = text.find(self.pattern, start + len(self.pattern))

    def __call__(self, text: Aligned) -> Aligned:
        if not self.regex and len(self.pattern) == len(self.content) == 1:
            return text.mapped(text.text.replace(self.pattern, self.content))
        rows: list[tuple[str, int, int]] = []
        offset = 0
        for start, end in self._matches(text.text):
            rows.append((text.text[offset:start], offset, start))
            # in tokenizers it covers only the last character, even that before an empty match
            rows.append((self.content, start if text.covering else max(0, end - 1), end))
            offset = end
        if not rows:
            return text
        rows.append((text.text[offset:], offset, len(text.text)))
        return text.rebuilt(rows)


@dataclass(eq=False, repr=False)
class Prepend(Normaliser):
    """Prepends a string to a text unless the text is empty."""

    kind = "Prepend"

    prepend: str

    def __call__(self, text: Aligned) -> Aligned:
        if not text.text:
            return text
        length = len(self.prepend)

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = text.columns()
            end = starts[0] if text.covering else ends[0]
            return [starts[0]] * length + starts, [end] * length + ends

        return text.with_text(self.prepend + text.text, spans)


class ByteLevel(Normaliser):
    """Replaces the text with its UTF-8 bytes in the byte alphabet, one character per byte.

    The model that follows must use the same alphabet.
    """

    kind = "ByteLevel"

    def __call__(self, text: Aligned) -> Aligned:
        bytes_text = byte_chars(to_bytes(text.text))
        if bytes_text == text.text:
            return text

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = text.columns()
            char_of_byte = byte_spans(text.text)[0]
            return [starts[i] for i in char_of_byte], [ends[i] for i in char_of_byte]

        return text.with_text(bytes_text, spans)


@dataclass(eq=False, repr=False)
class Bert(Normaliser):
    """BERT's clean-up: control characters, blanks, Han characters, accents, case.

    Args:
        clean_text: drop control characters and turn every blank into ``" "``.
        handle_chinese_chars: put blanks around Han characters.
        strip_accents: drop accents; None: same as ``lowercase``.
        lowercase: convert to lower case.
    """

    kind = "BertNormalizer"

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def __post_init__(self) -> None:
        self._steps: list[Callable[[Aligned], Aligned]] = []
        if self.clean_text:
            self._steps.append(Table(_bert_clean).apply)
        if self.handle_chinese_chars:
            self._steps.append(Table(_bert_han).apply)
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            self._steps += [NFD(), Table(_no_accent).apply]
        if self.lowercase:
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
        # without combining marks the steps treat every character independently
        alone = text.text.isascii() or self._combining(text.text)[1]
        return self._table.apply(text) if alone else self._in_turn(text)


def _bert_clean(c: str) -> str:
    if c in "\t\n\r":
        return " "
    if contains(library("UNCLEAN"), c):
        return ""
    return " " if c in patterns.BLANKS else c


def _no_accent(c: str) -> str:
    return "" if contains(library("NONSPACING"), c) else c


# the range of extension E begins at 2B920 in tokenizers and at 2B820 in BERT
_HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def _bert_han(c: str) -> str:
    return f" {c} " if any(a <= ord(c) <= b for a, b in _HAN) else c


class Sequence(entries.Sequence[Normaliser], Normaliser):
    inner = "normalizers"

    def __call__(self, text: Aligned) -> Aligned:
        for step in self.steps:
            text = step(text)
        return text


make = Normaliser.read
