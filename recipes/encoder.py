"""A pre-trained Chinese encoder, as a network that can be trained further.

The file is an ONNX model in 8 bits (``shared/data/encoder``): a BERT (Devlin et al. 2019) of a few
layers.  Its integers become floating-point weights again; characters are its tokens.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from segmenter.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    Array = NDArray[Any]

MATRICES = (
    "query",
    "key",
    "value",
    "attended",
    "wide",
    "narrow",
)  # of a layer, in the file's order


class Sizes(NamedTuple):
    """Of an encoder."""

    layers: int
    width: int
    heads: int
    wide: int
    epsilon: float


def read(folder: Path) -> tuple[Sizes, dict[str, Array]]:
    """The sizes and the weights of an encoder, in floating point.

    Args:
        folder: ``config.json`` and ``model_quantized.onnx``.
    """
    try:
        onnx: Any = importlib.import_module("onnx")
    except ImportError as e:
        raise MissingExtraError("train", "onnx", "recipes.encoder") from e
    config = json.loads((folder / "config.json").read_text("utf-8"))
    model = onnx.load(str(folder / "model_quantized.onnx"))
    raw = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    found = {name: x for name, x in raw.items() if x.dtype == np.float32 and "_scale" not in name}
    for name, quantized in raw.items():
        if name.endswith("_quantized"):
            plain = name.removesuffix("_quantized")
            from_zero = quantized.astype(np.float32) - raw[plain + "_zero_point"].astype(np.float32)
            found[plain] = from_zero * raw[plain + "_scale"]
    sizes = Sizes(
        config["num_hidden_layers"],
        config["hidden_size"],
        config["num_attention_heads"],
        config["intermediate_size"],
        config["layer_norm_eps"],
    )
    return sizes, found


def read_vocabulary(folder: Path) -> dict[str, int]:
    """The numbers of the tokens."""
    lines = (folder / "vocab.txt").read_text("utf-8").removesuffix("\n").split("\n")
    return {line: i for i, line in enumerate(lines)}  # U+2028 is one of them


def numbering(vocabulary: Mapping[str, int], fold: Callable[[str], str]) -> Callable[[str], Array]:
    """What turns a text into the numbers of its characters.

    Args:
        vocabulary: of :func:`read_vocabulary`.
        fold: brings text to the characters of the models; for what the vocabulary has not.
    """
    unknown = vocabulary["[UNK]"]
    table = np.full(sys.maxunicode + 1, unknown, np.uint16)
    every = [c for c in map(chr, range(sys.maxunicode + 1)) if not "\ud800" <= c <= "\udfff"]
    for c, folded in zip(every, fold("".join(every)), strict=True):
        table[ord(c)] = vocabulary.get(c.lower()) or vocabulary.get(folded) or unknown

    def numbers(text: str) -> Array:
        found: Array = table[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)]
        return found

    return numbers


class Layer(nn.Module):
    """Self-attention and a feed-forward network, each with its residual and norm."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        width, wide = sizes.width, sizes.wide
        self.heads = sizes.heads
        self.qkv = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, sizes.epsilon)
        self.wide = nn.Linear(width, wide)
        self.narrow = nn.Linear(wide, width)
        self.last = nn.LayerNorm(width, sizes.epsilon)

    def forward(self, x: Tensor, mask: Tensor, drop: float) -> Tensor:
        b, t, width = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        # in three steps: 4 times as fast as torch's own for sentences on a processor
        scores = torch.matmul(q, k.transpose(2, 3)) * (width // self.heads) ** -0.5 + mask
        found = torch.matmul(torch.softmax(scores, 3), v)
        attended = self.attended(found.transpose(1, 2).reshape(b, t, width))
        x = self.norm(x + functional.dropout(attended, drop))
        made = self.narrow(functional.gelu(self.wide(x)))
        out: Tensor = self.last(x + functional.dropout(made, drop))
        return out


class Encoder(nn.Module):
    """The network: tokens to vectors.

    Args:
        sizes: of the encoder.
        tokens: how many tokens it knows.
        positions: how many places it knows.

    Attributes:
        drop: dropout of a layer's two results while it learns.
    """

    def __init__(self, sizes: Sizes, tokens: int, positions: int) -> None:
        super().__init__()
        self.sizes, self.drop = sizes, 0.0
        self.token = nn.Embedding(tokens, sizes.width)
        self.position = nn.Parameter(torch.zeros(positions, sizes.width))
        self.norm = nn.LayerNorm(sizes.width, sizes.epsilon)
        self.layers = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))

    def forward(self, numbers: Tensor, inside: Tensor, beside: Tensor) -> Tensor:
        """Vectors of all places.

        Args:
            numbers: of the tokens, ``(sentences, places)``.
            inside: which places are of the sentence.
            beside: added to the embedding of the first place.
        """
        x = self.embedded(numbers)
        x = torch.cat([x[:, :1] + beside.unsqueeze(1), x[:, 1:]], 1)
        return self.read(x, inside[:, None])

    def embedded(self, numbers: Tensor, places: Tensor | None = None) -> Tensor:
        """The sums of the embeddings of tokens and of their places, by default 0, 1, 2, …"""
        at = self.position[: numbers.shape[1]] if places is None else self.position[places]
        found: Tensor = self.token(numbers) + at
        return found

    def read(self, embedded: Tensor, seen: Tensor) -> Tensor:
        """Vectors of all places, of sums of embeddings.

        Args:
            embedded: ``(rows, places, width)``.
            seen: which places each place attends to, ``(rows, places or 1, places)``.
        """
        x = self.norm(embedded)
        outside = torch.zeros(seen.shape, dtype=x.dtype, device=x.device)
        mask = outside.masked_fill(~seen, -1e4)[:, None]
        drop = self.drop if self.training else 0.0
        for layer in self.layers:
            x = layer(x, mask, drop)
        return x


def load(folder: Path) -> Encoder:
    """The encoder of a folder."""
    sizes, weights = read(folder)
    words = weights["embeddings.word_embeddings.weight"]
    places = weights["embeddings.position_embeddings.weight"]
    net = Encoder(sizes, len(words), len(places))
    given: dict[str, Array] = {
        "token.weight": words,
        "position": places + weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    numbers = sorted(
        int(m[1]) for name in weights if (m := re.fullmatch(r"onnx::MatMul_(\d+)", name))
    )
    for i in range(sizes.layers):
        here = numbers[i * len(MATRICES) : (i + 1) * len(MATRICES)]
        matrices = [weights[f"onnx::MatMul_{n}"].T for n in here]
        of = f"encoder.layer.{i}."
        attention = of + "attention.self."
        to = f"layers.{i}."
        given |= {
            to + "qkv.weight": np.concatenate(matrices[:3]),
            to + "qkv.bias": np.concatenate(
                [weights[f"{attention}{name}.bias"] for name in MATRICES[:3]]
            ),
            to + "attended.weight": matrices[3],
            to + "attended.bias": weights[of + "attention.output.dense.bias"],
            to + "norm.weight": weights[of + "attention.output.LayerNorm.weight"],
            to + "norm.bias": weights[of + "attention.output.LayerNorm.bias"],
            to + "wide.weight": matrices[4],
            to + "wide.bias": weights[of + "intermediate.dense.bias"],
            to + "narrow.weight": matrices[5],
            to + "narrow.bias": weights[of + "output.dense.bias"],
            to + "last.weight": weights[of + "output.LayerNorm.weight"],
            to + "last.bias": weights[of + "output.LayerNorm.bias"],
        }
    net.load_state_dict(
        {name: torch.from_numpy(np.ascontiguousarray(x)) for name, x in given.items()}
    )
    return net
