"""``python -m eval.clauses``: how many clauses ``accurate`` reads, and what that costs and gains.

The network reads a clause only where the linear tagger decides some boundary in it by less than
``sure`` (nats).  For several values, with the shipped model and the standard ``general``: the share
of characters that are read and F1 on the newspaper's dev text, items of ``challenge/dev.tsv``,
crossing errors on the gold dev files (``eval/today.py`` says what both are), and the speed of
``cut_bytes`` on the PKU test text, one thread, beside ``balanced``.  Results:
``eval/results/clauses.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import copy
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import segmenter
from eval import common
from eval.today import GOLD, crossings, f1, read, read_challenge
from segmenter import artifact
from segmenter.files import resources
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from segmenter.segmenter import Segmenter

STANDARD = "general"
NOTHING = 1 / 256  # the least margin that a file can hold: next to nothing is read
VALUES = (NOTHING, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 100.0)  # of 100 no clause is sure
ROUNDS = 3


def with_sure(folder: Path, sure: float) -> Segmenter:
    """``accurate`` with another margin from which a clause is not read.

    Args:
        folder: for the changed model and copies of its linear taggers.
        sure: the margin in nats.
    """
    art = artifact.open(resources.find("accurate.model"))
    meta = copy.deepcopy(dict(art.meta))
    for own in meta["standards"].values():
        own["sure"] = sure
        if not (folder / own["linear"]).exists():
            shutil.copy(resources.find(own["linear"]), folder / own["linear"])
    path = folder / f"sure-{sure}.model"
    artifact.write(path, art.kind, {name: art.section(name) for name in art.names()}, meta)
    return load_by_name(str(path), standard=STANDARD)


def speed(s: Segmenter, raw: bytes) -> float:
    """MB/s of ``cut_bytes``, the best of some runs."""
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        s.cut_bytes(raw)
        took.append(time.perf_counter() - start)
    return len(raw) / min(took) / 1e6


def share_read(s: Segmenter, reads_nothing: Segmenter, texts: list[str]) -> float:
    """The share of characters that the network reads: two steps of the kernel each."""
    more = sum(s._engine.steps(text) - reads_nothing._engine.steps(text) for text in texts)
    return more / 2 / sum(map(len, texts))


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--shared", type=Path, default=common.ROOT.parent / "shared")
    given = parser.parse_args()
    shared: Path = given.shared
    challenge, items = read_challenge(shared)
    gold = {name: read(shared / "data" / "gold" / name / "dev.txt") for name in GOLD}
    dev = read(shared / "data" / "pfr" / "dev.txt")
    texts = ["".join(words) for words in dev]
    raw = (shared / "data" / "sighan2005" / "pku_test.utf8").read_bytes()
    common.pin(1)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        systems = [(v, with_sure(Path(name), v)) for v in VALUES]
        for sure, s in [(None, segmenter.load("balanced")), *systems]:
            scored = challenge.score(s.cut, items)
            errors = [
                1000 * sum(crossings(w, s.cut("".join(w))) for w in text) / sum(map(len, text))
                for text in gold.values()
            ]
            row = {
                "sure": sure,
                "read": 0.0 if sure is None else share_read(s, systems[0][1], texts),
                "challenge": sum(scored[i["id"]]["ok"] for i in items) / len(items),
                "crossing": sum(errors) / len(errors),
                "f1": f1(s.cut, dev),
                "speed": speed(s, raw),
            }
            rows.append(row)
            print(row, flush=True)
    about = common.facts()
    page = common.heading("Clauses that `accurate` reads", about, "python -m eval.clauses")
    page += (
        "\nA clause is read where the linear tagger decides a boundary in it by less than `sure` "
        "(nats). The first row is `balanced`; in the last every clause is read.\n\n"
    )
    page += common.table(
        ("sure", "characters read", "dev F1", "challenge", "crossing", "MB/s"),
        (
            (
                "" if r["sure"] is None else f"{r['sure']:.3g}",
                f"{100 * r['read']:.1f}%",
                f"{r['f1']:.5f}",
                f"{100 * r['challenge']:.1f}%",
                f"{r['crossing']:.2f}",
                f"{r['speed']:.1f}",
            )
            for r in rows
        ),
    )
    common.write("clauses", page, {"about": about, "rows": rows})


if __name__ == "__main__":
    main()
