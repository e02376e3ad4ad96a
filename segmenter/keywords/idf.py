"""The table of document frequencies, with the stop words marked in it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.errors import ArgumentError, ArtifactError
from segmenter.files import resources
from segmenter.keywords.stop_words import SHIPPED, STOP, StopWords, listed
from segmenter.lexicon import Lexicon
from segmenter.text import chars

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping


class Idf:
    """The number of documents that contain each word, and the stop words.

    Args:
        lexicon: words with their document frequencies as counts; stop words have the tag
            :data:`STOP`.  Its metadata have the number of documents (``documents``) and the fewest
            documents of a listed word (``least``).
    """

    __slots__ = ("_stop", "_weights", "documents", "least", "lexicon", "stop_words")

    def __init__(self, lexicon: Lexicon) -> None:
        for name in ("documents", "least"):
            if name not in lexicon.meta:
                raise ArgumentError(
                    f"lexicon: {lexicon.name} is not a table of document frequencies ({name!r} "
                    "is missing): make one with Idf.count or Idf.from_file"
                )
            if not artifact.field(lexicon.name, lexicon.meta, name, int, 1e15):
                raise ArtifactError(lexicon.name, f"{name!r} of its metadata is 0")
        self.documents: int = lexicon.meta["documents"]
        self.least: int = lexicon.meta["least"]
        self.lexicon = lexicon
        self.stop_words = listed(lexicon)
        self._stop: StopWords | None = None
        self._weights: dict[str, float] = {}  # a cache for extractors with default options

    @classmethod
    def count(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        least: int = 1,
        stop_words: Collection[str] = (),
        name: str = "<memory>",
    ) -> Idf:
        """Count the documents that contain each word.

        Args:
            documents: the words of each document.
            least: leave out words in fewer documents.
            stop_words: see :class:`Idf`.
            name: the name of the table in messages.

        Raises:
            ArgumentError: there is no document.

        >>> idf = Idf.count([["猫", "吃", "鱼"], ["狗", "吃", "肉"]])
        >>> idf.documents, idf.frequency("吃"), idf.idf("猫") > idf.idf("吃")
        (2, 2.0, True)
        """
        counts: Counter[str] = Counter()
        total = 0
        for words in documents:
            total += 1
            counts.update({chars.fold_str(w) for w in words if w})
        if not total:
            raise ArgumentError("documents: empty; give at least one document")
        frequencies = {w: float(n) for w, n in counts.items() if n >= least}
        return cls._compile(frequencies, stop_words, name, documents=total, least=least)

    @classmethod
    def from_values(
        cls,
        values: Mapping[str, float],
        *,
        stop_words: Collection[str] = (),
        name: str = "<memory>",
    ) -> Idf:
        """Return a table of known inverse document frequencies; exact to 0.001.

        Args:
            values: one per word: natural logarithms, from 0 to 16.  Other words get the median.
            stop_words, name: as for :meth:`count`.

        Raises:
            ArgumentError: no values, or a value is out of range.

        >>> idf = Idf.from_values({"猫": 7.5, "狗": 6.25, "的": 0.5})
        >>> [round(idf.idf(w), 3) for w in ("猫", "的", "鱼")]
        [7.5, 0.5, 6.25]
        """
        from math import exp

        if not values:
            raise ArgumentError("values: empty; give at least one word")
        folded = {chars.fold_str(w): v for w, v in values.items()}
        for word, value in folded.items():
            if not 0 <= value <= 16:
                raise ArgumentError(f"values: {value!r} of {word!r} is not from 0 to 16")
        # so many documents that the precision of counts, one decimal, is enough
        documents = 10**12
        counts = {word: documents * exp(-value) for word, value in folded.items()}
        median = sorted(folded.values())[len(folded) // 2]
        least = max(1, round(2 * documents * exp(-median)))
        return cls._compile(counts, stop_words, name, documents=documents, least=least)

    @classmethod
    def _compile(
        cls, counts: Mapping[str, float], stop_words: Collection[str], name: str, **meta: int
    ) -> Idf:
        stop = {chars.fold_str(w) for w in stop_words}
        rows = [(w, n, STOP if w in stop else "") for w, n in counts.items()]
        rows += [(w, 0.0, STOP) for w in stop - counts.keys()]
        # sets have no order of their own, and equal tables should have equal bytes
        return cls(Lexicon.build(sorted(rows), name=name, meta=meta))

    @property
    def stop_set(self) -> StopWords:
        """The stop words; comparison ignores width, case and script."""
        if self._stop is None:
            self._stop = StopWords(self.stop_words)
        return self._stop

    def frequency(self, word: str) -> float:
        """Return the number of documents that contain a word; 0.0 if it is not in the table."""
        return self.lexicon.count(word)

    def idf(self, word: str) -> float:
        """Return a word's inverse document frequency (Spärck Jones 1972), a natural logarithm.

        The frequency of a word that is not listed is half the least frequency of listed words.
        """
        from math import log

        return log(self.documents / (self.frequency(word) or self.least / 2))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the compiled table, for :func:`load_idf`."""
        self.lexicon.save(path)

    def __repr__(self) -> str:
        return f"<Idf {self.lexicon.name}: {len(self.lexicon)} words, {self.documents} documents>"


@cache
def _shipped() -> Idf:
    return Idf(Lexicon.open(resources.find(SHIPPED)))


def load_idf(path: str | os.PathLike[str] | None = None) -> Idf:
    """Return the shipped table, opened once per process, or that of a file.

    Raises:
        ResourceError: the table is not installed; the message lists the folders searched.
        ArtifactError: the file is damaged, foreign or newer than this package.
    """
    return _shipped() if path is None else Idf(Lexicon.open(path))
