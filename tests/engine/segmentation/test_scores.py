"""``Token.score`` is what its docstring says, for the lattices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import worlds

from segmenter import load
from segmenter.choices import LATTICE
from segmenter.types import Source

if TYPE_CHECKING:
    from segmenter.choices import Lattice, Oov

USER = ["确实在", ("在理", "force"), ("的确", "delete"), "iPhone 15", ("研究生", 9.0)]
TEXTS = [
    "他说的确实在理",
    "研究生命起源，2026年iPhone 15卖https://a.cn/",
    "龘堃说12.5%的在理\n在",
    "在",
]


@pytest.mark.parametrize("user", [[], USER], ids=["", "user words"])
@pytest.mark.parametrize("oov", ["chars", "keep", "hmm", "tagger"])
@pytest.mark.parametrize("decoder", LATTICE)
def test_a_lattices_score_is_the_logarithm_of_the_words_probability(
    decoder: Lattice, oov: Oov, user: list[Any]
) -> None:
    segmenter = load("fast", decoder=decoder, oov=oov, user=user)
    costs = segmenter.lexicon.native.word_costs()
    for text in (*TEXTS, *(worlds.random_text(seed, 30) for seed in range(20))):
        for token in segmenter.tokenize(text):
            if token.source is not Source.LEXICON:
                assert token.score is None, token
            else:
                number = segmenter.lexicon.native.find(token.text)
                assert token.score == pytest.approx(-costs[number] / 2048), token
