"""The examples of the migration pages: each page a program, in its own process."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from places import ROOT

from segmenter import load
from segmenter.errors import ResourceError
from segmenter.keywords import load_idf
from segmenter.tagging.pos import load as load_pos

PAGES = [
    f"{language}/{name}"
    for language in ("en", "zh")
    for name in ("jieba", "from-pkuseg", "from-hanlp")
]


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_the_page(name: str) -> None:
    try:
        load()
        load_pos()
        load_idf()
    except ResourceError:
        pytest.skip("models/ is not built here")
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert code.count("assert") >= 4
    got = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, encoding="utf-8", cwd=ROOT, check=False,
    )  # fmt: skip
    assert (got.returncode, got.stdout, got.stderr) == (0, "", "")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    for target in re.findall(r"\]\(([^)#]+)(?:#\w+)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readmes_link_them() -> None:
    for readme, language in (("README.md", "en"), ("README.zh.md", "zh")):
        text = (ROOT / readme).read_text("utf-8")
        for name in ("jieba", "from-pkuseg", "from-hanlp"):
            assert f"docs/{language}/{name}.md" in text, (readme, name)
