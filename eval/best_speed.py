"""Speed of ``best``, by set of instructions, beside the same encoder in onnxruntime.

    python -m eval.best_speed --shared ../shared/data --lines 300

Lines of the PKU test, one by one and in a batch, one thread, in turns; characters by second of the
process's own time, the best of the rounds.  onnxruntime runs the original encoder, which has
the same matrices in 8 bits and no tagger; its output is not compared.
"""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.kernels import _models
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def onnx(folder: Path) -> Callable[[str], Any]:
    """A reader of one line by onnxruntime."""
    ort: Any = importlib.import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(folder / "model_quantized.onnx"), options)
    vocabulary = (folder / "vocab.txt").read_text("utf-8").split("\n")
    numbers = {token: i for i, token in enumerate(vocabulary)}
    names = [given.name for given in session.get_inputs()]

    def parse_line(line: str) -> Any:
        ids = [numbers["[CLS]"], *(numbers.get(c, numbers["[UNK]"]) for c in line[:500])]
        libraries = {
            "input_ids": ids,
            "attention_mask": [1] * len(ids),
            "token_type_ids": [0] * len(ids),
        }
        return session.run(None, {name: np.array([libraries[name]], np.int64) for name in names})

    return parse_line


def reader(native: _models.NetworkWeights) -> Callable[[Sequence[str]], Any]:
    """A reader of lines by one set of instructions."""
    return lambda lines: [native.emissions(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of `best`.")
    parser.add_argument("--shared", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default="best", help="preset or file")
    args = parser.parse_args()
    text = (args.shared / "sighan2005" / "pku_test.utf8").read_text("utf-8")
    lines = [line for line in text.split("\n") if line][: args.lines]
    segmenter = load_by_name(args.model)
    assert isinstance(segmenter.tagger, EncoderPredictor)
    turns: dict[str, Callable[[Sequence[str]], Any]] = {
        "cut": lambda of: [segmenter.cut(line) for line in of],
        "cut_batch": lambda of: segmenter.cut_batch(of, threads=1),
    }
    for name in _models.encoder_instruction_sets()[1:]:
        native = segmenter.tagger.weights(instructions=name)
        turns[name] = reader(native)
    try:
        by_onnx = onnx(args.shared / "encoder")
        turns["onnxruntime"] = lambda of: [by_onnx(line) for line in of]
    except ImportError:
        print("onnxruntime is not installed")
    best = dict.fromkeys(turns, float("inf"))
    for _ in range(args.rounds):
        for name, run in turns.items():
            start = time.process_time()
            run(lines)
            best[name] = min(best[name], time.process_time() - start)
    characters = sum(map(len, lines))
    for name, seconds in best.items():
        print(f"{name:12} {characters / seconds:8.0f} characters a second")


if __name__ == "__main__":
    main()
