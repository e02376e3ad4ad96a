"""``python -m eval.today``: text of today, other conventions, and how firm boundaries are.

For every preset in both standards, and for two decoders of the lattice:

* items of ``shared/challenge/dev.tsv`` all of whose boundaries are right;
* crossing errors on the seven dev files of ``shared/data/gold``, per 1,000 gold words: words of
  ours that overlap a gold word without one holding the other, which no convention excuses;
* words of ``eval/words_of_2026.tsv`` (word, two sentences; written without looking at any list or
  model) that are whole;
* sentences whose boundaries move, two characters or more away, when the last full stop is dropped
  or changed, quotes are put around, 他说： before, 啊 or 吧 before the stop (dev text of the
  newspaper);
* 他说的确实在理 in forty frames;

and F1 of ``accurate`` by the standard of each gold file.  Results: ``eval/results/today.*``.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Cut = Callable[[str], list[str]]
    from segmenter.choices import Decoder, Standard

HERE = Path(__file__).resolve().parent
GOLD = ("ctb", "sxu", "msr", "weibo", "ud", "wtb", "sinica")
SYSTEMS: tuple[tuple[str, Decoder | None, Standard], ...] = (
    ("fast", None, "general"),
    ("balanced", None, "general"),
    ("accurate", None, "general"),
    ("fast", "unigram", "general"),
    ("fast", "bigram", "general"),
    ("fast", None, "pku"),
    ("balanced", None, "pku"),
    ("accurate", None, "pku"),
)
SENTENCE = "他说的确实在理"
WORDS = ["他", "说", "的", "确实", "在理"]
BEFORE = ("", "“", "他们都觉得，", "是的，", "2026年，")
AFTER = ("", "。", "！", "啊。", "吧？", "，", "”", "……")


def ends(words: Sequence[str]) -> list[int]:
    """Exclusive ends of words."""
    out, at = [], 0
    for word in words:
        at += len(word)
        out.append(at)
    return out


def crossings(gold: Sequence[str], found: Sequence[str]) -> int:
    """Words of ``found`` that overlap a gold word without one holding the other.

    >>> crossings(["才", "能"], ["才能"]), crossings(["他", "才能"], ["他才", "能"])
    (0, 1)
    """
    marks = {0, *ends(gold)}
    count, begin = 0, 0
    for end in ends(found):
        inside = any(i in marks for i in range(begin + 1, end))
        count += inside and not (begin in marks and end in marks)
        begin = end
    return count


def frames() -> list[tuple[str, list[int]]]:
    """The sentence in forty frames, and the ends that its words must have."""
    made = []
    for before, after in product(BEFORE, AFTER):
        text = before + SENTENCE + after
        made.append((text, [len(before) + end for end in ends(WORDS)]))
    return made


def variations(text: str) -> list[tuple[str, int]]:
    """A sentence that ends with a full stop in other forms, with how far its characters moved."""
    bare = text[:-1]
    return [
        (bare, 0),
        (bare + "！", 0),
        (f"“{text}”", 1),
        (f"他说：{text}", 3),
        (bare + "啊。", 0),
        (bare + "吧。", 0),
    ]


def unstable(cut: Cut, sentences: Sequence[str]) -> float:
    """The share of sentences that some form of it moves."""
    moved = 0
    for text in sentences:
        last = len(text) - 3  # two characters and more before the stop
        plain = {e for e in ends(cut(text)) if e <= last}
        for other, shift in variations(text):
            got = {e - shift for e in ends(cut(other)) if 2 <= e - shift <= last}
            if got != {e for e in plain if e >= 2}:
                moved += 1
                break
    return moved / len(sentences)


def f1(cut: Cut, gold: Sequence[Sequence[str]]) -> float:
    """Word F1 on text as it stands."""
    right = wanted = found = 0
    for words in gold:
        got = cut("".join(words))
        a, b = [0, *ends(words)], [0, *ends(got)]
        right += len(set(pairwise(a)) & set(pairwise(b)))
        wanted += len(words)
        found += len(got)
    return 2 * right / (wanted + found)


def read(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]


def whole(cut: Cut, path: Path) -> float:
    """The share of the listed words that are whole in both of their sentences."""
    good = total = 0
    for line in path.read_text("utf-8").splitlines():
        word, *texts = line.split("\t")
        total += 1
        good += all(
            any(
                (m.start(), m.end()) in set(zip([0, *(e := ends(cut(text)))], e, strict=False))
                for m in re.finditer(re.escape(word), text)
            )
            for text in texts
        )
    return good / total


def read_challenge(shared: Path) -> tuple[Any, list[dict[str, Any]]]:
    """The scorer of the challenge, and its items."""
    spec = importlib.util.spec_from_file_location("challenge", shared / "challenge" / "score.py")
    assert spec
    assert spec.loader
    challenge: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(challenge)
    return challenge, challenge.load_items()


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--shared", type=Path, default=HERE.parent.parent / "shared")
    parser.add_argument("--write", action="store_true", help="write eval/results/today.*")
    given = parser.parse_args()
    shared: Path = given.shared
    challenge, items = read_challenge(shared)
    gold = {name: read(shared / "data" / "gold" / name / "dev.txt") for name in GOLD}
    newspaper = [
        "".join(words) for words in read(shared / "data" / "pfr" / "dev.txt") if words[-1] == "。"
    ]
    rows: list[dict[str, Any]] = []
    for preset, decoder, standard in SYSTEMS:
        cut = load_by_name(preset, decoder=decoder, standard=standard).cut
        scored = challenge.score(cut, items)
        errors = {
            name: 1000 * sum(crossings(w, cut("".join(w))) for w in text) / sum(map(len, text))
            for name, text in gold.items()
        }
        right = sum(
            [e for e in ends(cut(text)) if wanted[0] <= e <= wanted[-1]] == wanted
            for text, wanted in frames()
        )
        row = {
            "system": (decoder or preset) + (", pku" if standard == "pku" else ""),
            "challenge": sum(scored[i["id"]]["ok"] for i in items) / len(items),
            "crossing": sum(errors.values()) / len(errors),
            "crossing_by_file": errors,
            "words": whole(cut, HERE / "words_of_2026.tsv"),
            "unstable": unstable(cut, newspaper),
            "frames": right,
        }
        rows.append(row)
        print(row, flush=True)
    own = {
        name: f1(load_by_name("accurate", standard=name).cut, gold[name])
        for name in GOLD
        if name != "wtb"
    }
    print(own)
    if given.write:
        write(rows, own)


def write(rows: Sequence[dict[str, Any]], own: dict[str, float]) -> None:
    """The result files."""
    about = common.facts()
    names = list(rows[0]["crossing_by_file"])
    header = ("system", "challenge", "crossing", "words of 2026", "unstable", "frames of 40")
    text = "\n".join(
        [
            common.heading("Text of today", about, "python -m eval.today --write"),
            "What each column is stands in `eval/today.py`: items of `challenge/dev.tsv` that are "
            "right, crossing errors per 1,000 gold words (mean of seven files), words whole in two "
            "sentences, sentences of the newspaper's dev text that move.\n",
            common.table(
                header,
                (
                    (
                        r["system"],
                        f"{100 * r['challenge']:.1f}%",
                        f"{r['crossing']:.2f}",
                        f"{100 * r['words']:.1f}%",
                        f"{100 * r['unstable']:.2f}%",
                        r["frames"],
                    )
                    for r in rows
                ),
            ),
            "Crossing errors by file:\n",
            common.table(
                ("system", *names),
                ((r["system"], *(f"{r['crossing_by_file'][n]:.1f}" for n in names)) for r in rows),
            ),
            "F1 of `accurate` on the dev file of each standard, text as it stands:\n",
            common.table(tuple(own), [[f"{v:.4f}" for v in own.values()]], left=0),
        ]
    )
    common.write("today", text, {**about, "systems": list(rows), "own": own})


if __name__ == "__main__":
    main()
