"""Units of a text are those that the reference finds one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collection import TEXTS
from hypothesis import given
from hypothesis import strategies as st
from reference.terms import units_of
from terms import ALPHABET, TERMS

if TYPE_CHECKING:
    from segmenter.adapters._terms import Terms


@given(st.text(st.sampled_from(ALPHABET), max_size=30), st.sampled_from(TERMS))
def test_units_are_the_reference(text: str, terms: Terms) -> None:
    assert list(terms.units(text)) == list(units_of(terms, text))


def test_units_of_texts_are_the_reference() -> None:
    for terms in TERMS:
        for text in (*TEXTS, "", "e\u0301", "以後", "3.14，AT&T"):
            assert list(terms.units(text)) == list(units_of(terms, text)), text
