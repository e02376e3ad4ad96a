"""gensim and similar: corpora larger than memory, as iterables that can be iterated repeatedly.

>>> sentences = Sentences(["他说的", "确实在理"])
>>> list(sentences), list(sentences)[1]
([['他', '说', '的'], ['确实', '在理']], ['确实', '在理'])
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from segmenter.adapters import or_default
from segmenter.errors import ArgumentError, check_iterable, wrong_type
from segmenter.files.opening import name_of
from segmenter.files.reading import read_lines
from segmenter.loading import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from typing import Any

    from segmenter.core import Segmenter

#: Texts that are cut together.
BATCH = 2000


class Sentences:
    """Lists of words, one per line; for ``Word2Vec``, ``FastText``, ``Phrases``, ``Dictionary``.

    Every iteration starts over, any number may run at a time, and memory is bounded.  It does not
    need gensim.

    Args:
        source: texts: any iterable of ``str`` that can be iterated repeatedly; or see
            :meth:`of_files`.
        segmenter: None: the default preset without blanks and punctuation.
        threads: native threads.

    Raises:
        TypeError: ``source`` is a ``str``.
        ArgumentError: ``source`` can be iterated only once (a generator).
    """

    def __init__(
        self, source: Iterable[str], segmenter: Segmenter | None = None, *, threads: int = 1
    ) -> None:
        check_iterable("source", source, "an iterable of str (files: Sentences.of_files)")
        if iter(source) is source:
            raise ArgumentError(
                "source: training reads a corpus several times, and this one can be iterated only "
                "once: pass a list, an object whose __iter__ starts over, or files"
            )
        self.source = source
        if segmenter is None:
            segmenter = load(skip=("space", "punct"))
        self.segmenter = or_default(segmenter)
        self.threads = threads

    @classmethod
    def of_files(
        cls,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        segmenter: Segmenter | None = None,
        *,
        encoding: str = "utf-8",
        errors: str = "strict",
        threads: int = 1,
    ) -> Sentences:
        """Return the sentences of one or several files, one per line; empty lines are left out.

        Args:
            paths: the files, which each iteration opens again.
            segmenter: see above.
            encoding: of the files.
            errors: ``"strict"``, or ``"replace"``: bytes that are not in ``encoding`` become
                U+FFFD.
            threads: native threads.

        Raises:
            EncodingError: during iteration; names file, line and byte offset.
            OSError: a file does not exist.
        """
        return cls(_Lines(paths, encoding, errors), segmenter, threads=threads)

    def __iter__(self) -> Iterator[list[str]]:
        texts = iter(self.source)
        while batch := list(islice(texts, BATCH)):
            yield from self.segmenter.cut_batch(batch, threads=self.threads)


class BagOfWords:
    """Vectors of a corpus by a ``gensim.corpora.Dictionary``; for ``TfidfModel``, ``LdaModel``, …

    Args:
        dictionary: any object with ``doc2bow``.
    """

    def __init__(self, sentences: Sentences, dictionary: Any) -> None:
        if not hasattr(dictionary, "doc2bow"):
            raise wrong_type("dictionary", dictionary, "a gensim.corpora.Dictionary")
        self.sentences = sentences
        self.dictionary = dictionary

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        for words in self.sentences:
            yield self.dictionary.doc2bow(words)


class _Lines:
    """Lines of files, without their ends."""

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        encoding: str,
        errors: str,
    ) -> None:
        import os

        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        self.paths = [name_of(path, "src") for path in paths]
        self.encoding = encoding
        self.errors = errors
        for path in self.paths:
            os.stat(path)

    def __iter__(self) -> Iterator[str]:
        for path in self.paths:
            for _, line in read_lines(path, self.encoding, self.errors):
                if line:
                    yield line
