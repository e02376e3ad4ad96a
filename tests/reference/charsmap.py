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
        out: Parts = []
        at = 0
        while at < len(text):
            found = symbol.match(text, at)
            end = found.end() if found else at + 1
            made = text[at:end]
            if not found:
                for n in range(max(map(len, self.rules), default=0), 0, -1):
                    if text[at : at + n] in self.rules and at + n <= len(text):
                        made, end = self.rules[text[at : at + n]], at + n
                        break
            out.append((made, at, end))
            at = end
        return out

    def __call__(self, text: str, covering: bool) -> tuple[str, list[int], list[int]]:
        """The new text, and the span in the old one of each of its characters."""
        parts = self.parts(text)
        space = "▁" if self.escape_whitespaces else " "
        collapse = self.remove_extra_whitespaces
        begin, end = 0, len(text)  # without the blanks around the text
        if collapse:
            if all(made == " " for made, _, _ in parts):
                return "", [], []
            begin = next(a for made, a, _ in parts if made != " ")
            parts = _single_blanks(parts)
        parts = [(made.replace(" ", space), a, b) for made, a, b in parts]
        if collapse:
            while parts and not (kept := parts[-1][0].rstrip(space)):
                end = parts.pop()[1]
            if parts:
                if kept != parts[-1][0]:
                    end = parts[-1][2]
                parts[-1] = (kept, *parts[-1][1:])
        if self.add_dummy_prefix and (parts or self.suffix or not collapse):
            at = end if self.suffix else begin
            if covering:
                at = parts[-1][2] if self.suffix and parts else 0
            parts.insert(len(parts) if self.suffix else 0, (space, at, at))
        starts, ends = [], []
        for part, a, b in parts:
            own = covering and len(part) == b - a
            starts += [a + i if own else a for i in range(len(part))]
            ends += [a + i + 1 if own else b for i in range(len(part))]
        made = "".join(part for part, _, _ in parts)
        return made, starts, ends if covering else [*starts[1:], end][: len(starts)]


def _single_blanks(parts: Parts) -> Parts:
    """Drop blanks that begin the text or follow a blank."""
    out: Parts = []
    heading = blank = True  # heading: until a part is more than one blank
    for made, a, b in parts:
        if heading and made == " ":
            continue
        heading = False
        kept = made.lstrip(" ") if blank else made
        if kept:
            out.append((kept, a, b))
            blank = kept.endswith(" ")
    return out
