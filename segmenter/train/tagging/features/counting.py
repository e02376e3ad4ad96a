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
    from segmenter.kernels import _train
    from segmenter.lexicon.builder import trie_of
    from segmenter.lexicon.characters import CharTable, code_points

    known = sorted(words)
    if not known:
        return {}
    table = CharTable({c: 1.0 for w in known for c in w}, "default")
    units, slots = trie_of(table, table.encode(known))
    word_of_slot = np.full(len(units), -1, np.int32)
    word_of_slot[slots] = np.arange(len(known), dtype=np.int32)
    codes, starts = code_points(map("".join, sentences))
    found = _train.count_occurrences(
        units, len(table.classes), word_of_slot, table.ids_of(codes), starts,
        np.zeros(len(sentences), np.uint8), 1, len(known),
    )  # fmt: skip
    return dict(zip(known, np.frombuffer(found, np.int32).tolist(), strict=True))
