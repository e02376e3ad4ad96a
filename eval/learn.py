"""Whether a text's own names are whole after `Segmenter.learn`, and whether other words are hurt.

Names (`learn.tsv`) were listed by hand from counts of strings alone, before any result was seen:
those of a book that stand in its passages four times and more and are not in the shipped lexicon,
and afterwards full names that hold a listed one.  A novel's passages are the lines of the raw text
near its characters' names; the raw text has passages of many novels.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segmenter import Segmenter
    from segmenter.choices import Decoder
    from segmenter.lexicon.learning import Learner
    from segmenter.lexicon.user import UserWord


class Book(NamedTuple):
    """A text: a file of the raw folder, names whose neighbourhood it is, and the listed names."""

    title: str
    file: str
    near: tuple[str, ...]
    names: tuple[str, ...]


BOOKS = [
    Book(title, file, tuple(near.split()), tuple(names.split()))
    for title, file, near, names in (
        line.split("\t")
        for line in (Path(__file__).parent / "learn.tsv").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
]
#: Lines before and behind one with a character's name that count as the book's.
REACH = 12
GOLD = ("ctb", "sxu", "msr", "weibo", "ud", "wtb", "sinica")
LEVELS = ("learn", "prefer", "weight", "heavy")


def lines_of(book: Book, data: Path) -> list[str]:
    """The lines of the book."""
    with lzma.open(data / "raw" / f"{book.file}.txt.xz", "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    if not book.near:
        return lines
    keep = bytearray(len(lines))
    for i, line in enumerate(lines):
        if any(name in line for name in book.near):
            for k in range(max(0, i - REACH), min(len(lines), i + REACH + 1)):
                keep[k] = 1
    return [line for line, kept in zip(lines, keep, strict=True) if kept]


def spans(words: Sequence[str]) -> set[tuple[int, int]]:
    out, at = set(), 0
    for word in words:
        out.add((at, at := at + len(word)))
    return out


def whole(
    s: Segmenter, lines: list[str], names: Sequence[str]
) -> tuple[Counter[str], Counter[str]]:
    """Of every name its places, those inside a longer listed name left out, and the whole ones."""
    places: Counter[str] = Counter()
    there: Counter[str] = Counter()
    names = sorted(names, key=len, reverse=True)
    for line, words in zip(lines, s.cut_batch(lines), strict=True):
        found, taken = spans(words), set[int]()
        for name in names:
            at = line.find(name)
            while at >= 0:
                if at not in taken:
                    places[name] += 1
                    there[name] += (at, at + len(name)) in found
                    taken.update(range(at, at + len(name)))
                at = line.find(name, at + 1)
    return places, there


def at_level(words: list[UserWord], level: str, learner: Learner) -> list[UserWord]:
    """The learned words as they are, or competing by their count, or by 10,000 times it."""
    if level == "learn":
        return words
    if level == "prefer":
        return [w._replace(level="prefer", weight=None) for w in words]
    scale = learner.lexicon.meta["mass"] / max(learner.characters, 1)
    scale *= 10_000 if level == "heavy" else 1
    return [w._replace(level="weight", weight=scale * learner.found[w.word].places) for w in words]


def f1(gold: list[list[str]], got: list[list[str]]) -> float:
    right = sum(len(spans(a) & spans(b)) for a, b in zip(gold, got, strict=True))
    return 2 * right / (sum(map(len, gold)) + sum(map(len, got)))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m eval.learn", description="Names of a text, with and without learning."
    )
    parser.add_argument("--data", help="folder of the corpora (default: ../shared/data)")
    parser.add_argument("--changed", type=int, metavar="N", help="print N changed places, to read")
    given = parser.parse_args(argv)
    data = common.data_dir(given.data)
    books = {book: lines_of(book, data) for book in BOOKS}
    dev = {
        g: [ln.split() for ln in (data / "gold" / g / "dev.txt").open(encoding="utf-8")]
        for g in GOLD
    }
    about = common.facts(["numpy"])
    rows = ["| text | decoder | learned | seconds | places | without | " + " | ".join(LEVELS)
            + " | names whole in 95%, of all: without | " + " | ".join(LEVELS) + " |",
            "|---|---|---:|---:|---:|---:|" + "---:|" * (2 * len(LEVELS) + 1)]  # fmt: skip
    golds = ["| gold dev | decoder | learned | F1 without | " + " | ".join(LEVELS) + " |",
             "|---|---|---:|---:|" + "---:|" * len(LEVELS)]  # fmt: skip
    failed: list[str] = []
    systems: tuple[tuple[str, Decoder | None], ...] = (
        ("balanced", None),
        ("fast", None),
        ("accurate", None),
        ("fast", "unigram"),
    )
    for name, decoder in systems:
        s = load_by_name(name, decoder=decoder)
        title = decoder or name
        for book, lines in books.items():
            started = time.perf_counter()
            learner = s._learner()
            learner.read(lines)
            words = learner.words()
            seconds = time.perf_counter() - started
            places, before = whole(s, lines, book.names)
            shares, names = [], []
            for level in ("", *LEVELS):
                after = before
                if level:
                    t = s.with_words(at_level(words, level, learner))
                    _, after = whole(t, lines, book.names)
                shares.append(f"{after.total() / places.total():.1%}")
                good = [n for n in places if after[n] >= 0.95 * places[n]]
                names.append(f"{len(good)} of {len(places)}")
                if level == "learn":
                    bad = [
                        f"{n} {before[n]}→{after[n]} of {places[n]}"
                        for n in places
                        if n not in good
                    ]
                    if bad:
                        failed.append(f"- {book.title}, {title}: " + ", ".join(bad))
            row = (book.title, title, len(words), f"{seconds:.1f}", places.total(), *shares, *names)
            rows.append(f"| {' | '.join(map(str, row))} |")
            print(rows[-1], flush=True)
            if given.changed:
                show(s, s.with_words(words), lines, set(book.names), given.changed)
        for g, gold in dev.items():
            texts = ["".join(words) for words in gold]
            learner = s._learner()
            learner.read(texts)
            words = learner.words()
            scores = [f1(gold, s.cut_batch(texts))]
            for level in LEVELS:
                t = s.with_words(at_level(words, level, learner))
                scores.append(f1(gold, t.cut_batch(texts)))
            golds.append(
                f"| {g} | {title} | {len(words)} | {' | '.join(f'{x:.4f}' for x in scores)} |"
            )
            print(golds[-1], flush=True)
    report = "\n".join(
        [
            common.heading("A text's own names", about, "python -m eval.learn"),
            "A novel's passages, and names listed by hand from counts alone; `learn` reads what",
            "is cut. `learn` has words of two levels; the other columns have them all at one:",
            "preferred, competing by their count beside the lexicon's, and by 10,000 times it.",
            "",
            *rows,
            "",
            "Names not whole in 95% of their places (whole without learning → with, of all):",
            "",
            *failed,
            "",
            "Word F1 of the gold dev files, learned from their own text. The standard is general",
            "and the files have other conventions, so only differences mean something.",
            "",
            *golds,
            "",
        ]
    )
    common.write("learn", report, {**about, "rows": rows, "gold": golds})
    return 0


def show(s: Segmenter, t: Segmenter, lines: list[str], names: set[str], n: int) -> None:
    """Prints changed places other than listed names, evenly over the text."""
    changed = []
    for line, a, b in zip(lines, s.cut_batch(lines), t.cut_batch(lines), strict=True):
        for x, y in sorted(spans(b) - spans(a)):
            if line[x:y] not in names and line[x:y] in t.user:
                changed.append(f"{line[max(0, x - 8) : x]}[{line[x:y]}]{line[y : y + 8]}")
    for row in changed[:: max(1, len(changed) // n)]:
        print("   ", row)


if __name__ == "__main__":
    sys.exit(main())
