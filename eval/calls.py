"""``python -m eval.calls``: the calls around ``cut``, against cut itself and against the peers.

Parts of speech, tokens in columns, search tokens, keywords, a bigram lattice, long texts, words of
the user, two threads.  The protocol is :mod:`segmenter.train.timing`: in turns, in one process,
minima of the rounds, and ratios of those.  jieba gets every `SHARE`-th line, so that the page is
made within five minutes.  Linear growth: the seconds of twice the text by those of the text.
Results: ``eval/results/calls.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import segmenter as seg
from eval import common
from segmenter import keywords
from segmenter.train import timing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Lines that one document has, where keywords are sought.
DOCUMENT = 5
USER_WORDS = 10_000
LONG, SHORT = 6_000, 3_000
#: Of so many lines or documents jieba gets one; its seconds are those times as many.
SHARE = 4
#: Seconds after which an entry sits out once it has had three rounds.
BUDGET = 6.0


class Ratio(NamedTuple):
    """A goal: how many times as fast `ours` is to be as `theirs`."""

    title: str
    ours: str
    theirs: str
    least: float | None


RATIOS = (
    Ratio("tag, fast", "fast / tag", "rjieba / tag", 3),
    Ratio("tag, fast, of cut's speed", "fast / tag", "fast / cut", 0.5),
    Ratio("tag, unigram", "unigram / tag", "rjieba / tag", None),
    Ratio("bigram, list", "bigram / cut", "rjieba / cut", 2.5),
    Ratio("columns of fast", "fast / columns", "jieba / columns", 3),
    Ratio("columns of unigram", "unigram / columns", "jieba / columns", 3),
    Ratio("cut_for_search of fast", "fast / cut_for_search", "jieba / cut_for_search", 3),
    Ratio("index tokens of fast", "fast / index", "jieba / index", 3),
    Ratio("index tokens of unigram", "unigram / index", "jieba / index", 3),
    Ratio("keywords, a batch", "fast / keywords, batch", "jieba / keywords", None),
    Ratio("keywords, a batch, to calls", "fast / keywords, batch", "fast / keywords", None),
    Ratio("6,000 characters per call to 3,000", "unigram / long", "unigram / short", 0.97),
    Ratio("the same, fast", "fast / long", "fast / short", 0.97),
    Ratio("10,000 user words to none, unigram", "unigram / user", "unigram / cut", 1 / 1.12),
    Ratio("10,000 user words to none, fast", "fast / user", "fast / cut", 1 / 1.12),
)
#: What keeps a row under its floor, by its title, as far as it was looked into: samples of
#: ``perf record``, and ``valgrind --tool=callgrind --cache-sim=yes`` on the tags of these lines.
LIMITS = {
    "cut_bytes, two threads to one": (
        "three runs of one day gave 1.93, 1.33 and 1.48: the passes are so short (2 to 3 ms with"
        " two threads) that whatever else wants the second core for a moment counts in full. "
        "Nothing is shared but the lexicon, which is only read."
    ),
    "tag, fast": (
        "`cut` alone takes half of the time of `tag`. Of 213,965 words 95,910 have"
        " a choice of tags. What each word says alone (itself and four neighbours) is kept with"
        " it and decides nine choices of ten; pairs and tags are asked for the rest. The lists "
        "of pairs of str and their tags take about a quarter of the instructions."
    ),
    "tag, fast, of cut's speed": "as above.",
    "bigram, list": (
        "a pass over these lines without str takes 120 million instructions and 0.4 million "
        "mispredicted branches (175 and 0.9 while the model was asked about every pair), the "
        "unigram lattice 53 million. 95,718 of 206,894 blocks between nodes that no edge "
        "crosses have one edge, 89,446 are a word of two characters or its characters; 74,000 of "
        "these stand by two bounds of what pairs can gain (256 KB), most others by the pairs "
        "that are there. The rest has some 140,000 edges and 237,000 pairs, 39,000 of which "
        "were seen."
    ),
    "10,000 user words to none, unigram": (
        "26 of the 10,000 words stand in the text, in 25 of 5,929 lines; all the rest is the "
        "search. It takes 6.6 million instructions per pass beside the lattice's 53: 15 per "
        "character, which hash a pair and test a bit, and some 200 per call. The bits (16 KB of "
        "pairs, 16 KB of threes) share a first-level cache of 48 KB with trie and rows: 0.26 "
        "million misses, three of four look-ups. A set of first characters would let through "
        "most of the text: the words begin with the lexicon's usual characters."
    ),
    "10,000 user words to none, fast": "as above.",
}
THREADS = (
    Ratio("cut_bytes, two threads to one", "unigram / bytes, 2", "unigram / bytes", 1.9),
    Ratio("cut_batch, two threads to one", "unigram / batch, 2", "unigram / batch", 1.6),
    Ratio("keywords, two threads to one", "fast / keywords, 2", "fast / keywords, batch", None),
)


def each(call: Callable[[str], object], lines: Sequence[str]) -> Callable[[], object]:
    """A call per line, results dropped."""

    def run() -> None:
        for line in lines:
            call(line)

    return run


def columns(segmenter: Any) -> Callable[[str], object]:
    """Text, start, end and kind of every token."""

    def run(text: str) -> object:
        tokens = segmenter.tokenize(text)
        return tokens.words, tokens.spans, tokens.kinds

    return run


def unknown_words(segmenter: Any, count: int) -> list[str]:
    """Words of two or three characters that no lexicon has, of its characters."""
    pick = random.Random(18)
    words = [w for w in segmenter.lexicon.words() if 2 <= len(w) <= 4]
    found: set[str] = set()
    while len(found) < count:
        word = pick.choice(words)[:1] + pick.choice(words)[-2:]
        if word not in segmenter.lexicon:
            found.add(word)
    return sorted(found)


def ours(lines: list[str], *, threads: bool) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    fast, unigram = seg.load("fast"), seg.load("fast", decoder="unigram")
    whole = "".join(lines)
    utf8 = "\n".join(lines).encode()
    documents = ["".join(lines[i : i + DOCUMENT]) for i in range(0, len(lines), DOCUMENT)]
    extractor = keywords.TfIdf(fast)

    def batch(count: int) -> Callable[[], object]:
        return lambda: [None for _ in extractor.extract_batch(documents, threads=count)]

    if threads:
        return {
            "unigram / bytes": lambda: unigram.cut_bytes(utf8),
            "unigram / bytes, 2": lambda: unigram.cut_bytes(utf8, threads=2),
            "unigram / batch": lambda: unigram.cut_batch(lines),
            "unigram / batch, 2": lambda: unigram.cut_batch(lines, 2),
            "fast / keywords, batch": batch(1),
            "fast / keywords, 2": batch(2),
        }
    out: dict[str, Callable[[], object]] = {
        "bigram / cut": each(seg.load("fast", decoder="bigram").cut, lines),
        "fast / keywords": each(extractor.extract, documents),
        "fast / keywords, batch": batch(1),
    }
    for name, s in (("fast", fast), ("unigram", unigram)):
        out |= {
            f"{name} / cut": each(s.cut, lines),
            f"{name} / tag": each(s.tag, lines),
            f"{name} / columns": each(columns(s), lines),
            f"{name} / cut_for_search": each(s.cut_for_search, lines),
            f"{name} / index": each(lambda text, s=s: s.tokenize(text, mode="index"), lines),  # type: ignore[misc]
            f"{name} / user": each(s.with_words(unknown_words(s, USER_WORDS)).cut, lines),
        }
        for form, size in (("long", LONG), ("short", SHORT)):
            pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
            out[f"{name} / {form}"] = each(s.ends, pieces)
    return out


def share(name: str) -> int:
    """Of how many lines the entry gets one.

    >>> share("jieba / tag"), share("rjieba / tag")
    (4, 1)
    """
    return SHARE if name.startswith("jieba / ") else 1


def peers(lines: list[str]) -> dict[str, Callable[[], object]]:
    """The equivalents of rjieba and jieba, HMM off, where they are installed."""
    out: dict[str, Callable[[], object]] = {}
    documents = ["".join(lines[i : i + DOCUMENT]) for i in range(0, len(lines), DOCUMENT)]
    try:
        rjieba = importlib.import_module("rjieba")
        out["rjieba / cut"] = each(lambda text: rjieba.cut(text, False), lines)
        out["rjieba / tag"] = each(lambda text: rjieba.tag(text, False), lines)
    except ImportError:
        pass
    try:
        jieba = importlib.import_module("jieba")
        analyse = importlib.import_module("jieba.analyse")
        jieba.setLogLevel(60)
        jieba.initialize()
        lines, documents = lines[::SHARE], documents[::SHARE]
        out["jieba / columns"] = each(lambda text: list(jieba.tokenize(text, HMM=False)), lines)
        out["jieba / index"] = each(
            lambda text: list(jieba.tokenize(text, mode="search", HMM=False)), lines
        )
        out["jieba / cut_for_search"] = each(lambda t: jieba.lcut_for_search(t, HMM=False), lines)
        out["jieba / keywords"] = each(analyse.extract_tags, documents)
    except ImportError:
        pass
    return out


def growth(lines: list[str], rounds: int) -> list[tuple[str, float]]:
    """Seconds of a text of twice the length by those of the text, a call each."""
    fast = seg.load("fast")
    text = "".join(lines)[:160_000]
    found = []
    for name, call in (
        ("tag", fast.tag),
        ("columns", columns(fast)),
        ("cut_for_search", fast.cut_for_search),
        ("index", lambda t: fast.tokenize(t, mode="index")),
        ("keywords", keywords.TfIdf(fast).extract),
    ):
        one, two = (timing.Entry(f"{name}, {n}", each(call, [text[: n * 80_000]])) for n in (1, 2))
        a, b = timing.compare([one, two], rounds=rounds, most_rounds=2 * rounds, budget=BUDGET)
        found.append((name, b.seconds / a.seconds))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.calls", description="The calls around cut; see eval/README.md."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lines", type=int, default=0, help="only so many lines; 0: all")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    lines = [line for line in common.bakeoff_lines(common.data_dir(given.data)) if line]
    lines = lines[: given.lines or None]
    size = sum(len(line.encode()) for line in lines)
    about = common.facts(("rjieba", "jieba"))
    seconds: dict[str, float] = {}
    tables = []
    missed: list[str] = []
    for cores, ratios in ((2, THREADS), (1, RATIOS)):
        common.pin(cores)
        what = ours(lines, threads=cores > 1) | (peers(lines) if cores == 1 else {})
        timed = timing.compare(
            [timing.Entry(name, run) for name, run in what.items()],
            rounds=given.rounds,
            most_rounds=2 * given.rounds,
            budget=BUDGET,
        )
        timed = [t._replace(seconds=t.seconds * share(t.name)) for t in timed]
        found = {t.name: t.seconds for t in timed}
        seconds |= {
            f"{name} ({cores} cores)" if cores > 1 else name: s for name, s in found.items()
        }
        rows = [
            [
                r.title,
                r.theirs,
                f"{found[r.theirs] / found[r.ours]:.2f}",
                "" if r.least is None else f"{r.least:.2f}",
                ""
                if r.least is None
                else ("yes" if found[r.theirs] / found[r.ours] >= r.least else "NO"),
            ]
            for r in ratios
            if r.ours in found and r.theirs in found
        ]
        header = ("call", "against", "times as fast", "at least", "reached")
        tables.append((cores, common.table(header, rows, left=2)))
        missed += [r[0] for r in rows if r[-1] == "NO"]
        apart = [
            [t.name, f"{size / t.seconds / 1e6:.1f}", f"{t.a_against_a:.1%}", t.rounds]
            for t in timed
        ]
        titles = ("entry", "MB/s", "A against A", "rounds")
        tables.append((cores, common.table(titles, apart, left=1)))
    grown = growth(lines, given.rounds)
    parts = [
        common.heading("Calls around cut", about, "python -m eval.calls"),
        f"PKU and MSR test sets, {len(lines):,} lines, {size / 1e6:.1f} MB of UTF-8, a call a "
        f"line; documents of {DOCUMENT} lines. Columns are text, start, end and kind of every "
        'token; index tokens are those of `tokenize(mode="index")` against jieba\'s '
        '`tokenize(mode="search")`. Peers run with their HMM off; jieba gets every '
        f"{SHARE}th line, its figures are for all of them.\n",
    ]
    for cores, table in tables:
        parts.append(f"{'One core' if cores == 1 else 'Two cores'}:\n\n{table}")
    parts.append("Twice the text (80,000 and 160,000 characters, one call), times the seconds:\n")
    parts.append(common.table(("call", "ratio"), [[n, f"{r:.2f}"] for n, r in grown], left=1))
    if any(title in LIMITS for title in missed):
        parts.append("What limits the rows under their floor:\n")
        parts += [f"- {title}: {LIMITS[title]}" for title in missed if title in LIMITS]
        parts.append("")
    report = "\n".join(parts)
    print(report)
    if not given.dry:
        common.write(
            "calls", report, {**about, "bytes": size, "seconds": seconds, "growth": dict(grown)}
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
