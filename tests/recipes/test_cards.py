"""The cards of the shipped files: forms that the last stage of the recipe fills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the recipe's stages learn in torch")
from recipes import cards, make

ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_row_that_is_named_is_filled() -> None:
    form = "| size | 0 |\n|---|---|\n| what | a `file` |\n| dev F1, `bigram` | 0 |\n"
    card = cards.filled(form, {"size": "12 bytes", "dev F1, `bigram`": "0.9", "other": "1"})
    assert (
        card == "| size | 12 bytes |\n|---|---|\n| what | a `file` |\n| dev F1, `bigram` | 0.9 |\n"
    )


@pytest.mark.parametrize("name", make.CARDS)
def test_a_form_has_a_row_for_the_size_and_the_commit(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    rows = {row[1] for row in re.finditer(r"^\| ([^|]*[^| ]) \| .* \|$", text, re.MULTILINE)}
    assert "commit" in rows
    assert rows & {"size", "bytes"}
