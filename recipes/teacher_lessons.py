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
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from recipes import entities, measure_words, partial, raw
from recipes.general_text import general_national
from recipes.national import read_national
from recipes.teacher import (
    AS,
    GENERAL,
    NATIONAL,
    PARTS,
    PKU,
    SINICA,
    Columns,
    Crf,
    Pieces,
    Reader,
    Row,
    Text,
    batches,
)
from recipes.work import half_of
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recipes.partial import OwnWords
    from recipes.work import Work

    Array = NDArray[Any]
    Sentence = tuple[str, Array, Array]  # text without blanks, its words' ends, the open ones

SEED = 11
LONGEST = 190  # characters of a sentence
#: Shares of the gold of each convention that are learnt unchanged.
GOLD = {"ctb": 0.8, "sxu": 0.8, "msr": 0.8, "weibo": 0.8, "ud": 1.0, "wtb": 1.0, "sinica": 1.0}
HARD = 0.3  # nats of loss from which a sentence of gold is evidence for ``general``
EASY = 0.1  # share of the other sentences
#: Shares of the newspaper by the bakeoff's convention and ours, of the national corpus by its own
#: and ours.
NEWSPAPER_PKU, NEWSPAPER, NATIONAL_OWN, NATIONAL_OURS = 0.6, 0.3, 0.04, 0.08
UNCROSSED = 0.5  # share of the sentences in which no system crosses an entity
RAW = 700  # sentences of each raw file
OWN = 3  # raw sentences for each word of the project's own list


def sentence(words: Sequence[str], unsure: Iterable[int] = ()) -> Sentence:
    """A segmented sentence; what is inside a Latin word or a number is open, since atoms decide it.

    >>> [x.tolist() for x in sentence(["用", "C", "D"], [0])[1:]]
    [[1, 1, 1], [1, 1, 0]]
    """
    text = "".join(words)
    atomic = np.array([c.isascii() and (c.isalnum() or c in ".,%") for c in text])
    opens = np.zeros(len(text), np.uint8)
    opens[:-1] = atomic[:-1] & atomic[1:]
    opens[list(unsure)] = 1
    return text, partial.ends_of(words), opens


def short_enough(text: Iterable[list[str]]) -> Iterator[list[str]]:
    """The sentences that are not too long."""
    return (words for words in text if 2 <= sum(map(len, words)) <= LONGEST)


def lessons(work: Work) -> None:
    """The stage: columns of all texts, the part of each sentence, and the tagger's transitions."""
    shared, rng = work.shared, random.Random(SEED)
    halves = [work.tagger(f"half-{half}") for half in range(2)]
    first, lattice, ctb = work.tagger("first"), work.lattice().cut, work.tagger("ctb").cut
    reader = Reader(shared / "encoder", first)
    own_words = partial.OwnWords(work.materials.terms, reader.fold)
    rows: list[Row] = []
    part_of: list[int] = []

    def stranger(text: str) -> Any:
        return halves[1 - half_of(reader.fold(text))]

    def add(convention: str, labelled: Sentence, share: float = 1.0, raw: bool = False) -> None:
        times = int(share + rng.random())
        if times:
            tagger = first if raw else stranger(labelled[0])
            rows.extend([Row(convention, *labelled, tagger)] * times)

    def close(part: str) -> None:
        part_of.extend([PARTS.index(part)] * (len(rows) - len(part_of)))

    def read_gold(name: str) -> Iterator[list[str]]:
        return short_enough(partial.read_gold(shared / "gold" / name / "train.txt"))

    for name, share in GOLD.items():
        for words in read_gold(name):
            add(name, sentence(words), share)
            if name == SINICA:
                add(AS, sentence(measure_words.parted(words, ctb)), share)
    close("gold")
    for name in (*GOLD, *partial.MORE_GOLD):
        projected = partial.project(read_gold(name), first.cut, str)
        evidence = [sentence(*own_words.joined(x, leave_open=True)) for x in projected]
        columns = reader.columns([Row(GENERAL, *x, stranger(x[0])) for x in evidence])
        hard = linear_loss(reader, columns) > HARD
        for is_hard, labelled in zip(hard, evidence, strict=True):
            add(GENERAL, labelled, 1.0 if is_hard else EASY)
    close("evidence")
    newspaper: list[list[str]] = []
    for month in ("train_jan.txt", "train_feb.txt"):
        newspaper += partial.read_gold(work.general / month)
        for words in short_enough(partial.read_gold(shared / "pku" / month)):
            add(PKU, sentence(words), NEWSPAPER_PKU)
    for words in short_enough(newspaper):
        add(GENERAL, sentence(words), NEWSPAPER)
    close("newspaper")
    for words in short_enough(read_national(shared / "national" / "segmented.txt")):
        add(NATIONAL, sentence(words), NATIONAL_OWN)
    for words in short_enough(general_national(shared, newspaper)):
        add(GENERAL, sentence(words), NATIONAL_OURS)
    close("national")
    for row in partial.read_written(str):
        add(GENERAL, sentence(*row))
    close("written")
    for part, edges_alone in (("entities", False), ("edges", True)):
        for marked in entities.read(shared / "ner"):
            parts, crossed = entities.partly(marked, [first.cut, lattice], edges_alone)
            for joined in (own_words.joined(x, leave_open=edges_alone) for x in parts):
                if len(joined.text) <= LONGEST:
                    add(GENERAL, sentence(*joined), 1.0 if crossed else UNCROSSED)
        close(part)
    for line in sampled(shared / "raw", own_words):
        parts, _ = entities.partly(entities.Marked("", line, []), [first.cut, lattice])
        for joined in (own_words.joined(x, leave_open=False) for x in parts):
            add(GENERAL, sentence(*joined), raw=True)
    close("raw")
    text = reader.columns(rows)
    print(f"{len(rows)} sentences, {text.offsets[-1]} characters", flush=True)
    with WholeFile(work.folder / "lessons.npz") as file:
        np.savez(
            file,
            **text._asdict(),
            part=np.array(part_of, np.uint8),
            trans=reader.trans,
            start=reader.start,
            marks=reader.marks,
        )


def sampled(folder: Path, own_words: OwnWords) -> Iterator[str]:
    """Raw text without old Chinese: some of each file, and some for each word of our list."""
    counts: Counter[str] = Counter()
    word_counts: Counter[str] = Counter()
    for line in raw.sample(folder):
        if line.source in raw.OLD:
            continue
        missing = {word for _, word in own_words.in_text(line.text) if word_counts[word] < OWN}
        if missing or counts[line.source] < RAW:
            counts[line.source] += not missing
            word_counts.update(missing)
            yield line.text


def linear_loss(reader: Reader, text: Text) -> Array:
    """Nats that the linear taggers alone lose on each sentence."""
    crf = Crf(reader.trans, reader.start)
    columns = Columns(text, torch.device("cpu"))
    losses = np.zeros(len(text.convention))
    sentences = Pieces(text.offsets[:-1], text.lengths, text.convention)
    for rows in batches(text.lengths, np.arange(len(losses)), 20_000):
        batch = columns.batch(sentences, rows)
        losses[rows.pieces] = crf.loss(-batch.linear.transpose(0, 1), batch).numpy()
    return losses
