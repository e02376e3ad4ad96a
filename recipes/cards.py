"""The stage that writes the card of every file: the written text, with the figures of this run.

``models/*.CARD.md`` of the repository are the templates: rows of a table are copied unchanged,
except those that :func:`figures` names.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from recipes import partial
from recipes.first import ROOT
from recipes.make import CARDS
from recipes.national import read_national
from recipes.standards import OWN_GOLD
from recipes.subword import characters_a_token
from segmenter import artifact
from segmenter.keywords.idf import load_idf
from segmenter.loading import load_by_name
from segmenter.subword import Tokenizer
from segmenter.tagging.predictor import Predictor
from segmenter.train import scoring
from segmenter.train.corpus import read_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from recipes.students import Work
    from segmenter.core import Segmenter

_ROW = re.compile(r"^\| ([^|]*[^| ]) \| (.*) \|$", re.MULTILINE)


def filled(card: str, values: Mapping[str, str]) -> str:
    """A card with other values in the rows of these names.

    >>> filled("| size | 1 byte |\\n| what | a file |\\n", {"size": "2 bytes", "seed": "1"})
    '| size | 2 bytes |\\n| what | a file |\\n'
    """
    return _ROW.sub(lambda row: f"| {row[1]} | {values.get(row[1], row[2])} |", card)


def f1(segmenter: Segmenter, gold: Sequence[Sequence[str]]) -> str:
    """The F1 of a segmenter on segmented text, as it stands there."""
    found = [segmenter.cut("".join(words)) for words in gold]
    return f"{scoring.score(gold, found).f1:.4f}"


def _developed(work: Work, standard: str) -> list[list[str]]:
    """The dev text of a standard."""
    if standard in ("general", "pku"):
        folder = work.general if standard == "general" else work.shared / "pku"
        return read_corpus([folder / "dev.txt"]).sentences
    return partial.read_gold(work.shared / "gold" / standard / "dev.txt")


def figures(work: Work, path: Path) -> dict[str, str]:
    """The rows of a file's card that its contents and the dev text decide."""
    found = {"size": f"{path.stat().st_size:,} bytes", "bytes": f"{path.stat().st_size:,}"}
    if path.name == "idf.lex":
        idf = load_idf(path)
        found["words"] = f"{len(idf.lexicon):,}; {len(idf.stop_words):,} stop words"
    elif path.suffix == ".lex":
        gold = _developed(work, "pku" if path.stem == "pku" else "general")
        for decoder in ("bigram", "unigram"):
            found[f"dev F1, `{decoder}`"] = f1(load_by_name(str(path), decoder=decoder), gold)
        found["words"] = f"{len(load_by_name(str(path)).lexicon):,}"
    elif path.name.startswith("subword-"):
        dev = list(read_national(work.shared / "national" / "segmented.txt", "dev"))
        found["characters a token"] = f"{characters_a_token(Tokenizer.load(path), dev):.3f}"
    elif path.name == "accurate.model":
        scores = (
            f"{name} {f1(load_by_name(str(path), standard=name), _developed(work, name))}"
            for name in ("general", "pku", *OWN_GOLD)
        )
        found["dev F1"] = ", ".join(scores)
    elif path.stem.startswith(("general-", "pku-")):
        meta = Predictor(artifact.open(str(path))).meta
        found["features"] = f"{meta['pairs']:,} pairs, {meta['words']:,} words"
        standard = path.stem.partition("-")[0]
        found["dev F1"] = f1(load_by_name(str(path)), _developed(work, standard))
    return found


def cards(work: Work) -> None:
    """Writes the cards of all files."""
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    for name in CARDS:
        stem = name.removesuffix(".CARD.md")
        path = next(p for x in (".model", ".lex") if (p := work.folder / f"{stem}{x}").exists())
        values = {"commit": commit or "unknown", **figures(work, path)}
        text = filled((ROOT / name).read_text("utf-8"), values)
        artifact.write_whole(str(work.folder / name), text.encode())
