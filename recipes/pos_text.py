"""The tagged newspaper, and the word lists with tags."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from recipes.names import name_spans
from recipes.word_lists import installed, read_jieba
from segmenter.tagging.pos import MEANING
from segmenter.train.counts import read_tagged

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence, Set

    from segmenter.tagging.pos import PosTagger
    from segmenter.train.pos import Sentence

#: A tag, or None.
Tag = TypeVar("Tag", bound="str | None")
#: One name in four stays surname and given name, as in ``standard="pku"``; the others are whole.
SPLIT_NAMES = 4
#: Paragraphs of the month before the test part begins.
TEST_FROM = 18_509
#: Every tenth paragraph of the rest is dev text.
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
    """The paragraphs of January 1998 that teach, choose and test."""

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


def whole_names(sentence: Sequence[tuple[str, Tag]]) -> list[tuple[str, Tag]]:
    """A tagged sentence with surname and given name as one word.

    >>> whole_names([("江", "nr"), ("泽民", "nr"), ("说", "v")])
    [('江泽民', 'nr'), ('说', 'v')]
    """
    spans = dict(name_spans(sentence))
    words: list[tuple[str, Tag]] = []
    i = 0
    while i < len(sentence):
        end = spans.get(i, i + 1)
        word = "".join(w for w, _ in sentence[i:end])
        words.append((word, sentence[i][1]))
        i = end
    return words


def both_standards(
    sentences: Iterable[Sequence[tuple[str, Tag]]], period: int
) -> list[list[tuple[str, Tag]]]:
    """Names whole in all sentences but each ``period``-th of those that have any.

    >>> s = [("江", "nr"), ("泽民", "nr")]
    >>> both_standards([s, s], 2)
    [[('江泽民', 'nr')], [('江', 'nr'), ('泽民', 'nr')]]
    """
    texts = []
    with_names = 0
    for sentence in sentences:
        named = bool(name_spans(sentence))
        with_names += named
        apart = named and with_names % period == 0
        texts.append(list(sentence) if apart else whole_names(sentence))
    return texts


def word_list(own_tags: Mapping[str, str], least: int) -> dict[str, str]:
    """Words of jieba's list and of ours with their tags there, in the tag set of the corpus.

    Words of jieba's list count from ``least`` occurrences on.
    """
    jieba = read_jieba(installed("jieba", "dict.txt"))
    counted = {word: entry.tag for word, entry in jieba.items() if entry.count >= least}
    rows = (*counted.items(), *own_tags.items())
    return {word: FROM_JIEBA[tag] for word, tag in rows if tag in FROM_JIEBA}


def vocabulary(sentences: Iterable[Sentence]) -> set[str]:
    """The words of tagged sentences, names in two and whole."""
    return {w for s in sentences for way in (s, whole_names(s)) for w, _ in way}


class Score(NamedTuple):
    """Correct tags of all words, and of those that the training text lacks."""

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

    def __str__(self) -> str:
        new = "-" if self.accuracy_new is None else f"{self.accuracy_new:.4f}"
        overall = f"{self.accuracy:.4f} on {self.words:,} gold words"
        return f"{overall}, {new} on the {self.new:,} unknown ones"


def score(tagger: PosTagger, sentences: Iterable[Sentence], vocabulary: Set[str]) -> Score:
    """Tags sentences by their gold words, and compares; ``vocabulary`` is of the training text."""
    correct: Counter[bool] = Counter()  # by whether a word is new
    words: Counter[bool] = Counter()
    for sentence in sentences:
        got = tagger.tags([w for w, _ in sentence])
        for (word, gold), tag in zip(sentence, got, strict=True):
            words[word not in vocabulary] += 1
            correct[word not in vocabulary] += gold == tag
    return Score(correct.total(), words.total(), correct[True], words[True])
