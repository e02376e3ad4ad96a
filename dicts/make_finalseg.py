"""Writes ``segmenter/compat/jieba/finalseg.model``: the HMM of jieba's finalseg as our tagger.

    python dicts/make_finalseg.py [--out FILE]

The logarithms of probabilities come from the package jieba 0.42.1 (MIT, 2013 Sun Junyi; see
NOTICE).  Same input, same bytes.

The weights of characters have 16 bits (1/1024 nat; those of other taggers have 8) and are
relative to the state S.  A state that jieba never saw has the weight -31 of the best one.
Characters that jieba saw only as single-character words have no row of their own: like unseen
characters, they are words of their own.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jieba.finalseg import prob_emit, prob_start, prob_trans

from segmenter import artifact
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import characters
from segmenter.train.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

TARGET = Path(__file__).resolve().parents[1] / "segmenter" / "compat" / "jieba" / "finalseg.model"
SCALE = 1024
NEVER = -31.0  # of 16 bits at SCALE per nat
OTHER = [NEVER] * 3 + [0.0]  # a word of its own


def tagger() -> tuple[dict[str, bytes], dict[str, Any]]:
    """jieba's HMM as the sections and metadata of a compiled tagger."""
    emit: dict[str, dict[str, float]] = prob_emit.P
    characters_known = sorted({*emit["B"], *emit["M"], *emit["E"]})
    trans = np.array([[prob_trans.P[a].get(b, 0.0) for b in FOUR] for a in FOUR])
    start = np.array([max(prob_start.P[state], NEVER) for state in FOUR])
    meta = {"algorithm": "hmm", "source": f"jieba {version('jieba')}, finalseg", "scale": SCALE}
    uni = np.zeros((len(characters_known), 4, len(FOUR)))
    sections, meta = compile_model(form.LinearModel(start, trans, characters_known, uni, meta=meta))
    own_ids, classes = characters(sections)
    alone = np.zeros((len(sections["charmap.classes"]), len(FOUR)))
    for number, c in own_ids.items():
        if any(c in emit[state] for state in "BME"):
            row = np.array([emit[state].get(c, -np.inf) for state in FOUR])
            alone[number] = np.maximum(row - row.max(), NEVER)
        elif chars.char_class(ord(c)) in (chars.HAN, chars.HANNUM):
            alone[number] = OTHER
    for number, code in classes.items():
        if code in (chars.HAN, chars.HANNUM):
            alone[number] = OTHER
    units = np.rint(np.round(alone, 4) * SCALE).astype("<i2")
    sections["tagger.alone"] = (units - units[:, 3:]).astype("<i2").tobytes()
    return sections, meta


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Compile the HMM of jieba's finalseg.")
    parser.add_argument("--out", type=Path, default=TARGET)
    args = parser.parse_args(arguments)
    artifact.write(args.out, form.KIND, *tagger())
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
