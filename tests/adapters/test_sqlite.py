"""FTS5 for real, through apsw."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest
import worlds
from collection import TEXTS, holding
from pages import run_page

from segmenter import SearchOptions, Segmenter, load, search

apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
from segmenter.adapters import sqlite  # noqa: E402

LATTICE = load(decoder="unigram")
SINGLE = SearchOptions(single=True, drop=frozenset(("space", "newline")))


def table(texts: list[str], segmenter: Segmenter, options: SearchOptions | None = None) -> Any:
    db = apsw.Connection("")
    sqlite.register(db, segmenter, options=options)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(texts))
    return db


def found(db: Any, query: str) -> dict[int, str]:
    """Rows with what ``highlight`` makes of them."""
    return dict(db.execute("select rowid, highlight(docs, 0, '⟦', '⟧') from docs(?)", (query,)))


def marked(text: str) -> list[str]:
    return re.findall("⟦(.*?)⟧", text, re.S)


def test_a_query_of_two_characters_finds_its_document() -> None:
    db = table(TEXTS, LATTICE)
    for word in ("共和", "人民", "中华", "研究", "相信", "北京", "的确"):
        rows = found(db, sqlite.match(word, LATTICE))
        assert rows.keys() == holding(word), word
        for row, text in rows.items():
            assert set(marked(text)) == {word}
            assert re.sub("[⟦⟧]", "", text) == TEXTS[row]
            assert len(marked(text)) == TEXTS[row].count(word)


def test_every_word_inside_a_word_is_found_and_marked_exactly() -> None:
    db = table(TEXTS, LATTICE)
    queries = 0
    for row, text in enumerate(TEXTS):
        for token in LATTICE.tokenize(text, mode="search"):
            if token.kind == "space" or not any(c.isalnum() for c in token.text):
                continue
            rows = found(db, sqlite.match(token.text, LATTICE))
            assert row in rows, token.text
            assert token.text.lower() in [m.lower() for m in marked(rows[row])]
            queries += 1
    assert queries > 60


def test_words_of_a_query() -> None:
    db = table(TEXTS, LATTICE)
    assert found(db, sqlite.match("招生研究", LATTICE)).keys() == {1}
    assert found(db, sqlite.match("招生 人民", LATTICE)).keys() == set()
    assert found(db, sqlite.match("招生 人民", LATTICE, any_word=True)).keys() == {0, 1, 2}
    assert found(db, sqlite.match("", LATTICE)) == {}
    assert found(db, sqlite.match("。 ！", LATTICE)) == {}
    assert found(db, '"相信人民"').keys() == {2}  # a phrase
    assert found(db, '"人民 相信"').keys() == {2}  # over the comma
    assert found(db, '"相信 民主"').keys() == set()
    assert found(db, "人民 NOT 中华").keys() == {2}  # FTS5's own syntax
    assert found(db, '"人民" + "共和国"').keys() == {0}
    assert found(db, "招*").keys() == {1}
    assert marked(found(db, sqlite.match("人民共和国", LATTICE))[0]) == ["人民共和国"]
    assert found(db, sqlite.match("共和国", LATTICE)).keys() == {0, 1}
    assert marked(found(db, sqlite.match("abc", LATTICE))[3]) == ["ＡＢＣ", "abc"]
    assert found(db, sqlite.match("c++", LATTICE)).keys() >= {4}
    for odd in ('"', "'", "* OR (", "body:", "NEAR(", "\\", "\x00"):
        found(db, sqlite.match(odd, LATTICE))  # nothing in it is syntax


def test_snippet_counts_bytes_right() -> None:
    text = "👍🏽" * 40 + "前面很长，" * 30 + "目标是共和国的研究，" + "后面很长，" * 30
    db = table([text], LATTICE)
    query = sqlite.match("共和国", LATTICE)
    got = db.execute("select snippet(docs, 0, '⟦', '⟧', '…', 8) from docs(?)", (query,)).get
    assert marked(got) == ["共和国"]
    assert re.sub("[⟦⟧…]", "", got) in text


def test_single_characters_find_every_string() -> None:
    db = table(TEXTS, LATTICE, SINGLE)
    for text in TEXTS:
        for a in range(0, len(text), 3):
            part = text[a : a + 4].strip()
            if not part or any(c.isascii() or c in "ＡＢＣ" for c in part):
                continue
            quoted = '"' + part.replace('"', '""') + '"'
            rows = found(db, quoted)
            assert rows.keys() == holding(part), part
            assert all(part in marked(t) for t in rows.values())


def test_any_text(shipped: Segmenter) -> None:
    """Offsets are right and in order whatever the text."""
    for seed in range(40):
        text = worlds.random_text(seed, 30).encode("utf-8", "ignore").decode()
        db = table([text], shipped)
        terms = search.leaves(
            shipped.tokenize(text, mode="search", options=sqlite.Terms(shipped, None).options)
        )
        got = db.fts5_tokenizer("segmenter", [])(
            text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False
        )
        data = text.encode()
        assert [data[a:b].decode() for a, b, _ in got] == terms.words
        if "\x00" not in text:  # SQLite's highlight stops at one
            assert db.execute("select highlight(docs, 0, '', '') from docs").get == text


def test_arguments_and_bad_text() -> None:
    db = table([], LATTICE)
    with pytest.raises(ValueError, match="takes no arguments"):
        db.execute("create virtual table bad using fts5(body, tokenize='segmenter loud')")
    with pytest.raises(ValueError, match="not UTF-8"):
        db.execute("insert into docs(body) values (cast(x'e4bb' as text))")
    with pytest.raises(TypeError, match="options must be SearchOptions"):
        sqlite.register(db, LATTICE, options={"single": True})  # type: ignore[arg-type]


def test_words_of_the_user() -> None:
    mine = LATTICE.with_words(["图书馆的ＡＢＣ手册"])
    db = table(TEXTS, mine)
    assert found(db, sqlite.match("手册", mine)).keys() == {3}
    assert marked(found(db, sqlite.match("图书馆的ＡＢＣ手册", mine))[3]) == ["图书馆的ＡＢＣ手册"]


def test_leaves_tile_what_nests() -> None:
    for options in (None, SINGLE, SearchOptions(ngrams=2, min_length=3)):
        for text in TEXTS:
            tokens = LATTICE.tokenize(text, mode="search", options=options)
            leaves = search.leaves(tokens)
            assert [e for _, e in leaves.spans[:-1]] == [s for s, _ in leaves.spans[1:]] or options
            spans = set(tokens.spans)
            starts = {a: p for (a, _), p in zip(leaves.spans, leaves.positions, strict=True)}
            for token in tokens:
                assert starts[token.start] == token.position
            assert all(any(a <= c and d <= b for a, b in spans) for c, d in leaves.spans)


def test_the_examples() -> None:
    assert doctest.testmod(sqlite).failed == 0
    run_page("sqlite.md", asserts=6)
