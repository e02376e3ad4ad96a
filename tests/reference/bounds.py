"""What the pairs of a bigram model can change at a word of two characters (lattice/bounds.hpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.words import BOUNDARY, CLASS_TOKENS

if TYPE_CHECKING:
    from reference.words import Dictionary
    from segmenter.lattice.ngram import Ngrams

STEP = 256  # of margins and bounds, in units of costs


class GainBounds:
    """Between u and w stands the word AB if the gains of (u, A) and (B, w) are below its margin.

    The gain of a pair is what it costs less than backing off.  Gains are rounded up to whole steps
    and margins down, one step added: a comparison errs only towards asking the model.

    Attributes:
        margins: word of two characters -> steps; 0: nothing is known.
        ending: (x, A) -> the greatest gain of A after a word that ends with x.
        beginning: (B, y) -> the greatest gain after B of a word that begins with y.
        before: A -> the greatest gain of A after anything.
        after: B -> the greatest gain of anything after B.
    """

    def __init__(self, dictionary: Dictionary, model: Ngrams[str]) -> None:
        costs = dictionary.costs
        lower = {name: dictionary.kinds[kind] for kind, name in CLASS_TOKENS.items()}
        lower |= costs | {BOUNDARY: model.ending}
        self.margins: dict[str, int] = {}
        for word in costs:
            if len(word) == 2:
                a, b = (c if c in costs else "<unk>" for c in word)
                apart = lower[a] + model.bigram(a, b, lower[b]) + model.weights.get(b, 0)
                margin = apart - costs[word] - model.weights.get(word, 0)
                self.margins[word] = 0 if margin < 0 else min(255, margin // STEP + 1)
        self.ending: dict[tuple[str, str], int] = {}
        self.beginning: dict[tuple[str, str], int] = {}
        self.before: dict[str, int] = {}
        self.after: dict[str, int] = {}
        for (v, w), cost in model.pairs.items():
            gain = min(255, -(-(model.weights.get(v, 0) + lower[w] - cost) // STEP))
            self.before[w] = max(gain, self.before.get(w, 0))
            self.after[v] = max(gain, self.after.get(v, 0))
            if v in costs and w in costs:
                if len(w) == 1:
                    self.ending[v[-1], w] = max(gain, self.ending.get((v[-1], w), 0))
                if len(v) == 1:
                    self.beginning[v, w[0]] = max(gain, self.beginning.get((v, w[0]), 0))
