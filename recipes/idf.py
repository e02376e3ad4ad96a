"""The table of document frequencies of the keywords: ``models/idf.lex``.

The balanced national corpus does not mark its documents, but neighbouring lines come from the
same text: a document here is :data:`LINES` lines in a row.  Every 50th line is held out, as in
all files made from this corpus.  The text, without its own blanks, is cut by
``balanced``, so the words are the same as in keyword extraction.  The stop words are
in ``dicts/stop_words.txt``.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from recipes.national import read_national
from recipes.work import ROOT
from segmenter.files.reading import read_lines
from segmenter.keywords import Idf
from segmenter.train.counts import has_digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Lines of a document: about 570 words, the length of a short article.
LINES = 20
#: A word of fewer documents is not listed.
LEAST = 3


def documents(corpus: Path, cut: Callable[[str], list[str]]) -> Iterator[list[str]]:
    """The words of each document of the national corpus."""
    sentences = read_national(corpus)
    while lines := list(islice(sentences, LINES)):
        words = chain.from_iterable(cut("".join(line)) for line in lines)
        yield [word for word in words if not has_digit(word)]


def build(corpus: Path, path: Path, cut: Callable[[str], list[str]]) -> None:
    """Writes the table of the national corpus, which ``cut`` cuts."""
    lists = read_lines(ROOT / "dicts" / "stop_words.txt")
    stop = {w for _, line in lists if not line.startswith("#") for w in line.split()}
    Idf.count(documents(corpus, cut), least=LEAST, stop_words=stop, name="idf.lex").save(path)
