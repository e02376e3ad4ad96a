"""``Token.score`` of a tagger is the margin of the scores that the page shows."""

from __future__ import annotations

from typing import Any

import pytest

from segmenter import Segmenter, load
from segmenter.choices import PRESETS
from segmenter.serve.scores import tag_scores
from segmenter.types import Source

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
    opens, ends = [[tag in edge for tag in "BMES"] for edge in ("BS", "ES")]
    rows = [[NEVER if v is None else v for v in row] for row in scored.scores]
    moves = [[NEVER if v is None else v for v in row] for row in scored.transitions]
    kinds = range(len(opens))
    first = [s if o else NEVER for s, o in zip(scored.start, opens, strict=True)]
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

    def worst(offset: int, boundary: bool) -> float:
        return max(v for t, v in enumerate(through[offset]) if opens[t] == boundary)

    by_offset = {}
    for start, end in segmenter.tokenize(text).spans:
        alternatives = [worst(offset, False) for offset in (start, end) if 0 < offset < len(text)]
        alternatives += [worst(offset, True) for offset in range(start + 1, end)]
        by_offset[start, end] = best - max(alternatives, default=NEVER)
    return by_offset


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
