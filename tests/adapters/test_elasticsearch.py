"""Fields and queries for Elasticsearch and OpenSearch, asked of an engine of a few lines."""

from __future__ import annotations

import doctest
import json
from typing import Any

import pytest
from collection import TEXTS, holding
from pages import run_page

from segmenter import load
from segmenter.adapters import elasticsearch
from segmenter.search import SearchOptions
from segmenter.text import chars

LATTICE = load(decoder="unigram")
FIELDS = [elasticsearch.source(text, "t", LATTICE) for text in TEXTS]


def matches(query: dict[str, Any], fields: dict[str, str]) -> bool:
    """What the servers do with these clauses, fields parted at blanks."""
    ((kind, inner),) = query.items()
    if kind == "match_none":
        return False
    if kind == "bool":
        if not all(matches(one, fields) for one in inner.get("filter", ())):
            return False
        hits = sum(matches(one, fields) for one in inner.get("should", ()))
        return hits >= inner.get("minimum_should_match", 0)
    ((field, text),) = inner.items()
    have, want = fields[field].split(), text.split()
    if kind == "match":
        return bool(set(have) & set(want))
    assert kind == "match_phrase"
    return any(have[k : k + len(want)] == want for k in range(len(have)))


def hits(text: str, **options: Any) -> set[int]:
    query = elasticsearch.query(text, "t", LATTICE, **options)
    assert json.loads(json.dumps(query)) == query
    return {n for n, fields in enumerate(FIELDS) if matches(query, fields)}


def test_every_string_is_found() -> None:
    for text in TEXTS:
        for a in range(len(text)):
            for b in (a + 1, a + 2, a + 3):
                part = text[a:b]
                if part.isalnum() and not any(chars.fold_str(c).isascii() for c in part):
                    assert hits(part) == holding(part), part


def test_a_query_asks_for_all_words_or_for_any() -> None:
    assert hits("招生 人民") == set()
    assert hits("招生 人民", any_word=True) == {0, 1, 2}
    assert hits("共和国成立", phrase=True) == {0}
    assert hits("人民，相信", phrase=True) == {2}
    assert hits("人民相信", phrase=True) == set()  # a comma stands between them
    assert hits("ABC") == {3}
    assert hits("") == hits("。！") == set()
    clauses = elasticsearch.query("研究", "t", LATTICE)["bool"]["should"]
    assert clauses == [{"match": {"t_words": "研究"}}]


def test_either_script_finds_the_other() -> None:
    source = elasticsearch.source("臺灣大學以後，皇后", "t", LATTICE)
    for text in ("大学", "大學", "以后", "以後", "湾大", "皇后"):
        assert matches(elasticsearch.query(text, "t", LATTICE), source), text
    apart = elasticsearch.source("臺灣大學", "t", LATTICE, script=False)
    assert not matches(elasticsearch.query("大学", "t", LATTICE, script=False), apart)


def test_blanks_inside_a_word_and_what_is_dropped() -> None:
    mine = LATTICE.with_words(["New York"])
    fields = elasticsearch.source("在New York，的人", "t", mine)
    assert "new_york" in fields["t_words"].split()
    options = SearchOptions(stop=frozenset({"的"}))
    assert (
        elasticsearch.source("他的书", "t", LATTICE, options=options)["t_characters"] == "他 _ 书"
    )


def test_arguments_and_the_page() -> None:
    with pytest.raises(TypeError, match="text must be str"):
        elasticsearch.query(None, "t")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="field must be str"):
        elasticsearch.source("t", 1)  # type: ignore[arg-type]
    mine = LATTICE.with_words(["云端"])
    assert elasticsearch.mapping("t", LATTICE) != elasticsearch.mapping("t", mine)
    assert doctest.testmod(elasticsearch).failed == 0
    run_page("elasticsearch.md", asserts=4)
