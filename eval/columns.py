"""``python -m eval.columns``: a column of texts to a column of words, against mapping ``cut``.

What people write without an adapter is ``cut`` mapped over the rows as Python strings, and the
lists of ``str`` made a column again. Both sides give the same column, which is checked first. In
turns in one process, minima of the rounds, ratios of minima. Results: ``eval/results/columns.md``
and ``.json``.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Way = Callable[[], object]

ROUNDS = 5
#: Of the national corpus every so many lines.
EVERY = 5


def ways(name: str, lines: list[str]) -> dict[str, tuple[Way, Way | None]]:
    """What is compared for one Segmenter: how to do it, and how to list what came of it."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from segmenter.adapters import arrow, pandas, polars
    from segmenter.choices import PRESETS
    from segmenter.loading import load_by_name

    named: dict[str, Any] = {} if name in PRESETS else {"decoder": name}
    s = load_by_name(name if name in PRESETS else "balanced", **named)
    column, frame, series = pa.array(lines), pl.DataFrame({"t": lines}), pd.Series(lines)
    lists = pl.List(pl.String)

    def mapped_polars() -> object:
        return frame.select(pl.col("t").map_elements(s.cut, return_dtype=lists))

    def to_lists(got: Any) -> object:
        return [list(row) for row in got]

    out: dict[str, tuple[Way, Way | None]] = {
        "list": (lambda: [s.cut(t) for t in lines], None),
        "arrow: mapped": (lambda: pa.array([s.cut(t) for t in column.to_pylist()]), None),
        "polars: mapped": (mapped_polars, None),
        "pandas: mapped": (lambda: series.map(s.cut), None),
    }
    for n in (1, 2):
        out[f"arrow, {n}"] = (
            lambda n=n: arrow.cut(column, s, threads=n),  # type: ignore[misc]
            lambda n=n: arrow.cut(column, s, threads=n).to_pylist(),  # type: ignore[misc]
        )
        out[f"polars, {n}"] = (
            lambda n=n: frame.select(polars.cut("t", s, threads=n)),  # type: ignore[misc]
            lambda n=n: polars.cut(frame["t"], s, threads=n).to_list(),  # type: ignore[misc]
        )
        out[f"pandas, {n}"] = (
            lambda n=n: pandas.cut(series, s, threads=n),  # type: ignore[misc]
            lambda n=n: to_lists(pandas.cut(series, s, threads=n)),  # type: ignore[misc]
        )
    return out


def seconds(compared: dict[str, tuple[Way, Way | None]], rounds: int) -> dict[str, float]:
    """Minimum of the rounds of each; the clock stops before a result is freed."""
    expected = compared["list"][0]()
    for what, (_, lists) in compared.items():
        if lists is not None and lists() != expected:
            raise AssertionError(f"{what}: not the words of cut")
    least = dict.fromkeys(compared, float("inf"))
    for _ in range(rounds):
        for what, (way, _) in compared.items():
            before = time.perf_counter()
            got = way()
            least[what] = min(least[what], time.perf_counter() - before)
            del got
    return least


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.columns", description="Columns of texts against mapping cut over rows."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    lines = common.national_lines(common.data_dir(given.data))[::EVERY]
    size = sum(len(line.encode()) for line in lines)
    about = common.facts(["pyarrow", "polars", "pandas"])
    figures = {
        name: seconds(ways(name, lines), given.rounds) for name in ("unigram", "fast", "balanced")
    }
    rows: list[list[str]] = []
    for system in ("arrow", "polars", "pandas"):
        for base, title in ((f"{system}: mapped", "the mapped column"), ("list", "the bare list")):
            for n in (1, 2):
                cells = [f"{f[base] / f[f'{system}, {n}']:.1f}" for f in figures.values()]
                rows.append([system, title, str(n), *cells])
    rates = [
        [what, *(f"{size / 1e6 / f[what]:.0f}" for f in figures.values())]
        for what in figures["fast"]
    ]
    report = "\n".join(
        [
            common.heading("Columns", about, "python -m eval.columns"),
            f"{len(lines):,} lines of the national corpus, {size / 1e6:.1f} MB of UTF-8, "
            f"as one column. In turns in one process, minima of {given.rounds} rounds.\n",
            "How many times as fast the adapter is:\n",
            common.table(("system", "against", "threads", *figures), rows, left=2),
            "- *The mapped column*: what gives a column without the adapter: "
            "`pa.array([s.cut(t) for t in column.to_pylist()])`, `pl.col(t).map_elements(s.cut)`, "
            "`series.map(s.cut)` (pandas makes no column of it: its lists of `str` are left as "
            "Python objects).",
            "- *The bare list*: `[s.cut(t) for t in lines]` over `str` that are there already, and "
            "no column at all.\n",
            "MB of UTF-8 per second:\n",
            common.table(("way", *figures), rates),
        ]
    )
    print(report)
    if not given.dry:
        common.write("columns", report, {**about, "bytes": size, "seconds": figures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
