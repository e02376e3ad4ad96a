"""The further lexicons of the shipped taggers: word lists, another corpus, the words of dicts/."""

from __future__ import annotations

import os
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


def word_source(
    path: str | os.PathLike[str],
    further: Iterable[str] = (),
    terms: Iterable[str] = (),
    least: int = 4,
) -> FeatureSource:
    """Word lists as a source.

    Args:
        path: jieba's ``dict.txt`` (MIT): state 2, words of at least ``least`` occurrences.
        further: words of other lists: state 1.
        terms: the project's own list of words of today: state 3.
        least: rarer words of jieba are left out (naively added they contradict the corpus).
    """
    states = {w: 1 for w in map(fold_str, further) if 2 <= len(w) <= form.MAX_WORD}
    states.update((w, 2) for w, listed in read_jieba(path).items() if listed.count >= least)
    states.update((w, 3) for w in terms)
    return FeatureSource("lists", states, 3, 2, 1)


def count_strings(sentences: Sequence[Sequence[str]], words: set[str]) -> dict[str, int]:
    """How often each string of ``words`` occurs in the text, as a word or across words.

    >>> count_strings([["他", "不", "能"], ["不能"]], {"不能"})
    {'不能': 2}
    """
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


def corpus_source(name: str, sentences: Sequence[Sequence[str]]) -> FeatureSource:
    """Another segmented corpus as a source: how its own text treats each word.

    States 1 to 5: its string is there but no word (or once only); a word less than one time in
    five; less than four in five; nearly always, seldom; nearly always, five times and more.
    """
    count: Counter[str] = Counter()
    for words in sentences:
        count.update(w for w in words if 2 <= len(w) <= form.MAX_WORD)
    known = {w for w, n in count.items() if n > 1}
    seen = count_strings(sentences, known)
    states: dict[str, int] = {}
    for w in known:
        rate = count[w] / max(1, seen[w])
        states[w] = 2 if rate < 0.2 else 3 if rate < 0.8 else 4 if count[w] < 5 else 5
    return FeatureSource(name, states, 5, 3, 2)


def long_lists(folder: str | os.PathLike[str]) -> set[str]:
    """Words of cutword's list and of THUOCL (without its lines of poems).

    Args:
        folder: holds ``thuocl/``; the package cutword must be installed (it is not imported, only
            its list is read).
    """
    words: set[str] = set(read_cutword(installed("cutword", "dict.txt")))
    return words | {
        w
        for w, listed in read_thuocl(os.path.join(folder, "thuocl")).items()
        if listed.tag != "poem"
    }


def dict_words(folder: str | os.PathLike[str]) -> set[str]:
    """The words of 2 to 8 characters that ``dicts/<standard>/`` took from the lists of others.

    Not those of jieba's list, which is a source itself, nor those of the texts.
    """
    words: set[str] = set()
    for entry in sorted(os.listdir(folder)):
        if not (entry.startswith("words-") and entry.endswith(".tsv")):
            continue
        if entry in ("words-text.tsv", "words-jieba.tsv", "words-own.tsv"):
            continue
        lines = read_lines(os.path.join(folder, entry))
        words.update(fold_str(line.partition("\t")[0]) for _, line in lines)
    return {w for w in words if 2 <= len(w) <= form.MAX_WORD}
