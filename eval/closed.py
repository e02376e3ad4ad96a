"""``python -m eval.closed --out DIR``: taggers of the bakeoff's closed track, which do not ship.

They learn the January text of ``pku/`` and nothing else; ``python -m eval.bakeoff --closed DIR``
scores them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from segmenter import artifact
from segmenter.train.corpus import read_corpus
from segmenter.train.tagger import TaggerOptions, train
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.features import FeatureOptions

OPTIONS = {
    "crf": TaggerOptions(
        "crf", FeatureOptions(min_pair=1), strings=True, runs=5, decay=3e-5, epochs=30
    ),
    "perceptron": TaggerOptions("perceptron", FeatureOptions(min_pair=1), runs=5),
    "hmm": TaggerOptions("hmm"),
}


def main() -> None:
    """Trains them all, a few minutes each."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="python -m eval.closed", description=__doc__)
    parser.add_argument("--text", type=Path, default=root.parent / "shared" / "data" / "pku")
    parser.add_argument("--out", type=Path, required=True, help="folder for the models")
    args = parser.parse_args()
    january, dev = (read_corpus([args.text / f"{x}.txt"]).sentences for x in ("train_jan", "dev"))
    args.out.mkdir(parents=True, exist_ok=True)
    for name, options in OPTIONS.items():
        meta = {"standard": "pku", "name": f"closed-{name}"}
        sections, head = compile_model(train(january, dev, options=options, meta=meta).model)
        artifact.write(args.out / f"pku-closed-{name}.model", form.KIND, sections, head)


if __name__ == "__main__":
    main()
