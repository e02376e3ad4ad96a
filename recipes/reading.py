"""Labels raw text and sentences with entities by ``best``, as partly labelled sentences.

It uses the shipped file, so the students can be made again without training the network.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch

from recipes import entities, partial, raw
from recipes.teacher import Crf, scores_of
from segmenter.train.partial import Partly
from segmenter.train.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from segmenter.core import Segmenter

    Array = NDArray[Any]

SURE = 0.9  # a boundary is open unless its chance is so much, or less than the rest
RAW = "raw "  # before the number, in its file, of the sentence that a stretch is from
TOGETHER = 512  # texts
SEED = 11  # of the exchange of entities
GENERAL = 15_000  # sentences of each file of raw text that are read for general,
NETWORK = 6000  # of which the network learns so many,
OWN = 20_000  # and for each convention
#: Raw text that is like the text of a convention, where `best` alone is as good as a network that
#: learnt the gold of the convention.  By ctb, sxu, msr and ud it has .004 to .030 less F1; without
#: what it reads by these, the student has .0012 more by msr and .0006 more by sxu.
DOMAINS: Mapping[str, tuple[str, ...]] = {
    "weibo": ("weibo-hot", "weibo-rumor", "weibo-virus", "zhihu-hot", "subtitles"),
    "sinica": tuple(sorted(raw.TRADITIONAL)),
    "as": tuple(sorted(raw.TRADITIONAL)),
    "pku": ("news-broadcast", "summary-csts", "weekly"),
}
_Item = TypeVar("_Item")


def groups(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Lists of so many items, the last one shorter."""
    iterator = iter(items)
    while group := list(islice(iterator, size)):
        yield group


def chances(segmenter: Segmenter, texts: list[str]) -> list[Array]:
    """The chance of a word's end after each character of texts without blanks."""
    start, moves, _ = scores_of(segmenter, "一")
    crf = Crf(moves, start)
    by_number: dict[int, Array] = {}
    for part in groups(sorted(range(len(texts)), key=lambda i: len(texts[i])), 32):
        lengths = torch.tensor([len(texts[i]) for i in part])
        scores = torch.zeros(int(lengths.max()), len(part), len(FOUR))
        for column, i in enumerate(part):
            scores[: len(texts[i]), column] = torch.from_numpy(scores_of(segmenter, texts[i])[2])
        ends = crf.chances(scores, lengths).numpy()
        by_number |= {i: ends[: len(texts[i]), k] for k, i in enumerate(part)}
    return [by_number[i] for i in range(len(texts))]


def labelled(marked: entities.Marked, chance: Array) -> Partly:
    """A sentence as it was read, with what is marked in it.

    Args:
        marked: the sentence, without blanks.
        chance: of a word's end after each character.

    >>> row = labelled(entities.Marked("", "买港风帆", [(1, 3)]), np.array([1.0, 0.1, 0.5, 1.0]))
    >>> row.words, row.unsure
    (['买', '港风帆'], [1, 2])
    """
    ends = (chance > 0.5).astype(np.uint8)
    ends[-1] = 1
    opens = ((chance < SURE) & (chance > 1 - SURE)).astype(np.uint8)
    edges, opened = entities.forced(ends, marked.spans)
    ends = np.where(edges == 1, 1, np.where(opened == 1, 0, ends))
    opens = np.where(edges == 1, 0, opens | opened)
    return Partly(partial.words_of(marked.text, ends), np.flatnonzero(opens[:-1]).tolist())


def sentences(marked: entities.Marked) -> Iterator[entities.Marked]:
    """The stretches of a sentence without blanks, with their entities."""
    for match in re.finditer(r"\S{2,}", marked.text):
        a, b = match.span()
        spans = [(s - a, e - a) for s, e in marked.spans if a <= s and e <= b]
        yield entities.Marked(marked.source, match[0], spans)


def of_general(lines: Iterable[raw.Line], ner: Path, limit: int) -> Iterator[entities.Marked]:
    """All that is read for ``general``: raw text, so many sentences of a file, and entities."""
    counts: Counter[str] = Counter()
    for line in lines:
        if line.source not in raw.OLD and counts[line.source] < limit:
            counts[line.source] += 1
            yield from sentences(entities.Marked(f"{RAW}{counts[line.source]}", line.text, []))
    for marked in entities.read(ner):
        yield from sentences(marked._replace(source="entities"))


def of_exchanged(ner: Path) -> Iterator[entities.Marked]:
    """The sentences with entities, with other entities at their marks."""
    for marked in entities.exchanged(list(entities.read(ner)), SEED):
        yield from sentences(marked._replace(source="exchanged"))


def of_convention(lines: Iterable[raw.Line], name: str, limit: int) -> Iterator[entities.Marked]:
    """So many sentences of raw text that are like the text of a convention (:data:`DOMAINS`)."""
    remaining = dict.fromkeys(DOMAINS[name], -(-limit // len(DOMAINS[name])))
    for line in lines:
        if remaining.get(line.source):
            remaining[line.source] -= 1
            yield from sentences(entities.Marked("raw", line.text, []))


def read(
    segmenter: Segmenter, sentences: Iterable[entities.Marked]
) -> Iterator[tuple[str, Partly]]:
    """Sentences as a segmenter of a convention reads them, each with its source."""
    for group in groups(sentences, TOGETHER):
        for marked, chance in zip(group, chances(segmenter, [x.text for x in group]), strict=True):
            yield marked.source, labelled(marked, chance)
