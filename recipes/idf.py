"""The table of document frequencies of the keywords: ``models/idf.lex``.

    python -m recipes.idf --corpus ../shared/data/national/segmented.txt

A balanced national corpus has no marks of its documents, but its neighbouring lines come from the
same text: a document here is :data:`LINES` lines in a row.  Every 50th line is held out, as in
everything that is made from that corpus.  The text, without its own blanks, is cut by
``load("balanced")``, so that words are those that keywords are looked for among.  Stop words stand
in ``dicts/stop_words.txt``.  Equal inputs give equal bytes.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from recipes.national import read_national
from segmenter.files.reading import read_lines
from segmenter.keywords import Idf
from segmenter.loading import load
from segmenter.train.counts import has_digit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Path = str | os.PathLike[str]

#: Lines of a document: about 570 words, the length of a short article.
LINES = 20
#: A word of fewer documents is not listed.
LEAST = 3


def documents(corpus: Path) -> Iterator[list[str]]:
    """The words of each document of the national corpus, by the default Segmenter."""
    cut = load("balanced").cut
    sentences = read_national(corpus)
    while lines := list(islice(sentences, LINES)):
        words: list[str] = []
        for line in lines:
            words += cut("".join(line))
        yield [word for word in words if not has_digit(word)]


def read_stop_words(path: Path) -> set[str]:
    """A list of stop words: between blanks, lines that begin with ``#`` left out."""
    return {w for _, line in read_lines(path) if not line.startswith("#") for w in line.split()}


def build(corpus: Path, out: Path = "models", dicts: Path = "dicts", commit: str = "") -> Idf:
    """Writes ``idf.lex`` and its card.

    Args:
        corpus: the national corpus, segmented.
        out: the folder to write to.
        dicts: the folder of ``stop_words.txt``.
        commit: of the code, for the card.
    """
    stop = read_stop_words(os.path.join(dicts, "stop_words.txt"))
    idf = Idf.count(documents(corpus), least=LEAST, stop_words=stop, name="idf.lex")
    path = os.path.join(os.fspath(out), "idf.lex")
    os.makedirs(out, exist_ok=True)
    idf.save(path)
    rows = {
        "what": "document frequencies and stop words: `extract_tags`, `segmenter.keywords`",
        "made from": "the national corpus without every 50th line, cut by `load('balanced')`, "
        "general standard",
        "a document": f"{LINES} lines in a row: {idf.documents:,} documents",
        "words": f"{len(idf.lexicon):,} that stand in at least {LEAST} documents; "
        f"{len(idf.stop_words):,} stop words, the project's own list",
        "size": f"{os.path.getsize(path):,} bytes",
        "commit": commit or "unknown",
        "rebuild": "`python -m recipes.idf --corpus ../shared/data/national/segmented.txt`",
    }
    lines = ["# idf.lex", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in rows.items()]
    lines += ["", "The corpus is not part of this project; the table holds words and counts."]
    with open(os.path.join(os.fspath(out), "idf.CARD.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return idf


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m recipes.idf``: makes the shipped table."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m recipes.idf")
    parser.add_argument("--corpus", required=True, help="segmented.txt of the national corpus")
    parser.add_argument("--dicts", default="dicts", help="folder of stop_words.txt")
    parser.add_argument("--commit", default="", help="of the code, for the card")
    parser.add_argument("--out", default="models")
    a = parser.parse_args(arguments)
    print(build(a.corpus, a.out, a.dicts, a.commit))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
