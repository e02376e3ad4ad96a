"""``Token.score`` is what its docstring says, in every decoder and preset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import worlds

from segmenter import Segmenter, load
from segmenter.choices import LATTICE, PRESETS
from segmenter.serve.scores import tag_scores
from segmenter.types import Source

if TYPE_CHECKING:
    from segmenter.choices import Lattice, Oov

USER = ["确实在", ("在理", "force"), ("的确", "delete"), "iPhone 15", ("研究生", 9.0)]
NEVER = -1e9
TEXTS = [
    "他说的确实在理",
    "研究生命起源，2026年iPhone 15卖https://a.cn/",
    "龘堃说12.5%的在理\n在",
    "在",
]


def margins(segmenter: Segmenter, text: str) -> dict[tuple[int, int], float]:
    """By how much the best path with other boundaries is worse, for every token, from the scores
    of all tags: boundaries lie before B and S."""
    scored = tag_scores(segmenter, text)
    opens = [tag in "BS" for tag in scored.tags]
    ends = [tag in "ES" for tag in scored.tags]
    rows = [[NEVER if v is None else v for v in row] for row in scored.scores]
    moves = [[NEVER if v is None else v for v in row] for row in scored.transitions]
    kinds = range(len(scored.tags))
    first = [NEVER if v is None else v for v in scored.start]
    before = [[v + s for v, s in zip(rows[0], first, strict=True)]]
    for row in rows[1:]:
        before.append([max(before[-1][s] + moves[s][t] for s in kinds) + row[t] for t in kinds])
    after = [[0.0 if ends[t] else NEVER for t in kinds]]
    for row in reversed(rows[1:]):
        after.append([max(moves[s][t] + row[t] + after[-1][t] for t in kinds) for s in kinds])
    after.reverse()
    through = [
        [a + b for a, b in zip(x, y, strict=True)] for x, y in zip(before, after, strict=True)
    ]
    best = max(through[-1])

    def worst(at: int, boundary: bool) -> float:
        return max(v for t, v in enumerate(through[at]) if opens[t] == boundary)

    found = {}
    for start, end in segmenter.tokenize(text).spans:
        others = [worst(at, False) for at in (start, end) if 0 < at < len(text)]
        others += [worst(at, True) for at in range(start + 1, end)]
        found[start, end] = best - max(others, default=NEVER)
    return found


@pytest.mark.parametrize("user", [[], USER], ids=["", "user words"])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_taggers_score_is_its_margin(preset: str, user: list[Any]) -> None:
    segmenter = load(preset, user=user)
    for text in TEXTS:
        want = margins(segmenter, text)
        for token in segmenter.tokenize(text):
            margin = want[token.start, token.end]
            if token.source is Source.USER or margin > 1e6:
                assert token.score is None, token
            else:
                assert token.score == pytest.approx(margin, abs=2e-3), token


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
