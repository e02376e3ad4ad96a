"""A sample of sentences from the raw text, which teachers label.

Sentences of 5 to 120 characters, at least 55% of them Han, from every file of ``shared/raw``, with
a limit for each file; a seed decides which ones.
"""

from __future__ import annotations

import lzma
import random
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 7
OLD = frozenset({"classical-modern", "novels-old", "xinhua-idioms"})  # old Chinese
TRADITIONAL = frozenset({"laws-tw", "news-tw", "wiki-drcd-tw"})
MOST = 40_000  # sentences of a file
#: Files with another limit.
CAPS = {
    "novels-old": 25_000,
    "classical-modern": 12_000,
    "laws": 25_000,
    "laws-tw": 20_000,
    "news-broadcast": 60_000,
    "summary-csts": 50_000,
    "subtitles": 50_000,
}
_SENTENCE = re.compile(r"[^。！？；\n]+[。！？；…]*[”」』）]?")
_HAN = re.compile("[\u3400-\u9fff]")


class Line(NamedTuple):
    """A sentence and the file that it is from."""

    source: str
    text: str


def sentences(path: Path) -> set[str]:
    """The qualifying sentences of a file, each once, with runs of blanks as one."""
    texts: set[str] = set()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            for match in _SENTENCE.findall(line.strip()):
                text = match.strip()
                han = len(_HAN.findall(text))
                if 5 <= len(text) <= 120 and han >= max(4, 0.55 * len(text)) and "\t" not in text:
                    texts.add(re.sub(r"\s+", " ", text))
    return texts


def sample(folder: Path, rest: bool = False) -> Iterator[Line]:
    """The sample of ``shared/raw``, file by file; or the rest, 37 M characters of few files."""
    rng = random.Random(SEED)
    for path in sorted(folder.glob("*.txt.xz")):
        lines = sorted(sentences(path))
        rng.shuffle(lines)
        name = path.name.removesuffix(".txt.xz")
        limit = CAPS.get(name, MOST)
        for text in lines[limit:] if rest else lines[:limit]:
            yield Line(name, text)
