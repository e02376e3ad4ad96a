"""Marks that a tagger reads as ends of a text: splitting at them, and their rows in a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.scheme import FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MARKS = '，。！？；："“”‘’「」『』'  # folded


def between_marks(words: Sequence[str], marks: str) -> tuple[list[str], int]:
    """A sentence with a mark at both ends, and how many characters were put before it.

    >>> between_marks(["他", "来", "！"], "。！")
    (['。', '他', '来', '！'], 1)
    """
    before = [] if words[0] in marks else [marks[0]]
    after = [] if words[-1] in marks else [marks[0]]
    return [*before, *words, *after], len(before)


def count_before(text: str, marks: str) -> dict[str, int]:
    """How often each pair of a character and a mark occurs in a text.

    >>> count_before("他来。你来！来。", "。！")
    {'来。': 2, '来！': 1}
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    i = np.flatnonzero(np.isin(codes[1:], [ord(c) for c in marks]))
    pairs = codes[i].astype(np.uint64) << np.uint64(32) | codes[i + 1]
    keys, counts = np.unique(pairs, return_counts=True)
    return {
        chr(int(k) >> 32) + chr(int(k) & 0xFFFFFFFF): n
        for k, n in zip(keys, counts.tolist(), strict=True)
    }


def with_marks(model: form.LinearModel, marks: str, counts: Mapping[str, int]) -> form.LinearModel:
    """A model that has learnt marks as the end of the text, with rows for each of them.

    The end of the text has the row of the class ``<other>``, pairs of its own, and no transition;
    here every mark gets the same row and pairs.  The transition into a mark is the same from all
    tags, its difference shifted to where a word begins: no path of a whole text gains by it.

    Args:
        model: trained on sentences of :func:`between_marks` in a space with these marks.
        counts: of :func:`count_before`; they order the compiled rows.
    """
    single = FOUR.index("S")
    end = model.uni[model.chars.index(form.generic_name(chars.OTHER))]
    keep = [i for i, c in enumerate(model.chars) if c not in marks]
    at_end = [i for i, p in enumerate(model.pairs) if p[1] == form.END]
    into_mark = np.where([allowed(name, "S") for name in FOUR], model.trans[:, single], 0.0)
    pairs = [model.pairs[i][0] + c for c in marks for i in at_end]
    trans = model.trans - into_mark[:, None] + into_mark[None, :]
    types = model.types.reshape(8, 8, 8, -1).copy()  # before, here, after
    mark = form.char_type(ord(marks[0]))
    types[0] = types[mark]
    types[:, :, 0] = types[:, :, mark]
    return replace(
        model,
        start=trans[single].copy(),
        trans=trans,
        chars=[*(model.chars[i] for i in keep), *marks],
        uni=np.concatenate([model.uni[keep], np.repeat(end[None], len(marks), axis=0)]),
        pairs=[*model.pairs, *pairs],
        bi=np.concatenate([model.bi, np.tile(model.bi[at_end], (len(marks), 1, 1))]),
        pair_counts=np.concatenate(
            [model.pair_counts, np.array([counts.get(p, 1) for p in pairs], np.int64)]
        ),
        types=types.reshape(model.types.shape),
        meta={**model.meta, "marks": marks},
    )
