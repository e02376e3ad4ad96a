"""Accessor variety: evidence for words in the strings of a text.

A word occurs between many different characters; a part of a word does not.  The
accessor variety of a string (Feng, Chen, Deng and Zheng 2004) is the smaller of the numbers of
different characters before and after it; as a feature of a tagger it needs no word list and no
segmentation (Zhao and Kit 2008), so the closed track allows it.

>>> accessor_varieties(["我爱北京", "他去北京市", "到北京的车"], longest=2, least=3)
{'北京': 3}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.choices import check_whole
from segmenter.text import chars
from segmenter.train.tagging.features import FeatureSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

#: The least variety of each state: 1, 2, …
STEPS = (2, 3, 5, 8, 16, 40)
LONGEST = 5


def accessor_varieties(
    texts: Sequence[str], longest: int = LONGEST, least: int = STEPS[0]
) -> dict[str, int]:
    """The accessor variety of every string of Han characters.

    Args:
        texts: folded sentences; their beginnings and ends count as one character each.
        longest: maximum length of a string, in characters; the minimum is 2.
        least: strings of a smaller variety are left out.

    Raises:
        ArgumentError: ``longest`` or ``least`` out of range.
    """
    check_whole("longest", longest, 2)
    check_whole("least", least, 1)
    text = "\n".join(["", *texts, ""])
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    unique, char_ids = np.unique(codes, return_inverse=True)
    size = len(unique)
    classes = np.array([chars.char_class(c) for c in unique.tolist()])
    char_is_han = np.isin(classes, (chars.HAN, chars.HANNUM))[char_ids]
    varieties: dict[str, int] = {}
    string_ids, is_han = char_ids, char_is_han  # of the string that begins at each place
    for length in range(2, longest + 1):
        places = max(0, len(codes) - length + 1)
        is_han = is_han[:places] & char_is_han[length - 1 :]
        string_ids = string_ids[:places] * size + char_ids[length - 1 :]
        string_ids = np.unique(string_ids, return_inverse=True)[1]  # small numbers again
        begins = np.flatnonzero(is_han)  # never the first or the last place: those are line ends
        _, first, number = np.unique(string_ids[begins], return_index=True, return_inverse=True)
        before, after = char_ids[begins - 1], char_ids[begins + length]
        variety = np.minimum(_different(number, before, size), _different(number, after, size))
        for k in np.flatnonzero(variety >= least).tolist():
            begin = int(begins[first[k]])
            varieties[text[begin : begin + length]] = int(variety[k])
    return varieties


def _different(string: Array, neighbour: Array, size: int) -> Array:
    """How many different neighbours (below ``size``) each string (0, 1, …) has."""
    pairs = np.unique(string.astype(np.int64) * size + neighbour)
    return np.bincount(pairs // size)


def string_source(sentences: Sequence[Sequence[str]]) -> FeatureSource:
    """The strings of a text as a source of features; its segmentation is ignored.

    A string's state is the number of :data:`STEPS` that its variety reaches.

    Args:
        sentences: folded words.
    """
    varieties = accessor_varieties(["".join(words) for words in sentences])
    reached = np.searchsorted(STEPS, list(varieties.values()), side="right").tolist()
    states = dict(zip(varieties, reached, strict=True))
    return FeatureSource("strings", states, len(STEPS), len(STEPS) - 1, 1)
