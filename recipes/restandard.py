"""Converts a corpus to the standard of another one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from segmenter.train.counts import token_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

#: An occurrence as neighbours may be chance (上/来), so a split must win clearly to be taken.
SPLIT_RATIO = 2
JOIN_RATIO = 20
JOIN_MIN = 5
LONGEST = 8  # characters; longer foreign words are left alone


def restandard(
    foreign: Iterable[Sequence[str]], sentences: Sequence[Sequence[str]]
) -> Callable[[Sequence[str]], list[str]]:
    """Returns a function that rewrites foreign sentences into the standard of another text.

    A foreign word is replaced by the standard's most frequent split where the standard writes it
    as several words in most occurrences; foreign neighbours are joined where the standard has the
    string as one word :data:`JOIN_RATIO` times as often as split.

    >>> rewrite = restandard([["不能"]], [["这种", "人", "不", "能", "去"]] * 9)
    >>> rewrite(["这", "种", "事", "不能", "做"])
    ['这种', '事', '不', '能', '做']
    """
    word_counts = Counter(w for words in sentences for w in words)
    candidates = {w for words in foreign for w in words if 1 < len(w) <= LONGEST}
    candidates.update(w for w, c in word_counts.items() if c >= JOIN_MIN and 1 < len(w) <= LONGEST)
    counts = count_splits(sentences, candidates)
    splits: dict[str, tuple[str, ...]] = {}
    joins = set()
    for word in candidates:
        ways = counts.get(word, Counter())
        apart = ways.total()
        if apart > SPLIT_RATIO * word_counts[word]:
            splits[word] = min(ways, key=lambda way: (-ways[way], way))
        elif word_counts[word] >= max(JOIN_MIN, JOIN_RATIO * apart) and token_class(word) is None:
            joins.add(word)

    def rewrite(words: Sequence[str]) -> list[str]:
        apart = [part for word in words for part in splits.get(word, (word,))]
        rewritten: list[str] = []
        begin = 0
        while begin < len(apart):
            end = max((k for k, text in _neighbours(apart, begin) if text in joins),
                      default=begin + 1)  # fmt: skip
            rewritten.append("".join(apart[begin:end]))
            begin = end
        return rewritten

    return rewrite


def _neighbours(words: Sequence[str], begin: int) -> Iterator[tuple[int, str]]:
    """Two to four neighbouring words from ``begin`` on, joined, each with their end."""
    text = words[begin]
    for k in range(begin + 1, min(begin + 4, len(words))):
        text += words[k]
        if len(text) > LONGEST:
            return
        yield k + 1, text


def count_splits(
    sentences: Iterable[Sequence[str]], words: frozenset[str] | set[str]
) -> dict[str, Counter[tuple[str, ...]]]:
    """Counts, for given strings, how a segmented text splits them into two to four words.

    >>> count_splits([["他", "不", "能", "去"]], {"不能"})
    {'不能': Counter({('不', '能'): 1})}
    """
    splits: dict[str, Counter[tuple[str, ...]]] = {}
    for sentence in sentences:
        for i in range(len(sentence) - 1):
            for end, text in _neighbours(sentence, i):
                if text in words:
                    splits.setdefault(text, Counter())[tuple(sentence[i:end])] += 1
    return splits
