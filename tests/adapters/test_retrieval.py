"""BM25 and splitters for real, where their packages are installed."""

from __future__ import annotations

import doctest
import pickle

import pytest
from pages import run_page

from segmenter import ArgumentError, load
from segmenter.adapters import bm25
from segmenter.search import SearchOptions

LATTICE = load(decoder="unigram")


def test_terms_of_a_bag() -> None:
    bag = bm25.Bag(LATTICE)
    assert bag("共和国") == ["共和国", "共和", "和国"]
    assert bag("共，和") == ["共", "和"]
    assert bm25.Bag(LATTICE, pairs=False)("共和国") == ["共和国", "共和"]
    assert bm25.Bag(LATTICE, characters=True)("共和") == ["共和", "共", "和"]
    assert bm25.Bag(LATTICE, SearchOptions(stop=frozenset({"的"})))("他的") == ["他"]
    assert bm25.Bag(LATTICE, script=False)("大學") != bm25.Bag(LATTICE)("大學")
    copy = pickle.loads(pickle.dumps(bag))
    assert copy.fingerprint == bag.fingerprint != bm25.Bag(LATTICE, pairs=False).fingerprint
    assert copy("共和国") == bag("共和国")
    with pytest.raises(TypeError, match="text must be str"):
        bag(None)  # type: ignore[arg-type]
    assert doctest.testmod(bm25).failed == 0


def test_whatever_cuts_a_query_two_characters_in_a_row_are_found() -> None:
    for preset in ("fast", "balanced"):
        bag = bm25.Bag(load(preset))
        text = "中华人民共和国成立于北京"
        terms = set(bag(text))
        for a in range(len(text) - 1):
            assert text[a : a + 2] in terms


def test_chunks_on_the_page() -> None:
    run_page("retrieval.md", asserts=2, heading="Chunks")


@pytest.mark.parametrize(("heading", "package"), [("bm25s", "bm25s"), ("rank_bm25", "rank_bm25")])
def test_bm25(heading: str, package: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed: extra [bm25]")
    run_page("retrieval.md", asserts=1, heading=heading)


def test_langchain() -> None:
    pytest.importorskip(
        "langchain_text_splitters", reason="langchain is not installed: extra [langchain]"
    )
    from segmenter.adapters import langchain

    assert doctest.testmod(langchain).failed == 0
    run_page("retrieval.md", asserts=2, heading="LangChain")
    text = "他来了。我走了，因为下雨。好吧。\n\n第二段。"
    splitter = langchain.Splitter(LATTICE, chunk_size=6, length_function=lambda t: len(t) // 2)
    parts = splitter.split_text(text)
    assert "".join(parts) == text
    assert all(len(part) // 2 <= 6 for part in parts)


def test_llamaindex() -> None:
    pytest.importorskip(
        "llama_index.core", reason="llama-index-core is not installed: extra [llamaindex]"
    )
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.schema import Document

    from segmenter.adapters import llamaindex

    assert doctest.testmod(llamaindex).failed == 0
    run_page("retrieval.md", asserts=4, heading="LlamaIndex")
    text = "他来了。我走了，因为下雨。好吧。"
    splitter = llamaindex.Splitter(
        chunk_size=6, tokenizer=lambda t: len(t) // 2, settings={"decoder": "unigram"}
    )
    nodes = IngestionPipeline(transformations=[splitter]).run(documents=[Document(text=text)])
    assert "".join(n.text for n in nodes) == text
    assert all(text[n.start_char_idx : n.end_char_idx] == n.text for n in nodes)
    lapping = llamaindex.Splitter(chunk_size=4, chunk_overlap=2)
    assert lapping.split_text("一。二。三。") == ["一。二。", "二。三。"]
    retriever = llamaindex.Retriever(nodes, bm25.Bag(LATTICE, characters=True))
    assert retriever.retrieve("雨")[0].node.text.endswith("因为下雨。")
    assert retriever.retrieve("。") == []
    with pytest.raises(ArgumentError, match="nodes: empty"):
        llamaindex.Retriever([])
    with pytest.raises(TypeError, match="bag must be a function"):
        llamaindex.Retriever(nodes, "bag")  # type: ignore[arg-type]


def test_haystack() -> None:
    pytest.importorskip("haystack", reason="haystack-ai is not installed: extra [haystack]")
    from haystack import Document

    from segmenter.adapters import haystack

    assert doctest.testmod(haystack).failed == 0
    run_page("retrieval.md", asserts=4, heading="Haystack")
    splitter = haystack.Splitter(4, unit="words", settings={"decoder": "unigram"})
    empty = Document(content=None)
    chunks = splitter.run([Document(content="他来了。我走了。", meta={"a": 1}), empty])["documents"]
    assert [c.content for c in chunks] == ["他来了。", "我走了。", None]
    assert chunks[1].meta["a"] == 1
    assert chunks[1].meta["split_idx_start"] == 4
    with pytest.raises(ArgumentError, match="unit: 'tokens' is not one of chars, words"):
        haystack.Splitter(unit="tokens")
    with pytest.raises(TypeError, match="unit must be str, not int"):
        haystack.Splitter(unit=1)
    store = haystack.Store({"decoder": "unigram"}, characters=True)
    store.write_documents([Document(content="他来了"), Document(content="因为下雨")])
    assert [d.content for d in store.bm25_retrieval("雨")] == ["因为下雨"]
    restored = haystack.Store.from_dict(store.to_dict())
    assert restored.to_dict() == store.to_dict()


@pytest.mark.parametrize(("heading", "package"), [("LanceDB", "lancedb"), ("DuckDB", "duckdb")])
def test_pages_without_an_adapter(heading: str, package: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    run_page("retrieval.md", asserts=2, heading=heading)


@pytest.mark.parametrize("preset", ["fast", "balanced"])
def test_queries_of_one_and_two_characters_find_every_text(preset: str) -> None:
    """Words and pairs together, with single characters: whatever cut the text."""
    bag = bm25.Bag(load(preset), characters=True)
    texts = [
        "中华人民共和国成立于北京",
        "研究生院公布了招生办法",
        "长春市长春药店",
        "臺灣大學的圖書館",
    ]
    for text in texts:
        terms = set(bag(text))
        for n in (1, 2):
            for a in range(len(text) - n + 1):
                assert set(bag(text[a : a + n])) <= terms, text[a : a + n]


def test_a_line_of_terms() -> None:
    bag = bm25.Bag(LATTICE.with_words(["New York"]), pairs=False)
    assert bag.line("在New York") == "在 new_york new york"
    assert bag.line("") == ""
