"""Encoders of the preset ``best``: weights in floating point, and the integers of a file.

Weights have 8 bits and a scale for every output.  The inputs of a matrix have 8 bits and a scale
for every input, for which the matrix compensates (SmoothQuant, Xiao et al. 2023).  Ranges are
measured by running the floating-point network on texts.  ``kernels/encoder/model.hpp`` reads the
sections.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

PANEL = 64  # outputs side by side; sizes are multiples of it
HEAD = 64  # values of a head
UNITS = 64  # of a score, by nat
KEY, SHORT = 4095, 32767
NORMAL_BITS, GELU_BITS, VALUE_BITS = 10, 11, 5
BALANCES = (0.45, 0.6, 0.75)  # shares of the inputs' range in their scales
CLIPS = (1.0, 0.8, 0.6, 0.45)  # of the inputs' greatest values
SAMPLE = 192  # rows by which scales are chosen
ROWS = 3000  # of texts by which ranges are found


class Standard(NamedTuple):
    """A convention: what is added to the token in front, and the output layer for B, M, E, S."""

    beside: Array
    weight: Array
    bias: Array


class Weights(NamedTuple):
    """An encoder in floating point."""

    #: ``token.weight`` and ``position``; with ``.weight`` and ``.bias`` each: ``norm``, and of the
    #: layers ``layers.k.`` the matrices ``qkv``, ``attended``, ``wide``, ``narrow`` and the norms
    #: ``norm`` and ``last``
    arrays: Mapping[str, Array]
    standards: Mapping[str, Standard]
    epsilon: float  # added to variances
    first: int  # the token in front

    @property
    def layers(self) -> list[str]:
        """The names of the layers, from below."""
        return [f"layers.{k}." for k in range(sum(x.endswith("qkv.bias") for x in self.arrays))]

    def linear(self, x: Array, name: str) -> Array:
        """A matrix and its bias, applied to rows."""
        product: Array = x @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]
        return product

    def normal(self, x: Array, name: str) -> Array:
        """A normalisation of rows."""
        d = x - x.mean(-1, keepdims=True)
        d = d / np.sqrt((d * d).mean(-1, keepdims=True) + self.epsilon)
        scaled: Array = d * self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"]
        return scaled


class Trace(NamedTuple):
    """Intermediate values of a reading, a row for each place."""

    embedded: Array
    inputs: list[Array]  # of the four matrices of every layer
    heads: list[Array]  # queries, keys and values of every layer
    sums: list[Array]  # inputs of the normalisations, after the embedding
    last: Array


# --- in floating point ------------------------------------------------------------------------


def _gelu(x: Array) -> Array:
    # erf by Abramowitz and Stegun 7.1.26, within 1.5e-7
    u = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * u)
    p = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    erf = np.sign(x) * (1 - p * t * np.exp(-u * u))
    values: Array = x * (1 + erf) / 2
    return values


def read(net: Weights, tokens: Sequence[int] | Array, standard: str) -> Trace:
    """Runs the network on one piece of text: its tokens, without the one in front."""
    numbers = np.concatenate([[net.first], np.asarray(tokens, np.int64)])
    z = net.arrays["token.weight"][numbers] + net.arrays["position"][: len(numbers)]
    z[0] += net.standards[standard].beside
    x = net.normal(z, "norm")
    inputs, heads, sums = [], [], []
    for layer in net.layers:
        n, width = x.shape
        projected = net.linear(x, layer + "qkv")
        q, k, v = projected.reshape(n, 3, width // HEAD, HEAD).transpose(1, 2, 0, 3)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(HEAD)
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        mean = (chances @ v).transpose(1, 0, 2).reshape(n, width)
        attended = x + net.linear(mean, layer + "attended")
        normed = net.normal(attended, layer + "norm")
        bent = _gelu(net.linear(normed, layer + "wide"))
        summed = normed + net.linear(bent, layer + "narrow")
        x, layer_inputs = net.normal(summed, layer + "last"), [x, mean, normed, bent]
        inputs += layer_inputs
        heads.append(projected)
        sums += [attended, summed]
    return Trace(z, inputs, heads, sums, x)


# --- in integers ------------------------------------------------------------------------------


class _Matrix(NamedTuple):
    x: Array  # its inputs in texts, (rows, inputs)
    weights: Array  # int8
    scale: Array  # of every output
    inputs: Array  # scale of every input


def _matrix(weight: Array, x: Array) -> _Matrix:
    """Weights of 8 bits with the scales of inputs that cost least, tried on rows of inputs."""
    rows = x[np.linspace(0, len(x) - 1, min(len(x), SAMPLE)).astype(int)]
    exact = rows @ weight.T
    peaks = np.maximum(np.abs(x).max(0), 1e-6)
    by_weight = np.maximum(np.abs(weight).max(0), 1e-6)
    tried: list[tuple[float, _Matrix]] = []
    for balance in BALANCES:
        shape = peaks**balance / by_weight ** (1 - balance)
        unit = (peaks / shape).max() / 127
        for clip in CLIPS:
            inputs = shape * unit * clip
            scaled = weight * inputs
            scale = np.maximum(np.abs(scaled).max(1), 1e-12) / 127
            ints = np.clip(np.rint(scaled / scale[:, None]), -127, 127).astype(np.int8)
            a = np.clip(np.rint(rows / inputs), -127, 127)
            loss = float((((a @ ints.T.astype(rows.dtype)) * scale - exact) ** 2).mean())
            tried.append((loss, _Matrix(x, ints, scale, inputs)))
    return min(tried, key=lambda one: one[0])[1]


def packed(weights: Array) -> bytes:
    """Weights ``(outputs, inputs)`` as ``[outputs / 64][inputs / 4][64][4]``."""
    outputs, inputs = weights.shape
    panels = weights.reshape(outputs // PANEL, PANEL, inputs // 4, 4).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(panels, np.int8).tobytes()


def _scaled(gain: Array, bias: Array) -> tuple[Array, Array, int]:
    """Factors and summands of ``value * gain + bias`` as integers with a shift."""
    room = min(SHORT / max(float(np.abs(gain).max()), 1e-12),
               (1 << 28) / max(float(np.abs(bias).max()), 1e-12))  # fmt: skip
    shift = min(math.floor(math.log2(room)), 28)
    if shift < 1:
        raise ArgumentError("net: a normalisation is too large for 16 bits")
    half = 1 << (shift - 1)
    ints = np.rint(bias * 2.0**shift).astype(np.int64) + half
    return np.rint(gain * 2.0**shift).astype("<i2"), ints.astype("<i4"), shift


class _Writer:
    """Sections of a file, numbers of its parameters, and gains and biases of normalisations."""

    def __init__(self, net: Weights) -> None:
        self.arrays = net.arrays
        self.sections: dict[str, bytes] = {}
        self.numbers: list[int] = []
        self.gains: list[Array] = []
        self.biases: list[Array] = []

    def add(self, name: str, values: Array, kind: str) -> None:
        """Adds a section of rounded values."""
        self.sections[name] = np.rint(values).astype(kind).tobytes()

    def matrix(self, name: str, source: str, m: _Matrix, unit: Array | float) -> None:
        """Adds a matrix and its shifts; ``unit`` is of every output."""
        a = np.clip(np.rint(m.x / m.inputs), -127, 127)
        peak = float(np.abs(a @ m.weights.T.astype(m.x.dtype)).max()) * 1.5
        factor = m.scale / unit
        shift = max(0, math.ceil(math.log2(max(peak, 1) / SHORT)))
        down = min(15, math.floor(math.log2(SHORT / float(factor.max()))) - shift)  # of 15 bits
        if down < 0:
            raise ArgumentError(f"net: the outputs of {name} are too large for 16 bits")
        self.sections[name] = packed(m.weights)
        self.add(f"{name}.gain", factor * 2.0 ** (down + shift), "<i2")
        self.add(f"{name}.bias", self.arrays[f"{source}.bias"] / unit, "<i4")
        self.numbers += [shift, down]

    def norm(self, source: str, stream: float, inputs: Array | float, least: int) -> None:
        """Adds a normalisation and its numbers."""
        weight, summand = self.arrays[f"{source}.weight"], self.arrays[f"{source}.bias"]
        for unit in (stream, inputs):
            gain, bias, shift = _scaled(weight / unit / (1 << NORMAL_BITS), summand / unit)
            self.gains.append(gain)
            self.biases.append(bias)
            self.numbers.append(shift)
        self.numbers.append(least)


def compiled(
    net: Weights,
    texts: Sequence[tuple[str, Sequence[int] | Array]],
    window: int,
    overlap: int,
    floor: float = 0.0,
) -> dict[str, bytes]:
    """The sections of a file, without the map of characters.

    Args:
        net: the network.
        texts: pieces by which ranges are found: standard and tokens.
        window: characters that are read at once.
        overlap: of two windows.  Even.
        floor: nats that the linear tagger's scores are at most below the best; 0: any.

    Raises:
        ArgumentError: sizes are no multiples of 64; a window that the network has no places for;
            values that the integers cannot hold.
    """
    tokens_, places = net.arrays["token.weight"], net.arrays["position"]
    width, wide = tokens_.shape[1], len(net.arrays["layers.0.wide.bias"])
    if width % PANEL or wide % PANEL:
        raise ArgumentError("net: sizes must be multiples of 64")
    if not 0 <= overlap < window or overlap % 2 or window >= len(places):
        raise ArgumentError(
            f"window: {window} with an overlap of {overlap} does not fit {len(places)} places"
        )
    traces, rows = [], 0
    for standard, tokens in texts:
        if rows < ROWS:
            traces.append(read(net, tokens[:window], standard))
            rows += len(tokens[:window]) + 1
    names = [layer + x for layer in net.layers for x in ("qkv", "attended", "wide", "narrow")]
    matrices = [
        _matrix(net.arrays[f"{name}.weight"], np.concatenate([t.inputs[i] for t in traces]))
        for i, name in enumerate(names)
    ]
    spread = max(
        float(np.abs(s - s.mean(-1, keepdims=True)).max())
        for t in traces
        for s in (*t.sums, t.last)
    )
    stream = max(spread, float(max(np.abs(t.last).max() for t in traces))) * 1.25 / SHORT
    input_unit = max(float(np.abs(t.embedded).max()) for t in traces) * 1.25 / SHORT

    def least(unit: float) -> int:
        return min(round(net.epsilon / unit**2), (1 << 31) - 1)

    writer = _Writer(net)
    writer.numbers = [width, wide, len(net.layers), window, overlap, len(tokens_), net.first,
                    round(floor * UNITS)]  # fmt: skip
    _embeddings(writer, tokens_, places[: window + 1], input_unit)
    writer.norm("norm", stream, matrices[0].inputs, least(input_unit))
    for k, layer in enumerate(net.layers):
        name = f"layer.{k}."
        heads, attended, wide_, narrow, *following = matrices[4 * k :]
        outputs = np.concatenate([t.heads[k] for t in traces])
        units, writer.sections[name + "shifts"] = _head_units(outputs, attended.inputs)
        gain, bias, bent = _scaled(
            1 / narrow.inputs / (1 << GELU_BITS), np.zeros_like(narrow.inputs)
        )
        writer.sections[name + "gelu.gain"] = gain.tobytes()
        writer.sections[name + "gelu.bias"] = bias.tobytes()
        writer.matrix(name + "heads", layer + "qkv", heads, units)
        writer.matrix(name + "attended", layer + "attended", attended, stream)
        writer.matrix(name + "wide", layer + "wide", wide_, 2.0**-GELU_BITS)
        writer.matrix(name + "narrow", layer + "narrow", narrow, stream)
        writer.numbers.append(bent)
        writer.norm(layer + "norm", stream, wide_.inputs, least(stream))
        writer.norm(
            layer + "last", stream, following[0].inputs if following else math.inf, least(stream)
        )
    writer.add("encoder.params", np.array(writer.numbers), "<i4")
    writer.sections["encoder.norm.gain"] = np.concatenate(writer.gains).tobytes()
    writer.sections["encoder.norm.bias"] = np.concatenate(writer.biases).tobytes()
    for i, convention in enumerate(net.standards.values()):
        _standard(writer, f"standard.{i}", convention, stream, input_unit)
    return writer.sections


def _embeddings(writer: _Writer, tokens: Array, places: Array, unit: float) -> None:
    scale = np.maximum(np.abs(tokens).max(1), 1e-9) / 127
    gain = np.rint(scale / unit * 64)
    if gain.max() > SHORT:
        raise ArgumentError("net: the embedding of a token is too large")
    writer.add("encoder.tokens", tokens / scale[:, None], "i1")
    writer.add("encoder.token.gain", gain, "<i2")
    writer.add("encoder.places", np.clip(np.rint(places / unit), -SHORT, SHORT), "<i2")


def _head_units(outputs: Array, mean: Array) -> tuple[Array, bytes]:
    """The units of queries, keys and values, and the fraction bits of every head's scores.

    ``outputs`` are queries, keys and values in texts; ``mean`` has the scales of the next inputs.
    """
    width = outputs.shape[1] // 3
    units = np.empty(3 * width)
    shifts = []
    by_nat = math.log2(math.e) / math.sqrt(HEAD)
    for a in range(0, width, HEAD):
        query, key = (
            max(float(np.abs(outputs[:, start : start + HEAD]).max()), 1e-6) * 1.15 / KEY
            for start in (a, width + a)
        )
        shift = min(30, math.floor(-math.log2(query * key * by_nat)))
        if shift < 10:
            raise ArgumentError("net: the scores of attention are too large")
        units[width + a : width + a + HEAD] = key
        units[a : a + HEAD] = 2.0**-shift / by_nat / key
        shifts.append(shift)
    units[2 * width :] = mean / (1 << VALUE_BITS)
    return units, bytes(shifts)


def _standard(
    writer: _Writer, name: str, standard: Standard, stream: float, input_unit: float
) -> None:
    relative = (standard.weight[:3] - standard.weight[3]) * stream
    bias = standard.bias[:3] - standard.bias[3]
    row_sum = max(float(np.abs(relative).sum(1).max()), 1e-12)
    room = min(65000 / row_sum, SHORT / max(float(np.abs(relative).max()), 1e-12))
    per_unit = 2.0 ** min(math.floor(math.log2(room)), 40)
    if UNITS * 2.0**40 / per_unit >= 1 << 31:
        raise ArgumentError(f"net: the output layer of {name} is too large")
    front = np.rint(standard.beside / input_unit)
    if np.abs(front).max() > SHORT:
        raise ArgumentError(f"net: what {name} adds to the token in front is too large")
    writer.add(f"{name}.beside", front, "<i2")
    writer.add(f"{name}.out", relative * per_unit, "<i2")
    numbers = [round(UNITS * 2.0**40 / per_unit), *np.rint(UNITS * bias), *[0] * 21]
    writer.add(f"{name}.params", np.array(numbers), "<i4")


def with_tagger(params: bytes, start: Array, trans: Array) -> bytes:
    """The numbers of a standard with the transitions of the linear tagger, in nats."""
    numbers = np.frombuffer(params, "<i4").copy()
    numbers[4:8] = np.rint(UNITS * start)
    numbers[9:25] = np.rint(UNITS * trans).reshape(-1)
    return numbers.tobytes()


def character_map(table: Array) -> dict[str, bytes]:
    """The sections of a map from characters to tokens, given the token of every code point."""
    entries = table.astype("<u2")
    blocks: dict[bytes, int] = {bytes(512): 0}
    pages = []
    for begin in range(0x10000, 0x110000, 0x100):
        raw = entries[begin : begin + 0x100].tobytes()
        pages.append(blocks.setdefault(raw, len(blocks)))
    return {
        "charmap.bmp": entries[:0x10000].tobytes(),
        "charmap.pages": np.array(pages, "<u2").tobytes(),
        "charmap.blocks": b"".join(blocks),
    }
