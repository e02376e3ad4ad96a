"""The tag teacher: a pre-trained encoder, trained further on the newspaper's tags.

It reads ``DIR/pos-lessons.npz`` (:mod:`recipes.pos_lessons`) and the encoder, and writes
``DIR/pos-tags.npz``: a tag, with its probability, for each word of the untagged text.

A word is represented by the vectors of its first and last character and the mean over its
characters, followed by one hidden layer.  The input of a character includes its position in the
word and the tag of the word in the word list.  In training some words are masked, so that the
teacher learns to use the context.  It does not ship: ``pos.model`` is trained on its output.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from recipes import encoder, pos_lessons
from recipes.pos_lessons import FEBRUARY, RAW
from recipes.teacher import STEP, faster
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from recipes.pos_lessons import Lessons

    Array = NDArray[Any]

PLACES = 8000  # of a batch
DROPOUT = 0.1
PASSES = 5
RATE, HEAD_RATE = 1e-4, 1e-3  # of the encoder, of everything else
WARM = 0.1  # of the steps, in which the rates grow
HIDDEN = 0.1  # of the words, whose characters and whose tag of the word list are hidden
UNLISTED = 0.3  # of the words, whose tag of the word list is
ALONE = 4  # a character that is a word; 1 to 3: the first, an inner one, the last; 0: of no word


class Special(NamedTuple):
    """Numbers of the encoder's special tokens."""

    pad: int
    first: int
    last: int
    hidden: int


class Batch(NamedTuple):
    """Sentences side by side, one special token before and one after each.

    Attributes:
        numbers, inside, bounds: ``(sentences, places)``: tokens, which places are of a sentence,
            where in its word each character stands.
        word: the number of each place's word in this batch; -1: no word.
        row, begin, end: of each word: its sentence, the places of its first and last character.
        which: of each word: its number in the part.
    """

    numbers: Tensor
    inside: Tensor
    bounds: Tensor
    word: Tensor
    row: Tensor
    begin: Tensor
    end: Tensor
    which: Tensor


class Columns:
    """A part of the lessons where the network is.

    Args:
        lessons: all of them.
        name: of the part.
        numbers: tokens of the words of the lessons, one after another.
        device: of the network.
    """

    def __init__(self, lessons: Lessons, name: str, numbers: Array, device: torch.device) -> None:
        def put(x: Array) -> Tensor:
            return torch.from_numpy(x.astype(np.int64)).to(device)

        part = lessons.parts[name]
        lengths = np.array([len(w) for w in lessons.words])
        starts = np.cumsum(lengths) - lengths
        long = lengths[part.words]
        end = np.cumsum(long)
        begin = end - long
        word = np.repeat(np.arange(len(long)), long)
        bounds = np.full(len(word), 2)
        bounds[begin], bounds[end - 1], bounds[begin[long == 1]] = 1, 3, ALONE
        self.counts = part.counts.astype(np.int64)
        last = np.cumsum(self.counts)
        self.sizes = end[last - 1] - begin[last - self.counts]  # characters of each sentence
        self.device = device
        self.numbers = put(numbers[starts[part.words][word] + np.arange(len(word)) - begin[word]])
        self.bounds, self.word = put(bounds), put(word)
        self.begin, self.end = put(begin), put(end - 1)
        self.listed, self.tags = put(lessons.listed[part.words]), put(part.tags)
        self.starts, self.first_words = put(begin[last - self.counts]), put(last - self.counts)

    def batch(self, sentences: Array, special: Special) -> Batch:
        """Some sentences, padded to a multiple of :data:`STEP`."""
        chosen = torch.from_numpy(sentences).to(self.device)
        sizes = torch.from_numpy(self.sizes[sentences]).to(self.device)
        counts = torch.from_numpy(self.counts[sentences]).to(self.device)
        longest = -(-(int(self.sizes[sentences].max()) + 2) // STEP) * STEP
        starts, first = self.starts[chosen], self.first_words[chosen]
        steps = torch.arange(longest, device=self.device)
        text = (steps >= 1) & (steps <= sizes.unsqueeze(1))
        at = (starts.unsqueeze(1) + steps - 1).clamp(0, len(self.numbers) - 1)
        rows = torch.arange(len(chosen), device=self.device)
        numbers = torch.where(text, self.numbers[at], special.pad)
        numbers[:, 0] = special.first
        numbers[rows, sizes + 1] = special.last
        total = int(self.counts[sentences].sum())
        row = torch.repeat_interleave(rows, counts, output_size=total)
        before = torch.cumsum(counts, 0) - counts
        which = first[row] + torch.arange(total, device=self.device) - before[row]
        return Batch(
            numbers,
            steps < (sizes + 2).unsqueeze(1),
            torch.where(text, self.bounds[at], 0),
            torch.where(text, self.word[at] + (before - first).unsqueeze(1), -1),
            row,
            self.begin[which] - starts[row] + 1,
            self.end[which] - starts[row] + 1,
            which,
        )

    def batches(self, rng: np.random.Generator | None = None) -> list[Array]:
        """Sentences of like length together, in a random order if there is one."""
        places = -(-(self.sizes + 2) // STEP) * STEP
        order = np.arange(len(places)) if rng is None else rng.permutation(len(places))
        order = order[np.argsort(places[order], kind="stable")]
        out: list[Array] = []
        at = 0
        while at < len(order):
            end = at + 1
            while end < len(order) and (end + 1 - at) * int(places[order[end]]) <= PLACES:
                end += 1
            out.append(order[at:end])
            at = end
        return out if rng is None else [out[i] for i in rng.permutation(len(out))]


class Teacher(nn.Module):
    """The encoder, and a hidden layer over each word.

    Args:
        net: the encoder.
        tags: how many there are.
        listed: how many numbers the word list's tags have, 0 among them.
    """

    def __init__(self, net: encoder.Encoder, tags: int, listed: int) -> None:
        super().__init__()
        self.net = net
        net.drop = DROPOUT
        width = net.sizes.width
        self.bound = nn.Embedding(ALONE + 1, width)
        self.listed = nn.Embedding(listed, width)
        nn.init.zeros_(self.bound.weight)
        nn.init.zeros_(self.listed.weight)
        self.drop = nn.Dropout(DROPOUT)
        self.hidden = nn.Linear(3 * width, width)
        self.out = nn.Linear(width, tags)

    def forward(self, batch: Batch, listed: Tensor) -> Tensor:
        """Scores, ``(words, tags)``; ``listed``: what the word list says of each word."""
        of_place = torch.where(batch.word >= 0, listed[batch.word.clamp(min=0)], 0)
        with faster(listed.device):
            beside = self.bound(batch.bounds) + self.listed(of_place)
            x = self.net.embedded(batch.numbers) + beside
            x = self.net.read(x, batch.inside[:, None]).float()
            sums = functional.pad(torch.cumsum(x, 1), (0, 0, 1, 0))
            size = (batch.end - batch.begin + 1).unsqueeze(1)
            mean = (sums[batch.row, batch.end + 1] - sums[batch.row, batch.begin]) / size
            word = torch.cat([x[batch.row, batch.begin], x[batch.row, batch.end], mean], 1)
            found = self.out(self.drop(functional.gelu(self.hidden(self.drop(word)))))
        scores: Tensor = found.float()
        return scores


class Classroom:
    """Trains teachers and asks them.

    Args:
        folder: of the encoder.
        lessons: what they read.
        device: where.
    """

    def __init__(self, folder: Path, lessons: Lessons, device: torch.device) -> None:
        vocabulary = encoder.read_vocabulary(folder)
        self.folder, self.lessons, self.device = folder, lessons, device
        self.special = Special(*(vocabulary[t] for t in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")))
        self.numbers = encoder.numbering(vocabulary, str)("".join(lessons.words))

    def columns(self, name: str) -> Columns:
        """A part of the lessons."""
        return Columns(self.lessons, name, self.numbers, self.device)

    def teach(self, part: Columns, seed: int, passes: int = PASSES) -> Teacher:
        """A teacher that has learnt a part."""
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        listed = int(self.lessons.listed.max()) + 1
        net = Teacher(encoder.load(self.folder), len(self.lessons.names), listed)
        net.to(self.device)
        read = list(net.net.parameters())
        own = {id(p) for p in read}
        rest = [p for p in net.parameters() if id(p) not in own]
        groups = [{"params": read, "most": RATE}, {"params": rest, "most": HEAD_RATE}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
        plan = [b for _ in range(passes) for b in part.batches(rng)]
        begun, mean = time.monotonic(), torch.zeros((), device=self.device)
        net.train()
        for step, sentences in enumerate(plan):
            share = min(step / len(plan) / WARM, (1 - step / len(plan)) / (1 - WARM))
            for group in optimizer.param_groups:
                group["lr"] = group["most"] * max(share, 1e-3)
            batch, seen = self._hidden(part, sentences)
            loss = functional.cross_entropy(net(batch, seen), part.tags[batch.which])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            mean += (0.02 if step else 1.0) * (loss.detach() - mean)
            if (step + 1) % 500 == 0 or step + 1 == len(plan):
                spent = time.monotonic() - begun
                print(f"seed {seed}: {spent:.0f} s, {step + 1} of {len(plan)} steps, "
                      f"loss {mean.item():.4f}", flush=True)  # fmt: skip
        net.eval()
        return net

    def _hidden(self, part: Columns, sentences: Array) -> tuple[Batch, Tensor]:
        """A batch with some words hidden, and what is left of the word list."""
        batch = part.batch(sentences, self.special)
        seen = part.listed[batch.which]
        hide = torch.rand(len(seen), device=self.device) < HIDDEN
        leave = torch.rand(len(seen), device=self.device) < UNLISTED
        at = (batch.word >= 0) & hide[batch.word.clamp(min=0)]
        numbers = torch.where(at, self.special.hidden, batch.numbers)
        return batch._replace(numbers=numbers), torch.where(hide | leave, 0, seen)

    def read(self, teachers: Sequence[Teacher], part: Columns) -> tuple[Array, Array]:
        """The most probable tag of each word, by the mean of some teachers, and its probability."""
        best = torch.zeros(len(part.tags), dtype=torch.uint8, device=self.device)
        sure = torch.zeros(len(part.tags), device=self.device)
        for sentences in part.batches():
            batch = part.batch(sentences, self.special)
            seen = part.listed[batch.which]
            with torch.no_grad():
                scores = torch.stack([net(batch, seen).softmax(1) for net in teachers])
            found = scores.mean(0).max(1)
            best[batch.which], sure[batch.which] = found.indices.to(torch.uint8), found.values
        return best.cpu().numpy(), sure.cpu().numpy()


def teach(folder: Path, work: Path, device: torch.device, passes: int = PASSES) -> None:
    """Trains the teacher and writes the tags of all other text.

    Args:
        folder: of the encoder.
        work: has ``pos-lessons.npz`` and gets ``pos-tags.npz``.
        device: where.
        passes: over the newspaper.
    """
    room = Classroom(folder, pos_lessons.read(work / "pos-lessons.npz"), device)
    teachers = [room.teach(room.columns("train"), 1, passes)]
    found: dict[str, Array] = {}
    for name in ("dev", FEBRUARY, RAW):
        best, sure = room.read(teachers, room.columns(name))
        found |= {f"{name}.tags": best, f"{name}.chance": np.rint(255 * sure).astype(np.uint8)}
    right = (found["dev.tags"] == room.lessons.parts["dev"].tags).mean()
    print(f"dev: {right:.4f} of the words", flush=True)
    with WholeFile(work / "pos-tags.npz") as file:
        np.savez_compressed(file, allow_pickle=False, **found)
