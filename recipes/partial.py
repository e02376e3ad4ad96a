"""Partly labelled text for the shipped taggers: written sentences, gold of other conventions.

Sentences are :class:`segmenter.train.partial.Partly`; ``fold`` folds a text to the characters of
the models (``Predictor.fold``), one for one.
"""

from __future__ import annotations

import random
import re
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.train.corpus import folded
from segmenter.train.partial import Partly

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.uint8]
    Fold = Callable[[str], str]
    Cut = Callable[[str], list[str]]

#: The conventions of ``shared/gold``.
GOLD = ("ctb", "sxu", "msr", "weibo", "ud", "wtb", "sinica")
#: Further gold that is evidence for ``general`` alone: spoken Cantonese and classical text.
MORE_GOLD = ("hkcancor", "kyoto")
OPEN = 2  # the label of an open boundary
LONGEST = 300  # characters; longer lines of gold are several sentences
WRITTEN = Path(__file__).resolve().parent / "written"


def ends_of(words: Iterable[str]) -> Array:
    """1 at the last character of each word, 0 elsewhere.

    >>> ends_of(["的", "确实"]).tolist()
    [1, 0, 1]
    """
    lengths = np.array([len(w) for w in words], np.int64)
    ends = np.zeros(int(lengths.sum()), np.uint8)
    ends[np.cumsum(lengths) - 1] = 1
    return ends


def labels_of(sentence: Partly) -> Array:
    """1 at the last character of each word, :data:`OPEN` where a boundary is open, else 0.

    >>> labels_of(Partly(["的", "确实"], [1])).tolist()
    [1, 2, 1]
    """
    labels = ends_of(sentence.words)
    labels[np.array(sentence.unsure, np.int64)] = OPEN
    return labels


def words_of(text: str, ends: Array) -> list[str]:
    """The words that end where ``ends`` is 1; the last one ends with the text.

    >>> words_of("的确实", np.array([1, 0, 1], np.uint8))
    ['的', '确实']
    """
    stops = [*(np.flatnonzero(ends[:-1]) + 1).tolist(), len(text)]
    return [text[a:b] for a, b in zip([0, *stops], stops, strict=False)]


def read_written(fold: Fold, folder: Path = WRITTEN) -> list[Partly]:
    """The written sentences; ``written/README.md`` has their form.

    Raises:
        DictionaryError: a slash or a blank beside another, or at the end of a line.
    """
    sentences: list[Partly] = []
    for path in sorted(folder.glob("*.txt")):
        for number, line in read_lines(path):
            pieces, marks = re.split("[ /]", line), re.findall("[ /]", line)
            if len(line) > 1 and not all(pieces):
                raise DictionaryError(str(path), number, f"{line!r} has an empty word")
            stops = accumulate(map(len, pieces))
            unsure = [stop - 1 for stop, mark in zip(stops, marks, strict=False) if mark == "/"]
            if len(line) > 1:
                sentences.append(Partly(folded(line.replace("/", "").split(" "), fold), unsure))
    return sentences


def read_gold(path: Path) -> list[list[str]]:
    """Segmented text, as it stands: one sentence per line, words separated by blanks."""
    return [line.split() for _, line in read_lines(path) if line.strip()]


def project(gold: Iterable[Sequence[str]], cut: Cut, fold: Fold) -> Iterator[Partly]:
    """Partial labels from the gold of another convention, projected onto our own cut.

    Boundaries that it shares with our own cut are sure, and so is what both leave whole.  Between
    two neighbouring shared boundaries either one cuts finer than the other, which is convention and
    left open, or words overlap, which no convention explains: there the gold decides.

    >>> ours = {"他才能终于": ["他", "才能", "终于"]}.__getitem__
    >>> [x] = project([["他", "才", "能", "终于"]], ours, str)
    >>> x.words, x.unsure
    (['他', '才能', '终于'], [1])
    """
    for words in gold:
        text = "".join(words)
        if not 2 <= len(text) <= LONGEST:
            continue
        theirs, ours = ends_of(words), ends_of(cut(text))
        labels, unsure = ours.copy(), []
        begin = 0
        for end in (np.flatnonzero(theirs & ours) + 1).tolist():
            span = slice(begin, end - 1)
            if theirs[span].any() and ours[span].any():
                labels[span] = theirs[span]
            else:
                unsure += (begin + np.flatnonzero(theirs[span] | ours[span])).tolist()
            begin = end
        yield Partly(words_of(fold(text), labels), unsure)


_ORDINAL = re.compile("第[〇零一二三四五六七八九十百千万0-9０-９]{2,}")
PARTICLES = ("啊", "吧", "呢")
_STOPS = "。！？"


def with_particles(text: Iterable[Partly], share: float) -> Iterator[Partly]:
    """Adds a particle before the stop of some sentences: the words before must not depend on it.

    ``share`` is that of the sentences that end with a stop and no particle.

    >>> [x.words for x in with_particles([Partly(["他", "来", "。"])], 1.0)]
    [['他', '来', '呢', '。']]
    """
    rng = random.Random(5)
    for sentence in text:
        words = sentence.words
        ends = len(words) > 2 and words[-1] in _STOPS and words[-2] not in PARTICLES
        if ends and rng.random() < share:
            particle = PARTICLES[int(rng.random() * len(PARTICLES))]
            yield Partly([*words[:-1], particle, words[-1]], sentence.unsure)
        else:
            yield sentence


class OwnWords:
    """Words of the project's list, made whole where labels have a boundary at both of their ends.

    Teachers divide words that they do not know, and what a tagger learns from them would outweigh
    the list.  Ordinals are made whole like them: 第二百六十六.

    >>> OwnWords({"微信"}, str).joined(Partly(["发", "微", "信"]), False).words
    ['发', '微信']
    """

    def __init__(self, words: Collection[str], fold: Fold) -> None:
        import ahocorasick

        self._fold = fold
        self._automaton = ahocorasick.Automaton()
        for word in words:
            self._automaton.add_word(word, word)
        self._automaton.make_automaton()

    def in_text(self, text: str) -> Iterator[tuple[int, str]]:
        """The words that occur in a text, folded, with the number of their last character."""
        yield from self._automaton.iter(self._fold(text))

    def joined(self, sentence: Partly, leave_open: bool) -> Partly:
        """A sentence with its words of the list whole.

        With ``leave_open`` the boundaries inside become open (gold of another convention)
        instead of none (labels of `best`).
        """
        line = sentence.text
        ends, unsure = ends_of(sentence.words), set(sentence.unsure)
        places = [(stop - len(word) + 1, stop) for stop, word in self.in_text(line)]
        places += ((match.start(), match.end() - 1) for match in _ORDINAL.finditer(line))
        for first, last in sorted(places, key=lambda x: x[0] - x[1]):
            has_edges = (first == 0 or ends[first - 1]) and ends[last]
            if not has_edges or not ends[first:last].any():
                continue
            if leave_open:
                unsure |= {i for i in range(first, last) if ends[i]}
            else:
                ends[first:last] = 0
                unsure -= set(range(first, last))
        return Partly(words_of(line, ends), sorted(unsure))
