"""The counts of dicts/, read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recipes import tables
from segmenter.errors import DictionaryError

if TYPE_CHECKING:
    from pathlib import Path


def test_reading_counts_reports_where_they_are_broken(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    for text, message in (
        ("的\t1\n", "line 1: .* is not word, count, tag"),
        ("的\t1\tu\n的\t2\tu\n", "line 2: '的' is there twice"),
        ("的\t-1\tu\n", "line 1: the count '-1'"),
        ("的\tx\tu\n", "line 1: the count 'x'"),
    ):
        words.write_text(text, "utf-8")
        with pytest.raises(DictionaryError, match=message):
            tables.read_counts(tmp_path)
