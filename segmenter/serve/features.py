"""The features of a compiled linear tagger that apply at each character, and their weights.

Summed over a character's features, they are the scores of
:func:`segmenter.serve.scores.tag_scores`, except for tags that are ruled out.  They
are relative to S, whose score is 0.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.kernels import _lexicon
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.decompile import BETWEEN, unpack
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from segmenter.tagging.predictor import Predictor


class Feature(NamedTuple):
    """A feature that fired at a character.

    Attributes:
        kind: ``"char"``, ``"pair"``, ``"word"``, ``"state"`` or ``"type"``.
        at: start of the character, pair or word, relative to the character: -2 … 1.
        text: the characters; for a state, the lengths of the longest words that begin at the
            character, contain it and end there.
        weights: a weight per tag.
    """

    kind: str
    at: int
    text: str
    weights: list[float]


def fired(predictor: Predictor, text: str) -> list[list[Feature]]:
    """Return the features at each character, without those of weight 0; none in blanks.

    Args:
        predictor: an opened linear tagger.
    """
    return _Reader(predictor).read(text)


class _Reader:
    """The tables of a compiled tagger as arrays."""

    def __init__(self, predictor: Predictor) -> None:
        art = predictor.artifact
        section = art.section
        sections = {name: section(name) for name in art.names()}
        self._native = _lexicon.Lexicon(sections, predictor.variants)
        params = np.frombuffer(section("tagger.params"), "<i4")
        self._groups = int(params[0])
        self._scale = int(params[3]) / 65536
        records = np.frombuffer(section("tagger.pair"), "<u4").reshape(-1, 4)
        self._keys = records[:, 3]
        self._pair = section("tagger.pair")
        self._uni = section("tagger.uni")
        self._hmm_char = sections.get("tagger.alone")

        def rows(name: str, *shape: int) -> NDArray[np.int16]:
            return np.frombuffer(section(name), "<i2").reshape(*shape, TAGS)

        self._match = rows("tagger.match", -1, form.ROLES)
        self._state = rows("tagger.state", -1, form.STATES)
        self._types = rows("tagger.types", form.TYPES)
        self._type_of = np.frombuffer(section("tagger.typeof"), np.uint8)
        self._groups_of = np.frombuffer(section("tagger.groups"), np.uint8)

    def _record(self, table: Any, index: int) -> NDArray[np.int64]:
        """The weights for the characters at -1, 0, 1 and 2."""
        row: NDArray[np.int64] = unpack(table[16 * index : 16 * (index + 1)])[0].astype(np.int64)
        return row

    def read(self, text: str) -> list[list[Feature]]:
        features: list[list[Feature]] = [[] for _ in text]
        start = 0
        for k in range(len(text) + 1):
            if k == len(text) or chars.char_class(ord(text[k])) in BETWEEN:
                if k > start:
                    self._read_stretch(text, start, k, features)
                start = k + 1
        return features

    def _read_stretch(self, text: str, start: int, end: int, features: list[list[Feature]]) -> None:
        part = self._native.fold(text[start:end])
        ids = [*map(ord, self._native.encode(part)), 0]
        n = end - start
        pairs = {a | b << 14: None for a, b in pairwise(ids)}
        rows = np.flatnonzero(np.isin(self._keys & 0x0FFFFFFF, np.array([*pairs], np.uint32)))
        pair_rows = {int(self._keys[i]) & 0x0FFFFFFF: int(i) for i in rows}
        longest = np.zeros((max(1, self._groups), n, 3), np.int64)

        def add(index: int, feature: Feature) -> None:
            if 0 <= index < n and any(feature.weights):
                features[start + index].append(feature)

        def weights(row: Any) -> list[float]:
            return [int(w) / self._scale for w in row]

        end_weights = self._record(self._uni, 0)  # of positions outside the stretch
        for j in (-2, -1, n):
            for slot in range(4):
                index = j - 1 + slot
                add(index, Feature("char", j - index, form.END, weights(end_weights[slot])))
        for j in range(n):
            char_weights = self._record(self._uni, ids[j])
            if self._hmm_char is not None:  # jieba's HMM
                char_weights[1] += np.frombuffer(self._hmm_char, "<i2").reshape(-1, TAGS)[ids[j]]
            pair_row = pair_rows.get(ids[j] | ids[j + 1] << 14)
            name = part[j : j + 2] if j + 1 < n else part[j] + form.END
            pair_weights = None
            if pair_row is not None:  # the record of a pair includes its first character
                pair_weights = self._record(self._pair, pair_row) - char_weights
            for slot in range(4):
                index = j - 1 + slot
                add(index, Feature("char", j - index, part[j], weights(char_weights[slot])))
                if pair_weights is not None:
                    add(index, Feature("pair", j - index, name, weights(pair_weights[slot])))
            if pair_row is not None and j + 1 < n:
                bits = int(self._keys[pair_row]) >> 28 & 7
                self._note_longest(longest, j, 2, bits)
            for word, row in self._long_words(part, j):
                for k in range(len(word)):
                    role = form.ROLES - 1 if k == len(word) - 1 else min(k, 2)
                    add(j + k, Feature("word", -k, word, weights(self._match[row, role])))
                self._note_longest(longest, j, len(word), int(self._groups_of[row]))
        for g in range(self._groups):
            for k in range(n):
                a, b, c = longest[g, k].tolist()
                row = self._state[g, (a * 6 + b) * 6 + c]
                lengths = "/".join(str(x + 1) if x else "–" for x in (a, b, c))
                add(k, Feature("state", 0, f"{g + 1}: {lengths}", weights(row)))
        kinds = [0, *(int(self._type_of[i]) for i in ids[:n]), 0]
        for k in range(n):
            row = self._types[(kinds[k] * 8 + kinds[k + 1]) * 8 + kinds[k + 2]]
            add(k, Feature("type", 0, part[max(0, k - 1) : k + 2], weights(row)))

    def _long_words(self, part: str, j: int) -> list[tuple[str, int]]:
        """Words of three or more characters that begin at `j`, and their rows of weights."""
        words = []
        for length in range(3, min(form.MAX_WORD, len(part) - j) + 1):
            word = part[j : j + length]
            if self._native.find(word) >= 0:
                words.append((word, self._native.cost(word)))
        return words

    def _note_longest(self, longest: Any, j: int, length: int, bits: int) -> None:
        for g in range(self._groups):
            if bits >> g & 1:
                for k in range(length):
                    role = 0 if k == 0 else 2 if k == length - 1 else 1
                    longest[g, j + k, role] = max(longest[g, j + k, role], min(length, 6) - 1)
