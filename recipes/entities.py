"""Partial word labels from sentences with annotated entities (``shared/data/ner``).

The edges of an entity are word boundaries for nearly every reader; the boundaries inside are
unknown.  Other boundaries are labelled where several systems agree: from edges alone a tagger would
only learn where to cut.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes.partial import OPEN, ends_of, labels_of, words_of
from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.train.partial import Partly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.uint8]


#: Sources whose marks are answers to questions, of no common type.
MIXED = ("cmrc", "drcd-tw")


class Marked(NamedTuple):
    """A sentence, the name of its source, start and end of its entities, and their types."""

    source: str
    text: str
    spans: list[tuple[int, int]]
    types: Sequence[str] = ()


def read(folder: Path) -> Iterator[Marked]:
    """The training sentences of every source of ``shared/data/ner``, in the order of their names.

    Raises:
        DictionaryError: a line that is not of the form ``sentence<TAB>start-end:type …``.
    """
    for path in sorted(folder.glob("*/train.tsv")):
        for number, line in read_lines(path):
            text, _, marks = line.rstrip("\n").partition("\t")
            spans, types = [], []
            for mark in marks.split():
                match = re.fullmatch(r"(\d+)-(\d+)(?::(.*))?", mark)
                if not match or int(match[2]) > len(text):
                    raise DictionaryError(str(path), number, f"{mark!r} is not start-end:type")
                spans.append((int(match[1]), int(match[2])))
                types.append(match[3] or "")
            yield Marked(path.parent.name, text, spans, types)


def exchanged(rows: Sequence[tuple[Marked, Partly]], seed: int) -> Iterator[Partly]:
    """Labelled sentences with other entities at their marks, of the same type and source.

    A tagger that has read each entity in one place alone learns it by heart; so it reads them
    beside other neighbours (mention replacement, Dai and Adel 2020).  An entity takes its labels
    along, if it has a boundary at both ends; others stay where they are.  Sentences of
    :data:`MIXED` are left out, and those in which nothing is exchanged.

    >>> text = Marked("shop", "买港风帆布鞋", [(1, 3)], ["style"]), Partly(["买", "港风", "帆布鞋"])
    >>> other = Marked("shop", "新韩版", [(1, 3)], ["style"]), Partly(["新", "韩", "版"], [1])
    >>> sorted({"/".join(x.words) for seed in range(9) for x in exchanged([text, other], seed)})
    ['买/港风/帆布鞋', '买/韩版/帆布鞋', '新/港风', '新/韩版']
    """
    labelled = [(marked, row.text, labels_of(row)) for marked, row in rows]
    mentions: dict[tuple[str, str], dict[str, Array]] = {}
    bounded: list[list[tuple[int, int, tuple[str, str]]]] = []
    for marked, text, labels in labelled:
        bounded.append([])
        last = 0
        for (start, end), kind in sorted(zip(marked.spans, marked.types, strict=True)):
            if start >= last and (not start or labels[start - 1] == 1) and labels[end - 1] == 1:
                key, last = (marked.source, kind), end
                bounded[-1].append((start, end, key))
                mentions.setdefault(key, {}).setdefault(text[start:end], labels[start:end])
    ordered = {key: sorted(found.items(), key=lambda x: x[0]) for key, found in mentions.items()}
    rng = random.Random(seed)
    for (marked, text, labels), spans in zip(labelled, bounded, strict=True):
        if marked.source in MIXED or not spans:
            continue
        texts, parts, offset = [], [], 0
        for start, end, key in spans:
            mention, inside = rng.choice(ordered[key])
            texts += [text[offset:start], mention]
            parts += [labels[offset:start], inside]
            offset = end
        whole = np.concatenate([*parts, labels[offset:]])
        words = words_of("".join([*texts, text[offset:]]), (whole == 1).astype(np.uint8))
        yield Partly(words, np.flatnonzero(whole[:-1] == OPEN).tolist())


def forced(ends: Array, spans: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
    """The edges of entities in a segmentation, and the boundaries that they leave open.

    A word that lies partly inside an entity and partly outside is cut at the entity's edge; the
    rest of it, and its own two ends, are open.  A word that holds a whole entity may be right.

    Args:
        ends: 1 at the last character of each word.
        spans: of the entities.

    Returns:
        1 before each edge that a word crossed or that is a boundary already, and 1 where a boundary
        is open; both shaped like ``ends``.

    >>> cut = ends_of(["港", "风帆", "布鞋"])
    >>> [x.tolist() for x in forced(cut, [(0, 2), (2, 5)])]
    [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0]]
    """
    edges, opens = np.zeros_like(ends), np.zeros_like(ends)
    stops = np.flatnonzero(ends) + 1
    starts = np.concatenate([[0], stops[:-1]])
    for start, end in spans:
        first = int(np.searchsorted(stops, start, "right"))
        last = int(np.searchsorted(stops, end - 1, "right"))
        left_out = starts[first] < start and stops[first] < end
        right_out = stops[last] > end and starts[last] > start
        for crosses, word, edge in ((left_out, first, start), (right_out, last, end)):
            if crosses:
                opens[max(starts[word] - 1, 0) : stops[word]] = 1
                edges[edge - 1] = 1
        if start and starts[first] == start:
            edges[start - 1] = 1
        if stops[last] == end:
            edges[end - 1] = 1
    opens[edges == 1] = 0
    opens[-1] = 0
    return edges, opens


def partly(
    marked: Marked, cutters: Sequence[Callable[[str], Sequence[str]]], edges_alone: bool = False
) -> tuple[list[Partly], bool]:
    """The edges of a sentence's entities as labels, and the boundaries on which all systems agree.

    Args:
        marked: the sentence.
        cutters: the systems.
        edges_alone: whether all boundaries are open but the edges.

    Returns:
        Its parts between blanks of two characters or more, and whether a system crossed an edge.

    >>> cut = {"买港风帆布鞋": ["买", "港", "风帆", "布鞋"]}.__getitem__
    >>> partly(Marked("shop", "买港风帆布鞋", [(1, 3)]), [cut])
    ([Partly(words=['买', '港风', '帆布鞋'], unsure=[1, 3])], True)
    """
    text = marked.text
    cuts = np.stack([ends_of(cut(text)) for cut in cutters])
    corrected = [forced(x, marked.spans) for x in cuts]
    edges = np.maximum.reduce([x for x, _ in corrected])
    opens = np.maximum.reduce([x for _, x in corrected]) | (cuts.min(0) != cuts.max(0))
    if edges_alone:
        opens[:] = 1
    labels = np.where(edges == 1, 1, np.where(opens == 1, 0, cuts[0]))
    opens[edges == 1] = 0
    rows, offset = [], 0
    for piece in text.split(" "):
        stop = offset + len(piece)
        if len(piece) > 1 and not any(c.isspace() for c in piece):
            ends = labels[offset:stop].copy()
            ends[-1] = 1
            unsure = np.flatnonzero(opens[offset : stop - 1]).tolist()
            rows.append(Partly(words_of(piece, ends), unsure))
        offset = stop + 1
    return rows, any(bool(x.any()) for _, x in corrected)
