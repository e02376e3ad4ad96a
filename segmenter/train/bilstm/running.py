"""A training run: epochs over the corpora, averages, checkpoints, and writing the weights."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from segmenter.errors import ArgumentError
from segmenter.files.atomic import WholeFile
from segmenter.train.bilstm.judging import evaluate
from segmenter.train.bilstm.network import NEVER, BilstmCrf, batches, make_batch
from segmenter.train.bilstm.options import BilstmOptions, Epoch, Part
from segmenter.train.tagging.bilstm_crf import SLOTS
from segmenter.train.tagging.scheme import FOUR, allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from segmenter.train.bilstm_text import Vocabulary

    Array = NDArray[Any]

TORCH = str(torch.__version__)
AVERAGE_PAIRS = 16  # steps between updates of the averaged table of pairs


def train(
    parts: Sequence[Part],
    vocab: Vocabulary,
    classes: int,
    options: BilstmOptions,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Epoch], None] | None = None,
) -> tuple[BilstmCrf, list[Epoch]]:
    """Train a network; the weights of the pass that is best on the dev texts are kept.

    Args:
        parts: the corpora; several may have the same standard.
        vocab: characters and pairs.
        classes: of words in the lexicons.
        checkpoint: a file to write after every pass.
        resume: continue from that file if it exists.

    Returns:
        The network with its averaged weights, and the passes.

    Raises:
        ArgumentError: no text; a checkpoint of other options.
    """
    if not parts:
        raise ArgumentError("parts: no text to train on")
    schedule = options.schedule
    torch.set_num_threads(options.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    standards = list(dict.fromkeys(p.standard for p in parts))
    torch.manual_seed(options.seed)
    model = BilstmCrf(options, vocab, classes, standards).to(device)
    parameters = list(model.parameters())
    average = [p.detach().clone() for p in parameters]
    # the table of pairs is large, and a step sees few of its rows
    dense = [p for p in parameters if p is not model.pair.weight]
    pair_index = next(k for k, p in enumerate(parameters) if p is model.pair.weight)
    dense_indices = [k for k in range(len(parameters)) if k != pair_index]
    optimisers = (
        torch.optim.Adam(dense, lr=schedule.rate, betas=(0.9, 0.98), fused=True),
        torch.optim.SparseAdam([model.pair.weight], lr=schedule.rate, betas=(0.9, 0.98)),
    )
    total_steps = (
        sum(1 for _ in batches(parts, schedule.batch, np.random.default_rng(0))) * schedule.epochs
    )
    epochs: list[Epoch] = []
    best, best_f1, step = [p.clone() for p in average], -1.0, 0
    head = json.dumps(asdict(options), sort_keys=True)
    if resume and checkpoint and os.path.exists(checkpoint):
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        if state["options"] != head:
            raise ArgumentError(
                f"checkpoint: {os.fspath(checkpoint)} has other options: name another file"
            )
        with torch.no_grad():
            for parameter, saved in zip(parameters, state["parameters"], strict=True):
                parameter.copy_(saved)
        average, best = state["average"], state["best"]
        for optimiser, saved in zip(optimisers, state["adam"], strict=True):
            optimiser.load_state_dict(saved)
        best_f1, step = state["best_f1"], state["step"]
        epochs = [Epoch(*row) for row in state["epochs"]]
    for number in range(len(epochs) + 1, schedule.epochs + 1):
        if epochs and number - 1 - _best_of(epochs) >= schedule.patience:
            break
        started = time.monotonic()
        torch.manual_seed(options.seed * 1_000_003 + number)
        rng = np.random.default_rng([options.seed, number])
        total = characters = 0.0
        model.train()
        for part, numbers in batches(parts, schedule.batch, rng):
            batch = make_batch(
                standards.index(parts[part].standard), parts[part].text, numbers, device
            )
            loss = model.loss(batch)
            n = int(batch.lengths.sum())
            model.zero_grad()
            (loss / n).backward()
            nn.utils.clip_grad_norm_(dense, schedule.clip)
            for optimiser in optimisers:
                optimiser.param_groups[0]["lr"] = schedule.rate_at(step, total_steps)
                optimiser.step()
            step += 1
            decay = min(schedule.average, step / (step + 10))
            with torch.no_grad():
                for k in dense_indices:
                    average[k].lerp_(parameters[k], 1 - decay)
                if step % AVERAGE_PAIRS == 0:
                    average[pair_index].lerp_(parameters[pair_index], 1 - decay**AVERAGE_PAIRS)
            total += float(loss.detach())
            characters += n
        latest = [p.detach().clone() for p in parameters]
        _copy_into(parameters, average)
        scores = {
            p.standard: evaluate(model, standards.index(p.standard), p.dev)
            for p in parts
            if p.dev is not None
        }
        _copy_into(parameters, latest)
        epochs.append(Epoch(number, total / characters, scores, time.monotonic() - started))
        mean = sum(scores.values()) / len(scores) if scores else float(number)
        if mean > best_f1:
            best, best_f1 = [p.clone() for p in average], mean
        if checkpoint:
            state = {
                "options": head,
                "parameters": latest,
                "average": average,
                "best": best,
                "adam": [optimiser.state_dict() for optimiser in optimisers],
                "best_f1": best_f1,
                "step": step,
                "epochs": [tuple(e) for e in epochs],
            }
            with WholeFile(checkpoint) as file:
                torch.save(state, file)
        if progress:
            progress(epochs[-1])
    _copy_into(parameters, best)
    model.eval()
    return model, epochs


def _best_of(epochs: Sequence[Epoch]) -> int:
    """The number of the pass with the best mean F1; the last one without a dev text."""
    means = [sum(e.f1.values()) / len(e.f1) if e.f1 else float(e.number) for e in epochs]
    return int(np.argmax(means)) + 1


def _copy_into(parameters: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    with torch.no_grad():
        for parameter, value in zip(parameters, values, strict=True):
            parameter.copy_(value)


def export(
    model: BilstmCrf,
    meta: Mapping[str, Any] | None = None,
    combined: Mapping[str, tuple[float, Array, Array]] = MappingProxyType({}),
) -> dict[str, Array]:
    """The network's parameters as arrays with names, for :func:`numpy.savez`.

    ``chars``, ``char_embedding`` (rows: unknown, beyond the text, the characters);
    ``bigrams`` (pairs of code points, 0 beyond the text), ``bigram_embedding`` (unknown, then the
    pairs); ``lexicon_k`` (a row a value of the k-th of
    :data:`segmenter.train.tagging.bilstm_crf.SLOTS`); the input is character, pair before, pair
    after, lexicon 0 to 9.  ``w_ih_L_d``, ``w_hh_L_d``, ``b_L_d`` of layer L in direction d
    (``fw``, ``bw``), gates in torch's order i, f, g, o.  Of each standard s: ``bias_s_d`` added to
    ``b_0_d``, ``out_w_s``, ``out_b_s``, ``transitions_s``, ``start_s``, ``end_s``,
    ``linear_weight_s``.  ``meta``: JSON.

    Args:
        combined: of a standard: the weight of its linear tagger's scores, and the transitions and
            scores of the first tag of that tagger, which go into ``transitions_s`` and ``start_s``
            with the same weight.
    """
    options = model.options

    def array(tensor: Tensor) -> Array:
        values: Array = tensor.detach().cpu().float().numpy().copy()
        return values

    pairs = model.vocab.pairs
    arrays: dict[str, Array] = {
        "chars": model.vocab.chars.astype(np.uint32),
        "char_embedding": array(model.char.weight),
        "bigrams": np.stack([pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)], 1).astype(
            np.uint32
        ),
        "bigram_embedding": array(model.pair.weight),
    }
    shape = options.shape
    tables = array(model.word.weight).reshape(len(SLOTS), model.classes + 1, shape.word_size)
    for k, table in enumerate(tables):
        arrays[f"lexicon_{k}"] = table if shape.lexicon else np.repeat(table[:1], len(table), 0)
    n = len(model.standards)
    for name, lstms in (("fw", model.forwards), ("bw", model.backwards)):
        for layer, lstm in enumerate(lstms):
            w_ih = array(lstm.weight_ih_l0)
            if layer == 0:
                for s, standard in enumerate(model.standards):
                    arrays[f"bias_{standard}_{name}"] = w_ih[:, w_ih.shape[1] - n + s].copy()
                w_ih = w_ih[:, : w_ih.shape[1] - n].copy()
            arrays[f"w_ih_{layer}_{name}"] = w_ih
            arrays[f"w_hh_{layer}_{name}"] = array(lstm.weight_hh_l0)
            arrays[f"b_{layer}_{name}"] = array(lstm.bias_ih_l0 + lstm.bias_hh_l0)
    for s, standard in enumerate(model.standards):
        arrays[f"out_w_{standard}"] = array(model.out[s])
        arrays[f"out_b_{standard}"] = array(model.out_bias[s])
        for name, moves in (
            ("transitions", model.trans),
            ("start", model.start),
            ("end", model.end),
        ):
            values = array(moves[s])
            arrays[f"{name}_{standard}"] = np.where(values <= NEVER / 2, np.float32(0), values)
        weight, linear_trans, linear_start = combined.get(standard, (0.0, np.zeros(1), np.zeros(1)))
        arrays[f"transitions_{standard}"] += (weight * linear_trans).astype(np.float32)
        arrays[f"start_{standard}"] += (weight * linear_start).astype(np.float32)
        arrays[f"linear_weight_{standard}"] = np.array(weight, np.float32)
    head = {
        "tags": list(FOUR),
        "allowed": [[allowed(a, b) for b in FOUR] for a in FOUR],
        "layers": shape.layers,
        "hidden": shape.hidden,
        "slots": list(SLOTS),
        "classes": model.classes,
        "marks": shape.marks,
        "options": asdict(options),
        **(meta or {}),
    }
    arrays["meta"] = np.array(json.dumps(head, ensure_ascii=False, sort_keys=True))
    return arrays
