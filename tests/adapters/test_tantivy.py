"""tantivy for real."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from collection import TEXTS, holding
from pages import run_page

from segmenter import SearchOptions, load

engine = pytest.importorskip("tantivy", reason="tantivy is not installed: extra [tantivy]")
from segmenter.adapters import tantivy  # noqa: E402

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


def found(index: Any, text: str, **how: Any) -> set[int]:
    query = tantivy.query(index.schema, "body", text, LATTICE, **how)
    searcher = index.searcher()
    return {searcher.doc(address)["n"][0] for _, address in searcher.search(query, 100).hits}


def test_words_and_words_inside_words(filled: Any) -> None:
    for word in ("共和", "共和国", "人民", "中华", "研究", "相信", "北京", "的确", "北京大学"):
        assert found(filled, word) == holding(word), word
    assert found(filled, "招生研究") == {1}
    assert found(filled, "招生 人民") == set()
    assert found(filled, "招生 人民", any_word=True) == {0, 1, 2}
    assert found(filled, "abc") == {3}
    assert found(filled, "") == found(filled, "。", phrase=True) == set()
    for odd in ('"', "body:", "* OR (", "\\"):
        assert found(filled, odd) <= {6}


def test_phrases(filled: Any) -> None:
    assert found(filled, "人民共和国", phrase=True) == {0}
    assert found(filled, "共和国成立", phrase=True) == {0}
    assert found(filled, "共和国的研究", phrase=True) == {1}
    assert found(filled, "共和成立", phrase=True) == set()
    assert found(filled, "成立共和国", phrase=True) == set()
    assert found(filled, "人民相信", phrase=True) == set()  # the comma keeps its place
    assert found(filled, "人民，相信", phrase=True) == {2}
    assert found(filled, "中华", phrase=True) == {0}


def test_offsets_and_positions() -> None:
    text = "👍共和国 ＡＢＣ"
    got = [
        (t.text, t.position, t.char_offset_from, t.char_offset_to)
        for t in tantivy.pretokenized(text, LATTICE).tokens
    ]
    assert ("共和国", 1, 1, 4) in got
    assert ("共和", 1, 1, 3) in got
    assert ("abc", 4, 5, 8) in got
    single = tantivy.pretokenized("共和国", LATTICE, options=SearchOptions(single=True))
    assert [t.text for t in single.tokens] == ["共和国", "共和", "共", "和", "国"]


def test_the_examples() -> None:
    assert doctest.testmod(tantivy).failed == 0
    run_page("tantivy.md", asserts=4)
