"""Labels raw text and sentences with entities by ``best``, as partly labelled sentences."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

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

SURE = 0.9  # a boundary is open if neither it nor its absence has this probability
RAW = "raw "  # prefix of a source; the number of the sentence in its file follows
TOGETHER = 512  # texts sorted by length at a time
BATCH = 128  # texts in a batch of the CRF
GENERAL = 15_000  # sentences read for general of each raw file
NETWORK = 6000  # of these, learnt by the network
OWN = 20_000  # sentences read for each convention
#: Raw text that is like the text of a convention, where `best` alone is as good as a network that
#: learnt the gold of the convention.  By ctb, sxu, msr and ud it has .004 to .030 less F1; without
#: what it reads by these, the student has .0012 more by msr and .0006 more by sxu.
DOMAINS: Mapping[str, tuple[str, ...]] = {
    "weibo": ("weibo-hot", "weibo-rumor", "weibo-virus", "zhihu-hot", "subtitles"),
    "sinica": tuple(sorted(raw.TRADITIONAL)),
    "as": tuple(sorted(raw.TRADITIONAL)),
    "pku": ("news-broadcast", "summary-csts", "weekly"),
}


def chances(segmenter: Segmenter, texts: list[str]) -> list[Array]:
    """The probability of a word's end after each character of texts without blanks."""
    # one text of many lines: alone, a short line costs a pass over all weights of the encoder
    start, moves, emissions = scores_of(segmenter, "\n".join(texts))
    begins = np.cumsum([0, *(len(text) + 1 for text in texts)])
    crf = Crf(moves, start)
    by_number: dict[int, Array] = {}
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for begin in range(0, len(order), BATCH):
        part = order[begin : begin + BATCH]
        lengths = torch.tensor([len(texts[i]) for i in part])
        scores = torch.zeros(int(lengths.max()), len(part), len(FOUR))
        for column, (i, n) in enumerate(zip(part, lengths.tolist(), strict=True)):
            scores[:n, column] = torch.from_numpy(emissions[begins[i] : begins[i] + n])
        ends = crf.chances(scores, lengths).numpy()
        by_number |= {i: ends[: len(texts[i]), k] for k, i in enumerate(part)}
    return [by_number[i] for i in range(len(texts))]


def labelled(marked: entities.Marked, chance: Array) -> Partly:
    """A sentence with the boundaries of a reading and the edges of its entities.

    ``chance`` is the probability of a word's end after each character.

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
        inside = [i for i, (s, e) in enumerate(marked.spans) if a <= s and e <= b]
        spans = [(marked.spans[i][0] - a, marked.spans[i][1] - a) for i in inside]
        types = [marked.types[i] for i in inside] if marked.types else []
        yield entities.Marked(marked.source, match[0], spans, types)


def with_entities(ner: Path) -> Iterator[entities.Marked]:
    """The sentences with entities, in the order in which they are read."""
    for marked in entities.read(ner):
        yield from sentences(marked)


def of_general(lines: Iterable[raw.Line], ner: Path, limit: int) -> Iterator[entities.Marked]:
    """Text read for ``general``: ``limit`` sentences of each raw file, and all with entities."""
    counts: Counter[str] = Counter()
    for line in lines:
        if line.source not in raw.OLD and counts[line.source] < limit:
            counts[line.source] += 1
            yield from sentences(entities.Marked(f"{RAW}{counts[line.source]}", line.text, []))
    for marked in with_entities(ner):
        yield marked._replace(source="entities")


def of_convention(lines: Iterable[raw.Line], name: str, limit: int) -> Iterator[entities.Marked]:
    """``limit`` sentences of raw text that are like the text of a convention (:data:`DOMAINS`)."""
    remaining = dict.fromkeys(DOMAINS[name], -(-limit // len(DOMAINS[name])))
    for line in lines:
        if remaining.get(line.source):
            remaining[line.source] -= 1
            yield from sentences(entities.Marked("raw", line.text, []))


def read(segmenter: Segmenter, texts: Iterable[entities.Marked]) -> Iterator[tuple[str, Partly]]:
    """Sentences as a segmenter of a convention reads them, each with its source."""
    remaining = iter(texts)
    while group := list(islice(remaining, TOGETHER)):
        for marked, chance in zip(group, chances(segmenter, [x.text for x in group]), strict=True):
            yield marked.source, labelled(marked, chance)
