"""The characters of a training text as the trainers read them: numbers, rows and types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.features.marks import count_before

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True)
class Characters:
    """Numbers of characters.

    Attributes:
        table: the ``CharTable`` that numbers them.
        named: the character of each number; the other numbers are classes.
        row_of: the number whose row a character has: its own, or its class's.
        type_of: the type of each number; None if types are not features.
        marks: characters that get the number of the place beyond the text.
        is_mark: whether each number is one of them.
        before_marks: how often each pair of a character and a mark occurs in the text.
    """

    table: Any
    named: dict[int, str]
    row_of: Array
    type_of: Array | None
    marks: str
    is_mark: Array
    before_marks: dict[str, int]

    @classmethod
    def number(
        cls,
        weights: Mapping[str, float],
        own_rows: Container[str],
        words: Iterable[str],
        text: str,
        *,
        types: bool,
        marks: str,
    ) -> Characters:
        """Number the characters of a text and of words.

        Args:
            weights: of the text's characters; they order the numbers.
            own_rows: characters with rows of their own.
            words: their characters are numbered too.
            types: whether types of characters are features.
        """
        from segmenter.lexicon.characters import CharTable

        all_weights = dict(weights)
        for c in {c for w in words for c in w}:
            all_weights.setdefault(c, 0.5)
        table = CharTable(all_weights, "default")
        named = {i: chr(cp) for cp, i in table.ids.items()}
        row_of = np.arange(len(table.classes), dtype=np.uint16)
        for i, c in named.items():
            if c not in own_rows:
                row_of[i] = table.generic[chars.char_class(ord(c))]
        type_of = form.types_of(table) if types else None
        is_mark = np.zeros(len(table.classes), bool)
        is_mark[[table.ids[ord(c)] for c in marks if ord(c) in table.ids]] = True
        if marks and type_of is not None:
            type_of[0] = form.char_type(ord(marks[0]))
        return cls(table, named, row_of, type_of, marks, is_mark, count_before(text, marks))

    def __len__(self) -> int:
        """How many numbers there are, those of classes and of the place beyond included."""
        return len(self.table.classes)

    def numbers(self, sentences: Collection[str]) -> tuple[Array, Array]:
        """The numbers of the characters of sentences, and the sentences' offsets."""
        from segmenter.lexicon.characters import code_points

        codes, offsets = code_points(sentences)
        ids = self.table.ids_of(codes)
        ids[self.is_mark[ids]] = 0
        return ids, offsets

    def count_pairs(self, ids: Array, offsets: Array, minimum: int) -> dict[str, int]:
        """Count the pairs of characters of a text, and of last characters with :data:`model.END`.

        Args:
            ids, offsets: of :meth:`numbers`.
        """
        follows = np.zeros(len(ids), np.uint32)
        follows[:-1] = ids[1:]
        follows[offsets[1:] - 1] = 0
        keys, counts = np.unique(ids.astype(np.uint32) << 16 | follows, return_counts=True)
        is_named = np.zeros(len(self), bool)
        is_named[list(self.named)] = True
        first, second = keys >> 16, keys & 0xFFFF
        keep = (counts >= minimum) & is_named[first] & (is_named[second] | (second == 0))
        return {
            self.named[a] + (self.named[b] if b else form.END): n
            for a, b, n in zip(
                first[keep].tolist(), second[keep].tolist(), counts[keep].tolist(), strict=True
            )
        }
