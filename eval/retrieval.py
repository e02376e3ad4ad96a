"""``python -m eval.retrieval``: what full-text engines find by our tokens, and what it costs.

Documents are paragraphs of the People's Daily with their gold words.  Every adapter with its
default settings, beside character bigrams, trigrams and jieba in the same engine:

* **words**: gold words, drawn as they occur.  Recall: of the documents that have the query as whole
  gold words.  Precision: of the documents found, those that have it as a string at all, and those
  that have it as gold words or inside one (共和 in 共和国, not 和国 in 共和国).
* **two words**: neighbouring gold words, typed together.
* **strings**: any two to five characters in a row without punctuation and blanks.

Index size is what the engine keeps beside the texts.  Build time is processor time from texts to
index, PostgreSQL's the time that passes.  Results: ``eval/results/retrieval.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import segmenter as seg
from eval import common
from segmenter import SearchOptions
from segmenter.chars import fold_str
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Tokens = Callable[[str], list[tuple[str, int, int]]]  # term, first and last character
    Find = Callable[[str], set[int]]

SEED, DOCUMENTS, QUERIES = 20261122, 2000, 300


class Document(NamedTuple):
    """A text, folded, and where its gold words begin and end."""

    text: str
    ends: frozenset[int]


class Query(NamedTuple):
    text: str
    whole: frozenset[int]  # documents that have it as whole gold words
    inside: frozenset[int]  # the same, or inside one gold word
    string: frozenset[int]  # documents that have it as a string


class Built(NamedTuple):
    find: Find
    size: int
    seconds: float


class System(NamedTuple):
    engine: str
    name: str
    build: Callable[[list[str], ExitStack], Built]


# --- documents and queries -----------------------------------------------------------------------


def documents(data: Path, count: int) -> tuple[list[Document], list[list[str]]]:
    lines = [
        line.split()
        for line in scoring.read_lines(data / "pku" / "train_feb.txt")
        if len(scoring.join_words(line)) >= 50
    ]
    picked = random.Random(SEED).sample(lines, min(count, len(lines)))
    out = []
    for words in picked:
        ends = frozenset(accumulate(map(len, words), initial=0))
        out.append(Document(fold_str("".join(words)), ends))
    return out, picked


def queries(kind: str, docs: list[Document], gold: list[list[str]], count: int) -> list[Query]:
    pick = random.Random(f"{SEED} {kind}")
    found: dict[str, None] = {}
    while len(found) < count:
        k = pick.randrange(len(docs))
        words, text = gold[k], docs[k].text
        if kind == "strings":
            size, at = pick.randint(2, 5), pick.randrange(len(text))
            asked = text[at : at + size]
            if len(asked) < size:
                continue
        else:
            many = 1 if kind == "words" else 2
            at = pick.randrange(len(words))
            asked = fold_str("".join(words[at : at + many]))
            if len(words[at : at + many]) < many:
                continue
        if asked.isalnum():
            found[asked] = None
    return [_truth(asked, docs) for asked in found]


def _truth(asked: str, docs: list[Document]) -> Query:
    whole, inside, string = set(), set(), set()
    for number, doc in enumerate(docs):
        at = doc.text.find(asked)
        while at >= 0:
            end = at + len(asked)
            string.add(number)
            if at in doc.ends and end in doc.ends:
                whole.add(number)
            if number in whole or not any(k in doc.ends for k in range(at + 1, end)):
                inside.add(number)
            at = doc.text.find(asked, at + 1)
    return Query(asked, frozenset(whole), frozenset(inside | whole), frozenset(string))


# --- tokens of others ----------------------------------------------------------------------------


def grams(n: int) -> Tokens:
    def tokens(text: str) -> list[tuple[str, int, int]]:
        text = fold_str(text)
        rows = ((text[i : i + n], i, i + n) for i in range(len(text) - n + 1))
        return [row for row in rows if row[0].isalnum()]

    return tokens


def jieba_tokens() -> Tokens | None:
    try:
        import jieba
    except ImportError:
        return None
    jieba.setLogLevel(60)
    return lambda text: [
        row for row in jieba.tokenize(fold_str(text), mode="search") if row[0][0].isalnum()
    ]


def others() -> Iterator[tuple[str, Tokens, bool]]:
    """Name, tokens, and whether a query is the phrase of its tokens (or all of them anywhere)."""
    yield "bigrams", grams(2), True
    yield "trigrams", grams(3), True
    found = jieba_tokens()
    if found is not None:
        yield "jieba", found, False


def ours() -> Iterator[tuple[str, seg.Segmenter, SearchOptions | None]]:
    yield "ours", seg.load(), None
    yield "ours, runs='split'", seg.load(), SearchOptions(runs="split")
    yield "ours, decoder='unigram'", seg.load(decoder="unigram"), None


def timed(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


# --- SQLite --------------------------------------------------------------------------------------


def sqlite_systems() -> Iterator[System]:
    import sqlite3

    import apsw

    from segmenter.adapters import sqlite

    def fill(db: Any, texts: list[str], tokenizer: str) -> Built:
        db.execute(f"create virtual table d using fts5(b, content='', tokenize='{tokenizer}')")
        rows = list(enumerate(texts))
        seconds = timed(lambda: _insert(db, rows))
        db.execute("insert into d(d) values ('optimize')")
        size = next(iter(db.execute("select sum(length(block)) from d_data")))[0]
        return Built(
            lambda q: {n for (n,) in db.execute("select rowid from d(?)", (q,))}, size, seconds
        )

    def theirs(tokens: Tokens, phrase: bool) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = apsw.Connection("")

            def cut(utf8: bytes, flags: int, locale: str | None) -> list[tuple[int, int, str]]:
                text = utf8.decode()
                byte = list(accumulate((len(c.encode()) for c in text), initial=0))
                return [(byte[a], byte[b], term) for term, a, b in tokens(text)]

            db.register_fts5_tokenizer("theirs", lambda _, arguments: cut)
            made = fill(db, texts, "theirs")

            def find(asked: str) -> set[int]:
                quoted = [f'"{asked}"'] if phrase else [f'"{t}"' for t, _, _ in tokens(asked)]
                return made.find(" AND ".join(quoted)) if quoted else set()

            return made._replace(find=find)

        return build

    def own(
        connect: Callable[[], Any], s: seg.Segmenter, options: SearchOptions | None
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = connect()
            sqlite.register(db, s, options=options)
            made = fill(db, texts, "segmenter")
            return made._replace(find=lambda q: made.find(sqlite.match(q, s, options=options)))

        return build

    for name, tokens, phrase in others():
        yield System("SQLite FTS5", name, theirs(tokens, phrase))
    for name, s, options in ours():
        yield System("SQLite FTS5", name, own(lambda: apsw.Connection(""), s, options))
    try:
        import sqlitefts  # noqa: F401
    except ImportError:
        return
    yield System(
        "Python's sqlite3", "ours", own(lambda: sqlite3.connect(":memory:"), seg.load(), None)
    )


def _insert(db: Any, rows: list[tuple[int, str]]) -> None:
    with db:
        db.executemany("insert into d(rowid, b) values (?, ?)", rows)


# --- Whoosh --------------------------------------------------------------------------------------


def whoosh_systems() -> Iterator[System]:
    from whoosh import fields, query
    from whoosh.index import create_in

    from eval.retrieval_whoosh import Terms
    from segmenter.adapters import whoosh

    def builder(field: Any, ask: Callable[[str], Any]) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            folder = _folder(stack)
            index = create_in(folder, fields.Schema(n=fields.STORED, body=field))

            def fill() -> None:
                writer = index.writer(limitmb=256)
                for number, text in enumerate(texts):
                    writer.add_document(n=number, body=text)
                writer.commit(optimize=True)

            seconds = timed(fill)
            searcher = stack.enter_context(index.searcher())

            def find(asked: str) -> set[int]:
                return {hit["n"] for hit in searcher.search(ask(asked), limit=None)}

            return Built(find, _bytes_in(folder), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> Callable[[str], Any]:
        def ask(asked: str) -> Any:
            words = [term for term, _, _ in tokens(asked)]
            if phrase and len(words) > 1:
                return query.Phrase("body", words)
            return query.And([query.Term("body", w) for w in words]) if words else query.NullQuery

        return ask

    for name, tokens, phrase in others():
        yield System("Whoosh", name, builder(fields.TEXT(Terms(name)), theirs(tokens, phrase)))
    for name, s, options in ours():
        field = whoosh.Text(s, options)
        yield System(
            "Whoosh", name,
            builder(field, lambda q, field=field: whoosh.strings("body", q, field.analyzer)),  # type: ignore[misc]
        )  # fmt: skip


# --- tantivy -------------------------------------------------------------------------------------


def tantivy_systems() -> Iterator[System]:
    import tantivy as engine

    from segmenter.adapters import tantivy

    def builder(
        cut: Callable[[str], Any], ask: Callable[[Any, str], Any]
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            folder = _folder(stack)
            made = engine.SchemaBuilder()
            made.add_integer_field("n", stored=True)
            made.add_text_field("body")
            schema = made.build()
            index = engine.Index(schema, path=folder)

            def fill() -> None:
                writer = index.writer(100_000_000, 1)
                for number, text in enumerate(texts):
                    document = engine.Document()
                    document.add_integer("n", number)
                    document.add_pre_tokenized_text("body", cut(text))
                    writer.add_document(document)
                writer.commit()
                writer.wait_merging_threads()

            seconds = timed(fill)
            index.reload()
            searcher = index.searcher()

            def find(asked: str) -> set[int]:
                hits = searcher.search(ask(schema, asked), len(texts)).hits
                return {searcher.doc(address)["n"][0] for _, address in hits}

            return Built(find, _bytes_in(folder), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> tuple[Callable[[str], Any], Callable[..., Any]]:
        def cut(text: str) -> Any:
            rows = [engine.Token(t, k, a, b) for k, (t, a, b) in enumerate(tokens(text))]
            return engine.PreTokenizedString(text, rows)

        def ask(schema: Any, asked: str) -> Any:
            words = [term for term, _, _ in tokens(asked)]
            if not words:
                return engine.Query.empty_query()
            if phrase and len(words) > 1:
                return engine.Query.phrase_query(schema, "body", words)
            each = [engine.Query.term_query(schema, "body", word) for word in words]
            return engine.Query.boolean_query([(engine.Occur.Must, one) for one in each])

        return cut, ask

    for name, tokens, phrase in others():
        yield System("tantivy", name, builder(*theirs(tokens, phrase)))
    for name, s, options in ours():
        yield System(
            "tantivy", name,
            builder(
                lambda text, s=s, o=options: tantivy.pretokenized(text, s, options=o),  # type: ignore[misc]
                lambda schema, q, s=s, o=options: tantivy.query(schema, "body", q, s, options=o),  # type: ignore[misc]
            ),
        )  # fmt: skip


# --- PostgreSQL ----------------------------------------------------------------------------------


def postgres_systems(address: str) -> Iterator[System]:
    import psycopg

    from segmenter.adapters import postgres

    def builder(
        cut: Callable[[str], str], ask: Callable[[str], str]
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = stack.enter_context(psycopg.connect(address, autocommit=True))
            db.execute("drop table if exists d")
            db.execute("create table d (n int, words tsvector)")

            def fill() -> None:
                with db.cursor().copy("copy d from stdin") as copy:
                    copy.set_types(["int4", "text"])
                    for number, text in enumerate(texts):
                        copy.write_row((number, cut(text)))
                db.execute("create index i on d using gin (words)")

            seconds = timed(fill, time.perf_counter)
            size = db.execute(
                "select sum(pg_column_size(words)) + pg_relation_size('i') from d"
            ).fetchone()
            assert size is not None

            def find(asked: str) -> set[int]:
                rows = db.execute("select n from d where words @@ %s::tsquery", (ask(asked),))
                return {n for (n,) in rows}

            return Built(find, int(size[0]), seconds)

        return build

    def theirs(tokens: Tokens, phrase: bool) -> tuple[Callable[[str], str], Callable[[str], str]]:
        def cut(text: str) -> str:
            places: dict[str, list[str]] = {}
            for k, (term, _, _) in enumerate(tokens(text), 1):
                places.setdefault(term, []).append(str(k))
            return " ".join(f"'{term}':{','.join(at)}" for term, at in places.items())

        def ask(asked: str) -> str:
            between = " <-> " if phrase else " & "
            return between.join(f"'{term}'" for term, _, _ in tokens(asked))

        return cut, ask

    for name, tokens, phrase in others():
        yield System("PostgreSQL", name, builder(*theirs(tokens, phrase)))
    for name, s, options in ours():
        yield System(
            "PostgreSQL", name,
            builder(
                lambda text, s=s, o=options: postgres.tsvector(text, s, options=o),  # type: ignore[misc]
                lambda q, s=s, o=options: postgres.tsquery(q, s, options=o),  # type: ignore[misc]
            ),
        )  # fmt: skip


# --- what needs no engine ------------------------------------------------------------------------


def graph_systems() -> Iterator[System]:
    """The modes "index" and "query" with search.find, as the service and the command line."""
    from segmenter import search

    def build(texts: list[str], stack: ExitStack) -> Built:
        s = seg.load()
        options = SearchOptions(drop=frozenset(("space", "newline", "punct")))
        index: list[Any] = []
        postings: dict[str, set[int]] = {}

        def fill() -> None:
            for number, text in enumerate(texts):
                index.append(s.tokenize(text, mode="index", options=options))
                for word in index[-1].words:
                    postings.setdefault(word, set()).add(number)

        seconds = timed(fill)

        def find(asked: str) -> set[int]:
            query = s.tokenize(asked, mode="query", options=options)
            single = [w for w, n in zip(query.words, query.position_lengths, strict=True) if n == 1]
            some = [postings.get(word, set()) for word in single]
            near = set.intersection(*some) if some else set()
            return {number for number in near if search.find(index[number], query)}

        return Built(find, 0, seconds)

    yield System("search.find", "ours", build)


# --- measuring -----------------------------------------------------------------------------------


def _folder(stack: ExitStack) -> str:
    folder = tempfile.mkdtemp()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _bytes_in(folder: str) -> int:
    return sum(
        os.path.getsize(Path(at) / name) for at, _, names in os.walk(folder) for name in names
    )


def measure(system: System, texts: list[str], asked: dict[str, list[Query]]) -> dict[str, float]:
    """Figures of one system."""
    with ExitStack() as stack:
        built = system.build(texts, stack)
        out = {"size": float(built.size), "seconds": built.seconds}
        start, n = time.perf_counter(), 0
        for kind, of in asked.items():
            wanted = hit = found = string = inside = 0
            for query in of:
                got = built.find(query.text)
                truth = query.string if kind == "strings" else query.whole
                wanted += len(truth)
                hit += len(truth & got)
                found += len(got)
                string += len(query.string & got)
                inside += len(query.inside & got)
                n += 1
            out[f"{kind}: recall"] = hit / wanted
            out[f"{kind}: precision, string"] = string / found if found else 0.0
            out[f"{kind}: precision, words"] = inside / found if found else 0.0
        out["milliseconds a query"] = (time.perf_counter() - start) / n * 1000
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.retrieval", description="What engines find by our tokens."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, metavar="N")
    parser.add_argument("--queries", type=int, default=QUERIES, metavar="N", help="of each kind")
    parser.add_argument(
        "--postgres",
        metavar="ADDRESS",
        help="of a server; default: start one where initdb is found",
    )
    parser.add_argument("--only", metavar="ENGINE", help="only engines of this name")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    docs, gold = documents(common.data_dir(given.data), given.documents)
    texts = [doc.text for doc in docs]
    asked = {
        kind: queries(kind, docs, gold, given.queries) for kind in ("words", "two words", "strings")
    }
    about = common.facts(["apsw", "sqlitefts", "Whoosh-Reloaded", "tantivy", "psycopg", "jieba"])
    rows: list[list[str]] = []
    saved: dict[str, object] = {}
    with ExitStack() as stack:
        base: dict[str, dict[str, float]] = {}
        for system in _systems(stack, given.postgres):
            if given.only and given.only.lower() not in system.engine.lower():
                continue
            got = measure(system, texts, asked)
            base.setdefault(system.engine.replace("Python's sqlite3", "SQLite FTS5"), got)
            first = base[system.engine.replace("Python's sqlite3", "SQLite FTS5")]
            saved[f"{system.engine}: {system.name}"] = got
            rows.append(_row(system, got, first))
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    report = "\n".join(
        [common.heading("Full-text search", about, _command(given)), _page(given, rows)]
    )
    print(report)
    if not given.dry:
        common.write("retrieval", report, {**about, "documents": len(docs), "systems": saved})
    return 0


def _command(given: argparse.Namespace) -> str:
    more = f" --documents {given.documents}" if given.documents != DOCUMENTS else ""
    return "python -m eval.retrieval" + more


def _systems(stack: ExitStack, postgres: str | None) -> Iterator[System]:
    for make in (graph_systems, sqlite_systems, whoosh_systems, tantivy_systems):
        try:
            yield from make()
        except ImportError as e:
            print(f"left out: {e}", file=sys.stderr)
    try:
        if postgres is None:
            from eval.postgres_server import server

            postgres = stack.enter_context(server())
        if postgres:
            yield from postgres_systems(postgres)
    except ImportError as e:
        print(f"left out: {e}", file=sys.stderr)


def _row(system: System, got: dict[str, float], first: dict[str, float]) -> list[str]:
    times = "" if not got["size"] else f"{got['size'] / first['size']:.2f}"
    return [
        system.engine,
        system.name,
        f"{got['words: recall']:.3f}",
        f"{got['words: precision, string']:.3f}",
        f"{got['words: precision, words']:.3f}",
        f"{got['two words: recall']:.3f}",
        f"{got['two words: precision, string']:.3f}",
        f"{got['strings: recall']:.3f}",
        f"{got['strings: precision, string']:.3f}",
        f"{got['size'] / 1e6:.2f}" if got["size"] else "",
        times,
        f"{got['seconds']:.2f}",
        f"{got['seconds'] / first['seconds']:.2f}" if got["size"] else "",
        f"{got['milliseconds a query']:.2f}",
    ]


def _page(given: argparse.Namespace, rows: Iterable[list[str]]) -> str:
    head = (
        "engine", "tokens", "words: recall", "precision (string)", "precision (words)",
        "two words: recall", "precision", "strings: recall", "precision", "index, MB",
        "of bigrams", "build, s", "of bigrams", "query, ms",
    )  # fmt: skip
    return "\n".join(
        [
            f"{given.documents:,} paragraphs of the People's Daily (50 characters and more), "
            f"{given.queries} queries of each kind, seed {SEED}; default settings.\n",
            common.table(head, rows, left=2),
            "",
            "- *Words*: gold words as they occur, of one character and more. Recall: of the "
            "documents that have the query as whole gold words. Precision (string): of what is "
            "found, what has the query's characters in a row; (words): what has it as gold words, "
            "or inside one.",
            "- *Two words*: two neighbouring gold words typed together; recall and precision as "
            "for words and for strings. *Strings*: two to five characters in a row.",
            "- Figures are over all documents of all queries. Queries of more than three "
            "characters are all of their words, not one phrase: hence the precision of strings.",
            "- Index: without the texts; SQLite's contentless and optimised, Whoosh's and "
            "tantivy's folder, PostgreSQL's column and GIN index. Build: processor time "
            "(PostgreSQL: time that passes), one process; other work ran beside this.",
            "- The goals, for ours in every engine: recall of words 1.000, of strings 1.000 with "
            "`runs='split'`, precision (words) 0.99, 0.7 of bigrams' size, twice bigrams' build "
            "time. The last one stands against the first: what tells words from strings has to be "
            "cut and marked in Python, and at this size most words are met for the first time.",
            "- Bigrams and trigrams find no query shorter than themselves: most of what their "
            "recall of words lacks are words of one character.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
