"""The code of docs/en/subword.md runs, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from segmenter import resources, subword
from segmenter.errors import ResourceError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "en" / "subword.md"


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        for name in ("general.lex", *subword.SHIPPED.values()):
            resources.find(name)
    except ResourceError:
        pytest.skip("models/ is not built here")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(blocks) >= 8
    code = "\n".join(blocks)
    assert code.count("assert") >= 20
    exec(compile(code, str(PAGE), "exec"), {"__name__": "docs"})
