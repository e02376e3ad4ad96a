"""Converts a corpus to the standard of another one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from segmenter.train.counts import token_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Restandard:
    """Rewrites the words of a foreign corpus into the standard that another text follows.

    Learnt by two passes over the text of the standard (:meth:`learn_words`, then
    :meth:`learn_splits`).  A foreign word is replaced by the standard's most frequent split where
    the standard writes it as several words in most occurrences; foreign neighbours are joined
    where the standard has the string as one word ``join_ratio`` times as often as split.

    >>> r = Restandard()
    >>> text = [["这种", "人", "不", "能", "去"]] * 9
    >>> r.learn_words(text)
    >>> r.learn_splits(text, {"不能"})
    >>> r.apply(["这", "种", "事", "不能", "做"])
    ['这种', '事', '不', '能', '做']
    """

    #: An occurrence as neighbours may be chance (上/来), so a split must win clearly to be taken.
    split_ratio = 2
    join_ratio = 20
    join_min = 5
    longest = 8  # characters; longer foreign words are left alone

    def __init__(self) -> None:
        self.whole: Counter[str] = Counter()
        self.split: dict[str, Counter[tuple[str, ...]]] = {}
        self._joins: frozenset[str] = frozenset()
        self._splits: dict[str, tuple[str, ...]] = {}

    def learn_words(self, sentences: Iterable[Sequence[str]]) -> None:
        """First pass: how often each word stands whole in the text of the standard."""
        for words in sentences:
            self.whole.update(words)

    def learn_splits(self, sentences: Iterable[Sequence[str]], foreign: Iterable[str]) -> None:
        """Second pass: how often each word, its own and foreign ones, stands as several words."""
        wanted = {w for w in foreign if 1 < len(w) <= self.longest}
        wanted.update(
            w for w, c in self.whole.items() if c >= self.join_min and 1 < len(w) <= self.longest
        )
        counts = count_splits(sentences, wanted, self.longest)
        self.split = counts
        self._splits = {}
        joins = []
        for word in wanted:
            ways = counts.get(word)
            apart = sum(ways.values()) if ways else 0
            whole = self.whole[word]
            if ways and apart > self.split_ratio * whole:
                self._splits[word] = min(ways, key=lambda way: (-ways[way], way))
            elif (
                whole >= self.join_min
                and whole >= self.join_ratio * apart
                and token_class(word) is None
            ):
                joins.append(word)
        self._joins = frozenset(joins)

    def apply(self, words: Sequence[str]) -> list[str]:
        """The sentence in the standard, as far as the evidence goes."""
        apart: list[str] = []
        for word in words:
            apart.extend(self._splits.get(word, (word,)))
        out: list[str] = []
        i, n = 0, len(apart)
        while i < n:
            best = i + 1
            text = apart[i]
            for k in range(i + 1, min(i + 4, n)):
                text += apart[k]
                if len(text) > self.longest:
                    break
                if text in self._joins:
                    best = k + 1
            out.append("".join(apart[i:best]))
            i = best
        return out


def count_splits(
    sentences: Iterable[Sequence[str]],
    words: frozenset[str] | set[str],
    longest: int = 8,
) -> dict[str, Counter[tuple[str, ...]]]:
    """How a segmented text writes given strings as two to four neighbouring words.

    Args:
        sentences: folded segmented text.
        words: the strings to look for, each of at most ``longest`` characters.
        longest: the longest of them.

    Returns:
        For each string that was found, the splits with their counts.

    >>> count_splits([["他", "不", "能", "去"]], {"不能"})
    {'不能': Counter({('不', '能'): 1})}
    """
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for sentence in sentences:
        n = len(sentence)
        for i in range(n - 1):
            text = sentence[i]
            if len(text) >= longest:
                continue
            for k in range(i + 1, min(i + 4, n)):
                text += sentence[k]
                if len(text) > longest:
                    break
                if text in words:
                    ways = found.get(text)
                    if ways is None:
                        ways = found[text] = Counter()
                    ways[tuple(sentence[i : k + 1])] += 1
    return found
