"""Whoosh for real."""

from __future__ import annotations

import doctest
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from collection import TEXTS, holding
from pages import run_page

from segmenter import ArgumentError, load
from segmenter.lexicon import Lexicon
from segmenter.search import SearchOptions
from segmenter.text import chars

pytest.importorskip("whoosh", reason="whoosh-reloaded is not installed: extra [whoosh]")
from whoosh import fields, highlight, index, qparser
from whoosh.filedb.filestore import RamStorage

from segmenter.adapters import whoosh

if TYPE_CHECKING:
    from pathlib import Path

LATTICE = load(decoder="unigram")


def filled(storage: Any, analyzer: whoosh.Analyzer) -> Any:
    body = whoosh.Text(analyzer.segmenter, analyzer.options, stored=True)
    schema = fields.Schema(n=fields.NUMERIC(stored=True), body=body)
    index = storage.create_index(schema)
    writer = index.writer()
    for n, text in enumerate(TEXTS):
        writer.add_document(n=n, body=text)
    writer.commit()
    return index


def hits(index: Any, text: str) -> set[int]:
    with index.searcher() as searcher:
        query = qparser.QueryParser("body", index.schema).parse(text)
        return {hit["n"] for hit in searcher.search(query, limit=None)}


@pytest.fixture(scope="module")
def ram() -> Any:
    return filled(RamStorage(), whoosh.Analyzer(LATTICE))


def test_words_and_words_inside_words(ram: Any) -> None:
    for word in ("共和", "共和国", "人民", "中华", "研究", "相信", "北京", "的确", "北京大学"):
        assert hits(ram, word) == holding(word), word
    assert hits(ram, "招生研究") == {1}
    assert hits(ram, "招生 人民") == set()
    assert hits(ram, "招生 OR 人民") == {0, 1, 2}
    assert hits(ram, "ABC") == {3}
    assert hits(ram, "共和 NOT 中华") == {1, 2}


def test_a_phrase_is_found_where_its_words_follow_each_other(ram: Any) -> None:
    assert hits(ram, '"人民共和国"') == {0}
    assert hits(ram, '"共和国成立"') == {0}
    assert hits(ram, '"共和国的研究"') == {1}
    assert hits(ram, '"共和成立"') == set()  # a character lies between them
    assert hits(ram, '"成立共和国"') == set()
    assert hits(ram, '"相信 民主"') == set()
    assert hits(ram, '"研究 讨论"~4') == {1}


class Brackets(highlight.Formatter):  # type: ignore[misc]
    """Marks with brackets."""

    between = "…"

    def format_token(self, text: str, token: Any, replace: bool = False) -> str:
        return f"[{highlight.get_text(text, token, replace)}]"


def test_highlights_mark_the_right_characters(ram: Any) -> None:
    with ram.searcher() as searcher:
        for text, row, marks in [
            ("共和国", 1, ["共和国"]),
            ("人民", 0, ["人民"]),
            ("研究", 1, ["研究", "研究"]),
            ("招生办法", 1, ["招生办法"]),  # neighbours are one
            ("国成", 0, ["国成"]),  # no word
            ('"人民共和"', 0, ["人民共和"]),
        ]:
            query = qparser.QueryParser("body", ram.schema).parse(text)
            results = searcher.search(query)
            results.highlighter = whoosh.Highlighter(
                fragmenter=highlight.WholeFragmenter(), formatter=Brackets()
            )
            (hit,) = [h for h in results if h["n"] == row]
            got = hit.highlights("body")
            assert re.findall(r"\[(.*?)\]", got) == marks
            assert re.sub(r"[\[\]]", "", got) == TEXTS[row]


def test_every_string_is_found(ram: Any) -> None:
    for text in TEXTS:
        for a in range(len(text)):
            for b in (a + 1, a + 2, a + 3):
                part = text[a:b]
                if part.isalnum() and not any(chars.fold_str(c).isascii() for c in part):
                    assert hits(ram, part) == holding(part), part
                    assert hits(ram, f'"{part}"') == holding(part), part


def test_whole_words_come_first() -> None:
    index = RamStorage().create_index(fields.Schema(n=fields.STORED, body=whoosh.Text(LATTICE)))
    writer = index.writer()
    for n, text in enumerate(["发展中国家的问题", "我们的中国", "臺灣大學以後再說"]):
        writer.add_document(n=n, body=text)
    writer.commit()
    with index.searcher() as searcher:
        parser = qparser.QueryParser("body", index.schema)
        assert [hit["n"] for hit in searcher.search(parser.parse("中国"))] == [1, 0]
        for query in ("大学", "大學", "以后", "以後 台湾", "湾大"):
            assert [hit["n"] for hit in searcher.search(parser.parse(query))] == [2], query


def test_an_analyzer_in_a_field_of_whooshs_own() -> None:
    body = fields.TEXT(whoosh.Analyzer(LATTICE), stored=True, multitoken_query="phrase")
    index = RamStorage().create_index(fields.Schema(n=fields.NUMERIC(stored=True), body=body))
    writer = index.writer()
    for n, text in enumerate(TEXTS):
        writer.add_document(n=n, body=text)
    writer.commit()
    for word in ("共和国", "国成", "北京", "abc"):
        assert hits(index, word) == {n for n, t in enumerate(TEXTS) if word in t}, word


def test_kept_on_disk_with_its_analyzer(tmp_path: Path) -> None:
    mine = LATTICE.with_words(["招生办法"])
    options = SearchOptions(single=True, stop=frozenset({"公布"}))
    from whoosh.filedb.filestore import FileStorage

    filled(FileStorage(str(tmp_path)), whoosh.Analyzer(mine, options)).close()
    reopened = index.open_dir(str(tmp_path))
    analyzer = reopened.schema["body"].analyzer
    assert analyzer == whoosh.Analyzer(mine, options)
    assert analyzer != whoosh.Analyzer(LATTICE, options)
    assert analyzer != whoosh.Analyzer(mine, options, script=False)
    assert analyzer.segmenter.fingerprint == mine.fingerprint
    assert hits(reopened, "招生办法") == {1}
    assert hits(reopened, "办") == {1}  # single characters
    assert sum(f.stat().st_size for f in tmp_path.iterdir()) < 200_000
    reopened.close()


def test_an_index_whose_lexicon_is_gone(tmp_path: Path) -> None:
    words = tmp_path / "my.lex"
    worlds.lexicon().save(words)
    folder = tmp_path / "index"
    folder.mkdir()
    index.create_in(str(folder), fields.Schema(body=fields.TEXT(whoosh.Analyzer(load(words)))))
    index.open_dir(str(folder)).close()
    words.unlink()
    Lexicon.build([("共和国", 3, "n"), ("的", 9, "u")]).save(words)
    with pytest.raises(ArgumentError, match="other files than <"):
        index.open_dir(str(folder))


def test_an_index_that_was_cut_otherwise_is_refused() -> None:
    state = whoosh.Analyzer(LATTICE).__getstate__()
    state["fingerprint"] = "segmenter-zh/rules-1"
    with pytest.raises(ArgumentError, match="make it again from its texts"):
        whoosh.Analyzer.__new__(whoosh.Analyzer).__setstate__(state)


def test_the_analyzers_protocol() -> None:
    analyzer = whoosh.Analyzer(LATTICE)
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer
    text = "x共和国ＡＢＣ"
    got = [
        (t.text, t.original, t.pos, t.startchar, t.endchar)
        for t in analyzer(
            text, positions=True, chars=True, keeporiginal=True, start_pos=5, start_char=100,
            mode="index",
        )
    ]  # fmt: skip
    assert ("共和国", "共和国", 6, 101, 104) in got
    assert ("国", "国", 8, 103, 104) in got
    assert ("abc", "ＡＢＣ", 9, 104, 107) in got
    assert [t.text for t in analyzer("共和国 abc", tokenize=False)] == ["共和国 abc"]
    with pytest.raises(TypeError, match="value must be str"):
        list(analyzer(b"abc"))  # type: ignore[arg-type]


def test_the_examples() -> None:
    assert doctest.testmod(whoosh).failed == 0
    run_page("whoosh.md", asserts=4)
