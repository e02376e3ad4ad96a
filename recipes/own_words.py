"""The project's own list of contemporary words: decides which entries are words and not phrases.

:mod:`segmenter.train.new_words` puts such words into sentences of the training text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recipes.word_lists import read_own
from segmenter.train.tagging import model as form

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

#: Tags of names: they are whole whatever they are made of.
NAMES = ("nr", "ns", "nt", "nz")
#: A word of the training text that is seen so often is well known.
OFTEN = 3


def read_terms(path: str | os.PathLike[str]) -> dict[str, str]:
    """The words of 2 to 8 characters of the project's own list, with their tags."""
    return {w: tag for w, tag in read_own(path).items() if 2 <= len(w) <= form.MAX_WORD}


def opaque(terms: Mapping[str, str], sentences: Iterable[Sequence[str]]) -> set[str]:
    """The terms that are words of their own: not two words, one of them a term and one well known.

    Newspaper text of any standard divides such compounds (a kind of fund and 基金, a kind of café
    and 咖啡馆), and a term inside them would otherwise never be found.  As such terms count those
    that the training text does not have, and as a first half those of three and more characters.
    Names are kept whole, and so is a term that is itself a word of the training text.

    >>> text = [["投资", "基金", "基金", "基金"]]
    >>> sorted(opaque({"私募": "n", "私募基金": "n", "基金": "n"}, text))
    ['基金', '私募']
    """
    count = Counter(w for words in sentences for w in words)
    known = {w for w, n in count.items() if n >= OFTEN and len(w) > 1}
    new = {w for w in terms if w not in count}
    first = new | {w for w in terms if len(w) > 2}

    def divides(word: str) -> bool:
        halves = ((word[:k], word[k:]) for k in range(2, len(word) - 1))
        return any((a in first and b in known) or (a in known and b in new) for a, b in halves)

    return {w for w, tag in terms.items() if w in count or tag[:2] in NAMES or not divides(w)}
