"""The tag teacher: a pre-trained encoder, trained further on the newspaper's tags.

A word is represented by the vectors of its first and last character and the mean over its
characters, followed by one hidden layer.  The input of a character includes its position in the
word and the tag of the word in the word list.  In training some words are masked, so that the
teacher learns to use the context.  It does not ship: ``pos.model`` is trained on its output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from recipes import encoder
from recipes.descent import Descent, descend
from recipes.teacher import Packed, Rows, batches, faster, pack
from segmenter.tagging.pos import MEANING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from segmenter.train.pos import Partly

    Array = NDArray[Any]

TAGS = sorted(MEANING)
PLACES = 8000  # of a batch
DROPOUT = 0.1
PASSES = 5
PLAN = Descent((1e-4, 1e-3), warm_up=0.1, mean=1.0)  # of the encoder, of everything else
HIDDEN = 0.1  # share of words whose characters and listed tag are hidden
UNLISTED = 0.3  # share of words whose listed tag alone is hidden
FIRST, INNER, LAST, ALONE = 1, 2, 3, 4  # where in its word a character stands; 0: in none


class Batch(NamedTuple):
    """Sentences for the encoder, and their words."""

    packed: Packed
    bounds: Tensor  # where in its word each place stands, (rows, places)
    word: Tensor  # the number of each place's word in this batch; the last: no word
    begin: Tensor  # of each word: its first character, in all rows one after another
    end: Tensor  # its last character
    words: Array  # their numbers in the text


class Columns:
    """Tagged sentences as columns; ``listed`` has the tags of the word list."""

    def __init__(
        self,
        sentences: Sequence[Partly],
        listed: Mapping[str, str],
        vocabulary: Mapping[str, int],
        device: torch.device,
    ) -> None:
        def column(values: Sequence[int]) -> Tensor:
            return torch.tensor(values, dtype=torch.int64, device=device)

        self.device, self.token = device, vocabulary["[CLS]"]
        words = [word for s in sentences for word, _ in s]
        kind = {tag: i for i, tag in enumerate(TAGS, 1)}
        self.tags = column([kind.get(tag or "", 0) - 1 for s in sentences for _, tag in s])
        self.listed = column([kind.get(listed.get(word, ""), 0) for word in words])
        numbers = encoder.numbering(vocabulary, str)("".join(words))
        self.numbers = torch.from_numpy(numbers.astype(np.int64)).to(device)
        self.ends = np.cumsum([len(word) for word in words])  # of the words, in characters
        self.begins = np.concatenate([[0], self.ends[:-1]])
        self.counts = np.array([len(s) for s in sentences])
        self.first = np.cumsum(self.counts) - self.counts  # word of each sentence
        self.starts = self.begins[self.first]
        self.sizes = self.ends[self.first + self.counts - 1] - self.starts

    def batch(self, rows: Rows) -> Batch:
        """Some sentences."""
        pieces = rows.pieces
        words = _ranges(self.first[pieces], self.counts[pieces])
        shift = np.repeat(rows.fronts + 1 - self.starts[pieces], self.counts[pieces])
        begin, end = self.begins[words] + shift, self.ends[words] + shift
        word_at = np.full(rows.height * rows.length, len(words))
        word_at[_ranges(begin, end - begin)] = np.repeat(np.arange(len(words)), end - begin)
        bounds = np.where(word_at < len(words), INNER, 0)
        bounds[begin], bounds[end - 1], bounds[begin[end - begin == 1]] = FIRST, LAST, ALONE
        columns = (torch.from_numpy(x).to(self.device) for x in (bounds, word_at, begin, end - 1))
        packed = pack(self.numbers, self.starts, self.sizes, rows, self.token)
        bounds_, word_, begin_, end_ = columns
        shape = packed.numbers.shape
        return Batch(packed, bounds_.view(shape), word_.view(shape), begin_, end_, words)


def _ranges(starts: Array, counts: Array) -> Array:
    """Consecutive numbers from each start, as many as ``counts`` says, one range after another."""
    offsets = np.cumsum(counts) - counts
    numbers: Array = np.repeat(starts - offsets, counts) + np.arange(int(counts.sum()))
    return numbers


class Teacher(nn.Module):
    """The encoder, and a hidden layer over each word; ``mask``: the token of hidden characters."""

    def __init__(self, net: encoder.Encoder, mask: int) -> None:
        super().__init__()
        self.net, self.mask = net, mask
        net.drop = DROPOUT
        width = net.sizes.width
        self.bound = nn.Embedding(ALONE + 1, width)
        self.listed = nn.Embedding(len(TAGS) + 1, width)
        nn.init.zeros_(self.bound.weight)
        nn.init.zeros_(self.listed.weight)
        self.drop = nn.Dropout(DROPOUT)
        self.hidden = nn.Linear(3 * width, width)
        self.out = nn.Linear(width, len(TAGS))

    def forward(self, batch: Batch, listed: Tensor, hide: Tensor | None = None) -> Tensor:
        """Scores, ``(words, tags)``, given the listed tags and which words are hidden."""
        packed, word, numbers = batch.packed, batch.word, batch.packed.numbers
        if hide is not None:
            numbers = torch.where(functional.pad(hide, (0, 1))[word], self.mask, numbers)
        with faster(listed.device):
            added = self.bound(batch.bounds) + self.listed(functional.pad(listed, (0, 1))[word])
            x = self.net.read(self.net.embedded(numbers, packed.places) + added, packed.attends)
            x = x.reshape(-1, x.shape[2]).float()
            sums = torch.zeros(len(listed) + 1, x.shape[1], device=x.device)
            sums = sums.index_add(0, word.view(-1), x)[:-1]
            mean = sums / (batch.end - batch.begin + 1).unsqueeze(1)
            vectors = torch.cat([x[batch.begin], x[batch.end], mean], 1)
            logits = self.out(self.drop(functional.gelu(self.hidden(self.drop(vectors)))))
        scores: Tensor = logits.float()
        return scores


def teach(net: Teacher, part: Columns, checkpoint: Path, passes: int = PASSES) -> None:
    """Trains a teacher; a checkpoint is continued."""
    plan: list[Rows] = []
    for number in range(passes):
        order = np.random.default_rng((1, number)).permutation(len(part.sizes))
        plan += batches(part.sizes, order, PLACES)

    def loss(rows: Rows) -> tuple[Tensor, int]:
        batch = part.batch(rows)
        listed = part.listed[batch.words]
        hide, leave = torch.rand(2, len(listed), device=part.device)
        hints = torch.where((hide < HIDDEN) | (leave < UNLISTED), 0, listed)
        value = functional.cross_entropy(net(batch, hints, hide < HIDDEN), part.tags[batch.words])
        return value, int(part.sizes[rows.pieces].sum())

    pretrained = list(net.net.parameters())
    names = {id(x) for x in pretrained}
    rest = [x for x in net.parameters() if id(x) not in names]
    descend(net, (pretrained, rest), PLAN, plan, loss, checkpoint)


def read(net: Teacher, part: Columns) -> tuple[Array, Array]:
    """The most probable tag of each word, and its probability."""
    best = np.zeros(len(part.tags), np.int64)
    sure = np.zeros(len(part.tags), np.float32)
    for rows in batches(part.sizes, np.arange(len(part.sizes)), PLACES):
        batch = part.batch(rows)
        with torch.no_grad():
            top = net(batch, part.listed[batch.words]).softmax(1).max(1)
        best[batch.words], sure[batch.words] = top.indices.cpu(), top.values.cpu()
    return best, sure
