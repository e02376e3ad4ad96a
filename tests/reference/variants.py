"""Variants of Han characters, read by the words around them (``lexicon/variants.hpp``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Mapping

REACH = 8  # characters on either side that a word may reach
NEAR = 32  # how close a plain variant must be to count as near
_PLAIN = dict(zip(variants.PLAIN_FROM, variants.PLAIN_TO, strict=True))
_OPEN = {entry[0]: entry[1:] for entry in variants.OPEN}
_KEPT = {entry[0]: entry[1:] for entry in variants.KEPT}


class Unifier:
    """Maps variants of characters to those that the words are written in.

    Args:
        words: of a lexicon of Simplified text, folded, with their costs.

    >>> print(Unifier({"看着": 1, "著名": 1, "着名": 9, "书": 1}).fold("看著著名的書"))
    看着著名的书
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        self.words = words
        self.known = set("".join(self.words)) | set(chars.HAN_NUMERALS) | set("年月份日时分第点之")
        self.roots: dict[str, str] = {}
        for c, target in sorted(_PLAIN.items(), key=lambda pair: (pair[1], pair[0])):
            if c in self.known:
                self.roots.setdefault(target, c)
        self.roots = {t: c for t, c in self.roots.items() if t not in self.known}

    def fold(self, text: str) -> str:
        """``text`` as look-ups see it; of the same length."""
        return "".join(self._read(text, k, c) for k, c in enumerate(text))

    def _usual(self, c: str) -> str:
        """The reading of a character regardless of its neighbours."""
        if c in _KEPT or c in _OPEN:
            return self._readings(c)[-1 if c in _KEPT else 0]
        target = _PLAIN.get(c, c)
        root = target if target in self.known else self.roots.get(target, "")
        return root or c

    def _readings(self, c: str) -> list[str]:
        """The readings in the lexicon; the character itself, if it is one, comes last."""
        readings_known = [r for r in _KEPT.get(c, _OPEN.get(c, "")) if r in self.known]
        if c in _KEPT and c in self.known:
            readings_known.append(c)
        return readings_known or [c]

    def _read(self, text: str, k: int, c: str) -> str:
        readings = self._readings(c)
        if (c not in _KEPT and c not in _OPEN) or len(readings) == 1:
            return self._usual(c)
        is_kept = c in _KEPT and readings[-1] == c
        first, last = self._line(text, k)
        ranks = [self._longest(text, k, r, first, last) for r in readings]
        usual = ranks[: len(ranks) - is_kept]
        best = readings[usual.index(max(usual))]
        if not is_kept or max(usual)[0] > ranks[-1][0]:
            return best
        near = text[max(first, k - NEAR) : min(last, k + NEAR + 1)]
        if max(usual) < ranks[-1] or not any(x in _PLAIN or x in _OPEN for x in near):
            return c
        return best

    def _line(self, text: str, k: int) -> tuple[int, int]:
        ends = [i for i, x in enumerate(text) if x in "\n\r"]
        first = max((i + 1 for i in ends if i < k), default=0)
        return first, min((i for i in ends if i > k), default=len(text))

    def _longest(self, text: str, k: int, reading: str, first: int, last: int) -> tuple[int, int]:
        """The length of the longest word that includes ``k``, and minus the least cost of these."""
        first, last = max(first, k - REACH), min(last, k + REACH + 1)
        around = [self._usual(c) for c in text[first:last]]
        around[k - first] = reading
        spans = (
            "".join(around[start - first : end - first])
            for start in range(first, k + 1)
            for end in range(max(k + 1, start + 2), last + 1)
        )
        return max(
            ((len(word), -self.words[word]) for word in spans if word in self.words),
            default=(0, 0),
        )
