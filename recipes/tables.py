"""Reads the counts in ``dicts/<standard>/``."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.train.counts import CLASS_TOKENS


@dataclass
class StandardCounts:
    """The counts of one standard, as ``dicts/<standard>/`` holds them.

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
    root = os.fspath(folder)
    out = StandardCounts([], {}, [], [])
    seen: set[str] = set()
    for entry in sorted(os.listdir(root)):
        if not entry.endswith(".tsv"):
            continue
        path = os.path.join(root, entry)
        for number, line in read_lines(path):
            fields = line.split("\t")
            if entry.startswith("words"):
                if len(fields) != 3:
                    raise DictionaryError(path, number, f"{line!r} is not word, count, tag")
                word, count = fields[0], _count(path, number, fields[1])
                if word in seen:
                    raise DictionaryError(path, number, f"{word!r} is there twice")
                seen.add(word)
                if word in CLASS_TOKENS:
                    out.kinds[word] = count
                else:
                    out.words.append((word, count, fields[2]))
            elif entry.startswith("bigrams"):
                if len(fields) != 3:
                    raise DictionaryError(path, number, f"{line!r} is not first, second, count")
                out.bigrams.append((fields[0], fields[1], _count(path, number, fields[2])))
            elif entry.startswith("trigrams"):
                if len(fields) != 4:
                    raise DictionaryError(path, number, f"{line!r} is not three words and a count")
                count = _count(path, number, fields[3])
                out.trigrams.append((fields[0], fields[1], fields[2], count))
    return out


def _count(path: str, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise DictionaryError(path, line, f"the count {text!r} is not a number of at least 0")
    return value
