"""The training text of ``pos.model`` beside the newspaper: text that the teacher tagged.

See :mod:`recipes.pos_teacher`.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recipes import pos_lessons
from recipes.own_words import NAMES
from recipes.pos_lessons import FEBRUARY, NO_TAG, RAW
from recipes.pos_text import SPLIT_NAMES, both_standards

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set
    from pathlib import Path

    from segmenter.train.pos import Partly, Sentence

SEED = 1
DOUBT = 0.6  # a tag of a smaller probability teaches nothing
SENTENCES = 40_000  # of raw text
SELDOM = 3  # times: the newspaper does not tell which tags a word has that it has less often
AGREED = 0.7  # of a word's places: so many have the teacher's tag that stands in the list instead
#: What may be a name after all.
NOMINAL = frozenset(("n", "nr", "ns", "nt", "nz", "nx", "j", "l", "i"))


class Taught(NamedTuple):
    """What a student learns from the teacher.

    Attributes:
        sentences: tagged; None where the teacher is in doubt.
        listed: the word list, with the teacher's tags where it knows better.
    """

    sentences: list[Partly]
    listed: dict[str, str]


def names(own: Mapping[str, str], jieba: Mapping[str, str]) -> dict[str, str]:
    """The names of our list that are nothing else, as far as jieba's list knows.

    >>> names({"微信": "nz", "蚂蚁": "nz", "高铁": "n"}, {"蚂蚁": "n"})
    {'微信': 'nz'}
    """
    return {w: tag for w, tag in own.items() if tag in NAMES and jieba.get(w, tag) == tag}


def corrected(
    sentence: Partly, names: Mapping[str, str], terms: Set[str] = frozenset()
) -> list[tuple[str, str | None]]:
    """A sentence with the tags of names as they are listed, and terms as nouns.

    The newspaper of 1998 has few terms of four characters and more, and many phrases (l), so its
    reader takes a term that it has not seen for one.

    Args:
        sentence: words and the teacher's tags.
        names: words that are names, with their tags.
        terms: words that are nouns and no phrases.

    >>> corrected([("微信", "n"), ("来", "v")], {"微信": "nz", "来": "nr"})
    [('微信', 'nz'), ('来', 'v')]
    >>> corrected([("操作系统", "l")], {}, {"操作系统"})
    [('操作系统', 'n')]
    """

    def right(word: str, tag: str | None) -> str | None:
        if tag is not None and tag not in NOMINAL:
            return tag
        return names.get(word, "n" if tag == "l" and word in terms else tag)

    return [(word, right(word, tag)) for word, tag in sentence]


def relisted(
    listed: Mapping[str, str], tagged: Iterable[Partly], known: frozenset[str]
) -> dict[str, str]:
    """A word list with the tags that its words have in a text.

    Args:
        listed: words and tags.
        tagged: the text.
        known: words whose tags stand.

    >>> relisted({"片段": "m"}, [[("片段", "n")]] * 3, frozenset())
    {'片段': 'n'}
    """
    count: dict[str, Counter[str | None]] = {}
    for sentence in tagged:
        for word, tag in sentence:
            if word in listed and word not in known:
                count.setdefault(word, Counter())[tag] += 1
    found = dict(listed)
    for word, tags in count.items():
        tag, n = tags.most_common(1)[0]
        if tag is not None and n >= max(SELDOM, AGREED * tags.total()):
            found[word] = tag
    return found


def taught(
    work: Path,
    newspaper: Iterable[Sentence],
    names: Mapping[str, str],
    terms: Set[str],
    listed: Mapping[str, str],
) -> Taught:
    """February of the newspaper and raw text, as the teacher tagged them.

    Args:
        work: folder of the teacher.
        newspaper: its tagged sentences that the student learns.
        names: of :func:`names`.
        terms: our list's nouns.
        listed: the word list, ours included.
    """
    lessons = pos_lessons.read(work / "pos-lessons.npz")
    with np.load(work / "pos-tags.npz") as file:
        found = dict(file)
    count = Counter(w for s in newspaper for w, _ in s)
    known = frozenset(w for w, n in count.items() if n >= SELDOM)
    firm = {w: tag for w, tag in names.items() if w not in known}
    terms = terms - known
    text: dict[str, list[Partly]] = {}
    for name in (FEBRUARY, RAW):
        sure = found[name + ".chance"] >= round(255 * DOUBT)
        tags = np.where(sure, found[name + ".tags"], NO_TAG)
        text[name] = [corrected(s, firm, terms) for s in lessons.sentences(name, tags)]
    again = relisted(listed, (s for of in text.values() for s in of), known)
    some = random.Random(SEED).sample(text[RAW], min(SENTENCES, len(text[RAW])))
    return Taught([*both_standards(text[FEBRUARY], SPLIT_NAMES), *some], again)
