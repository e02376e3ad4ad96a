"""``python -m eval.atoms``: what the rules of segmenter.atoms do to F1 and to speed.

Word F1 of the lattice and of the presets in both standards on the PKU development and test text
and on the held-out lines of the national corpus (every 50th), with every rule off, with the
defaults and with every rule on "keep".  Speed of ``cut`` and ``ends`` over the PKU and MSR test
lines, off against defaults in turns in one process (sums of minima of small parts), and
instructions per character by valgrind's cachegrind where it is installed.  Results:
``eval/results/atoms.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from eval import common
from eval import instructions as counting
from eval.matchers import fastest
from segmenter.atoms import Atoms
from segmenter.choices import STANDARDS
from segmenter.kernels import _engine
from segmenter.loading import load_by_name
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from segmenter.segmenter import Segmenter

CORES = ("unigram", "fast", "balanced")  # presets, and the lattice
SETTINGS = {"off": Atoms.none(), "default": Atoms(), "keep": Atoms.all("keep")}
FORMS = ("cut", "ends", "bytes")


def core(which: str, standard: str, setting: str) -> Segmenter:
    """A preset, or the lattice, with the atoms of a setting."""
    atoms = SETTINGS[setting]
    if which == "unigram":
        return load_by_name("fast", standard=standard, decoder="unigram", atoms=atoms)
    return load_by_name(which, standard=standard, atoms=atoms)


def texts(data: Path) -> dict[str, list[list[str]]]:
    """Gold lines as words, by corpus."""
    paths = {
        "PKU dev": data / "pku" / "dev.txt",
        "PKU test": data / "sighan2005" / "pku_test_gold.utf8",
    }
    out = {name: list(map(scoring.split_words, scoring.read_lines(p))) for name, p in paths.items()}
    national = scoring.read_lines(data / "national" / "segmented.txt")
    out["national"] = list(map(scoring.split_words, islice(national, 49, None, 50)))
    return out


def accuracy(data: Path) -> list[dict[str, Any]]:
    """F1 by standard, core, corpus and setting; tokens that an atom of the defaults made."""
    gold = texts(data)
    rows = []
    for standard in STANDARDS:
        for which in CORES:
            made = {setting: core(which, standard, setting) for setting in SETTINGS}
            for name, lines in gold.items():
                if (name == "national") != (standard == "general"):
                    continue
                row: dict[str, Any] = {"standard": standard, "core": which, "text": name}
                raw = ["".join(words) for words in lines]
                for setting, segmenter in made.items():
                    row[setting] = scoring.score(lines, map(segmenter.cut, raw)).f1
                row["atoms"] = sum(
                    len(_engine.atoms_of(made["default"]._engine, line)) for line in raw
                )
                rows.append(row)
    return rows


def speed(data: Path, rounds: int) -> list[dict[str, Any]]:
    """How much slower the defaults are than no rule at all."""
    lines = common.bakeoff_lines(data)
    rows = []
    for which in CORES:
        off, on = (core(which, "general", setting) for setting in ("off", "default"))
        row: dict[str, Any] = {"core": which}
        for form in ("cut", "ends"):
            again, first, second = fastest(
                [getattr(off, form), getattr(off, form), getattr(on, form)], lines, rounds
            )
            row[form] = second / first
            row[f"{form}, off twice"] = again / first
        rows.append(row)
    return rows


def work(which: str, setting: str, form: str, rounds: int, data: Path) -> None:
    """What is counted: every fourth line, so many times."""
    segmenter = core(which, "general", setting)
    lines = common.bakeoff_lines(data)[::4]
    utf8 = "\n".join(lines).encode()
    call = segmenter.cut if form == "cut" else segmenter.ends
    for _ in range(rounds):
        if form == "bytes":
            segmenter.cut_bytes(utf8)
        else:
            for line in lines:
                call(line)


def child(which: str, setting: str, form: str, data: Path, rounds: int) -> list[str]:
    """The command that runs :func:`work` in a process of its own."""
    given = json.dumps([which, setting, form, rounds, str(data)])
    return [sys.executable, "-m", "eval.atoms", "--child", given]


def instructions(data: Path) -> list[dict[str, Any]]:
    """Instructions per character; empty where there is no valgrind."""
    if not counting.available():
        return []
    characters = sum(map(len, common.bakeoff_lines(data)[::4]))
    rows = []
    for which in CORES:
        for form in FORMS:
            row: dict[str, Any] = {"core": which, "form": form}
            for setting in ("off", "default"):
                command = partial(child, which, setting, form, data)
                row[setting] = counting.per_pass(command, 1, 3) / characters
            rows.append(row)
    return rows


def markdown(found: dict[str, Any]) -> str:
    parts = [common.heading("Typed atoms", found["about"], "python -m eval.atoms")]
    parts.append(
        "Word F1 with every rule off, with the defaults, and with every rule on `keep` (which "
        "joins what the standards part: 2026年/11月, 36.5/℃). The national corpus has its every "
        "50th line here, which no model has seen. The last column counts what the defaults "
        "found.\n"
    )
    parts.append(
        common.table(
            ("standard", "decoder", "text", "off", "default", "keep", "atoms"),
            [
                (
                    r["standard"], r["core"], r["text"],
                    *(f"{r[s]:.4f}" for s in SETTINGS), r["atoms"],
                )
                for r in found["accuracy"]
            ],
            left=3,
        )
    )  # fmt: skip
    if found["instructions"]:
        parts.append("Instructions a character of the PKU and MSR test lines, every fourth:\n")
        parts.append(
            common.table(
                ("decoder", "call", "off", "default", "ratio"),
                [
                    (
                        r["core"], r["form"], f"{r['off']:.1f}", f"{r['default']:.1f}",
                        f"{r['default'] / r['off']:.3f}",
                    )
                    for r in found["instructions"]
                ],
                left=2,
            )
        )  # fmt: skip
    if found["speed"]:
        parts.append(
            "Time of the defaults by that of no rule, in turns in one process on one pinned core "
            "(in brackets: no rule against itself):\n"
        )
        parts.append(
            common.table(
                ("decoder", "cut", "ends"),
                [
                    (r["core"], *(f"{r[f]:.3f} ({r[f'{f}, off twice']:.3f})" for f in FORMS[:2]))
                    for r in found["speed"]
                ],
            )
        )
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.atoms", description=__doc__)
    parser.add_argument("--data", help="the folder of the corpora")
    parser.add_argument("--rounds", type=int, default=9, help="of the timing; 0: none")
    parser.add_argument("--only", choices=("accuracy", "speed", "instructions"))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        which, setting, form, rounds, folder = json.loads(given.child)
        work(which, setting, form, rounds, common.data_dir(folder))
        return
    data = common.data_dir(given.data)
    path = common.RESULTS / "atoms.json"
    before = json.loads(path.read_text("utf-8")) if given.only and path.exists() else {}
    found: dict[str, Any] = {"accuracy": [], "speed": [], "instructions": [], **before}
    found["about"] = common.facts()
    if given.only in (None, "accuracy"):
        found["accuracy"] = accuracy(data)
    if given.only in (None, "instructions"):
        found["instructions"] = instructions(data)
    if given.only in (None, "speed"):
        common.pin()
        found["speed"] = speed(data, given.rounds)
    common.write("atoms", markdown(found), found)


if __name__ == "__main__":
    main()
