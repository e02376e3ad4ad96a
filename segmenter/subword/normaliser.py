"""The interface of a normaliser, and a table for the replacement of single characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.kernels._subword import CharTable
from segmenter.subword.models import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.subword.aligned import Aligned


class Normaliser(entries.Step):
    """Base class of normalisers; itself the identity, the default."""

    family = "normalizer"

    def __call__(self, text: Aligned) -> Aligned:
        return text

    def __repr__(self) -> str:
        return f"{self.kind or 'Identity'}()"


class Table:
    """Replaces single characters; replacements are cached.

    Args:
        of: what a character becomes.
    """

    def __init__(self, of: Callable[[str], str]) -> None:
        self._of = of
        self._made: dict[int, str] = {}
        self._kernel = CharTable()

    def __call__(self, text: str) -> tuple[str, bool]:
        """The new text, and whether every character became exactly one."""
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
        self._kernel.set(ord(c), made)

    def lengths(self, text: str) -> list[int]:
        """How many characters each character became."""
        made = self._made
        return [len(made.get(ord(c), c)) for c in text]

    def apply(self, text: Aligned) -> Aligned:
        """The new text with its offsets."""
        made, single = self(text.text)
        if made is text.text:
            return text
        return text.mapped(made, None if single else lambda: self.lengths(text.text))
