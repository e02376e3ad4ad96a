"""``python -m eval.retrieval``: recall and cost of full-text engines with our tokens.

Documents are paragraphs of the People's Daily with their gold words.  Every adapter with its
default settings is compared with character bigrams, trigrams and jieba in the same engine:

* **words**: gold words, sampled by frequency.  Recall: the share of the documents with the query as
  whole gold words that are found.  Precision: the share of the found documents that have it as a
  string, and that have it as gold words or inside one (共和 in 共和国, not 和国 in 共和国).
* **two words**: adjacent gold words, typed together.
* **strings**: any two to five characters in a row without punctuation and blanks.

Index size does not include the texts.  Build time is processor time from texts to
index, for PostgreSQL elapsed time.  Results: ``eval/results/retrieval.md`` and ``.json``.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING

from eval import common
from eval.retrieval.documents import DOCUMENTS, QUERIES, SEED, documents, queries

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from eval.retrieval.documents import Query
    from eval.retrieval.systems import System


def measure(system: System, texts: list[str], queries: dict[str, list[Query]]) -> dict[str, float]:
    """Figures of one system."""
    with ExitStack() as stack:
        built = system.build(texts, stack)
        figures = {"size": float(built.size), "seconds": built.seconds}
        start, n = time.perf_counter(), 0
        for kind, kind_queries in queries.items():
            relevant = hit = returned = string = inner = 0
            for query in kind_queries:
                got = built.find(query.text)
                truth = query.string if kind == "strings" else query.whole
                relevant += len(truth)
                hit += len(truth & got)
                returned += len(got)
                string += len(query.string & got)
                inner += len(query.inside & got)
                n += 1
            figures[f"{kind}: recall"] = hit / relevant
            figures[f"{kind}: precision, string"] = string / returned if returned else 0.0
            figures[f"{kind}: precision, words"] = inner / returned if returned else 0.0
        figures["milliseconds a query"] = (time.perf_counter() - start) / n * 1000
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = common.arguments("retrieval", "What engines find by our tokens.")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, metavar="N")
    parser.add_argument("--queries", type=int, default=QUERIES, metavar="N", help="of each kind")
    parser.add_argument(
        "--postgres",
        metavar="ADDRESS",
        help="of a server; default: start one where initdb is found",
    )
    parser.add_argument("--only", metavar="ENGINE", help="only engines of this name")
    args = parser.parse_args(arguments)
    docs, gold = documents(common.data_dir(args.data), args.documents)
    texts = [doc.text for doc in docs]
    queries_asked = {
        kind: queries(kind, docs, gold, args.queries) for kind in ("words", "two words", "strings")
    }
    about = common.facts(["apsw", "Whoosh-Reloaded", "tantivy", "psycopg", "jieba"])
    rows: list[list[str]] = []
    saved: dict[str, object] = {}
    with ExitStack() as stack:
        base: dict[str, dict[str, float]] = {}
        for system in _systems(stack, args.postgres):
            if args.only and args.only.lower() not in system.engine.lower():
                continue
            got = measure(system, texts, queries_asked)
            saved[f"{system.engine}: {system.name}"] = got
            rows.append(_row(system, got, base.setdefault(system.engine, got)))
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    name = "retrieval" if len(docs) == DOCUMENTS else f"retrieval_{len(docs)}"
    common.publish(
        name + (f"_{args.only.split()[0].lower()}" if args.only else ""),
        "Full-text search",
        about,
        [_page(args, len(docs), rows)],
        {"documents": len(docs), "systems": saved},
        command=_command(args),
        dry=args.dry,
    )
    return 0


def _command(args: argparse.Namespace) -> str:
    option = f" --documents {args.documents}" if args.documents != DOCUMENTS else ""
    option += f" --queries {args.queries}" if args.queries != QUERIES else ""
    option += f" --only {args.only}" if args.only else ""
    return "python -m eval.retrieval" + option


def _systems(stack: ExitStack, postgres: str | None) -> Iterator[System]:
    for name in ("sqlite", "whoosh", "tantivy"):
        try:
            yield from import_module(f"eval.retrieval.{name}").systems()
        except ImportError as e:
            print(f"left out: {e}", file=sys.stderr)
    try:
        if postgres is None:
            from eval.retrieval.postgres_server import server

            postgres = stack.enter_context(server())
        if postgres:
            from eval.retrieval.postgres import systems

            yield from systems(postgres)
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


def _page(args: argparse.Namespace, documents: int, rows: Iterable[list[str]]) -> str:
    head = (
        "engine", "tokens", "words: recall", "precision (string)", "precision (words)",
        "two words: recall", "precision", "strings: recall", "precision", "index, MB",
        "of bigrams", "build, s", "of bigrams", "query, ms",
    )  # fmt: skip
    return "\n".join(
        [
            f"{documents:,} paragraphs of the People's Daily (50 characters and more), "
            f"{args.queries} queries of each kind, seed {SEED}; default settings.\n",
            common.table(head, rows, left=2),
            "",
            "- *Words*: gold words of the text, of one character and more. Recall: the share of "
            "the documents with the query as whole gold words that are found. Precision (string): "
            "the share of found documents that have the query's characters in a row; (words): that "
            "have it as gold words, or inside one.",
            "- *Two words*: two adjacent gold words typed together; recall and precision as "
            "for words and for strings. *Strings*: two to five characters in a row.",
            "- Figures are over all documents of all queries. A query of more than three "
            "characters asks for all of its words, not for a phrase: hence the precision of "
            "strings.",
            "- Index: without the texts; SQLite's contentless and optimised, Whoosh's and "
            "tantivy's folder, PostgreSQL's column and GIN index. Build: processor time "
            "(PostgreSQL: elapsed time), one process; other work ran on the machine.",
            "- The goals for our tokens in every engine: recall of words 1.000, of strings 1.000 "
            "with `runs='split'`, precision (words) 0.99, 0.7 times the size of bigrams, twice the "
            "build time of bigrams, in SQLite 1.2 times. Bigrams, trigrams and jieba are "
            "tokenizers in Python; in SQLite also in C: bigrams, its own trigram tokenizer, and "
            "simple, whose tokens are single characters and pinyin.",
            "- Bigrams and trigrams find no query shorter than themselves: most of the words that "
            "they miss have one character.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
