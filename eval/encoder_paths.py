"""Whether every set of instructions gives the encoder of ``best`` the same scores.

    python -m eval.encoder_paths --shared ../shared/data

The plain path takes a thousand times as long as the fastest; ``--plain`` says how many characters
it reads.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from segmenter.kernels import _engine
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor


def main() -> None:
    parser = argparse.ArgumentParser(description="The encoder by every set of instructions.")
    parser.add_argument("--shared", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--plain", type=int, default=2000, help="characters of the plain path")
    parser.add_argument("--model", default="best", help="preset or file")
    args = parser.parse_args()
    tagger = load_by_name(args.model).tagger
    assert isinstance(tagger, EncoderPredictor)
    lines = []
    for path in sorted(args.shared.glob("sighan2005/*_test.utf8")):
        lines += [line for line in path.read_text("utf-8").split("\n") if line]
    names = _engine.encoder_instruction_sets()
    natives = {name: tagger.weights(instructions=name) for name in names}
    digests = {name: hashlib.sha256() for name in names[1:]}
    read = different = 0
    for line in lines[:: max(1, sum(map(len, lines)) // args.characters)]:
        found = {name: natives[name].emissions(line) for name in names[1:]}
        if read < args.plain:
            found[names[0]] = natives[names[0]].emissions(line)
        for name, digest in digests.items():
            digest.update(found[name])
        different += len(set(found.values())) > 1
        read += len(line)
        if read >= args.characters:
            break
    print(f"{read} characters, {different} lines that differ")
    for name, digest in digests.items():
        print(f"{name:12} {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
