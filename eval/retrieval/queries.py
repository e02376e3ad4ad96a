"""``python -m eval.retrieval.queries``: where the time of a query goes in SQLite's FTS5, and what
repeated texts do to the size of an index.

Gold words of the People's Daily by their length, each asked in the forms that
``segmenter_query`` is made of: its marks, its characters, both; found alone, and ranked.  Processor
time, the best of three turns; all forms of one length in turn.  Beside them bigrams in C.
Results: ``eval/results/retrieval_queries.md``.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from eval import common
from eval.retrieval.documents import documents, queries
from eval.retrieval.sqlite import bigrams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PARAGRAPHS, QUERIES, TURNS, REPEATED = 20_000, 300, 3, 4


def connect(path: str, library: str) -> Any:
    """A database with an extension."""
    import apsw

    db = apsw.Connection(path)
    db.enable_load_extension(True)
    db.load_extension(library)
    return db


def filled(library: str, tokenizer: str, texts: list[str]) -> tuple[Any, float]:
    """A database in memory, and the size of its index."""
    db = connect(":memory:", library)
    db.execute(f"create virtual table d using fts5(b, content='', tokenize='{tokenizer}')")
    with db:
        db.executemany("insert into d(rowid, b) values (?, ?)", enumerate(texts))
    db.execute("insert into d(d) values ('optimize')")
    return db, float(db.execute("select sum(length(block)) from d_data").get)


def timed(calls: dict[str, Callable[[], object]], n: int) -> dict[str, float]:
    """Milliseconds of each, divided by n."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(TURNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    return {name: seconds / n * 1000 for name, seconds in best.items()}


def forms(ours: Any, theirs: Any, asked: list[str]) -> dict[str, float]:
    """Milliseconds of one query of each form."""
    whole = [ours.execute("select segmenter_query(?)", (text,)).get for text in asked]
    strings = [f'"{text}"' for text in asked]
    marks = [query.partition(" OR ")[0].lstrip("(") for query in whole]

    def found(db: Any, of: list[str], ranked: bool) -> Callable[[], object]:
        sql = "select rowid from d where d match ?"
        sql += " order by rank limit 10" if ranked else ""
        return lambda: [db.execute(sql, (query,)).fetchall() for query in of]

    query = "select segmenter_query(?)"
    calls: dict[str, Callable[[], object]] = {
        "segmenter_query": lambda: [ours.execute(query, (text,)).get for text in asked]
    }
    for ranked in (False, True):
        of = ", ranked" if ranked else ""
        calls |= {
            f"marks{of}": found(ours, marks, ranked),
            f"characters{of}": found(ours, strings, ranked),
            f"both{of}": found(ours, whole, ranked),
            f"bigrams{of}": found(theirs, strings, ranked),
        }
    out = timed(calls, len(asked))
    rows = "select count(*) from d where d match ?"
    out["rows"] = sum(ours.execute(rows, (q,)).get for q in whole) / len(whole)
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    given = common.arguments("retrieval.queries", "Queries in SQLite.").parse_args(arguments)
    from segmenter import capi

    about = common.facts(["apsw"])
    docs, gold = documents(common.data_dir(given.data), PARAGRAPHS)
    texts = [doc.text for doc in docs]
    asked = [q.text for q in queries("words", docs, gold, QUERIES)]
    saved: dict[str, dict[str, float]] = {}
    sizes: dict[str, list[float]] = {}
    with ExitStack() as stack:
        library = {"segmenter": capi.extension(), "bigrams": bigrams(stack)}
        part = texts[: len(texts) // REPEATED]
        for name, rows in (
            (f"{len(part):,} paragraphs", part),
            (f"the same {REPEATED} times", part * REPEATED),
            (f"{len(texts):,} paragraphs", texts),
        ):
            sizes[name] = [filled(library[of], of, rows)[1] for of in library]
        ours, theirs = (filled(library[of], of, texts)[0] for of in library)
        for length, label in ((1, "1 character"), (2, "2"), (3, "3 and more")):
            some = [text for text in asked if min(len(text), 3) == length]
            saved[f"{label} ({len(some)})"] = forms(ours, theirs, some)
    names = list(next(iter(saved.values())))
    page = [
        f"{len(texts):,} paragraphs of the People's Daily, {QUERIES} gold words by their length; "
        f"milliseconds a query, processor time, best of {TURNS}. Ranked: `order by rank limit 10`. "
        "Bigrams find no word of one character but where it stands alone.\n"
        "*Marks*: as whole words; *characters*: as strings; *both*: as `segmenter_query` has it.\n",
        common.table(
            ("words", *names), [[k, *(f"{v[n]:.3g}" for n in names)] for k, v in saved.items()]
        ),
        "",
        common.table(
            ("index of", "ours, MB", "bigrams, MB", "of bigrams"),
            [
                [k, f"{a / 1e6:.2f}", f"{b / 1e6:.2f}", f"{a / b:.3f}"]
                for k, (a, b) in sizes.items()
            ],
        ),
    ]
    common.publish(
        "retrieval_queries",
        "Queries in SQLite",
        about,
        page,
        {"queries": saved, "sizes": sizes},
        command="python -m eval.retrieval.queries",
        dry=given.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
