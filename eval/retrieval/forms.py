"""``python -m eval.retrieval.forms``: other forms of an index in SQLite's FTS5; none ships.

Texts enter as tokens already (``spelt.c``), so that only the lists differ: their size, and the time
of the first twenty rows by rank, beside bigrams, in turns.  What each form lacks is said on the
page.  Results: ``eval/results/retrieval_forms.md``.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from eval.retrieval.documents import documents
from eval.retrieval.systems import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    #: Units of a text, each with whether it ends a word, and whether the next one touches it.
    Units = list[tuple[str, bool, bool]]

PARAGRAPHS, QUERIES, TURNS, SEED = 20_000, 200, 4, 7
#: Of other text, from which it is known which pairs are frequent.
OTHER = 60_000
MARKS = ".-"


class Form(NamedTuple):
    """The tokens of each place of a text, and a query; what it lacks; pages and rank of FTS5."""

    name: str
    lacks: str
    places: Callable[[Units], list[list[str]]]
    query: Callable[[str], str]
    pages: int = 4050
    rank: str = "bm25"


def phrase(places: Sequence[Sequence[str]], prefix: bool = False) -> str:
    """A phrase of FTS5; each place has any of its tokens, the last one what begins with it."""
    return '"' + " ".join(map("|".join, places)) + '"' + "*" * prefix


def characters(units: Units) -> list[list[str]]:
    return [[unit] for unit, _, _ in units]


def bigrams(units: Units) -> list[list[str]]:
    return [[a + b] for (a, _, touches), (b, _, _) in pairwise(units) if touches]


def find_bigrams(asked: str) -> str:
    return phrase([[a + b] for a, b in pairwise(asked)] or [[asked]], len(asked) == 1)


def shipped(common_ones: Collection[str]) -> tuple[Any, Any]:
    """Characters with marks, as the extension has them; and its query."""

    def places(units: Units) -> list[list[str]]:
        seen: dict[str, int] = {}
        for unit, ends, _ in units:
            if unit in common_ones:
                seen[unit] = seen.get(unit, 0) | (1 if ends else 2)
        return [[u + ("~" if seen.get(u) == 3 else "." if e else "-")] for u, e, _ in units]

    def query(asked: str) -> str:
        def tokens(unit: str, marks: str) -> list[str]:
            return [unit + mark for mark in marks + "~" * (unit in common_ones)]

        whole = [tokens(unit, "-") for unit in asked[:-1]] + [tokens(asked[-1], ".")]
        return f"{phrase(whole)} OR {phrase([tokens(unit, MARKS) for unit in asked])}"

    return places, query


def beside(pairs: Collection[str], least: int) -> tuple[Any, Any]:
    """Characters, and in their place pairs, or words of `least` units where there are no pairs."""

    def places(units: Units) -> list[list[str]]:
        out, at = characters(units), 0
        for k, (_, ends, _) in enumerate(units):
            pair = units[k][0] + units[k + 1][0] if k + 1 < len(units) else ""
            if pair in pairs:
                out[k].append(pair)
            if ends:
                if least and k + 1 - at >= least:
                    out[at].append("".join(unit for unit, _, _ in units[at : k + 1]))
                at = k + 1
        return out

    def query(asked: str) -> str:
        made = [[a + b] if a + b in pairs else [a] for a, b in pairwise(asked)]
        return phrase([*made, [asked[-1]]])

    return places, query


def in_place(pairs: Collection[str], marks: bool) -> tuple[Any, Any]:
    """One token a place: the pair that begins there, if it is one of these, or the character."""

    def places(units: Units) -> list[list[str]]:
        out = []
        for (a, ends, _), (b, b_ends, _) in pairwise([*units, ("", False, False)]):
            pair = a + b in pairs
            whole = not ends and b_ends if pair else ends
            out.append([(a + b if pair else a) + (MARKS[not whole] if marks else "")])
        return out

    def query(asked: str) -> str:
        made = [a + b if a + b in pairs else a for a, b in pairwise(asked)]
        prefix = asked[-2:] not in pairs
        last = [[asked[-1]]] if prefix else []
        if not marks:
            return phrase([[token] for token in made] + last, prefix)
        found = phrase([[token + m for m in MARKS] for token in made] + last, prefix)
        if prefix:
            return found
        whole = [[token + "-"] for token in made[:-1]] + [[made[-1] + "."]]
        return f"{phrase(whole)} OR {found}"

    return places, query


def covering(pairs: Collection[str]) -> tuple[Any, Any]:
    """Pairs of these, and characters that no such pair covers."""
    before: dict[str, list[str]] = {}
    for pair in pairs:
        before.setdefault(pair[1:], []).append(pair)

    def places(units: Units) -> list[list[str]]:
        out, covered = [], False
        for (a, _, _), (b, _, _) in pairwise([*units, ("", False, False)]):
            pair = a + b in pairs
            if pair or not covered:
                out.append([a + b if pair else a])
            covered = pair
        return out

    def query(asked: str) -> str:
        made, covered = [], False
        for k, (a, b) in enumerate(pairwise(asked + " ")):
            pair = a + b in pairs
            if pair or not covered:
                made.append([a + b] if pair else [a, *(before.get(a, []) if not k else [])])
            covered = pair
        return phrase(made, asked[-2:] not in pairs)

    return places, query


def units_of(words: Sequence[str]) -> Units:
    """The letters, digits and characters of a text; a run of ASCII is one."""
    out: Units = []
    for word in words:
        row: list[str] = []
        for c in word:
            if c.isascii() and row and row[-1].isascii() and c.isalnum() and row[-1].isalnum():
                row[-1] += c
            else:
                row.append(c)
        first = len(out)
        for unit in row:
            if unit.isalnum():
                out.append((unit, False, True))
            elif out:
                out[-1] = (*out[-1][:2], False)
        if len(out) > first:
            out[-1] = (out[-1][0], True, out[-1][2])
    return out


def drawn(texts: list[str], gold: list[list[str]]) -> dict[str, list[str]]:
    """Queries: gold words by their length, and strings wherever they begin."""
    pick = random.Random(SEED)

    def distinct(draw: Callable[[], str], length: int, count: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            text = draw()
            if len(text) == length and all("一" <= c <= "鿿" for c in text):
                found[text] = None
        return list(found)

    def string(length: int) -> str:
        text = pick.choice(texts)
        at = pick.randrange(len(text))
        return text[at : at + length]

    out = {"1 character": distinct(lambda: string(1), 1, QUERIES)}
    for n in (2, 3, 4):
        out[f"word of {n}"] = distinct(lambda: pick.choice(pick.choice(gold)), n, QUERIES)
    for n in (2, 7):
        out[f"string of {n}"] = distinct(lambda n=n: string(n), n, QUERIES)  # type: ignore[misc]
    return out


def forms(other: list[list[str]]) -> list[Form]:
    """All of them; `other` is cut text."""
    inside, both, single = Counter[str](), Counter[str](), Counter[str]()
    for words in other:
        for word in words:
            if word.isalnum():
                single.update(word)
                inside.update(map("".join, pairwise(word)))
        text = "".join(words)
        both.update(pair for pair in map("".join, pairwise(text)) if pair.isalnum())
    often = {c for c, _ in single.most_common(100)}

    def in_words(least: int) -> set[str]:
        return {pair for pair, n in inside.items() if n >= least}

    slow = {p for p in in_words(20) if min(single[p[0]], single[p[1]]) >= 3 * inside[p]}
    mark = "`highlight` marks one character more where a query ends inside a pair"
    edge = "the same at both ends; a character alone is hundreds of lists"
    return [
        Form("bigrams", "no single character but by prefix", bigrams, find_bigrams),
        Form("characters with marks: what ships", "", *shipped(often)),
        Form("the same, a rank without counts of rows", "ranks no rare word higher",
             *shipped(often), rank="once"),
        Form("characters without marks", "whole words rank no higher",
             characters, lambda asked: phrase([[c] for c in asked])),
        Form("the same, pages of 1,000 bytes", "the same",
             characters, lambda asked: phrase([[c] for c in asked]), 1000),
        Form("characters, and pairs of words where theirs are long lists", "no rank of whole words",
             *beside(slow, 0)),
        Form("characters, and words of three and more", "the same", *beside((), 3)),
        Form("a pair of a word, or the character", f"{mark}; no rank of whole words",
             *in_place(in_words(2), False), 1000),
        Form("the same with marks", mark, *in_place(in_words(3), True), 1000),
        Form("the same, a rank without counts of rows", mark,
             *in_place(in_words(3), True), 1000, "once"),
        Form("pairs of words, and characters that none covers", edge, *covering(in_words(2))),
        Form("frequent pairs, and characters that none covers", edge,
             *covering(in_words(5) | {p for p, n in both.items() if n >= 20})),
    ]  # fmt: skip


def library(stack: ExitStack) -> str:
    """Compile ``spelt.c``; its path."""
    made = f"{folder_of(stack)}/spelt.so"
    source = str(Path(__file__).with_name("spelt.c"))
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", source, "-o", made], check=True)
    return made


def filled(form: Form, rows: list[Units], spelt: str) -> tuple[Any, int]:
    """A database in memory, and the size of its index."""
    import apsw

    db = apsw.Connection(":memory:")
    db.enable_load_extension(True)
    db.load_extension(spelt)
    db.execute("create virtual table d using fts5(b, content='', tokenize='spelt')")
    db.execute("insert into d(d, rank) values ('pgsz', ?)", (form.pages,))
    db.execute("insert into d(d, rank) values ('rank', ?)", (f"{form.rank}()",))
    with db:
        db.executemany(
            "insert into d(rowid, b) values (?, ?)",
            ((k, " ".join(map("|".join, form.places(row)))) for k, row in enumerate(rows)),
        )
    db.execute("insert into d(d) values ('optimize')")
    return db, db.execute("select sum(length(block)) from d_data").get


def lost(db: Any, form: Form, holding: dict[str, set[int]]) -> int:
    """Rows that have a string and are not found."""
    count = 0
    for text, rows in holding.items():
        if form.places is bigrams and len(text) == 1:
            continue  # the last character of a text begins no pair
        sql = "select rowid from d where d match ?"
        count += len(rows - {row for (row,) in db.execute(sql, (form.query(text),))})
    return count


def measured(made: list[tuple[Form, Any]], asked: list[str]) -> list[list[float]]:
    """Milliseconds of every query by every form."""
    sql = "select rowid from d where d match ? order by rank limit 20"
    best = [[float("inf")] * len(asked) for _ in made]
    for _ in range(TURNS):
        for of, (form, db) in zip(best, made, strict=True):
            for k, text in enumerate(asked):
                query = form.query(text)
                start = time.perf_counter()
                db.execute(sql, (query,)).fetchall()
                of[k] = min(of[k], (time.perf_counter() - start) * 1000)
    return best


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    given = common.arguments("retrieval.forms", "Forms of an index.").parse_args(arguments)
    import segmenter as seg

    about = common.facts(["apsw"])
    data = common.data_dir(given.data)
    docs, gold = documents(data, PARAGRAPHS)
    texts = [doc.text for doc in docs]
    s = seg.load()
    rows = [units_of(words) for words in s.cut_batch(texts)]
    asked = drawn(texts, gold)
    holding = {
        text: {k for k, t in enumerate(texts) if text in t} for of in asked.values() for text in of
    }
    saved: dict[str, Any] = {}
    with ExitStack() as stack:
        spelt = library(stack)
        made, sizes, losses = [], [], []
        for form in forms(s.cut_batch(common.national_lines(data)[:OTHER])):
            db, size = filled(form, rows, spelt)
            made.append((form, db))
            sizes.append(size)
            losses.append(lost(db, form, holding))
            print(f"{form.name}: {size / sizes[0]:.3f}", file=sys.stderr, flush=True)
        times = {kind: measured(made, of) for kind, of in asked.items()}
    table = []
    for k, (form, _) in enumerate(made):
        cells, figures = [], {}
        for kind, of in times.items():
            middle, high = (
                [statistics.quantiles(of[n], n=100, method="inclusive")[q] for n in (k, 0)]
                for q in (49, 98)
            )
            figures[kind] = {"p50": middle[0], "p99": high[0], "of_bigrams": middle[0] / middle[1]}
            cells.append(f"{middle[0] / middle[1]:.1f} ({high[0]:.1f})")
        saved[f"{k} {form.name}"] = {"bytes": sizes[k], "lost": losses[k], **figures}
        table.append((form.name, form.lacks, f"{sizes[k] / sizes[0]:.3f}", losses[k], *cells))
    page = [
        f"{PARAGRAPHS:,} paragraphs of the People's Daily; {QUERIES} different queries of a kind: "
        "gold words as they occur, and strings that begin anywhere. The first 20 rows by rank: "
        "the median as a part of bigrams', in brackets the 99th of 100 in milliseconds; least of "
        f"{TURNS} turns, other work ran beside. Lost: rows that have the string and are not found. "
        f"Which pairs are frequent is known from {OTHER:,} sentences of other text.\n",
        common.table(("lists", "what it lacks", "of bigrams' size", "lost", *asked), table, left=2),
    ]
    common.publish(
        "retrieval_forms",
        "Forms of an index in SQLite",
        about,
        page,
        {"forms": saved},
        command="python -m eval.retrieval.forms",
        dry=given.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
