"""The network of ``best``: an encoder that has read much text corrects a linear tagger.

Its scores of the four tags are added to those of the tagger, and the sum is a CRF's.  It learns
texts of several conventions, each with an embedding of its own in front of the sentence; open
boundaries are summed over (Tsuboi et al. 2008).

    python -m recipes make --work DIR --until network
    python -m recipes.teacher read --work DIR

The second command reads raw text for the students.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

from recipes import encoder, partial, votes
from segmenter.errors import ArgumentError
from segmenter.files.atomic import WholeFile
from segmenter.kernels import _engine
from segmenter.loading import load_by_name
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

#: Parts of what the network learns, see teacher_lessons.py.
PARTS = ("gold", "evidence", "newspaper", "national", "written", "entities", "raw")
GENERAL, NATIONAL, PKU, SINICA, AS = "general", "national", "pku", "sinica", "as"
CONVENTIONS = (GENERAL, *partial.GOLD, NATIONAL, PKU, AS)
STEP = 16  # lengths in a batch are multiples of it: every new shape is compiled
PLACES = {"cpu": 1600, "cuda": 12_000}  # of a batch
MOST = 400  # characters; longer texts are read in pieces
NEVER = -1e4
FINE = 4  # scores of the linear tagger are kept in quarters of a nat below the best tag,
RULED_OUT = 48  # and no more than so many of them
CHUNK = 20_000  # sentences between two reports of the reading


class Text(NamedTuple):
    """Sentences as columns.

    Attributes:
        offsets: of the sentences in the other columns.
        numbers: tokens of the encoder.
        linear: scores of the linear tagger, ``(characters, 4)``: quarters of a nat below the best.
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
        """Scores of a linear tagger: quarters of a nat that each tag is below the best one."""
        given = _engine.tag_scores((tagger or self.tagger)._engine, text)
        found = np.frombuffer(given[4], np.int32).reshape(-1, len(FOUR))
        below = (found.max(1, keepdims=True) - found) * (FINE / given[1])
        bounded: Array = np.minimum(np.rint(below), RULED_OUT).astype(np.uint8)
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
        both = torch.cat([scores, fitting], 1)
        every, some = self.total(both, batch.lengths.repeat(2)).chunk(2)
        return every - some


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
        device = batch.numbers.device
        front = torch.full((len(batch.numbers), 1), self.first, device=device)
        steps = torch.arange(batch.numbers.shape[1] + 1, device=device)
        inside = steps <= batch.lengths.unsqueeze(1)
        with faster(device):
            numbers = torch.cat([front, batch.numbers], 1)
            x = self.net(numbers, inside, self.beside(batch.convention))
        x = x[:, 1:].float()
        weight = self.common.weight + self.own[batch.convention]
        bias = self.common.bias + self.bias[batch.convention]
        found = torch.bmm(x, weight.transpose(1, 2)) + bias.unsqueeze(1) - batch.linear
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


def faster(device: torch.device) -> torch.autocast:
    """Matrices in 16 bits: 2.5 times as fast on a processor with AVX512-BF16."""
    return torch.autocast(device.type, torch.bfloat16)


class Batch(NamedTuple):
    """Sentences side by side; ``linear`` in nats, ``fits`` is ``(places, sentences, 4)``."""

    numbers: Tensor
    linear: Tensor
    lengths: Tensor
    convention: Tensor
    fits: Tensor


class Columns:
    """A text's columns where the network is.

    Args:
        text: the sentences.
        device: of the network.
    """

    def __init__(self, text: Text, device: torch.device) -> None:
        self.text, self.lengths, self.device = text, text.lengths, device
        self.numbers = torch.from_numpy(text.numbers.astype(np.int32)).to(device)
        self.linear = torch.from_numpy(text.linear).to(device)
        self.ends = torch.from_numpy(text.ends).to(device)
        self.open = torch.from_numpy(text.open).to(device)

    def batch(self, sentences: Array) -> Batch:
        """Some sentences, padded to a multiple of :data:`STEP` with the token in front."""
        text = self.text
        lengths = self._there(self.lengths[sentences])
        longest = -(-(int(self.lengths[sentences].max()) + 1) // STEP) * STEP - 1
        steps = torch.arange(longest, device=self.device)
        inside = steps < lengths.unsqueeze(1)
        starts = self._there(text.offsets[sentences]).unsqueeze(1)
        at = torch.where(inside, starts + steps, 0)
        ends, known = self.ends[at] == 1, self.open[at] == 0
        first = torch.ones_like(ends[:, :1])
        before = torch.cat([first, ends[:, :-1]], 1)
        sure = torch.cat([first, known[:, :-1]], 1)
        fits = torch.stack(
            [
                (~sure | (before == (tag in BEGINS))) & (~known | (ends == (tag in ENDS)))
                for tag in FOUR
            ],
            2,
        )
        return Batch(
            torch.where(inside, self.numbers[at], 0),
            torch.where(inside.unsqueeze(2), self.linear[at] / FINE, 0),
            lengths,
            self._there(text.convention[sentences]),
            fits.transpose(0, 1),
        )

    def _there(self, of: Array) -> Tensor:
        return torch.from_numpy(of.astype(np.int64)).to(self.device)


def batches(text: Text, order: Array, most: int, window: int = 20_000) -> Iterator[Array]:
    """Sentences of like length together, roughly in the order given.

    Args:
        text: the sentences.
        order: their numbers.
        most: places of a batch, padded.
        window: so many sentences are sorted by length.
    """
    rng = np.random.default_rng(len(order))
    lengths = text.lengths
    for a in range(0, len(order), window):
        part = order[a : a + window]
        part = part[np.argsort(lengths[part], kind="stable")]
        made, begin = [], 0
        while begin < len(part):
            end = begin + 1
            while end < len(part):
                padded = -(-(int(lengths[part[end]]) + 1) // STEP) * STEP
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
        passes: over all texts.
        rate, own_rate: of the encoder and of what is new.
        warm_up: share of the passes in which the rate rises; it falls to nothing afterwards.
        places: of a batch.
        decay: of the weights.
        drop: dropout of the encoder.
        shares: how much of each part of the lessons (:data:`PARTS`) a pass
            has; all of it, unless it is named.
        seed: order of the sentences, dropout.
        save: minutes between checkpoints.
    """

    passes: float = 1.0
    rate: float = 1e-4
    own_rate: float = 5e-4
    warm_up: float = 0.02
    places: int = PLACES["cpu"]
    decay: float = 0.01
    drop: float = 0.0
    shares: Mapping[str, float] = MappingProxyType({})
    seed: int = 1
    save: float = 3.0


#: What the second round learns: more of what binds ``general``, at a lower rate.
BINDING = MappingProxyType(
    {
        "gold": 0.2,
        "evidence": 0.35,
        "newspaper": 0.1,
        "national": 0.05,
        "written": 0.4,
        "entities": 0.3,
        "raw": 0.0,
    }
)
ROUNDS = (
    Schedule(passes=0.7),
    Schedule(rate=5e-5, own_rate=2e-4, shares=BINDING, seed=2),
)


def train(
    prepared: Path,
    folder: Path,
    out: Path,
    plan: Schedule,
    device: torch.device,
    start: Path | None = None,
) -> None:
    """Trains, and goes on from ``out`` if it is there.

    Args:
        prepared: of :func:`recipes.teacher_lessons.prepare`.
        folder: of the encoder.
        out: the checkpoint.
        plan: passes and rates.
        device: where.
        start: checkpoint of an earlier round, whose weights are the first.
    """
    torch.manual_seed(plan.seed)
    with np.load(prepared) as arrays:
        text = Text(*(arrays[name] for name in Text._fields))
        trans, begin, parts = arrays["trans"], arrays["start"], arrays["part"]
    base = encoder.load(folder)
    base.drop = plan.drop
    net = Teacher(base, encoder.read_vocabulary(folder)["[CLS]"], trans, begin).to(device)
    new = [net.beside.weight, *net.common.parameters(), net.own, net.bias]
    names = {id(x) for x in new}
    old = [x for x in net.parameters() if x.requires_grad and id(x) not in names]
    groups = [{"params": old, "most": plan.rate}, {"params": new, "most": plan.own_rate}]
    optimizer = torch.optim.AdamW(
        groups, lr=plan.rate, betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
    )
    steps = 0
    if start:
        state = torch.load(start, weights_only=True, map_location=device)
        net.load_state_dict(state["net"])
    if out.exists():
        state = torch.load(out, weights_only=True, map_location=device)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        steps = state["steps"]

    def save() -> None:
        with WholeFile(out) as file:
            state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "steps": steps}
            torch.save(state, file)

    columns, order, lengths = Columns(text, device), schedule(text, plan, parts), text.lengths
    begun = saved = time.monotonic()
    mean, read = torch.zeros((), device=device), 0
    net.train()
    for at, of in enumerate(order[steps:], steps):
        done = at / len(order)
        share = min(done / plan.warm_up, (1 - done) / (1 - plan.warm_up))
        for group in optimizer.param_groups:
            group["lr"] = group["most"] * max(share, 0.02)
        loss = net.loss(columns.batch(of))
        loss.backward()
        nn.utils.clip_grad_norm_([*old, *new], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        steps = at + 1
        read += int(lengths[of].sum())
        mean += (0.02 if at else 1.0) * (loss.detach() - mean)
        if steps % 200 == 0:
            spent = time.monotonic() - begun
            print(f"{spent:.0f} s, {steps} of {len(order)} steps, {read} characters, "
                  f"loss {mean.item():.4f}", flush=True)  # fmt: skip
        if time.monotonic() - saved > 60 * plan.save:
            save()
            saved = time.monotonic()
    save()


def schedule(text: Text, plan: Schedule, parts: Array) -> list[Array]:
    """The batches of all passes, in their order.

    Args:
        text: all sentences.
        plan: shares and passes.
        parts: the part of the lessons that each sentence is of.
    """
    found: list[Array] = []
    for number in range(int(np.ceil(plan.passes))):
        rng = np.random.default_rng((plan.seed, number))
        order = rng.permutation(len(text.convention))
        if plan.shares:
            shares = np.array([plan.shares.get(name, 1.0) for name in PARTS])
            order = order[rng.random(len(order)) < shares[parts[order]]]
        count = len(order)
        share = min(plan.passes - number, 1.0)
        found += batches(text, order[: round(share * count)], plan.places)
    return found


# --- reading ----------------------------------------------------------------------------------


def load(path: Path, folder: Path, reader: Reader, device: torch.device | None = None) -> Teacher:
    """A trained teacher.

    Args:
        path: its checkpoint.
        folder: of the encoder.
        reader: of the linear tagger that it corrects.
        device: where it reads; default: the processor.
    """
    first = encoder.read_vocabulary(folder)["[CLS]"]
    net = Teacher(encoder.load(folder), first, reader.trans, reader.start)
    net.load_state_dict(torch.load(path, weights_only=True, map_location="cpu")["net"])
    net.eval()
    found: Teacher = net.to(device or "cpu")
    return found


def chances(net: Teacher, reader: Reader, texts: Sequence[str], convention: str) -> list[Array]:
    """The chance of a word's end after each character, as a convention has it.

    Args:
        net: a network of :func:`load`.
        reader: of the linear tagger that it corrects.
        texts: without blanks.
        convention: of :data:`CONVENTIONS`.
    """
    pieces = [text[a : a + MOST] for text in texts for a in range(0, len(text), MOST)]
    nothing = [np.zeros(len(text), np.uint8) for text in pieces]
    text = reader.columns(
        Row(convention, text, x, x) for text, x in zip(pieces, nothing, strict=True)
    )
    found = np.zeros(sum(map(len, pieces)), np.float32)
    device = net.crf.trans.device
    columns = Columns(text, device)
    for of in batches(text, np.arange(len(pieces)), PLACES[device.type], len(pieces)):
        with torch.no_grad():
            made = net.chances(columns.batch(of)).cpu().numpy()
        for i, row in zip(of.tolist(), made, strict=True):
            start, end = text.offsets[i : i + 2]
            found[start:end] = row[: end - start]
    return np.split(found, np.cumsum([len(text) for text in texts])[:-1])


def read(
    net: Teacher, reader: Reader, lines: Sequence[Line], part: slice, convention: str, out: Path
) -> None:
    """Writes the chances of all characters of raw text; old Chinese is left out.

    Args:
        net, reader: as for :func:`chances`.
        lines: the raw text.
        part: of the lines.
        convention: of :data:`CONVENTIONS`.
        out: ``.npy``: 254ths, :data:`votes.UNREAD` elsewhere.  It is written after every
            :data:`CHUNK` lines: the reading may be stopped at any time.
    """
    starts = np.concatenate([[0], np.cumsum([len(line.text) for line in lines])])
    found = np.full(starts[-1], votes.UNREAD, np.uint8)
    kept = [i for i, line in enumerate(lines) if line.source not in votes.SKIPPED]
    order = np.random.default_rng(0).permutation(kept)[part].tolist()
    begun, count = time.monotonic(), 0
    for at in range(0, len(order), CHUNK):
        places = [
            (int(starts[i]) + match.start(), match[0])
            for i in order[at : at + CHUNK]
            for match in re.finditer(r"\S+", lines[i].text)
        ]
        given = chances(net, reader, [text for _, text in places], convention)
        for (start, text), chance in zip(places, given, strict=True):
            found[start : start + len(text)] = np.rint(chance * (votes.UNREAD - 1))
            count += len(text)
        with WholeFile(out) as file:
            np.save(file, found)
        speed = count / (time.monotonic() - begun)
        print(f"{at + CHUNK} of {len(order)} lines, {speed:.0f} characters/s", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the sample of raw text of ``python -m recipes --work DIR``."""
    from recipes.__main__ import ROOT, Work

    parser = argparse.ArgumentParser(prog="python -m recipes.teacher")
    parser.add_argument("--work", type=Path, required=True, help="folder of `python -m recipes`")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--part", default="0/1", help="of the reading: number/parts")
    parser.add_argument("--convention", default=GENERAL, choices=CONVENTIONS, help="to read in")
    given = parser.parse_args(arguments)
    number, _, parts = given.part.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and int(number) < int(parts)):
        raise ArgumentError(f"part: {given.part!r} is not of the form 0/2")
    folder = given.shared / "encoder"
    reader = Reader(folder, load_by_name(str(given.work / "first.model")))
    net = load(given.work / "network.pt", folder, reader, torch.device(given.device))
    lines = Work(given.shared, given.work, ROOT / "models").lines()
    out = given.work / f"teacher-{given.convention}-{number}.npy"
    read(net, reader, lines, slice(int(number), None, int(parts)), given.convention, out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
