"""``python -m eval.traditional``: Traditional text, and what variants cost Simplified text.

Word F1 on the gold files of Academia Sinica (AS) and City University (CityU) of the SIGHAN 2005
bakeoff: ours with and without folding of variants, jieba and rjieba (both with their HMM off and
on).  Nothing was trained or tuned on these files, and every system here has a convention of its
own (compounds, names, numbers), which differs from those of AS and CityU: figures compare systems
with one another, not with systems trained on these standards.

And the other side: how many lines of Simplified text are cut in another way because variants are
folded, and what folding costs there (both Segmenters in turns, one pinned core, sums of minima of
small parts).  Results: ``eval/results/traditional.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from eval import common
from eval.matchers import fastest
from segmenter import variants
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GOLD = {"AS": "as_testing_gold.utf8", "CityU": "cityu_test_gold.utf8"}
SYSTEMS: dict[str, dict[str, Any]] = {
    "unigram": {"name": "fast", "decoder": "unigram"},
    "fast": {"name": "fast"},
    "balanced": {"name": "balanced"},
}
SIMPLIFIED = {
    "PKU, training months and dev": ("pku/train_jan.txt", "pku/train_feb.txt", "pku/dev.txt"),
    "PKU test": ("sighan2005/pku_test_gold.utf8",),
    "MSR test": ("sighan2005/msr_test_gold.utf8",),
    "national corpus": ("national/segmented.txt",),
}


def traditional(data: Path) -> list[dict[str, Any]]:
    """Rows of F1, a system and file each."""
    import jieba
    import rjieba

    import segmenter as seg

    jieba.setLogLevel(60)
    cuts: dict[tuple[str, str], Callable[[str], list[str]]] = {}
    for name, options in SYSTEMS.items():
        for folded in (True, False):
            label = "variants folded" if folded else "variants=False"
            cuts[name, label] = seg.load(**options, variants=folded).cut
    cuts["jieba", "HMM off"] = lambda text: list(jieba.cut(text, HMM=False))
    cuts["jieba", "HMM on"] = lambda text: list(jieba.cut(text, HMM=True))
    cuts["rjieba", "HMM off"] = lambda text: list(rjieba.cut(text, False))
    cuts["rjieba", "HMM on"] = lambda text: list(rjieba.cut(text, True))
    folder = data / "sighan2005"
    rows = []
    for corpus, file in GOLD.items():
        gold = list(map(scoring.split_words, scoring.read_lines(folder / file)))
        for (system, option), cut in cuts.items():
            result = scoring.score(gold, [cut("".join(words)) for words in gold])
            rows.append(
                {
                    "corpus": corpus,
                    "system": system,
                    "option": option,
                    "precision": result.precision,
                    "recall": result.recall,
                    "f1": result.f1,
                }
            )
    return rows


def simplified(data: Path) -> list[dict[str, Any]]:
    """Rows of lines that folding changes, a system and text each."""
    import segmenter as seg

    several = {entry[0] for entry in (*variants.KEPT, *variants.OPEN)}
    either = several | set(variants.PLAIN_FROM)
    rows = []
    for name, options in SYSTEMS.items():
        on, off = seg.load(**options), seg.load(**options, variants=False)
        for text, files in SIMPLIFIED.items():
            lines = [
                scoring.join_words(line) for f in files for line in scoring.read_lines(data / f)
            ]
            raw = "\n".join(lines).encode()
            pairs = zip(
                lines, on.cut_bytes(raw).split(b"\n"), off.cut_bytes(raw).split(b"\n"), strict=True
            )
            changed = [line for line, a, b in pairs if a != b]
            rows.append(
                {
                    "system": name,
                    "text": text,
                    "lines": len(lines),
                    "changed": len(changed),
                    "without": sum(not either.intersection(line) for line in changed),
                }
            )
    return rows


def speed(data: Path, rounds: int = 15) -> list[dict[str, Any]]:
    """Seconds over the PKU and MSR test lines, folded and not."""
    import segmenter as seg

    common.pin()
    lines = common.bakeoff_lines(data)
    rows = []
    for name, options in SYSTEMS.items():
        on, off = seg.load(**options), seg.load(**options, variants=False)
        # in turns, twice: each then finds the other's words and tables in the caches
        a, first, b, second = fastest([off.cut, on.cut, off.cut, on.cut], lines, rounds)
        rows.append({"system": name, "folded": min(first, second), "plain": min(a, b)})
    return rows


def markdown(found: dict[str, Any]) -> str:
    """The tables."""
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for row in found["traditional"]:
        scores.setdefault((row["system"], row["option"]), {})[row["corpus"]] = row["f1"]
    return "\n".join(
        [
            "## Traditional text\n",
            'Word F1, gold text with its blanks removed; `standard="general"`.  The standards of '
            "AS and CityU differ from ours, from jieba's and from one another, and no system here "
            "was trained on theirs.\n",
            common.table(
                ["system", "", *GOLD],
                [
                    [system, option, *(f"{by[corpus]:.4f}" for corpus in GOLD)]
                    for (system, option), by in scores.items()
                ],
                left=2,
            ),
            "\n## Simplified text\n",
            "Lines that are cut otherwise because variants are folded.  All of them hold variants: "
            "quotations in Traditional characters and slips (相当於, 明瞭, 乾脆).\n",
            common.table(
                ["system", "text", "lines", "changed", "of them without any variant"],
                [
                    [r["system"], r["text"], f"{r['lines']:,}", f"{r['changed']:,}", r["without"]]
                    for r in found["simplified"]
                ],
                left=2,
            ),
            "\n## Speed on Simplified text\n",
            "`cut`, the PKU and MSR test lines, a call a line.\n",
            common.table(
                ["system", "folded, ms", "variants=False, ms", "ratio"],
                [
                    [
                        r["system"],
                        f"{r['folded'] * 1000:.1f}",
                        f"{r['plain'] * 1000:.1f}",
                        f"{r['folded'] / r['plain']:.3f}",
                    ]
                    for r in found["speed"]
                ],
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs all and writes the results."""
    parser = argparse.ArgumentParser(prog="python -m eval.traditional", description=__doc__)
    parser.add_argument("--data", help="folder of the corpora (or SEGMENTER_CORPORA)")
    given = parser.parse_args(arguments)
    data = common.data_dir(given.data)
    found: dict[str, Any] = common.facts(["jieba", "rjieba"])
    found["traditional"] = traditional(data)
    found["simplified"] = simplified(data)
    found["speed"] = speed(data)
    head = common.heading("Traditional Chinese", found, "python -m eval.traditional")
    common.write("traditional", head + "\n" + markdown(found), found)


if __name__ == "__main__":
    main()
