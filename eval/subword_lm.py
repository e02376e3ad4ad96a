"""``python -m eval.subword_lm``: is a vocabulary of words worth it to a language model?

One small language model (torch, CPU, one thread: an LSTM that carries its state through the text)
is trained on the same text with three closed vocabularies of 8,000 ids: plain BPE, BPE within words
with so many whole words, and plain unigram, learnt from five times as many lines.
What is compared is bits per character of held-out lines, which does not depend on how long tokens
are: the tokens' negative log likelihood over the characters they spell, an end of line counted as
one.  A vocabulary of shorter tokens takes more steps through the same text: what each took stands
beside it.  Three seeds each.  Needs torch.  Results: ``eval/results/subword_lm.md`` and ``.json``.
"""

from __future__ import annotations

import math
import statistics
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import segmenter
from eval import common
from segmenter.subword import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 8_000
SEEDS = (1, 2, 3)
END = "<|end|>"
EMBEDDING, STATE, ROWS, STEPS, RATE = 128, 256, 16, 32, 4e-3
#: Name, model, whole words (None: no word segmentation).
KINDS: tuple[tuple[str, str, int | None], ...] = (
    ("BPE", "bpe", None),
    ("BPE within words, 2,000 of them whole", "bpe", SIZE // 4),
    ("unigram", "unigram", None),
)


class Row(NamedTuple):
    """One vocabulary: bits per character by seed, and what that took."""

    name: str
    characters_a_token: float
    train_tokens: int
    bits: list[float]
    seconds: list[float]


def ids_of(tokenizer: Tokenizer, lines: Sequence[str]) -> list[int]:
    """The ids of all lines, the end token behind each."""
    end = tokenizer.id_of(END)
    assert end is not None
    return [number for ids in tokenizer.encode_batch(lines) for number in (*ids, end)]


def run(train: list[int], test: list[int], seed: int) -> float:
    """Bits of the test ids under a model trained once over the train ids."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    embed = nn.Embedding(SIZE, EMBEDDING)
    nn.init.normal_(embed.weight, std=EMBEDDING**-0.5)
    lstm = nn.LSTM(EMBEDDING, STATE, batch_first=True)
    down = nn.Linear(STATE, EMBEDDING)
    bias = nn.Parameter(torch.zeros(SIZE))
    weights = [*embed.parameters(), *lstm.parameters(), *down.parameters(), bias]
    optimiser = torch.optim.Adam(weights, lr=RATE, fused=True)

    def loss_of(block: Any, state: Any, kind: Any) -> tuple[Any, Any]:
        made, state = lstm(embed(block[:, :-1]), state)
        made = down(made).reshape(-1, EMBEDDING)
        scores = made.to(kind) @ embed.weight.T.to(kind) + bias.to(kind)
        loss = nn.functional.cross_entropy(scores, block[:, 1:].reshape(-1), reduction="sum")
        return loss, tuple(part.detach() for part in state)

    columns = (len(train) - 1) // ROWS
    table = torch.tensor(train[: ROWS * columns]).view(ROWS, columns)
    starts = range(0, columns - 1, STEPS)
    state = None
    for step, start in enumerate(starts):
        share = step / len(starts)
        for group in optimiser.param_groups:  # warms up, then falls to nothing
            group["lr"] = RATE * min(share / 0.02, 1.0) * (1 + math.cos(math.pi * share)) / 2
        block = table[:, start : start + STEPS + 1]
        if block.shape[1] < 2:
            break
        loss, state = loss_of(block, state, torch.bfloat16)  # half the time
        optimiser.zero_grad()
        (loss / block[:, 1:].numel()).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    with torch.no_grad():
        whole = torch.tensor([train[-1], *test]).view(1, -1)
        total, state = 0.0, None
        for start in range(0, whole.shape[1] - 1, 512):
            loss, state = loss_of(whole[:, start : start + 513], state, torch.float32)
            total += float(loss)
    return total / math.log(2)


def measure(vocabulary: Sequence[str], train: Sequence[str], test: Sequence[str]) -> list[Row]:
    """All vocabularies, all seeds."""
    characters = sum(len(line) + 1 for line in test)
    words = segmenter.load("fast")
    rows: list[Row] = []
    columns: list[tuple[list[int], list[int]]] = []
    for name, model, whole in KINDS:
        made = Tokenizer.train_from_iterator(
            vocabulary,
            model=model,
            vocab_size=SIZE,
            segmenter=None if whole is None else words,
            words=whole or 0,
            special=[END],
        )
        columns.append((ids_of(made, train), ids_of(made, test)))
        rows.append(Row(name, characters / len(columns[-1][1]), len(columns[-1][0]), [], []))
    for seed in SEEDS:
        for row, (ids, held) in zip(rows, columns, strict=True):
            start = time.process_time()
            row.bits.append(run(ids, held, seed) / characters)
            row.seconds.append(time.process_time() - start)
            print(row.name, seed, f"{row.bits[-1]:.4f}", f"{row.seconds[-1]:.0f} s", flush=True)
    return rows


def parts(rows: Sequence[Row], train: int, test: int) -> list[str]:
    """The report."""
    table = [
        [
            row.name,
            f"{row.characters_a_token:.3f}",
            f"{row.train_tokens:,}",
            *(f"{bits:.3f}" for bits in row.bits),
            f"{statistics.mean(row.bits):.3f}",
            f"{statistics.mean(row.seconds):.0f}",
        ]
        for row in rows
    ]
    heads = (*(f"seed {seed}" for seed in SEEDS), "mean", "CPU s")
    return [
        f"Bits per character of held-out lines of the national corpus ({test:,} characters), "
        f"less is better; trained once over {train:,} characters. Vocabularies of {SIZE:,} "
        f"ids, learnt from five times as many lines. LSTM of {STATE} units, embeddings of "
        f"{EMBEDDING}, output weights tied, one thread.\n",
        common.table(("vocabulary", "characters per token", "tokens trained", *heads), table),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, print and save."""
    parser = common.arguments("subword_lm", "A language model on subwords.")
    parser.add_argument("--every", type=int, default=10, help="train on every N-th line")
    parser.add_argument("--quick", action="store_true", help="a try: few lines, no file")
    given = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(1)
    lines = [line for line in common.national_lines(common.data_dir(given.data)) if line]
    test = lines[49::200]
    rest = [line for i, line in enumerate(lines) if i % 50 != 49]
    vocabulary, train = rest[:: max(1, given.every // 5)], rest[:: given.every]
    if given.quick:
        vocabulary, train, test = vocabulary[::10], train[::20], test[::20]
    rows = measure(vocabulary, train, test)
    sizes = [sum(len(line) + 1 for line in part) for part in (train, test)]
    common.publish(
        "subword_lm",
        "A language model on subwords",
        common.facts(("torch",)),
        parts(rows, *sizes),
        {"characters": sizes, "rows": [row._asdict() for row in rows]},
        dry=given.dry or given.quick,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
