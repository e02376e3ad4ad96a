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
        replace: returns the replacement of a character.
    """

    def __init__(self, replace: Callable[[str], str]) -> None:
        self._replace = replace
        self._replacements: dict[int, str] = {}
        self._kernel = CharTable()

    def __call__(self, text: str) -> tuple[str, bool]:
        """The new text, and whether every character became exactly one."""
        new_text = self._kernel.apply(text)
        if isinstance(new_text, int):
            for c in set(text):
                self._learn(c)
            new_text = self._kernel.apply(text)
        if new_text is None:
            return text.translate(self._replacements), False
        return str(new_text), True

    def _learn(self, c: str) -> None:
        replacement = self._replace(c)
        if replacement != c:
            self._replacements[ord(c)] = replacement
        self._kernel.set(ord(c), replacement)

    def lengths(self, text: str) -> list[int]:
        """How many characters each character became."""
        replacements = self._replacements
        return [len(replacements.get(ord(c), c)) for c in text]

    def apply(self, text: Aligned) -> Aligned:
        """The new text with its offsets."""
        new_text, single = self(text.text)
        if new_text is text.text:
            return text
        return text.mapped(new_text, None if single else lambda: self.lengths(text.text))
