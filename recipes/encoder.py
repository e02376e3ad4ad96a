"""A pre-trained Chinese encoder, as a network that can be trained further.

The file is an ONNX model in 8 bits (``shared/data/encoder``): a BERT (Devlin et al. 2019) of a few
layers whose tokens are characters.  Its integers become floating-point weights again.
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

HEADS = ("query", "key", "value")
#: The other matrices of a layer in the file's order, and its normalisations; with ONNX's names.
MATRICES = {
    "attended": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
NORMS = {"norm": "attention.output.LayerNorm", "last": "output.LayerNorm"}


class Sizes(NamedTuple):
    """Sizes of an encoder."""

    layers: int
    width: int
    heads: int
    wide: int
    epsilon: float


def read_sizes(folder: Path) -> Sizes:
    """The sizes in the folder's ``config.json``."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    return Sizes(
        config["num_hidden_layers"],
        config["hidden_size"],
        config["num_attention_heads"],
        config["intermediate_size"],
        config["layer_norm_eps"],
    )


def read_weights(folder: Path) -> dict[str, Array]:
    """The weights of ``model_quantized.onnx`` in floating point, by ONNX's names."""
    try:
        onnx: Any = importlib.import_module("onnx")
    except ImportError as e:
        raise MissingExtraError("train", "onnx", "recipes.encoder") from e
    model = onnx.load(str(folder / "model_quantized.onnx"))
    raw = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    weights = {name: x for name, x in raw.items() if x.dtype == np.float32 and "_scale" not in name}
    for name, quantized in raw.items():
        if name.endswith("_quantized"):
            plain = name.removesuffix("_quantized")
            from_zero = quantized.astype(np.float32) - raw[plain + "_zero_point"].astype(np.float32)
            weights[plain] = from_zero * raw[plain + "_scale"]
    return weights


def read_vocabulary(folder: Path) -> dict[str, int]:
    """The number of each token."""
    lines = (folder / "vocab.txt").read_text("utf-8").removesuffix("\n").split("\n")
    return {line: i for i, line in enumerate(lines)}  # U+2028 is one of them


def token_table(vocabulary: Mapping[str, int], fold: Callable[[str], str]) -> Array:
    """The token of every code point; ``fold`` is for characters that the vocabulary lacks."""
    unknown = vocabulary["[UNK]"]
    table = np.full(sys.maxunicode + 1, unknown, np.uint16)
    characters = [c for c in map(chr, range(sys.maxunicode + 1)) if not "\ud800" <= c <= "\udfff"]
    for c, folded in zip(characters, fold("".join(characters)), strict=True):
        table[ord(c)] = vocabulary.get(c.lower()) or vocabulary.get(folded) or unknown
    return table


def numbering(vocabulary: Mapping[str, int], fold: Callable[[str], str]) -> Callable[[str], Array]:
    """A function from a text to the tokens of its characters, see :func:`token_table`."""
    table = token_table(vocabulary, fold)

    def numbers(text: str) -> Array:
        tokens: Array = table[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)]
        return tokens

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
        mixed = torch.matmul(torch.softmax(scores, 3), v)
        attended = self.attended(mixed.transpose(1, 2).reshape(b, t, width))
        x = self.norm(x + functional.dropout(attended, drop))
        bent = self.narrow(functional.gelu(self.wide(x)))
        normed: Tensor = self.last(x + functional.dropout(bent, drop))
        return normed


class Encoder(nn.Module):
    """The network from tokens and their places to vectors."""

    def __init__(self, sizes: Sizes, tokens: int, positions: int) -> None:
        super().__init__()
        self.sizes, self.drop = sizes, 0.0
        self.token = nn.Embedding(tokens, sizes.width)
        self.position = nn.Parameter(torch.zeros(positions, sizes.width))
        self.norm = nn.LayerNorm(sizes.width, sizes.epsilon)
        self.layers = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))

    def embedded(self, numbers: Tensor, places: Tensor) -> Tensor:
        """The sums of the embeddings of tokens and of their places."""
        sums: Tensor = self.token(numbers) + self.position[places]
        return sums

    def read(self, embedded: Tensor, attends: Tensor) -> Tensor:
        """Vectors of all places.

        Args:
            embedded: sums of embeddings, ``(rows, places, width)``.
            attends: which places each place attends to, ``(rows, places, places)``.
        """
        x = self.norm(embedded)
        zeros = torch.zeros(attends.shape, dtype=x.dtype, device=x.device)
        mask = zeros.masked_fill(~attends, -1e4)[:, None]
        drop = self.drop if self.training else 0.0
        for layer in self.layers:
            x = layer(x, mask, drop)
        return x


def load(folder: Path) -> Encoder:
    """The encoder of a folder."""
    sizes, weights = read_sizes(folder), read_weights(folder)
    words = weights["embeddings.word_embeddings.weight"]
    places = weights["embeddings.position_embeddings.weight"]
    state: dict[str, Array] = {
        "token.weight": words,
        "position": places + weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    matches = (re.fullmatch(r"onnx::MatMul_(\d+)", name) for name in weights)
    matrices = iter(weights[f"onnx::MatMul_{n}"].T for n in sorted(int(m[1]) for m in matches if m))
    for i in range(sizes.layers):
        source, target = f"encoder.layer.{i}.", f"layers.{i}."
        state[f"{target}qkv.weight"] = np.concatenate([next(matrices) for _ in HEADS])
        biases = [weights[f"{source}attention.self.{name}.bias"] for name in HEADS]
        state[f"{target}qkv.bias"] = np.concatenate(biases)
        for name, theirs in MATRICES.items():
            state[f"{target}{name}.weight"] = next(matrices)
            state[f"{target}{name}.bias"] = weights[f"{source}{theirs}.bias"]
        for name, theirs in NORMS.items():
            state[f"{target}{name}.weight"] = weights[f"{source}{theirs}.weight"]
            state[f"{target}{name}.bias"] = weights[f"{source}{theirs}.bias"]
    net = Encoder(sizes, len(words), len(places))
    net.load_state_dict({k: torch.from_numpy(np.ascontiguousarray(x)) for k, x in state.items()})
    return net
