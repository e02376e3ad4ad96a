"""tantivy for real."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING, Any

import pytest
from collection import TEXTS, holding
from pages import run_page

from segmenter import ArgumentError, load
from segmenter.search import SearchOptions
from segmenter.text import chars

engine = pytest.importorskip("tantivy", reason="tantivy is not installed: extra [tantivy]")
from segmenter.adapters import tantivy  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

LATTICE = load(decoder="unigram")


@pytest.fixture(scope="module")
def filled() -> Any:
    builder = engine.SchemaBuilder()
    builder.add_integer_field("n", stored=True)
    builder.add_text_field("body", stored=True)
    index = engine.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    for n, text in enumerate(TEXTS):
        document = engine.Document()
        document.add_integer("n", n)
        document.add_pre_tokenized_text("body", tantivy.pretokenized(text, LATTICE))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def search(index: Any, text: str, **options: Any) -> set[int]:
    query = tantivy.query(index.schema, "body", text, LATTICE, **options)
    searcher = index.searcher()
    return {searcher.doc(address)["n"][0] for _, address in searcher.search(query, 100).hits}


def test_words_and_words_inside_words(filled: Any) -> None:
    for word in ("共和", "共和国", "人民", "中华", "研究", "相信", "北京", "的确", "北京大学"):
        assert search(filled, word) == holding(word), word
    assert search(filled, "招生研究") == {1}
    assert search(filled, "招生 人民") == set()
    assert search(filled, "招生 人民", any_word=True) == {0, 1, 2}
    assert search(filled, "abc") == {3}
    assert search(filled, "") == search(filled, "。", phrase=True) == set()
    for odd in ('"', "body:", "* OR (", "\\"):
        assert search(filled, odd) <= {6}


def test_a_phrase_is_found_where_its_words_follow_each_other(filled: Any) -> None:
    assert search(filled, "人民共和国", phrase=True) == {0}
    assert search(filled, "共和国成立", phrase=True) == {0}
    assert search(filled, "共和国的研究", phrase=True) == {1}
    assert search(filled, "共和成立", phrase=True) == set()
    assert search(filled, "成立共和国", phrase=True) == set()
    assert search(filled, "人民相信", phrase=True) == set()  # the comma keeps its place
    assert search(filled, "人民，相信", phrase=True) == {2}
    assert search(filled, "中华", phrase=True) == {0}


def test_offsets_and_positions() -> None:
    text = "👍共和国 ＡＢＣ"
    got = [
        (t.text, t.position, t.char_offset_from, t.char_offset_to)
        for t in tantivy.pretokenized(text, LATTICE).tokens
    ]
    assert got == [
        ("👍.", 0, 0, 1), ("共<", 1, 1, 2), ("和-", 2, 2, 3), ("国>", 3, 3, 4), ("abc.", 5, 5, 8),
    ]  # fmt: skip
    split = tantivy.pretokenized("ABC", LATTICE, options=SearchOptions(runs="split"))
    assert [t.text for t in split.tokens] == ["a<", "b-", "c>"]


def test_every_string_is_found(filled: Any) -> None:
    for text in TEXTS:
        for a in range(len(text)):
            for b in (a + 1, a + 2, a + 3):
                part = text[a:b]
                if part.isalnum() and not any(chars.fold_str(c).isascii() for c in part):
                    assert search(filled, part) == holding(part), part
                    assert search(filled, part, phrase=True) == holding(part), part


def test_whole_words_come_first_and_scripts_are_folded() -> None:
    builder = engine.SchemaBuilder()
    builder.add_integer_field("n", stored=True)
    builder.add_text_field("body")
    index = engine.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    for n, text in enumerate(["发展中国家的问题", "我们的中国", "臺灣大學以後再說"]):
        document = engine.Document()
        document.add_integer("n", n)
        document.add_pre_tokenized_text("body", tantivy.pretokenized(text, LATTICE))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    query = tantivy.query(index.schema, "body", "中国", LATTICE)
    hits = searcher.search(query, 10).hits
    assert [searcher.doc(address)["n"][0] for _, address in hits] == [1, 0]
    for word in ("大学", "大學", "以后", "以後 台湾", "湾大"):
        assert search(index, word) == {2}, word
    for odd in (None, b""):
        with pytest.raises(TypeError, match="text must be str"):
            tantivy.query(index.schema, "body", odd)


def test_another_segmenter_is_refused(tmp_path: Path) -> None:
    tantivy.check(tmp_path, LATTICE)
    tantivy.check(tmp_path, LATTICE)
    with pytest.raises(ArgumentError, match="delete all documents"):
        tantivy.check(tmp_path, LATTICE, options=SearchOptions(runs="split"))
    tantivy.check(tmp_path, LATTICE, script=False, new=True)
    tantivy.check(tmp_path, LATTICE, script=False)


def test_the_examples() -> None:
    assert doctest.testmod(tantivy).failed == 0
    run_page("tantivy.md", asserts=4)
