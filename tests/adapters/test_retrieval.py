"""BM25 and splitters for real, where their packages are installed."""

from __future__ import annotations

import doctest
import pickle

import pytest
from pages import run_page

from segmenter import SearchOptions, load
from segmenter.adapters import bm25

LATTICE = load(decoder="unigram")


def test_terms_of_a_bag() -> None:
    bag = bm25.Bag(LATTICE)
    assert bag("共和国") == ["共和国", "共和", "和国"]
    assert bag("共，和") == ["共", "和"]
    assert bm25.Bag(LATTICE, pairs=False)("共和国") == ["共和国", "共和"]
    assert bm25.Bag(LATTICE, characters=True)("共和") == ["共和", "共", "和"]
    assert bm25.Bag(LATTICE, SearchOptions(stop=frozenset({"的"})))("他的") == ["他"]
    assert bm25.Bag(LATTICE, script=False)("大學") != bm25.Bag(LATTICE)("大學")
    again = pickle.loads(pickle.dumps(bag))
    assert again.fingerprint == bag.fingerprint != bm25.Bag(LATTICE, pairs=False).fingerprint
    assert again("共和国") == bag("共和国")
    with pytest.raises(TypeError, match="text must be str"):
        bag(None)  # type: ignore[arg-type]
    assert doctest.testmod(bm25).failed == 0


def test_whatever_cuts_a_query_two_characters_in_a_row_are_found() -> None:
    for preset in ("fast", "balanced"):
        bag = bm25.Bag(load(preset))
        text = "中华人民共和国成立于北京"
        there = set(bag(text))
        for a in range(len(text) - 1):
            assert text[a : a + 2] in there


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
