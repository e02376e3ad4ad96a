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
import itertools
import math
from typing import TYPE_CHECKING, Any

from eval import common
from eval.matchers import fastest
from segmenter.text import variants
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
#: Ways to read a line that are all tried.
WAYS = 256
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


def readings(data: Path) -> list[dict[str, Any]]:
    """Rows of F1 by what becomes of characters of several readings, a system and file each.

    ``settled``: as it is, by the words around them, before decoding.
    ``edges``: all readings as edges of one lattice; its best path is the cheapest of the best paths
    of all readings of the line, which is what is computed here, on text folded beforehand.
    ``first``: always the reading that is no Traditional form; ``itself``: kept characters always
    stay themselves; ``oracle``: of all ways the one that agrees best with the gold file.
    """
    import segmenter as seg

    ways = {entry[0]: entry[1:] for entry in variants.OPEN}
    ways |= {entry[0]: entry[1:] + entry[0] for entry in variants.KEPT}
    rows = []
    for name, options in SYSTEMS.items():
        on, off = seg.load(**options), seg.load(**options, variants=False)
        for corpus, file in GOLD.items():
            gold = list(map(scoring.split_words, scoring.read_lines(data / "sighan2005" / file)))
            cuts: dict[str, list[list[str]]] = {}
            lines = 0
            for words in gold:
                text = "".join(words)
                found = {"settled": on.cut(text)}
                there = [k for k, c in enumerate(text) if c in ways]
                lines += bool(there)
                found |= _read_in_every_way(off, text, there, ways, words) if there else {}
                for way in ("settled", "first", "itself", "edges", "oracle"):
                    cuts.setdefault(way, []).append(found.get(way, found["settled"]))
            for way, cut in cuts.items():
                if way == "edges" and name != "unigram":
                    continue  # a tagger has no lattice
                changed = sum(a != b for a, b in zip(cut, cuts["settled"], strict=True))
                rows.append(
                    {
                        "corpus": corpus,
                        "system": name,
                        "way": way,
                        "f1": scoring.score(gold, cut).f1,
                        "lines": lines,
                        "changed": changed,
                    }
                )
    return rows


def _read_in_every_way(
    off: Any, text: str, there: Sequence[int], ways: dict[str, str], gold: Sequence[str]
) -> dict[str, list[str]]:
    """The cuts of one line, by way; more than :data:`WAYS` readings are gone through one by one."""
    folded = list(variants.fold_str(text))
    wanted = _spans(gold)

    def cut(reading: Sequence[str]) -> list[str]:
        for k, c in zip(there, reading, strict=True):
            folded[k] = c
        at, out = 0, []
        for word in off.cut("".join(folded)):
            out.append(text[at : at + len(word)])
            at += len(word)
        return out

    def cost(reading: Sequence[str]) -> float:
        for k, c in zip(there, reading, strict=True):
            folded[k] = c
        return -float(off.nbest("".join(folded), 1)[0][1])

    def wrong(reading: Sequence[str]) -> float:
        spans = _spans(cut(reading))
        return len(spans) - 2.01 * len(spans & wanted)

    def best(loss: Callable[[Sequence[str]], float]) -> list[str]:
        choices = [ways[text[k]] for k in there]
        if math.prod(map(len, choices)) <= WAYS:
            return cut(min(itertools.product(*choices), key=loss))
        now = [c[0] for c in choices]
        for _ in range(2):
            for k, several in enumerate(choices):
                tried = [[*now[:k], c, *now[k + 1 :]] for c in several]
                now = min(tried, key=loss)
        return cut(now)

    out = {
        "first": cut([ways[text[k]][0] for k in there]),
        "itself": cut([ways[text[k]][-1] for k in there]),
        "oracle": best(wrong),
    }
    if off.tagger is None:
        out["edges"] = best(cost)
    return out


def _spans(words: Sequence[str]) -> set[tuple[int, int]]:
    ends = [0, *itertools.accumulate(map(len, words))]
    return set(itertools.pairwise(ends))


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
            "\n## Characters of several readings\n",
            "後 (后), 於 (于), 著 (着), 乾 (干), 畫 (画, 划) and others stand in "
            + " and ".join(
                f"{r['lines']:,} lines of {r['corpus']}"
                for r in found["readings"]
                if (r["system"], r["way"]) == ("unigram", "settled")
            )
            + ".  F1 of all lines by what becomes of these characters: *settled* by the words "
            "around them before decoding, which is what is done; all readings as *edges* of one "
            "lattice (a tagger has none); always the *first* other reading; *itself* always, where "
            "that is one; and the *oracle*, of all ways to read a line the one that agrees best "
            "with the gold file.\n",
            common.table(
                ["system", "", *(f"{corpus}, lines otherwise" for corpus in GOLD)],
                [
                    [
                        system,
                        way,
                        *(
                            f"{by['f1']:.4f}, {by['changed']}"
                            for by in found["readings"]
                            if (by["system"], by["way"]) == (system, way)
                        ),
                    ]
                    for system in SYSTEMS
                    for way in ("settled", "edges", "first", "itself", "oracle")
                    if way != "edges" or system == "unigram"
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
            "`cut`, the PKU and MSR test lines, a call per line.\n",
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
    found["readings"] = readings(data)
    found["simplified"] = simplified(data)
    found["speed"] = speed(data)
    head = common.heading("Traditional Chinese", found, "python -m eval.traditional")
    common.write("traditional", head + "\n" + markdown(found), found)


if __name__ == "__main__":
    main()
