"""The network of ``best``: a pre-trained encoder that corrects a linear tagger.

Its scores of the four tags are added to those of the tagger; the sum is the emission score of a
CRF.  The network learns texts of several conventions, and an embedding in front of each piece of
text tells it the convention.  The loss sums over open boundaries (Tsuboi et al. 2008).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

from recipes import encoder, partial
from recipes.descent import Descent, descend
from segmenter.files.atomic import WholeFile
from segmenter.kernels import _tokens
from segmenter.tagging.predictor import Predictor
from segmenter.train.crf_layer import log_partition
from segmenter.train.tagging import features
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from recipes.work import Work
    from segmenter.core import Segmenter

    Array = NDArray[Any]

#: Parts of the lessons, see teacher_lessons.py.
PARTS = ("gold", "evidence", "newspaper", "national", "written", "entities", "edges", "raw")
GENERAL, NATIONAL, PKU, SINICA, AS = "general", "national", "pku", "sinica", "as"
CONVENTIONS = (GENERAL, *partial.GOLD, NATIONAL, PKU, AS)
ROW = 64  # places of a row of several pieces; longer pieces have rows of their own
WINDOW = 20_000  # pieces that are packed together
PLACES = {"cpu": 1536, "cuda": 24_576}  # of a batch
NEVER = -1e4
LEGAL = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
FINE = (
    2  # steps a nat of the linear tagger's scores, which are kept as distances below the best tag
)
RULED_OUT = 24  # largest distance in these steps
#: Shares of the parts in a pass of each network; 1 if not named.
COMMON = {"gold": 0.8, "newspaper": 1.0, "national": 0.4, "written": 3.0}
SHARES = {
    "network": {**COMMON, "edges": 0.0, "raw": 0.7},
    "edges": {**COMMON, "entities": 0.0, "raw": 0.3},
}
#: Factors of the linear tagger's scores in doubted pieces.
DOUBTS = (0.0, 0.3, 0.5)
#: Text between two of these marks is read by itself.
MARKS = features.MARKS + "…—（）《》〈〉【】〔〕［］,;!?()[]|"


class Text(NamedTuple):
    """Sentences as columns; all but the first and the last have an entry for each character."""

    offsets: Array  # of the sentences in the other columns
    numbers: Array  # tokens of the encoder
    linear: Array  # scores of the linear tagger, (characters, 4): halves of a nat below the best
    ends: Array  # whether a word ends
    open: Array  # whether the end is unknown
    convention: Array  # of each sentence, a number in CONVENTIONS

    @property
    def lengths(self) -> Array:
        return np.diff(self.offsets)


class Pieces(NamedTuple):
    """Parts of a text that are read by themselves: places in its columns, and conventions."""

    starts: Array
    lengths: Array
    convention: Array


def clauses(text: Text, chosen: Array, marks: Array) -> Pieces:
    """Sentences in pieces: the clauses between the marks of the chosen sentences, the others whole.

    ``marks`` tells of each token whether it is a mark.

    >>> text = Text(np.array([0, 4]), np.array([7, 8, 1, 9]), *[np.array([1, 1, 1, 1])] * 2,
    ...             np.zeros(4), np.array([0]))
    >>> pieces = clauses(text, np.array([True]), np.arange(10) == 1)
    >>> pieces.starts.tolist(), pieces.lengths.tolist()
    ([0, 3], [2, 1])
    """
    free = (text.ends == 1) | (text.open == 1)
    first, last = np.zeros(len(free), bool), np.zeros(len(free), bool)
    first[text.offsets[:-1]] = last[text.offsets[1:] - 1] = True
    opened = first.copy()
    opened[1:] |= free[:-1]
    skipped = marks[text.numbers] & free & opened & np.repeat(chosen, text.lengths)
    first[1:] |= skipped[:-1]
    last[:-1] |= skipped[1:]
    starts = np.flatnonzero(first & ~skipped)
    lengths = np.flatnonzero(last & ~skipped) + 1 - starts
    sentence = np.searchsorted(text.offsets, starts, "right") - 1
    return Pieces(starts, lengths, text.convention[sentence])


class Row(NamedTuple):
    """A sentence without blanks, its ends and open ends as in :class:`Text`, and its tagger."""

    convention: str
    text: str
    ends: Array
    open: Array
    tagger: Segmenter  # scores it


class Reader:
    """Turns sentences into columns, for the encoder of a folder and the tagger that it corrects."""

    def __init__(self, folder: Path, tagger: Segmenter) -> None:
        assert isinstance(tagger.tagger, Predictor)
        self.fold = tagger.tagger.fold
        vocabulary = encoder.read_vocabulary(folder)
        self.numbers = encoder.numbering(vocabulary, self.fold)
        self.marks = np.zeros(len(vocabulary), bool)
        self.marks[self.numbers(MARKS)] = True
        self.marks[vocabulary["[UNK]"]] = False
        self.start, self.trans, _ = scores_of(tagger, "一")

    def columns(self, rows: Sequence[Row]) -> Text:
        """Sentences as columns."""
        scores = []
        for row in rows:
            scale, _, _, integers = _tokens.tag_scores(row.tagger._engine, row.text)
            emissions = np.frombuffer(integers, np.int32).reshape(-1, len(FOUR))
            below = (emissions.max(1, keepdims=True) - emissions) * (FINE / scale)
            scores.append(np.minimum(np.rint(below), RULED_OUT).astype(np.uint8))
        return Text(
            np.cumsum([0, *(len(row.text) for row in rows)]),
            np.concatenate([self.numbers(row.text) for row in rows]),
            np.concatenate(scores),
            np.concatenate([row.ends for row in rows]),
            np.concatenate([row.open for row in rows]),
            np.array([CONVENTIONS.index(row.convention) for row in rows], np.uint8),
        )


def scores_of(segmenter: Segmenter, text: str) -> tuple[Array, Array, Array]:
    """A tagger's scores in nats: of the first tag, of transitions, and the emissions."""
    scale, *columns = _tokens.tag_scores(segmenter._engine, text)
    start, trans, emissions = (np.frombuffer(x, np.int32) / scale for x in columns)
    return start, trans.reshape(len(FOUR), len(FOUR)), emissions.reshape(-1, len(FOUR))


class Crf(nn.Module):
    """The linear tagger's CRF; scores are ``(places, sentences, 4)``."""

    trans: Tensor
    start: Tensor
    end: Tensor

    def __init__(self, trans: Array, start: Array) -> None:
        super().__init__()
        begin = np.where([tag in BEGINS for tag in FOUR], start, NEVER)
        end = np.where([tag in ENDS for tag in FOUR], 0.0, NEVER)
        for name, x in (("trans", np.where(LEGAL, trans, NEVER)), ("start", begin), ("end", end)):
            self.register_buffer(name, torch.from_numpy(x.astype(np.float32)))

    def total(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The logarithm of the sum over all tag sequences."""
        return log_partition(scores, lengths, self.trans, self.start, self.end)

    def loss(self, scores: Tensor, batch: Batch) -> Tensor:
        """Minus the log likelihood of the known ends, of each sentence."""
        fitting = scores.masked_fill(~batch.fits, NEVER)
        doubled = torch.cat([scores, fitting], 1)
        total, fitting_total = self.total(doubled, batch.lengths.repeat(2)).chunk(2)
        return total - fitting_total

    def chances(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The probability of a word's end after each character, ``(places, sentences)``."""
        scores = scores.detach().requires_grad_()
        (tags,) = torch.autograd.grad(self.total(scores, lengths).sum(), scores)
        return tags[:, :, [i for i, tag in enumerate(FOUR) if tag in ENDS]].sum(2)


class Teacher(nn.Module):
    """The encoder with an output layer for every convention; the embeddings do not learn."""

    def __init__(self, net: encoder.Encoder, trans: Array, start: Array) -> None:
        super().__init__()
        self.net = net
        net.token.requires_grad_(False)
        net.position.requires_grad_(False)
        n, k, width = len(CONVENTIONS), len(FOUR), net.sizes.width
        self.beside = nn.Embedding(n, width)
        self.common = nn.Linear(width, k)
        self.own = nn.Parameter(torch.zeros(n, k, width))
        self.bias = nn.Parameter(torch.zeros(n, k))
        for x in (self.beside.weight, self.common.weight, self.common.bias):
            nn.init.zeros_(x)
        self.crf = Crf(trans, start)

    def scores(self, batch: Batch) -> Tensor:
        """The network's scores of the tags plus the linear tagger's, ``(places, pieces, 4)``."""
        packed = batch.packed
        with faster(batch.linear.device):
            x = self.net.embedded(packed.numbers, packed.places)
            front = self.beside(batch.convention).to(x.dtype)
            flat = x.view(-1, x.shape[2]).index_add(0, packed.fronts, front)
            x = self.net.read(flat.view_as(x), packed.attends)
        x = x.reshape(-1, x.shape[2])[packed.index].float()
        weight = self.common.weight + self.own[batch.convention]
        bias = self.common.bias + self.bias[batch.convention]
        emissions = torch.bmm(x, weight.transpose(1, 2)) + bias.unsqueeze(1) - batch.linear
        return emissions.transpose(0, 1)

    def loss(self, batch: Batch) -> Tensor:
        """Minus the log likelihood of the known ends, by character."""
        return self.crf.loss(self.scores(batch), batch).sum() / batch.lengths.sum()


def faster(device: torch.device) -> torch.autocast:
    """Matrices in 16 bits where the hardware multiplies them.

    A pass is 2.5 times as fast as in 32 bits on a processor with AVX512-BF16, and 30 times as slow
    on one with AVX2 alone.
    """
    able = device.type != "cpu" or torch.cpu.get_capabilities().get("avx512_bf16", False)
    return torch.autocast(device.type, torch.bfloat16, enabled=bool(able))


class Rows(NamedTuple):
    """The pieces of a batch, and their places in its rows."""

    pieces: Array  # their numbers
    fronts: Array  # where the token in front of each is, in all rows one after another
    height: int  # rows
    length: int  # places of a row


def batches(lengths: Array, order: Array, limit: int) -> Iterator[Rows]:
    """Packs pieces into rows, roughly in the order given; best fit, longest first.

    Args:
        lengths: of all pieces.
        order: numbers of pieces.
        limit: places of a batch.
    """
    rng = np.random.default_rng(len(order))
    for a in range(0, len(order), WINDOW):
        part = order[a : a + WINDOW]
        by_length: dict[int, list[list[tuple[int, int]]]] = {}
        room: dict[int, list[list[tuple[int, int]]]] = {}
        for piece in part[np.argsort(-lengths[part], kind="stable")].tolist():
            need = int(lengths[piece]) + 1
            if need > ROW:
                by_length.setdefault(-(-need // ROW) * ROW, []).append([(piece, 0)])
                continue
            free = next((k for k in range(need, ROW) if room.get(k)), 0)
            if free:
                row = room[free].pop()
            else:
                free, row = ROW, []
                by_length.setdefault(ROW, []).append(row)
            row.append((piece, ROW - free))
            room.setdefault(free - need, []).append(row)
        groups = []
        for length, rows in sorted(by_length.items()):
            count = max(1, limit // length)
            mixed = [rows[i] for i in rng.permutation(len(rows)).tolist()]
            for b in range(0, len(mixed), count):
                chosen = mixed[b : b + count]
                places = [(p, i * length + at) for i, row in enumerate(chosen) for p, at in row]
                pieces, fronts = np.array(places, np.int64).T
                groups.append(Rows(pieces, fronts, count, length))
        for i in rng.permutation(len(groups)).tolist():
            yield groups[i]


class Packed(NamedTuple):
    """Pieces packed into rows for the encoder, and where they are side by side."""

    numbers: Tensor  # tokens, (rows, places)
    places: Tensor  # the place of each token in its piece; 0: the token in front
    piece: Tensor  # of each token; -1: none
    fronts: Tensor  # of the tokens in front, in all rows one after another
    index: Tensor  # where in the rows each character is, (pieces, places)
    source: Tensor  # where in the column it is
    valid: Tensor  # which of these places are of the piece

    @property
    def attends(self) -> Tensor:
        """Which places each place attends to: those of its piece."""
        return self.piece.unsqueeze(2) == self.piece.unsqueeze(1)


def pack(column: Tensor, starts: Array, lengths: Array, rows: Rows, front: int) -> Packed:
    """Packs pieces of a column of tokens into rows, with the token ``front`` in front of each."""
    device, pieces = column.device, rows.pieces

    def values_of(values: Array) -> Tensor:
        return torch.from_numpy(values.astype(np.int64)).to(device).unsqueeze(1)

    steps = torch.arange(int(lengths[pieces].max()), device=device)
    valid = steps < values_of(lengths[pieces])
    source = torch.where(valid, values_of(starts[pieces]) + steps, 0)
    fronts = values_of(rows.fronts)
    index = torch.where(valid, fronts + 1 + steps, 0)
    numbers = torch.zeros(rows.height * rows.length, dtype=torch.int64, device=device)
    places, piece = numbers + 1, numbers - 1
    numbers[index[valid]] = column[source[valid]].long()
    places[index[valid]] = (steps + 1).expand_as(index)[valid]
    numbers[fronts] = front
    places[fronts] = 0
    owner = torch.arange(len(pieces), device=device).unsqueeze(1)
    piece[index[valid]] = owner.expand_as(index)[valid]
    piece[fronts] = owner
    numbers, places, piece = (x.view(rows.height, rows.length) for x in (numbers, places, piece))
    return Packed(numbers, places, piece, fronts.squeeze(1), index, source, valid)


class Batch(NamedTuple):
    """Pieces for the encoder and for the CRF."""

    packed: Packed
    linear: Tensor  # in nats, (pieces, places, 4)
    lengths: Tensor  # of the pieces
    convention: Tensor
    fits: Tensor  # which tags are allowed, (places, pieces, 4)


class Columns:
    """A text's columns on a device; ``front``: the token in front of a piece."""

    def __init__(self, text: Text, device: torch.device, front: int = 0) -> None:
        self.first = front
        self.numbers = torch.from_numpy(text.numbers.astype(np.int32)).to(device)
        self.linear = torch.from_numpy(text.linear).to(device)
        self.ends = torch.from_numpy(text.ends).to(device)
        self.open = torch.from_numpy(text.open).to(device)

    def batch(self, pieces: Pieces, rows: Rows) -> Batch:
        """The pieces of some rows."""
        packed = pack(self.numbers, pieces.starts, pieces.lengths, rows, self.first)
        valid, source = packed.valid, packed.source
        ends, is_known = self.ends[source] == 1, self.open[source] == 0
        first = torch.ones_like(ends[:, :1])
        before = torch.cat([first, ends[:, :-1]], 1)
        sure = torch.cat([first, is_known[:, :-1]], 1)
        fits = [
            (~sure | (before == (tag in BEGINS))) & (~is_known | (ends == (tag in ENDS)))
            for tag in FOUR
        ]
        convention = torch.from_numpy(pieces.convention[rows.pieces].astype(np.int64))
        return Batch(
            packed,
            torch.where(valid.unsqueeze(2), self.linear[source] / FINE, 0),
            valid.sum(1),
            convention.to(source.device),
            torch.stack(fits, 2).transpose(0, 1),
        )


# --- training ---------------------------------------------------------------------------------


PASSES = 1.3  # over all texts; over a hundredth of the corpora a tenth, for the time that it takes


class Schedule(NamedTuple):
    """How the teacher learns; the defaults are those of the network that ships."""

    passes: float = PASSES
    rate: float = 1e-4  # of the encoder
    own_rate: float = 5e-4  # of the new parameters
    places: int = PLACES["cpu"]  # of a batch
    shares: Mapping[str, float] = MappingProxyType({})  # of PARTS in a pass; 1 if not named
    divided: float = 0.6  # share of the sentences that are read clause by clause
    doubted: float = 0.3  # share of the pieces whose linear scores are multiplied by one of DOUBTS
    seed: int = 1  # order of the sentences


def train(
    prepared: Path,
    base: encoder.Encoder,
    front: int,
    path: Path,
    plan: Schedule,
    device: torch.device,
) -> Teacher:
    """Trains on the lessons of a file; writes the weights to ``path``, with a checkpoint beside it.

    Args:
        prepared: of :func:`recipes.teacher_lessons.lessons`.
        base: the encoder.
        front: number of the token in front.
        path: for the weights.
        plan: passes and rates.
        device: where the network is.
    """
    torch.manual_seed(plan.seed)
    with np.load(prepared) as arrays:
        text = Text(*(arrays[name] for name in Text._fields))
        trans, begin, parts, marks = (arrays[x] for x in ("trans", "start", "part", "marks"))
    net: Teacher = Teacher(base, trans, begin).to(device)
    new = [net.beside.weight, *net.common.parameters(), net.own, net.bias]
    names = {id(x) for x in new}
    old = [x for x in net.parameters() if x.requires_grad and id(x) not in names]
    columns = Columns(text, device, front)

    def loss(chosen: tuple[Pieces, Rows]) -> tuple[Tensor, int]:
        pieces, rows = chosen
        value = net.loss(doubted(columns.batch(pieces, rows), plan.doubted))
        return value, int(pieces.lengths[rows.pieces].sum())

    descent = Descent((plan.rate, plan.own_rate), warm_up=0.02, mean=0.003)
    checkpoint = path.with_suffix(".checkpoint")
    descend(net, (old, new), descent, schedule(text, plan, parts, marks), loss, checkpoint)
    with WholeFile(path) as file:
        torch.save({"net": net.state_dict()}, file)
    checkpoint.unlink(missing_ok=True)
    return net


def doubted(batch: Batch, share: float) -> Batch:
    """The batch with less weight of the linear tagger in a share of the pieces."""
    count, device = len(batch.lengths), batch.linear.device
    factors = torch.tensor(DOUBTS, device=device)
    drawn = factors[torch.randint(len(DOUBTS), (count,), device=device)]
    trust = torch.where(torch.rand(count, device=device) < share, drawn, 1.0)
    return batch._replace(linear=batch.linear * trust.view(-1, 1, 1))


def schedule(text: Text, plan: Schedule, parts: Array, marks: Array) -> list[tuple[Pieces, Rows]]:
    """The batches of all passes in order: all pieces of a pass, and those of the batch.

    ``parts`` has the part of the lessons of each sentence; ``marks`` as for :func:`clauses`.
    """
    steps: list[tuple[Pieces, Rows]] = []
    shares = np.array([plan.shares.get(name, 1.0) for name in PARTS])
    for number in range(int(np.ceil(plan.passes))):
        rng = np.random.default_rng((plan.seed, number))
        count = len(text.convention)
        divided = (rng.random(count) < plan.divided) | (text.lengths >= ROW)
        pieces = clauses(text, divided, marks)
        sentence = np.searchsorted(text.offsets, pieces.starts, "right") - 1
        times = (shares[parts] + rng.random(count)).astype(np.int64)[sentence]
        order = rng.permutation(np.repeat(np.arange(len(sentence)), times))
        order = order[: round(min(plan.passes - number, 1.0) * len(order))]
        packed = batches(pieces.lengths, order, plan.places)
        steps += ((pieces, rows) for rows in packed)
    return steps


def network(work: Work, name: str, seed: int) -> None:
    """The stage: a network, which learns the parts of the lessons that :data:`SHARES` names."""
    folder = work.shared / "encoder"
    base = encoder.load(folder)
    base.load_state_dict(torch.load(work.folder / "encoder.pt", weights_only=True))
    train(
        work.folder / "lessons.npz",
        base,
        encoder.read_vocabulary(folder)["[CLS]"],
        work.folder / f"{name}.pt",
        Schedule(
            PASSES * work.share**0.5, places=PLACES[work.device], shares=SHARES[name], seed=seed
        ),
        torch.device(work.device),
    )
