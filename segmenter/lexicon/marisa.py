"""Words in a recursively compressed trie (Yata 2011; package marisa-trie), as character ids.

A lexicon of more words than the double array has slots for holds them so, and a matcher of any
lexicon may.  The package maps the trie where it lies: it is shared between processes like the rest
of the file.

>>> trie = MarisaTrie.build(["\\1\\2", "\\1", "\\2\\3"])
>>> sorted(trie.items()), trie.number("\\3"), len(trie)
(['\\x01', '\\x01\\x02', '\\x02\\x03'], -1, 3)
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import marisa_trie

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from _typeshed import ReadableBuffer

#: The longest word that a search from one character looks for.
_REACH = 0xFFFF
_IDS = 0x8000


class MarisaTrie:
    """A set of words, each a str of character ids, numbered by the trie.

    Args:
        trie: the package's.
        reach: by character id the length of the longest word that begins with it.
    """

    __slots__ = ("_trie", "reach")

    def __init__(self, trie: marisa_trie.Trie, reach: memoryview) -> None:
        if len(reach) != _IDS:
            raise ValueError(f"reach: {len(reach)} lengths, expected one for each of {_IDS:,} ids")
        self._trie = trie
        self.reach = reach

    @classmethod
    def build(cls, words: Iterable[str]) -> MarisaTrie:
        """One of these words."""
        reach = array("H", bytes(2 * _IDS))

        def met() -> Iterator[str]:
            for word in words:
                first = ord(word[0])
                if len(word) > reach[first]:
                    reach[first] = min(len(word), _REACH)
                yield word

        return cls(marisa_trie.Trie(met()), memoryview(reach))

    @classmethod
    def over(cls, trie: memoryview, reach: memoryview) -> MarisaTrie:
        """One over the bytes of :meth:`sections`, which are not copied.

        Raises:
            RuntimeError, ValueError: they are no such trie.
        """
        return cls(marisa_trie.Trie().map(trie), reach.cast("H"))

    def sections(self) -> tuple[ReadableBuffer, ReadableBuffer]:
        """The trie and its reach as they stand in a file."""
        return self._trie.tobytes(), self.reach.tobytes()

    def __len__(self) -> int:
        return len(self._trie)

    @property
    def nbytes(self) -> int:
        """Memory of the trie."""
        return len(self._trie.tobytes()) + self.reach.nbytes

    def number(self, word: str) -> int:
        """Number of a word, -1 if it is none."""
        number: int = self._trie.get(word, -1)
        return number

    def items(self) -> Iterator[str]:
        """All words by number."""
        return map(self._trie.restore_key, range(len(self._trie)))

    def find(self, ids: str, numbers: Sequence[int]) -> bytes:
        """Every word in ``ids``, by start, then by end: native uint32 (start, end, number).

        Args:
            ids: a text.
            numbers: what is told for each number of the trie's.
        """
        prefixes, reach = self._trie.iter_prefixes_with_ids, self.reach
        out = array("I")
        add = out.extend
        for start, first in enumerate(ids):
            longest = reach[ord(first)]
            if longest:
                for word, key in prefixes(ids[start : start + longest]):
                    add((start, start + len(word), numbers[key]))
        return out.tobytes()

    def longest(self, ids: str, k: int, costs: Sequence[int]) -> int:
        """The best word of two characters and more that takes in position ``k``, as a rank.

        Args:
            ids: a text.
            k: a position in it.
            costs: of the words, by number.

        Returns:
            what ``Variants::settle`` compares: the greater, the better, the longest word first, of
            equally long ones the cheapest; 0: there is none.
        """
        most = 0
        for start in range(k + 1):
            reach = self.reach[ord(ids[start])]
            for word, number in self._trie.iter_prefixes_with_ids(ids[start : start + reach]):
                if len(word) > max(1, k - start):
                    most = max(most, len(word) << 16 | 0xFFFF - costs[number])
        return most


__all__ = ["MarisaTrie"]
