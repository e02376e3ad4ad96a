"""The teacher: an encoder that has read much text corrects the linear tagger.

Its scores of the four tags are added to those of ``balanced``, and the sum is a CRF's.  It learns
texts of several conventions, each with an embedding of its own in front of the sentence; open
boundaries are summed over (Tsuboi et al. 2008).  It never ships: students learn from the vote that
it has part in.

    python -m recipes.teacher prepare --work DIR
    python -m recipes.teacher train --work DIR --minutes 55
    python -m recipes.teacher read --work DIR

``train`` goes on from its last checkpoint; ``read`` can run several times at once (``--part 0/2``).
"""

from __future__ import annotations

import argparse
import copy
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

from recipes import encoder, partial, votes
from segmenter import load as load_segmenter
from segmenter.errors import ArgumentError
from segmenter.files.atomic import WholeFile
from segmenter.kernels import _engine
from segmenter.tagging.predictor import Predictor
from segmenter.train.crf_layer import log_partition
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from recipes.raw import Line
    from segmenter.segmenter import Segmenter

    Array = NDArray[Any]

GENERAL = "general"
CONVENTIONS = (GENERAL, *partial.GOLD)
STEP = 16  # lengths in a batch are multiples of it: every new shape is compiled
PLACES = 1600  # of a batch
MOST = 400  # characters; longer texts are read in pieces
NEVER = -1e4
RULED_OUT = -12.0  # nats below the best tag: no score of the linear tagger is lower
SEED = 11
CHUNK = 4000  # sentences between two reports of the reading


class Text(NamedTuple):
    """Sentences as columns.

    Attributes:
        offsets: of the sentences in the other columns.
        numbers: tokens of the encoder.
        linear: scores of the linear tagger, ``(characters, 4)``.
        ends: where words end.
        open: where nobody says whether a word ends.
        convention: of each sentence, a number in :data:`CONVENTIONS`.
    """

    offsets: Array
    numbers: Array
    linear: Array
    ends: Array
    open: Array
    convention: Array

    @property
    def lengths(self) -> Array:
        return np.diff(self.offsets)


class Row(NamedTuple):
    """A sentence to be read.

    Attributes:
        convention: of :data:`CONVENTIONS`.
        text: without blanks.
        ends, open: as in :class:`Text`.
        tagger: scores it; None: the reader's.
    """

    convention: str
    text: str
    ends: Array
    open: Array
    tagger: Segmenter | None = None


class Reader:
    """Turns sentences into columns.

    Args:
        folder: of the encoder.
        tagger: the linear tagger.
    """

    def __init__(self, folder: Path, tagger: Segmenter) -> None:
        self.tagger = tagger
        assert isinstance(tagger.tagger, Predictor)
        self.fold = tagger.tagger.fold
        self.numbers = encoder.numbering(encoder.read_vocabulary(folder), self.fold)
        tags, scale, start, trans, _ = _engine.tag_scores(tagger._engine, "一")
        assert tags == len(FOUR)
        self.start = np.frombuffer(start, np.int32) / scale
        self.trans = np.frombuffer(trans, np.int32).reshape(tags, tags) / scale

    def linear(self, text: str, tagger: Segmenter | None = None) -> Array:
        """Scores of a linear tagger, the best tag of each character 0."""
        given = _engine.tag_scores((tagger or self.tagger)._engine, text)
        found = np.frombuffer(given[4], np.int32).reshape(-1, len(FOUR)) / given[1]
        found = found - found.max(1, keepdims=True)
        bounded: Array = np.maximum(found, RULED_OUT).astype(np.float16)
        return bounded

    def columns(self, rows: Iterable[Row]) -> Text:
        """Sentences as columns."""
        numbers, scores, ends, opens, of = [], [], [], [], []
        for row in rows:
            numbers.append(self.numbers(row.text))
            scores.append(self.linear(row.text, row.tagger))
            ends.append(row.ends)
            opens.append(row.open)
            of.append(CONVENTIONS.index(row.convention))
        lengths = [len(x) for x in numbers]
        return Text(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate(numbers),
            np.concatenate(scores),
            np.concatenate(ends),
            np.concatenate(opens),
            np.array(of, np.uint8),
        )


class Crf(nn.Module):
    """The linear tagger's CRF, which the corrected scores go through too.

    Args:
        trans, start: of the linear tagger.
    """

    trans: Tensor
    start: Tensor
    end: Tensor

    def __init__(self, trans: Array, start: Array) -> None:
        super().__init__()
        moves = [
            [v if allowed(a, b) else NEVER for b, v in zip(FOUR, row, strict=True)]
            for a, row in zip(FOUR, trans, strict=True)
        ]
        begin = [v if a in BEGINS else NEVER for a, v in zip(FOUR, start, strict=True)]
        end = [0.0 if a in ENDS else NEVER for a in FOUR]
        for name, values in (("trans", moves), ("start", begin), ("end", end)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32))

    def total(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The logarithm of the sum over all tag sequences; scores ``(places, sentences, 4)``."""
        return log_partition(scores, lengths, self.trans, self.start, self.end)

    def loss(self, scores: Tensor, batch: Batch) -> Tensor:
        """Minus the log likelihood of what is known, of each sentence."""
        fitting = scores.masked_fill(~batch.fits, NEVER)
        return self.total(scores, batch.lengths) - self.total(fitting, batch.lengths)


class Teacher(nn.Module):
    """The encoder with an output layer for every convention.

    Args:
        net: the encoder; its embeddings do not learn.
        first: number of the token in front.
        trans, start: of the linear tagger.
    """

    def __init__(self, net: encoder.Encoder, first: int, trans: Array, start: Array) -> None:
        super().__init__()
        self.net = net
        net.token.requires_grad_(False)
        net.position.requires_grad_(False)
        self.first = first
        n, k, width = len(CONVENTIONS), len(FOUR), net.sizes.width
        self.beside = nn.Embedding(n, width)
        self.common = nn.Linear(width, k)
        self.own = nn.Parameter(torch.zeros(n, k, width))
        self.bias = nn.Parameter(torch.zeros(n, k))
        for x in (self.beside.weight, self.common.weight, self.common.bias):
            nn.init.zeros_(x)
        self.crf = Crf(trans, start)

    def scores(self, batch: Batch) -> Tensor:
        """Scores of the tags with the linear tagger's, ``(places, sentences, 4)``."""
        front = torch.full((len(batch.numbers), 1), self.first)
        inside = torch.arange(batch.numbers.shape[1] + 1) <= batch.lengths.unsqueeze(1)
        x = self.net(torch.cat([front, batch.numbers], 1), inside, self.beside(batch.convention))
        x = x[:, 1:]
        weight = self.common.weight + self.own[batch.convention]
        bias = self.common.bias + self.bias[batch.convention]
        found = torch.bmm(x, weight.transpose(1, 2)) + bias.unsqueeze(1) + batch.linear
        return found.transpose(0, 1)

    def loss(self, batch: Batch) -> Tensor:
        """Minus the log likelihood of what is known, by character."""
        return self.crf.loss(self.scores(batch), batch).sum() / batch.lengths.sum()

    def chances(self, batch: Batch) -> Tensor:
        """The chance of a word's end after each character, ``(sentences, places)``."""
        scores = self.scores(batch).detach().requires_grad_()
        with torch.enable_grad():
            total = self.crf.total(scores, batch.lengths)
            (tags,) = torch.autograd.grad(total.sum(), scores)
        last = [i for i, tag in enumerate(FOUR) if tag in ENDS]
        return tags[:, :, last].sum(2).T


class Batch(NamedTuple):
    """Sentences side by side; ``fits`` is ``(places, sentences, 4)``."""

    numbers: Tensor
    linear: Tensor
    lengths: Tensor
    convention: Tensor
    fits: Tensor


def make_batch(text: Text, sentences: Array) -> Batch:
    """Some sentences of a text, padded to a multiple of :data:`STEP` with the token in front."""
    starts, lengths = text.offsets[sentences], text.lengths[sentences]
    longest = -(-(int(lengths.max()) + 1) // STEP) * STEP - 1
    steps = np.arange(longest)
    inside = steps < lengths[:, None]
    at = np.where(inside, starts[:, None] + steps, 0)
    ends, known = text.ends[at], text.open[at] == 0
    before = np.concatenate([np.ones_like(ends[:, :1]), ends[:, :-1]], 1)
    sure = np.concatenate([np.ones_like(known[:, :1]), known[:, :-1]], 1)
    fits = np.stack(
        [
            (~sure | (before == (tag in BEGINS))) & (~known | (ends == (tag in ENDS)))
            for tag in FOUR
        ],
        2,
    )
    return Batch(
        torch.from_numpy(np.where(inside, text.numbers[at], 0).astype(np.int64)),
        torch.from_numpy(np.where(inside[:, :, None], text.linear[at], 0).astype(np.float32)),
        torch.from_numpy(lengths.astype(np.int64)),
        torch.from_numpy(text.convention[sentences].astype(np.int64)),
        torch.from_numpy(fits.transpose(1, 0, 2).copy()),
    )


def batches(text: Text, order: Array, most: int, window: int = 2000) -> Iterator[Array]:
    """Sentences of like length together, roughly in the order given.

    Args:
        text: the sentences.
        order: their numbers.
        most: places of a batch, padded.
        window: so many sentences are sorted by length.
    """
    rng = np.random.default_rng(SEED)
    for a in range(0, len(order), window):
        part = order[a : a + window]
        part = part[np.argsort(text.lengths[part], kind="stable")]
        made, begin = [], 0
        while begin < len(part):
            end = begin + 1
            while end < len(part):
                padded = -(-(int(text.lengths[part[end]]) + 1) // STEP) * STEP
                if padded * (end + 1 - begin) > most:
                    break
                end += 1
            made.append(part[begin:end])
            begin = end
        for i in rng.permutation(len(made)).tolist():
            yield made[i]


# --- training ---------------------------------------------------------------------------------


class Schedule(NamedTuple):
    """How the teacher learns.

    Attributes:
        minutes: of the processor.
        rate, own_rate: of the encoder and of what is new.
        warm_up: share of the time in which the rate rises.
        places: of a batch.
        decay: of the weights.
        save: minutes between checkpoints.
    """

    minutes: float = 55.0
    rate: float = 2.5e-4
    own_rate: float = 1e-3
    warm_up: float = 0.03
    places: int = PLACES
    decay: float = 0.01
    save: float = 3.0


def train(prepared: Path, folder: Path, out: Path, plan: Schedule) -> None:
    """Trains until the time is over; goes on from ``out`` if it is there."""
    torch.manual_seed(SEED)
    with np.load(prepared) as arrays:
        text = Text(*(arrays[name] for name in Text._fields))
        trans, start = arrays["trans"], arrays["start"]
    net = Teacher(encoder.load(folder), encoder.read_vocabulary(folder)["[CLS]"], trans, start)
    new = [net.beside.weight, *net.common.parameters(), net.own, net.bias]
    names = {id(x) for x in new}
    old = [x for x in net.parameters() if x.requires_grad and id(x) not in names]
    groups = [{"params": old, "most": plan.rate}, {"params": new, "most": plan.own_rate}]
    optimizer = torch.optim.AdamW(
        groups, lr=plan.rate, betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
    )
    spent, step = 0.0, 0
    if out.exists():
        state = torch.load(out, weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        spent, step = state["spent"], state["step"]
    done, at, last_save, read, mean = spent / (60 * plan.minutes), 0, spent, 0, 0.0
    begun = time.monotonic() - spent

    def save() -> None:
        with WholeFile(out) as file:
            torch.save(
                {
                    "net": net.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "spent": spent,
                    "step": step,
                },
                file,
            )

    while done < 1:
        for of in batches(text, np.arange(len(text.convention)), plan.places):
            at += 1
            if at <= step:  # learnt before the interruption
                continue
            done = spent / (60 * plan.minutes)
            share = min(done / plan.warm_up, (1 - done) / (1 - plan.warm_up))
            for group in optimizer.param_groups:
                group["lr"] = group["most"] * max(share, 1e-3)
            loss = net.loss(make_batch(text, of))
            loss.backward()
            nn.utils.clip_grad_norm_([*old, *new], 1.0)
            optimizer.step()
            optimizer.zero_grad()
            step = at
            read += int(text.lengths[of].sum())
            mean += 0.02 * (loss.item() - mean) if mean else loss.item()
            spent = time.monotonic() - begun
            if step % 50 == 0:
                print(f"{spent:.0f} s, step {step}, {read} characters, loss {mean:.4f}", flush=True)
            if spent - last_save > 60 * plan.save or spent > 60 * plan.minutes:
                save()
                last_save = spent
            if spent > 60 * plan.minutes:
                done = 1.0
                break


# --- reading ----------------------------------------------------------------------------------


def load(path: Path, folder: Path, reader: Reader) -> Teacher:
    """A trained teacher.

    Args:
        path: its checkpoint.
        folder: of the encoder.
        reader: of the linear tagger that it corrects.
    """
    first = encoder.read_vocabulary(folder)["[CLS]"]
    net = Teacher(encoder.load(folder), first, reader.trans, reader.start)
    net.load_state_dict(torch.load(path, weights_only=True)["net"])
    net.eval()
    return net


def lighter(net: Teacher) -> Teacher:
    """The same with matrices of 8 bits: 2.5 times as fast where the processor has VNNI."""
    torch.backends.quantized.engine = "onednn"
    found = copy.copy(net)
    found._modules = dict(net._modules)
    found.net = torch.ao.quantization.quantize_dynamic(net.net, {nn.Linear}, torch.qint8)
    return found


def chances(net: Teacher, reader: Reader, texts: Sequence[str], convention: str) -> list[Array]:
    """The chance of a word's end after each character, as a convention has it.

    Args:
        net, reader: of :func:`load`.
        texts: without blanks.
        convention: of :data:`CONVENTIONS`.
    """
    pieces = [text[a : a + MOST] for text in texts for a in range(0, len(text), MOST)]
    nothing = (np.zeros(len(text), np.uint8) for text in pieces)
    columns = reader.columns(
        Row(convention, text, x, x) for text, x in zip(pieces, nothing, strict=True)
    )
    found = np.zeros(len(columns.numbers), np.float32)
    for of in batches(columns, np.arange(len(pieces)), PLACES, len(pieces)):
        with torch.no_grad():
            made = net.chances(make_batch(columns, of)).numpy()
        for i, row in zip(of.tolist(), made, strict=True):
            start, end = columns.offsets[i : i + 2]
            found[start:end] = row[: end - start]
    return np.split(found, np.cumsum([len(text) for text in texts])[:-1])


def in_question(lines: Sequence[Line], labels: Mapping[str, Array]) -> Array:
    """Numbers of the lines, those first on which the linear voters differ most gravely.

    Args:
        lines: the raw text; old Chinese is left out.
        labels: of :func:`recipes.votes.label`: ``accurate``, ``balanced``, ``fast``, ``lattice``.
    """
    starts = np.concatenate([[0], np.cumsum([len(line.text) for line in lines])])[:-1]
    own = labels["accurate"]
    near = (own != labels["balanced"]) | (own != labels["fast"])
    rank = np.full(len(lines), 2.0)
    rank[np.logical_or.reduceat(own != labels["lattice"], starts)] = 1
    rank[np.logical_or.reduceat(near, starts)] = 0
    order = np.argsort(rank + np.random.default_rng(SEED).random(len(lines)))
    kept = np.array([line.source not in votes.SKIPPED for line in lines])
    found: Array = order[kept[order]]
    return found


def read(
    net: Teacher, reader: Reader, lines: Sequence[Line], order: Array, convention: str, out: Path
) -> None:
    """Writes the chances of all characters of the lines, as far as they are read; NaN elsewhere.

    Args:
        net, reader: of :func:`load`.
        lines: the raw text.
        order: numbers of the lines that are read.
        convention: of :data:`CONVENTIONS`.
        out: ``.npy``, written after every tenth of a million characters or so: the reading may be
            stopped at any time.
    """
    starts = np.concatenate([[0], np.cumsum([len(line.text) for line in lines])])
    found = np.full(starts[-1], np.nan, np.float16)
    begun, count = time.monotonic(), 0
    for at in range(0, len(order), CHUNK):
        places = [
            (int(starts[i]) + part.start(), part[0])
            for i in order[at : at + CHUNK]
            for part in re.finditer(r"\S+", lines[i].text)
        ]
        given = chances(net, reader, [text for _, text in places], convention)
        for (start, text), chance in zip(places, given, strict=True):
            found[start : start + len(text)] = chance
            count += len(text)
        with WholeFile(out) as file:
            np.save(file, found)
        speed = count / (time.monotonic() - begun)
        print(f"{at + CHUNK} of {len(order)} lines, {speed:.0f} characters/s", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The stages of the teacher."""
    from recipes import teacher_lessons
    from recipes.__main__ import ROOT, Work

    parser = argparse.ArgumentParser(prog="python -m recipes.teacher")
    parser.add_argument("stage", choices=("prepare", "train", "read"))
    parser.add_argument("--work", type=Path, required=True, help="folder of `python -m recipes`")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--minutes", type=float, default=Schedule().minutes, help="of training")
    parser.add_argument("--part", default="0/1", help="of the reading: number/parts")
    parser.add_argument("--convention", default=GENERAL, choices=CONVENTIONS, help="to read in")
    parser.add_argument("--most", type=int, help="lines that are read")
    given = parser.parse_args(arguments)
    work = Work(given.shared, given.work, ROOT / "models")
    lessons, checkpoint = given.work / "lessons.npz", given.work / "teacher.pt"
    folder = given.shared / "encoder"
    if given.stage == "prepare":
        teacher_lessons.prepare(work, lessons)
    elif given.stage == "train":
        train(lessons, folder, checkpoint, Schedule(minutes=given.minutes))
    else:
        number, _, parts = given.part.partition("/")
        if not (number.isdecimal() and parts.isdecimal() and int(number) < int(parts)):
            raise ArgumentError(f"part: {given.part!r} is not of the form 0/2")
        reader = Reader(folder, load_segmenter("balanced"))
        order = in_question(work.lines(), work.shipped_labels())[: given.most]
        read(
            lighter(load(checkpoint, folder, reader)),
            reader,
            work.lines(),
            order[int(number) :: int(parts)],
            given.convention,
            given.work / f"teacher-{given.convention}-{number}.npy",
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
