"""Published tokenizers that installed packages carry give their library's ids, offsets and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eval import subword_published as published

if TYPE_CHECKING:
    from pathlib import Path

FOUND = list(published.installed())


@pytest.mark.skipif(bool(FOUND), reason="packages that carry tokenizers are installed")
def test_no_package_with_a_tokenizer_is_installed() -> None:
    names = ", ".join(sorted({package for package, _ in published.SOURCES}))
    pytest.skip(f"none is installed of {names}")


@pytest.mark.parametrize(("name", "path"), FOUND, ids=[name for name, _ in FOUND])
def test_a_published_tokenizer_gives_what_its_library_gives(name: str, path: Path) -> None:
    row = published.compare(name, path, 100)
    if row is None:
        pytest.skip(f"the library of {path.name} is not installed")
    assert (row.ids, row.offsets or 0, row.text) == (0, 0, 0), row


def test_texts_are_the_same_every_time_and_odd() -> None:
    made = published.texts(200, ["<special>"])
    assert made == published.texts(200, ["<special>"])
    whole = "".join(made)
    assert all(part in whole for part in ("<special>", "\0", "e\u0301", "👍🏽", "<|endoftext|>"))
    assert not any(0xD800 <= ord(c) < 0xE000 for c in whole)
