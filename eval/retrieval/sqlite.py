"""SQLite FTS5, by apsw and by Python's own sqlite3."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import segmenter as seg
from eval.retrieval.systems import Built, System, others, ours, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    from eval.retrieval.systems import Tokens
    from segmenter.search import SearchOptions


def systems() -> Iterator[System]:
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
