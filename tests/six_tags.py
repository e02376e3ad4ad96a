"""Taggers of six tags, as the HMM of jieba is one, made of taggers of four."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.train.tagging.scheme import FOUR, SIX, allowed

if TYPE_CHECKING:
    from segmenter.train.tagging.model import LinearModel

#: The tag of four that each of the six has its scores from: the second and third are inner ones.
FROM = [FOUR.index("M" if name.startswith("B") and name != "B" else name) for name in SIX]


def widened(model: LinearModel) -> LinearModel:
    """The same tagger with six tags: every cut has the score that it had with four."""

    def last(table: Any) -> Any:
        return table[..., FROM]

    trans = np.zeros((6, 6))
    for a, b in product(range(6), repeat=2):
        if allowed(SIX[a], SIX[b]):
            trans[a, b] = model.trans[FROM[a], FROM[b]]
    tables = ("start", "uni", "bi", "match", "state", "types")
    return replace(model, tags=6, trans=trans, **{t: last(getattr(model, t)) for t in tables})
