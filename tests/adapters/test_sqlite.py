"""FTS5 for real, through apsw."""

from __future__ import annotations

import doctest
import re
import sqlite3
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from collection import TEXTS, holding
from pages import run_page

from segmenter import ArgumentError, Segmenter, load, search
from segmenter.search import SearchOptions
from segmenter.text.chars import fold_str

apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
from segmenter.adapters import sqlite  # noqa: E402
from segmenter.adapters._terms import Terms  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATTICE = load(decoder="unigram")
SPLIT = SearchOptions(runs="split")


def sqlite3_connection(path: str = ":memory:") -> Any:
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        pytest.skip("this Python's sqlite3 was built without loadable extensions")
    return sqlite3.connect(path, isolation_level=None)


def table(
    texts: list[str],
    segmenter: Segmenter,
    options: SearchOptions | None = None,
    connect: Callable[[], Any] | None = None,
) -> Any:
    db = connect() if connect is not None else apsw.Connection("")
    sqlite.register(db, segmenter, options=options)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(texts))
    return db


def hits(db: Any, query: str) -> dict[int, str]:
    """Rows with what ``highlight`` makes of them."""
    return dict(db.execute("select rowid, highlight(docs, 0, '⟦', '⟧') from docs(?)", (query,)))


def marked(text: str) -> list[str]:
    return re.findall("⟦(.*?)⟧", text, re.S)


def test_a_query_of_two_characters_finds_its_document() -> None:
    db = table(TEXTS, LATTICE)
    for word in ("共和", "人民", "中华", "研究", "相信", "北京", "的确"):
        rows = hits(db, sqlite.match(word, LATTICE))
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
            rows = hits(db, sqlite.match(token.text, LATTICE))
            assert row in rows, token.text
            assert token.text.lower() in [m.lower() for m in marked(rows[row])]
            queries += 1
    assert queries > 60


def test_words_of_a_query() -> None:
    db = table(TEXTS, LATTICE)
    assert hits(db, sqlite.match("招生研究", LATTICE)).keys() == {1}
    assert hits(db, sqlite.match("招生 人民", LATTICE)).keys() == set()
    assert hits(db, sqlite.match("招生 人民", LATTICE, any_word=True)).keys() == {0, 1, 2}
    assert hits(db, sqlite.match("", LATTICE)) == {}
    assert hits(db, sqlite.match("。 ！", LATTICE)) == {}
    assert hits(db, '"相信人民"').keys() == {2}  # a phrase
    assert hits(db, '"人民 相信"').keys() == {2}  # over the comma
    assert hits(db, '"相信 民主"').keys() == set()
    assert hits(db, "人民 NOT 中华").keys() == {2}  # FTS5's own syntax
    assert hits(db, '"人民" + "共和国"').keys() == {0}
    assert hits(db, "招*").keys() == {1}
    assert marked(hits(db, sqlite.match("人民共和国", LATTICE))[0]) == ["人民共和国"]
    assert hits(db, sqlite.match("共和国", LATTICE)).keys() == {0, 1}
    assert marked(hits(db, sqlite.match("abc", LATTICE))[3]) == ["ＡＢＣ", "abc"]
    assert hits(db, sqlite.match("c++", LATTICE)).keys() >= {4}
    for odd in ('"', "'", "* OR (", "body:", "NEAR(", "\\", "\x00"):
        hits(db, sqlite.match(odd, LATTICE))  # nothing in it is syntax


@pytest.mark.parametrize("own", [False, True], ids=["apsw", "sqlite3"])
def test_no_character_is_syntax(own: bool) -> None:
    """Control characters are units like any other; SQLite reads a query up to its first NUL."""
    texts = ["a\x01b", "\x01人.\x02民-", "\x02\x03", "\x01\x01研究\x03", "\x01国.", "国"]
    db = table(texts, LATTICE, connect=sqlite3_connection if own else None)
    for query in {text[a:b] for text in texts for b in range(7) for a in range(b)} - {""}:
        rows = hits(db, sqlite.match(query, LATTICE, phrase=True)).keys()
        query_text = query.translate({ord("."): None, ord("-"): None})  # punctuation is no unit
        expected = {
            n for n, t in enumerate(texts) if query_text in t.replace(".", "").replace("-", "")
        }
        assert rows == (expected if query_text else set()), query
    for odd in ("\x01", "\x02", "\x01\x02", "\x01国\x03", "\x01\x02国-"):
        hits(db, f'"{odd}"')  # nor in a phrase of FTS5


def test_signs_are_units_by_the_characters_beside_them() -> None:
    """Not by their word: in this text, but not in the query, the preset joins % to a character."""
    fast = load("fast")
    c = next(c for c in "看人究学" if fast.cut(f"%{c}%") != fast.cut("%") + fast.cut(f"{c}%"))
    text = f"%{c}%"
    db = table([text, "约占50%的人用C#和AT&T，圆周率3.14"], fast)
    for query, rows in {
        f"{c}%": {0}, "50%的人": {1}, "C#和AT": {1}, "AT&T": {1}, "T&A": set(), "3.14": {1},
        "率3.1": set(), "50的人": set(),
    }.items():  # fmt: skip
        assert hits(db, sqlite.match(query, fast, phrase=True)).keys() == rows, query


def test_snippet_counts_bytes_right() -> None:
    text = "👍🏽" * 40 + "前面很长，" * 30 + "目标是共和国的研究，" + "后面很长，" * 30
    db = table([text], LATTICE)
    query = sqlite.match("共和国", LATTICE)
    got = db.execute("select snippet(docs, 0, '⟦', '⟧', '…', 8) from docs(?)", (query,)).get
    assert marked(got) == ["共和国"]
    assert re.sub("[⟦⟧…]", "", got) in text


def strings(text: str) -> set[str]:
    """All strings of up to four characters, without blanks and punctuation."""
    substrings = {text[a:b] for a in range(len(text)) for b in range(a + 1, a + 5)}
    return {part for part in substrings if part.isalnum()}


@pytest.mark.parametrize("own", [False, True], ids=["apsw", "sqlite3"])
def test_every_string_is_found_and_marked(shipped: Segmenter, own: bool) -> None:
    """Whatever cut the texts, whatever cuts the query."""
    db = table(TEXTS, shipped, SPLIT, connect=sqlite3_connection if own else None)
    for text in TEXTS:
        for part in sorted(strings(text))[:: 1 if not own else 5]:
            rows = hits(db, sqlite.match(part, shipped, options=SPLIT))
            expected = {n for n, t in enumerate(TEXTS) if fold_str(part) in fold_str(t)}
            assert rows.keys() >= expected, part
            if len(part) <= 3:
                assert rows.keys() == expected, part
                for row in expected:
                    assert fold_str(part) in fold_str("".join(marked(rows[row])))


def test_whole_words_come_first() -> None:
    db = table(["发展中国家的问题", "我们的中国"], LATTICE)
    query = sqlite.match("中国", LATTICE)
    got = [n for (n,) in db.execute("select rowid from docs(?) order by rank", (query,))]
    assert got == [1, 0]


def test_a_common_character_has_one_list_in_a_text() -> None:
    """It both ends a word and goes on in these texts, a rarer character keeps its two marks."""
    text = "中国的人民，国中的人，葡萄和萄葡" + "，好" * 20
    for body in (text[:16], text):  # unit by unit, and by columns
        db = table([body], LATTICE)
        db.execute("create virtual table terms using fts5vocab(docs, 'row')")
        terms = {term for (term,) in db.execute("select term from terms")}
        assert all(term[-1] in ".-~" for term in terms)
        assert sorted(term for term in terms if term[0] in "国中") == ["中~", "国~"]
        assert {"葡-", "葡."} <= terms
        for query in ("中国", "国中", "国", "人民"):
            assert hits(db, sqlite.match(query, LATTICE)).keys() == {0}, query


def test_a_string_may_span_punctuation_and_then_ranks_lower() -> None:
    db = table(["他相信，民主", "相信民主", "相信民"], LATTICE)
    query = sqlite.match("相信民主", LATTICE, phrase=True)
    ranked = [n for (n,) in db.execute("select rowid from docs(?) order by rank", (query,))]
    assert ranked == [1, 0]
    db = table(["他有点头，发黄", "他的头发"], LATTICE)
    ranked = [
        n
        for (n,) in db.execute(
            "select rowid from docs(?) order by rank", (sqlite.match("头发", LATTICE),)
        )
    ]
    assert ranked == [1, 0]


def test_scripts_find_each_other() -> None:
    texts = ["臺灣大學的圖書館", "台湾大学的图书馆", "以後再說，計畫書", "以后再说，计划书"]
    db = table(texts, LATTICE)
    for query in ("大学", "大學", "台湾", "臺灣", "图书馆", "圖書館"):
        assert hits(db, sqlite.match(query, LATTICE)).keys() == {0, 1}, query
    for query in ("以后", "以後", "计划书", "計畫書"):
        assert hits(db, sqlite.match(query, LATTICE)).keys() == {2, 3}, query
    assert marked(hits(db, sqlite.match("大学", LATTICE))[0]) == ["大學"]
    plain = apsw.Connection("")
    sqlite.register(plain, LATTICE, script=False)
    plain.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    plain.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(texts))
    assert hits(plain, sqlite.match("大学", LATTICE, script=False)).keys() == {1}


def test_offsets_ascend_whatever_the_text(shipped: Segmenter) -> None:
    """Offsets are right and in order whatever the text."""
    terms = Terms(shipped)
    for seed in range(40):
        text = worlds.random_text(seed, 30).encode("utf-8", "ignore").decode()
        db = table([text], shipped)
        got = db.fts5_tokenizer("segmenter", [])(
            text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False
        )
        data = text.encode()
        units = list(terms.units(text))
        assert [data[a:b].decode() for a, b, _ in got] == [text[u.start : u.end] for u in units]
        assert all(a.end <= b.start for a, b in pairwise(units))
        if "\x00" not in text:  # SQLite's highlight stops at one
            assert db.execute("select highlight(docs, 0, '', '') from docs").get == text


def test_arguments_and_bad_text() -> None:
    db = table([], LATTICE)
    for bad, why in (
        (
            "create virtual table bad using fts5(body, tokenize='segmenter loud')",
            "'loud' has no value",
        ),
        (
            "create virtual table bad using fts5(body, tokenize='segmenter at 1')",
            "'at' is not an option",
        ),
        (
            "create virtual table bad using fts5(body, tokenize='segmenter preset fast')",
            "no options",
        ),
        ("insert into docs(body) values ('国' || cast(x'e4bb' as text))", "not UTF-8 at byte 3"),
    ):
        with pytest.warns(match=why), pytest.raises(apsw.SQLError):
            db.execute(bad)
        assert re.search(why, db.execute("select segmenter_error()").get)
    with pytest.raises(TypeError, match="options must be SearchOptions"):
        sqlite.register(db, LATTICE, options={"single": True})  # type: ignore[arg-type]
    for odd in (None, b"", 3):
        with pytest.raises(TypeError, match="text must be str"):
            sqlite.match(odd)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"an apsw.Connection or a sqlite3.Connection"):
        sqlite.register("my.db")
    with pytest.raises(ArgumentError, match="name: 'a b' is not one word"):
        sqlite.register(db, name="a b")
    with pytest.raises(ArgumentError, match="mismatch: 'no' is not one of refuse, read-only"):
        sqlite.register(db, mismatch="no")
    with pytest.raises(TypeError, match="mismatch must be str, not int"):
        sqlite.register(db, mismatch=1)


def test_options_without_drop_keep_the_adapters_own() -> None:
    for options in (SearchOptions(single=True), SearchOptions(stop=frozenset({"的"}))):
        db = table(TEXTS, LATTICE, options)
        assert hits(db, sqlite.match("招生 研究", LATTICE, options=options)).keys() == {1}
    everything = SearchOptions(drop=frozenset())
    db = table(TEXTS, LATTICE, everything)
    assert hits(db, sqlite.match("。", LATTICE, options=everything)).keys() == {0, 1, 2, 4}
    stop = SearchOptions(stop=frozenset({"的"}))
    db = table(TEXTS, LATTICE, stop)
    assert hits(db, sqlite.match("图书馆的手册", LATTICE, options=stop)).keys() == {3}


def test_prefixes_near_and_columns() -> None:
    db = apsw.Connection("")
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(title, body, tokenize='segmenter')")
    db.execute("insert into docs values ('人民共和国', 'Python 3.12 和中文分词')")

    def rows(query: str) -> int:
        return len(list(db.execute("select 1 from docs(?)", (query,))))

    for query in ("人民共*", '"共和国" *', "pyth*", "title : 共和", "NEAR(python 分词, 8)"):
        assert rows(query) == 1, query
    for query in ("和国人*", "body : 共和", "NEAR(python 分词, 1)", "title : python"):
        assert rows(query) == 0, query


# --- who cut the index ---------------------------------------------------------------------------


@pytest.fixture(params=["apsw", "sqlite3"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Any]:
    path = str(tmp_path / "my.db")
    if request.param == "apsw":
        return lambda: apsw.Connection(path)
    return lambda: sqlite3_connection(path)


def test_another_segmenter_is_refused(opened: Callable[[], Any]) -> None:
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.execute("insert into docs values ('云端共和国成立')")
    db.close()
    mine = LATTICE.with_words(["云端共和国"])
    db = opened()
    sqlite.register(db, LATTICE)  # the same one may
    db.close()
    db = opened()
    with pytest.raises(ArgumentError, match=r"table docs .*rebuild.*read-only"):
        sqlite.register(db, mine)
    with pytest.raises(ArgumentError, match="table docs"):
        sqlite.register(db, LATTICE, script=False)
    sqlite.register(db, mine, mismatch="read-only")
    count = "select count(*) from docs(?)"
    assert list(db.execute(count, (sqlite.match("云端共和国", mine),))) == [(1,)]
    for change in ("insert into docs values ('x')", "delete from docs"):
        with pytest.warns(match="segmenter: "), pytest.raises((apsw.Error, sqlite3.Error)):
            db.execute(change)
    db.close()
    db = opened()
    assert sqlite.rebuild(db, mine) == ["docs"]
    assert list(db.execute(count, (sqlite.match("云端共和国", mine),))) == [(1,)]
    db.execute("delete from docs")
    db.execute("insert into docs(docs) values ('integrity-check')")
    db.close()
    db = opened()
    sqlite.register(db, mine)
    with pytest.raises(ArgumentError, match="table docs"):
        sqlite.register(db, LATTICE)
    db.close()


def test_two_segmenters_that_register_before_there_is_a_table(opened: Callable[[], Any]) -> None:
    """Whoever creates the first table is the one; the other is refused where it first uses it."""
    mine = LATTICE.with_words(["云端共和国"])
    first, second = opened(), opened()
    sqlite.register(first, LATTICE)
    sqlite.register(second, mine)
    first.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    for change in (
        "insert into docs values ('云端共和国')",
        "create virtual table more using fts5(body, tokenize='segmenter')",
    ):
        with (
            pytest.warns(match="segmenter: "),
            pytest.raises((apsw.Error, sqlite3.Error)),
        ):
            second.execute(change)
    first.execute("insert into docs values ('云端共和国')")
    second.close()
    # one that is open when another rebuilds its tables
    second = opened()
    assert sqlite.rebuild(second, mine) == ["docs"]
    with (
        pytest.warns(match="segmenter: "),
        pytest.raises((apsw.Error, sqlite3.Error)),
    ):
        first.execute("insert into docs values ('云端共和国')")
    second.execute("insert into docs values ('云端共和国')")
    first.close()
    second.close()


def test_a_database_that_is_only_read(opened: Callable[[], Any]) -> None:
    """An empty table without a fingerprint is as good as none: nothing can be stored."""
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.execute("delete from segmenter_tokenizers")
    db.close()
    db = opened()
    db.execute("pragma query_only = 1")
    sqlite.register(db, LATTICE)
    assert list(db.execute("select 1 from docs(?)", (sqlite.match("共和", LATTICE),))) == []
    db.execute("pragma query_only = 0")
    db.execute("insert into docs values ('共和国')")
    db.close()
    db = opened()
    with pytest.raises(ArgumentError, match="no record"):
        sqlite.register(db, LATTICE)
    db.close()


def test_databases_that_are_attached_later(opened: Callable[[], Any], tmp_path: Path) -> None:
    mine = LATTICE.with_words(["云端共和国"])
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("attach ? as other", (str(tmp_path / "other.db"),))
    db.execute("create virtual table other.docs using fts5(body, tokenize='segmenter')")
    db.execute("insert into other.docs values ('云端共和国')")
    db.close()
    for mismatch in ("refuse", "read-only"):
        db = opened()
        sqlite.register(db, mine, mismatch=mismatch)
        db.execute("attach ? as other", (str(tmp_path / "other.db"),))
        with (
            pytest.warns(match="segmenter: "),
            pytest.raises((apsw.Error, sqlite3.Error)),
        ):
            db.execute("insert into other.docs values ('云端共和国')")
        if mismatch == "read-only":
            query = (sqlite.match("共和国", mine),)
            assert len(list(db.execute("select 1 from other.docs where docs match ?", query))) == 1
        db.close()
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("attach ? as other", (str(tmp_path / "other.db"),))
    db.execute("insert into other.docs values ('共和')")
    db.close()


def test_tables_of_old_and_contentless_ones(opened: Callable[[], Any]) -> None:
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, content='', tokenize = segmenter)")
    db.execute("insert into docs(rowid, body) values (1, '共和国')")
    db.execute("delete from segmenter_tokenizers")  # as a database of an earlier version
    db.close()
    db = opened()
    with pytest.raises(ArgumentError, match="no record"):
        sqlite.register(db, LATTICE)
    with pytest.raises(ArgumentError, match="docs is contentless"):
        sqlite.rebuild(db, LATTICE)
    sqlite.register(db, LATTICE, mismatch="read-only")
    assert len(list(db.execute("select * from docs(?)", (sqlite.match("和国", LATTICE),)))) == 1
    db.execute("drop table docs")
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, content='', tokenize = segmenter)")
    db.close()
    db = opened()
    sqlite.register(db, LATTICE)
    db.close()


def test_tables_of_the_first_form_are_refused(opened: Callable[[], Any]) -> None:
    """Their characters had other marks: queries of today would find nothing in them."""
    db = opened()
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.execute("insert into docs values ('共和国成立')")
    db.execute("update segmenter_tokenizers set fingerprint = ?", (Terms(LATTICE).fingerprint,))
    db.close()
    for mismatch in ("refuse", "read-only"):
        db = opened()
        with pytest.raises(ArgumentError, match=r"another form .*rebuild"):
            sqlite.register(db, LATTICE, mismatch=mismatch)
        db.close()
    db = opened()
    assert sqlite.rebuild(db, LATTICE) == ["docs"]
    assert hits(db, sqlite.match("和国成", LATTICE)).keys() == {1}
    db.close()


def test_detail_none_holds_no_phrases() -> None:
    """What SQLite says of it; the page says what to do."""
    db = apsw.Connection("")
    sqlite.register(db, LATTICE)
    db.execute("create virtual table docs using fts5(body, detail=none, tokenize='segmenter')")
    db.execute("insert into docs values ('共和国')")
    with pytest.raises(apsw.SQLError, match="phrase queries are not supported"):
        list(db.execute("select * from docs(?)", (sqlite.match("共和国", LATTICE),)))


def test_words_of_the_user() -> None:
    mine = LATTICE.with_words(["图书馆的ＡＢＣ手册"])
    db = table(TEXTS, mine)
    assert hits(db, sqlite.match("手册", mine)).keys() == {3}
    assert marked(hits(db, sqlite.match("图书馆的ＡＢＣ手册", mine))[3]) == ["图书馆的ＡＢＣ手册"]


def test_leaves_tile_what_nests() -> None:
    for options in (None, SearchOptions(single=True), SearchOptions(ngrams=2, min_length=3)):
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
