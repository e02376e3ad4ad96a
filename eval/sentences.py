"""``python -m eval.sentences``: how often the ends of sentences are found.

The development text of the gold folders is one sentence a line.  Its lines are joined without
anything between them, and :func:`segmenter.sentences` has to part them again.  Many of these lines
end without a mark (titles, signatures, microblogs), or at a comma (MSR): nothing in the joined text
tells of those.  Results: ``eval/results/sentences.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import sys
from itertools import accumulate
from typing import TYPE_CHECKING

from eval import common
from segmenter import sentences
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What ends a sentence in writing; closing quotes and brackets may follow.
MARKS, CLOSING = "。！？!?….", "”’」』）)】》\"'"


def score(lines: list[str]) -> dict[str, float]:
    """Precision, recall and F1 of ends, and recall of those that have a mark."""
    wanted = set(accumulate(map(len, lines)))
    text = "".join(lines)
    found = {s.end for s in sentences(text)}
    right = len(wanted & found)
    marked = {
        end
        for end, line in zip(accumulate(map(len, lines)), lines, strict=True)
        if line.rstrip(CLOSING).endswith(tuple(MARKS))
    }
    precision, recall = right / len(found), right / len(wanted)
    return {
        "lines": len(lines),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "marked": len(marked) / len(wanted),
        "recall of marked": len(marked & found) / len(marked) if marked else 0.0,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.sentences", description="How often the ends of sentences are found."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    gold = common.data_dir(given.data) / "gold"
    saved = {}
    for folder in sorted(path for path in gold.iterdir() if (path / "dev.txt").exists()):
        lines = [scoring.join_words(line) for line in scoring.read_lines(folder / "dev.txt")]
        saved[folder.name] = score([line for line in lines if line])
    about = common.facts()
    names = ("precision", "recall", "f1", "marked", "recall of marked")
    rows = [
        [name, f"{got['lines']:,}", *(f"{got[key]:.3f}" for key in names)]
        for name, got in saved.items()
    ]
    head = ("corpus", "lines", "precision", "recall", "F1", "lines with a mark", "recall of these")
    report = "\n".join(
        [
            common.heading("Ends of sentences", about, "python -m eval.sentences"),
            common.table(head, rows),
            "",
            "- The lines of each corpus's development text, a sentence each, joined without a line "
            "end between them. Nothing tells of the end of a line without a mark of a sentence's "
            "end (titles, signatures; all of wtb and sinica; MSR parts at commas too): *lines with "
            "a mark* is their share, and the most that recall can be.",
        ]
    )
    print(report)
    if not given.dry:
        common.write("sentences", report, {**about, "corpora": saved})
    return 0


if __name__ == "__main__":
    sys.exit(main())
