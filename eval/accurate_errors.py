"""Errors on the PKU test: those where training and test text disagree, and those that are ours.

Gold and found words are compared stretch by stretch, between boundaries that both have.  A stretch
that differs is put down to

* **drift** where the training text (January and February) cuts that string as we do, and more often
  so than as the test text does: no model of that text can know better;
* **against training** where the training text has it as the test text has it at least as often;
* **new** where the training text has neither.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import segmenter
from eval import common
from segmenter.train import scoring
from segmenter.train.corpus import read_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMAND = "python -m eval.accurate_errors"
LONGEST = 6  # words of a stretch that is looked for in the training text
KINDS = ("drift", "against training", "new")
SHAPES = ("we join", "we split", "boundaries moved")


class Stretch(NamedTuple):
    """Words of a stretch of text, and the number of the first that was found there."""

    gold: tuple[str, ...]
    found: tuple[str, ...]
    first: int


def stretches(gold: Sequence[str], found: Sequence[str]) -> list[Stretch]:
    """The stretches of a sentence that differ, between boundaries that both have.

    >>> stretches(["a", "b", "c"], ["ab", "c"])
    [Stretch(gold=('a', 'b'), found=('ab',), first=0)]
    """

    def ends(words: Iterable[str]) -> list[int]:
        at, out = 0, []
        for word in words:
            at += len(word)
            out.append(at)
        return out

    gold_ends, found_ends = ends(gold), ends(found)
    out: list[Stretch] = []
    g = f = 0
    for _, end in pairwise([0, *sorted({*gold_ends} & {*found_ends})]):
        g_next, f_next = gold_ends.index(end, g) + 1, found_ends.index(end, f) + 1
        ours, theirs = tuple(found[f:f_next]), tuple(gold[g:g_next])
        if ours != theirs:
            out.append(Stretch(theirs, ours, f))
        g, f = g_next, f_next
    return out


def counts_in(
    training: Iterable[Sequence[str]], wanted: set[tuple[str, ...]]
) -> Counter[tuple[str, ...]]:
    """How often sequences of words stand in segmented text.

    >>> counts_in([["a", "b", "a", "b"]], {("a", "b"), ("c",)})
    Counter({('a', 'b'): 2})
    """
    first: dict[str, set[int]] = {}
    for words in wanted:
        first.setdefault(words[0], set()).add(len(words))
    out: Counter[tuple[str, ...]] = Counter()
    for sentence in training:
        for i, word in enumerate(sentence):
            for n in first.get(word, ()):
                key = tuple(sentence[i : i + n])
                if key in wanted:
                    out[key] += 1
    return out


def kind_of(stretch: Stretch, seen: Counter[tuple[str, ...]]) -> str:
    """One of :data:`KINDS`."""
    theirs, ours = seen[stretch.gold], seen[stretch.found]
    if ours > theirs:
        return KINDS[0]
    return KINDS[1] if theirs else KINDS[2]


def shape_of(stretch: Stretch) -> str:
    """One of :data:`SHAPES`."""
    more = len(stretch.gold) - len(stretch.found)
    return SHAPES[0] if more > 0 else SHAPES[1] if more < 0 else SHAPES[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut, compare, print and save."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Errors on the PKU test: drift of the convention, and ours."
    )
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--presets", nargs="+", default=["balanced", "accurate"])
    given = parser.parse_args(arguments)
    data = common.data_dir(given.data)
    gold = read_corpus([data / "sighan2005" / "pku_test_gold.utf8"]).sentences
    training = read_corpus(
        [data / "pku" / "train_jan.txt", data / "pku" / "train_feb.txt"]
    ).sentences
    known = {word for words in training for word in words}
    found: dict[str, list[list[str]]] = {}
    differ: dict[str, list[Stretch]] = {}
    for preset in given.presets:
        cut = segmenter.load(preset, standard="pku").cut
        found[preset] = [cut("".join(words)) for words in gold]
        differ[preset] = [
            s for pair in zip(gold, found[preset], strict=True) for s in stretches(*pair)
        ]
    wanted = {
        words
        for all_of in differ.values()
        for s in all_of
        for words in s[:2]
        if len(words) <= LONGEST
    }
    seen = counts_in(training, wanted)
    rows, shapes, table = [], [], {}
    for preset in given.presets:
        kinds = Counter(kind_of(s, seen) for s in differ[preset])
        both = Counter((kind_of(s, seen), shape_of(s)) for s in differ[preset])
        unknown = Counter(
            kind_of(s, seen) for s in differ[preset] if any(w not in known for w in s.gold)
        )
        forgiven = _forgive(gold, found[preset], seen)
        f1 = scoring.score(gold, found[preset], known).f1
        without = scoring.score(gold, forgiven, known).f1
        total = sum(kinds.values())
        share = [f"{kinds[k]:,} ({kinds[k] / total:.0%})" for k in KINDS]
        rows.append((preset, f"{f1:.4f}", f"{total:,}", *share, f"{without:.4f}"))
        shapes += [
            (preset, kind, *(f"{both[kind, x]:,}" for x in SHAPES), f"{unknown[kind]:,}")
            for kind in KINDS
        ]
        table[preset] = {"f1": f1, "f1_without_drift": without, "kinds": kinds}
    about = common.facts()
    often = Counter(
        s._replace(first=0) for s in differ[given.presets[-1]] if sum(map(len, s.gold)) <= 6
    )
    examples = [
        (kind_of(s, seen), " / ".join(s.gold), " / ".join(s.found),
         str(n), f"{seen[s.gold]:,} : {seen[s.found]:,}")
        for s, n in sorted(often.items(), key=lambda x: (-x[1], x[0]))[:40]
    ]  # fmt: skip
    report = "\n".join(
        [
            common.heading("Errors on the PKU test", about, COMMAND),
            str(__doc__).split("\n", 2)[2].strip(),
            "",
            common.table(("preset", "F1", "stretches", *KINDS, "F1 were drift forgiven"), rows),
            "How they differ, and in how many the test text has a word that the training text has",
            "not:",
            "",
            common.table(("preset", "kind", *SHAPES, "with an unknown word"), shapes),
            f"The most frequent ones of `{given.presets[-1]}` (up to six characters; last column:",
            "how often the training text has the one and the other):",
            "",
            common.table(("kind", "test text", "we", "times", "in training"), examples),
        ]
    )
    print(report)
    common.write("accurate_errors", report, {**about, "presets": table})
    return 0


def _forgive(
    gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]], seen: Counter[tuple[str, ...]]
) -> list[list[str]]:
    """What was found, with the gold words where the difference is drift."""
    out: list[list[str]] = []
    for theirs, ours in zip(gold, found, strict=True):
        words = list(ours)
        for s in reversed(stretches(theirs, ours)):
            if kind_of(s, seen) == KINDS[0]:
                words[s.first : s.first + len(s.found)] = s.gold
        out.append(words)
    return out


if __name__ == "__main__":
    sys.exit(main())
