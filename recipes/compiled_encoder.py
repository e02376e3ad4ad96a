"""The file of ``best``: a trained teacher and its linear tagger as one model in integers."""

from __future__ import annotations

import random
import re
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from recipes import encoder, linear
from recipes.standards import ATOMS
from recipes.teacher import CONVENTIONS, FINE, LEGAL, MARKS, RULED_OUT, SHARES, scores_of
from segmenter import artifact
from segmenter.loading import load_by_name
from segmenter.tagging.predictor import EncoderPredictor, Predictor
from segmenter.train.tagging import encoder as integers
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.encoder import UNITS, Standard, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recipes.work import Work

    Array = NDArray[Any]

WINDOW, OVERLAP = 126, 30
#: The standards of the file, each a convention of the network.
STANDARDS = ("general", "pku", "national", "ctb", "sxu", "msr", "ud", "weibo", "sinica", "as")
#: The margin of the linear tagger, in nats, that spares a clause.  Three fifths of the text are
#: read, and of the figures of text of today only crossing errors move, 1.35 to 1.36; by 4 nats half
#: are read and an item of dev2.tsv is lost.
SURE = {"general": 5.0}
#: Of the linear tagger's scores, which are those of general; found on the dev files of the
#: conventions (ctb .9638 → .9655, weibo .9513 → .9544, sinica .9260 → .9333, msr .9550 → .9562).
WEIGHTS = dict.fromkeys(("ctb", "msr", "weibo", "sinica", "as"), 0.5)
NAMES = ("best", "best-first")
#: Nats that each character of a listed word adds (:func:`recipes.linear.insist`): of 800 words in
#: three sentences each 119 were not whole, and 48 are; of 8,166 with idioms 1,193, and 79 are.
INSISTENCE = 2.0
SAMPLE = 24  # lines of each development text by which ranges are found


def weights(state: Mapping[str, Any], sizes: encoder.Sizes, front: int) -> Weights:
    """The weights of a :class:`recipes.teacher.Teacher`; ``front``: the token in front."""
    assert sizes.width == sizes.heads * integers.HEAD
    arrays = {name: np.asarray(x.detach().float().numpy()) for name, x in state.items()}
    common = arrays["common.weight"], arrays["common.bias"]
    standards = {}
    for name in STANDARDS:
        i = CONVENTIONS.index(name)
        weight, bias = common[0] + arrays["own"][i], common[1] + arrays["bias"][i]
        standards[name] = Standard(arrays["beside.weight"][i], weight, bias)
    encoder_arrays = {k.removeprefix("net."): x for k, x in arrays.items() if k.startswith("net.")}
    return Weights(encoder_arrays, standards, sizes.epsilon, front)


def mean(paths: Sequence[Path]) -> dict[str, torch.Tensor]:
    """The mean of the weights of networks that began alike (Wortsman et al. 2022)."""
    states = [torch.load(path, weights_only=True, map_location="cpu")["net"] for path in paths]
    return {name: torch.stack([x[name].float() for x in states]).mean(0) for name in states[0]}


def with_tokens_of(net: Weights, table: Array) -> tuple[Weights, Array]:
    """The network with the tokens of a table alone, and the table of their new numbers.

    ``table`` has the token of every code point (:func:`recipes.encoder.token_table`).
    """
    tokens = np.unique(np.append(table, net.first))
    new = np.searchsorted(tokens, table).astype(np.uint16)
    arrays = {**net.arrays, "token.weight": net.arrays["token.weight"][tokens]}
    return net._replace(arrays=arrays, first=int(np.searchsorted(tokens, net.first))), new


def pieces(text: str) -> list[str]:
    """The clauses of a text."""
    return re.findall(f"[^{re.escape(MARKS)}]+", text)


def compiled(work: Work) -> None:
    """The stage: the teacher, beside the linear tagger that its network corrects."""
    folder, tagger = work.shared / "encoder", work.folder / "best-first.model"
    shutil.copy(work.folder / "first.model", tagger)
    vocabulary = encoder.read_vocabulary(folder)
    full = weights(
        mean([work.folder / f"{name}.pt" for name in SHARES]),
        encoder.read_sizes(folder),
        vocabulary["[CLS]"],
    )
    net, table = with_tokens_of(full, encoder.token_table(vocabulary, Predictor.open(tagger).fold))
    clauses = []
    for path in [*sorted(work.shared.glob("gold/*/dev.txt")), work.shared / "pku" / "dev.txt"]:
        for line in path.read_text("utf-8").split("\n")[:SAMPLE]:
            clauses += pieces("".join(line.split()))
    rows = [(standard, table[[ord(c) for c in x]]) for standard in STANDARDS for x in clauses]
    random.Random(1).shuffle(rows)  # the first few thousand tokens are read
    sections = integers.compiled(net, rows, WINDOW, OVERLAP, RULED_OUT / FINE)
    sections |= integers.character_map(table)
    begins, moves, _ = scores_of(load_by_name(str(tagger)), "一")
    start, trans = np.where(np.abs(begins) < 500, begins, 0), np.where(LEGAL, moves, 0)
    about = {"linear": tagger.name, "linear_digest": artifact.open(tagger).digest}
    named: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(STANDARDS):
        params = f"standard.{i}.params"
        sections[params] = integers.with_tagger(sections[params], start, trans)
        named[name] = {"number": i, **about, "linear_weight": WEIGHTS.get(name, 1.0)}
        for key, values in (("sure", SURE), ("atoms", ATOMS)):
            if name in values:
                named[name][key] = values[name]
    kind = EncoderPredictor.KIND
    meta = {"algorithm": kind, "standards": named, "scale": UNITS, "marks": MARKS}
    artifact.write(work.folder / "best.model", kind, sections, meta)


def with_own_words(work: Work) -> None:
    """The stage: the teacher, with a tagger that insists on the project's own words and on idioms.

    The students do not learn from it, since their labels have the words of the list whole.
    """
    teacher, tagger = (artifact.open(work.folder / f"{name}.model") for name in NAMES)
    words = {work.fold(word) for word in work.materials.terms} | work.idioms
    work.compile("models/best-first", linear.insist(decompile(tagger), words, INSISTENCE))
    digest = artifact.open(work.models / "best-first.model").digest
    standards = {
        name: {**about, "linear_digest": digest}
        for name, about in teacher.meta["standards"].items()
    }
    sections = {name: bytes(teacher.section(name)) for name in teacher.names()}
    meta = {**teacher.meta, "standards": standards}
    artifact.write(work.models / "best.model", teacher.kind, sections, meta)
