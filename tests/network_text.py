"""A made-up language, and networks of random weights that read it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from segmenter.train.tagging import bilstm_crf

LETTERS = "天地人你我他日月水火山石田土木金大小上下中国们的了一二"
WORDS = ["天地", "你们", "他们", "日月", "大山", "中国人", "山石田土", "水火木金土", "大小上下中国"]


def sentences(n: int, seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    return [
        [draw.choice(WORDS) if draw.random() < 0.6 else draw.choice(LETTERS) for _ in range(8)]
        for _ in range(n)
    ]


def network(
    seed: int = 1, hidden: int = 20, layers: int = 1, standards: tuple[str, ...] = ("one", "two"),
    char_size: int = 7, pair_size: int = 5, size: float = 1.5, weight: float = 0.5,
) -> bilstm_crf.BilstmCrf:  # fmt: skip
    """A model of random weights."""
    draw = np.random.default_rng(seed)

    def g(*shape: int) -> Any:
        return draw.normal(size=shape)

    chars = np.array([ord(c) for c in LETTERS[:-3]], np.uint32)
    pairs = sorted({(ord(w[i]), ord(w[i + 1])) for w in WORDS for i in range(len(w) - 1)})
    bigrams = np.array([*pairs, (0, ord("天")), (ord("们"), 0), (ord("一"), ord("二"))], np.uint32)
    inputs = char_size + 2 * pair_size + 30
    built = []
    for k in range(layers):
        n = 2 * hidden if k else inputs
        first, second = (
            bilstm_crf.Direction(
                size * g(4 * hidden, n) / n**0.5,
                size * g(4 * hidden, hidden) / hidden**0.5,
                g(4 * hidden),
            )
            for _ in range(2)
        )
        built.append((first, second))
    classes = {w: i % 5 for i, w in enumerate(WORDS)}
    settings = {
        s: bilstm_crf.Standard(
            (g(4 * hidden), g(4 * hidden)),
            3 * g(4, 2 * hidden) / hidden**0.5,
            g(4),
            g(4, 4),
            g(4),
            g(4),
            "line.model",
            weight,
            {w: k for w, k in classes.items() if s != "two" or k},
        )
        for s in standards
    }
    tables = [g(6, 3) for _ in bilstm_crf.SLOTS]
    return bilstm_crf.BilstmCrf(
        chars, g(len(chars) + 2, char_size), bigrams, g(len(bigrams) + 1, pair_size), tables,
        built, settings, {"name": "small"},
    )  # fmt: skip
