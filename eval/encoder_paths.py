"""Whether every set of instructions gives the encoder of ``best`` the same scores.

    python -m eval.encoder_paths --shared ../shared/data

Lines of the bakeoff's tests in turn with lines of raw texts of many kinds.  The scores of
boundaries are compared byte for byte, so boundaries are equal where these are.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
from contextlib import ExitStack
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from segmenter.kernels import _engine
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor

if TYPE_CHECKING:
    from collections.abc import Iterator


def lines_of(shared: Path) -> Iterator[str]:
    """Lines of all texts, a line of each in turn."""
    with ExitStack() as stack:
        files: list[TextIO] = [
            stack.enter_context(path.open(encoding="utf-8"))
            for path in sorted(shared.glob("sighan2005/*_test.utf8"))
        ]
        files += [
            stack.enter_context(lzma.open(path, "rt", encoding="utf-8"))
            for path in sorted(shared.glob("raw/*.xz"))
        ]
        for line in chain.from_iterable(zip_longest(*files)):
            if line and line.strip():
                yield line.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description="The encoder by every set of instructions.")
    parser.add_argument("--shared", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--sets", nargs="+", help="names of sets; all that this processor has")
    parser.add_argument("--model", default="best", help="preset or file")
    args = parser.parse_args()
    tagger = load_by_name(args.model).tagger
    assert isinstance(tagger, EncoderPredictor)
    names = args.sets or _engine.encoder_instruction_sets()
    natives = [tagger.weights(instructions=name) for name in names]
    digests = [hashlib.sha256() for _ in names]
    read = longest = different = 0
    for lines, line in enumerate(lines_of(args.shared), 1):
        found = [native.emissions(line) for native in natives]
        for digest, scores in zip(digests, found, strict=True):
            digest.update(scores)
        different += len(set(found)) > 1
        longest = max(longest, len(line))
        read += len(line)
        if lines % 1000 == 0 or read >= args.characters:
            print(
                f"{read} characters, {lines} lines, the longest of {longest}; "
                f"{different} lines differ",
                flush=True,
            )
        if read >= args.characters:
            break
    for name, digest in zip(names, digests, strict=True):
        print(f"{name:12} {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
