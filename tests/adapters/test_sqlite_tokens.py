"""The extension gives FTS5 the tokens of ``tests/reference/fts5.py``, and ``match``'s queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from collection import TEXTS
from hypothesis import given
from hypothesis import strategies as st
from reference import fts5
from terms import ALPHABET, TERMS

apsw = pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
from segmenter.adapters import sqlite  # noqa: E402

if TYPE_CHECKING:
    from segmenter.adapters._terms import Terms

SYNTAX = '\x01\x02\x03.-~"'


def connection(terms: Terms) -> Any:
    db = apsw.Connection("")
    sqlite.register(db, terms.segmenter, options=terms.options, script=terms.script)
    # a tokenizer that no table names is refused: its fingerprint would be compared with nothing
    db.execute("create virtual table docs using fts5(text, tokenize='segmenter')")
    return db


CONNECTIONS = [(terms, connection(terms)) for terms in TERMS]


def tokens(db: Any, text: str, flags: int) -> list[Any]:
    tokenize = db.fts5_tokenizer("segmenter", [])
    return [tuple(row) for row in tokenize(text.encode(), flags, None)]


def check(pair: tuple[Terms, Any], text: str) -> None:
    terms, db = pair
    text = text.encode("utf-8", "ignore").decode()
    rows = [(a, b, *row) for a, b, row in fts5.document(terms, text)]
    assert tokens(db, text, apsw.FTS5_TOKENIZE_DOCUMENT) == rows
    for flags in (0, apsw.FTS5_TOKENIZE_PREFIX):
        spelt = [(0, 0, *row) for row in fts5.query(terms, text, prefix=bool(flags))]
        assert tokens(db, text, apsw.FTS5_TOKENIZE_QUERY | flags) == spelt
    for mode in ("", "any", "phrase"):
        query = sqlite.match(
            text, terms.segmenter, options=terms.options, script=terms.script,
            any_word=mode == "any", phrase=mode == "phrase",
        )  # fmt: skip
        assert db.execute("select segmenter_query(?, ?)", (text, mode)).get == query


@given(st.sampled_from(CONNECTIONS), st.text(st.sampled_from(ALPHABET + SYNTAX), max_size=30))
def test_tokens_are_those_of_the_reference(pair: tuple[Terms, Any], text: str) -> None:
    check(pair, text)


def test_both_tokenizers_give_equal_tokens() -> None:
    for pair in CONNECTIONS:
        for text in (*TEXTS, "以後再說，計畫書" * 20, "1️⃣2️⃣a1️⃣", "後\u0301", "的一的一"):
            check(pair, text)


def test_every_character_has_its_class_and_fold() -> None:
    """The tables that the extension was compiled with are those of this package."""
    for terms, db in CONNECTIONS[:2]:
        points = (chr(k) for k in range(0x30000) if not 0xD800 <= k < 0xE000)
        for text in zip(*[points] * 997, strict=False):
            together = "国".join(text)
            rows = [(a, b, *row) for a, b, row in fts5.document(terms, together)]
            assert tokens(db, together, apsw.FTS5_TOKENIZE_DOCUMENT) == rows
