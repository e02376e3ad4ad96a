"""Reads the counts in ``dicts/<standard>/``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.train.counts import CLASS_TOKENS

if TYPE_CHECKING:
    import os

#: Of each kind of file: its fields, and which of them is the count.
FORMS = {
    "words": (("word", "count", "tag"), 1),
    "bigrams": (("first", "second", "count"), 2),
    "trigrams": (("first", "second", "third", "count"), 3),
}


class StandardCounts(NamedTuple):
    """The counts of one standard.

    Attributes:
        words: word, count (fractions allowed), tag; no class tokens, no word twice.
        kinds: counts of ``<num>``, ``<date>``, ``<latin>`` and ``<s>``.
        bigrams: first, second, count; class tokens among them.
        trigrams: first, second, third, count.

    A word's count is also its total as a history of bigrams; rare pairs are left out of the files,
    so the pairs of a word may add up to less.
    """

    words: list[tuple[str, float, str]]
    kinds: dict[str, float]
    bigrams: list[tuple[str, str, float]]
    trigrams: list[tuple[str, str, str, float]]

    def totals(self) -> dict[str, float]:
        """How often each token was the first of a pair, rare pairs included."""
        return {w: c for w, c, _ in self.words} | self.kinds


def read_counts(folder: str | os.PathLike[str]) -> StandardCounts:
    """Reads ``words*.tsv``, ``bigrams*.tsv`` and ``trigrams*.tsv`` of ``dicts/<standard>/``.

    Raises:
        DictionaryError: a line has the wrong number of fields, a bad count, or repeats a word.
        EncodingError: a file is not UTF-8.

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "words-text.tsv"), "w").write("的\\t9\\tu\\n<num>\\t3\\t\\n")
    >>> _ = open(os.path.join(d, "bigrams.tsv"), "w").write("的\\t<num>\\t2.5\\n")
    >>> c = read_counts(d)
    >>> c.words, c.kinds, c.bigrams
    ([('的', 9.0, 'u')], {'<num>': 3.0}, [('的', '<num>', 2.5)])
    """
    rows: dict[str, list[Any]] = {kind: [] for kind in FORMS}
    seen: set[str] = set()
    for path in sorted(Path(folder).glob("*.tsv")):
        kind = path.stem.partition("-")[0]
        names, at = FORMS[kind]
        for number, line in read_lines(path):
            row: list[Any] = line.split("\t")
            if len(row) != len(names):
                raise DictionaryError(str(path), number, f"{line!r} is not {', '.join(names)}")
            row[at] = _count(path, number, row[at])
            if kind == "words":
                if row[0] in seen:
                    raise DictionaryError(str(path), number, f"{row[0]!r} is there twice")
                seen.add(row[0])
            rows[kind].append(tuple(row))
    words = [row for row in rows["words"] if row[0] not in CLASS_TOKENS]
    kinds = {word: count for word, count, _ in rows["words"] if word in CLASS_TOKENS}
    return StandardCounts(words, kinds, rows["bigrams"], rows["trigrams"])


def _count(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise DictionaryError(str(path), line, f"the count {text!r} is not a number of at least 0")
    return value
