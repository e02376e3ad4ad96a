"""Reads lexicons and n-gram counts as text; every error names file and line.

Two formats, both UTF-8, one word per line, no header, no comments (``#`` is a word like any other):

``tsv``
    word, count, tag, separated by tabs; count (default: 1) and tag are optional.  Blanks belong to
    the word: ``iPhone 15`` is one word.
``jieba``
    word, count, tag, separated by blanks, as in jieba's ``dict.txt`` and user dictionaries; count
    and tag are optional, also the count alone: ``word tag``.  The last of equal words counts, as in
    jieba (``dict.txt`` has one word twice, ``dict.txt.big`` more than a thousand).

The majority of the first thousand lines decides the format of a file; a line in the other format is
a fault.  A file with commas has neither format and is refused.

In a words file the rows ``<num>``, ``<date>``, ``<latin>`` and ``<unk>`` give the counts of these
classes of tokens.  N-gram files are ``tsv``: two or three words and a count.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import one_of
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.kernels import _lexicon
from segmenter.lexicon.lines import CONTROL, BadLine, LineReader, Report, count_of

if TYPE_CHECKING:
    import os

FORMATS = ("auto", "tsv", "jieba")
KINDS = ("<num>", "<date>", "<latin>", "<unk>")

_SAMPLE_LINES = 1000  # lines that decide the format
_MAX_WORD = 255  # characters: a longer line is running text
_BLANKS = re.compile(r"[ \t]+")
_CLASS = re.compile(r"<[a-z]+>")
_CSV = re.compile(r'[^,\t]+,\s*"?[0-9.]+"?\s*(?:,[^,\t]*)*')


class WordTable(NamedTuple):
    """The result of :func:`read_words`: (word, count, tag), counts of classes, and the report."""

    entries: list[tuple[str, float, str]]
    kinds: dict[str, float]
    report: Report


class NgramRows(NamedTuple):
    """The result of :func:`read_ngrams`: rows of n words and a count, and the report."""

    rows: list[tuple[str | float, ...]]
    report: Report


def read_words(
    path: str | os.PathLike[str], *, format: str = "auto", errors: str = "raise"
) -> WordTable:
    """Read a word list.

    Args:
        path: the file.
        format: ``"tsv"``, ``"jieba"``, or ``"auto"``: jieba if of the first thousand lines more
            look like ``word count tag`` than have tabs, else tsv.
        errors: ``"raise"`` stops at the first fault; ``"warn"`` and ``"skip"`` leave the faulty
            lines out and list them in the report (a caller with ``"warn"`` should show them).

    Faults are: bytes that are not UTF-8, no word, too many fields, ``word count tag`` separated by
    blanks in a file that ``"auto"`` reads as tsv, a count that is not a number of at least 0, a
    repeated word (in ``"jieba"`` the last one counts, and the report has the number of repeated
    words), an unknown class, control characters or U+FFFD in a word, a word of more than 255
    characters.

    Raises:
        DictionaryError: a fault, with ``errors="raise"``; a file in UTF-16, or with commas.
        ArgumentError: an unknown ``format`` or ``errors``.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "words.tsv")
    >>> _ = open(p, "w", encoding="utf-8").write("的\\t9\\tu\\n<num>\\t3\\niPhone 15\\n")
    >>> words = read_words(p)
    >>> words.entries, words.kinds
    ([('的', 9.0, 'u'), ('iPhone 15', 1.0, '')], {'<num>': 3.0})
    """
    one_of("format", format, FORMATS)
    reader = LineReader(path, errors, skippable=True)
    guessed = format == "auto"
    if guessed:
        format = _guess(reader)
    entries: dict[str, tuple[str, float, str]] = {}
    kinds: dict[str, float] = {}
    line_of: dict[str, int] = {}
    n_repeated = 0

    def read_row(number: int, line: str) -> None:
        nonlocal n_repeated
        if guessed and format == "tsv" and "\t" not in line and is_jieba(line):
            raise BadLine(
                "form",
                f"{line[:40]!r} has blanks between its fields, other lines have tabs or none: "
                "write tabs, or name the format (with --format tsv the line is one word)",
            )
        word, count_text, tag, extra = _fields(line, format)
        if extra:
            raise BadLine(
                "fields",
                f"{line[:40]!r} has more fields than word, count, tag"
                + (": write words with blanks in them as tsv" if format == "jieba" else ""),
            )
        _check_word(word)
        count = _count(count_text, word) if count_text else 1.0
        if word in line_of:
            if format != "jieba":
                raise BadLine(
                    "duplicate", f"{word!r} is also in line {line_of[word]}: keep one of them"
                )
            n_repeated += 1
        if not _CLASS.fullmatch(word):
            entries[word] = (word, count, tag)
        elif word in KINDS:
            kinds[word] = count
        else:
            raise BadLine(
                "class", f"{word!r} is not a class of tokens: use one of {', '.join(KINDS)}"
            )
        line_of[word] = number

    reader.each(read_row)
    if n_repeated:
        reader.notes.append(f"repeated words: {n_repeated:,} (the last one counts)")
    return WordTable([*entries.values()], kinds, reader.report(format, len(line_of)))


def is_jieba(line: str) -> bool:
    """Whether a line has a count and a tag after its word, or one of them that cannot be part of
    the word, unlike ``iPhone 15``.

    >>> [is_jieba(line) for line in ("研究 100 v", "研究 100", "iPhone 15", "New York", "研究")]
    [True, True, False, False, False]
    """
    return _lexicon.jieba_row(line)[3]


def _guess(reader: LineReader) -> str:
    sample = list(islice(reader.lines, _SAMPLE_LINES))
    tabs = sum("\t" in line for _, line in sample)
    jieba_rows = sum("\t" not in line and is_jieba(line) for _, line in sample)
    commas = [number for number, line in sample if _CSV.fullmatch(line)]
    if len(commas) * 2 > len(sample):
        raise DictionaryError(
            reader.path,
            commas[0],
            "the file has commas between its fields: write word, count, tag between tabs, or give "
            "--format tsv if the commas belong to the words",
        )
    if tabs or jieba_rows:
        return "jieba" if jieba_rows > tabs else "tsv"
    # "iPhone 15" is one word, unless all lines with blanks are like this
    with_blanks = [line for _, line in sample if " " in line.strip()]
    return "jieba" if with_blanks and all(map(_is_word_and_count, with_blanks)) else "tsv"


def _is_word_and_count(line: str) -> bool:
    return " " not in _lexicon.jieba_row(line)[0]


def _fields(line: str, format: str) -> tuple[str, str, str, bool]:
    """Return word, count and tag, and whether there are more fields."""
    if format == "tsv":
        fields = [field.strip(" ") for field in line.split("\t")]
        while len(fields) > 3 and not fields[-1]:
            fields.pop()
    else:
        # U+3000 belongs to the word
        fields = [field for field in _BLANKS.split(line.strip()) if field]
        if len(fields) == 2 and fields[1][0].isalpha() and fields[1].isascii():
            fields.insert(1, "")
    extra = len(fields) > 3
    word, count, tag = (*fields[:3], "", "", "")[:3]
    return word, count, tag, extra


def _check_word(word: str) -> None:
    if not word:
        raise BadLine("word", "the line has no word in its first field")
    if len(word) > _MAX_WORD:
        raise BadLine(
            "word",
            f"{word[:10]!r}… has {len(word)} characters, more than {_MAX_WORD}: shorten it or "
            "take it out",
        )
    match = CONTROL.search(word)
    if match is not None:
        description = (
            "the replacement character U+FFFD: a conversion damaged it"
            if match[0] == "\ufffd"
            else f"the control character U+{ord(match[0]):04X}"
        )
        raise BadLine("word", f"{word!r} contains {description}; correct the word or take it out")


def _count(text: str, words: str) -> float:
    value = count_of(text)
    if value is None:
        raise BadLine(
            "count",
            f"the count {text!r} of {words!r} is not a number of at least 0: correct it or leave "
            "it out",
        )
    return value


def read_ngrams(path: str | os.PathLike[str], n: int, *, errors: str = "raise") -> NgramRows:
    """Read bigrams (``n=2``) or trigrams (``n=3``): words and a count, separated by tabs.

    A word may also be a class (``<num>``, ``<date>``, ``<latin>``, ``<unk>``) or ``<s>``, the start
    and end of a sentence; the last word of a bigram also ``<any>``, with the count of the first
    word before any other.  The counts of repeated rows add up.

    Raises:
        DictionaryError: a fault, with ``errors="raise"``.
        ArgumentError: another ``n`` or ``errors``.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "bigrams.tsv")
    >>> _ = open(p, "w", encoding="utf-8").write("<s>\\t他\\t4\\n")
    >>> read_ngrams(p, 2).rows
    [('<s>', '他', 4.0)]
    """
    if n not in (2, 3):
        raise ArgumentError(f"n: {n!r} is neither 2 nor 3")
    classes = (*KINDS, "<s>")
    reader = LineReader(path, errors)
    rows: list[tuple[str | float, ...]] = []

    def read_row(_: int, line: str) -> None:
        *words, count = line.split("\t")
        if len(words) != n:
            raise BadLine(
                "fields",
                f"{line[:40]!r} is not {n} words and a count between tabs ({n + 1} fields)",
            )
        value = _count(count, " ".join(words))
        for word in words:
            _check_word(word)
        names = words[:-1] if n == 2 and words[-1] == "<any>" else words
        unknown = [w for w in names if _CLASS.fullmatch(w) and w not in classes]
        if unknown:
            valid = ", ".join(classes)
            raise BadLine("class", f"{unknown[0]!r} is not one of {valid} (or <any>, last of two)")
        rows.append((*words, value))

    reader.each(read_row)
    return NgramRows(rows, reader.report("tsv", len(rows)))
