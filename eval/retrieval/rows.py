"""``python -m eval.retrieval.rows``: a table of many rows by the FTS5 extension, in a file.

Rows are paragraphs of the People's Daily, again and again, each with its number before it.  Beside
ours: bigrams by a tokenizer in C.  The table is filled in one transaction, closed, opened again,
asked, checked (``integrity-check``) and optimised.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from eval import common
from eval.retrieval.documents import documents, queries
from eval.retrieval.sqlite import bigrams, phrase_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROWS, PARAGRAPHS, QUERIES = 1_000_000, 20_000, 100


def connect(path: str, library: str) -> Any:
    import apsw

    db = apsw.Connection(path)
    db.enable_load_extension(True)
    db.load_extension(library)
    return db


def measure(library: str, tokenizer: str, query: str, rows: int, data: Path) -> dict[str, float]:
    """Figures of one tokenizer."""
    docs, gold = documents(data, PARAGRAPHS)
    asked = [q.text for q in queries("words", docs, gold, QUERIES) if len(q.text) > 1]
    texts = cycle(doc.text for doc in docs)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.db"
        db = connect(path, library)
        db.execute(f"create virtual table d using fts5(b, content='', tokenize='{tokenizer}')")
        start = time.process_time()
        with db:
            db.executemany(
                "insert into d(rowid, b) values (?, ?)",
                ((n, f"{n} {text}") for n, text in enumerate(islice(texts, rows))),
            )
        out = {"seconds": time.process_time() - start}
        db.close()
        db = connect(path, library)
        start = time.perf_counter()
        sql = f"select count(*) from d where d match {query}"
        found = [db.execute(sql, (text,)).get for text in asked]
        out["milliseconds a query"] = (time.perf_counter() - start) / len(asked) * 1000
        out["rows of a query"] = sum(found) / len(asked)
        db.execute("insert into d(d) values ('integrity-check')")
        db.execute("insert into d(d) values ('optimize')")
        assert [db.execute(sql, (text,)).get for text in asked] == found
        out["size"] = float(db.execute("select sum(length(block)) from d_data").get)
        db.close()
    out["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = common.arguments("retrieval.rows", "A table of many rows in SQLite.")
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N")
    given = parser.parse_args(arguments)
    from segmenter import capi

    about = common.facts(["apsw"])
    data = common.data_dir(given.data)
    saved: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        for name, library, tokenizer, query in (
            ("bigrams, in C", bigrams(stack), "bigrams", phrase_of()),
            ("ours", capi.extension(), "segmenter", "segmenter_query(?)"),
        ):
            saved[name] = measure(library, tokenizer, query, given.rows, data)
            print(name, saved[name], file=sys.stderr, flush=True)
    first = next(iter(saved.values()))
    head = (
        "tokens", "build, s", "of bigrams", "rows a second", "index, MB", "of bigrams",
        "query, ms", "rows a query", "most memory so far, MB",
    )  # fmt: skip
    rows = [
        [
            name, f"{got['seconds']:.1f}", f"{got['seconds'] / first['seconds']:.2f}",
            f"{given.rows / got['seconds']:,.0f}", f"{got['size'] / 1e6:.1f}",
            f"{got['size'] / first['size']:.2f}", f"{got['milliseconds a query']:.1f}",
            f"{got['rows of a query']:,.0f}", f"{got['memory'] / 1e6:.0f}",
        ]
        for name, got in saved.items()
    ]  # fmt: skip
    command = f"python -m eval.retrieval.rows --rows {given.rows}"
    page = (
        f"{given.rows:,} rows in a file, in one transaction: {PARAGRAPHS:,} paragraphs of the "
        f"People's Daily again and again; contentless. Build: processor time. Queries: "
        f"{QUERIES} gold words, those of one character left out, on a connection opened anew. "
        "After that FTS5's integrity-check passed, and the optimised index gave the same rows.\n"
    )
    common.publish(
        "retrieval_rows",
        "Many rows in SQLite",
        about,
        [page, common.table(head, rows)],
        {"rows": given.rows, "systems": saved},
        command=command,
        dry=given.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
