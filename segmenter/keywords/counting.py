"""Counts of words in texts.

>>> count_words(["我们的城市，我们的河", "城市的河"], stop_words=StopWords()).most_common()
[('城市', 2), ('河', 2)]
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from segmenter.choices import checked_threads
from segmenter.errors import check_iterable
from segmenter.keywords.stop_words import StopWords
from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from segmenter.core import Segmenter

_BATCH = 4096  # texts per call of cut_batch
_NON_WORDS = frozenset(
    (chars.BLANK, chars.LF, chars.CR, chars.POINT, chars.COLON, chars.COMMA, chars.PERCENT,
     chars.MINUS, chars.PUNCT)
)  # fmt: skip


def count_words(
    texts: Iterable[str],
    *,
    segmenter: Segmenter | None = None,
    stop_words: StopWords | Collection[str] | None = None,
    tags: bool = False,
    threads: int = 1,
) -> Counter[Any]:
    """Count the words of texts, without blanks and punctuation.

    Args:
        texts: texts or lines, read once.
        segmenter: cuts them; None: the default one.
        stop_words: words to leave out; None: none.
        tags: count pairs of word and part of speech.
        threads: native threads; one if parts of speech are needed.

    Raises:
        TypeError: ``texts`` is a str, or an item is not a str.
        ArgumentError: ``threads`` is not from 1 to 256.

    >>> count_words(["他说了说"], tags=True)[("说", "v")]
    2
    """
    check_iterable("texts", texts)
    checked_threads(threads)
    if segmenter is None:
        from segmenter import default

        segmenter = default.default_segmenter()
    counts: Counter[Any] = Counter()
    for words in _words(iter(texts), segmenter, tags, threads):
        counts.update(words)
    stop = () if stop_words is None else stop_set(stop_words)
    for item in list(counts):
        word = item[0] if tags else item
        if word in stop or _NON_WORDS.issuperset(chars.classes(word)):
            del counts[item]
    return counts


def stop_set(words: StopWords | Iterable[str]) -> StopWords:
    """Return the set that an argument ``stop_words`` denotes."""
    return words if isinstance(words, StopWords) else StopWords(words)


def _words(
    texts: Iterator[str], segmenter: Segmenter, tags: bool, threads: int
) -> Iterator[Iterable[Any]]:
    if tags:
        yield from map(segmenter.tag, texts)
        return
    while batch := list(islice(texts, _BATCH)):
        yield from segmenter.cut_batch(batch, threads)
