"""``python -m eval.curve``: accuracy against speed, ours and the installed peers, as a picture.

Word F1 on the PKU test set, and MB of its text per second of one processor in lists of ``str``, a
call per line, in turns.  Peers run as they come; the lattices of theirs also without the HMM.
``--draw`` makes the pictures from the committed figures alone.
Results: ``eval/results/curve.md`` and ``.json``, ``docs/img/curve.svg`` and ``curve-zh.svg``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from functools import partial
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter import load
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from segmenter.choices import Standard

    Cut = Callable[[str], Iterable[str]]

ROUNDS = 5
#: Seconds of a system per round; slower ones get fewer lines.
SHARE = 1.0
PACKAGES = ("jieba", "rjieba", "wapic", "snownlp", "thulac", "pkuseg", "jiojio", "cutword")
IMAGES = common.ROOT / "docs" / "img"


class Named(NamedTuple):
    """A system, and a function that loads its cutter; ImportError where it is not installed."""

    name: str
    peer: bool
    make: Callable[[], Cut]
    general: Callable[[], Cut] | None = None  # ours by the default standard


def _jieba(hmm: bool) -> Cut:
    jieba = importlib.import_module("jieba")
    jieba.setLogLevel(60)
    return lambda line: jieba.lcut(line, HMM=hmm)


def _rjieba(hmm: bool) -> Cut:
    rjieba = importlib.import_module("rjieba")
    return lambda line: rjieba.cut(line, hmm)


def _thulac() -> Cut:
    thulac = importlib.import_module("thulac").thulac(seg_only=True)
    return lambda line: [word for word, _ in thulac.cut(line)]


def _pkuseg() -> Cut:
    return importlib.import_module("pkuseg").pkuseg().cut  # type: ignore[no-any-return]


def _wapic() -> Cut:
    return importlib.import_module("wapic").Segmenter().segment  # type: ignore[no-any-return]


def _snownlp() -> Cut:
    return importlib.import_module("snownlp.seg").seg  # type: ignore[no-any-return]


def systems() -> list[Named]:
    """Our systems in the standard of the test set and in the default one, and the peers."""
    ours: dict[str, Callable[[Standard], Cut]] = {
        "unigram": lambda standard: load(standard=standard, decoder="unigram").cut,
        "bigram": lambda standard: load(standard=standard, decoder="bigram").cut,
        "fast": lambda standard: load("fast", standard=standard).cut,
        "balanced": lambda standard: load("balanced", standard=standard).cut,
        "accurate": lambda standard: load("accurate", standard=standard).cut,
        "best": lambda standard: load("best", standard=standard).cut,
    }
    return [
        *(
            Named(name, False, partial(make, "pku"), partial(make, "general"))
            for name, make in ours.items()
        ),
        Named("rjieba", True, lambda: _rjieba(True)),
        Named("rjieba, no HMM", True, lambda: _rjieba(False)),
        Named("jieba", True, lambda: _jieba(True)),
        Named("jieba, no HMM", True, lambda: _jieba(False)),
        Named("wapic", True, _wapic),
        Named("snownlp", True, _snownlp),
        Named("thulac", True, _thulac),
        Named("pkuseg", True, _pkuseg),
    ]


def measure(gold: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    """F1 and MB/s of every installed system."""
    lines = list(map(scoring.join_words, gold))
    speeds: list[tuple[Named, Cut, int, float]] = []
    by_general: dict[str, float] = {}
    for system in systems():
        try:
            cut = system.make()
        except (ImportError, OSError) as e:
            print(f"left out: {system.name}: {e}", file=sys.stderr)
            continue
        before = time.process_time()
        cuts = [" ".join(cut(line)) for line in lines]
        rate = len(lines) / max(time.process_time() - before, 1e-6)
        f1 = scoring.score(gold, cuts).f1
        if system.general is not None:
            general = system.general()
            by_general[system.name] = scoring.score(gold, map(list, map(general, lines))).f1
        print(f"{system.name}: F1 {f1:.4f}", file=sys.stderr, flush=True)
        speeds.append((system, cut, min(len(lines), max(20, int(rate * SHARE))), f1))
    best = [math.inf] * len(speeds)
    for number in range(rounds):
        for k in range(len(speeds)):
            i = (k + number) % len(speeds)
            _, cut, count, _ = speeds[i]
            before = time.process_time()
            for line in lines[:count]:
                cut(line)
            best[i] = min(best[i], time.process_time() - before)
    return [
        {
            "system": system.name,
            "peer": system.peer,
            "f1": f1,
            "f1_general": by_general.get(system.name),
            "lines": count,
            "mb_per_s": len("".join(lines[:count]).encode()) / seconds / 1e6,
        }
        for (system, _, count, f1), seconds in zip(speeds, best, strict=True)
    ]


# --- the picture ---------------------------------------------------------------------------------

WIDE, HIGH = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 46, 56
WORDS = {
    "en": (
        "Word F1 on the PKU test",
        "MB per second of one processor, lists of str",
        "peers",
        "ours, standard pku",
        "standard general (default)",
    ),
    "zh": (
        "PKU 测试集 F1",
        "单核每秒处理 MB（返回词列表）",
        "其他分词器",
        "本项目，pku 规范",
        "默认的 general 规范",
    ),
}
STYLE = """
.paper{fill:#fbfbf9}text{fill:#2b2f36;font:13px system-ui,"Noto Sans CJK SC",sans-serif}
.grid{stroke:#d9dbe0}.ring{stroke:#0b7a6f;stroke-width:2;fill:none}.ours{fill:#0b7a6f}.curve{stroke:#0b7a6f;fill:none;stroke-width:2}
.peer{fill:#b4530a}.name{font-weight:600}
@media(prefers-color-scheme:dark){.paper{fill:#1d2027}text{fill:#e4e6ea}.grid{stroke:#3a3f4a}
.ring{stroke:#4cc9b8}
.ours{fill:#4cc9b8}.curve{stroke:#4cc9b8}.peer{fill:#f0a35e}}
"""


def draw(rows: Sequence[dict[str, Any]], language: str) -> str:
    """The picture as SVG: F1 upwards, the logarithm of the speed to the right."""
    f1_title, speed_title, peers_title, ours_title, general_title = WORDS[language]
    low: int = math.floor(min(math.log10(row["mb_per_s"]) for row in rows))
    high: float = math.ceil(max(math.log10(row["mb_per_s"]) for row in rows) * 2) / 2
    bottom: float = math.floor(min(row["f1"] for row in rows) * 50) / 50 - 0.005
    top: float = math.ceil(max(row["f1"] for row in rows) * 50) / 50 + 0.005

    def x(speed: float) -> float:
        return LEFT + (math.log10(speed) - low) / (high - low) * (WIDE - LEFT - RIGHT)

    def y(f1: float) -> float:
        return HIGH - BOTTOM - (f1 - bottom) / (top - bottom) * (HIGH - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img">',
        f"<title>{escape(f1_title)} / {escape(speed_title)}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDE}" height="{HIGH}" rx="6"/>',
    ]
    for tenth in range(math.ceil(bottom * 50), math.floor(top * 50) + 1):
        height = y(tenth / 50)
        parts.append(
            f'<path class="grid" d="M{LEFT} {height:.1f}H{WIDE - RIGHT}"/>'
            f'<text x="{LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{tenth / 50:.2f}</text>'
        )
    for power in range(low, math.floor(high) + 1):
        for factor in (1, 3):
            speed = factor * 10.0**power
            if math.log10(speed) > high:
                continue
            parts.append(
                f'<path class="grid" d="M{x(speed):.1f} {TOP}V{HIGH - BOTTOM}"/>'
                f'<text x="{x(speed):.1f}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">'
                f"{speed:g}</text>"
            )
    ours = sorted((row for row in rows if not row["peer"]), key=lambda row: row["mb_per_s"])
    curve = [(x(row["mb_per_s"]), y(row["f1"])) for row in best_of(ours)]
    parts.append(
        '<path class="curve" d="M' + "L".join(f"{a:.1f} {b:.1f}" for a, b in curve) + '"/>'
    )
    boxes = [(x(row["mb_per_s"]) - 5, y(row["f1"]) + 5, 10.0) for row in rows]
    for (a, b), (c, d) in pairwise(curve):  # no name stands on the line
        steps = 1 + int((c - a) / 8)
        boxes += [(a + (c - a) * k / steps, b + (d - b) * k / steps + 4, 1) for k in range(steps)]
    for row in ours:
        if row["f1_general"] is not None:
            a, b, c = x(row["mb_per_s"]), y(row["f1"]), y(row["f1_general"])
            boxes.append((a - 5, c + 5, 10.0))
            parts.append(
                f'<path class="ring" stroke-dasharray="2 3" d="M{a:.1f} {b:.1f}V{c - 4:.1f}"/>'
                f'<circle class="ring" cx="{a:.1f}" cy="{c:.1f}" r="4"/>'
            )
    for row in sorted(rows, key=lambda row: -row["f1"]):
        name, peer = row["system"], row["peer"]
        kind, style = ("peer", "") if peer else ("ours", "name")
        px, py = x(row["mb_per_s"]), y(row["f1"])
        foot = _place(px, py, (7.2 if peer else 8.2) * len(name), boxes)
        parts.append(
            f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="5"/>'
            f'<text class="{style}" x="{foot[0]:.1f}" y="{foot[1]:.1f}">{escape(name)}</text>'
        )
    parts += [
        f'<text class="name" x="{LEFT}" y="26">{escape(f1_title)}</text>',
        f'<text class="name" x="{WIDE - RIGHT}" y="{HIGH - 14}" text-anchor="end">'
        f"{escape(speed_title)}</text>",
        f'<circle class="ours" cx="{WIDE - 490}" cy="22" r="5"/>'
        f'<text x="{WIDE - 480}" y="26">{escape(ours_title)}</text>',
        f'<circle class="ring" cx="{WIDE - 330}" cy="22" r="4"/>'
        f'<text x="{WIDE - 320}" y="26">{escape(general_title)}</text>',
        f'<circle class="peer" cx="{WIDE - 110}" cy="22" r="5"/>'
        f'<text x="{WIDE - 100}" y="26">{escape(peers_title)}</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def _place(
    px: float, py: float, width: float, boxes: list[tuple[float, float, float]]
) -> tuple[float, float]:
    """The place of a point's name, clear of all `boxes` (left, foot, width); adds its own box."""
    right, left = px + 9, px - 9 - width
    places = [(right, py + 4), (left, py + 4)]
    places += [
        (a, py + b) for b in (-12, 20, -26, 34) for a in (right - 6, px - width / 2, left + 6)
    ]
    for a, b in places:
        if (
            a > LEFT
            and a + width < WIDE
            and all(b - 12 > d or b + 10 < d or a > c + w or a + width < c for c, d, w in boxes)
        ):
            break
    boxes.append((a, b, width))
    return a, b


def best_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The systems on the curve: those that no faster system equals."""
    return [
        row for k, row in enumerate(rows) if all(other["f1"] < row["f1"] for other in rows[k + 1 :])
    ]


def render(data: Any) -> str:
    """The report of the figures."""
    rows = [
        [
            row["system"],
            "peer" if row["peer"] else "ours",
            f"{row['f1']:.4f}",
            "" if row["f1_general"] is None else f"{row['f1_general']:.4f}",
            f"{row['mb_per_s']:.2f}" if row["mb_per_s"] < 10 else f"{row['mb_per_s']:.0f}",
        ]
        for row in sorted(data["rows"], key=lambda row: -row["f1"])
    ]
    return "\n".join(
        [
            common.heading("Accuracy against speed", data, "python -m eval.curve"),
            f"PKU test set, word F1; {data['rounds']} rounds in turns, one thread, minimum of "
            "processor time; slow systems on the first lines only. Ours use the standard of the "
            'test set (`standard="pku"`), peers their defaults: if their convention differs from '
            "the test's, their F1 is lower. `general`, the default standard, keeps personal names "
            "whole, which the test cuts. Speed is measured with `pku`.\n",
            common.table(("system", "", "F1", "F1, `general`", "MB/s"), rows, 2),
            "The picture is [docs/img/curve.svg](../../docs/img/curve.svg): the line is the Pareto "
            "front of our configurations; rings are F1 with `general`.",
            *(f"\n{note}" for note in data.get("notes", ())),
        ]
    )


def pictures(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Writes the picture in both languages."""
    for language, name in (("en", "curve.svg"), ("zh", "curve-zh.svg")):
        (folder / name).write_text(draw(rows, language), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, save and draw."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.curve", description="Accuracy against speed, as a picture."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--draw", action="store_true", help="only draw the committed figures")
    args = parser.parse_args(arguments)
    if args.draw:
        data = json.loads((common.RESULTS / "curve.json").read_text("utf-8"))
    else:
        path = common.data_dir(args.data) / "sighan2005" / "pku_test_gold.utf8"
        rows = measure(list(scoring.read_lines(path)), args.rounds)
        data = {**common.facts(PACKAGES), "rounds": args.rounds, "rows": rows}
        report = render(data)
        print(report)
        common.write("curve", report, data)
    pictures(data["rows"], IMAGES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
