"""The network of ``best``: a pre-trained encoder that corrects a linear tagger.

Its scores of the four tags are added to those of the tagger; the sum is the emission score of a
CRF.  It is trained on texts of several conventions; an embedding in front of the sentence tells it
which one.  The loss sums over open boundaries (Tsuboi et al. 2008).
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

#: Parts of what the network learns, see teacher_lessons.py.
PARTS = ("gold", "evidence", "newspaper", "national", "written", "entities", "raw")
GENERAL, NATIONAL, PKU, SINICA, AS = "general", "national", "pku", "sinica", "as"
CONVENTIONS = (GENERAL, *partial.GOLD, NATIONAL, PKU, AS)
ROW = 64  # places of a row, which holds several pieces; longer pieces have rows of their own
WINDOW = 20_000  # so many pieces are packed together
PLACES = {"cpu": 1536, "cuda": 24_576}  # of a batch
NEVER = -1e4
LEGAL = np.array([[allowed(a, b) for b in FOUR] for a in FOUR])
FINE = 2  # scores of the linear tagger are kept in halves of a nat below the best tag,
RULED_OUT = 24  # and no more than so many of them
#: What the linear tagger's scores are multiplied by in pieces in which they are doubted.
DOUBTS = (0.0, 0.3, 0.5)
#: What stands between two of them is read by itself.
MARKS = features.MARKS + "…—（）《》〈〉【】〔〕［］,;!?()[]|"


class Text(NamedTuple):
    """Sentences as columns.

    Attributes:
        offsets: of the sentences in the other columns.
        numbers: tokens of the encoder.
        linear: scores of the linear tagger, ``(characters, 4)``: halves of a nat below the best.
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


class Pieces(NamedTuple):
    """Parts of a text that are read by themselves: places in its columns, and conventions."""

    starts: Array
    lengths: Array
    convention: Array


def clauses(text: Text, chosen: Array, marks: Array) -> Pieces:
    """Sentences in pieces: what stands between the marks of those chosen, the others whole.

    ``marks`` tells of each token whether it is one.

    >>> text = Text(np.array([0, 4]), np.array([7, 8, 1, 9]), *[np.array([1, 1, 1, 1])] * 2,
    ...             np.zeros(4), np.array([0]))
    >>> pieces = clauses(text, np.array([True]), np.arange(10) == 1)
    >>> pieces.starts.tolist(), pieces.lengths.tolist()
    ([0, 3], [2, 1])
    """
    free = (text.ends == 1) | (text.open == 1)
    first, last = np.zeros(len(free), bool), np.zeros(len(free), bool)
    first[text.offsets[:-1]] = last[text.offsets[1:] - 1] = True
    before = first.copy()
    before[1:] |= free[:-1]
    out = marks[text.numbers] & free & before & np.repeat(chosen, text.lengths)
    first[1:] |= out[:-1]
    last[:-1] |= out[1:]
    starts = np.flatnonzero(first & ~out)
    lengths = np.flatnonzero(last & ~out) + 1 - starts
    of = np.searchsorted(text.offsets, starts, "right") - 1
    return Pieces(starts, lengths, text.convention[of])


class Row(NamedTuple):
    """A sentence to be read: text without blanks, ends and open ends as in :class:`Text`."""

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
            scale, _, _, given = _tokens.tag_scores(row.tagger._engine, row.text)
            found = np.frombuffer(given, np.int32).reshape(-1, len(FOUR))
            below = (found.max(1, keepdims=True) - found) * (FINE / scale)
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
    """In nats: a tagger's scores of beginnings, of moves, and of the tags of each character."""
    scale, *columns = _tokens.tag_scores(segmenter._engine, text)
    start, trans, found = (np.frombuffer(x, np.int32) / scale for x in columns)
    return start, trans.reshape(len(FOUR), len(FOUR)), found.reshape(-1, len(FOUR))


class Crf(nn.Module):
    """The linear tagger's CRF, with its moves and beginnings; corrected scores go through it too.

    Scores are ``(places, sentences, 4)``.
    """

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
        """Minus the log likelihood of what is known, of each sentence."""
        fitting = scores.masked_fill(~batch.fits, NEVER)
        both = torch.cat([scores, fitting], 1)
        every, some = self.total(both, batch.lengths.repeat(2)).chunk(2)
        return every - some

    def chances(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The chance of a word's end after each character, ``(places, sentences)``."""
        scores = scores.detach().requires_grad_()
        (tags,) = torch.autograd.grad(self.total(scores, lengths).sum(), scores)
        return tags[:, :, [i for i, tag in enumerate(FOUR) if tag in ENDS]].sum(2)


class Teacher(nn.Module):
    """The encoder with an output layer for every convention.

    Args:
        net: the encoder; its embeddings do not learn.
        trans, start: of the linear tagger.
    """

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
        """Scores of the tags with the linear tagger's, ``(places, pieces, 4)``."""
        packed = batch.packed
        with faster(batch.linear.device):
            x = self.net.embedded(packed.numbers, packed.places)
            beside = self.beside(batch.convention).to(x.dtype)
            flat = x.view(-1, x.shape[2]).index_add(0, packed.fronts, beside)
            x = self.net.read(flat.view_as(x), packed.seen)
        x = x.reshape(-1, x.shape[2])[packed.index].float()
        weight = self.common.weight + self.own[batch.convention]
        bias = self.common.bias + self.bias[batch.convention]
        found = torch.bmm(x, weight.transpose(1, 2)) + bias.unsqueeze(1) - batch.linear
        return found.transpose(0, 1)

    def loss(self, batch: Batch) -> Tensor:
        """Minus the log likelihood of what is known, by character."""
        return self.crf.loss(self.scores(batch), batch).sum() / batch.lengths.sum()


def faster(device: torch.device) -> torch.autocast:
    """Matrices in 16 bits: 2.5 times as fast on a processor with AVX512-BF16."""
    return torch.autocast(device.type, torch.bfloat16)


class Rows(NamedTuple):
    """The pieces of a batch and their places in its rows.

    Attributes:
        pieces: their numbers.
        fronts: where the token in front of each is, in all rows one after another.
        many, length: of the rows.
    """

    pieces: Array
    fronts: Array
    many: int
    length: int


def batches(lengths: Array, order: Array, most: int) -> Iterator[Rows]:
    """Pieces packed into rows, roughly in the order given; best fit, longest first.

    ``order`` has the numbers of the pieces, ``lengths`` is of all of them; ``most`` places a batch.
    """
    rng = np.random.default_rng(len(order))
    for a in range(0, len(order), WINDOW):
        part = order[a : a + WINDOW]
        made: dict[int, list[list[tuple[int, int]]]] = {}
        room: dict[int, list[list[tuple[int, int]]]] = {}
        for piece in part[np.argsort(-lengths[part], kind="stable")].tolist():
            need = int(lengths[piece]) + 1
            if need > ROW:
                made.setdefault(-(-need // ROW) * ROW, []).append([(piece, 0)])
                continue
            free = next((k for k in range(need, ROW) if room.get(k)), 0)
            if free:
                row = room[free].pop()
            else:
                free, row = ROW, []
                made.setdefault(ROW, []).append(row)
            row.append((piece, ROW - free))
            room.setdefault(free - need, []).append(row)
        groups = []
        for length, rows in sorted(made.items()):
            many = max(1, most // length)
            mixed = [rows[i] for i in rng.permutation(len(rows)).tolist()]
            for b in range(0, len(mixed), many):
                here = mixed[b : b + many]
                places = [(p, i * length + at) for i, row in enumerate(here) for p, at in row]
                pieces, fronts = np.array(places, np.int64).T
                groups.append(Rows(pieces, fronts, many, length))
        for i in rng.permutation(len(groups)).tolist():
            yield groups[i]


class Packed(NamedTuple):
    """Pieces packed into rows for the encoder, and where they are side by side.

    Attributes:
        numbers, places, piece: of the rows, ``(rows, places)``: tokens, the place of each in its
            piece (0: the token in front) and the piece itself (-1: none).
        fronts: where in the rows, one after another, the tokens in front are.
        index: where in the rows each character is, ``(pieces, places)``.
        at: where in the column it is.
        inside: which places are of the piece.
    """

    numbers: Tensor
    places: Tensor
    piece: Tensor
    fronts: Tensor
    index: Tensor
    at: Tensor
    inside: Tensor

    @property
    def seen(self) -> Tensor:
        """Which places each place attends to: those of its piece."""
        return self.piece.unsqueeze(2) == self.piece.unsqueeze(1)


def pack(column: Tensor, starts: Array, lengths: Array, rows: Rows, first: int) -> Packed:
    """Pieces of a column of tokens in rows, ``first`` in front of each.

    ``starts`` and ``lengths`` are of all pieces.
    """
    device, of = column.device, rows.pieces

    def there(values: Array) -> Tensor:
        return torch.from_numpy(values.astype(np.int64)).to(device).unsqueeze(1)

    steps = torch.arange(int(lengths[of].max()), device=device)
    inside = steps < there(lengths[of])
    at = torch.where(inside, there(starts[of]) + steps, 0)
    fronts = there(rows.fronts)
    index = torch.where(inside, fronts + 1 + steps, 0)
    numbers = torch.zeros(rows.many * rows.length, dtype=torch.int64, device=device)
    places, piece = numbers + 1, numbers - 1
    numbers[index[inside]] = column[at[inside]].long()
    places[index[inside]] = (steps + 1).expand_as(index)[inside]
    numbers[fronts] = first
    places[fronts] = 0
    owner = torch.arange(len(of), device=device).unsqueeze(1)
    piece[index[inside]] = owner.expand_as(index)[inside]
    piece[fronts] = owner
    numbers, places, piece = (x.view(rows.many, rows.length) for x in (numbers, places, piece))
    return Packed(numbers, places, piece, fronts.squeeze(1), index, at, inside)


class Batch(NamedTuple):
    """Pieces for the encoder and for the CRF.

    Attributes:
        packed: for the encoder.
        linear: in nats, ``(pieces, places, 4)``.
        lengths, convention: of the pieces.
        fits: which tags are allowed, ``(places, pieces, 4)``.
    """

    packed: Packed
    linear: Tensor
    lengths: Tensor
    convention: Tensor
    fits: Tensor


class Columns:
    """A text's columns where the network is; ``first``: the token in front of a piece."""

    def __init__(self, text: Text, device: torch.device, first: int = 0) -> None:
        self.first = first
        self.numbers = torch.from_numpy(text.numbers.astype(np.int32)).to(device)
        self.linear = torch.from_numpy(text.linear).to(device)
        self.ends = torch.from_numpy(text.ends).to(device)
        self.open = torch.from_numpy(text.open).to(device)

    def batch(self, pieces: Pieces, rows: Rows) -> Batch:
        """The pieces of some rows."""
        packed = pack(self.numbers, pieces.starts, pieces.lengths, rows, self.first)
        inside, at = packed.inside, packed.at
        ends, known = self.ends[at] == 1, self.open[at] == 0
        first = torch.ones_like(ends[:, :1])
        before = torch.cat([first, ends[:, :-1]], 1)
        sure = torch.cat([first, known[:, :-1]], 1)
        fits = [
            (~sure | (before == (tag in BEGINS))) & (~known | (ends == (tag in ENDS)))
            for tag in FOUR
        ]
        convention = torch.from_numpy(pieces.convention[rows.pieces].astype(np.int64))
        return Batch(
            packed,
            torch.where(inside.unsqueeze(2), self.linear[at] / FINE, 0),
            inside.sum(1),
            convention.to(at.device),
            torch.stack(fits, 2).transpose(0, 1),
        )


# --- training ---------------------------------------------------------------------------------


class Schedule(NamedTuple):
    """How the teacher learns; the defaults are those of the network that ships.

    Attributes:
        passes: over all texts.
        rate, own_rate: of the encoder and of what is new.
        places: of a batch.
        shares: how often a pass has each part of the lessons (:data:`PARTS`); once, unless it
            is named.
        divided: share of the sentences that are read clause by clause.
        doubted: share of the pieces in which the linear tagger's scores count less or nothing
            (:data:`DOUBTS`), so that the network learns words by itself.
        seed: order of the sentences.
    """

    passes: float = 1.6
    rate: float = 1e-4
    own_rate: float = 5e-4
    places: int = PLACES["cpu"]
    shares: Mapping[str, float] = MappingProxyType(
        {"gold": 0.8, "newspaper": 0.5, "national": 0.4, "written": 3.0, "raw": 0.7}
    )
    divided: float = 0.6
    doubted: float = 0.3
    seed: int = 1


def train(
    prepared: Path,
    base: encoder.Encoder,
    first: int,
    out: Path,
    plan: Schedule,
    device: torch.device,
) -> Teacher:
    """Trains, and goes on from the checkpoint beside ``out`` if it is there.

    Args:
        prepared: of :func:`recipes.teacher_lessons.lessons`.
        base: the encoder.
        first: number of the token in front.
        out: for the weights.
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
    columns = Columns(text, device, first)

    def loss(given: tuple[Pieces, Rows]) -> tuple[Tensor, int]:
        pieces, rows = given
        found = net.loss(doubted(columns.batch(pieces, rows), plan.doubted))
        return found, int(pieces.lengths[rows.pieces].sum())

    descent = Descent((plan.rate, plan.own_rate), warm_up=0.02, mean=0.003)
    checkpoint = out.with_suffix(".checkpoint")
    descend(net, (old, new), descent, schedule(text, plan, parts, marks), loss, checkpoint)
    with WholeFile(out) as file:
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
    """The batches of all passes, in their order: all pieces, and those of the batch.

    ``parts`` are those of the lessons that the sentences are of; ``marks`` as for :func:`clauses`.
    """
    found: list[tuple[Pieces, Rows]] = []
    shares = np.array([plan.shares.get(name, 1.0) for name in PARTS])
    for number in range(int(np.ceil(plan.passes))):
        rng = np.random.default_rng((plan.seed, number))
        count = len(text.convention)
        divided = (rng.random(count) < plan.divided) | (text.lengths >= ROW)
        pieces = clauses(text, divided, marks)
        of = np.searchsorted(text.offsets, pieces.starts, "right") - 1
        times = (shares[parts] + rng.random(count)).astype(np.int64)[of]
        order = rng.permutation(np.repeat(np.arange(len(of)), times))
        order = order[: round(min(plan.passes - number, 1.0) * len(order))]
        made = batches(pieces.lengths, order, plan.places)
        found += ((pieces, rows) for rows in made)
    return found


def network(work: Work) -> None:
    """The stage: the network."""
    folder = work.shared / "encoder"
    base = encoder.load(folder)
    base.load_state_dict(torch.load(work.folder / "encoder.pt", weights_only=True))
    train(
        work.folder / "lessons.npz",
        base,
        encoder.read_vocabulary(folder)["[CLS]"],
        work.folder / "network.pt",
        Schedule(places=PLACES[work.device]),
        torch.device(work.device),
    )
