"""Compiles the word lists and n-gram counts beside this file into models/<standard>.lex.

    python dicts/compile.py [--tables dicts] [--out models] [general] [pku] [small]

``small``, made only where it is named, is ``general`` pruned to a download of a megabyte (js/).
Needs no corpus, only this folder.  Same input, same bytes.  The settings were chosen on the
development files (dicts/README.md); the command prints what it built.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent, HERE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from tables import read_counts  # noqa: E402

from segmenter.lexicon import Lexicon  # noqa: E402
from segmenter.lexicon.ngrams import ANY, BOUNDARY  # noqa: E402
from segmenter.text import variants  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

STANDARDS = ("general", "pku")
DISCOUNT = 0.8  # 0.5 to 0.95 lie within 0.0003 of one another on dev
UNKNOWN = 0.05  # count of a character that no list has: a quarter of the rarest word's
# Pairs seen twice make no difference on dev (general 0.9648 / 0.9649 with and without them) and
# would be half of the table; nor do those of general that text of today brings up to 3.4, at a
# fifth of an occurrence each.
PAIR_MIN = {"general": 3.4, "pku": 3.0}
# Of `small`: rarer words are left out, and counts are rounded to steps in nats, so that equal costs
# pack well (6% of the file for 0.0004 of F1 and one of 192 items).
SMALL_MIN = 1.0
SMALL_STEP = 0.25


def compile_standard(standard: str, tables: Path = HERE) -> Lexicon:
    """The lexicon of a standard, with its bigram and trigram model.

    Args:
        standard: ``"general"`` or ``"pku"``.
        tables: folder with the counts of each standard.
    """
    counted = read_counts(tables / standard)
    # totals: what the pairs of a history are divided by, those left out included
    bigrams = [(word, ANY, total) for word, total in counted.totals().items()]
    bigrams += [row for row in counted.bigrams if row[2] >= PAIR_MIN[standard]]
    return Lexicon.build(
        counted.words,
        name=f"{standard}.lex",
        kinds={name: n for name, n in counted.kinds.items() if name != BOUNDARY},
        bigrams=bigrams,
        trigrams=counted.trigrams,
        discount=DISCOUNT,
        unknown=UNKNOWN,
        # Traditional rows of the lists would bring words back that the text was found to split
        # (不會), so they stay beside the others, for text that is cut with variants=False.
        fold_variants=False,
        meta={"standard": standard},
    )


def compile_small(tables: Path = HERE) -> Lexicon:
    """The frequent words of ``general`` with rounded counts, for the unigram lattice alone.

    Args:
        tables: as for :func:`compile_standard`.
    """
    counted = read_counts(tables / "general")
    kinds = {name: n for name, n in counted.kinds.items() if name != BOUNDARY}
    words = [
        (word, round(math.exp(SMALL_STEP * round(math.log(n) / SMALL_STEP)), 3), "")
        for word, n, _ in counted.words
        # Traditional forms are read as these, so rows of them would only help variants=False
        if (n >= SMALL_MIN or len(word) == 1) and variants.fold_str(word) == word
    ]
    return Lexicon.build(
        words,
        name="small.lex",
        kinds=kinds,
        unknown=UNKNOWN,
        total=sum(n for _, n, _ in counted.words) + sum(kinds.values()),
        fold_variants=False,
        meta={"standard": "general"},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python dicts/compile.py", description="Compile the lexicons."
    )
    parser.add_argument("standard", nargs="*", help=f"default: {' '.join(STANDARDS)}")
    parser.add_argument("--out", type=Path, default=HERE.parent / "models")
    parser.add_argument("--tables", type=Path, default=HERE, help="folder with the counts")
    args = parser.parse_args(arguments)
    for standard in args.standard or STANDARDS:
        if standard not in (*STANDARDS, "small"):
            parser.error(f"standard: {standard!r} is not one of {', '.join(STANDARDS)}, small")
        small = standard == "small"
        lexicon = compile_small(args.tables) if small else compile_standard(standard, args.tables)
        path = args.out / f"{standard}.lex"
        lexicon.save(path)
        print(
            f"{path}: {len(lexicon):,} words, {path.stat().st_size:,} bytes, {lexicon.digest[:16]}"
        )


if __name__ == "__main__":
    main()
