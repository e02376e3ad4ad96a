"""``python -m eval.retrieval.postgres_rows``: PostgreSQL's own ways beside ours in the server.

Rows are paragraphs of the People's Daily, again and again where more are asked for.  Each way is
a table with a generated column or an index over the text, in a database of the locale C.UTF-8, by
a copy of the installed server.  Queries: gold words; two neighbouring gold words, as a phrase;
strings of two to five characters.  Results: ``eval/results/retrieval_postgresql.md`` and ``.json``,
where what is measured replaces the rows of those ways.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from eval.retrieval.documents import SEED, documents, queries
from eval.retrieval.postgres_server import server, with_extension

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.retrieval.documents import Query

PARAGRAPHS, QUERIES = 20_000, 100
PAGE = "retrieval_postgresql"


class Way(NamedTuple):
    """A column and an index; what a row must satisfy for words, and for a phrase or a string."""

    name: str
    column: str  # its expression; "": none
    using: str
    word: str
    phrase: str


OURS = "segmenter_tsvector(body)"
BY_OURS = ("words @@ segmenter_tsquery(%s)", "words @@ segmenter_tsquery(%s, phrase => true)")
WAYS = (
    Way("`simple`, GIN", "to_tsvector('simple', body)", "gin (words)",
        "words @@ plainto_tsquery('simple', %s)", "words @@ phraseto_tsquery('simple', %s)"),
    Way("pg_trgm, GIN", "", "gin (body gin_trgm_ops)", *["body like '%%' || %s || '%%'"] * 2),
    Way("adapter, from the client, GIN", "client", "gin (words)", *BY_OURS),
    Way("`segmenter_tsvector`, GIN", OURS, "gin (words)", *BY_OURS),
    Way("`segmenter_tsvector`, RUM", OURS, "rum (words rum_tsvector_ops)", *BY_OURS),
    Way("configuration `segmenter`, GIN", "to_tsvector('segmenter', body)", "gin (words)",
        "words @@ websearch_to_tsquery('segmenter', %s)",
        "words @@ phraseto_tsquery('segmenter', %s)"),
)  # fmt: skip


def clock(db: Any) -> float:
    """Seconds of processors that the back-end and this process have used."""
    used = Path(f"/proc/{db.info.backend_pid}/schedstat").read_text("ascii")
    return int(used.split()[0]) / 1e9 + time.process_time()


def measure(db: Any, way: Way, asked: dict[str, list[Query]]) -> dict[str, float]:
    """Figures of one way; the texts are in the table `texts`."""
    db.execute("drop table if exists d; checkpoint")
    start = clock(db)
    if way.column == "client":
        from segmenter.adapters import postgres

        db.execute("create table d (n int, body text, words tsvector)")
        rows = db.execute("select n, body from texts")
        with db.cursor().copy("copy d from stdin") as copy:
            for n, body in rows:
                copy.write_row((n, body, postgres.tsvector(body)))
    else:
        words = f", words tsvector generated always as ({way.column}) stored" if way.column else ""
        db.execute(f"create table d (n int, body text{words}); insert into d select * from texts")
    out = {"fill": clock(db) - start}
    start = clock(db)
    db.execute(f"create index i on d using {way.using}")
    out["index"] = clock(db) - start
    db.execute("vacuum analyze d")
    column = "sum(pg_column_size(words))" if way.column else "0"
    sizes = db.execute(f"select pg_relation_size('i'), {column} from d").fetchone()
    out["index bytes"], out["column bytes"] = map(float, sizes)
    for kind, of in asked.items():
        where = way.word if kind == "words" else way.phrase
        seconds: list[float] = []
        wanted = hit = found = right = 0
        for query in of:
            numbers = f"coalesce(array_agg(distinct n %% {PARAGRAPHS}), '{{}}')"
            sql = f"select {numbers} from d where {where}"
            start = clock(db)
            got = set(db.execute(sql, (query.text,)).fetchone()[0])
            seconds.append(clock(db) - start)
            truth = query.whole if kind == "words" else query.string
            wanted, hit = wanted + len(truth), hit + len(truth & got)
            found, right = found + len(got), right + len(query.string & got)
        seconds.sort()
        out[f"{kind}: recall"] = hit / wanted
        out[f"{kind}: precision"] = right / found if found else 0.0
        out[f"{kind}: p50"] = seconds[len(seconds) // 2] * 1000
        out[f"{kind}: p99"] = seconds[len(seconds) * 99 // 100] * 1000
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m eval.retrieval.postgres_rows")
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--rows", type=int, default=PARAGRAPHS, metavar="N")
    parser.add_argument("--queries", type=int, default=QUERIES, metavar="N", help="of each kind")
    parser.add_argument(
        "--only", action="append", metavar="WORDS",
        help="only ways with this in their names; may be repeated",
    )  # fmt: skip
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    import psycopg

    docs, gold = documents(common.data_dir(given.data), PARAGRAPHS)
    asked = {
        name: queries(kind, docs, gold, given.queries)
        for name, kind in (("words", "words"), ("phrases", "two words"), ("strings", "strings"))
    }
    file = common.RESULTS / f"{PAGE}.json"
    saved = json.loads(file.read_text("utf-8"))["rows"] if file.exists() else {}
    of_rows = saved.setdefault(str(given.rows), {})
    commit = common.commit()  # before results are written
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root.chmod(0o755)
        memory = "-c shared_buffers=512MB -c maintenance_work_mem=512MB -c max_wal_size=8GB"
        address = stack.enter_context(server(with_extension(root), memory))
        with psycopg.connect(address, autocommit=True) as db:
            db.execute(
                "create database utf8 template template0 lc_collate 'C.UTF-8' lc_ctype 'C.UTF-8'"
            )
        address = address.replace("dbname=postgres", "dbname=utf8")
        db = stack.enter_context(psycopg.connect(address, autocommit=True))
        db.execute("set client_min_messages = error; create table texts (n int, body text)")
        db.execute(
            "set max_parallel_maintenance_workers = 0; set max_parallel_workers_per_gather = 0"
        )
        with db.cursor().copy("copy texts from stdin") as copy:
            for n, doc in enumerate(islice(cycle(docs), given.rows)):
                copy.write_row((n, doc.text))
        version = db.execute("show server_version").fetchone()[0]
        for name in ("segmenter", "pg_trgm", "rum"):
            try:
                db.execute(f"create extension {name}")
            except psycopg.Error as error:
                print(f"left out: {error}", file=sys.stderr)
        for way in WAYS:
            if given.only and not any(each in way.name for each in given.only):
                continue
            try:
                of_rows[way.name] = {**measure(db, way, asked), "commit": commit}
                print(way.name, of_rows[way.name], file=sys.stderr, flush=True)
            except psycopg.Error as error:
                print(f"left out: {way.name}: {error}", file=sys.stderr)
            else:
                report(given, str(version), saved)
    return 0


def report(given: argparse.Namespace, version: str, saved: dict[str, dict[str, Any]]) -> None:
    """Print and write what is known so far."""
    about = {**common.facts(["psycopg"]), "PostgreSQL": version}
    command = "python -m eval.retrieval.postgres_rows"
    command += f" --rows {given.rows}" if given.rows != PARAGRAPHS else ""
    command += f" --queries {given.queries}" if given.queries != QUERIES else ""
    page = [
        common.heading("Inside PostgreSQL", about, command),
        f"PostgreSQL {version}, locale C.UTF-8. Rows: {PARAGRAPHS:,} paragraphs of the People's "
        f"Daily, repeated for more rows; {given.queries} queries of each kind, seed "
        f"{SEED}. Each method at the commit in its row.\n",
    ]
    for rows in sorted(saved, key=int):
        page += [f"## {int(rows):,} rows\n", table(saved[rows])]
    page += [
        "- Times are processor seconds of the back-end and the client, since other work ran on "
        "the machine; no parallel workers. Fill: copies the texts from one table into a table "
        "with the generated column. Of the first: fill and index.",
        "- Query: returns the numbers of all matching rows; median and 99th percentile.",
        "- Words: gold words of the text; recall of the rows that have them as whole words; "
        "precision: found rows that have the characters in a row. Phrases: two adjacent gold "
        "words; strings: two to five characters; both as phrases, recall and precision by the "
        "characters. Ours does not find strings that end inside a run of letters or digits, "
        "since runs are whole (`runs = split` finds them).",
        "- `simple` indexes the text between two punctuation marks as one word: 9 lexemes per "
        "paragraph against our 115, so its time is that of a table without a Chinese index.",
        "- The index of pg_trgm does not help with fewer than three characters: the table is read.",
        "",
    ]
    print("\n".join(page))
    if not given.dry:
        common.write(PAGE, "\n".join(page), {**about, "rows": saved})


def table(saved: dict[str, dict[str, Any]]) -> str:
    """The figures of the ways, in their order."""
    kinds = ("words", "phrases", "strings")
    of = ("recall", "precision", "p50, ms", "p99, ms")
    head = ["way", "fill, s", "index, s", "of the first", "index, MB", "column, MB"]
    head += [f"{kind}: {what}" for kind in kinds for what in of]
    rows = []
    names = [way.name for way in WAYS if way.name in saved]
    first = saved[names[0]]
    for name in names:
        got = saved[name]
        ratio = (got["fill"] + got["index"]) / (first["fill"] + first["index"])
        row = [name, f"{got['fill']:.1f}", f"{got['index']:.1f}", f"{ratio:.1f}",
               f"{got['index bytes'] / 1e6:.1f}", f"{got['column bytes'] / 1e6:.1f}"]  # fmt: skip
        for kind in kinds:
            row += [f"{got[f'{kind}: {what}']:.3f}" for what in ("recall", "precision")]
            row += [f"{got[f'{kind}: {what}']:.1f}" for what in ("p50", "p99")]
        rows.append([*row, got["commit"]])
    return common.table([*head, "commit"], rows, left=1)


if __name__ == "__main__":
    sys.exit(main())
