"""``python -m eval.words_of_today``: are words of 2010-2026 whole in plain sentences?

The list (``words_of_today.tsv``: word, field, part, sentence) is not a lexicon source.  The parts
``choose``, for choosing sources and thresholds, and ``report`` were frozen before any lexicon was
built; the goal is 95% of ``report`` in every preset.  Which words of ``report`` are split has been
read while taggers were tuned, so ``fresh`` was written after all lexicons and models of version
0.1 had been built: only how many are whole is printed, never which.  Results:
``eval/results/words_of_today.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from segmenter.errors import DictionaryError
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter.choices import Decoder

LIST = Path(__file__).resolve().parent / "words_of_today.tsv"
PARTS = ("choose", "report", "fresh")
GOAL = 0.95

# Preset and decoder of each row; a later preset is one more line.
CONFIGURATIONS: tuple[tuple[str, Decoder | None], ...] = (
    ("accurate", None),
    ("balanced", None),
    ("fast", None),
    ("fast", "unigram"),
    ("fast", "bigram"),
    ("fast", "trigram"),
    ("fast", "shortest"),
    ("fast", "bidirectional-max"),
)


class Item(NamedTuple):
    """A line of the list."""

    word: str
    field: str
    part: str
    sentence: str


class Row(NamedTuple):
    """One configuration on one part of the list."""

    name: str
    part: str
    whole: int
    words: int
    split: list[str]


def read_list(path: Path = LIST) -> list[Item]:
    """The list.

    Raises:
        DictionaryError: a line has not four fields, a part is unknown or a sentence lacks its
            word; names file and line.
    """
    items = []
    for number, line in enumerate(scoring.read_lines(path), 1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[2] not in PARTS or fields[0] not in fields[3]:
            raise DictionaryError(
                str(path),
                number,
                "expected word, field, part (choose, report or fresh), sentence with the word",
            )
        items.append(Item(*fields))
    return items


def measure(name: str, cut: Callable[[str], Sequence[str]], items: Sequence[Item]) -> list[Row]:
    """How many words of each part come out whole; which are split is kept of ``report`` alone."""
    rows = []
    for part in PARTS:
        mine = [item for item in items if item.part == part]
        split = [item.word for item in mine if item.word not in cut(item.sentence)]
        named = split if part == "report" else []
        rows.append(Row(name, part, len(mine) - len(split), len(mine), named))
    return rows


def markdown(about: dict[str, object], rows: Sequence[Row]) -> str:
    """The report."""
    return "\n".join(
        [
            common.heading("Words of today", about, "python -m eval.words_of_today"),
            'Words of 2010-2026 whole in a plain sentence, `standard="general"`.\n',
            common.table(
                ("configuration", "part", "whole", "of", "share", "split"),
                (
                    (
                        row.name,
                        row.part,
                        row.whole,
                        row.words,
                        f"{row.whole / row.words:.1%}",
                        " ".join(row.split),
                    )
                    for row in rows
                ),
                left=2,
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save; 1 when a preset keeps fewer than 95% of ``report``."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.words_of_today", description="Words of today kept whole."
    )
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    from segmenter.loading import load_by_name

    items = read_list()
    rows: list[Row] = []
    for preset, decoder in CONFIGURATIONS:
        name = preset if decoder is None else f"{preset}, {decoder}"
        rows += measure(name, load_by_name(preset, decoder=decoder).cut, items)
    about = common.facts()
    report = markdown(about, rows)
    print(report)
    if not given.dry:
        common.write("words_of_today", report, {**about, "rows": [r._asdict() for r in rows]})
    presets = {preset for preset, decoder in CONFIGURATIONS if decoder is None}
    low = [r for r in rows if r.part == "report" and r.name in presets]
    return 0 if all(r.whole >= GOAL * r.words for r in low) else 1


if __name__ == "__main__":
    sys.exit(main())
