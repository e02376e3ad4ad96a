"""The stage that writes the card of every file: the written text, with the figures of this run.

``models/*.CARD.md`` of the repository are the templates: rows of a table are copied unchanged,
except those that :func:`figures` names.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from recipes.counts import characters_a_token
from recipes.make import CARDS
from recipes.national import read_national
from recipes.standards import OWN_GOLD
from recipes.work import ROOT
from segmenter import artifact
from segmenter.keywords.idf import load_idf
from segmenter.loading import load_by_name
from segmenter.subword import Tokenizer
from segmenter.tagging.predictor import Predictor
from segmenter.train import scoring
from segmenter.train.corpus import read_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from recipes.work import Work

_ROW = re.compile(r"^\| ([^|]*[^| ]) \| (.*) \|$", re.MULTILINE)


def filled(card: str, values: Mapping[str, str]) -> str:
    """A card with other values in the rows of these names.

    >>> filled("| size | 1 byte |\\n| what | a file |\\n", {"size": "2 bytes", "seed": "1"})
    '| size | 2 bytes |\\n| what | a file |\\n'
    """
    return _ROW.sub(lambda row: f"| {row[1]} | {values.get(row[1], row[2])} |", card)


def f1(work: Work, path: Path, name: str, **options: str) -> str:
    """The F1 of a file on the dev text of the standard `name`, unchanged."""
    if name in ("general", "pku"):
        folder = work.general if name == "general" else work.shared / "pku"
        gold = read_corpus([folder / "dev.txt"]).sentences
    else:
        gold = work.gold(name, "dev")
    cut = load_by_name(str(path), **options).cut
    return f"{scoring.score(gold, [cut(''.join(words)) for words in gold]).f1:.4f}"


def figures(work: Work, path: Path) -> dict[str, str]:
    """The rows of a file's card that its contents and the dev text decide."""
    rows = {}
    standard = path.stem.partition("-")[0]
    if path.name == "idf.lex":
        idf = load_idf(path)
        rows["words"] = f"{len(idf.lexicon):,}; {len(idf.stop_words):,} stop words"
    elif path.suffix == ".lex":
        for decoder in ("bigram", "unigram"):
            rows[f"dev F1, `{decoder}`"] = f1(work, path, standard, decoder=decoder)
        rows["words"] = f"{len(load_by_name(str(path)).lexicon):,}"
    elif standard == "subword":
        dev = list(read_national(work.shared / "national" / "segmented.txt", "dev"))
        rows["characters a token"] = f"{characters_a_token(Tokenizer.load(path), dev):.3f}"
    elif path.name == "accurate.model":
        names = ("general", "pku", *OWN_GOLD)
        rows["dev F1"] = ", ".join(f"{x} {f1(work, path, x, standard=x)}" for x in names)
    elif standard in ("general", "pku"):
        meta = Predictor.open(path).meta
        rows["features"] = f"{meta['pairs']:,} pairs, {meta['words']:,} words"
        rows["dev F1"] = f1(work, path, standard)
    return rows


def write(work: Work, name: str, values: Mapping[str, str]) -> None:
    """Writes a card of the repository's form with these values, the file's size and the commit."""
    stem = name.removesuffix(".CARD.md")
    path = next(p for x in (".model", ".lex") if (p := work.folder / f"{stem}{x}").exists())
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    size = f"{path.stat().st_size:,}"
    about = {"commit": commit or "unknown", "size": f"{size} bytes", "bytes": size}
    text = filled((ROOT / name).read_text("utf-8"), {**about, **figures(work, path), **values})
    artifact.write_whole(str(work.folder / name), text.encode())


def cards(work: Work) -> None:
    """Writes the cards of all files."""
    for name in CARDS:
        write(work, name, {})
