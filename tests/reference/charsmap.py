"""SentencePiece's normalisation in plain Python: parts of the text, then blanks, then the mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Parts = list[tuple[str, int, int]]  # a replacement, and the span that it replaces


@dataclass
class SentencePiece:
    """The same arguments as ``segmenter.subword.charsmap.SentencePiece``.

    ``rules``: from sequences of characters to what they become.
    """

    rules: Mapping[str, str]
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    suffix: bool = False
    symbols: Sequence[str] = ()

    def parts(self, text: str) -> Parts:
        """Symbols as they are, elsewhere the longest sequence that has a rule."""
        symbol = re.compile(
            "|".join(map(re.escape, sorted(self.symbols, key=len, reverse=True))) or "(?!)"
        )
        parts_out: Parts = []
        offset = 0
        while offset < len(text):
            match = symbol.match(text, offset)
            end = match.end() if match else offset + 1
            piece = text[offset:end]
            if not match:
                for n in range(max(map(len, self.rules), default=0), 0, -1):
                    if text[offset : offset + n] in self.rules and offset + n <= len(text):
                        piece, end = self.rules[text[offset : offset + n]], offset + n
                        break
            parts_out.append((piece, offset, end))
            offset = end
        return parts_out

    def __call__(self, text: str, covering: bool) -> tuple[str, list[int], list[int]]:
        """The new text, and the span in the old one of each of its characters."""
        parts = self.parts(text)
        space = "▁" if self.escape_whitespaces else " "
        collapse = self.remove_extra_whitespaces
        begin, end = 0, len(text)  # without the blanks around the text
        if collapse:
            if all(text_made == " " for text_made, _, _ in parts):
                return "", [], []
            begin = next(a for text_made, a, _ in parts if text_made != " ")
            parts = _single_blanks(parts)
        parts = [(text_made.replace(" ", space), a, b) for text_made, a, b in parts]
        if collapse:
            while parts and not (stripped := parts[-1][0].rstrip(space)):
                end = parts.pop()[1]
            if parts:
                if stripped != parts[-1][0]:
                    end = parts[-1][2]
                parts[-1] = (stripped, *parts[-1][1:])
        if self.add_dummy_prefix and (parts or self.suffix or not collapse):
            offset = end if self.suffix else begin
            if covering:
                offset = parts[-1][2] if self.suffix and parts else 0
            parts.insert(len(parts) if self.suffix else 0, (space, offset, offset))
        starts, ends = [], []
        for part, a, b in parts:
            covers = covering and len(part) == b - a
            starts += [a + i if covers else a for i in range(len(part))]
            ends += [a + i + 1 if covers else b for i in range(len(part))]
        text_made = "".join(part for part, _, _ in parts)
        return text_made, starts, ends if covering else [*starts[1:], end][: len(starts)]


def _single_blanks(parts: Parts) -> Parts:
    """Drop blanks that begin the text or follow a blank."""
    parts_out: Parts = []
    heading = blank = True  # heading: until a part is more than one blank
    for part, a, b in parts:
        if heading and part == " ":
            continue
        heading = False
        stripped = part.lstrip(" ") if blank else part
        if stripped:
            parts_out.append((stripped, a, b))
            blank = stripped.endswith(" ")
    return parts_out
