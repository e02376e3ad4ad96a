"""The user's segmented text; errors name file, line and reason.

One sentence per line, UTF-8, words separated by blanks (ASCII or ideographic), no tags::

    他  说  的  确实  在理  。
"""

from __future__ import annotations

import os
import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError, check_iterable
from segmenter.lexicon.lines import CONTROL, BadLine, LineReader, Report
from segmenter.lexicon.sources import read_words
from segmenter.text.chars import fold_str
from segmenter.train.counts import words_of
from segmenter.train.tagging import model as form
from segmenter.train.tagging.features import FeatureSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LONGEST_LINE = 100_000  # characters: a line is a sentence, or a paragraph
LONGEST_WORD = 40  # Han characters without a blank: the line was never segmented

_UNSEGMENTED = re.compile(rf"[㐀-鿿]{{{LONGEST_WORD + 1},}}")
_TAGGED = re.compile(r"\S/[A-Za-z]{1,4}[0-9]?$")


class Corpus(NamedTuple):
    """Sentences (folded words), and a report on each file."""

    sentences: list[list[str]]
    reports: list[Report]


def read_corpus(
    paths: Iterable[str | os.PathLike[str]],
    *,
    errors: str = "raise",
    fold: Callable[[str], str] | None = None,
) -> Corpus:
    """Read the sentences of segmented files.

    Args:
        paths: the files, in order.
        errors: ``"raise"`` stops at the first bad line, ``"warn"`` and ``"skip"`` leave bad lines
            out and list them in the reports.
        fold: folds a whole sentence, without changing its length; None: width and case only.

    Bad lines contain bytes that are not UTF-8, control characters or U+FFFD, more than 100,000
    characters, more than 40 Han characters without a blank, or words with part-of-speech tags.

    Raises:
        DictionaryError: a bad line, with ``errors="raise"``.
        ArgumentError: there is no sentence; an unknown ``errors``.
        OSError: a file cannot be read.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(path, "w", encoding="utf-8").write("我　爱 北京\\n迈向/v 充满/v 希望/n\\n")
    >>> corpus = read_corpus([path], errors="skip")
    >>> corpus.sentences, corpus.reports[0].faults[0].line
    ([['我', '爱', '北京']], 2)
    """
    sentences: list[list[str]] = []
    reports: list[Report] = []
    check_iterable("train", paths, "a list of paths")  # of a str every character would be one
    names = [os.fspath(path) for path in paths]

    def add_line(_: int, line: str) -> None:
        _check(line)
        if words := words_of(line):
            sentences.append(words if fold is None else folded(words, fold))

    for name in names:
        reader = LineReader(name, errors, skippable=True)
        n_before = len(sentences)
        reader.each(add_line)
        reports.append(reader.report("segmented text", len(sentences) - n_before))
    if not sentences:
        raise ArgumentError(
            f"no sentence in {', '.join(names) or 'no file'}: expected one per line"
        )
    return Corpus(sentences, reports)


def recut(text: str, words: Iterable[str]) -> list[str]:
    """Return the pieces of a text that are as long as these words.

    >>> recut("ＶＣＤ机", ["vcd", "机"])
    ['ＶＣＤ', '机']
    """
    offsets = [0, *accumulate(map(len, words))]
    return [text[start:end] for start, end in pairwise(offsets)]


def folded(words: Sequence[str], fold: Callable[[str], str]) -> list[str]:
    """Fold a sentence's words together, since how a character is read depends on the others."""
    return recut(fold("".join(words)), words)


def _check(line: str) -> None:
    if match := CONTROL.search(line):
        remedy = "a NUL character: is this a text file?" if match[0] == "\0" else "remove it"
        raise BadLine("characters", f"U+{ord(match[0]):04X} in the line: {remedy}")
    if len(line) > LONGEST_LINE:
        raise BadLine("length", f"more than {LONGEST_LINE:,} characters: write one sentence a line")
    if match := _UNSEGMENTED.search(line):
        raise BadLine(
            "unsegmented",
            f"{match[0][:10]!r} and {len(match[0]) - 10} more characters without a blank: is the "
            "line segmented?",
        )
    words = line.split()
    tagged = sum(_TAGGED.search(word) is not None for word in words)
    if tagged > 1 and 2 * tagged > len(words):
        raise BadLine("tags", f"words with tags, such as {words[0]!r}: leave the tags out")


def read_lexicon(
    path: str | os.PathLike[str], *, errors: str = "raise"
) -> tuple[FeatureSource, Report]:
    """Read a word list as a source of features: words of 2 to 8 characters, without counts.

    Args:
        path, errors: see :func:`segmenter.lexicon.sources.read_words`.

    Raises:
        DictionaryError: a bad line, with ``errors="raise"``; names file, line and reason.
        ArgumentError: the list has no word of 2 to 8 characters.
    """
    words = read_words(path, errors=errors)
    folded = {fold_str(word) for word, _, _ in words.entries}
    states = {word: 1 for word in folded if 2 <= len(word) <= form.MAX_WORD}
    if not states:
        raise ArgumentError(f"{words.report.path} has no word of 2 to {form.MAX_WORD} characters")
    return FeatureSource(os.path.basename(words.report.path), states), words.report
