"""Units of a text as columns are those that ``Terms.units`` gives one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collection import TEXTS
from hypothesis import given
from hypothesis import strategies as st
from terms import ALPHABET, LATTICE, TERMS

from segmenter.adapters import postgres
from segmenter.adapters._columns import columns
from segmenter.adapters._terms import Terms

if TYPE_CHECKING:
    import pytest


def same(terms: Terms, text: str) -> bool:
    """Whether both give the same; False where the columns leave a text to the other."""
    found = columns(terms, text, least=1)
    if found is None:
        return False
    units = list(terms.units(text))
    assert found.tokens == [u.text + u.mark for u in units]
    assert found.starts.tolist() == [u.start for u in units]
    assert found.ends.tolist() == [u.end for u in units]
    assert found.positions.tolist() == [u.position for u in units]
    assert not any(u.other for u in units)
    return True


@given(st.text(st.sampled_from(ALPHABET), max_size=30), st.sampled_from(TERMS))
def test_columns_are_the_units(text: str, terms: Terms) -> None:
    same(terms, text)


def test_nearly_all_texts_have_columns() -> None:
    for terms in TERMS:
        assert all(same(terms, text) for text in TEXTS if text)
    plain = TERMS[0]
    assert not same(plain, "")
    assert columns(plain, "共和国") is None  # short
    assert not same(plain, "e\u0301")  # a mark
    assert not same(plain, "以後")  # 后, or 後
    assert same(Terms(LATTICE, script=False), "以後")


def test_a_vector_is_the_same_by_columns_and_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*TEXTS, "，的" * 300, "的" * 300, "中华人民共和国" * 40, "a" * 3000 + "的" * 60]
    by_columns = [postgres.tsvector(text, LATTICE) for text in texts]
    monkeypatch.setattr(postgres, "columns", lambda *_: None)
    assert [postgres.tsvector(text, LATTICE) for text in texts] == by_columns
