"""The rules of the package jieba, for ``profile="jieba"`` (``post_edit.hpp``)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from segmenter.lattice.dag import Edge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter.lattice.dag import WordDag
    from segmenter.lattice.steps import Path


def unigram_from_left(dag: WordDag) -> Path:
    """The path of least cost; equal ones compare from the left, and the longer word wins.

    The recursion of the package jieba, from right to left.
    """
    n = len(dag.text)
    rest: list[float] = [math.inf] * n + [0]
    step: list[Edge | None] = [None] * n
    for k in reversed(range(n)):
        for edge in dag.starting(k):  # shortest first
            if rest[edge.end] + edge.cost <= rest[k]:
                rest[k] = rest[edge.end] + edge.cost
                step[k] = edge
    path: Path = []
    k = 0
    while k < n and (edge_ := step[k]) is not None:
        path.append(edge_)
        k = edge_.end
    return path


def join_letters(path: Path, text: str) -> Path:
    """Joins adjacent words of one ASCII letter or digit."""
    words_out: Path = []
    letters = False
    for edge in path:
        c = text[edge.start : edge.end]
        letter = len(c) == 1 and c.isascii() and c.isalnum()
        if letter and letters:
            words_out[-1] = Edge(words_out[-1].start, edge.end, 0, "latin")
        else:
            words_out.append(edge)
        letters = letter
    return words_out


_JIEBA_BLOCK = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._%\-]")
_JIEBA_HAN = re.compile("([\u4e00-\u9fd5]+)")
_JIEBA_TOKEN = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")


def guessed_as_jieba(
    words: Sequence[str], is_word: Callable[[str], bool], tagger: Callable[[str], list[str]]
) -> list[str]:
    """The words that the package jieba gives with ``HMM=True``; see ``post_edit.hpp``.

    Args:
        words: of the best path, with single letters and digits.
        is_word: whether the dictionary has a word.
        tagger: cuts a stretch of Han characters.
    """
    words_out: list[str] = []
    run = ""
    for word in [*words, ""]:
        if len(word) == 1 and _JIEBA_BLOCK.fullmatch(word):
            run += word
            continue
        if len(run) == 1 or is_word(run):
            words_out += run
        else:
            for part in _JIEBA_HAN.split(run):
                words_out += tagger(part) if _JIEBA_HAN.match(part) else _JIEBA_TOKEN.split(part)
        words_out.append(word)
        run = ""
    return [word for word in words_out if word]
