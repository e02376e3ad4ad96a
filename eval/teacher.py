"""``python -m eval.teacher --work DIR``: the teacher of ``recipes/teacher.py`` and votes with it.

On the seven dev files of ``shared/data/gold``, on ``challenge/dev.tsv`` and on the dev text of the
newspaper, by boundary: every voter by itself and :data:`VOTES`.  ``--draw N`` tries N draws of
weights and prints the best; nothing else chooses them.  What the voters say stays in
``dev-labels.npz`` of the folder: delete it when one of them has changed.  Results:
``eval/results/teacher.*``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from eval import common
from eval.today import GOLD, read, read_challenge
from recipes import partial, teacher, votes
from recipes.__main__ import ROOT, Work, lattice, shipped, wapic
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

HERE = Path(__file__).resolve().parent
PRESETS = ("accurate", "balanced", "fast")
TRADITIONAL = frozenset({"sinica"})
READ = {"teacher": "general", "ctb": "ctb"}  # the conventions that it reads by
#: The votes that are scored: two without the teacher, with the weights of the round before
#: (`balanced` for its first tagger) and with the best of 134 draws, and the one with it.
VOTES = {
    "before": votes.Vote(
        {"accurate": 1.6, "wapic": 1.1, "balanced": 0.9, "lattice": 0.6}, 2.1, 1.9, 2.3
    ),
    "without": votes.Vote(
        {"wapic": 1.7, "balanced": 0.9, "fast": 0.9, "accurate": 0.8, "lattice": 0.6}, 2.17, 2, 2.4
    ),
    "vote": votes.FOURTH,
}


class Scores(NamedTuple):
    """Of one system.

    Attributes:
        crossing: errors per 1,000 gold words, by file.
        challenge: items that are right.
        newspaper: F1 on its dev text.
    """

    crossing: dict[str, float]
    challenge: int
    newspaper: float

    @property
    def mean(self) -> float:
        return sum(self.crossing.values()) / len(self.crossing)


def crossings(gold: Array, found: Array) -> int:
    """Words of ``found`` that overlap a gold word; both are ends of words.

    >>> crossings(np.array([1, 0, 1]), np.array([0, 1, 1]))
    1
    """
    ends = np.flatnonzero(found)
    starts = np.concatenate([[0], ends[:-1] + 1])
    before = np.concatenate([[0], np.cumsum(gold)])
    inside = before[ends] > before[starts]
    whole = (np.concatenate([[1], gold[:-1]])[starts] == 1) & (gold[ends] == 1)
    return int((inside & ~whole).sum())


def f1(gold: Array, found: Array) -> float:
    """Of words, both as ends."""

    def words(ends: Array) -> set[tuple[int, int]]:
        last = np.flatnonzero(ends).tolist()
        return set(zip([-1, *last], last, strict=False))

    a, b = words(gold), words(found)
    return 2 * len(a & b) / (len(a) + len(b))


class Dev:
    """The texts and their gold.

    Args:
        shared: the folder ``shared``.
        newspaper: dev text of ``general``.

    Attributes:
        texts: sentences of all files, then those of the challenge.
        last: the places of their last characters.
        traditional: which characters stand in Traditional text.
    """

    def __init__(self, shared: Path, newspaper: Path) -> None:
        self.gold = {name: read(shared / "data" / "gold" / name / "dev.txt") for name in GOLD}
        self.gold["newspaper"] = read(newspaper)
        _, self.items = read_challenge(shared)
        self.texts = ["".join(w) for text in self.gold.values() for w in text]
        self.texts += [item["sentence"] for item in self.items]
        lengths = [len(text) for text in self.texts]
        self.last = np.cumsum(lengths) - 1
        files = np.repeat(list(self.gold), [len(text) for text in self.gold.values()]).tolist()
        files += [""] * len(self.items)
        self.traditional = np.repeat([name in TRADITIONAL for name in files], lengths)

    def score(self, ends: Array) -> Scores:
        """Scores of ends of words of all texts, one after another."""
        ends = ends.copy()
        ends[self.last] = 1
        at, crossing, newspaper = 0, {}, 0.0
        for name, text in self.gold.items():
            gold = np.concatenate([partial.ends_of(words) for words in text])
            found = ends[at : at + len(gold)]
            at += len(gold)
            if name == "newspaper":
                newspaper = f1(gold, found)
            else:
                crossing[name] = 1000 * crossings(gold, found) / int(gold.sum())
        right = 0
        for item in self.items:
            length = len(item["sentence"])
            places = {0, *(np.flatnonzero(ends[at : at + length]) + 1).tolist()}
            right += item["req"] <= places and not item["forb"] & places
            at += length
        return Scores(crossing, right, newspaper)


def labels(dev: Dev, work: Work, seeds: Sequence[int]) -> dict[str, Array]:
    """Of every voter; the teacher's are chances."""
    found: dict[str, Array] = {name: votes.label(dev.texts, shipped(name)) for name in PRESETS}
    found["lattice"] = votes.label(dev.texts, lattice())
    found["wapic"] = votes.label(dev.texts, wapic())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pairs = teacher.pairs(work, seeds, device)
    for name, convention in READ.items():
        found[name] = np.concatenate(teacher.chances(pairs, dev.texts, convention))
    return found


def vote(labels: Mapping[str, Array], weights: Mapping[str, float], least: float) -> Array:
    """Ends of words by a vote."""
    total: Array = np.sum([w * labels[name].astype(np.float32) for name, w in weights.items()], 0)
    found: Array = (total >= least).astype(np.uint8)
    return found


def draw(dev: Dev, labels: Mapping[str, Array], count: int) -> None:
    """Prints the best of so many draws of weights."""
    rng = np.random.default_rng(0)
    tried = []
    for _ in range(count):
        weights = {name: round(float(rng.uniform(0, 2)), 1) for name in labels}
        for name in rng.choice(list(labels), int(rng.integers(0, 4)), replace=False).tolist():
            weights[name] = 0.0
        least = round(sum(weights.values()) * float(rng.uniform(0.42, 0.58)), 2)
        tried.append((dev.score(vote(labels, weights, least)), weights, least))
    tried.sort(
        key=lambda x: x[0].mean - 0.02 * x[0].challenge - 40 * min(0, x[0].newspaper - 0.975)
    )
    for scores, weights, least in tried[:12]:
        print(f"{scores.mean:.3f} {scores.challenge} {scores.newspaper:.4f}", weights, least)


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--work", type=Path, required=True, help="folder of `python -m recipes`")
    parser.add_argument("--shared", type=Path, default=HERE.parent.parent / "shared")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the networks")
    parser.add_argument("--draw", type=int, default=0, help="draws of weights")
    parser.add_argument("--write", action="store_true", help="write eval/results/teacher.*")
    given = parser.parse_args()
    dev = Dev(given.shared, given.work / "general" / "dev.txt")
    cached = given.work / "dev-labels.npz"
    if not cached.exists():
        work = Work(given.shared / "data", given.work, ROOT / "models")
        made: Any = labels(dev, work, given.seeds)
        with WholeFile(cached) as file:
            np.savez(file, **made)
    with np.load(cached) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    alone = [(name, dev.score((x >= 0.5).astype(np.uint8))) for name, x in found.items()]
    found["wapic"] = np.where(dev.traditional, found["teacher"], found["wapic"])
    if given.draw:
        draw(dev, found, given.draw)
    rows = alone
    for name, of in VOTES.items():
        rows.append((name, dev.score(vote(found, of.weights, of.least))))
    for name, scores in rows:
        print(name, f"{scores.mean:.3f}", scores, flush=True)
    if given.write:
        write(rows, len(dev.items))


def write(rows: Sequence[tuple[str, Scores]], items: int) -> None:
    """The result files."""
    about = common.facts()
    header = ("system", "crossing", "challenge", "newspaper F1", *GOLD)
    table = [
        (
            name,
            f"{s.mean:.2f}",
            f"{100 * s.challenge / items:.1f}%",
            f"{s.newspaper:.4f}",
            *(f"{s.crossing[n]:.1f}" for n in GOLD),
        )
        for name, s in rows
    ]
    text = "\n".join(
        [
            common.heading("The teacher", about, "python -m eval.teacher --work DIR --write"),
            "Crossing errors per 1,000 words (mean, and by file), items of `challenge/dev.tsv`, F1 "
            "on the newspaper's dev text. `teacher` and `ctb` are the teacher's readings by the "
            "conventions general and ctb; in votes they stand for wapic on Traditional text. "
            "Votes: "
            + "; ".join(
                f"`{name}` {', '.join(f'{v} {w}' for v, w in of.weights.items())}, from {of.least}"
                for name, of in VOTES.items()
            )
            + ".\n",
            common.table(header, table),
        ]
    )
    about["rows"] = {name: scores._asdict() for name, scores in rows}
    common.write("teacher", text, about)


if __name__ == "__main__":
    main()
