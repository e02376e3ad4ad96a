"""``python -m eval.invented``: invented names put into real text, and what learning makes of them.

Nobody has to list names, and no text is used up by being looked at.  From a passage of raw text
words are chosen that stand in it ten to sixty times, personal names and things, and each is
replaced everywhere by a name that no lexicon has: of persons from characters of the lexicon's
names, of persons whose name begins with a common word (水夫人), and of things that end in a common
one (龙涎草).  The contexts and the counts are those of real text.  Passages with even numbers are
for tuning, those with odd numbers are held out.

What learning breaks is counted on the gold development files: words that were right without what
was learned from the file's own text and are wrong with it, and the other way round.
It prints its tables and writes no file; ``eval/results/learn.md`` has what they came to.
"""

from __future__ import annotations

import argparse
import lzma
import random
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from eval import common
from eval.learn import GOLD, spans
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from segmenter import Segmenter
    from segmenter.choices import Decoder

SEED = 20261126
#: Passages of a file, and their size in characters.
FILES = {"novels-old": 16, "prose": 4, "subtitles": 8, "news-broadcast": 8}
SIZE = 120_000
#: Places of a word that is replaced.
FEWEST, MOST = 10, 60
#: Words of a passage that are replaced, per sort.
SLOTS = 6
#: What names of things end in: heads of a kind, and also words.
HEADS = "草场鼎丹剑阁诀谷丸峰珠液"
#: Words that names begin with; each is common on its own.
FIRST = "水白云金花石风月天红青大小老玉火"
KINDS = ("person", "person, common first", "thing")


class Passage(NamedTuple):
    """Lines with names in them: each name with its sort and its places."""

    file: str
    number: int
    lines: list[str]
    names: dict[str, str]


class Maker:
    """Invents names that neither the lexicon nor the text has."""

    def __init__(self, s: Segmenter) -> None:
        self.lexicon = s.lexicon
        surnames: Counter[str] = Counter()
        given: Counter[str] = Counter()
        things: Counter[str] = Counter()
        for entry in s.lexicon:
            word, tag = entry.word, entry.tag
            if tag == "nr" and 2 <= len(word) <= 3:
                surnames[word[0]] += 1
                given.update(word[1:])
            elif tag == "n" and len(word) == 2:
                things.update(word[:1])
        self.surnames, self.given, self.things = (
            (sorted(c), [c[k] for k in sorted(c)]) for c in (surnames, given, things)
        )

    def one(self, kind: str, pick: random.Random, text: str) -> str:
        """A name of a sort."""

        def of(chars: tuple[list[str], list[int]], k: int) -> str:
            return "".join(pick.choices(*chars, k=k))

        while True:
            if kind == "person":
                name = of(self.surnames, 1) + of(self.given, pick.choice((1, 2, 2)))
            elif kind == "thing":
                name = of(self.things, pick.choice((1, 2, 2))) + pick.choice(HEADS)
            else:
                name = pick.choice(FIRST) + of(self.given, pick.choice((1, 2)))
            if name not in self.lexicon and name not in text and len(set(name)) == len(name):
                return name


def passages(data: Path, s: Segmenter) -> Iterator[Passage]:
    """Passages of the raw text with invented names, always the same."""
    maker = Maker(s)
    for file, count in FILES.items():
        with lzma.open(data / "raw" / f"{file}.txt.xz", "rt", encoding="utf-8") as opened:
            text = opened.read(30_000_000)
        for number in range(count):
            at = text.index("\n", len(text) * number // count) + 1
            lines = text[at : at + SIZE].split("\n")[:-1]
            pick = random.Random(f"{SEED} {file} {number}")
            yield _put(Passage(file, number, lines, {}), maker, pick, s)


def _put(passage: Passage, maker: Maker, pick: random.Random, s: Segmenter) -> Passage:
    tagged = [list(s.tag(line)) for line in passage.lines]
    text = "\n".join(passage.lines)
    places = Counter(pair for line in tagged for pair in line)
    sorts: dict[str, list[str]] = defaultdict(list)
    for (word, tag), n in sorted(places.items()):
        if 2 <= len(word) <= 3 and FEWEST <= n <= MOST and n >= 0.95 * text.count(word):
            if tag == "nr":
                sorts["nr"].append(word)
            elif tag == "n":
                sorts["n"].append(word)
    made: dict[str, str] = {}
    names: dict[str, str] = {}
    for tag, slots in sorts.items():
        for word in pick.sample(slots, min(SLOTS, len(slots))):
            kind = "thing" if tag == "n" else pick.choice(KINDS[:2])
            made[word] = maker.one(kind, pick, text)
            names[made[word]] = kind
    lines = ["".join(made.get(word, word) for word, _ in line) for line in tagged]
    return passage._replace(lines=lines, names=names)


def whole(s: Segmenter, passage: Passage) -> dict[str, float]:
    """Of every name the share of its places where it is one word."""
    places: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for line, words in zip(passage.lines, s.cut_batch(passage.lines), strict=True):
        found = None
        for name in passage.names:
            at = line.find(name)
            while at >= 0:
                found = found or spans(words)
                places[name] += 1
                there[name] += (at, at + len(name)) in found
                at = line.find(name, at + len(name))
    return {name: there[name] / n for name, n in places.items() if n >= FEWEST}


def broken(s: Segmenter, gold: list[list[str]]) -> tuple[int, Counter[str], int]:
    """How many words the text taught; gold words no longer right; how many are right now."""
    lines = ["".join(words) for words in gold]
    t = s.learn(lines)
    lost: Counter[str] = Counter()
    mended = 0
    for words, a, b in zip(gold, s.cut_batch(lines), t.cut_batch(lines), strict=True):
        if a != b:
            right, line = spans(words), "".join(words)
            lost.update(line[x:y] for x, y in right & spans(a) - spans(b))
            mended += len(right & spans(b) - spans(a))
    return len(t.user), lost, mended


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m eval.invented", description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--tune", action="store_true", help="even passages; names missed")
    given = parser.parse_args(argv)
    data = common.data_dir(given.data)
    about = common.facts()
    all_of = list(passages(data, load_by_name("balanced")))
    systems: tuple[tuple[str, Decoder | None], ...] = (("fast", None), ("balanced", None))
    if not given.tune:
        systems = (*systems, ("fast", "unigram"))
    gold = {
        name: [ln.split() for ln in (data / "gold" / name / "dev.txt").open(encoding="utf-8")]
        for name in GOLD
    }
    rows, golds = [], []
    for preset, decoder in systems:
        s = load_by_name(preset, decoder=decoder)
        title = decoder or preset
        tally: dict[tuple[int, str, str], list[tuple[bool, bool]]] = defaultdict(list)
        others: Counter[str] = Counter()
        for passage in all_of:
            if given.tune and passage.number % 2:
                continue
            t = s.learn(passage.lines)
            before, after = whole(s, passage), whole(t, passage)
            others.update(w.word for w in t.user if w.word not in passage.names)
            for name, share in after.items():
                key = (passage.number % 2, passage.file, passage.names[name])
                tally[key].append((before[name] >= 0.95, share >= 0.95))
                if given.tune and share < 0.95:
                    print(f"{title} {passage.file} {passage.number}: {name} {before[name]:.2f} → "
                          f"{share:.2f}", file=sys.stderr)  # fmt: skip
        for side, what in enumerate(("tuning", "held out")):
            for label in (*FILES, *KINDS, "all"):
                both = [x for key, xs in tally.items() for x in xs
                        if key[0] == side and label in (*key[1:], "all")]  # fmt: skip
                if both:
                    n = len(both)
                    a, b = (sum(x[k] for x in both) / n for k in (0, 1))
                    rows.append([title, what, label, n, f"{a:.1%}", f"{b:.1%}"])
        rows.append([title, "", "other words learned", others.total(), "", ""])
        print(*others.most_common(40), file=sys.stderr)
        for name, lines in gold.items():
            learned, lost, mended = broken(s, lines)
            most = " ".join(f"{w} {n}" for w, n in lost.most_common(4))
            golds.append([title, name, learned, lost.total(), mended, most])
    report = "\n".join(
        [
            common.heading("Invented names", about, "python -m eval.invented"),
            f"{len(all_of)} passages of {SIZE:,} characters; names that stand {FEWEST} to {MOST} "
            "times; share of the names that are whole in 95% of their places.",
            "",
            common.table(("decoder", "passages", "names", "number", "without", "learn"), rows, 3),
            "Gold development files, learned from their own text:",
            "",
            common.table(
                ("decoder", "file", "learned", "right words broken", "mended", "broken most"),
                golds,
                2,
            ),
        ]
    )
    print(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
