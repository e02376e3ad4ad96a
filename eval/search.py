"""``python -m eval.search``: agreement of index and queries, and the speed of search tokens.

Counted on the PKU and MSR test lines: whether the words of ``cut`` are among the search tokens,
whether tokens cross each other, and whether the tokens of a query are among those of its line.  A
query consists of two to four adjacent words of the line, cut by themselves.  For our systems also
the modes "index" and "query", with :func:`segmenter.search.find`.
Speed: MB of UTF-8 per second of processor time, a call per line, the minimum of the rounds, results
dropped.  Results: ``eval/results/search.md`` and ``.json``.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter import search
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from segmenter import Segmenter

ROUNDS = 3
#: Lines: of the counts, and of the speed.
COUNTED, TIMED = 1000, 2000


class System(NamedTuple):
    """One segmenter: its words, its search tokens with their spans, its search tokens alone."""

    name: str
    cut: Callable[[str], list[str]]
    tokens: Callable[[str], list[tuple[str, int, int]]]
    search: Callable[[str], list[str]]
    segmenter: Segmenter | None = None  # ours


class Agreement(NamedTuple):
    """Counts over lines, tokens and queries."""

    lines: int
    lacking: int  # lines with a word of cut that is not a search token
    crossing: int  # lines with tokens that cross
    tokens: int
    words: int
    queries: int
    lost: int  # queries with a token that the line's index does not have
    recut: int  # of these, queries whose words are not those of the line


class Found(NamedTuple):
    """Counts over lines of what the modes "index" and "query" give."""

    tokens: int
    words: int
    queries: int
    lost: int  # queries that are not found where they stand
    speed: float  # MB of UTF-8 per second, of an index


def ours() -> list[System]:
    """Our presets and the lattice."""
    import segmenter as seg

    def system(name: str, s: seg.Segmenter) -> System:
        def tokens(text: str) -> list[tuple[str, int, int]]:
            tokens = s.tokenize(text, mode="search")
            return [(w, *span) for w, span in zip(tokens.words, tokens.spans, strict=True)]

        return System(name, s.cut, tokens, s.cut_for_search, s)

    named = {name: load_by_name(name) for name in common.presets()}
    named["fast, decoder='unigram'"] = seg.load("fast", decoder="unigram")
    return [system(name, s) for name, s in named.items()]


def peers() -> Iterator[System]:
    """jieba and rjieba, if installed; with their HMM, which is their default."""
    with suppress(ImportError):
        jieba: Any = import_module("jieba")
        jieba.setLogLevel(60)
        tokens = partial(jieba.tokenize, mode="search")
        yield System("jieba", jieba.lcut, lambda t: list(tokens(t)), jieba.lcut_for_search)
    with suppress(ImportError):
        r: Any = import_module("rjieba")
        yield System("rjieba", r.cut, lambda t: r.tokenize(t, "search"), r.cut_for_search)


def agreement(system: System, lines: Sequence[str]) -> Agreement:
    """Counts of one system."""
    lacking = crossing = n_tokens = n_words = queries = lost = recut = 0
    for line in lines:
        words = system.cut(line)
        tokens = system.tokens(line)
        n_words += len(words)
        n_tokens += len(tokens)
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word))
        spans = {(a, b) for _, a, b in tokens}
        lacking += any(span not in spans for span in pairwise(ends))
        crossing += any(a < c < b < d for a, b in spans for c, d in spans if a < c < b)
        index = {word for word, _, _ in tokens}
        for i in range(len(words) - 1):
            size = 2 + i % 3
            gram = words[i : i + size]
            query = "".join(gram)
            queries += 1
            if not index.issuperset(system.search(query)):
                lost += 1
                recut += system.cut(query) != gram
    return Agreement(len(lines), lacking, crossing, n_tokens, n_words, queries, lost, recut)


def by_graph(segmenter: Segmenter, lines: Sequence[str]) -> Found:
    """Counts queries that the graph of a line lacks, and the size of an index."""
    tokens = words = queries = lost = 0
    for line in lines:
        index = segmenter.tokenize(line, mode="index")
        ends = [0, *accumulate(map(len, segmenter.cut(line)))]
        tokens += len(index)
        words += len(ends) - 1
        for i, start in enumerate(ends[:-2]):
            end = ends[min(i + 2 + i % 3, len(ends) - 1)]
            queries += 1
            query = segmenter.tokenize(line[start:end], mode="query")
            lost += (start, end) not in search.find(index, query)
    return Found(
        tokens, words, queries, lost, speed(lambda x: segmenter.tokenize(x, mode="index"), lines)
    )


def speed(take: Callable[[str], object], lines: Sequence[str]) -> float:
    """MB of UTF-8 per second of processor time."""
    least = float("inf")
    for _ in range(ROUNDS):
        before = time.process_time()
        for line in lines:
            take(line)
        least = min(least, time.process_time() - before)
    return sum(len(line.encode()) for line in lines) / 1e6 / least


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    args = common.arguments("search", "Search tokens beside jieba and rjieba.").parse_args(
        arguments
    )
    lines = common.bakeoff_lines(common.data_dir(args.data))
    counted, timed = lines[:: len(lines) // COUNTED], lines[:: len(lines) // TIMED]
    about = common.facts(["jieba", "rjieba"])
    rows: list[list[str]] = []
    graphs: list[list[str]] = []
    data: dict[str, dict[str, object]] = {}
    for system in (*ours(), *peers()):
        got = agreement(system, counted)
        fast, plain = speed(system.search, timed), speed(system.cut, timed)
        data[system.name] = {**got._asdict(), "search": fast, "cut": plain}
        if system.segmenter is not None:
            graph = by_graph(system.segmenter, counted[::4])
            data[system.name] = {**data[system.name], "by_graph": graph._asdict()}
            lost = f"{graph.lost:,} of {graph.queries:,}"
            size = f"{graph.tokens / graph.words:.2f}"
            graphs.append([system.name, lost, size, f"{graph.speed:.3g}"])
        rows.append(
            [system.name, f"{got.lacking:,}", f"{got.crossing:,}", f"{got.tokens / got.words:.2f}"]
        )
        rows[-1] += [f"{got.lost:,} of {got.queries:,}", f"{got.lost - got.recut:,}"]
        rows[-1] += [f"{plain:.3g}", f"{fast:.3g}"]
    common.publish(
        "search",
        "Search tokens",
        about,
        [
            f"{len(counted):,} lines (agreement) and {len(timed):,} lines (speed), evenly drawn "
            "from the PKU and MSR test sets. Peers run with their defaults: their own lexicons and "
            "their HMM.\n",
            common.table(
                (
                    "system", "lines lacking a word of `cut`", "lines with crossing tokens",
                    "tokens per word", "queries with a token that the line lacks",
                    "of these, cut as the line", "`cut`, MB/s", "`cut_for_search`, MB/s",
                ),
                rows,
            ),
            "\nIndex and query by `tokenize(mode=\"index\")` and `tokenize(mode=\"query\")`, which "
            "also have the characters of every word. A query is found if a path through its graph "
            "is also in the graph of the line (`search.find`). Every fourth line is used.\n",
            common.table(
                ("system", "queries not found", "tokens per word", "`mode=\"index\"`, MB/s"), graphs
            ),
            "",
            "- A query consists of two to four adjacent words that `cut` gave for a line, joined "
            "and cut for search by itself. If the query is cut like the line, none of our tokens "
            "may be missing, with any decoder; a decoder that looks across words cuts some queries "
            "differently.",
            "- Speed by processor time, one thread, with a cache of words inside words from the "
            "first round; other work ran on the machine.",
        ],
        {"systems": data},
        dry=args.dry,
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
