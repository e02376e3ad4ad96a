"""Training of the BiLSTM-CRF (Huang, Xu and Yu 2015; Chen et al. 2015 for segmentation) in torch.

One encoder learns from several corpora: characters, pairs of characters and the words of a lexicon
go through bidirectional LSTMs; each corpus with a standard of its own has its own bias of the first
layer, its own output layer and, unless it reads clauses (``Options.marks``), its own transitions.
The scores of a linear tagger are added afterwards, with a weight that the dev text chooses
(:func:`combine`).

Dropout is locked (Gal and Ghahramani 2016): one mask per sentence.  The weights that are kept are
averages over the steps (Polyak and Juditsky 1992, exponentially).

Equal texts, options and threads give equal weights on machines of one type.  Needs torch.
"""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.atomic import WholeFile
from segmenter.errors import ArgumentError, MissingExtraError
from segmenter.tagging import features
from segmenter.tagging import model as form
from segmenter.tagging.scheme import allowed, tags_of
from segmenter.train.bilstm_text import BEYOND, SLOTS

try:
    import torch
    from torch import Tensor, nn
except ImportError as e:
    raise MissingExtraError("train", "torch", "training a BiLSTM-CRF") from e

from segmenter.train.crf_layer import log_partition, path_score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from segmenter.train.bilstm_text import Encoded, Vocabulary

    Array = NDArray[Any]


TORCH = str(torch.__version__)
NEVER = -1e4  # score of a tag that does not fit
AVERAGE_PAIRS = 16  # the table of pairs goes into the average every so many steps


@dataclass(frozen=True)
class Options:
    """How a BiLSTM-CRF is built and trained.

    Attributes:
        tags: 4 or 6.
        char_size, pair_size, word_size: of the embeddings of a character, of each of its two
            pairs, of each of its ten numbers on words.
        hidden: units of the LSTM in each direction.
        layers: of LSTMs.
        dropout: of the LSTM's input (locked).
        output_dropout: of its output (locked).
        pair_dropout: so many pairs in training count as unknown.
        word_dropout: so many of the numbers on words in training count as none.
        lexicon: whether the numbers on words are read at all.
        epochs: passes over the text at most.
        patience: passes without a gain on the dev text before the end.
        batch: characters a step.
        rate: of Adam (Kingma and Ba 2015) at its highest.
        warm_up: steps until there; from then on it falls as a half cosine to a fiftieth.
        clip: largest norm of the gradient.
        average: of the exponential average of the weights; 0 keeps the last.
        marks: characters between which everything is read by itself
            (:func:`segmenter.train.bilstm_text.clauses`); the CRF's transitions are then all 0, so
            that what a clause is adds up from its characters alone.
        seed: of the weights, the dropout and the order of the batches.
        threads: of torch.
        precision: ``"auto"``: bfloat16 on a GPU, and on processors that compute it; ``"float32"``;
            ``"bfloat16"``.
    """

    tags: int = 4
    char_size: int = 64
    pair_size: int = 32
    word_size: int = 6
    hidden: int = 192
    layers: int = 1
    dropout: float = 0.3
    output_dropout: float = 0.3
    pair_dropout: float = 0.1
    word_dropout: float = 0.0
    lexicon: bool = True
    epochs: int = 8
    patience: int = 3
    batch: int = 4096
    rate: float = 2e-3
    warm_up: int = 200
    clip: float = 1.0
    average: float = 0.999
    marks: str = ""
    seed: int = 1
    threads: int = 1
    precision: str = "auto"

    def __post_init__(self) -> None:
        tags_of(self.tags)
        for name in ("char_size", "pair_size", "word_size", "hidden", "layers", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name}={getattr(self, name)!r}: at least 1")
        for name in ("dropout", "output_dropout", "pair_dropout", "word_dropout", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise ArgumentError(f"{name}={getattr(self, name)!r}: from 0 to below 1")
        if self.precision not in ("auto", "float32", "bfloat16"):
            raise ArgumentError(
                f"precision={self.precision!r}: use 'auto', 'float32' or 'bfloat16'"
            )
        if self.patience < 1 or self.threads < 1:
            raise ArgumentError(f"patience={self.patience!r}, threads={self.threads!r}: at least 1")


def with_options(options: Options, **changes: Any) -> Options:
    """``options`` with some of them changed.

    >>> with_options(Options(), epochs=5).epochs
    5
    """
    return replace(options, **changes)


class Part(NamedTuple):
    """A corpus of the training.

    Attributes:
        standard: its name.
        text: its sentences.
        share: how much of it a pass goes through; another random part each time.
        dev: text to choose the best pass on, or None.
    """

    standard: str
    text: Encoded
    share: float = 1.0
    dev: Encoded | None = None


class Epoch(NamedTuple):
    """What a pass came to: mean loss a character, word F1 on the dev text of each standard."""

    number: int
    loss: float
    f1: dict[str, float]
    seconds: float


class BilstmCrf(nn.Module):
    """The network.

    Args:
        options: its sizes.
        vocab: characters and pairs.
        classes: of words, see :class:`segmenter.tagging.features.FeatureSpace`.
        standards: their names.
    """

    def __init__(
        self, options: Options, vocab: Vocabulary, classes: int, standards: Sequence[str]
    ) -> None:
        super().__init__()
        o = options
        self.options, self.vocab, self.classes = o, vocab, classes
        self.standards = tuple(standards)
        self.char = nn.Embedding(len(vocab.chars) + 2, o.char_size)
        self.pair = nn.Embedding(len(vocab.pairs) + 1, o.pair_size, sparse=True)
        self.word = nn.Embedding(len(SLOTS) * (classes + 1), o.word_size)
        for table, size in ((self.char, 0.3), (self.pair, 0.1), (self.word, 0.1)):
            nn.init.normal_(table.weight, 0.0, size)
        # columns of the standards at the end of the input are their biases of the first layer
        width = o.char_size + 2 * o.pair_size + len(SLOTS) * o.word_size + len(standards)
        self.forwards, self.backwards = nn.ModuleList(), nn.ModuleList()
        for layer in range(o.layers):
            for side in (self.forwards, self.backwards):
                lstm = nn.LSTM(width if layer == 0 else 2 * o.hidden, o.hidden)
                nn.init.xavier_uniform_(lstm.weight_ih_l0)
                for gate in lstm.weight_hh_l0.data.chunk(4):
                    nn.init.orthogonal_(gate)
                nn.init.zeros_(lstm.bias_ih_l0)
                nn.init.zeros_(lstm.bias_hh_l0)
                lstm.bias_ih_l0.data[o.hidden : 2 * o.hidden] = 1.0  # forget gates begin open
                if layer == 0:
                    lstm.weight_ih_l0.data[:, width - len(standards) :] = 0.0
                side.append(lstm)
        n, k = len(standards), o.tags
        self.out = nn.Parameter(torch.randn(n, k, 2 * o.hidden) * (1 / math.sqrt(2 * o.hidden)))
        self.out_bias = nn.Parameter(torch.zeros(n, k))
        self.trans = nn.Parameter(torch.zeros(n, k, k))
        self.start = nn.Parameter(torch.zeros(n, k))
        self.end = nn.Parameter(torch.zeros(n, k))
        if o.marks:
            self._bar_moves()
        steps = (torch.arange(len(SLOTS)) * (classes + 1)).view(1, 1, -1)
        self.register_buffer("slot", steps, persistent=False)

    def _bar_moves(self) -> None:
        """Lets the CRF say no more than which tags may follow each other."""
        names = tags_of(self.options.tags)
        for moves in (self.trans, self.start, self.end):
            moves.requires_grad_(False)
        for i, a in enumerate(names):
            self.start[:, i] = 0.0 if a in ("B", "S") else NEVER
            self.end[:, i] = 0.0 if a in ("E", "S") else NEVER
            for j, b in enumerate(names):
                self.trans[:, i, j] = 0.0 if allowed(a, b) else NEVER

    def scores(self, batch: Batch) -> Tensor:
        """Scores of the tags at every character, ``(T, B, tags)`` of float32."""
        o, s = self.options, batch.standard
        left, right, words = batch.left, batch.right, batch.words
        if self.training and o.pair_dropout:
            keep = (
                torch.rand(left.shape[0] + 1, left.shape[1], device=left.device) >= o.pair_dropout
            )
            left, right = left * keep[:-1], right * keep[1:]
        if self.training and o.word_dropout:
            words = words * (torch.rand(words.shape, device=words.device) >= o.word_dropout)
        if not o.lexicon:
            words = torch.zeros_like(words)
        found = self.word(words + self.slot).flatten(2)
        x = torch.cat([self.char(batch.chars), self.pair(left), self.pair(right), found], 2)
        x = self._locked(x, o.dropout)
        one = x.new_zeros(len(self.standards))
        one[s] = 1.0
        x = torch.cat([x, one.expand(*x.shape[:2], -1)], 2)
        for layer, (fw, bw) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            if layer:
                x = self._locked(x, o.output_dropout)
            ahead = fw(x)[0]
            back = bw(_turned(x, batch.turn))[0]
            x = torch.cat([ahead, _turned(back, batch.turn)], 2)
        x = self._locked(x, o.output_dropout)
        return nn.functional.linear(x, self.out[s], self.out_bias[s]).float()

    def loss(self, batch: Batch) -> Tensor:
        """Minus the log likelihood of the gold tags, summed over the batch."""
        s = batch.standard
        device = batch.chars.device.type
        with torch.autocast(device, torch.bfloat16, enabled=_low_precision(self.options, device)):
            scores = self.scores(batch)
        crf = (self.trans[s], self.start[s], self.end[s])
        total = log_partition(scores, batch.lengths, *crf)
        if batch.fits is None:
            return (total - path_score(scores, batch.tags, batch.lengths, *crf)).sum()
        # partly labelled: the likelihood of all sequences that fit (Tsuboi et al. 2008)
        fitting = scores.masked_fill(~batch.fits, NEVER)
        return (total - log_partition(fitting, batch.lengths, *crf)).sum()

    def _locked(self, x: Tensor, rate: float) -> Tensor:
        if not self.training or not rate:
            return x
        mask = torch.rand(1, *x.shape[1:], device=x.device) >= rate
        return x * (mask / (1 - rate)).to(x.dtype)


class _Turn(torch.autograd.Function):
    """Sentences backwards; doing it twice undoes it, and so does the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, turn: Tensor) -> Tensor:
        ctx.save_for_backward(turn)
        return x.reshape(-1, x.shape[2]).index_select(0, turn).view(x.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (turn,) = ctx.saved_tensors
        flat = gradient.reshape(-1, gradient.shape[2])
        return flat.index_select(0, turn).view(gradient.shape), None


def _turned(x: Tensor, turn: Tensor) -> Tensor:
    """The sentences backwards, each within its own length."""
    out: Tensor = _Turn.apply(x, turn)
    return out


def _low_precision(options: Options, device: str) -> bool:
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
    """Some sentences of a text.

    Args:
        standard: number of the text's standard.
        text: the text.
        sentences: their numbers.
    """
    starts = text.offsets[sentences]
    lengths = text.offsets[sentences + 1] - starts
    steps = np.arange(int(lengths.max()))[:, None]
    inside = steps < lengths
    at = np.where(inside, starts + np.minimum(steps, lengths - 1), 0)
    backwards = np.where(inside, lengths - 1 - steps, steps)
    turn = backwards * len(sentences) + np.arange(len(sentences))

    def put(values: Array, padding: int = 0) -> Tensor:
        rows = values[at]
        rows[~inside] = padding
        return torch.from_numpy(np.ascontiguousarray(rows)).to(device)

    def bits(masks: Tensor) -> Tensor:
        tags = torch.arange(int(text.tags.max()) + 1, device=device)
        return (masks.unsqueeze(2) >> tags & 1).bool()

    return Batch(
        standard,
        put(text.chars, BEYOND).long(),
        put(text.left).long(),
        put(text.right).long(),
        put(text.words).long(),
        put(text.tags).long(),
        torch.from_numpy(lengths).to(device),
        torch.from_numpy(turn.reshape(-1)).to(device),
        None if text.fits is None else bits(put(text.fits, 255)),
    )


def batches(
    parts: Sequence[Part], size: int, rng: np.random.Generator
) -> Iterator[tuple[int, Array]]:
    """Numbers of a part and of its sentences; sentences of like length together, in random order.

    Args:
        parts: the corpora.
        size: characters a batch, padding included.
        rng: decides the order, and which sentences a share takes.
    """
    made: list[tuple[int, Array]] = []
    for number, part in enumerate(parts):
        lengths = np.diff(part.text.offsets)
        order = rng.permutation(len(lengths))[: math.ceil(len(lengths) * part.share)]
        noisy = lengths[order] * rng.uniform(0.9, 1.1, len(order))
        order = order[np.argsort(noisy, kind="stable")]
        first, longest = 0, 0
        for i, n in enumerate(lengths[order].tolist()):
            longest = max(longest, n)
            if i > first and longest * (i + 1 - first) > size:
                made.append((number, order[first:i]))
                first, longest = i, n
        if first < len(order):
            made.append((number, order[first:]))
    for i in rng.permutation(len(made)).tolist():
        yield made[i]


def emissions(model: BilstmCrf, standard: int, text: Encoded, size: int = 16384) -> list[Array]:
    """The network's scores of each sentence, ``(characters, tags)``, in full precision.

    Args:
        model: the network.
        standard: number of the standard.
        text: the text.
        size: characters at a time.
    """
    device = next(model.parameters()).device.type
    model.eval()
    lengths = np.diff(text.offsets)
    order = np.argsort(lengths, kind="stable")
    out: list[Array] = [np.zeros((0, 0))] * len(lengths)
    first = 0
    with torch.no_grad():
        while first < len(order):
            end = first + 1
            while end < len(order) and lengths[order[end]] * (end + 1 - first) <= size:
                end += 1
            some = order[first:end]
            scores = model.scores(make_batch(standard, text, some, device)).cpu().numpy()
            for k, i in enumerate(some.tolist()):
                out[i] = scores[: lengths[i], k]
            first = end
    return out


def decode(scores: Array, trans: Array, start: Array, end: Array) -> list[int]:
    """The best tags by Viterbi, of sequences that words give; the one of the linear taggers.

    Args:
        scores: ``(characters, tags)``.
        trans, start, end: of the CRF.
    """
    scores = scores.astype(np.float64)
    scores[-1] += end
    return features.viterbi(
        form.LinearModel(len(start), start.astype(np.float64), trans.astype(np.float64)), scores
    )


def word_ends(tags: Sequence[int] | Array, count: int) -> Array:
    """Whether a word ends after each character: at every E and S, and at the end."""
    names = tags_of(count)
    ends = np.isin(np.asarray(tags), [i for i, t in enumerate(names) if t in ("E", "S")])
    ends[-1] = True
    return ends


def f1(gold: Sequence[Array], found: Sequence[Array]) -> float:
    """Word F1 of word ends of sentences.

    >>> a, b = np.array([True, True, True]), np.array([False, True, True])
    >>> f1([a], [a]), f1([a], [b])
    (1.0, 0.4)
    """
    right = all_gold = all_found = 0
    for g, p in zip(gold, found, strict=True):
        begins = np.r_[True, g[:-1]] & np.r_[True, p[:-1]]
        last_gold = np.flatnonzero(g)[np.cumsum(np.r_[0, g[:-1]])]
        last_found = np.flatnonzero(p)[np.cumsum(np.r_[0, p[:-1]])]
        right += int((begins & (last_gold == last_found)).sum())
        all_gold += int(g.sum())
        all_found += int(p.sum())
    return 2 * right / (all_gold + all_found)


def gold_ends(text: Encoded, tags: int) -> list[Array]:
    """Word ends of each sentence of a text."""
    bounds = zip(text.offsets[:-1], text.offsets[1:], strict=True)
    return [word_ends(text.tags[a:b], tags) for a, b in bounds]


def transitions(model: BilstmCrf, standard: int) -> tuple[Array, Array, Array]:
    """Transitions of a standard, and its scores of the first and of the last tag."""
    trans, start, end = (
        x[standard].detach().cpu().numpy() for x in (model.trans, model.start, model.end)
    )
    return trans, start, end


def evaluate(model: BilstmCrf, standard: int, text: Encoded) -> float:
    """Word F1 of a text by the network."""
    crf, k = transitions(model, standard), model.options.tags
    found = [word_ends(decode(s, *crf), k) for s in emissions(model, standard, text)]
    return f1(gold_ends(text, k), found)


#: Weights of the linear tagger's scores that :func:`combine` tries.
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


def combine(
    scores: Sequence[Array],
    linear: Sequence[Array],
    gold: Sequence[Array],
    crf: tuple[Array, Array, Array],
    linear_trans: Array,
    linear_start: Array,
    weights: Sequence[float] = WEIGHTS,
) -> dict[float, float]:
    """Word F1 with each weight of the linear tagger's scores.

    Args:
        scores: of the network, of each sentence.
        linear: of the linear tagger.
        gold: word ends.
        crf: of :func:`transitions`.
        linear_trans: transitions of the linear tagger, ``(tags, tags)``.
        linear_start: its scores of the first tag.
        weights: what is tried.
    """
    trans, start, end = crf
    out: dict[float, float] = {}
    for w in weights:
        found = [
            word_ends(
                decode(a + w * b, trans + w * linear_trans, start + w * linear_start, end),
                len(start),
            )
            for a, b in zip(scores, linear, strict=True)
        ]
        out[w] = f1(gold, found)
    return out


def rate_at(options: Options, step: int, steps: int) -> float:
    """The rate of a step: rises over ``warm_up`` steps, then falls as a half cosine.

    >>> [rate_at(Options(rate=1.0, warm_up=2), s, 12) for s in (0, 1, 12)]
    [0.5, 1.0, 0.02]
    """
    if step < options.warm_up:
        return options.rate * (step + 1) / options.warm_up
    done = (step - options.warm_up) / max(1, steps - options.warm_up)
    return options.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))


def train(
    parts: Sequence[Part],
    vocab: Vocabulary,
    classes: int,
    options: Options,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Epoch], None] | None = None,
    stop_after: int = 0,
    start: BilstmCrf | None = None,
) -> tuple[BilstmCrf, list[Epoch]]:
    """Trains a network; the pass that is best on the dev texts is kept.

    Args:
        parts: the corpora; each standard once or several times.
        vocab: characters and pairs.
        classes: of words in the lexicons.
        options: see :class:`Options`.
        checkpoint: a file that is written after every pass.
        resume: goes on from that file if it is there.
        progress: called after each pass.
        stop_after: ends after so many of the planned passes; 0: after all.
        start: a network of the same sizes to go on from; a standard that it has not begins as its
            first one.

    Returns:
        The network with its averaged weights, and the passes.

    Raises:
        ArgumentError: no text; a checkpoint of other options.
    """
    if not parts:
        raise ArgumentError("parts: no text to train on")
    o = options
    torch.set_num_threads(o.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    standards = list(dict.fromkeys(p.standard for p in parts))
    torch.manual_seed(o.seed)
    model = BilstmCrf(o, vocab, classes, standards)
    if start is not None:
        _begin_as(model, start)
    model = model.to(device)
    parameters = list(model.parameters())
    average = [p.detach().clone() for p in parameters]
    # the table of pairs is large, and a step sees few of its rows
    dense = [p for p in parameters if p is not model.pair.weight]
    pairs = next(k for k, p in enumerate(parameters) if p is model.pair.weight)
    others = [k for k in range(len(parameters)) if k != pairs]
    adams = (
        torch.optim.Adam(dense, lr=o.rate, betas=(0.9, 0.98), fused=True),
        torch.optim.SparseAdam([model.pair.weight], lr=o.rate, betas=(0.9, 0.98)),
    )
    planned = sum(1 for _ in batches(parts, o.batch, np.random.default_rng(0))) * o.epochs
    done: list[Epoch] = []
    best, best_f1, step = [p.clone() for p in average], -1.0, 0
    head = json.dumps(asdict(o), sort_keys=True)
    if resume and checkpoint and os.path.exists(checkpoint):
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        if state["options"] != head:
            raise ArgumentError(f"checkpoint: {os.fspath(checkpoint)} is of other options")
        with torch.no_grad():
            for mine, saved in zip(parameters, state["parameters"], strict=True):
                mine.copy_(saved)
        average, best = state["average"], state["best"]
        for adam, saved in zip(adams, state["adam"], strict=True):
            adam.load_state_dict(saved)
        best_f1, step = state["best_f1"], state["step"]
        done = [Epoch(*row) for row in state["epochs"]]
    for number in range(len(done) + 1, o.epochs + 1):
        if stop_after and number > stop_after:
            break
        if done and number - 1 - _best_of(done) >= o.patience:
            break
        started = time.monotonic()
        torch.manual_seed(o.seed * 1_000_003 + number)
        rng = np.random.default_rng([o.seed, number])
        total = characters = 0.0
        model.train()
        for part, some in batches(parts, o.batch, rng):
            batch = make_batch(
                standards.index(parts[part].standard), parts[part].text, some, device
            )
            loss = model.loss(batch)
            n = int(batch.lengths.sum())
            model.zero_grad()
            (loss / n).backward()
            nn.utils.clip_grad_norm_(dense, o.clip)
            for adam in adams:
                adam.param_groups[0]["lr"] = rate_at(o, step, planned)
                adam.step()
            step += 1
            keep = min(o.average, step / (step + 10))
            with torch.no_grad():
                for k in others:
                    average[k].lerp_(parameters[k], 1 - keep)
                if step % AVERAGE_PAIRS == 0:
                    average[pairs].lerp_(parameters[pairs], 1 - keep**AVERAGE_PAIRS)
            total += float(loss.detach())
            characters += n
        trained = [p.detach().clone() for p in parameters]
        _put(parameters, average)
        scores = {
            p.standard: evaluate(model, standards.index(p.standard), p.dev)
            for p in parts
            if p.dev is not None
        }
        _put(parameters, trained)
        done.append(Epoch(number, total / characters, scores, time.monotonic() - started))
        mean = sum(scores.values()) / len(scores) if scores else float(number)
        if mean > best_f1:
            best, best_f1 = [p.clone() for p in average], mean
        if checkpoint:
            state = {
                "options": head,
                "parameters": trained,
                "average": average,
                "best": best,
                "adam": [adam.state_dict() for adam in adams],
                "best_f1": best_f1,
                "step": step,
                "epochs": [tuple(e) for e in done],
            }
            with WholeFile(checkpoint) as file:
                torch.save(state, file)
        if progress:
            progress(done[-1])
    _put(parameters, best)
    model.eval()
    return model, done


def _begin_as(model: BilstmCrf, start: BilstmCrf) -> None:
    """Gives a network the weights of another, which may know fewer standards."""
    sizes = ("tags", "char_size", "pair_size", "word_size", "hidden", "layers")
    for size in sizes:
        old, new = getattr(start.options, size), getattr(model.options, size)
        if old != new:
            raise ArgumentError(f"start: its {size} is {old}, not {new}")
    if start.classes != model.classes or any(
        not np.array_equal(a, b) for a, b in zip(start.vocab, model.vocab, strict=True)
    ):
        raise ArgumentError("start: it has other characters, pairs or classes of words")
    known = [start.standards.index(s) if s in start.standards else 0 for s in model.standards]
    mine, given = dict(model.named_parameters()), dict(start.named_parameters())
    with torch.no_grad():
        for name, values in given.items():
            if name in ("out", "out_bias", "trans", "start", "end"):
                mine[name].copy_(values[known])
            elif name in ("forwards.0.weight_ih_l0", "backwards.0.weight_ih_l0"):
                width = values.shape[1] - len(start.standards)
                mine[name][:, :width].copy_(values[:, :width])
                mine[name][:, width:].copy_(values[:, width:][:, known])
            else:
                mine[name].copy_(values)


def _best_of(epochs: Sequence[Epoch]) -> int:
    """The number of the pass with the best mean F1; the last one without a dev text."""
    means = [sum(e.f1.values()) / len(e.f1) if e.f1 else float(e.number) for e in epochs]
    return int(np.argmax(means)) + 1


def _put(parameters: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    with torch.no_grad():
        for mine, given in zip(parameters, values, strict=True):
            mine.copy_(given)


def export(
    model: BilstmCrf,
    meta: Mapping[str, Any] | None = None,
    combined: Mapping[str, tuple[float, Array, Array]] = MappingProxyType({}),
) -> dict[str, Array]:
    """The network's parameters as arrays with names, for :func:`numpy.savez`.

    ``chars``, ``char_embedding`` (rows: unknown, beyond the text, then the characters);
    ``bigrams`` (pairs of code points, 0 beyond the text), ``bigram_embedding`` (unknown, then the
    pairs); ``lexicon_k`` (a row a value of the k-th of :data:`segmenter.train.bilstm_text.SLOTS`);
    the input is character, pair before, pair after, lexicon 0 to 9.  ``w_ih_L_d``, ``w_hh_L_d``,
    ``b_L_d`` of layer L in direction d (``fw``, ``bw``), gates in torch's order i, f, g, o.  Of
    each standard s: ``bias_s_d`` added to ``b_0_d``, ``out_w_s``, ``out_b_s``, ``transitions_s``,
    ``start_s``, ``end_s``, ``linear_weight_s``.  ``meta``: JSON.

    Args:
        model: a trained network.
        meta: goes into ``meta``.
        combined: of a standard: the weight of its linear tagger's scores, and the transitions and
            scores of the first tag of that tagger, which go into ``transitions_s`` and ``start_s``
            with the same weight.
    """
    o = model.options

    def array(x: Tensor) -> Array:
        values: Array = x.detach().cpu().float().numpy().copy()
        return values

    pairs = model.vocab.pairs
    out: dict[str, Array] = {
        "chars": model.vocab.chars.astype(np.uint32),
        "char_embedding": array(model.char.weight),
        "bigrams": np.stack([pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)], 1).astype(
            np.uint32
        ),
        "bigram_embedding": array(model.pair.weight),
    }
    tables = array(model.word.weight).reshape(len(SLOTS), model.classes + 1, o.word_size)
    for k, table in enumerate(tables):
        out[f"lexicon_{k}"] = table if o.lexicon else np.repeat(table[:1], len(table), 0)
    n = len(model.standards)
    for name, side in (("fw", model.forwards), ("bw", model.backwards)):
        for layer, lstm in enumerate(side):
            w_ih = array(lstm.weight_ih_l0)
            if layer == 0:
                for s, standard in enumerate(model.standards):
                    out[f"bias_{standard}_{name}"] = w_ih[:, w_ih.shape[1] - n + s].copy()
                w_ih = w_ih[:, : w_ih.shape[1] - n].copy()
            out[f"w_ih_{layer}_{name}"] = w_ih
            out[f"w_hh_{layer}_{name}"] = array(lstm.weight_hh_l0)
            out[f"b_{layer}_{name}"] = array(lstm.bias_ih_l0 + lstm.bias_hh_l0)
    for s, standard in enumerate(model.standards):
        out[f"out_w_{standard}"] = array(model.out[s])
        out[f"out_b_{standard}"] = array(model.out_bias[s])
        for name, moves in (
            ("transitions", model.trans),
            ("start", model.start),
            ("end", model.end),
        ):
            values = array(moves[s])
            out[f"{name}_{standard}"] = np.where(values <= NEVER / 2, np.float32(0), values)
        weight, linear_trans, linear_start = combined.get(standard, (0.0, np.zeros(1), np.zeros(1)))
        out[f"transitions_{standard}"] += (weight * linear_trans).astype(np.float32)
        out[f"start_{standard}"] += (weight * linear_start).astype(np.float32)
        out[f"linear_weight_{standard}"] = np.array(weight, np.float32)
    names = tags_of(o.tags)
    head = {
        "tags": list(names),
        "allowed": [[allowed(a, b) for b in names] for a in names],
        "layers": o.layers,
        "hidden": o.hidden,
        "slots": list(SLOTS),
        "classes": model.classes,
        "marks": o.marks,
        "options": asdict(o),
        **(meta or {}),
    }
    out["meta"] = np.array(json.dumps(head, ensure_ascii=False, sort_keys=True))
    return out
