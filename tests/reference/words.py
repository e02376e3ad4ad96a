"""Words: a trie of dicts, and a dictionary with integer costs."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

from reference.variants import Unifier
from segmenter.text import chars
from segmenter.text.kinds import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from segmenter.lattice.dag import Edge

COST_SCALE = 2048  # units per nat
MAX_COST = 0xFFFE

BOUNDARY = "<s>"
ANY = "<any>"
#: What the n-gram model calls a token that is not a word.
CLASS_TOKENS = {"unknown": "<unk>", "number": "<num>", "date": "<date>", "latin": "<latin>"}


class Trie:
    """A trie of nested dicts (Fredkin 1960): the empty string marks where a word ends."""

    def __init__(self, words: Iterable[str]) -> None:
        self.root: dict[str, Any] = {}
        for word in words:
            node = self.root
            for c in word:
                node = node.setdefault(c, {})
            node[""] = True

    def ends(self, text: str, start: int) -> Iterator[int]:
        """Ends of the words that begin at ``start``, ascending.

        >>> list(Trie(["在", "在理"]).ends("实在理", 1))
        [2, 3]
        """
        node = self.root
        for k in range(start, len(text)):
            node = node.get(text[k], {})
            if not node:
                return
            if "" in node:
                yield k + 1


class Dictionary:
    """Words with integer costs, and the costs of everything else.

    Args:
        costs: folded word -> cost.
        unknown: cost of a character that is not a word; default: one more than the greatest
            cost of a word.
        kinds: cost of "number", "date", "latin", …; the rest cost as much as the cheapest
            word.
        jieba: the rules of the package jieba: no folding, no numbers, single letters joined
            after decoding, ties broken from the left.
    """

    def __init__(
        self,
        costs: Mapping[str, int],
        unknown: int | None = None,
        kinds: Mapping[str, int] | None = None,
        jieba: bool = False,
    ) -> None:
        self.costs = dict(costs)
        self.words = list(costs)
        self.number = {word: number for number, word in enumerate(self.words)}
        self.unknown = max(costs.values()) + 1 if unknown is None else unknown
        self.kinds = dict.fromkeys(EDGE_KINDS, min(costs.values()))
        self.kinds["unknown"] = self.kinds["cluster"] = self.unknown
        self.kinds.update(kinds or {})
        self.jieba = jieba
        self.trie = Trie(costs)
        self.unifier = Unifier(costs)

    @classmethod
    def from_counts(
        cls,
        counts: Iterable[tuple[str, float]],
        kinds: Mapping[str, float] | None = None,
        unknown: float = 1.0,
        jieba: bool = False,
    ) -> Dictionary:
        """Maximum likelihood: ``-log(count / sum of all counts)``, rounded to whole units.

        ``kinds`` are the counts of ``<num>``, ``<date>``, ``<latin>``.
        """
        merged: dict[str, float] = {}
        for word, count in counts:
            word = word if jieba else chars.fold_str(word)
            merged[word] = merged.get(word, 0.0) + count
        kinds = kinds or {}
        mass = math.log(sum(merged.values()) + sum(kinds.values()))

        def cost(count: float) -> int:
            if count <= 0:
                return MAX_COST
            return min(MAX_COST, max(0, round((mass - math.log(count)) * COST_SCALE)))

        named = {v: k for k, v in CLASS_TOKENS.items() if k != "unknown"}
        return cls(
            {w: cost(n) for w, n in merged.items()},
            cost(unknown),
            {named[name]: cost(n) for name, n in kinds.items() if name in named},
            jieba,
        )

    @classmethod
    def of(cls, lexicon: Any) -> Dictionary:
        """From a compiled :class:`segmenter.lexicon.Lexicon`."""
        costs = lexicon.native.word_costs()
        params = struct.unpack("<45I", lexicon.artifact.section("params"))
        return cls(
            {word: costs[i] for i, word in enumerate(lexicon.words())},
            params[3],
            dict(zip(EDGE_KINDS, params[8:17], strict=True)),
            params[5] == 0,
        )

    def token(self, edge: Edge) -> str:
        """What the n-gram model calls an edge."""
        if edge.kind == "word":
            return self.words[edge.word]
        return BOUNDARY if edge.kind == "newline" else CLASS_TOKENS.get(edge.kind, f"<{edge.kind}>")

    def fold(self, text: str) -> str:
        return text if self.jieba else self.unifier.fold(chars.fold_str(text))
