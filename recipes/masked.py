"""Further pre-training of the encoder on raw text, before it learns to segment.

Masked language modelling (Devlin et al. 2019); the embeddings are frozen and also serve as the
output layer.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from recipes import encoder, raw
from recipes.descent import Descent, descend
from recipes.teacher import PLACES, Packed, Rows, batches, faster, pack
from segmenter.files.atomic import WholeFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from recipes.work import Work

    Array = NDArray[Any]

MOST = 12_000  # sentences of each file,
LONGEST = 126  # characters of a sentence
MASKED = 0.2  # of the characters: of ten, eight are hidden, one is another character and one stays


class Plan(NamedTuple):
    """Passes over all sentences, rate of learning, places of a batch."""

    passes: float = 0.3
    rate: float = 3e-4
    places: int = PLACES["cpu"]
    seed: int = 1


def prepare(folder: Path, numbers: Callable[[str], Array], path: Path) -> None:
    """Writes the tokens of the raw text (``shared/raw``), and where its sentences begin and end."""
    counts: Counter[str] = Counter()
    rows = []
    for line in raw.sample(folder):
        if line.source not in raw.OLD and counts[line.source] < MOST:
            counts[line.source] += 1
            rows.append(numbers(line.text.replace(" ", ""))[:LONGEST])
    with WholeFile(path) as file:
        np.savez(file, numbers=np.concatenate(rows), offsets=np.cumsum([0, *map(len, rows)]))


class Guesser(nn.Module):
    """The encoder, and scores of all tokens at the masked places; the embeddings do not learn."""

    def __init__(self, net: encoder.Encoder) -> None:
        super().__init__()
        width = net.sizes.width
        self.net = net
        net.token.requires_grad_(False)
        net.position.requires_grad_(False)
        self.turn = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, net.sizes.epsilon)
        self.bias = nn.Parameter(torch.zeros(len(net.token.weight)))
        nn.init.eye_(self.turn.weight)
        nn.init.zeros_(self.turn.bias)

    def loss(self, packed: Packed, masked: Tensor, replacement: Tensor) -> Tensor:
        """Minus the log likelihood of the masked tokens.

        Args:
            packed: the sentences.
            masked: which characters are guessed, ``(sentences, places)``.
            replacement: the token that stands in the place of each of them.
        """
        places = packed.index[masked]
        tokens = packed.numbers.clone().view(-1)
        target = tokens[places]
        tokens[places] = replacement
        with faster(tokens.device):
            x = self.net.embedded(tokens.view_as(packed.numbers), packed.places)
            x = self.net.read(x, packed.attends)
            x = x.reshape(-1, x.shape[2])[places]
            x = self.norm(functional.gelu(self.turn(x)))
            scores = functional.linear(x, self.net.token.weight, self.bias)
        return functional.cross_entropy(scores.float(), target)


def train(
    prepared: Path,
    base: encoder.Encoder,
    tokens: dict[str, int],
    plan: Plan,
    device: torch.device,
    checkpoint: Path,
) -> encoder.Encoder:
    """The encoder after it has read the text of :func:`prepare`; a checkpoint is continued."""
    torch.manual_seed(plan.seed)
    with np.load(prepared) as arrays:
        offsets = arrays["offsets"]
        column = torch.from_numpy(arrays["numbers"].astype(np.int32)).to(device)
    lengths = np.diff(offsets)
    net, front, hidden = Guesser(base).to(device), tokens["[CLS]"], tokens["[MASK]"]
    learning = [x for x in net.parameters() if x.requires_grad]
    order: list[Rows] = []
    for number in range(int(np.ceil(plan.passes))):
        chosen = np.random.default_rng((plan.seed, number)).permutation(len(lengths))
        chosen = chosen[: round(min(plan.passes - number, 1.0) * len(chosen))]
        order += batches(lengths, chosen, plan.places)

    def loss(rows: Rows) -> tuple[Tensor, int]:
        packed = pack(column, offsets, lengths, rows, front)
        chance = torch.rand(packed.valid.shape, device=device)
        masked = (chance < MASKED) & packed.valid
        target = column[packed.source[masked]].long()
        kind = torch.rand(target.shape, device=device)
        random_token = column[torch.randint(len(column), target.shape, device=device)].long()
        replacement = torch.where(kind < 0.8, hidden, torch.where(kind < 0.9, random_token, target))
        return net.loss(packed, masked, replacement), int(lengths[rows.pieces].sum())

    descent = Descent((plan.rate,), warm_up=0.04, mean=0.004)
    descend(net, [learning], descent, order, loss, checkpoint)
    return base


def masked(work: Work) -> None:
    """The stage: the encoder after it has read raw text."""
    folder, text = work.shared / "encoder", work.folder / "raw.npz"
    tokens = encoder.read_vocabulary(folder)
    prepare(work.shared / "raw", encoder.numbering(tokens, work.fold), text)
    device, checkpoint = torch.device(work.device), work.folder / "encoder.checkpoint"
    plan = Plan(places=PLACES[work.device])
    net = train(text, encoder.load(folder), tokens, plan, device, checkpoint)
    with WholeFile(work.folder / "encoder.pt") as file:
        torch.save(net.state_dict(), file)
    checkpoint.unlink(missing_ok=True)
