"""Encoders of random weights over the made-up language of network_text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from network_text import LETTERS

from segmenter import artifact
from segmenter.tagging.predictor import EncoderPredictor
from segmenter.train.tagging import encoder as ints

if TYPE_CHECKING:
    from pathlib import Path

MARKS = "。！”"
WINDOW, OVERLAP = 14, 4


def network(
    seed: int = 1, width: int = 128, wide: int = 192, layers: int = 2, window: int = WINDOW
) -> ints.Weights:
    """An encoder of random weights, with one token for each letter, one in front and one for all
    other characters."""
    draw = np.random.default_rng(seed)

    def g(*shape: int) -> Any:
        return draw.normal(size=shape)

    arrays: dict[str, Any] = {}

    def linear(name: str, outputs: int, inputs: int, size: float = 1.0) -> None:
        arrays[f"{name}.weight"] = size * g(outputs, inputs) / inputs**0.5
        arrays[f"{name}.bias"] = 0.1 * g(outputs)

    def norm(name: str) -> None:
        arrays[f"{name}.weight"] = 1 + 0.2 * g(width)
        arrays[f"{name}.bias"] = 0.1 * g(width)

    for k in range(layers):
        linear(f"layers.{k}.qkv", 3 * width, width, 1.5)
        linear(f"layers.{k}.attended", width, width)
        norm(f"layers.{k}.norm")
        linear(f"layers.{k}.wide", wide, width, 1.5)
        linear(f"layers.{k}.narrow", width, wide)
        norm(f"layers.{k}.last")
    standards = {
        name: ints.Standard(0.3 * g(width), 2 * g(4, width) / width**0.5, g(4))
        for name in ("one", "two")
    }
    arrays["token.weight"] = 0.3 * g(len(LETTERS) + 2, width)
    arrays["position"] = 0.1 * g(window + 1, width)
    norm("norm")
    return ints.Weights(arrays, standards, 1e-12, len(LETTERS))


def scores(net: ints.Weights, tokens: Any, standard: str) -> Any:
    """Scores of B, M, E relative to S for every character of a piece, in floating point."""
    standard_weights = net.standards[standard]
    four = (
        ints.read(net, tokens, standard).last[1:] @ standard_weights.weight.T
        + standard_weights.bias
    )
    return four[:, :3] - four[:, 3:]


def table() -> Any:
    """The token of every code point: the letter's, or the last."""
    table = np.full(sys.maxunicode + 1, len(LETTERS) + 1, np.uint16)
    table[[ord(c) for c in LETTERS]] = np.arange(len(LETTERS))
    return table


def compiled(net: ints.Weights, linear: Path, path: Path, **options: Any) -> Path:
    """Writes a file beside its linear tagger."""
    draw = np.random.default_rng(7)
    window = min(WINDOW, len(net.arrays["position"]) - 1)
    texts = [
        (name, draw.integers(0, len(LETTERS), int(draw.integers(1, window))))
        for name in net.standards
        for _ in range(40)
    ]
    sections = ints.compiled(net, texts, window, OVERLAP)
    sections |= ints.character_map(table())
    rng = np.random.default_rng(3)
    standards: dict[str, Any] = {}
    for i, name in enumerate(net.standards):
        params = f"standard.{i}.params"
        sections[params] = ints.with_tagger(
            sections[params], rng.normal(size=4), rng.normal(size=(4, 4))
        )
        standards[name] = {
            "number": i,
            "linear": linear.name,
            "linear_digest": artifact.open(linear).digest,
            "linear_weight": 0.5,
            **options,
        }
    meta = {"standards": standards, "scale": ints.UNITS, "marks": MARKS}
    artifact.write(path, EncoderPredictor.KIND, sections, {**meta, "algorithm": "encoder-crf"})
    return path
