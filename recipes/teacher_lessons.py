"""What the teacher learns from, in the order in which it learns.

Gold of every convention as it stands and as evidence for ``general``; the newspaper, the written
sentences and some raw text for ``general``.  Most of it is scored by a linear tagger that has not
learnt it (stacking, Wolpert 1992): a tagger is surer of its own training text than of any other,
and a teacher that sees only that learns to trust it.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recipes import linear, partial, votes
from recipes.teacher import GENERAL, Crf, Reader, Row, Text, batches, make_batch
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
#: How much is learnt of a convention's own gold, and of the newspaper.
SHARE, NEWSPAPER = 0.4, 0.11
#: Small conventions, of whose own gold twice as much is learnt.
SMALL = frozenset({"ud", "wtb", "sinica"})
#: A projected sentence of which the linear tagger loses more nats is always learnt; how much of the
#: others.
HARD, EASY_SHARE = 0.3, 0.17
RAW = 20_000  # sentences of raw text
#: When the last of a text is learnt, as a share of the whole: the end is mostly gold.
LATEST = {"newspaper": 0.9, "raw": 0.55}
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
        path = self.work.folder / f"half-{half}.model"
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
    gold = partial.read_gold(work.shared / "gold" / name / "train.txt")
    return [words for words in gold if 2 <= len("".join(words)) <= LONGEST]


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
    rows: list[tuple[float, Row]] = []

    def add(kind: str, convention: str, given: Sentence) -> None:
        tagger = balanced if kind == "raw" else halves.stranger(given.text)
        when = rng.random() * LATEST.get(kind, 1.0)
        rows.append((when, Row(convention, *given, tagger)))

    for name in partial.GOLD:
        gold = gold_of(work, name)
        share = SHARE * 2 if name in SMALL else SHARE
        for words in gold:
            if rng.random() < share:
                add("own", name, sentence(words))
        found = [sentence(*x) for x in partial.project(gold, accurate, str)]
        projected = [Row(GENERAL, *x, halves.stranger(x.text)) for x in found]
        hard = linear_loss(reader, reader.columns(projected)) > HARD
        print(f"{name}: {len(found)} sentences, {hard.mean():.3f} of them hard", flush=True)
        for is_hard, x in zip(hard, found, strict=True):
            if is_hard or rng.random() < EASY_SHARE:
                add("projected", GENERAL, x)
    for part in ("train_jan.txt", "train_feb.txt"):
        for words in partial.read_gold(work.general() / part):
            if 2 <= len("".join(words)) <= LONGEST and rng.random() < NEWSPAPER:
                add("newspaper", GENERAL, sentence(words))
    for written in partial.read_written(str):
        add("written", GENERAL, sentence(*written))
    lattice = load_segmenter("fast", decoder="bigram").cut
    for line in agreed(sampled(work, RAW), [accurate, balanced.cut, lattice]):
        add("raw", GENERAL, sentence(*line))
    rows.sort(key=lambda row: row[0])
    text = reader.columns(row for _, row in rows)
    print(f"{len(rows)} sentences, {text.offsets[-1]} characters", flush=True)
    with WholeFile(out) as file:
        np.savez(file, **text._asdict(), trans=reader.trans, start=reader.start)


def linear_loss(reader: Reader, text: Text) -> Array:
    """Nats that the linear taggers alone lose on each sentence."""
    crf = Crf(reader.trans, reader.start)
    found = np.zeros(len(text.convention))
    for of in batches(text, np.arange(len(text.convention)), 20_000, 100_000):
        batch = make_batch(text, of)
        found[of] = crf.loss(batch.linear.transpose(0, 1), batch).numpy()
    return found
