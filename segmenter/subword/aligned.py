"""A text on its way through the steps, with the origin of each character.

>>> text = Aligned("a好").rebuilt([("A", 0, 1), ("hao", 1, 2)])
>>> text.text, text.span(1, 3)
('Ahao', (1, 2))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Spans = tuple[list[int], list[int]]

#: How much the steps of a tokenizer may lengthen a text: to so many times its characters, and so
#: many more.  Unicode's forms make up to 18 characters of one, and bytes up to 4.
GROWTH, SLACK = 64, 200


def max_length(length: int) -> int:
    """How many characters the steps may make of a text of this length."""
    return GROWTH * length + SLACK


def check_length(length: int, limit: int) -> None:
    """Raise ArgumentError if a step would make a text longer than it may become.

    >>> check_length(265, max_length(1))
    Traceback (most recent call last):
    segmenter.errors.ArgumentError: text: a step of this tokenizer would make 265 characters of \
it, and 264 is the most (64 times its length, and 200): look at its Replace and Prepend steps
    """
    if length > limit:
        raise ArgumentError(
            f"text: a step of this tokenizer would make {length:,} characters of it, and {limit:,} "
            f"is the most ({GROWTH} times its length, and {SLACK}): look at its Replace and "
            "Prepend steps"
        )


class Aligned:
    """A text and, for every character, the span of the original text that it came from.

    Args:
        spans: the starts and ends (exclusive) of all characters in the original, or a function that
            computes them on demand, since ids alone need neither; None: character i is the
            original's ``base + i``.
        base: where the text begins in the original.
        covering: a character that replaces several covers all of them, and one prepended to a text
            covers nothing.  False: do as Hugging Face ``tokenizers``.
        limit: characters that the steps may make of it; None: :func:`max_length` of its length.
    """

    __slots__ = ("_spans", "base", "covering", "limit", "text")

    def __init__(
        self,
        text: str,
        spans: Spans | Callable[[], Spans] | None = None,
        base: int = 0,
        covering: bool = True,
        limit: int | None = None,
    ) -> None:
        self.limit = max_length(len(text)) if limit is None else limit
        self.text = text
        self._spans = spans
        self.base = base
        self.covering = covering

    @property
    def original(self) -> bool:
        """Whether the text is an unchanged part of the original."""
        return self._spans is None

    def mapped(self, text: str, lengths: Callable[[], list[int]] | None = None) -> Aligned:
        """A new text in which each character of this one is replaced by zero or more characters.

        Args:
            lengths: returns the number of new characters for each character; None: one each.
        """
        if lengths is None:
            return self.with_text(text, self._spans)

        def spans() -> Spans:
            starts, ends = self.columns()
            counts = lengths()
            return (
                [a for a, n in zip(starts, counts, strict=True) for _ in range(n)],
                [b for b, n in zip(ends, counts, strict=True) for _ in range(n)],
            )

        return self.with_text(text, spans)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that the characters from ``start`` to ``end`` came from."""
        if self.original:
            return self.base + start, self.base + end
        starts, ends = self.columns()
        if start < end:
            return starts[start], ends[end - 1]
        position = starts[start] if start < len(starts) else (ends or [self.base])[-1]
        return position, position

    def part(self, start: int, end: int) -> Aligned:
        """The characters from ``start`` to ``end``, with their offsets."""
        if (start, end) == (0, len(self.text)):
            return self
        text = self.text[start:end]
        if self.original:
            return Aligned(text, None, self.base + start, self.covering)
        starts, ends = self.columns()
        return Aligned(text, (starts[start:end], ends[start:end]), self.base, self.covering)

    def columns(self) -> Spans:
        """The starts and ends of all characters."""
        if self._spans is None:
            n = self.base + len(self.text)
            return list(range(self.base, n)), list(range(self.base + 1, n + 1))
        if callable(self._spans):
            self._spans = self._spans()
        return self._spans

    def rebuilt(self, rows: Iterable[tuple[str, int, int]]) -> Aligned:
        """A new text from parts (text, start, end), which come from that span of this one.

        A part that comes from no characters (start = end) lies between its neighbours.

        Raises:
            ArgumentError: it is too long.
        """
        rows = list(rows)
        check_length(sum(len(part) for part, _, _ in rows), self.limit)
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
        return self.with_text("".join(parts), (new_starts, new_ends))

    def with_text(self, text: str, spans: Spans | Callable[[], Spans] | None) -> Aligned:
        """A new text with its own spans, with ``base``, ``covering`` and ``limit`` of this one.

        Raises:
            ArgumentError: it is too long.
        """
        check_length(len(text), self.limit)
        return Aligned(text, spans, self.base, self.covering, self.limit)

    def transformed(self, text: str, changes: Callable[[], list[int]]) -> Aligned:
        """A new text as ``tokenizers`` aligns it.

        Args:
            changes: returns for each new character: 0 if it replaces the next character of this
                text; 1 if it is inserted, and covers the same as the one before it; -k if it
                replaces the next character and the k after that are removed.
        """

        def spans() -> Spans:
            starts, ends = self.columns()
            new_starts: list[int] = []
            new_ends: list[int] = []
            i, last = 0, len(starts) - 1
            for change in changes():
                if change > 0:
                    a, b = (starts[i - 1], ends[i - 1]) if i else (self.base, self.base)
                else:
                    a, b = starts[min(i, last)], ends[min(i, last)]
                    i += 1 - change
                new_starts.append(a)
                new_ends.append(b)
            return new_starts, new_ends

        return self.with_text(text, spans)

    def __repr__(self) -> str:
        return f"Aligned({self.text!r})"
