"""The page docs/en/walkthrough.md, run from top to bottom."""

from __future__ import annotations

import re
from typing import Any

from places import ROOT

PAGE = ROOT / "docs" / "en" / "walkthrough.md"


def test_the_page() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(blocks) > 10
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), names)
