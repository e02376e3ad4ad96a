"""PostgreSQL for real: a server of the tests' own, where one is installed."""

from __future__ import annotations

import doctest
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from collection import TEXTS, holding
from pages import run_page
from places import ROOT
from server import postgres as running

from segmenter import ArgumentError, load
from segmenter.adapters import postgres
from segmenter.search import SearchOptions
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterator

LATTICE = load(decoder="unigram")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: extra [postgres]")
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def database(address: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create table docs (n int, body text, words tsvector)")
        for n, text in enumerate(TEXTS):
            connection.execute(
                "insert into docs values (%s, %s, %s::tsvector)",
                (n, text, postgres.tsvector(text, LATTICE)),
            )
        connection.execute("create index on docs using gin (words)")
        yield connection


def hits(database: Any, text: str, **options: Any) -> set[int]:
    query = postgres.tsquery(text, LATTICE, **options)
    rows = database.execute("select n from docs where words @@ %s::tsquery", (query,))
    return {n for (n,) in rows}


def test_words_and_words_inside_words(database: Any) -> None:
    for word in ("共和", "共和国", "人民", "中华", "研究", "相信", "北京", "的确", "北京大学"):
        assert hits(database, word) == holding(word), word
    assert hits(database, "招生研究") == {1}
    assert hits(database, "招生 人民") == set()
    assert hits(database, "招生 人民", any_word=True) == {0, 1, 2}
    assert hits(database, "ABC") == {3}
    assert hits(database, "") == hits(database, "。！") == set()


def test_a_phrase_is_found_where_its_words_follow_each_other(database: Any) -> None:
    assert hits(database, "人民共和国", phrase=True) == {0}
    assert hits(database, "共和国成立", phrase=True) == {0}
    assert hits(database, "共和国的研究", phrase=True) == {1}
    assert hits(database, "共和成立", phrase=True) == set()
    assert hits(database, "成立共和国", phrase=True) == set()
    assert hits(database, "人民，相信", phrase=True) == {2}
    assert hits(database, "人民相信", phrase=True) == set()


def test_nothing_in_a_text_is_syntax(database: Any) -> None:
    everything = SearchOptions(drop=frozenset())
    for text in [*TEXTS, "a'b", "a\\", "'", "\\'", "x:1A", "& | ! <-> (", "字:*", "’"]:
        vector = postgres.tsvector(text, LATTICE, options=everything)
        query = postgres.tsquery(text, LATTICE, options=everything)
        row = database.execute(
            "select %s::tsvector, %s::tsvector @@ %s::tsquery", (vector, vector, query)
        )
        status, matches = row.fetchone()
        terms = {u.text + u.mark for u in postgres.Terms(LATTICE, everything).units(text)}
        assert matches == bool(terms)
        length = database.execute("select length(%s::tsvector)", (vector,)).fetchone()[0]
        assert length == len(terms), status


def test_what_is_long(database: Any) -> None:
    text = "a" * 3000 + " 共和国" + "，的" * 20_000 + "成立"
    vector = postgres.tsvector(text, LATTICE)
    query = postgres.tsquery("共和国成立" + "b" * 3000, LATTICE)
    row = database.execute("select %s::tsvector @@ %s::tsquery", (vector, query)).fetchone()
    assert row == (True,)
    assert "aaa" not in vector
    assert "'成立':16383" in vector
    assert len(vector) < 20_000  # 255 positions of a lexeme


def test_every_string_is_found(database: Any) -> None:
    for text in TEXTS:
        for a in range(len(text)):
            for b in (a + 1, a + 2, a + 3):
                part = text[a:b]
                if part.isalnum() and not any(chars.fold_str(c).isascii() for c in part):
                    assert hits(database, part) == holding(part), part


def test_scripts_and_whole_words(database: Any) -> None:
    index_terms, query_terms = (
        postgres.tsvector("臺灣小學以後", LATTICE),
        postgres.tsvector("中国家", LATTICE),
    )
    for query in ("小学", "小學", "以后", "以後", "湾小"):
        row = database.execute(
            "select %s::tsvector @@ %s::tsquery", (index_terms, postgres.tsquery(query, LATTICE))
        )
        assert row.fetchone() == (True,), query
    rank = "select ts_rank(%s::tsvector, %s::tsquery)"
    words = postgres.ts_words("小学", LATTICE)
    assert database.execute(rank, (index_terms, words)).fetchone()[0] > 0.01
    assert database.execute(rank, (query_terms, words)).fetchone()[0] < 1e-9


def test_another_segmenter_is_refused(database: Any) -> None:
    postgres.check(database, "docs.words", LATTICE)
    postgres.check(database, "docs.words", LATTICE)
    mine = LATTICE.with_words(["云端"])
    with pytest.raises(ArgumentError, match=r"column docs.words .* fill the column again"):
        postgres.check(database, "docs.words", mine)
    postgres.check(database, "docs.words", mine, new=True)
    postgres.check(database, "docs.words", mine)
    with pytest.raises(ArgumentError, match=r"of the form table\.column"):
        postgres.check(database, "docs; drop", mine)
    for odd in (None, b""):
        with pytest.raises(TypeError, match="text must be str"):
            postgres.tsquery(odd)  # type: ignore[arg-type]


def test_ranked_rows_are_those_that_hold_the_word(database: Any) -> None:
    query = postgres.tsquery("研究", LATTICE)
    rows = database.execute(
        "select n from docs, cast(%s as tsquery) q where words @@ q "
        "order by ts_rank(words, q) desc",
        (query,),
    ).fetchall()
    assert {n for (n,) in rows} == holding("研究")


def test_the_examples(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect_by_environment(address, monkeypatch)
    run_page("postgresql.md", asserts=5, heading="From a program")


def connect_by_environment(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in address.split():
        name, _, value = part.partition("=")
        monkeypatch.setitem(
            os.environ, {"dbname": "PGDATABASE"}.get(name, f"PG{name.upper()}"), value
        )


def test_in_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: extra [postgres]")
    # the server's Python is not this one: it gets this one's packages and this checkout
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    with running({"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}) as server:
        with psycopg.connect(server, autocommit=True) as db:
            try:
                db.execute("create extension plpython3u")
            except psycopg.Error as e:
                pytest.skip(f"the server has no PL/Python (Debian: postgresql-plpython3-15): {e}")
            if not same_python(db):
                pytest.skip("the server's Python has another version")
            if not same_files(db):
                pytest.skip(f"the server's user may not read this checkout: {unreadable()}")
        connect_by_environment(server, monkeypatch)
        names = run_page("postgresql.md", asserts=4, heading="In the server")
        names["db"].close()  # type: ignore[attr-defined]


def unreadable() -> str:
    """Where others may not look on the way to this checkout, and the command against it."""
    root = ROOT
    shut = [str(folder) for folder in root.parents if not folder.stat().st_mode & 0o001]
    return f"chmod go+rx {' '.join(reversed(shut))}" if shut else "a package that it needs is shut"


def same_python(db: Any) -> bool:
    """Whether compiled packages of this Python load in the server's."""
    db.execute(
        "create function python_version() returns text language plpython3u as "
        "$$ import sys; return '%d.%d' % sys.version_info[:2] $$"
    )
    (version,) = db.execute("select python_version()").fetchone()
    return bool(version == "{}.{}".format(*sys.version_info))


def same_files(db: Any) -> bool:
    """Whether the server's Python finds the package of this checkout."""
    db.execute(
        "create function found() returns bool language plpython3u as "
        "$$ import importlib.util; return importlib.util.find_spec('segmenter') is not None $$"
    )
    (count,) = db.execute("select found()").fetchone()
    return bool(count)


def test_the_docstrings() -> None:
    assert doctest.testmod(postgres).failed == 0
