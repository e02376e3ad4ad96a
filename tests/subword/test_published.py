"""Published tokenizers that installed packages carry give their library's ids, offsets and text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import published
import pytest

from segmenter.errors import SegmenterError

if TYPE_CHECKING:
    from pathlib import Path

MORE = os.environ.get("SEGMENTER_TOKENIZERS")
FOUND = [*published.installed(), *(published.in_folder(MORE) if MORE else ())]


@pytest.mark.skipif(bool(FOUND), reason="packages that carry tokenizers are installed")
def test_no_package_with_a_tokenizer_is_installed() -> None:
    names = ", ".join(sorted({package for package, _ in published.SOURCES}))
    pytest.skip(f"none is installed of {names}")


@pytest.mark.parametrize(("name", "path"), FOUND, ids=[name for name, _ in FOUND])
def test_a_published_tokenizer_gives_what_its_library_gives(name: str, path: Path) -> None:
    try:
        row = published.compare(name, path, 1000 if MORE else 100)
    except SegmenterError as error:
        if name.startswith("PyPI"):
            raise
        pytest.skip(f"refused: {error}")
    if row is None:
        pytest.skip(f"the library of {path.name} is not installed")
    assert (row.ids, row.offsets or 0, row.text) == (0, 0, 0), row


def test_texts_are_the_same_every_time_and_odd() -> None:
    sample = published.texts(200, ["<special>"])
    assert sample == published.texts(200, ["<special>"])
    sample_text = "".join(sample)
    assert all(
        part in sample_text for part in ("<special>", "\0", "e\u0301", "👍🏽", "<|endoftext|>")
    )
    assert not any(0xD800 <= ord(c) < 0xE000 for c in sample_text)
