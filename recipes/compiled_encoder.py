"""The file of ``best``: a trained teacher and its linear tagger as one model in integers.

    python -m recipes.compiled_encoder --shared ../shared/data --checkpoint DIR/network.pt \\
        --tagger DIR/models/best-first.model --out DIR/models/best.model

writes the file and prints how many boundaries are the same as with the floating-point network.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from recipes import encoder, encoder_integers
from recipes.encoder_integers import UNITS, Layer, Linear, Norm, Standard, Weights
from recipes.teacher import CONVENTIONS, FINE, MARKS, RULED_OUT
from segmenter import artifact
from segmenter.errors import ArgumentError
from segmenter.kernels import _engine
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor, Predictor
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.core import Segmenter

    Array = NDArray[Any]

WINDOW, OVERLAP = 126, 30
#: The standards of the file, and which atoms they write apart.
STANDARDS: dict[str, dict[str, str]] = {
    "general": {},
    "pku": {},
    "national": {},
    "ctb": {},
    "sxu": {"calendar": "split"},
    "msr": {},
    "ud": {"calendar": "split"},
    "weibo": {"hashtag": "split", "mention": "split"},
    "sinica": {},
    "as": {},
}
#: Three fifths of the text are read, and of the figures of text of today only crossing errors move,
#: 1.35 to 1.36; by 4 nats half are read and an item of dev2.tsv is lost.
SURE = MappingProxyType({"general": 5.0})
#: Of the linear tagger's scores, which are those of general; found on the dev files of the
#: conventions (ctb .9638 → .9655, weibo .9513 → .9544, sinica .9260 → .9333, msr .9550 → .9562).
WEIGHTS = MappingProxyType(dict.fromkeys(("ctb", "msr", "weibo", "sinica", "as"), 0.5))
SAMPLE = 24  # lines of each development text by which ranges are found


class Plan(NamedTuple):
    """What a file is made of, besides the network.

    Attributes:
        conventions: of the checkpoint, in its order.
        standards: those of the file, each a convention, and their settings of atoms.
        marks: what stands between them is read by itself.
        weights: of the linear tagger's scores; 1 where a standard is missing.
        window, overlap: of a piece that is longer.
        sure: the margin of the linear tagger, in nats, that spares a clause, of standards that the
            tagger has learnt; where it is missing, all are read.
        floor: nats that the linear tagger's scores of tags are at most below the best.
    """

    conventions: Sequence[str]
    standards: Mapping[str, Mapping[str, str]]
    marks: str = MARKS
    window: int = WINDOW
    overlap: int = OVERLAP
    sure: Mapping[str, float] = SURE
    weights: Mapping[str, float] = WEIGHTS
    floor: float = RULED_OUT / FINE


PLAN = Plan(CONVENTIONS, STANDARDS)


def weights(state: Mapping[str, Any], sizes: encoder.Sizes, first: int, plan: Plan) -> Weights:
    """A checkpoint's weights.

    Args:
        state: of :class:`recipes.teacher.Teacher`.
        sizes: of its encoder; the number of layers and widths are the checkpoint's.
        first: number of the token in front.
        plan: conventions and standards.
    """

    def array(name: str) -> Array:
        return np.asarray(state[name].detach().float().numpy(), np.float32)

    def linear(name: str) -> Linear:
        return Linear(array(f"{name}.weight"), array(f"{name}.bias"))

    def norm(name: str) -> Norm:
        return Norm(array(f"{name}.weight"), array(f"{name}.bias"))

    count = 1 + max(int(name.split(".")[2]) for name in state if name.startswith("net.layers."))
    layers = []
    for k in range(count):
        of = f"net.layers.{k}."
        heads, attended, wide, narrow = map(
            linear, (of + "qkv", of + "attended", of + "wide", of + "narrow")
        )
        layers.append(Layer(heads, attended, norm(of + "norm"), wide, narrow, norm(of + "last")))
    width = layers[0].heads.weight.shape[1]
    if width // sizes.heads != encoder_integers.HEAD:
        raise ArgumentError(f"checkpoint: {sizes.heads} heads of {width}; a head has 64 values")
    standards = {}
    for name in plan.standards:
        if name not in plan.conventions:
            known = ", ".join(plan.conventions)
            raise ArgumentError(f"plan: {name!r} is not one of {known}")
        i = plan.conventions.index(name)
        out = Linear(
            array("common.weight") + array("own")[i], array("common.bias") + array("bias")[i]
        )
        standards[name] = Standard(array("beside.weight")[i], out)
    return Weights(
        array("net.token.weight"), array("net.position"), norm("net.norm"), layers, standards,
        sizes.epsilon, first,
    )  # fmt: skip


def kept(net: Weights, table: Array) -> tuple[Weights, Array]:
    """The network with the tokens that a character can be, and the table of their numbers.

    Args:
        net: the network.
        table: the token of every code point (:func:`recipes.encoder.numbering`).
    """
    tokens = np.unique(np.append(table, net.first))
    new = np.searchsorted(tokens, table).astype(np.uint16)
    first = int(np.searchsorted(tokens, net.first))
    return net._replace(tokens=net.tokens[tokens], first=first), new


def kept_table(shared: Path, tagger: Path) -> Array:
    """The table of :func:`kept` for the encoder of the corpora."""
    folder = shared / "encoder"
    table = token_table(folder, Predictor.open(tagger))
    first = encoder.read_vocabulary(folder)["[CLS]"]
    found: Array = np.searchsorted(np.unique(np.append(table, first)), table).astype(np.uint16)
    return found


def token_table(folder: Path, tagger: Predictor) -> Array:
    """The token of every code point."""
    numbers = encoder.numbering(encoder.read_vocabulary(folder), tagger.fold)
    found = np.zeros(sys.maxunicode + 1, np.uint16)
    every = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    unknown = numbers("\ud800")[0]
    found[:] = unknown
    found[every] = numbers("".join(map(chr, every)))
    return found


def pieces(plan: Plan, text: str) -> Iterator[tuple[int, str]]:
    """The clauses of a text and where they begin."""
    for found in re.finditer(f"[^{re.escape(plan.marks)}]+", text):
        yield found.start(), found[0]


def write(
    out: Path,
    net: Weights,
    table: Array,
    tagger_path: Path,
    plan: Plan,
    texts: Mapping[str, Sequence[str]],
    about: Mapping[str, Any],
) -> None:
    """Writes the file.

    Args:
        out: the file.
        net, table: of :func:`kept`.
        tagger_path: the linear tagger; the file names it, and it must lie beside it or be shipped.
        plan: standards, marks and windows.
        texts: of every standard, some for the ranges of values.
        about: more metadata.
    """
    rows = [
        (standard, table[[ord(c) for c in piece]])
        for standard, some in texts.items()
        for text in some
        for _, piece in pieces(plan, text)
    ]
    random.Random(1).shuffle(rows)  # of them some are read
    sections, names = encoder_integers.compiled(net, rows, plan.window, plan.overlap, plan.floor)
    sections |= encoder_integers.character_map(table)
    segmenter = load_by_name(str(tagger_path))
    tags, scale, start, trans, _ = _engine.tag_scores(segmenter._engine, "一")
    if tags != len(FOUR):
        raise ArgumentError("tagger_path: the linear tagger must have four tags")
    moves = np.frombuffer(trans, np.int32).reshape(tags, tags) / scale
    legal = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
    begins = np.frombuffer(start, np.int32) / scale
    digest = artifact.open(tagger_path).digest
    named: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(names):
        params = f"standard.{i}.params"
        sections[params] = encoder_integers.with_tagger(
            sections[params],
            np.where(np.abs(begins) < 500, begins, 0),
            np.where(legal, moves, 0),
        )
        own: dict[str, Any] = {
            "number": i,
            "linear": tagger_path.name,
            "linear_digest": digest,
            "linear_weight": plan.weights.get(name, 1.0),
        }
        if name in plan.sure:
            own["sure"] = plan.sure[name]
        if plan.standards[name]:
            own["atoms"] = dict(plan.standards[name])
        named[name] = own
    meta = {
        **about,
        "algorithm": EncoderPredictor.KIND,
        "standards": named,
        "scale": UNITS,
        "marks": plan.marks,
    }
    artifact.write(out, EncoderPredictor.KIND, sections, meta)


# --- what the integers cost -------------------------------------------------------------------


class Agreement(NamedTuple):
    """Boundaries of the file beside those of the network in floating point."""

    characters: int
    different: int
    lines: int
    lines_different: int
    error: float  # mean difference of the network's scores, nats
    spread: float  # mean size of them

    def __str__(self) -> str:
        return (
            f"{self.different} of {self.characters} boundaries differ, in {self.lines_different} "
            f"of {self.lines} lines; the network's scores differ by {self.error:.3f} nat in the "
            f"mean, their mean size is {self.spread:.2f}"
        )


def agreement(
    segmenter: Segmenter, net: Weights, table: Array, plan: Plan, texts: Iterable[str]
) -> Agreement:
    """How a file and the network that it was made of cut the same texts.

    Args:
        segmenter: of the file.
        net, table, plan: what it was made of.
        texts: lines without blanks.
    """
    tagger = segmenter.tagger
    assert isinstance(tagger, EncoderPredictor)
    alone = tagger.weights(linear_weight=0.0)
    total = Agreement(0, 0, 0, 0, 0.0, 0.0)
    for text in filter(None, texts):
        tags, scale, start, trans, found = _engine.tag_scores(segmenter._engine, text)
        final = np.frombuffer(found, np.int32).reshape(-1, tags) / scale
        ints = np.frombuffer(alone.emissions(text), np.int16).reshape(-1, tags)[:, :3] / UNITS
        floats = np.zeros_like(ints)
        for at, piece in pieces(plan, text):
            part = slice(at, at + len(piece))
            if ints[part].any():
                tokens = table[[ord(c) for c in piece]]
                floats[part] = windowed(net, tokens, tagger.standard, plan)
        right = final.copy()
        right[:, :3] += floats - ints
        begins = np.frombuffer(start, np.int32) / scale
        moves = np.frombuffer(trans, np.int32).reshape(tags, tags) / scale
        one, two = (_boundaries(scores, begins, moves) for scores in (final, right))
        wrong = int((one != two).sum())
        total = Agreement(
            total.characters + len(text),
            total.different + wrong,
            total.lines + 1,
            total.lines_different + bool(wrong),
            total.error + float(np.abs(floats - ints).sum()),
            total.spread + float(np.abs(floats).sum()),
        )
    n = max(3 * total.characters, 1)
    return total._replace(error=total.error / n, spread=total.spread / n)


def _boundaries(scores: Array, start: Array, moves: Array) -> Array:
    """Whether a word ends after each character, by Viterbi."""
    never = -1e9
    legal = np.array([[0 if allowed(a, b) else never for b in FOUR] for a in FOUR])
    best = scores[0] + start + [0 if tag in BEGINS else never for tag in FOUR]
    before = np.empty((len(scores), len(FOUR)), int)
    for j in range(1, len(scores)):
        ways = best[:, None] + moves + legal
        before[j] = ways.argmax(0)
        best = ways.max(0) + scores[j]
    tag = int((best + [0 if tag in ENDS else never for tag in FOUR]).argmax())
    found = np.zeros(len(scores), bool)
    for j in range(len(scores) - 1, -1, -1):
        found[j] = FOUR[tag] in ENDS
        tag = before[j, tag]
    return found


def windowed(net: Weights, tokens: Array, standard: str, plan: Plan) -> Array:
    """Scores of a piece of any length, as the kernels read it."""
    found = np.empty((len(tokens), 3))
    step, half = plan.window - plan.overlap, plan.overlap // 2
    for start in range(0, len(tokens), step):
        end = min(start + plan.window, len(tokens))
        here = encoder_integers.scores(net, tokens[start:end], standard)
        skip = half if start else 0
        found[start + skip : end] = here[skip:]
        if end == len(tokens):
            break
    return found


# --- the command ------------------------------------------------------------------------------


def make(shared: Path, checkpoint: Path, tagger: Path, out: Path, plan: Plan = PLAN) -> Weights:
    """Writes the file of a checkpoint; returns the network in floating point.

    Args:
        shared: the corpora.
        checkpoint: of :func:`recipes.teacher.train`.
        tagger: the linear tagger that the network corrects.
        out: the file, beside the tagger.
        plan: standards, marks and windows.
    """
    folder = shared / "encoder"
    sizes, _ = encoder.read(folder)
    state = torch.load(checkpoint, weights_only=True, map_location="cpu")["net"]
    whole = weights(state, sizes, encoder.read_vocabulary(folder)["[CLS]"], plan)
    net, table = kept(whole, token_table(folder, Predictor.open(tagger)))
    texts = dict.fromkeys(plan.standards, samples(shared, SAMPLE))
    write(out, net, table, tagger, plan, texts, {})
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description="The file of `best`.")
    parser.add_argument("--shared", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tagger", type=Path, required=True, help="the one that it corrects")
    parser.add_argument("--out", type=Path, required=True, help="the file, beside the tagger")
    parser.add_argument("--sure", type=float, default=SURE["general"],
        help="nats that spare a clause of general; 0: all are read")  # fmt: skip
    parser.add_argument("--lines", type=int, default=50, help="of each text that is compared")
    parser.add_argument("--compare", nargs="*", default=[*STANDARDS], help="standards")
    args = parser.parse_args()
    torch.set_num_threads(1)
    plan = PLAN._replace(sure={"general": args.sure} if args.sure else {})
    net = make(args.shared, args.checkpoint, args.tagger, args.out, plan)
    print(f"{args.out}: {args.out.stat().st_size} bytes, {len(net.tokens)} tokens", flush=True)
    table = kept_table(args.shared, args.tagger)
    lines = samples(args.shared, args.lines, skip=SAMPLE)
    for name in args.compare:
        segmenter = load_by_name(str(args.out), standard=name)
        print(name, agreement(segmenter, net, table, plan, lines), flush=True)


def samples(shared: Path, count: int, skip: int = 0) -> list[str]:
    """Lines of the development texts, from each so many, without blanks."""
    found = []
    for path in [*sorted(shared.glob("gold/*/dev.txt")), shared / "pku" / "dev.txt"]:
        lines = path.read_text("utf-8").split("\n")[skip : skip + count]
        found += ["".join(line.split()) for line in lines if line.strip()]
    return found


if __name__ == "__main__":
    main()
