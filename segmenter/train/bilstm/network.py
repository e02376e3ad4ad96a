"""The network in torch: embeddings, bidirectional layers, and the scores of every standard."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from segmenter.train.crf_layer import log_partition, path_score
from segmenter.train.tagging.bilstm_crf import BEYOND, SLOTS
from segmenter.train.tagging.scheme import BEGINS, ENDS, FOUR, TAGS, allowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from segmenter.train.bilstm.options import BilstmOptions, Part
    from segmenter.train.bilstm_text import Encoded, Vocabulary

    Array = NDArray[Any]

NEVER = -1e4  # score of a tag that does not fit


class BilstmCrf(nn.Module):
    """The network.

    Args:
        options: its sizes.
        vocab: characters and pairs.
        classes: of words, see :class:`segmenter.train.tagging.features.FeatureSpace`.
        standards: their names.
    """

    def __init__(
        self, options: BilstmOptions, vocab: Vocabulary, classes: int, standards: Sequence[str]
    ) -> None:
        super().__init__()
        shape = options.shape
        self.options, self.vocab, self.classes = options, vocab, classes
        self.standards = tuple(standards)
        self.char = nn.Embedding(len(vocab.chars) + 2, shape.char_size)
        self.pair = nn.Embedding(len(vocab.pairs) + 1, shape.pair_size, sparse=True)
        self.word = nn.Embedding(len(SLOTS) * (classes + 1), shape.word_size)
        for table, size in ((self.char, 0.3), (self.pair, 0.1), (self.word, 0.1)):
            nn.init.normal_(table.weight, 0.0, size)
        # columns of the standards at the end of the input are their biases of the first layer
        width = (
            shape.char_size + 2 * shape.pair_size + len(SLOTS) * shape.word_size + len(standards)
        )
        self.forwards, self.backwards = nn.ModuleList(), nn.ModuleList()
        for layer in range(shape.layers):
            for side in (self.forwards, self.backwards):
                lstm = nn.LSTM(width if layer == 0 else 2 * shape.hidden, shape.hidden)
                nn.init.xavier_uniform_(lstm.weight_ih_l0)
                for gate in lstm.weight_hh_l0.data.chunk(4):
                    nn.init.orthogonal_(gate)
                nn.init.zeros_(lstm.bias_ih_l0)
                nn.init.zeros_(lstm.bias_hh_l0)
                # forget gates begin open
                lstm.bias_ih_l0.data[shape.hidden : 2 * shape.hidden] = 1.0
                if layer == 0:
                    lstm.weight_ih_l0.data[:, width - len(standards) :] = 0.0
                side.append(lstm)
        n, k = len(standards), TAGS
        self.out = nn.Parameter(
            torch.randn(n, k, 2 * shape.hidden) * (1 / math.sqrt(2 * shape.hidden))
        )
        self.out_bias = nn.Parameter(torch.zeros(n, k))
        self.trans = nn.Parameter(torch.zeros(n, k, k))
        self.start = nn.Parameter(torch.zeros(n, k))
        self.end = nn.Parameter(torch.zeros(n, k))
        if shape.marks:
            self._fix_transitions()
        steps = (torch.arange(len(SLOTS)) * (classes + 1)).view(1, 1, -1)
        self.register_buffer("slot", steps, persistent=False)

    def _fix_transitions(self) -> None:
        """Fix the CRF's scores: 0 for tags that may follow each other, otherwise ``NEVER``."""
        for moves in (self.trans, self.start, self.end):
            moves.requires_grad_(False)
        for i, a in enumerate(FOUR):
            self.start[:, i] = 0.0 if a in BEGINS else NEVER
            self.end[:, i] = 0.0 if a in ENDS else NEVER
            for j, b in enumerate(FOUR):
                self.trans[:, i, j] = 0.0 if allowed(a, b) else NEVER

    def scores(self, batch: Batch) -> Tensor:
        """Scores of the tags at every character, ``(T, B, tags)`` of float32."""
        options, standard = self.options, batch.standard
        left, right, words = batch.left, batch.right, batch.words
        if self.training and options.dropout.pairs:
            shape = (left.shape[0] + 1, left.shape[1])
            keep = torch.rand(shape, device=left.device) >= options.dropout.pairs
            left, right = left * keep[:-1], right * keep[1:]
        if self.training and options.dropout.words:
            words = words * (torch.rand(words.shape, device=words.device) >= options.dropout.words)
        if not options.shape.lexicon:
            words = torch.zeros_like(words)
        word_vectors = self.word(words + self.slot).flatten(2)
        x = torch.cat([self.char(batch.chars), self.pair(left), self.pair(right), word_vectors], 2)
        x = self._locked_dropout(x, options.dropout.input)
        one_hot = x.new_zeros(len(self.standards))
        one_hot[standard] = 1.0
        x = torch.cat([x, one_hot.expand(*x.shape[:2], -1)], 2)
        for layer, (fw, bw) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            if layer:
                x = self._locked_dropout(x, options.dropout.output)
            forward = fw(x)[0]
            backward = bw(_reversed(x, batch.turn))[0]
            x = torch.cat([forward, _reversed(backward, batch.turn)], 2)
        x = self._locked_dropout(x, options.dropout.output)
        return nn.functional.linear(x, self.out[standard], self.out_bias[standard]).float()

    def loss(self, batch: Batch) -> Tensor:
        """Minus the log likelihood of the gold tags, summed over the batch."""
        standard = batch.standard
        device = batch.chars.device.type
        with torch.autocast(device, torch.bfloat16, enabled=_low_precision(self.options, device)):
            scores = self.scores(batch)
        crf = (self.trans[standard], self.start[standard], self.end[standard])
        total = log_partition(scores, batch.lengths, *crf)
        if batch.fits is None:
            return (total - path_score(scores, batch.tags, batch.lengths, *crf)).sum()
        # partly labelled: the likelihood of all sequences that fit (Tsuboi et al. 2008)
        fitting = scores.masked_fill(~batch.fits, NEVER)
        return (total - log_partition(fitting, batch.lengths, *crf)).sum()

    def _locked_dropout(self, x: Tensor, rate: float) -> Tensor:
        if not self.training or not rate:
            return x
        mask = torch.rand(1, *x.shape[1:], device=x.device) >= rate
        return x * (mask / (1 - rate)).to(x.dtype)


class _Reverse(torch.autograd.Function):
    """Reverses every sentence; this is its own inverse, and also its own gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, turn: Tensor) -> Tensor:
        ctx.save_for_backward(turn)
        return x.reshape(-1, x.shape[2]).index_select(0, turn).view(x.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (turn,) = ctx.saved_tensors
        flat = gradient.reshape(-1, gradient.shape[2])
        return flat.index_select(0, turn).view(gradient.shape), None


def _reversed(x: Tensor, turn: Tensor) -> Tensor:
    """The sentences backwards, each within its own length."""
    reversed_: Tensor = _Reverse.apply(x, turn)
    return reversed_


def _low_precision(options: BilstmOptions, device: str) -> bool:
    if options.precision != "auto":
        return options.precision == "bfloat16"
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return device == "cpu" and bool(torch.backends.cpu.get_cpu_capability() == "AVX512")


class Batch(NamedTuple):
    """Sentences of one standard side by side, ``(T, B)``; ``words`` has a third axis.

    ``turn`` gives the place of each character in its sentence read backwards; ``fits``, of partly
    labelled text, says whether each tag (third axis) fits the labels.
    """

    standard: int
    chars: Tensor
    left: Tensor
    right: Tensor
    words: Tensor
    tags: Tensor
    lengths: Tensor
    turn: Tensor
    fits: Tensor | None = None


def make_batch(standard: int, text: Encoded, sentences: Array, device: str = "cpu") -> Batch:
    """A batch of sentences of a text.

    Args:
        standard: number of the text's standard.
        sentences: numbers of the sentences.
    """
    starts = text.offsets[sentences]
    lengths = text.offsets[sentences + 1] - starts
    steps = np.arange(int(lengths.max()))[:, None]
    is_inside = steps < lengths
    index = np.where(is_inside, starts + np.minimum(steps, lengths - 1), 0)
    backwards = np.where(is_inside, lengths - 1 - steps, steps)
    turn = backwards * len(sentences) + np.arange(len(sentences))

    def to_tensor(values: Array, padding: int = 0) -> Tensor:
        rows = values[index]
        rows[~is_inside] = padding
        return torch.from_numpy(np.ascontiguousarray(rows)).to(device)

    def bits(masks: Tensor) -> Tensor:
        tags = torch.arange(int(text.tags.max()) + 1, device=device)
        return (masks.unsqueeze(2) >> tags & 1).bool()

    return Batch(
        standard,
        to_tensor(text.chars, BEYOND).long(),
        to_tensor(text.left).long(),
        to_tensor(text.right).long(),
        to_tensor(text.words).long(),
        to_tensor(text.tags).long(),
        torch.from_numpy(lengths).to(device),
        torch.from_numpy(turn.reshape(-1)).to(device),
        None if text.fits is None else bits(to_tensor(text.fits, 255)),
    )


def batches(
    parts: Sequence[Part], size: int, rng: np.random.Generator
) -> Iterator[tuple[int, Array]]:
    """Numbers of a part and of its sentences; sentences of like length together, in random order.

    Args:
        size: characters per batch, padding included.
        rng: decides the order, and which sentences a share takes.
    """
    all_batches: list[tuple[int, Array]] = []
    for number, part in enumerate(parts):
        lengths = np.diff(part.text.offsets)
        order = rng.permutation(len(lengths))[: math.ceil(len(lengths) * part.share)]
        noisy = lengths[order] * rng.uniform(0.9, 1.1, len(order))
        order = order[np.argsort(noisy, kind="stable")]
        begin, longest = 0, 0
        for i, n in enumerate(lengths[order].tolist()):
            longest = max(longest, n)
            if i > begin and longest * (i + 1 - begin) > size:
                all_batches.append((number, order[begin:i]))
                begin, longest = i, n
        if begin < len(order):
            all_batches.append((number, order[begin:]))
    for i in rng.permutation(len(all_batches)).tolist():
        yield all_batches[i]
