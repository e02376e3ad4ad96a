"""The accuracy of each system: all scores are computed from one segmentation of the same texts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from eval import common, today
from eval.rivals.process import Failed
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from eval.rivals.systems import Session

#: Lines of a request.
CHUNK = 200
#: Lines of Academia Sinica's test file that are cut.
LINES_OF_AS = 2000
GOLD = {
    "pku": "pku_test_gold.utf8",
    "msr": "msr_test_gold.utf8",
    "cityu": "cityu_test_gold.utf8",
    "as": "as_testing_gold.utf8",
}


class Texts(NamedTuple):
    """All texts that are cut.

    Attributes:
        bakeoff: gold lines of the test files, words between blanks.
        gold: words of the gold dev files by name.
        items: of the challenge, as its scorer reads them.
        challenge: that scorer.
    """

    bakeoff: dict[str, list[str]]
    gold: dict[str, list[list[str]]]
    items: list[dict[str, Any]]
    challenge: Any

    def lines(self) -> list[str]:
        """Every text once."""
        texts = [scoring.join_words(line) for lines in self.bakeoff.values() for line in lines]
        texts += ["".join(words) for lines in self.gold.values() for words in lines]
        texts += [item["sentence"] for item in self.items]
        for line in scoring.read_lines(common.ROOT / "eval" / "words_of_2026.tsv"):
            texts += line.split("\t")[1:]
        return list(dict.fromkeys(texts))


def read_texts(data: Path) -> Texts:
    """The texts; `data` is the folder of the corpora."""
    challenge = today.scorer(data.parent, "score")
    items = challenge.load_items(data.parent / "challenge" / today.CHALLENGES[0])
    bakeoff = {
        name: [g for g in scoring.read_lines(data / "sighan2005" / file) if g.strip()]
        for name, file in GOLD.items()
    }
    bakeoff["as"] = bakeoff["as"][:LINES_OF_AS]
    gold = {name: today.read_lines(data / "gold" / name / "dev.txt") for name in today.GOLD}
    return Texts(bakeoff, gold, items, challenge)


def cut(session: Session, lines: Sequence[str]) -> tuple[dict[str, list[str]], int]:
    """The words of every text, and the number of failures; a failed text is one word."""
    outputs: dict[str, list[str]] = {}
    faults = 0
    session.ask("peak")  # Failed, if it does not start
    parts = [lines[i : i + CHUNK] for i in range(0, len(lines), CHUNK)]
    while parts:
        part = parts.pop()
        try:
            session.ask("take", lines=part)
            outputs.update(zip(part, session.ask("cut")["words"], strict=True))
        except Failed:
            if len(part) == 1:
                outputs[part[0]] = [part[0]]
                faults += 1
            else:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
    return outputs, faults


def crossed(text: str, words: Sequence[str], challenge: Any) -> list[str]:
    """The text, cut at the ends of a system that dropped or changed characters.

    The alignment is that of the challenge's scorer.
    """
    if "".join(words) == text:
        return [word for word in words if word]
    ends, _ = challenge.boundaries(words, text)
    marks = sorted({0, len(text), *ends})
    return [text[a:b] for a, b in pairwise(marks)]


def score(texts: Texts, outputs: Mapping[str, Sequence[str]], faults: int) -> dict[str, Any]:
    """All figures of one system."""
    words = {text: crossed(text, found, texts.challenge) for text, found in outputs.items()}
    answer = words.__getitem__
    f1 = {
        name: scoring.score(gold, [" ".join(answer(scoring.join_words(g))) for g in gold]).f1
        for name, gold in texts.bakeoff.items()
    }
    errors = {
        name: 1000 * sum(today.crossings(w, answer("".join(w))) for w in lines) / count(lines)
        for name, lines in texts.gold.items()
    }
    items = texts.challenge.score(outputs.__getitem__, texts.items).values()
    return {
        "f1": f1,
        "crossing": sum(errors.values()) / len(errors),
        "crossing_by_file": errors,
        "items": sum(item["ok"] for item in items) / len(items),
        "words": today.whole(answer, common.ROOT / "eval" / "words_of_2026.tsv"),
        "changed": sum("".join(found) != text for text, found in outputs.items()),
        "uncut": faults,
        "texts": len(outputs),
    }


def count(lines: Iterable[Sequence[str]]) -> int:
    """Words of gold."""
    return sum(map(len, lines))
