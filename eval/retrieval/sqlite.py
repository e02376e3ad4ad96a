"""SQLite FTS5: tokenizers in Python through apsw, and loadable extensions.

``simple`` (https://github.com/wangfenjin/simple) is compiled where its source is beside the
corpora, in ``rivals/simple``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.retrieval.systems import Built, System, folder_of, ours, peers, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    import segmenter as seg
    from eval.retrieval.systems import Tokens
    from segmenter.search import SearchOptions


def systems() -> Iterator[System]:
    import apsw

    from segmenter import capi
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
            table = fill(db, texts, "theirs")

            def find(query: str) -> set[int]:
                quoted = [f'"{query}"'] if phrase else [f'"{t}"' for t, _, _ in tokens(query)]
                return table.find(" AND ".join(quoted)) if quoted else set()

            return table._replace(find=find)

        return build

    def system(
        s: seg.Segmenter, options: SearchOptions | None
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = apsw.Connection("")
            sqlite.register(db, s, options=options)
            table = fill(db, texts, "segmenter")
            return table._replace(find=lambda q: table.find(sqlite.match(q, s, options=options)))

        return build

    def loaded(
        library: Callable[[ExitStack], str], tokenizer: str, query: str
    ) -> Callable[[list[str], ExitStack], Built]:
        def build(texts: list[str], stack: ExitStack) -> Built:
            db = apsw.Connection("")
            db.enable_load_extension(True)
            db.load_extension(library(stack))
            table = fill(db, texts, tokenizer)
            sql = f"select rowid from d where d match {query}"
            return table._replace(find=lambda q: {n for (n,) in db.execute(sql, (q,))})

        return build

    for name, tokens, phrase in peers():
        yield System("SQLite FTS5", name, theirs(tokens, phrase))
    extension = capi.extension()
    if shutil.which("cc"):
        yield System("SQLite FTS5", "bigrams, in C", loaded(bigrams, "bigrams", phrase_of()))
    yield System(
        "SQLite FTS5", "SQLite's trigram", loaded(lambda _: extension, "trigram", phrase_of())
    )
    if _SIMPLE.is_dir() and shutil.which("cmake"):
        yield System("SQLite FTS5", "simple", loaded(_simple, "simple", "simple_query(?)"))
    for name, tokenizer in (
        ("extension", "segmenter"),
        ("extension, preset fast", "segmenter preset fast"),
        ("extension, decoder unigram", "segmenter decoder unigram"),
        ("extension, runs split", "segmenter runs split"),
    ):
        build = loaded(lambda _: extension, tokenizer, "segmenter_query(?)")
        yield System("SQLite FTS5", name, build)
    for name, s, options in ours():
        yield System("SQLite FTS5", f"adapter, {name}", system(s, options))


def _insert(db: Any, rows: list[tuple[int, str]]) -> None:
    with db:
        db.executemany("insert into d(rowid, b) values (?, ?)", rows)


#: Beside the corpora, in the folder that holds them.
_SIMPLE = common.data_dir(None).parent / "rivals" / "simple"


def phrase_of() -> str:
    """Return SQL for a text as one phrase."""
    return """'"' || ? || '"'"""


def bigrams(stack: ExitStack) -> str:
    """Compile ``bigrams.c`` and return its path."""
    library = f"{folder_of(stack)}/bigrams.so"
    source = str(Path(__file__).with_name("bigrams.c"))
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", source, "-o", library], check=True)
    return library


def _simple(stack: ExitStack) -> str:
    folder = folder_of(stack)
    off = ("BUILD_SQLITE3", "SIMPLE_WITH_JIEBA", "BUILD_TEST_EXAMPLE")
    options = ["-DCMAKE_BUILD_TYPE=Release", *(f"-D{name}=OFF" for name in off)]
    for command in (
        ["cmake", "-S", str(_SIMPLE), "-B", folder, *options],
        ["cmake", "--build", folder],
    ):
        subprocess.run(command, check=True, stdout=sys.stderr)
    return f"{folder}/src/libsimple.so"
