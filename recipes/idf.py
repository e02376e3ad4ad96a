"""The table of document frequencies of the keywords: ``models/idf.lex``.

The balanced national corpus does not mark its documents, but neighbouring lines come from the
same text: a document here is :data:`LINES` lines in a row.  Every 50th line is held out, as in
all files made from this corpus.  The text, without its own blanks, is cut by
``balanced``, so the words are the same as in keyword extraction.  The stop words are
in ``dicts/stop_words.txt``.  Equal inputs give equal bytes.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from recipes.national import read_national
from segmenter.files.reading import read_lines
from segmenter.keywords import Idf
from segmenter.train.counts import has_digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Path = str | os.PathLike[str]

#: Lines of a document: about 570 words, the length of a short article.
LINES = 20
#: A word of fewer documents is not listed.
LEAST = 3


def documents(corpus: Path, cut: Callable[[str], list[str]]) -> Iterator[list[str]]:
    """The words of each document of the national corpus."""
    sentences = read_national(corpus)
    while lines := list(islice(sentences, LINES)):
        words: list[str] = []
        for line in lines:
            words += cut("".join(line))
        yield [word for word in words if not has_digit(word)]


def read_stop_words(path: Path) -> set[str]:
    """A list of stop words: between blanks, lines that begin with ``#`` left out."""
    return {w for _, line in read_lines(path) if not line.startswith("#") for w in line.split()}


def build(corpus: Path, out: Path, dicts: Path, cut: Callable[[str], list[str]]) -> Idf:
    """Writes ``idf.lex``.

    Args:
        corpus: the national corpus, segmented.
        out: the folder to write to.
        dicts: the folder of ``stop_words.txt``.
        cut: by ``balanced``.
    """
    stop = read_stop_words(os.path.join(dicts, "stop_words.txt"))
    idf = Idf.count(documents(corpus, cut), least=LEAST, stop_words=stop, name="idf.lex")
    os.makedirs(out, exist_ok=True)
    idf.save(os.path.join(os.fspath(out), "idf.lex"))
    return idf
