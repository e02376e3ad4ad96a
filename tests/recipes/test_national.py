"""The reader of the national corpus: what it cuts out, joins and holds out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recipes import national
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from pathlib import Path


def test_national_residue_is_cut_and_numbers_are_joined() -> None:
    assert national.clean_national(
        ["以来", "的", "重大", "\\", "par", "革命", "#4#", "衰变", "[第", "三", "１９８６", "年"]
    ) == [
        ["以来", "的", "重大"],
        ["革命"],
        ["衰变", "第", "三", "１９８６", "年"],
    ]
    assert national.clean_national(
        ["1986", "年", "12", "月", "20", "%", "3", "日", "一", "日", "-", "-", "…", "…"]
    ) == [["1986年", "12月", "20%", "3日", "一", "日", "--", "……"]]


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("江 泽民\n", "utf-8")
    with pytest.raises(ArgumentError, match="part='test'"):
        list(national.read_national(path, "test"))
