"""Word segmentation scores, as computed by the ``score`` script of the SIGHAN bakeoff.

Recall, precision, F, OOV rate, OOV recall and IV recall as defined for the First and Second
International Chinese Word Segmentation Bakeoffs (Sproat and Emerson 2003; Emerson 2005):

* a word is right when its span (start and end in the line without its blanks) is a span of the
  gold line; recall is right words over gold words, precision is right words over test words,
  ``F = 2PR / (P + R)``;
* OOV words are the gold words that are not in the training word list; OOV recall and IV recall
  are the share of right words among the gold words outside and inside the list;
* if there are m gold words and n test words between two right words, ``min(m, n)`` of them count as
  substitutions, the rest as deletions (m > n) or insertions (n > m).

The script finds right words with ``diff`` over the two word lists of a line, this module by span.
``diff`` pairs some equal words at different places and misses some pairs: on PKU and MSR its count
of right words differed by 0 to 17 in some 105,000; word counts and the OOV rate never differ.

Blanks are defined as in the script: ASCII white space and the ideographic space U+3000.  A byte
order mark at the beginning of a file is not part of its first word.

Files are streamed: memory holds one line of each file and the training word list.
"""

from __future__ import annotations

import os
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError, DictionaryError
from segmenter.files import reading

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence


# What the script's \s matches in bytes, and the blank that it turns into a space (AS uses it as
# its separator).  str.split() alone would also split at U+00A0, U+0085, U+2003 and the like.
_ASCII_BLANKS = " \t\n\r\f\v"
_BLANKS = _ASCII_BLANKS + "\u3000"
_TO_SPACE = {ord(c): " " for c in _BLANKS}
_TO_NOTHING: dict[int, None] = {ord(c): None for c in _BLANKS}
_BLANK_SET = frozenset(_BLANKS)


# The rates of a Score: what the summary of the script calls each, and what tables do.
_RATES = {
    "recall": ("TOTAL TRUE WORDS RECALL", "recall"),
    "precision": ("TOTAL TEST WORDS PRECISION", "precision"),
    "f1": ("F MEASURE", "F"),
    "oov_rate": ("OOV Rate", "OOV rate"),
    "oov_recall": ("OOV Recall Rate", "OOV recall"),
    "iv_recall": ("IV Recall Rate", "IV recall"),
}


class Score(NamedTuple):
    """Counts of one scored text; the rates are properties.

    Attributes:
        lines: lines with at least one gold word.
        true_words: gold words.
        test_words: words of the answer.
        correct: gold words whose span is a span of the answer.
        insertions, deletions, substitutions: the script's edit counts.
        oov: gold words outside the training word list.
        oov_correct: right ones among them.

    Without a training word list ``oov`` and ``oov_correct`` are -1 and the three rates that need
    them are None.
    """

    lines: int
    true_words: int
    test_words: int
    correct: int
    insertions: int
    deletions: int
    substitutions: int
    oov: int
    oov_correct: int

    @property
    def recall(self) -> float:
        """Right words over gold words; 0.0 for an empty text."""
        return self.correct / self.true_words if self.true_words else 0.0

    @property
    def precision(self) -> float:
        """Right words over words of the answer; 0.0 for an empty answer."""
        return self.correct / self.test_words if self.test_words else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision; 0.0 where both are."""
        words = self.true_words + self.test_words
        return 2 * self.correct / words if words else 0.0

    @property
    def changes(self) -> int:
        """Insertions, deletions and substitutions together (the script's NCHANGE)."""
        return self.insertions + self.deletions + self.substitutions

    @property
    def oov_rate(self) -> float | None:
        """Share of the gold words outside the training word list."""
        if self.oov < 0 or not self.true_words:
            return None
        return self.oov / self.true_words

    @property
    def oov_recall(self) -> float | None:
        """Share of the OOV words that are right; None where there are none."""
        return self.oov_correct / self.oov if self.oov > 0 else None

    @property
    def iv_recall(self) -> float | None:
        """Share of the words inside the training word list that are right; None where none."""
        iv = self.true_words - self.oov
        if self.oov < 0 or not iv:
            return None
        return (self.correct - self.oov_correct) / iv

    def as_dict(self) -> dict[str, int | float | None]:
        """Counts and unrounded rates under plain names, for JSON."""
        return {**self._asdict(), **{name: getattr(self, name) for name in _RATES}}


def split_words(line: str) -> list[str]:
    """Words of a segmented line, split at the script's blanks and at nothing else.

    >>> split_words("他\u3000说  的\\r\\n")
    ['他', '说', '的']
    """
    return [word for word in line.translate(_TO_SPACE).split(" ") if word]


def join_words(line: str) -> str:
    """The running text of a segmented line: its blanks removed.

    >>> join_words("他  说  的  确实  在理\\n")
    '他说的确实在理'
    """
    return line.translate(_TO_NOTHING)


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a UTF-8 file; see :func:`segmenter.files.reading.read_lines`."""
    for _, line in reading.read_lines(path):
        yield line


def read_words(path: str | os.PathLike[str]) -> frozenset[str]:
    """A training word list, one word per line, as the set that :func:`score` asks.

    Raises:
        DictionaryError: most lines hold several words: it is segmented text, no word list.
        EncodingError: a line is not UTF-8.
        OSError: the file cannot be read.
    """
    words: set[str] = set()
    lines = several = first_bad = 0
    for number, line in enumerate(read_lines(path), 1):
        word = line.strip(_ASCII_BLANKS)
        if word:
            lines += 1
            words.add(word)
            if len(split_words(word)) > 1:
                several += 1
                first_bad = first_bad or number
    if 2 * several > lines:
        raise DictionaryError(
            os.fspath(path),
            first_bad,
            f"the line holds several words, as {several:,} of {lines:,} lines do: this is no list "
            "of one word per line; for segmented text: tr -s ' ' '\\n' < FILE | sort -u",
        )
    return frozenset(words)


def score(
    gold_lines: Iterable[str | Sequence[str]],
    test_lines: Iterable[str | Sequence[str]],
    training_words: Container[str] | None = None,
    *,
    gold_name: str = "gold",
    test_name: str = "test",
) -> Score:
    """Score an answer against the gold segmentation, line by line.

    Args:
        gold_lines: gold lines: each a str with words separated by blanks, or a sequence of words.
        test_lines: the answer in either form, one line for each gold line.
        training_words: the training word list (anything that answers ``word in``), or None to
            leave the OOV figures out.
        gold_name, test_name: what errors call the two sides: file names where there are files.

    Returns:
        The counts, with the rates as properties.

    Raises:
        DictionaryError: the two sides do not hold the same text, or one has more lines; names
            the file and the line.

    >>> s = score(["他  说  的  确实  在理"], ["他 说 的确 实在 理"], {"他", "说", "的"})
    >>> s.correct, s.true_words, s.oov, s.substitutions
    (2, 5, 2, 3)
    """
    lines = true_words = test_words = correct = 0
    insertions = deletions = substitutions = oov = oov_correct = 0
    words: Container[str] = () if training_words is None else training_words
    for gold, test in aligned(gold_lines, test_lines, gold_name=gold_name, test_name=test_name):
        if gold:
            lines += 1
        true_words += len(gold)
        test_words += len(test)
        if gold == test:
            correct += len(gold)
            if training_words is not None:
                unknown = sum(word not in words for word in gold)
                oov += unknown
                oov_correct += unknown
            continue
        i = j = gold_start = test_start = 0  # the two word lists, walked by where words end
        gap_gold = gap_test = 0  # wrong words since the last right one
        gold_count, test_count = len(gold), len(test)
        while i < gold_count or j < test_count:
            gold_end = gold_start + len(gold[i])
            test_end = test_start + len(test[j])
            is_correct = gold_start == test_start and gold_end == test_end
            if gold_end <= test_end:
                if training_words is not None and gold[i] not in words:
                    oov += 1
                    oov_correct += is_correct
                gap_gold += not is_correct
                i += 1
                gold_start = gold_end
            if test_end <= gold_end:
                gap_test += not is_correct
                j += 1
                test_start = test_end
            if is_correct:
                correct += 1
            if is_correct or (i == gold_count and j == test_count):
                pairs = min(gap_gold, gap_test)
                substitutions += pairs
                deletions += gap_gold - pairs
                insertions += gap_test - pairs
                gap_gold = gap_test = 0
    if training_words is None:
        oov = oov_correct = -1
    return Score(
        lines,
        true_words,
        test_words,
        correct,
        insertions,
        deletions,
        substitutions,
        oov,
        oov_correct,
    )


def aligned(
    gold_lines: Iterable[str | Sequence[str]],
    test_lines: Iterable[str | Sequence[str]],
    *,
    gold_name: str = "gold",
    test_name: str = "test",
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of both sides line by line; arguments and errors as of :func:`score`."""
    for number, (gold_line, test_line) in enumerate(
        zip_longest(gold_lines, test_lines, fillvalue=None), 1
    ):
        if gold_line is None or test_line is None:
            short, long = (gold_name, test_name) if gold_line is None else (test_name, gold_name)
            raise DictionaryError(
                short,
                number,
                f"the file ends where {long} goes on; give one answer line for each gold line, "
                "blank ones included",
            )
        gold = split_words(gold_line) if isinstance(gold_line, str) else _words(gold_line)
        test = split_words(test_line) if isinstance(test_line, str) else _words(test_line)
        if gold != test and "".join(gold) != "".join(test):
            raise _mismatch(gold, test, number, gold_name, test_name)
        yield gold, test


def score_files(
    gold: str | os.PathLike[str],
    test: str | os.PathLike[str],
    training_words: str | os.PathLike[str] | None = None,
) -> Score:
    """:func:`score` over files, as the script takes them (word list, gold, answer).

    Raises:
        DictionaryError: the texts differ; names file and line.
        EncodingError: a file is not UTF-8.
        OSError: a file cannot be read.
    """
    return score(
        read_lines(gold),
        read_lines(test),
        None if training_words is None else read_words(training_words),
        gold_name=os.fspath(gold),
        test_name=os.fspath(test),
    )


def format_summary(result: Score) -> str:
    """The closing block of the script's output, with its labels, tabs and three digits."""
    rows: dict[str, object] = {
        "TOTAL INSERTIONS": result.insertions,
        "TOTAL DELETIONS": result.deletions,
        "TOTAL SUBSTITUTIONS": result.substitutions,
        "TOTAL NCHANGE": result.changes,
        "TOTAL TRUE WORD COUNT": result.true_words,
        "TOTAL TEST WORD COUNT": result.test_words,
    }
    labels = (label for label, _ in _RATES.values())
    rows.update(zip(labels, _rates(result), strict=True))
    return "".join(f"=== {label}:\t{value}\n" for label, value in rows.items())


def format_table(
    rows: Iterable[tuple[str, Score]] | Iterable[tuple[Sequence[str], Score]],
    *,
    header: Sequence[str] = ("text",),
) -> str:
    """A Markdown table of scores, one row each, the script's figures in the script's order.

    Args:
        rows: (name, score) pairs; a name may be a sequence of cells, one for each of `header`.
        header: titles of the leading cells.

    Raises:
        ArgumentError: a row has another number of leading cells than `header`.
    """
    titles = [*header, "gold words", "test words", *(title for _, title in _RATES.values())]
    lines = [
        "| " + " | ".join(titles) + " |",
        "|" + "---|" * len(header) + "---:|" * (len(titles) - len(header)),
    ]
    for name, result in rows:
        cells = [name] if isinstance(name, str) else list(name)
        if len(cells) != len(header):
            raise ArgumentError(
                f"rows: {cells!r} has {len(cells)} leading cells, header names {len(header)}; "
                "give one cell for each title"
            )
        cells += [f"{result.true_words:,}", f"{result.test_words:,}", *_rates(result)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _rates(result: Score) -> list[str]:
    values = [getattr(result, name) for name in _RATES]
    return ["--" if value is None else f"{value:2.3f}" for value in values]


def _words(words: Sequence[str]) -> list[str]:
    """The words of a sequence as the script would see them written out with blanks between."""
    if any(not word or not _BLANK_SET.isdisjoint(word) for word in words):
        return [part for word in words for part in split_words(word)]
    return list(words)


def _mismatch(
    gold: Sequence[str], test: Sequence[str], number: int, gold_name: str, test_name: str
) -> DictionaryError:
    gold_text, test_text = "".join(gold), "".join(test)
    position = next(
        (k for k, (a, b) in enumerate(zip(gold_text, test_text, strict=False)) if a != b),
        min(len(gold_text), len(test_text)),
    )
    return DictionaryError(
        test_name,
        number,
        f"the text differs from {gold_name} at character {position} (blanks not counted): "
        f"{test_text[position : position + 8]!r} against {gold_text[position : position + 8]!r}; "
        "segment the gold file's own text with its blanks removed",
    )
