"""``python -m eval.readings``: accuracy of readings of characters with several readings.

Text: ``readings.tsv``, sentences of our own whose characters were marked before any program was run
on them.  The rules of ``segmenter.reading`` were chosen on the part ``choose``; the part ``report``
is for measuring only, and only counts of it are printed.  Peers, if installed: pypinyin by
itself and on jieba's words, and g2pM, a network trained on a corpus of readings.  Results: the
last section of ``eval/results/pos.md``, ``readings`` in ``pos.json``.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: A syllable for each character of a text, with numbers for tones.
    Read = Callable[[str], list[str]]

SENTENCES = Path(__file__).with_name("readings.tsv")
PARTS = ("choose", "report")
PAGE, HEADING = "pos", "## Readings"


def marked(line: str) -> tuple[str, dict[int, str]]:
    """A sentence without its marks, and the readings by place.

    >>> marked("他还{hai2}没{mei2}来")
    ('他还没来', {1: 'hai2', 2: 'mei2'})
    """
    pairs = re.findall(r"(.)(?:\{(\w+)\})?", line)
    return "".join(c for c, _ in pairs), {i: mark for i, (_, mark) in enumerate(pairs) if mark}


def sentences(part: str) -> list[tuple[str, dict[int, str]]]:
    """The sentences of a part."""
    rows = [line.split("\t") for line in SENTENCES.read_text("utf-8").splitlines()]
    return [marked(row[1]) for row in rows if row[0] == part]


def systems() -> dict[str, Read]:
    """Our presets, and the installed peers."""
    from pypinyin import Style, lazy_pinyin

    from segmenter.loading import load_by_name
    from segmenter.reading import pinyin

    def peer(text: str) -> list[str]:
        options: dict[str, Any] = {"neutral_tone_with_five": True, "v_to_u": True, "errors": list}
        return list(lazy_pinyin(text, style=Style.TONE3, **options))

    def ours(preset: str) -> Read:
        s = load_by_name(preset)
        return lambda text: pinyin(text, tones="numbers", segmenter=s)

    all_systems: dict[str, Read] = {f"ours, {preset}": ours(preset) for preset in common.presets()}
    all_systems["pypinyin"] = peer
    with suppress(ImportError):
        jieba: Any = import_module("jieba")
        jieba.setLogLevel(60)
        all_systems["pypinyin, jieba's words"] = lambda t: [
            s for w in jieba.cut(t) for s in peer(w)
        ]
    with suppress(ImportError):
        network = import_module("g2pM").G2pM()
        all_systems["g2pM"] = lambda t: [s.replace("u:", "ü") for s in network(t, char_split=True)]
    return all_systems


def row(reading: Read) -> list[float]:
    """Of each part, the share of correct marked characters and of wholly correct sentences."""
    figures = []
    for part in PARTS:
        texts = sentences(part)
        got = [(reading(text), marks) for text, marks in texts]
        right = [[syllables[i] == mark for i, mark in marks.items()] for syllables, marks in got]
        figures += [sum(map(sum, right)) / sum(map(len, right)), sum(map(all, right)) / len(right)]
    return figures


def marked_readings() -> tuple[str, object]:
    """The marked section of the page and its figures, which another measurement must keep."""
    path = common.RESULTS / PAGE
    _, heading, section = path.with_suffix(".md").read_text("utf-8").partition(HEADING)
    return heading + section, json.loads(path.with_suffix(".json").read_text("utf-8"))["readings"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    args = common.arguments("readings", "Readings of characters.").parse_args(arguments)
    rows = {name: row(read) for name, read in systems().items()}
    counts = [[len(s), sum(len(marks) for _, marks in s)] for s in map(sentences, PARTS)]
    about = common.facts(["pypinyin", "jieba", "g2pM"])
    head = common.heading("", about, "python -m eval.readings").splitlines()[2:]
    titles = [f"{part}: {what}" for part in PARTS for what in ("characters", "sentences")]
    files = ", ".join(f"{n} with {m} marked characters in `{p}`"
                     for p, (n, m) in zip(PARTS, counts, strict=True))  # fmt: skip
    section = "\n".join([
        HEADING, "", *head, "",
        f"Sentences of our own: {files}. "
        "The same author wrote the rules, looking at `choose` only.", "",
        common.table(["", *titles], [[n, *(f"{x:.3f}" for x in r)] for n, r in rows.items()]),
    ])  # fmt: skip
    print(section)
    if not args.dry:
        path = common.RESULTS / PAGE
        page = path.with_suffix(".md").read_text("utf-8").partition(HEADING)[0]
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        data["readings"] = {"about": about, "rows": rows}
        common.write(PAGE, page.rstrip("\n") + "\n\n" + section, data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
