"""The page for search engineers in Chinese: its examples, and where its links lead."""

from __future__ import annotations

import re

import pytest
from places import ROOT

from segmenter import load
from segmenter.errors import ResourceError

PAGE = ROOT / "docs" / "zh" / "search.md"


def test_the_examples_of_the_page() -> None:
    pytest.importorskip("apsw", reason="apsw is not installed: extra [sqlite]")
    pytest.importorskip("whoosh", reason="whoosh-reloaded is not installed: extra [whoosh]")
    try:
        load()
    except ResourceError:
        pytest.skip("models/ is not built here")
    text = PAGE.read_text("utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert code.count("assert") >= 20
    exec(compile(code, str(PAGE), "exec"), {"__name__": "docs"})


def test_links_lead_to_headings_that_exist() -> None:
    text = PAGE.read_text("utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-")
        for h in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for target, _, part in re.findall(r"\]\(([^)#]*)(#([^)]+))?\)", text):
        if target:
            assert (PAGE.parent / target).exists(), target
        else:
            assert part in headings, part
    readme = (PAGE.parents[2] / "README.zh.md").read_text("utf-8")
    assert "docs/zh/search.md" in readme
