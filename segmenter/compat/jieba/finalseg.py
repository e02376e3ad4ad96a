"""``jieba.finalseg``: words among the characters that no dictionary word covers, by jieba's HMM.

>>> list(cut("杭研"))
['杭研']

The model's file, ``finalseg.model``, holds jieba's probabilities (``dicts/make_finalseg.py``).
"""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING

from segmenter.compat.jieba.texts import text_of
from segmenter.core import Segmenter
from segmenter.tagging.predictor import Predictor

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Words that :func:`cut` splits into characters.
Force_Split_Words: set[str] = set()

re_han = re.compile("([\u4e00-\u9fd5]+)")
re_skip = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")


@functools.cache
def model() -> Predictor:
    """jieba's HMM as a tagger of this package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "finalseg.model")
    return Predictor.open(path, variants=False)


@functools.cache
def _segmenter() -> Segmenter:
    return Segmenter(None, decoder="hmm", tagger=model())


def add_force_split(word: str) -> None:
    """Have :func:`cut` split a word into characters."""
    Force_Split_Words.add(word)


def cut(sentence: str | bytes) -> Iterator[str]:
    """The words of a sentence by the HMM alone."""
    for block in re_han.split(text_of(sentence)):
        if not re_han.match(block):
            yield from filter(None, re_skip.split(block))
            continue
        for word in _segmenter().cut(block):
            if word in Force_Split_Words:
                yield from word
            else:
                yield word


__all__ = ["Force_Split_Words", "add_force_split", "cut", "model"]
