"""``python -m eval.today``: contemporary text, words and names, and the stability of boundaries.

For every preset in both standards, and for two decoders of the lattice:

* items of ``shared/challenge/dev.tsv`` and ``dev2.tsv`` with all boundaries right;
* entities of ``shared/data/ner/*/dev.tsv`` that a word partly overlaps, per 1,000, and personal
  names that begin and end at a boundary;
* crossing errors on the seven dev files of ``shared/data/gold``, per 1,000 gold words: our words
  that overlap a gold word while neither contains the other, which is wrong in any convention;
* words of ``words_of_2026.tsv`` (word, two sentences; written without looking at any list or
  model) that are whole;
* sentences whose boundaries move, two characters or more away, when the last full stop is dropped
  or changed, quotes are put around, 他说： before, 啊 or 吧 before the stop (dev text of the
  newspaper);
* 他说的确实在理 in forty frames;

and F1 of ``accurate`` and ``best`` by the standard of each gold file.

Words: ``words_of_today.tsv`` (word, field, part, sentence) has words of 2010 to 2026.  The parts
``choose``, for choosing sources and thresholds, and ``report`` were fixed before any lexicon was
built; the goal is 95% of ``report`` in every preset.  The split words of ``report`` have been
read while taggers were tuned, so ``fresh`` was written after the lexicons and models of version
0.1: only the number of whole words is printed, never the words.

Names: ``learn.tsv`` has names of four texts, listed by hand from counts of strings alone: names
that occur in a text four times or more and are not in the shipped lexicon.  Counted are their
whole occurrences, with and without ``Segmenter.learn``.

Results: ``eval/results/today.md`` and ``.json``, with ``--write``.
"""

from __future__ import annotations

import argparse
import importlib.util
import lzma
import re
import sys
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common
from segmenter.errors import DictionaryError
from segmenter.loading import load_by_name
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter import Segmenter
    from segmenter.choices import Decoder, Standard

    Cut = Callable[[str], list[str]]

HERE = Path(__file__).resolve().parent
GOLD = ("ctb", "sxu", "msr", "weibo", "ud", "wtb", "sinica")
SYSTEMS: tuple[tuple[str, Decoder | None, Standard], ...] = (
    ("fast", None, "general"),
    ("balanced", None, "general"),
    ("accurate", None, "general"),
    ("best", None, "general"),
    ("fast", "unigram", "general"),
    ("fast", "bigram", "general"),
    ("fast", None, "pku"),
    ("balanced", None, "pku"),
    ("accurate", None, "pku"),
    ("best", None, "pku"),
)
CHALLENGES = ("dev.tsv", "dev2.tsv")
OWN = ("accurate", "best")
SENTENCE = "他说的确实在理"
WORDS = ["他", "说", "的", "确实", "在理"]
BEFORE = ("", "“", "他们都觉得，", "是的，", "2026年，")
AFTER = ("", "。", "！", "啊。", "吧？", "，", "”", "……")


def ends(words: Sequence[str]) -> list[int]:
    """Exclusive ends of words."""
    stops, offset = [], 0
    for word in words:
        offset += len(word)
        stops.append(offset)
    return stops


def crossings(gold: Sequence[str], predicted: Sequence[str]) -> int:
    """Words of ``predicted`` that overlap a gold word without one holding the other.

    >>> crossings(["才", "能"], ["才能"]), crossings(["他", "才能"], ["他才", "能"])
    (0, 1)
    """
    marks = {0, *ends(gold)}
    count, begin = 0, 0
    for end in ends(predicted):
        is_inside = any(i in marks for i in range(begin + 1, end))
        count += is_inside and not (begin in marks and end in marks)
        begin = end
    return count


def frames() -> list[tuple[str, list[int]]]:
    """The sentence in forty frames, and the ends that its words must have."""
    frames_made = []
    for before, after in product(BEFORE, AFTER):
        text = before + SENTENCE + after
        frames_made.append((text, [len(before) + end for end in ends(WORDS)]))
    return frames_made


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
    """The share of sentences with a form that is cut differently."""
    moved = 0
    for text in sentences:
        last = len(text) - 3  # two characters and more before the stop
        plain = {e for e in ends(cut(text)) if e <= last}
        for variation, shift in variations(text):
            got = {e - shift for e in ends(cut(variation)) if 2 <= e - shift <= last}
            if got != {e for e in plain if e >= 2}:
                moved += 1
                break
    return moved / len(sentences)


def f1(cut: Cut, gold: Sequence[Sequence[str]]) -> float:
    """Word F1 on text as it stands."""
    right = gold_words = predicted_words = 0
    for words in gold:
        got = cut("".join(words))
        a, b = [0, *ends(words)], [0, *ends(got)]
        right += len(set(pairwise(a)) & set(pairwise(b)))
        gold_words += len(words)
        predicted_words += len(got)
    return 2 * right / (gold_words + predicted_words)


def read_lines(path: Path) -> list[list[str]]:
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


def scorer(shared: Path, name: str) -> Any:
    """A module of ``shared/challenge``: ``score`` or ``entities``."""
    path = shared / "challenge" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"challenge_{name}", path)
    assert spec
    assert spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- words of today ------------------------------------------------------------------------------

LIST = HERE / "words_of_today.tsv"
PARTS = ("choose", "report", "fresh")
GOAL = 0.95
CONFIGURATIONS: tuple[tuple[str, Decoder | None], ...] = (
    ("fast", None),
    ("balanced", None),
    ("accurate", None),
    ("best", None),
    ("fast", "unigram"),
    ("fast", "bigram"),
    ("fast", "trigram"),
    ("fast", "shortest"),
    ("fast", "bidirectional-max"),
)


class Item(NamedTuple):
    """A line of the list."""

    word: str
    field: str
    part: str
    sentence: str


class Words(NamedTuple):
    """One configuration on one part of the list."""

    name: str
    part: str
    whole: int
    words: int
    split: list[str]


def read_list(path: Path = LIST) -> list[Item]:
    """The list.

    Raises:
        DictionaryError: a line has not four fields, a part is unknown or a sentence lacks its
            word; names file and line.
    """
    items = []
    for number, line in enumerate(scoring.read_lines(path), 1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[2] not in PARTS or fields[0] not in fields[3]:
            raise DictionaryError(
                str(path),
                number,
                "expected word, field, part (choose, report or fresh), sentence with the word",
            )
        items.append(Item(*fields))
    return items


def words_whole(name: str, cut: Cut, items: Sequence[Item]) -> list[Words]:
    """Counts the whole words of each part; split words are listed for ``report`` alone."""
    rows = []
    for part in PARTS:
        mine = [item for item in items if item.part == part]
        split = [item.word for item in mine if item.word not in cut(item.sentence)]
        named = split if part == "report" else []
        rows.append(Words(name, part, len(mine) - len(split), len(mine), named))
    return rows


# --- names of a text -----------------------------------------------------------------------------

#: Lines before and behind one with a character's name that count as the book's.
REACH = 12
LEARNERS: tuple[tuple[str, Decoder | None], ...] = (
    ("fast", None),
    ("balanced", None),
    ("accurate", None),
    ("fast", "unigram"),
)


class Book(NamedTuple):
    """A text: a file of the raw folder, the names that select its lines, and the listed names."""

    title: str
    file: str
    near: tuple[str, ...]
    names: tuple[str, ...]


def books() -> list[Book]:
    """The texts of ``learn.tsv``."""
    rows = (line.split("\t") for line in scoring.read_lines(HERE / "learn.tsv") if line[0] != "#")
    return [Book(a, b, tuple(near.split()), tuple(names.split())) for a, b, near, names in rows]


def lines_of(book: Book, data: Path) -> list[str]:
    """The lines of the book: those of its file near the names of its characters."""
    with lzma.open(data / "raw" / f"{book.file}.txt.xz", "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    if not book.near:
        return lines
    keep = bytearray(len(lines))
    for i, line in enumerate(lines):
        if any(name in line for name in book.near):
            for k in range(max(0, i - REACH), min(len(lines), i + REACH + 1)):
                keep[k] = 1
    return [line for line, kept in zip(lines, keep, strict=True) if kept]


def names_whole(s: Segmenter, lines: list[str], names: Sequence[str]) -> Counter[tuple[str, bool]]:
    """For each name, the places where it is whole and where it is not.

    Places inside a longer listed name do not count.
    """
    places: Counter[tuple[str, bool]] = Counter()
    names = sorted(names, key=len, reverse=True)
    for line, words in zip(lines, s.cut_batch(lines), strict=True):
        spans, characters_taken = set(pairwise([0, *ends(words)])), set[int]()
        for name in names:
            offset = line.find(name)
            while offset >= 0:
                if offset not in characters_taken:
                    places[name, (offset, offset + len(name)) in spans] += 1
                    characters_taken.update(range(offset, offset + len(name)))
                offset = line.find(name, offset + 1)
    return places


def learned(data: Path) -> list[dict[str, Any]]:
    """Every text with every configuration, with and without learnt words."""
    rows = []
    texts = [(book, lines_of(book, data)) for book in books()]
    for preset, decoder in LEARNERS:
        plain = load_by_name(preset, decoder=decoder)
        for book, lines in texts:
            row: dict[str, Any] = {"text": book.title, "system": decoder or preset}
            for key, s in (("without", plain), ("with", plain.learn(lines))):
                places = names_whole(s, lines, book.names)
                good = [n for n in book.names if places[n, False] * 19 <= places[n, True]]
                row[key] = sum(n for (_, w), n in places.items() if w) / places.total()
                row[f"names {key}"] = len(good)
                row["places"], row["names"] = places.total(), len(book.names)
            rows.append(row)
            print(row, flush=True)
    return rows


def text_of_today(shared: Path) -> tuple[list[dict[str, Any]], dict[str, dict[str, float]]]:
    """A row for each of :data:`SYSTEMS`; F1 of :data:`OWN` by the standard of each gold file."""
    challenge, entities = scorer(shared, "score"), scorer(shared, "entities")
    items = [challenge.load_items(shared / "challenge" / name) for name in CHALLENGES]
    marked = list(entities.rows(shared / "data" / "ner"))
    gold = {name: read_lines(shared / "data" / "gold" / name / "dev.txt") for name in GOLD}
    newspaper = [
        "".join(words)
        for words in read_lines(shared / "data" / "pfr" / "dev.txt")
        if words[-1] == "。"
    ]
    rows: list[dict[str, Any]] = []
    preset_segmenters = common.presets()
    for preset, decoder, standard in SYSTEMS:
        if preset not in preset_segmenters:
            continue
        cut = load_by_name(preset, decoder=decoder, standard=standard).cut
        right_items = [[x["ok"] for x in challenge.score(cut, of).values()] for of in items]
        measured = entities.measure(cut, marked)
        total, crossed, _ = measured["all"]
        persons, _, whole_persons = measured["person"]
        errors = {
            name: 1000 * sum(crossings(w, cut("".join(w))) for w in text) / sum(map(len, text))
            for name, text in gold.items()
        }
        right = sum(
            [e for e in ends(cut(text)) if expected[0] <= e <= expected[-1]] == expected
            for text, expected in frames()
        )
        row = {
            "system": (decoder or preset) + (", pku" if standard == "pku" else ""),
            "challenge": sum(right_items[0]) / len(right_items[0]),
            "challenge2": sum(right_items[1]) / len(right_items[1]),
            "entities": 1000 * crossed / total,
            "persons": whole_persons / persons,
            "crossing": sum(errors.values()) / len(errors),
            "crossing_by_file": errors,
            "words": whole(cut, HERE / "words_of_2026.tsv"),
            "unstable": unstable(cut, newspaper),
            "frames": right,
        }
        rows.append(row)
        print(row, flush=True)
    own_scores = {
        preset: {
            name: f1(load_by_name(preset, standard=name).cut, gold[name])
            for name in GOLD
            if name != "wtb"
        }
        for preset in OWN
        if preset in preset_segmenters
    }
    print(own_scores)
    return rows, own_scores


def main() -> int:
    """Measures and writes; 1 when a preset keeps fewer than 95% of ``report`` whole."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.today", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--shared", type=Path, default=HERE.parent.parent / "shared")
    parser.add_argument("--write", action="store_true", help="write eval/results/today.*")
    args = parser.parse_args()
    about = common.facts()
    rows, own_scores = text_of_today(args.shared)
    items = read_list()
    words: list[Words] = []
    preset_segmenters = common.presets()
    for preset, decoder in CONFIGURATIONS:
        if preset not in preset_segmenters:
            continue
        words += words_whole(decoder or preset, load_by_name(preset, decoder=decoder).cut, items)
    names = learned(args.shared / "data")
    common.publish(
        "today",
        "Text of today",
        about,
        parts(rows, own_scores, words, names),
        {"systems": rows, "own": own_scores, "words": [w._asdict() for w in words], "names": names},
        command="python -m eval.today --write",
        dry=not args.write,
    )
    presets = {preset for preset, decoder in CONFIGURATIONS if decoder is None} & set(
        preset_segmenters
    )
    low = [w for w in words if w.part == "report" and w.name in presets]
    return 0 if all(w.whole >= GOAL * w.words for w in low) else 1


def parts(
    rows: Sequence[dict[str, Any]],
    own_scores: dict[str, dict[str, float]],
    words: Sequence[Words],
    names: Sequence[dict[str, Any]],
) -> list[str]:
    """The report."""
    files = list(rows[0]["crossing_by_file"])
    return [
        "Columns: correct items of `challenge/dev.tsv` and `dev2.tsv`; entities per 1,000 that a "
        "word partly overlaps; personal names with boundaries at both ends; crossing errors per "
        "1,000 gold words (mean of seven files); words of 2026 whole in two sentences; sentences "
        "of the newspaper's dev text whose words change with the full stop or with quotation "
        "marks (see `eval/today.py`).\n",
        common.table(
            (
                "system", "challenge", "dev2", "entities", "persons", "crossing",
                "words of 2026", "unstable", "frames of 40",
            ),
            (
                (
                    r["system"],
                    f"{100 * r['challenge']:.1f}%",
                    f"{100 * r['challenge2']:.1f}%",
                    f"{r['entities']:.1f}",
                    f"{100 * r['persons']:.1f}%",
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
            ("system", *files),
            ((r["system"], *(f"{r['crossing_by_file'][n]:.1f}" for n in files)) for r in rows),
        ),
        "F1 on the dev file of each standard, on the unchanged text:\n",
        common.table(
            ("preset", *own_scores[OWN[0]]),
            [[preset, *(f"{v:.4f}" for v in of.values())] for preset, of in own_scores.items()],
        ),
        "## Words of today\n",
        "Words of 2010 to 2026 that are whole in a plain sentence.\n",
        common.table(
            ("system", "part", "whole", "of", "share", "split"),
            (
                (
                    w.name, w.part, w.whole, w.words,
                    f"{w.whole / w.words:.1%}", " ".join(w.split),
                )
                for w in words
            ),
            left=2,
        ),
        "## A text's own names\n",
        "Occurrences of listed names that are whole, and names that are whole in 95% of their "
        "occurrences, with and without `Segmenter.learn` on the text.\n",
        common.table(
            ("text", "system", "places", "without", "with", "names", "without", "with"),
            (
                (
                    r["text"], r["system"], r["places"],
                    f"{r['without']:.1%}", f"{r['with']:.1%}",
                    r["names"], r["names without"], r["names with"],
                )
                for r in names
            ),
            left=2,
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
