"""The further lexicons of the shipped taggers: word lists, another corpus, the words of dicts/."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from recipes.packages import installed
from recipes.word_lists import read_cutword, read_jieba, read_thuocl
from segmenter.files.reading import read_lines
from segmenter.kernels import _train
from segmenter.lexicon.builder import trie_of
from segmenter.lexicon.characters import CharTable, code_points
from segmenter.text.chars import fold_str
from segmenter.train.tagging import model as form
from segmenter.train.tagging.features import FeatureSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LEAST = 4  # occurrences: rarer words of jieba contradict the corpus
LEFT_OUT = ("words-text.tsv", "words-jieba.tsv", "words-own.tsv")


def word_source(further: Iterable[str], terms: Iterable[str]) -> FeatureSource:
    """Word lists as a source: words of other lists (state 1), of jieba's (2), the terms (3)."""
    states = {w: 1 for w in map(fold_str, further) if 2 <= len(w) <= form.MAX_WORD}
    jieba = read_jieba(installed("jieba", "dict.txt"))
    states.update((w, 2) for w, listed in jieba.items() if listed.count >= LEAST)
    states.update((w, 3) for w in terms)
    return FeatureSource("lists", states, 3, 2, 1)


def count_strings(sentences: Sequence[Sequence[str]], words: set[str]) -> dict[str, int]:
    """How often each string of ``words`` occurs in the text, as a word or across words.

    >>> count_strings([["他", "不", "能"], ["不能"]], {"不能"})
    {'不能': 2}
    """
    strings = sorted(words)
    if not strings:
        return {}
    table = CharTable({c: 1.0 for w in strings for c in w}, "default")
    units, slots = trie_of(table, table.encode(strings))
    word_of_slot = np.full(len(units), -1, np.int32)
    word_of_slot[slots] = np.arange(len(strings), dtype=np.int32)
    codes, starts = code_points(map("".join, sentences))
    occurrences = _train.count_occurrences(
        units, len(table.classes), word_of_slot, table.ids_of(codes), starts,
        np.zeros(len(sentences), np.uint8), 1, len(strings),
    )  # fmt: skip
    return dict(zip(strings, np.frombuffer(occurrences, np.int32).tolist(), strict=True))


def corpus_source(name: str, sentences: Sequence[Sequence[str]]) -> FeatureSource:
    """Another segmented corpus as a source: how its own text treats each word.

    States 1 to 5: its string is there but no word (or once only); a word less than one time in
    five; less than four in five; nearly always, seldom; nearly always, five times and more.
    """
    count = Counter(w for words in sentences for w in words if 2 <= len(w) <= form.MAX_WORD)
    repeated = {w for w, n in count.items() if n > 1}
    occurrences = count_strings(sentences, repeated)
    states: dict[str, int] = {}
    for w in repeated:
        rate = count[w] / max(1, occurrences[w])
        states[w] = 2 if rate < 0.2 else 3 if rate < 0.8 else 4 if count[w] < 5 else 5
    return FeatureSource(name, states, 5, 3, 2)


def long_lists(folder: Path) -> set[str]:
    """Words of cutword's list and of THUOCL (in ``folder/thuocl``), without its lines of poems."""
    thuocl = read_thuocl(folder / "thuocl")
    cutword = read_cutword(installed("cutword", "dict.txt"))
    return {*cutword, *(w for w, listed in thuocl.items() if listed.tag != "poem")}


def dict_words(folder: Path) -> set[str]:
    """The words of 2 to 8 characters that ``dicts/<standard>/`` took from the lists of others.

    Not those of jieba's list, which is a source itself, nor those of the texts.
    """
    paths = [p for p in sorted(folder.glob("words-*.tsv")) if p.name not in LEFT_OUT]
    words = {fold_str(line.partition("\t")[0]) for p in paths for _, line in read_lines(p)}
    return {w for w in words if 2 <= len(w) <= form.MAX_WORD}
