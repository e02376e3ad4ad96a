"""Random ``tokenizer.json`` files are refused when they are read, or give the library's ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import random_files

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tokenizers", reason="tokenizers is not installed")


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_random_files_give_the_librarys_ids_or_are_refused(first: int, tmp_path: Path) -> None:
    became = []
    for seed in range(first, first + 25):
        kind, differences = random_files.differences(seed, tmp_path)
        assert differences == [], random_files.made_of(seed)
        became.append(kind)
    assert became.count("read") > 12
