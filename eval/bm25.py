"""``python -m eval.bm25``: how well texts are found, by BM25 over the tokens of each system.

Two small collections, with queries made by a rule and a seed, the same for every system:

* **titles**: paragraphs of the People's Daily; a query is a title, and what it must find is the
  paragraph behind it.
* **words**: sentences of the national corpus; a query is two words of a held-out sentence, chosen
  at random among those of two characters and more (words by the corpus's own segmentation, typed
  with a blank between), and what it must find is that sentence.

BM25 with Lucene's defaults (Robertson & Zaragoza 2009; k1 = 1.2, b = 0.75, not tuned).
Tokens without a letter or digit are dropped, width and case folded, for everybody alike.  Results:
``eval/results/bm25.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import segmenter as seg
from eval import common
from segmenter import search
from segmenter.adapters.bm25 import Bag
from segmenter.text.chars import fold_str
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Cut = Callable[[str], Iterable[str]]

SEED, QUERIES, DEPTH = 20261121, 600, 10
K1, B = 1.2, 0.75
#: Of the national corpus every so many lines, and all the held-out ones.
EVERY, HELD_OUT = 10, 50
#: What ends a sentence, or shows that a line is not a title.
NO_TITLE = "。！？；：，,.!?;:…"


class Collection(NamedTuple):
    """Documents, and queries with the number of the one document that each must find."""

    name: str
    documents: list[str]
    queries: list[tuple[str, int]]


class Index:
    """Postings of a collection with the weight of each term in each document."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        lengths = np.array([len(tokens) for tokens in documents], np.float64)
        norm = K1 * (1 - B + B * lengths / lengths.mean())
        rows: dict[str, list[tuple[int, int]]] = {}
        for number, tokens in enumerate(documents):
            for token, count in Counter(tokens).items():
                rows.setdefault(token, []).append((number, count))
        self.n = len(documents)
        self.tokens = int(lengths.sum())
        self.postings: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        for token, pairs in rows.items():
            where = np.array([number for number, _ in pairs])
            counts = np.array([n for _, n in pairs], np.float64)
            idf = math.log(1 + (self.n - len(pairs) + 0.5) / (len(pairs) + 0.5))
            self.postings[token] = where, idf * counts * (K1 + 1) / (counts + norm[where])

    def rank(self, tokens: Iterable[str], wanted: int) -> int:
        """Place of a document from 1 on; documents of equal scores count as before it."""
        scores = np.zeros(self.n)
        for token in dict.fromkeys(tokens):
            if token in self.postings:
                where, weights = self.postings[token]
                scores[where] += weights
        if scores[wanted] <= 0:
            return self.n
        return int((scores >= scores[wanted]).sum())


def titles(data: Path) -> Collection:
    """Paragraphs of the People's Daily, February 1998, and titles before them."""
    lines = [
        scoring.join_words(line) for line in scoring.read_lines(data / "pku" / "train_feb.txt")
    ]
    documents: list[str] = []
    pairs: list[tuple[str, int]] = []
    before = ""
    for line in lines:
        if len(line) >= 50:
            if before:
                pairs.append((before, len(documents)))
            documents.append(line)
        before = line if 8 <= len(line) <= 30 and not set(line) & set(NO_TITLE) else ""
    return Collection("titles", documents, random.Random(SEED).sample(pairs, QUERIES))


def words(data: Path) -> Collection:
    """Sentences of the national corpus, and two words of held-out ones."""
    documents: list[str] = []
    pairs: list[tuple[str, int]] = []
    pick = random.Random(SEED)
    lines = scoring.read_lines(data / "national" / "segmented.txt")
    for number, line in enumerate(lines, 1):
        held_out = number % HELD_OUT == 0
        text = scoring.join_words(line)
        if len(text) < 20 or not (held_out or number % EVERY == 0):
            continue
        if held_out:
            long = sorted({w for w in line.split() if len(w) >= 2 and w.isalpha()})
            if len(long) >= 4:
                pairs.append((" ".join(pick.sample(long, 2)), len(documents)))
        documents.append(text)
    return Collection("words", documents, pick.sample(pairs, QUERIES))


def systems() -> dict[str, Cut]:
    """What cuts texts and queries."""
    out: dict[str, Cut] = {
        "character bigrams": lambda text: search.ngrams(text).words,
        "characters": lambda text: search.characters(text).words,
    }
    try:
        import jieba
    except ImportError:
        pass
    else:
        jieba.setLogLevel(60)
        out["jieba, lcut"] = jieba.lcut
        out["jieba, lcut_for_search"] = jieba.lcut_for_search
    lattice = seg.load(decoder="unigram")
    out["ours, decoder='unigram', cut"] = lattice.cut
    out["ours, decoder='unigram', cut_for_search"] = lattice.cut_for_search
    out["ours, fast, cut_for_search"] = seg.load("fast").cut_for_search
    out["ours, balanced, cut_for_search"] = seg.load("balanced").cut_for_search
    out["ours, balanced, adapters.bm25.Bag"] = Bag(seg.load("balanced"))
    return out


def terms(cut: Cut, text: str) -> list[str]:
    return [token for token in cut(fold_str(text)) if any(c.isalnum() for c in token)]


def interval(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> tuple[float, float]:
    """95% of the differences of means, by bootstrap over queries."""
    pick = np.random.default_rng(SEED)
    drawn = pick.integers(0, len(ours), (2000, len(ours)))
    low, high = np.quantile((ours - theirs)[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.bm25", description="How well texts are found by BM25."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    data = common.data_dir(given.data)
    about = common.facts(["jieba"])
    parts: list[str] = []
    saved: dict[str, object] = {}
    for collection in (titles(data), words(data)):
        found: dict[str, NDArray[np.float64]] = {}
        rows = []
        for name, cut in systems().items():
            index = Index([terms(cut, text) for text in collection.documents])
            ranks = np.array([index.rank(terms(cut, q), n) for q, n in collection.queries])
            found[name] = np.where(ranks <= DEPTH, 1 / ranks, 0.0)
            mrr, hit = found[name].mean(), (ranks <= DEPTH).mean()
            low, high = interval(found[name], found["character bigrams"])
            saved[f"{collection.name}: {name}"] = {
                "mrr": mrr, "found": hit, "terms": len(index.postings), "tokens": index.tokens,
                "against_bigrams": [low, high],
            }  # fmt: skip
            against = "" if name == "character bigrams" else f"{low:+.3f} to {high:+.3f}"
            rows.append(
                [
                    name, f"{mrr:.3f}", against, f"{hit:.3f}", f"{len(index.postings):,}",
                    f"{index.tokens / 1e6:.2f}",
                ]
            )  # fmt: skip
            print(collection.name, rows[-1], file=sys.stderr, flush=True)
        parts += [
            f"## {collection.name.capitalize()}\n",
            f"{len(collection.documents):,} documents, {len(collection.queries):,} queries, as "
            + ", ".join(f"`{query}`" for query, _ in collection.queries[:3])
            + ".\n",
            common.table(
                (
                    "tokens by", f"MRR@{DEPTH}", "against bigrams (95%)", f"found in {DEPTH}",
                    "terms", "tokens, millions",
                ),
                rows,
            ),
        ]  # fmt: skip
    report = "\n".join(
        [
            common.heading("Finding texts by BM25", about, "python -m eval.bm25"),
            *parts,
            f"- Seed {SEED}; k1 = {K1}, b = {B} for everybody, nothing was tuned. MRR: the mean of "
            f"1/rank of the one text that a query must find, 0 beyond rank {DEPTH}; texts of an "
            "equal score count as before it. The interval is a bootstrap over the queries.",
            "- *Titles*: lines of 8 to 30 characters without a sentence's punctuation, and the "
            "line of 50 and more that follows. Titles are clumsy queries, and other paragraphs of "
            "the same article count as wrong. Our models and our lexicon were trained on this "
            "month: that favours ours.",
            "- *Words*: no line with a query was used for training or counts. The words are those "
            "of the corpus's segmentation, which no system here follows exactly.",
        ]
    )
    print(report)
    if not given.dry:
        common.write("bm25", report, {**about, "systems": saved})
    return 0


if __name__ == "__main__":
    sys.exit(main())
