"""The code of subword.md runs, from top to bottom, in both languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import subword
from segmenter.errors import ResourceError
from segmenter.files import resources

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_runs(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        for name in ("general.lex", *subword.SHIPPED.values()):
            resources.find(name)
    except ResourceError:
        pytest.skip("models/ is not built here")
    monkeypatch.chdir(tmp_path)
    page = DOCS / language / "subword.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    assert len(blocks) >= 8
    code = "\n".join(blocks)
    assert code.count("assert") >= 20
    exec(compile(code, str(page), "exec"), {"__name__": "docs"})
