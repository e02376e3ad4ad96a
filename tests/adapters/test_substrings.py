"""Every string of a text is found, whatever it is made of and however text and query are cut.

The engines answer for real, and are held to an oracle that knows nothing of words: a search for
rows of characters.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from reference.terms import AFTER, BETWEEN, COMMA

from segmenter import load
from segmenter.adapters._terms import Terms
from segmenter.search import SearchOptions, cuts_runs, units
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.core import Segmenter

    Search = Callable[[str, bool], set[int]]

PIECES = [
    *"%究的年·人国，,。.-:：/_'’&@#‰ 、！\n\r\t一二１Ａa1b2vxαβ·\"()",
    *("v2.0", "axyz", "C#", "50%", "AT&T", "3.14", "1,000", "I/O", "iPhone 15", "5kg", "马克·吐温"),
    *("2️⃣", "12️⃣3", "e\u0301t", "人\u0301", "👍🏽", "中华人民共和国", "研究生", "Привет", "\r\n"),
]
SEGMENTERS = {
    "fast": load("fast"),
    "unigram": load(decoder="unigram"),
    "bpe": load("fast", oov="bpe"),
    "subwords": load("balanced", oov="unigram"),
    "split": load("fast", atoms={"version": "split", "code": "split", "quantity": "split"}),
    "emoji": load("fast", atoms={"emoji": "model"}),
    "words": load("fast", user=[("12|3", "split"), "iPhone 15", ("究%的", "force"), "a.b"]),
    "skip": load("fast", skip=["space", "punct"]),
}


def texts(seed: int, count: int) -> list[str]:
    pick = random.Random(seed)
    return ["".join(pick.choices(PIECES, k=pick.randint(1, 12))) for _ in range(count)]


def places(segmenter: Segmenter, text: str, split: bool) -> list[int]:
    """Where a string may begin or end: between units."""
    if cuts_runs(segmenter):
        return list(range(len(text) + 1))
    return [0, *(unit.end for unit in units(text, split=split))]


def row(segmenter: Segmenter, text: str, split: bool) -> list[tuple[str, int]]:
    """The units that are terms, each with its number: an oracle that goes by characters alone."""
    ends = places(segmenter, text, split)
    folded = chars.fold_str(text)
    kinds = [chars.char_class(ord(c)) for c in folded]

    def is_kind(k: int, *codes: int) -> bool:
        return 0 <= k < len(text) and kinds[k] in codes

    def is_term(a: int, b: int) -> bool:
        if not text[a:b].strip() or b - a > 1:
            return bool(text[a:b].strip())
        if not is_kind(a, chars.PUNCT, *chars.JOINERS):
            return True
        before = is_kind(a - 1, chars.DIGIT, chars.LATIN)
        after = is_kind(a + 1, chars.DIGIT, chars.LATIN)
        if folded[a] == COMMA:
            return is_kind(a - 1, chars.DIGIT) and is_kind(a + 1, chars.DIGIT)
        return before and (folded[a] in AFTER or (after and folded[a] in BETWEEN))

    spans = enumerate(pairwise(ends))
    return [(folded[a:b], k) for k, (a, b) in spans if is_term(a, b)]


def holds(text: list[tuple[str, int]], query: list[tuple[str, int]], gaps: str) -> bool:
    """Whether a row of terms is in another; ``gaps`` as in :data:`ENGINES`."""
    if not query:
        return False
    if gaps == "nothing":
        text, query = ([(word, k) for k, (word, _) in enumerate(r)] for r in (text, query))
    elif gaps == "_":
        text, query = (filled(r) for r in (text, query))
    characters, first = set(text), query[0][1]
    return any(
        all((word, start + k - first) in characters for word, k in query) for _, start in text
    )


def filled(row: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """A row with ``_`` in its gaps."""
    words = {i: word for word, i in row}
    return [(words.get(i, "_"), i) for i in range(row[0][1], row[-1][1] + 1)] if row else []


def sqlite_search(segmenter: Segmenter, options: SearchOptions, bodies: list[str]) -> Search:
    apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
    from segmenter.adapters import sqlite

    db = apsw.Connection("")
    sqlite.register(db, segmenter, options=options, script=False)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(bodies))

    def search(query: str, phrase: bool) -> set[int]:
        expression = sqlite.match(query, segmenter, options=options, script=False, phrase=phrase)
        return {row for (row,) in db.execute("select rowid from docs(?)", (expression,))}

    return search


def tantivy_search(segmenter: Segmenter, options: SearchOptions, bodies: list[str]) -> Search:
    tantivy = pytest.importorskip("tantivy", reason="tantivy is not installed: extra [tantivy]")
    from segmenter.adapters import tantivy as adapter

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body")
    builder.add_integer_field("row", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(15_000_000, 1)
    for number, body in enumerate(bodies):
        document = tantivy.Document(row=number)
        document.add_pre_tokenized_text(
            "body", adapter.pretokenized(body, segmenter, options=options, script=False)
        )
        writer.add_document(document)
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str, phrase: bool) -> set[int]:
        built = adapter.query(
            schema, "body", query, segmenter, options=options, script=False, phrase=phrase
        )
        hits = searcher.search(built, len(bodies)).hits
        return {searcher.doc(address)["row"][0] for _, address in hits}

    return search


def whoosh_search(segmenter: Segmenter, options: SearchOptions, bodies: list[str]) -> Search:
    pytest.importorskip("whoosh", reason="whoosh is not installed: extra [whoosh]")
    from whoosh import fields
    from whoosh.filedb.filestore import RamStorage

    from segmenter.adapters import whoosh as adapter

    text = adapter.Text(segmenter, options, False)
    index = RamStorage().create_index(fields.Schema(body=text, row=fields.STORED))
    writer = index.writer()
    for number, body in enumerate(bodies):
        writer.add_document(body=body, row=number)
    writer.commit()
    searcher = index.searcher()

    def search(query: str, phrase: bool) -> set[int]:
        if phrase:
            parts = text.analyzer._terms.parts(query, phrase=True)
            strings = [adapter.String("body", part, False) for part in parts]
            return {hit["row"] for m in strings for hit in searcher.search(m, limit=None)}
        strings = adapter.strings("body", query, text.analyzer)
        return {hit["row"] for hit in searcher.search(strings, limit=None)}

    return search


def elasticsearch_search(segmenter: Segmenter, options: SearchOptions, bodies: list[str]) -> Search:
    """What ``match_phrase`` does with fields that a server splits at whitespace."""
    from segmenter.adapters import elasticsearch

    def fields(body: str) -> list[str]:
        source = elasticsearch.source(body, "body", segmenter, options=options, script=False)
        return source["body_characters"].split()

    rows = [fields(body) for body in bodies]

    def search(query: str, phrase: bool) -> set[int]:
        built = elasticsearch.query(
            query, "body", segmenter, options=options, script=False, phrase=phrase
        )
        if "match_none" in built:
            return set()
        phrases = [m["match_phrase"]["body_characters"].split() for m in built["bool"]["filter"]]
        return {
            number
            for number, words in enumerate(rows)
            if all(
                any(words[k : k + len(phrase)] == phrase for k in range(len(words)))
                for phrase in phrases
            )
        }

    return search


#: How an engine is filled, and what a dropped unit leaves: nothing, a place for anything, or "_".
ENGINES = {
    "sqlite": (sqlite_search, "nothing"),
    "tantivy": (tantivy_search, "anything"),
    "whoosh": (whoosh_search, "anything"),
    "elasticsearch": (elasticsearch_search, "_"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SEGMENTERS)
def test_rows_of_characters_are_found_and_nothing_else(engine: str, name: str) -> None:
    build, gaps = ENGINES[engine]
    segmenter = SEGMENTERS[name]
    for split in (False, True):
        options = SearchOptions(runs="split" if split else "whole")
        bodies = texts(1 + split, 40)
        search = build(segmenter, options, bodies)
        rows = [row(segmenter, body, split) for body in bodies]
        pick = random.Random(7)
        for number, body in enumerate(bodies):
            ends = places(segmenter, body, split)
            for _ in range(6):
                a = pick.randrange(len(ends) - 1)
                b = min(a + pick.randint(1, 6), len(ends) - 1)
                query = body[ends[a] : ends[b]]
                query_row = row(segmenter, query, split)
                hits = {k for k, r in enumerate(rows) if holds(r, query_row, gaps)}
                assert search(query, True) == hits, (query, body)
                if query_row:
                    assert number in hits, (query, body)
                    assert number in search(query, False), (query, body)


@pytest.mark.parametrize("name", SEGMENTERS)
def test_terms_are_those_of_the_oracle(name: str) -> None:
    segmenter = SEGMENTERS[name]
    for split in (False, True):
        terms = Terms(segmenter, SearchOptions(runs="split" if split else "whole"), script=False)
        for text in texts(3, 300):
            got = [(unit.text, unit.position) for unit in terms.units(text)]
            assert got == row(segmenter, text, split), text


@pytest.mark.parametrize("name", ["fast", "unigram", "bpe"])
def test_near_counts_units(name: str) -> None:
    """FTS5's NEAR: phrases in any order, with at most so many units between them."""
    apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
    from segmenter.adapters import sqlite

    segmenter = SEGMENTERS[name]
    bodies = texts(5, 80)
    db = apsw.Connection("")
    sqlite.register(db, segmenter, script=False)
    db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
    db.executemany("insert into docs(rowid, body) values (?, ?)", enumerate(bodies))
    rows = [[word for word, _ in row(segmenter, body, False)] for body in bodies]

    def starts(words: list[str], phrase: list[str]) -> list[int]:
        n = len(phrase)
        return [k for k in range(len(words) - n + 1) if words[k : k + n] == phrase]

    def near(words: list[str], left: list[str], right: list[str], least: int) -> bool:
        pairs = ((a, b) for a in starts(words, left) for b in starts(words, right))
        return any(
            max(a, b) <= a + len(left) + least and max(a, b) <= b + len(right) + least
            for a, b in pairs
        )

    pick = random.Random(11)
    queried = matched = 0
    while queried < 600:
        body = pick.choice(bodies)
        ends = places(segmenter, body, False)
        cut = [sorted(pick.choices(ends, k=2)) for _ in range(2)]
        left, right = (body[a:b] for a, b in cut)
        terms = [[word for word, _ in row(segmenter, text, False)] for text in (left, right)]
        if not (terms[0] and terms[1]) or "\0" in left + right:
            continue
        least = pick.randrange(6)
        quoted = [f'"{text.replace(chr(34), chr(34) * 2)}"' for text in (left, right)]
        query = f"NEAR({' '.join(quoted)}, {least})"
        got = {k for (k,) in db.execute("select rowid from docs(?)", (query,))}
        assert got == {k for k, words in enumerate(rows) if near(words, *terms, least)}, query
        queried += 1
        matched += bool(got)
    assert matched > 100
