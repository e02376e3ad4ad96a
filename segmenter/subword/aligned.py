"""A text on its way through the steps, with where its characters came from.

>>> text = Aligned("a好").rebuilt([("A", 0, 1), ("hao", 1, 2)])
>>> text.text, text.span(1, 3)
('Ahao', (1, 2))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Aligned:
    """A text and, for every character, the span of the original text that it came from.

    Args:
        text: the text.
        starts: of every character, the start in the original; None: character i is the original's
            ``base + i``.
        ends: of every character, the end in the original, exclusive.
        base: where the text begins in the original.
        later: what gives ``starts`` and ``ends`` when they are asked for; ids alone need neither.
        covering: a character that several became covers all of them, one that is put before a text
            covers nothing.  False: it covers what Hugging Face ``tokenizers`` says.
    """

    __slots__ = ("_ends", "_later", "_starts", "base", "covering", "text")

    def __init__(
        self,
        text: str,
        starts: list[int] | None = None,
        ends: list[int] | None = None,
        base: int = 0,
        later: Callable[[], tuple[list[int], list[int]]] | None = None,
        covering: bool = True,
    ) -> None:
        self.text = text
        self._starts = starts
        self._ends = ends
        self._later = later
        self.base = base
        self.covering = covering

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
            return Aligned(text, self._starts, self._ends, self.base, self._later, self.covering)

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = self.columns()
            counts = lengths()
            return (
                [a for a, n in zip(starts, counts, strict=True) for _ in range(n)],
                [b for b, n in zip(ends, counts, strict=True) for _ in range(n)],
            )

        return self.anew(text, spans)

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
            return Aligned(self.text[start:end], base=self.base + start, covering=self.covering)
        return Aligned(
            self.text[start:end],
            self.starts[start:end],
            self.ends[start:end],
            self.base,
            covering=self.covering,
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
        return Aligned("".join(parts), new_starts, new_ends, self.base, covering=self.covering)

    def anew(self, text: str, later: Callable[[], tuple[list[int], list[int]]]) -> Aligned:
        """A new text in the place of this one, with what gives its columns."""
        return Aligned(text, base=self.base, later=later, covering=self.covering)

    def transformed(self, text: str, changes: Callable[[], list[int]]) -> Aligned:
        """A new text as ``tokenizers`` aligns it.

        Args:
            text: the new text.
            changes: gives for each character of it 0 where it takes the place of the next
                character of this text, 1 where it is new and covers what the one before it does,
                -k where k more characters of this text go after the one that it replaces.
        """

        def spans() -> tuple[list[int], list[int]]:
            starts, ends = self.columns()
            new_starts: list[int] = []
            new_ends: list[int] = []
            at, last = 0, len(starts) - 1
            for change in changes():
                if change > 0:
                    a, b = (starts[at - 1], ends[at - 1]) if at else (self.base, self.base)
                else:
                    a, b = starts[min(at, last)], ends[min(at, last)]
                    at += 1 - change
                new_starts.append(a)
                new_ends.append(b)
            return new_starts, new_ends

        return self.anew(text, spans)

    def __repr__(self) -> str:
        return f"Aligned({self.text!r})"
