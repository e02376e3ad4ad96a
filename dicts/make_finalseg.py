"""Writes ``segmenter/compat/jieba/finalseg.model``: the HMM of jieba's finalseg as our tagger.

    python dicts/make_finalseg.py [--out FILE]

The logarithms of probabilities come from the package jieba 0.42.1 (MIT, 2013 Sun Junyi; see
NOTICE).  Same input, same bytes.

jieba's four states become six tags, since the weights of six tags have 16 bits (1/1024 nat; of four
tags 8): the second and third character of a word have the weights of an inner character, so the
best paths are the same.  The best state of every character has the weight 0, since a constant for
all states decides nothing; a state that jieba never saw has -31.  Characters that jieba saw only as
single-character words have no row: like unseen characters, they are words of their own.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jieba.finalseg import prob_emit, prob_start, prob_trans

from segmenter import artifact
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model

if TYPE_CHECKING:
    from collections.abc import Sequence

TARGET = Path(__file__).resolve().parents[1] / "segmenter" / "compat" / "jieba" / "finalseg.model"
NEVER = -31.0  # of 16 bits at 1024 per nat
STATES = "BMMMES"  # of jieba, for each of our six tags
OTHER = [NEVER] * 5 + [0.0]  # a word of its own


def linear_model() -> form.LinearModel:
    """jieba's HMM in the portable form."""
    emit: dict[str, dict[str, float]] = prob_emit.P
    known = sorted({*emit["B"], *emit["M"], *emit["E"]})
    uni = np.zeros((len(known) + 2, 4, 6))
    for i, c in enumerate(known):
        row = np.array([emit[state].get(c, -np.inf) for state in STATES])
        uni[i, 2] = np.maximum(row - row.max(), NEVER)
    uni[len(known) :, 2] = OTHER
    trans = np.array([[prob_trans.P[a].get(b, 0.0) for b in STATES] for a in STATES])
    start = np.array([max(prob_start.P[state], NEVER) for state in STATES])
    return form.LinearModel(
        tags=6,
        start=start,
        trans=trans,
        chars=[*known, "<han>", "<hannum>"],
        uni=uni,
        bi=np.zeros((0, 4, 6)),
        match=np.zeros((0, form.LENGTHS, form.ROLES, 6)),
        state=np.zeros((0, form.STATES, 6)),
        meta={"algorithm": "hmm", "source": f"jieba {version('jieba')}, finalseg"},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Compile the HMM of jieba's finalseg.")
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    artifact.write(given.out, form.KIND, *compile_model(linear_model()))
    print(f"{given.out}: {given.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
