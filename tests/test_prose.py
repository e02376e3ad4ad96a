"""Documents and help are in plain English; tests/test_references.py checks the files they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from segmenter.cli.manual import manual

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted((ROOT / "docs" / "en").rglob("*.md")), ROOT / "README.md"]

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
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_is_plain_english(page: Path) -> None:
    assert strange(page.read_text("utf-8")) == []


def test_the_help_is_plain_english() -> None:
    assert strange(manual("markdown")) == []


def strange(text: str) -> list[str]:
    text = " ".join(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).split())
    return [
        f"{match[0]!r}: write {better!r}"
        for phrase, better in STRANGE.items()
        for match in re.finditer(phrase, text)
    ]
