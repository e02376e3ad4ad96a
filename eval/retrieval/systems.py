"""The measured systems: an engine with a kind of tokens."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import segmenter as seg
from segmenter.search import SearchOptions
from segmenter.text.chars import fold_str

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    Tokens = Callable[[str], list[tuple[str, int, int]]]  # term, first and last character
    Find = Callable[[str], set[int]]


class Built(NamedTuple):
    find: Find
    size: int
    seconds: float


class System(NamedTuple):
    engine: str
    name: str
    build: Callable[[list[str], ExitStack], Built]


def grams(n: int) -> Tokens:
    def tokens(text: str) -> list[tuple[str, int, int]]:
        text = fold_str(text)
        rows = ((text[i : i + n], i, i + n) for i in range(len(text) - n + 1))
        return [row for row in rows if row[0].isalnum()]

    return tokens


def jieba_tokens() -> Tokens | None:
    try:
        import jieba
    except ImportError:
        return None
    jieba.setLogLevel(60)
    jieba.initialize()  # no part of a build
    return lambda text: [
        row for row in jieba.tokenize(fold_str(text), mode="search") if row[0][0].isalnum()
    ]


def peers() -> Iterator[tuple[str, Tokens, bool]]:
    """Name, tokens, and whether a query is the phrase of its tokens (or all of them anywhere)."""
    yield "bigrams", grams(2), True
    yield "trigrams", grams(3), True
    words_of_jieba = jieba_tokens()
    if words_of_jieba is not None:
        yield "jieba", words_of_jieba, False


def ours() -> Iterator[tuple[str, seg.Segmenter, SearchOptions | None]]:
    yield "ours", seg.load(), None
    yield "ours, runs='split'", seg.load(), SearchOptions(runs="split")
    yield "ours, decoder='unigram'", seg.load(decoder="unigram"), None


def timed(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def folder_of(stack: ExitStack) -> str:
    folder = tempfile.mkdtemp()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def bytes_in(folder: str) -> int:
    return sum(
        os.path.getsize(Path(at) / name) for at, _, names in os.walk(folder) for name in names
    )
