"""The double array of a compiled lexicon, and its word numbers (``lexicon/double_array.hpp``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class DoubleArray:
    """Walks the double-array trie (Aoe 1989) of a compiled lexicon.

    A unit is label (16 bits), cost (16), guard (8, a Bloom filter of the children), base (24).
    The child of a node by character id c is slot ``base + c`` if that slot's label is c.

    Args:
        units: section ``trie.units`` as 64-bit integers.
        n_ids: number of character ids; the node of character id c alone is slot c.
    """

    NO_COST = 0xFFFF

    def __init__(self, units: Sequence[int], n_ids: int) -> None:
        self.units = units
        self.n_ids = n_ids

    def child(self, slot: int, char_id: int) -> int:
        """The slot of the child; 0 if there is none."""
        base = self.units[slot] >> 40
        unit = base + char_id
        return unit if base and self.units[unit] & 0xFFFF == char_id else 0

    def words(self, ids: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """(length, slot, cost) of the words of two or more characters at the start of ``ids``."""
        slot = ids[0] if ids else 0
        for length in range(2, len(ids) + 1):
            slot = self.child(slot, ids[length - 1])
            if not slot:
                return
            cost = self.units[slot] >> 16 & 0xFFFF
            if cost != self.NO_COST:
                yield length, slot, cost


def word_number(terminal: Sequence[int], slot: int) -> int:
    """Number of the word that ends at ``slot``: how many words end at slots below it.

    ``terminal`` holds one bit per slot in words of 64 (Jacobson 1989 calls this rank).
    """
    rank = sum(word.bit_count() for word in terminal[: slot // 64])
    return rank + (terminal[slot // 64] & ((1 << slot % 64) - 1)).bit_count()
