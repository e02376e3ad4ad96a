"""The reference of kernels/subword/longest.hpp: byte-pair encoding by the longest pieces first.

Merging the pieces of a text gives them back exactly if merging each two neighbours does, so there
is one row of pieces of which all neighbours may stand side by side.  It is looked for with the
longest piece first, and a piece is taken back where nothing can follow it.

>>> merges = [("中", "国"), ("国", "人"), ("人", "民"), ("中国", "人民")]
>>> splits = splits_of("中国人民", merges)
>>> longest_first("国人民中国", splits, merges)
['国人', '民', '中国']
>>> longest_first("中国人民", splits, merges)
['中国人民']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.subword.models.bpe import Merged, merging

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    #: piece -> (left, right, turn of the last merge); a symbol has turn 0
    Splits = Mapping[str, tuple[str, str, int]]

NEVER = 1 << 32


def merged(symbols: Iterable[str], merges: Sequence[tuple[str, str]], until: int = 1) -> list[str]:
    """What merging leaves: the pair of the lowest rank first, of several the leftmost."""
    ranks = {(a, b): (rank, a + b) for rank, (a, b) in enumerate(merges)}
    row = list(symbols)
    for step in merging(row, lambda a, b: ranks.get((a, b))):
        if len(row) <= until:
            break
        row = step.row if isinstance(step, Merged) else row
    return row


def splits_of(alphabet: Iterable[str], merges: Sequence[tuple[str, str]]) -> Splits:
    """The last merge of every piece that the merges make, of rising ranks only."""
    splits: dict[str, tuple[str, str, int]] = dict.fromkeys(alphabet, ("", "", 0))
    for piece in sorted({a + b for a, b in merges}, key=len):
        row = merged(piece, merges, 2)
        if len(row) != 2 or (row[0], row[1]) not in merges:
            continue
        turn = merges.index((row[0], row[1])) + 1
        if all(part in splits and splits[part][2] < turn for part in row):
            splits[piece] = (row[0], row[1], turn)
    return splits


def joins(left: str, right: str, splits: Splits, ranks: Mapping[tuple[str, str], int]) -> bool:
    """Whether merging leaves two pieces side by side.

    Read backwards: of both, what lies at the border is undone, the later merge first; at no time
    may the two that meet there have been due before what takes either.
    """
    left_due = right_due = NEVER
    while True:
        due = ranks.get((left, right), NEVER)
        if due < left_due and due <= right_due:
            return False
        a, b = splits[left], splits[right]
        if a[2] > b[2]:
            left_due, left = a[2] - 1, a[1]
        elif b[2]:
            right_due, right = b[2] - 1, b[0]
        else:
            return True


def longest_first(word: str, splits: Splits, merges: Sequence[tuple[str, str]]) -> list[str] | None:
    """The pieces of a word, None where no row of the pieces in ``splits`` is what merging gives."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    row: list[str] = []
    dead: set[int] = set()  # places where no piece ends
    offset, longest = 0, len(word)
    while offset < len(word):
        for length in range(longest, 0, -1):
            piece = word[offset : offset + length]
            if piece not in splits or offset + length in dead:
                continue
            if not row or joins(row[-1], piece, splits, ranks):
                row.append(piece)
                offset, longest = offset + length, len(word) - offset - length
                break
        else:
            if not row:
                return None
            dead.add(offset)
            longest = len(row[-1]) - 1
            offset -= len(row.pop())
    return row
