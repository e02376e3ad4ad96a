"""The differences between two segmentations of one text, as an annotator needs them.

A disagreement is a pair of segmentations of the same characters between two boundaries that both
sides have.  A pair and its reverse are one row: if both directions occur, one side is inconsistent,
and the annotation guide leaves a case open.

>>> gold = ["在 北京大学 读书", "北京 大学 很 大", "他 在 北京大学"]
>>> ours = ["在 北京 大学 读书", "北京大学 很 大", "他 在 北京 大学"]
>>> [(row.gold, row.test, row.places, row.reverse) for row in compare(gold, ours).rows]
[('北京大学', '北京 大学', 2, 1)]
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from segmenter.train.scoring import aligned, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_AROUND = 4  # words of an example on either side


class Disagreement(NamedTuple):
    """One kind of difference between two segmentations.

    Attributes:
        gold, test: the words of both sides, separated by blanks.
        places: number of places with this difference.
        reverse: number of places with the opposite difference.
        examples, reverse_examples: some of the places: gold words, with those that differ in
            brackets.
    """

    gold: str
    test: str
    places: int
    reverse: int
    examples: list[str]
    reverse_examples: list[str]


class Comparison(NamedTuple):
    """What :func:`compare` finds.

    Attributes:
        gold_words, test_words: words of both sides.
        places: number of stretches that differ.
        joined, split, moved: how many of them have fewer, more, or as many words in the answer.
        rows: the disagreements, the most frequent first.
    """

    gold_words: int
    test_words: int
    places: int
    joined: int
    split: int
    moved: int
    rows: list[Disagreement]


def compare(
    gold_lines: Iterable[str | Sequence[str]],
    test_lines: Iterable[str | Sequence[str]],
    *,
    examples: int = 2,
    gold_name: str = "gold",
    test_name: str = "test",
) -> Comparison:
    """Compare two segmentations line by line.

    Args:
        gold_lines, test_lines, gold_name, test_name: as for
            :func:`segmenter.train.scoring.score`, also for errors.
        examples: how many places to keep of each disagreement.
    """
    counts: Counter[tuple[str, str]] = Counter()
    examples_by_pair: dict[tuple[str, str], list[str]] = {}
    gold_words = test_words = joined = split = moved = 0
    for gold, test in aligned(gold_lines, test_lines, gold_name=gold_name, test_name=test_name):
        gold_words += len(gold)
        test_words += len(test)
        for a, b, c, d in _stretches(gold, test):
            pair = " ".join(gold[a:b]), " ".join(test[c:d])
            counts[pair] += 1
            joined += d - c < b - a
            split += d - c > b - a
            moved += d - c == b - a
            pair_examples = examples_by_pair.setdefault(pair, [])
            if len(pair_examples) < examples:
                before, after = gold[max(0, a - _AROUND) : a], gold[b : b + _AROUND]
                pair_examples.append(" ".join([*before, f"[{pair[0]}]", *after]))
    rows = []
    for (gold_part, test_part), n in counts.items():
        reverse = counts.get((test_part, gold_part), 0)
        if (n, gold_part) < (reverse, test_part):
            continue  # the row of the opposite difference
        places = examples_by_pair[gold_part, test_part]
        reverse_places = examples_by_pair.get((test_part, gold_part), [])
        rows.append(Disagreement(gold_part, test_part, n, reverse, places, reverse_places))
    rows.sort(key=lambda row: (-row.places - row.reverse, row.gold, row.test))
    return Comparison(gold_words, test_words, sum(counts.values()), joined, split, moved, rows)


def compare_files(
    gold: str | os.PathLike[str], test: str | os.PathLike[str], *, examples: int = 2
) -> Comparison:
    """:func:`compare` over files.

    Raises:
        DictionaryError: the texts differ; names file and line.
        EncodingError: a file is not UTF-8.
        OSError: a file cannot be read.
    """
    return compare(
        read_lines(gold),
        read_lines(test),
        examples=examples,
        gold_name=os.fspath(gold),
        test_name=os.fspath(test),
    )


def format_comparison(result: Comparison, top: int = 20) -> str:
    """The report as text: totals, and the commonest disagreements with examples."""
    lines = [
        f"{result.gold_words:,} words against {result.test_words:,}; they part in "
        f"{result.places:,} places: {result.joined:,} joined, {result.split:,} split, "
        f"{result.moved:,} moved; {len(result.rows):,} different ones"
    ]
    for row in result.rows[:top]:
        lines.append(f"\n{row.places:>6,}  {row.gold} → {row.test}")
        lines += (f"        {place}" for place in row.examples)
        if row.reverse:
            lines.append(f"{row.reverse:>6,}  the other way, {row.test} → {row.gold}")
            lines += (f"        {place}" for place in row.reverse_examples)
    return "\n".join(lines) + "\n"


def _stretches(gold: Sequence[str], test: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches that differ: first and end of the gold words, and of the test's."""
    i = j = a = c = 0
    gold_end = test_end = 0
    while i < len(gold) or j < len(test):
        if gold_end <= test_end:
            gold_end += len(gold[i])
            i += 1
        if test_end < gold_end:
            test_end += len(test[j])
            j += 1
        if gold_end == test_end:
            if i - a != 1 or j - c != 1:
                yield a, i, c, j
            a, c = i, j
