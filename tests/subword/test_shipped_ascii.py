"""Both shipped vocabularies have pieces for all of printable ASCII."""

from __future__ import annotations

import string

import pytest

from segmenter import subword
from segmenter.errors import ResourceError
from segmenter.subword.models.model import BYTE_PIECES

CHARACTERS = " " + string.ascii_letters + string.digits + string.punctuation


@pytest.mark.parametrize("name", sorted(subword.SHIPPED))
def test_shipped_vocabularies_hold_printable_ascii(name: str) -> None:
    try:
        t = subword.load(name)
    except ResourceError:
        pytest.skip(f"models/{subword.SHIPPED[name]} is not built here")
    assert [c for c in CHARACTERS if t.id_of(c) is None] == []
    for c in CHARACTERS:
        assert t.encode(c).ids == [t.id_of(c)], c
    for text in (CHARACTERS, "Hello, World! 用 iPhone 15 Pro 打开 C:\\Users\\A&B (x86) <b>?</b>"):
        encoding = t.encode(text)
        assert not set(encoding.tokens) & set(BYTE_PIECES)
        assert t.decode(encoding.ids) == text
