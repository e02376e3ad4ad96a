"""Reader of the counts that ``dicts/<standard>/`` holds (writing.py writes them)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from segmenter.files.reading import read_lines
from segmenter.train.counts import CLASS_TOKENS

if TYPE_CHECKING:
    import os


class StandardCounts(NamedTuple):
    """The counts of one standard.

    Attributes:
        words: word, count (fractions allowed), tag; no class tokens.
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
        ValueError: a line has the wrong number of fields, or its count is no number.
        EncodingError: a file is not UTF-8.

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "words-text.tsv"), "w").write("的\\t9\\tu\\n<num>\\t3\\t\\n")
    >>> _ = open(os.path.join(d, "bigrams.tsv"), "w").write("的\\t<num>\\t2.5\\n")
    >>> c = read_counts(d)
    >>> c.words, c.kinds, c.bigrams
    ([('的', 9.0, 'u')], {'<num>': 3.0}, [('的', '<num>', 2.5)])
    """
    standard_counts = StandardCounts([], {}, [], [])
    for path in sorted(Path(folder).glob("*.tsv")):
        for fields in (line.split("\t") for _, line in read_lines(path)):
            if path.name.startswith("words"):
                word, count, tag = fields
                if word in CLASS_TOKENS:
                    standard_counts.kinds[word] = float(count)
                else:
                    standard_counts.words.append((word, float(count), tag))
            elif path.name.startswith("bigrams"):
                first, second, count = fields
                standard_counts.bigrams.append((first, second, float(count)))
            else:
                first, second, third, count = fields
                standard_counts.trigrams.append((first, second, third, float(count)))
    return standard_counts
