"""Strings of a text counted, whether they are words there or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def count_strings(sentences: Sequence[Sequence[str]], words: set[str]) -> dict[str, int]:
    """How often each string of ``words`` occurs in the text, as a word or across words.

    >>> count_strings([["他", "不", "能"], ["不能"]], {"不能"})
    {'不能': 2}
    """
    from segmenter.kernels import _face
    from segmenter.lexicon.characters import CharTable

    known = sorted(words)
    if not known:
        return {}
    table = CharTable({c: 1.0 for w in known for c in w}, "default")
    ids, offsets = table.encode(known)
    units_raw, slots = _face.build_trie(
        ids,
        offsets,
        np.zeros(len(known), np.uint16),
        np.ones(len(known), np.uint64),
        len(table.classes),
        0,
    )
    units = np.frombuffer(units_raw, np.uint64)
    word_of_slot = np.full(len(units), -1, np.int32)
    word_of_slot[np.frombuffer(slots, np.uint32)] = np.arange(len(known), dtype=np.int32)
    texts = ["".join(s) for s in sentences]
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(t) for t in texts], out=starts[1:])
    raw = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    unique, inverse = np.unique(raw, return_inverse=True)
    entry = np.array([table.entry(int(cp)) & 0x7FFF for cp in unique], np.uint16)
    found = np.frombuffer(
        _face.count_occurrences(
            units, len(table.classes), word_of_slot, entry[inverse], starts,
            np.zeros(len(texts), np.uint8), 1, len(known),
        ),
        np.int32,
    )  # fmt: skip
    return dict(zip(known, found.tolist(), strict=True))
