"""The pages on atoms, search and user words run from top to bottom."""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import default, load
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _models() -> None:
    try:
        load("fast")
    except ResourceError:
        pytest.skip("models/ is not built here")


@pytest.mark.parametrize(("name", "blocks"), [("atoms", 5), ("search", 6)])
def test_a_page_runs(name: str, blocks: int) -> None:
    page = ROOT / "docs" / "en" / f"{name}.md"
    snippets = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    assert len(snippets) >= blocks
    code = "\n".join(snippets)
    assert code.count("assert") >= (15 if name == "search" else 1)
    exec(compile(code, str(page), "exec"), {"__name__": "docs"})


def test_lines_of_the_page_on_user_dictionaries_are_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "en" / "user-dictionaries.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(default, "_default", None)
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried > 30
