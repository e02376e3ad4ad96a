"""Runs the examples of a page in docs/en/integrations, top to bottom, as one program."""

from __future__ import annotations

import re

import pytest
from places import ROOT

from segmenter import load
from segmenter.errors import ResourceError

DOCS = ROOT / "docs" / "en" / "integrations"


def run_page(
    name: str,
    *,
    asserts: int,
    heading: str | None = None,
    names: dict[str, object] | None = None,
) -> dict[str, object]:
    """Runs the ```python blocks of docs/en/integrations/``name``.

    Args:
        asserts: so many assertions it has at least.
        heading: only the blocks below this heading of the second level.
        names: what is defined before, by the blocks above the heading.

    Returns:
        what the names are at the end.
    """
    try:
        load("fast")
    except ResourceError:
        pytest.skip("models/ is not built here")
    text = (DOCS / name).read_text("utf-8")
    if heading is not None:
        _, heading_found, text = text.partition(f"\n## {heading}\n")
        assert heading_found, f"{name} has no heading {heading!r}"
        text = text.partition("\n## ")[0]
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert code.count("assert") >= asserts
    names = {"__name__": "docs", **(names or {})}
    exec(compile(code, f"{name}, {heading or 'all'}", "exec"), names)
    return names
