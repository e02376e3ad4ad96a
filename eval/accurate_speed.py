"""``python -m eval.accurate_speed``: speed of ``accurate``, and its integers against floats.

Speed on the PKU test text: every vector path of the kernel (all give the same boundaries, which is
checked first), one call per line against batches and bytes, one and two threads, and ``balanced``;
and where onnxruntime and onnx are installed the same LSTM in floats by that, batches of 32 lines of
like length, its inputs looked up beforehand and no CRF behind it.  Then F1 on the development text
with the compiled integers and with the floats of a model's ``.npz`` (``--npz``), linear scores and
Viterbi the same.  Results: ``eval/results/accurate_speed.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import segmenter as seg
from eval import common, floats
from segmenter import artifact
from segmenter.files import resources
from segmenter.kernels import _engine
from segmenter.loading import load_by_name
from segmenter.serve.scores import tag_scores
from segmenter.tagging.predictor import Predictor
from segmenter.text.chars import fold_str
from segmenter.train import scoring
from segmenter.train.tagging import bilstm_crf, features
from segmenter.train.tagging import model as form
from segmenter.train.tagging.scheme import decode, tags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

STANDARD = "pku"
WHY = """\
The kernel of ours is what is shipped: it needs no other package, its sums are integers, so that a
text is cut alike alone and in a batch, on any vector path, and the linear tagger's scores, the
marks and the words of the user meet its scores in one Viterbi.
"""
BATCH = 32  # lines that onnxruntime reads together


def best_of(rounds: int, run: Callable[[], object]) -> float:
    """The shortest time of some runs, in seconds."""
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return min(took)


def vector_paths(raw: bytes, rounds: int) -> dict[str, float]:
    """MB/s of ``cut_bytes`` by vector path, slowest first.

    Raises:
        AssertionError: two of them cut differently.
    """
    art = artifact.open(resources.find("accurate.model"))
    own = art.meta["standards"][STANDARD]
    linear = Predictor.open(resources.find(own["linear"]))
    sections = {name: art.section(name) for name in art.names()}
    out: dict[str, float] = {}
    expected = b""
    for instructions in _engine.instruction_sets():
        weights = _engine.BilstmWeights(
            linear.native, sections, own["number"], own["words"], own["linear_weight"],
            art.meta["scale"], instructions, art.meta.get("marks", ""), own.get("sure", 0.0),
        )  # fmt: skip
        engine = _engine.Engine(weights)
        part = raw if instructions != "portable" else raw[: raw.index(b"\n", len(raw) // 8) + 1]
        got = _engine.cut_bytes(engine, part, b" ")[0] or b""
        assert got.startswith(expected), instructions
        expected = got
        run = functools.partial(_engine.cut_bytes, engine, part, b" ")
        out[instructions] = (
            len(part) / best_of(1 if instructions == "portable" else rounds, run) / 1e6
        )
    return out


def ways(lines: Sequence[str], raw: bytes, rounds: int) -> dict[str, float]:
    """MB/s of the entry points of ``accurate``, and of ``balanced`` beside it."""
    accurate, balanced = (
        load_by_name(name, standard=STANDARD) for name in ("accurate", "balanced")
    )
    todo: dict[str, Callable[[], object]] = {
        "`accurate`, `cut`, one call per line": lambda: [accurate.cut(t) for t in lines],
        "`accurate`, `cut_batch`": lambda: accurate.cut_batch(lines),
        "`accurate`, `cut_bytes`, one thread": lambda: accurate.cut_bytes(raw),
        "`accurate`, `cut_bytes`, two threads": lambda: accurate.cut_bytes(raw, threads=2),
        "`balanced`, `cut_bytes`, one thread": lambda: balanced.cut_bytes(raw),
    }
    return {name: len(raw) / best_of(rounds, run) / 1e6 for name, run in todo.items()}


def by_onnxruntime(lines: Sequence[str], rounds: int) -> float | None:
    """MB/s of the LSTM and the output layer in onnxruntime, one thread; None: not installed."""
    try:
        onnx = importlib.import_module("onnx")
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        return None
    art = artifact.open(resources.find("accurate.model"))
    linears = {
        own["linear"]: artifact.open(resources.find(own["linear"]))
        for own in art.meta["standards"].values()
    }
    model = bilstm_crf.decompile(art, linears)
    size, inputs, own = model.hidden, model.inputs, model.standards[STANDARD]

    def gates(rows: Any) -> Any:  # i f g o -> i o f g
        i, f, g, o = np.split(rows, 4)
        return np.concatenate([i, o, f, g])

    layer = model.layers[0]
    bias = [
        np.concatenate([gates(d.bias + b), np.zeros(4 * size)])
        for d, b in zip(layer, own.bias, strict=True)
    ]
    constants = {
        "W": np.stack([gates(d.w_ih) for d in layer]),
        "R": np.stack([gates(d.w_hh) for d in layer]),
        "B": np.stack(bias),
        "O": np.stack([own.out_w[:, :size].T, own.out_w[:, size:].T]),
    }
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [
            helper.make_node(
                "LSTM", ["X", "W", "R", "B"], ["Y"], hidden_size=size, direction="bidirectional"
            ),
            helper.make_node("Transpose", ["Y"], ["T"], perm=[1, 0, 2, 3]),
            helper.make_node("Reshape", ["T", "shape"], ["F"]),
            helper.make_node("MatMul", ["F", "O"], ["E"]),
        ],
        "bilstm",
        [helper.make_tensor_value_info("X", kind, ["t", "b", inputs])],
        [helper.make_tensor_value_info("E", kind, [2, "n", 4])],
        [
            *(onnx.numpy_helper.from_array(v.astype(np.float32), k) for k, v in constants.items()),
            onnx.numpy_helper.from_array(np.array([2, -1, size], np.int64), "shape"),
        ],
    )
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(built.SerializeToString(), options)
    ordered = sorted(filter(None, lines), key=len)
    draw = np.random.default_rng(1)
    batches = []
    for i in range(0, len(ordered), BATCH):
        some = ordered[i : i + BATCH]
        shape = (len(some[-1]), len(some), inputs)
        batches.append(draw.normal(size=shape).astype(np.float32) * 40)
    size_read = sum(len(t.encode()) for t in ordered)
    seconds = best_of(rounds, lambda: [session.run(None, {"X": x}) for x in batches])
    return size_read / seconds / 1e6


def scores(data: Path, npz: str | None) -> dict[str, float]:
    """F1 on the development text: compiled, and of the floats of an ``.npz``."""
    gold = [
        [fold_str(w) for w in scoring.split_words(line)]
        for line in scoring.read_lines(data / "pku" / "dev.txt")
    ]
    texts = ["".join(words) for words in gold]
    accurate, balanced = (
        load_by_name(name, standard=STANDARD) for name in ("accurate", "balanced")
    )
    out = {
        "`balanced`": scoring.score(gold, balanced.cut_batch(texts)).f1,
        "`accurate`, compiled": scoring.score(gold, accurate.cut_batch(texts)).f1,
    }
    if npz is None:
        return out
    model = bilstm_crf.read(npz)
    own = model.standards[STANDARD]
    names = tags_of(4)
    line_model = form.LinearModel(tags=4, start=own.start, trans=own.transitions)
    found, same = [], 0
    for text, compiled in zip(texts, accurate.cut_batch(texts), strict=True):
        exact = floats.emissions(model, text, STANDARD)
        exact[-1] += own.end
        linear = np.array(
            [[-1e6 if v is None else v for v in row] for row in tag_scores(balanced, text).scores]
        )
        tags = features.viterbi(line_model, exact + own.linear_weight * linear)
        ends = [0, *decode([names[t] for t in tags])]
        found.append([text[a:b] for a, b in pairwise(ends)])
        same += found[-1] == compiled
    out["`accurate`, floats, every clause read"] = scoring.score(gold, found).f1
    out["lines cut alike"] = same / len(texts)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.accurate_speed", description=__doc__)
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--npz", help="the model's parameters in floats")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=300_000, help="of the PKU test text")
    given = parser.parse_args()
    data = common.data_dir(given.data)
    common.pin(2)
    found = scores(data, given.npz)
    text = (data / "sighan2005" / "pku_test.utf8").read_bytes()
    raw = text[: text.index(b"\n", given.bytes) + 1]
    lines = raw.decode().split("\n")
    fast = ways(lines, raw, given.rounds)
    onnx = by_onnxruntime(lines, given.rounds)
    if onnx is not None:
        fast["onnxruntime, floats, LSTM and output layer alone"] = onnx
    paths = vector_paths(raw, given.rounds)
    start = time.perf_counter()
    seg.load("accurate", standard="general")
    load = time.perf_counter() - start
    about = common.facts(["numpy", "onnxruntime"])
    command = "python -m eval.accurate_speed" + (" --npz FILE" if given.npz else "")
    command += f" --rounds {given.rounds} --bytes {given.bytes}"
    page = common.heading("`accurate`: speed, and integers against floats", about, command)
    page += "\n" + common.table(
        ["PKU test text", "MB/s"], [[name, f"{v:.2f}"] for name, v in fast.items()]
    )
    page += "\n\n" + common.table(
        ["vector path, `cut_bytes`, one thread", "MB/s"],
        [[name, f"{v:.2f}"] for name, v in paths.items()],
    )
    page += "\n\n" + common.table(
        ["development text", "F1, or share"], [[name, f"{v:.5f}"] for name, v in found.items()]
    )
    page += f"\n\n`load` of a further standard of the file takes {load:.3f} s.\n"
    page += "\n" + WHY
    common.write(
        "accurate_speed",
        page,
        {"about": about, "speed": fast, "paths": paths, "f1": found, "load": load},
    )


if __name__ == "__main__":
    main()
