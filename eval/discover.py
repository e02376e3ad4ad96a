"""How many of the words that are discovered in raw text are words: the national corpus, unblanked.

The corpus is segmented, so it says itself which strings are words.  Twice: knowing nothing, and
knowing the words of the shipped lexicon, as ``segmenter discover`` does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from eval import common
from segmenter import default
from segmenter.text import chars
from segmenter.text.chars import fold_str
from segmenter.train.discover import discover_in

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from segmenter.train.discover import NewWord

TOPS = (100, 300, 1000)
MIN_COUNT, MAX_LENGTH = 10, 4


def gold(lines: Sequence[str]) -> Counter[str]:
    """How often every word of the corpus stands there, folded."""
    return Counter(word for line in lines for word in fold_str(line).split())


def is_word(word: NewWord, counts: Counter[str]) -> bool:
    """Whether the corpus has the string as a word at least every other time."""
    return 2 * counts[word.word] >= word.frequency


def findable(counts: Counter[str], known: Collection[Container[str]]) -> set[str]:
    """The words of the corpus that could be found."""
    han = (chars.HAN, chars.HANNUM)
    return {
        word
        for word, count in counts.items()
        if count >= MIN_COUNT
        and 2 <= len(word) <= MAX_LENGTH
        and all(chars.char_class(ord(c)) in han for c in word)
        and not any(word in words for words in known)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.discover", description="Words discovered in raw text."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)

    path = common.data_dir(given.data) / "national" / "segmented.txt"
    lines = path.read_text("utf-8").splitlines()
    counts = gold(lines)
    raw = ["".join(line.split()) for line in lines]
    rows: list[list[str]] = []
    shown = ""
    results: dict[str, object] = {}
    for name, known in (("nothing", ()), ("the shipped lexicon", (default.segmenter().lexicon,))):
        before = time.process_time()
        found = discover_in(lambda: raw, known=known, min_count=MIN_COUNT, max_length=MAX_LENGTH)
        seconds = time.process_time() - before
        words = found.words
        right = {w.word for w in words if is_word(w, counts)}
        there = findable(counts, known)
        rows.append(
            [
                name,
                f"{len(words):,}",
                *(f"{sum(w.word in right for w in words[:k]) / k:.0%}" for k in TOPS),
                f"{len(right) / len(words):.0%}",
                f"{len(right & there):,} of {len(there):,}",
                f"{found.strings:,}",
                f"{seconds:.0f}",
            ]
        )
        shown = " ".join(w.word for w in words[:80])
        results[name] = {
            "proposed": len(words), "right": len(right), "there": len(there),
            "found": len(right & there), "strings": found.strings, "missed": found.missed,
            "characters": found.characters, "seconds": seconds,
            "top": {k: sum(w.word in right for w in words[:k]) for k in TOPS},
        }  # fmt: skip
    about = common.facts(["numpy"])
    report = "\n".join(
        [
            common.heading("Discovery of words", about, "python -m eval.discover"),
            f"Raw text of the national corpus ({found.characters:,} Han characters); strings of 2 "
            f"to {MAX_LENGTH} characters that stand there {MIN_COUNT} times and more, the other "
            "thresholds as they are by default. A proposal counts as a word where the corpus's own "
            "segmentation has it as one at least every other time.\n",
            common.table(
                (
                    "known before", "proposed", *(f"first {k:,}" for k in TOPS), "all",
                    "found of what there is", "strings held", "seconds",
                ),
                rows,
            ),
            "",
            "The shipped lexicon has nearly all words of this corpus: it was built from it among "
            "others. What is left are phrases, titles with names and some words; the first of "
            f"them:\n\n{shown}",
        ]
    )  # fmt: skip
    print(report)
    if not given.dry:
        common.write("discover", report, {**about, "rows": results})
    return 0


if __name__ == "__main__":
    sys.exit(main())
