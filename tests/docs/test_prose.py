"""Documents and help are in plain English; the files they name: test_references.py."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter.cli.manual import manual

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = ROOT / "segmenter" / "kernels"
PAGES = [
    *sorted((ROOT / "docs" / "en").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    KERNELS / "README.md",
]
SOURCES = sorted(
    path
    for path in KERNELS.rglob("*")
    if path.suffix in (".hpp", ".pxi", ".py") and path.name != "graphemes.hpp"
)

#: Phrases that a native writer would not use, and what to write instead.
STRANGE = {
    r"\bis no (word|token|tagger|lexicon|error|file)\b": "is not a …",
    r"\bare no (words|tokens|keywords|hashtags)\b": "are not …",
    r"\b(made|written|begin|begins|build|train|count) anew\b": "again, from scratch",
    r"\banother door\b": "a different entry point",
    r"\btries its luck\b": "tries",
    r"\bgoes? before\b": "takes precedence over",
    r"\bwhat there is is\b": "the message lists the valid values",
    r"\bone a (processor|line|word|token)\b": "one per …",
    r"\ba (word|line|token|sentence|row|file) a (line|file|word|token|text)\b": "one … per …",
    r"\b(offset|position|version|digits|characters) behind\b": "after",
    r"\bis none of\b": "is not one of",
    r"\b(is|are) wanted\b": "expected …",
    r"\banew\b": "again",
    r"\bwhosever\b": "whose … does not matter",
    r"\bis not to be had\b": "is not supported",
    r"\b(not|is|are) known here\b": "supported",
    r"\bcut otherwise\b": "segmented differently",
    r"\bof one's own\b": "your own",
    r"\bwherever? it lies\b": "in place",
    r"\b(a|one) (bit|byte) a \w+": "one … per …",
    r"\b(ns|bytes|bits|cycles|steps|calls|instructions) a (character|word|key|slot)\b": "per …",
    r"\bof the user's\b(?= (is|are|has|have|stands?)\b)": "of the user",
    r"\bcoin toss\b": "unpredictable",
    r"\bworked off\b": "worked through",
    r"\bhold together\b(?=\.| \()": "be consistent",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_is_plain_english(page: Path) -> None:
    assert strange(page.read_text("utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(KERNELS).as_posix())
def test_the_kernels_comments_are_plain_english(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".hpp":
        text = "\n".join(re.findall(r"//(.*)", text))
    assert strange(text) == []


def test_the_help_is_plain_english() -> None:
    assert strange(manual("markdown")) == []


def strange(text: str) -> list[str]:
    text = " ".join(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).split())
    return [
        f"{match[0]!r}: write {better!r}"
        for phrase, better in STRANGE.items()
        for match in re.finditer(phrase, text)
    ]
