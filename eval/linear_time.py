"""``python -m eval.linear_time``: seconds against length, for every decoder and hostile text.

Each text is cut at 10,000 characters and at every doubling up to 10,240,000 as one string; what is
timed is ``ends`` (boundaries only), the minimum of several rounds.  Linear time means that the
ratio of one doubling stays near 2 (the steps themselves are counted in tests/; here are the
seconds, with caches and page faults in them).  Results: ``eval/results/linear_time.md``, ``.json``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.choices import LATTICE
from segmenter.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from segmenter.choices import Decoder

SMALLEST = 10_000
DOUBLINGS = 10
SUSPECT = 2.2
SHOWN = (10_000, 80_000, 640_000, 10_240_000)

# What is repeated, and why it is hard.
ADVERSARIAL = {
    "中…": ("中", "one character that begins thousands of words"),
    "一…": ("一", "one Chinese numeral: one run of numerals"),
    "长春市长春药店…": ("长春市长春药店", "words that overlap at every place"),
    "中华人民共和国国民…": ("中华人民共和国国民", "long words nested in long words"),
    "研究生命运动员工…": ("研究生命运动员工", "every neighbouring pair is a word"),
    "a…": ("a", "one run of letters"),
    "1…": ("1", "one run of digits"),
    "1.1,1:…": ("1.1,1:", "number rules that look ahead"),
    "年月日分…": ("年月日分", "the characters of the date rules"),
    "，…": ("，", "punctuation only"),
    "blank…": (" ", "one run of blanks"),
    "\\r\\n…": ("\r\n", "line ends only"),
    "e\u0301…": ("e\u0301", "a combining mark at every second place"),
    "\U00020000…": ("\U00020000", "a character outside the basic plane and the lexicon"),
}


class Curve(NamedTuple):
    """Seconds of one decoder on one text, by length."""

    decoder: str
    text: str
    seconds: dict[int, float]

    @property
    def ratios(self) -> list[float]:
        """Seconds at each length over seconds at half of it."""
        return [b / a for a, b in pairwise(self.seconds.values())]

    @property
    def exponent(self) -> float:
        """The power of the length that the seconds grow with from the first length to the last."""
        first, last = min(self.seconds), max(self.seconds)
        if first == last:
            return 1.0
        return math.log(self.seconds[last] / self.seconds[first]) / math.log(last / first)


def texts(data: Path) -> dict[str, str]:
    """A seed for each text; seeds are repeated up to the length wanted."""
    lines = common.national_lines(data)
    ordinary = "\n".join(lines)
    return {
        "ordinary": ordinary,
        "unpunctuated": "".join(c for c in ordinary if "\u4e00" <= c <= "\u9fff"),
        **{name: seed for name, (seed, _) in ADVERSARIAL.items()},
    }


def measure(
    decoder: Decoder,
    name: str,
    seed: str,
    work: Callable[[str], Any],
    *,
    largest: int,
    limit: float,
) -> Curve:
    """Time `work` on every length; stops before a length that would take over `limit` seconds.

    A length whose ratio to its half is above 2.2 is timed again together with that half, up to
    six times: a minimum can only come nearer to what the work takes without its neighbours'.
    """
    seconds: dict[int, float] = {}
    length = SMALLEST
    while length <= largest and (not seconds or seconds[length // 2] * 2 <= limit):
        seconds[length] = _best(work, seed, length, limit)
        for _ in range(6):
            half = length // 2
            if half not in seconds or seconds[length] <= SUSPECT * seconds[half]:
                break
            seconds[half] = min(seconds[half], _best(work, seed, half, limit))
            seconds[length] = min(seconds[length], _best(work, seed, length, limit))
        length *= 2
    return Curve(decoder, name, seconds)


def _best(work: Callable[[str], Any], seed: str, length: int, limit: float) -> float:
    text = (seed * (length // len(seed) + 1))[:length]
    times: list[float] = []
    # Three rounds, and 30 ms of them for short texts; one is enough above a second.
    while len(times) < 3 or (sum(times) < 0.03 and len(times) < 50):
        start = time.perf_counter()
        result = work(text)
        times.append(time.perf_counter() - start)
        del result
        if sum(times) > min(limit, 1.0):
            break
    return min(times)


def markdown(about: dict[str, object], curves: Sequence[Curve]) -> str:
    """The report: one row a decoder and text."""
    explained = "; ".join(f"`{name}` {why}" for name, (_, why) in ADVERSARIAL.items())
    worst = max((max(c.ratios) for c in curves if c.ratios), default=0.0)
    rows = []
    for curve in curves:
        cells: list[object] = [curve.decoder, f"`{curve.text}`"]
        cells += [f"{curve.seconds[n]:.2g}" if n in curve.seconds else "–" for n in SHOWN]
        last = max(curve.seconds)
        first = min(curve.seconds)
        cells += [
            f"{curve.seconds[first] / first * 1e9:.1f}",
            f"{curve.seconds[last] / last * 1e9:.1f}",
            " ".join(f"{r:.2f}" for r in curve.ratios),
            f"{max(curve.ratios):.2f}" if curve.ratios else "–",
            f"{curve.exponent:.3f}",
        ]
        rows.append(cells)
    return "\n".join(
        [
            common.heading("Time against length", about, "python -m eval.linear_time"),
            "One string of each length (characters), boundaries only (`ends`), minimum of "
            "rounds, pinned to one core. Ordinary: the national corpus without its "
            "blanks, lines kept; unpunctuated: its Han characters alone. Adversarial, repeated: "
            f"{explained}. A dash: the length would have taken longer than the limit.\n",
            f"Worst ratio of one doubling: {worst:.2f}. Largest exponent of the growth from the "
            f"shortest to the longest: {max((c.exponent for c in curves), default=1.0):.3f}.\n",
            common.table(
                (
                    "decoder",
                    "text",
                    *(f"s at {n:,}" for n in SHOWN),
                    "ns a character, first",
                    "last",
                    "ratio of each doubling",
                    "worst",
                    "exponent",
                ),
                rows,
                left=2,
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.linear_time", description="Seconds against length, every decoder."
    )
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--decoder", action="append", help="only this decoder; no file")
    parser.add_argument("--text", action="append", help="only this text; no file")
    parser.add_argument("--standard", default="general")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds a length may take")
    parser.add_argument("--largest", type=int, default=SMALLEST << DOUBLINGS)
    given = parser.parse_args(arguments)
    seeds = texts(common.data_dir(given.data))
    common.pin(1)
    curves: list[Curve] = []
    for decoder in given.decoder or LATTICE:
        work = load("fast", standard=given.standard, decoder=decoder).ends
        for name, seed in seeds.items():
            if given.text and name not in given.text:
                continue
            curve = measure(decoder, name, seed, work, largest=given.largest, limit=given.limit)
            curves.append(curve)
            print(
                f"{decoder:18} {name:14} "
                + " ".join(f"{s:.2g}" for s in curve.seconds.values())
                + " | "
                + " ".join(f"{r:.2f}" for r in curve.ratios),
                flush=True,
            )
    if given.decoder or given.text or given.largest != SMALLEST << DOUBLINGS:
        return 0
    about = common.facts()
    common.write(
        "linear_time",
        markdown(about, curves),
        {
            **about,
            "curves": [
                {
                    "decoder": c.decoder,
                    "text": c.text,
                    "seconds": c.seconds,
                    "ratios": c.ratios,
                    "exponent": c.exponent,
                }
                for c in curves
            ],
        },
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
