"""Words in a recursively compressed trie (Yata 2011; package marisa-trie), as character ids.

The trie stores the words of a lexicon that is too large for the double array, or is a matcher of
any lexicon.  The package maps it in place, so processes share it like the rest of the file.

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

#: The longest word that a search finds.
_MAX_REACH = 0xFFFF
_N_IDS = 0x8000


class MarisaTrie:
    """A set of words, each a str of character ids, numbered by the trie.

    Args:
        trie: the package's trie.
        reach: for each character id, the length of the longest word that begins with it.
    """

    __slots__ = ("_trie", "reach")

    def __init__(self, trie: marisa_trie.Trie, reach: memoryview) -> None:
        if len(reach) != _N_IDS:
            raise ValueError(f"reach: {len(reach)} lengths, expected one per id, {_N_IDS:,}")
        self._trie = trie
        self.reach = reach

    @classmethod
    def build(cls, words: Iterable[str]) -> MarisaTrie:
        """Return a set of these words."""
        reach = array("H", bytes(2 * _N_IDS))

        def measured() -> Iterator[str]:
            for word in words:
                first = ord(word[0])
                if len(word) > reach[first]:
                    reach[first] = min(len(word), _MAX_REACH)
                yield word

        return cls(marisa_trie.Trie(measured()), memoryview(reach))

    @classmethod
    def over(cls, trie: memoryview, reach: memoryview) -> MarisaTrie:
        """Return a set over the bytes of :meth:`sections`, which are not copied.

        Raises:
            RuntimeError, ValueError: the bytes are not such a trie.
        """
        return cls(marisa_trie.Trie().map(trie), reach.cast("H"))

    def sections(self) -> tuple[ReadableBuffer, ReadableBuffer]:
        """Return the trie and its reach as bytes."""
        return self._trie.tobytes(), self.reach.tobytes()

    def __len__(self) -> int:
        return len(self._trie)

    def number(self, word: str) -> int:
        """Return the number of a word, or -1."""
        number: int = self._trie.get(word, -1)
        return number

    def items(self) -> Iterator[str]:
        """Return all words by number."""
        return map(self._trie.restore_key, range(len(self._trie)))

    def find(self, ids: str, numbers: Sequence[int]) -> bytes:
        """Return every word in ``ids``, by start, then end: native uint32 (start, end, number).

        Args:
            ids: a text.
            numbers: the number to return for each number of the trie.
        """
        prefixes, reach = self._trie.iter_prefixes_with_ids, self.reach
        triples = array("I")
        extend = triples.extend
        for start, first in enumerate(ids):
            longest = reach[ord(first)]
            if longest:
                for word, key in prefixes(ids[start : start + longest]):
                    extend((start, start + len(word), numbers[key]))
        return triples.tobytes()

    def longest(self, ids: str, k: int, costs: Sequence[int]) -> int:
        """Return the rank of the best word of two or more characters that covers position ``k``.

        Args:
            ids: a text.
            k: a position in it.
            costs: the costs of words, by number.

        Returns:
            a rank for ``Variants::resolve``: greater is better; longer words are better, then
            cheaper ones; 0 if no word covers the position.
        """
        best = 0
        for start in range(k + 1):
            reach = self.reach[ord(ids[start])]
            for word, number in self._trie.iter_prefixes_with_ids(ids[start : start + reach]):
                if len(word) > max(1, k - start):
                    best = max(best, len(word) << 16 | 0xFFFF - costs[number])
        return best
