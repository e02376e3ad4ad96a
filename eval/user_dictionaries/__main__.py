"""``python -m eval.user_dictionaries``: what user dictionaries do and what they cost.

Families of complaints that jieba and rjieba leave open; speed with none, an empty one and 10 k
words (seconds by sums of minima of small parts, instructions by valgrind's cachegrind where it is
installed); memory of a thousand overlays; adding a million words in memory; 1 M and 10 M words
compiled and mapped, each in fresh processes.  Results: ``eval/results/user_dictionaries.md`` and
``.json``.

Words: for speed 10,000 of the shipped lexicon's own words of two characters and more, drawn with
the seed (``known``), and as many pairs of such words joined
(``new``: what they begin with is frequent, they themselves are not there).  The large ones are
character n-grams of the national corpus, see eval.matchers; what is lacking at 10 M is joined from
two of them, drawn with the seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.user_dictionaries.sizes import (
    add,
    build,
    child,
    large,
    lexicons,
    load_large,
    load_lexicon,
    overlays,
    swaps,
    write_large,
    write_words,
)
from eval.user_dictionaries.small import complaints, instructions, speed, work
from eval.user_dictionaries.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (1_000_000, 10_000_000)


def run_child(arguments: list[str]) -> dict[str, Any]:
    """What a child is asked for."""
    match arguments:
        case ["speed", data, rounds]:
            return speed(Path(data), int(rounds))
        case ["work", data, which, name, form, rounds]:
            return work(Path(data), which, name, form, int(rounds))
        case ["overlays"]:
            return overlays()
        case ["swaps"]:
            return swaps()
        case ["add", data, size]:
            return add(Path(data), int(size))
        case ["write", data, size, path]:
            return write_large(Path(data), int(size), path)
        case ["load", path, word]:
            return load_large(path, word)
        case ["words", data, size, path]:
            return write_words(Path(data), int(size), path)
        case ["build", what, compiled, *rest]:
            return build(what, compiled, *rest)
        case ["lexicon", data, path, rounds]:
            return load_lexicon(Path(data), path, int(rounds))
    raise ValueError(f"no such measurement: {arguments}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs all and writes the results."""
    parser = argparse.ArgumentParser(prog="python -m eval.user_dictionaries", description=__doc__)
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--rounds", type=int, default=15, help="of the timing (default 15)")
    parser.add_argument(
        "--only-speed", action="store_true", help="measure speed again, keep the other figures"
    )
    parser.add_argument(
        "--only-large",
        metavar="FOLDER",
        help="compile (what is not there) and load large dictionaries and lexicons in this folder, "
        "keep the other figures",
    )
    parser.add_argument("--child", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        json.dump(run_child(given.child), sys.stdout)
        return
    data = common.data_dir(given.data)
    found: dict[str, Any]
    path = common.RESULTS / "user_dictionaries.json"
    if given.only_large:
        found = json.loads(path.read_text("utf-8"))
        found["large_again"] = common.facts()
        found["large"] = [large(data, size, Path(given.only_large)) for size in SIZES]
        found["lexicons"] = lexicons(data, SIZES, Path(given.only_large))
        write(found)
        return
    if given.only_speed:
        found = json.loads(path.read_text("utf-8"))
        found["speed_again"] = common.facts()
        found["speed"] = child("speed", str(data), str(given.rounds))
        found["instructions"] = instructions(data)
        found.pop("counted_at", None)
        write(found)
        return
    found = common.facts(["jieba", "rjieba"])
    found["complaints"] = complaints()
    found["speed"] = child("speed", str(data), str(given.rounds))
    found["instructions"] = instructions(data)
    found["overlays"] = child("overlays")
    found["swaps"] = child("swaps")
    found["add"] = child("add", str(data), "1000000")
    with tempfile.TemporaryDirectory() as folder:
        found["large"] = [large(data, size, Path(folder)) for size in SIZES]
        found["lexicons"] = lexicons(data, SIZES, Path(folder))
    write(found)


def write(found: dict[str, Any]) -> None:
    """The result files."""
    head = common.heading("User dictionaries", found, "python -m eval.user_dictionaries")
    common.write("user_dictionaries", head + "\n" + markdown(found), found)


if __name__ == "__main__":
    main()
