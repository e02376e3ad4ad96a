"""Reads lexicons and n-gram counts as text, and names every fault by file and line.

Two formats, both UTF-8, one word per line, no header, no comments (``#`` is a word like any other):

``tsv``
    word, count, tag between tabs; count (1 if it is left out) and tag are optional.  Blanks belong
    to the word: ``iPhone 15`` is one.
``jieba``
    word, count, tag between blanks, as in jieba's ``dict.txt`` and user dictionaries; count and tag
    are optional, and ``word tag`` is taken as well.  Of two equal words the last one counts, as in
    jieba (its own ``dict.txt`` has one word twice, ``dict.txt.big`` more than a thousand).

The majority of the first thousand lines decides which format a file has; a line in the other format
is then a fault.  A file with commas has neither format and is refused.

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

_SAMPLE = 1000  # lines that decide the format
_LONGEST = 255  # characters: longer lines of a word list are running text
_BLANKS = re.compile(r"[ \t]+")
_CLASS = re.compile(r"<[a-z]+>")
_CSV = re.compile(r'[^,\t]+,\s*"?[0-9.]+"?\s*(?:,[^,\t]*)*')


class WordTable(NamedTuple):
    """What :func:`read_words` gives: (word, count, tag), counts of classes, and the report."""

    entries: list[tuple[str, float, str]]
    kinds: dict[str, float]
    report: Report


class NgramRows(NamedTuple):
    """What :func:`read_ngrams` gives: rows of n words and a count, and the report."""

    rows: list[tuple[str | float, ...]]
    report: Report


def read_words(
    path: str | os.PathLike[str], *, format: str = "auto", errors: str = "raise"
) -> WordTable:
    """Reads a word list.

    Args:
        path: the file.
        format: ``"tsv"``, ``"jieba"``, or ``"auto"``, by the look of the first thousand lines:
            jieba where more of them look like ``word count tag`` than have tabs, else tsv.
        errors: ``"raise"`` stops at the first fault; ``"warn"`` and ``"skip"`` leave the faulty
            lines out and list them in the report (who asked for ``"warn"`` wants to see them).

    Faults are: bytes that are not UTF-8, no word, too many fields, ``word count tag`` between
    blanks in a file that ``"auto"`` found to be tsv, a count that is not a number of at least 0, a
    word that stands there already (in ``"jieba"`` the last one counts, and the report notes how
    many there were), a class that is not known, control characters or U+FFFD in a word, a word of
    more than 255 characters.

    Raises:
        DictionaryError: a fault, with ``errors="raise"``; a file in UTF-16, or of commas.
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
    seen: dict[str, int] = {}
    again = 0

    def take(number: int, line: str) -> None:
        nonlocal again
        if guessed and format == "tsv" and "\t" not in line and is_jieba(line):
            raise BadLine(
                "form",
                f"{line[:40]!r} has blanks between its fields, other lines have tabs or none: "
                "write tabs, or name the form (--format tsv takes it for one word)",
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
        if word in seen:
            if format != "jieba":
                raise BadLine(
                    "duplicate",
                    f"{word!r} stands in line {seen[word]} already: keep one of them",
                )
            again += 1
        if not _CLASS.fullmatch(word):
            entries[word] = (word, count, tag)
        elif word in KINDS:
            kinds[word] = count
        else:
            raise BadLine(
                "class",
                f"{word!r} is not a class of tokens that words can have: {', '.join(KINDS)}",
            )
        seen[word] = number

    reader.each(take)
    if again:
        reader.notes.append(f"words that stood there before: {again:,} (the last one counts)")
    return WordTable([*entries.values()], kinds, reader.report(format, len(seen)))


def is_jieba(line: str) -> bool:
    """Whether a line has a count and a tag after its word, or one of them after a word that they
    cannot belong to: not ``iPhone 15``.

    >>> [is_jieba(line) for line in ("研究 100 v", "研究 100", "iPhone 15", "New York", "研究")]
    [True, True, False, False, False]
    """
    return _lexicon.jieba_row(line)[3]


def _guess(reader: LineReader) -> str:
    sample = list(islice(reader.lines, _SAMPLE))
    tabs = sum("\t" in line for _, line in sample)
    rows = sum("\t" not in line and is_jieba(line) for _, line in sample)
    commas = [number for number, line in sample if _CSV.fullmatch(line)]
    if len(commas) * 2 > len(sample):
        raise DictionaryError(
            reader.path,
            commas[0],
            "the file has commas between its fields: write word, count, tag between tabs, or give "
            "--format tsv if the commas belong to the words",
        )
    if tabs or rows:
        return "jieba" if rows > tabs else "tsv"
    # short words of letters and their counts: "iPhone 15" is one, unless all lines are like that
    blanks = [line for _, line in sample if " " in line.strip()]
    return "jieba" if blanks and all(map(_of_jieba, blanks)) else "tsv"


def _of_jieba(line: str) -> bool:
    return " " not in _lexicon.jieba_row(line)[0]


def _fields(line: str, format: str) -> tuple[str, str, str, bool]:
    """Word, count, tag, and whether there is more."""
    if format == "tsv":
        fields = [field.strip(" ") for field in line.split("\t")]
        while len(fields) > 3 and not fields[-1]:
            fields.pop()
    else:
        fields = [field for field in _BLANKS.split(line.strip()) if field]  # U+3000 is of the word
        if len(fields) == 2 and fields[1][0].isalpha() and fields[1].isascii():
            fields.insert(1, "")
    extra = len(fields) > 3
    word, count, tag = (*fields[:3], "", "", "")[:3]
    return word, count, tag, extra


def _check_word(word: str) -> None:
    if not word:
        raise BadLine("word", "the line has no word in its first field")
    if len(word) > _LONGEST:
        raise BadLine(
            "word", f"{word[:10]!r}… is {len(word)} characters long; {_LONGEST} is the most"
        )
    bad = CONTROL.search(word)
    if bad is not None:
        what = (
            "the replacement character U+FFFD: it was damaged when it was converted"
            if bad[0] == "\ufffd"
            else f"the control character U+{ord(bad[0]):04X}"
        )
        raise BadLine("word", f"{word!r} holds {what}; correct the word or take it out")


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
    """Reads bigrams (``n=2``) or trigrams (``n=3``): words and a count between tabs.

    Beside words a field may be a class (``<num>``, ``<date>``, ``<latin>``, ``<unk>``) or ``<s>``,
    begin and end of a sentence; the last word of a bigram also ``<any>``: how often the first
    stands before anything.  A row that is there twice counts twice.

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
    known = (*KINDS, "<s>")
    reader = LineReader(path, errors)
    rows: list[tuple[str | float, ...]] = []

    def take(_: int, line: str) -> None:
        *words, count = line.split("\t")
        if len(words) != n:
            raise BadLine(
                "fields",
                f"{line[:40]!r} is not {n} words and a count between tabs ({n + 1} fields)",
            )
        value = _count(count, " ".join(words))
        for word in words:
            _check_word(word)
        named = words[:-1] if n == 2 and words[-1] == "<any>" else words
        strange = [w for w in named if _CLASS.fullmatch(w) and w not in known]
        if strange:
            listed = ", ".join(known)
            raise BadLine("class", f"{strange[0]!r} is not one of {listed} (or <any>, last of two)")
        rows.append((*words, value))

    reader.each(take)
    return NgramRows(rows, reader.report("tsv", len(rows)))
