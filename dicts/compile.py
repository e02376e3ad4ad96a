"""Compiles the word lists and n-gram counts beside this file into models/<standard>.lex.

    python dicts/compile.py [--out models] [general] [pku]

Needs no corpus, only this folder.  Same input, same bytes.  The settings were chosen on the
development files (dicts/README.md); the command prints what it built.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.lexicon import Lexicon
from segmenter.lexicon.builder import ANY, BOUNDARY, CLASS_TOKENS, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).resolve().parent
STANDARDS = ("general", "pku")
DISCOUNT = 0.8  # 0.5 to 0.95 lie within 0.0003 of one another on dev
UNKNOWN = 0.05  # count of a character that no list has: a quarter of the rarest word's
# Pairs seen twice make no difference on dev (general 0.9648 / 0.9649 with and without them) and
# would be half of the table.
PAIR_MIN = 3.0


def rows(path: Path) -> Iterator[list[str]]:
    """The fields of every line of a tab-separated file."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")


def compile_standard(standard: str) -> Lexicon:
    """The lexicon of a standard, with its bigram and trigram model."""
    folder = HERE / standard
    entries: list[Entry] = []
    kinds: dict[str, float] = {}
    bigrams: list[tuple[str, str, float]] = []
    for path in sorted(folder.glob("words-*.tsv")):
        for word, count, tag in rows(path):
            if path.name == "words-text.tsv":  # what a history's pairs are divided by
                bigrams.append((word, ANY, float(count)))
            if word in CLASS_TOKENS:
                kinds[word] = float(count)
            elif word != BOUNDARY:
                entries.append(Entry(word, float(count), tag))
    for first, second, count in rows(folder / "bigrams.tsv"):
        if float(count) >= PAIR_MIN:
            bigrams.append((first, second, float(count)))
    trigrams = ((a, b, c, float(count)) for a, b, c, count in rows(folder / "trigrams.tsv"))
    return Lexicon.build(
        entries,
        name=f"{standard}.lex",
        kinds=kinds,
        bigrams=bigrams,
        trigrams=trigrams,
        discount=DISCOUNT,
        unknown=UNKNOWN,
        meta={"standard": standard},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python dicts/compile.py", description="Compile the lexicons."
    )
    parser.add_argument("standard", nargs="*", help=f"default: {' '.join(STANDARDS)}")
    parser.add_argument("--out", type=Path, default=HERE.parent / "models")
    given = parser.parse_args(arguments)
    for standard in given.standard or STANDARDS:
        if standard not in STANDARDS:
            parser.error(f"standard: {standard!r} is none of {', '.join(STANDARDS)}")
        lexicon = compile_standard(standard)
        path = given.out / f"{standard}.lex"
        lexicon.save(path)
        print(
            f"{path}: {len(lexicon):,} words, {path.stat().st_size:,} bytes, {lexicon.digest[:16]}"
        )


if __name__ == "__main__":
    main()
