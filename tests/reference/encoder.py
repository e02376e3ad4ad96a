"""An encoder in integers (``kernels/encoder/model.hpp``), a piece at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.int64]

HEAD = 64
GELU = (4012, 5311, -25051, 20828)
POWER = (65531, -45309, 15137, -2595)


class Encoder:
    """The integers of ``encoder/model.hpp``, from its artifact.

    Args:
        sections: of an artifact of kind ``"encoder-crf"``.
        standard: number of the standard in it.
    """

    def __init__(self, sections: Mapping[str, Any], standard: int) -> None:
        def ints(name: str, kind: str) -> Array:
            return np.frombuffer(sections[name], "<" + kind).astype(np.int64)

        params = ints("encoder.params", "i4").tolist()
        self.width, self.wide, self.layers, self.window, self.overlap, _, self.first, _ = params[:8]
        self.numbers = params[8:]
        self.map = ints("charmap.bmp", "u2")
        self.tokens = ints("encoder.tokens", "i1").reshape(-1, self.width)
        self.token_gain = ints("encoder.token.gain", "i2")
        self.places = ints("encoder.places", "i2").reshape(-1, self.width)
        shape = (2 * self.layers + 1, 2, self.width)
        self.norm_gain = ints("encoder.norm.gain", "i2").reshape(shape)
        self.norm_bias = ints("encoder.norm.bias", "i4").reshape(shape)
        self.matrices = {}
        for k in range(self.layers):
            for name, outputs, inputs in (
                ("heads", 3 * self.width, self.width),
                ("attended", self.width, self.width),
                ("wide", self.wide, self.width),
                ("narrow", self.width, self.wide),
            ):
                name_of_layer = f"layer.{k}.{name}"
                panels = ints(name_of_layer, "i1").reshape(outputs // 64, inputs // 4, 64, 4)
                weights = panels.transpose(0, 2, 1, 3).reshape(outputs, inputs)
                self.matrices[k, name] = (
                    weights,
                    ints(f"{name_of_layer}.gain", "i2"),
                    ints(f"{name_of_layer}.bias", "i4"),
                )
        self.gelu = [
            (ints(f"layer.{k}.gelu.gain", "i2"), ints(f"layer.{k}.gelu.bias", "i4"))
            for k in range(self.layers)
        ]
        self.shifts = [ints(f"layer.{k}.shifts", "u1").tolist() for k in range(self.layers)]
        name_of_layer = f"standard.{standard}."
        self.beside = ints(name_of_layer + "beside", "i2")
        self.out = ints(name_of_layer + "out", "i2").reshape(3, self.width)
        self.own = ints(name_of_layer + "params", "i4").tolist()

    def scores(self, text: str) -> Array:
        """Scores of B, M, E of a text of the basic plane that is one piece, in units."""
        scores = np.zeros((len(text), 3), np.int64)
        step = self.window - self.overlap
        for start in range(0, len(text), step):
            end = min(start + self.window, len(text))
            sums = self.read(text[start:end])
            outputs = (sums * self.own[0] + (1 << 39)) >> 40
            skip = self.overlap // 2 if start else 0
            scores[start + skip : end] = outputs[skip:] + np.array(self.own[1:4])
            if end == len(text):
                break
        return scores

    def read(self, text: str) -> Array:
        """Sums of the output layer, ``(characters, 3)``, of a window."""
        numbers = iter(self.numbers)
        tokens = [self.first, *self.map[[ord(c) for c in text]].tolist()]
        z = (self.tokens[tokens] * self.token_gain[tokens][:, None] + 32) >> 6
        z = z + self.places[: len(tokens)]
        z[0] += self.beside
        stream, x = self.normal(z, 0, numbers)
        for k in range(self.layers):
            shifts = [(next(numbers), next(numbers)) for _ in range(4)]
            bent_by = next(numbers)
            projected = self.product(k, "heads", x, shifts[0])
            limits = np.repeat([4095, 4095, 32767], self.width)
            mean = self.attend(np.clip(projected, -limits, limits), self.shifts[k])
            z = stream + self.product(k, "attended", mean, shifts[1])
            stream, x = self.normal(z, 2 * k + 1, numbers)
            wide = gelu(np.clip(self.product(k, "wide", x, shifts[2]), -32767, 32767))
            gain, bias = self.gelu[k]
            bent = np.clip((wide * gain + bias) >> bent_by, -127, 127)
            z = stream + self.product(k, "narrow", bent, shifts[3])
            stream, x = self.normal(z, 2 * k + 2, numbers)
        products: Array = stream[1:] @ self.out.T
        return products

    def product(self, k: int, name: str, x: Array, shift: tuple[int, int]) -> Array:
        weights, gain, bias = self.matrices[k, name]
        sums = np.clip((x @ weights.T) >> shift[0], -32767, 32767)
        product_sum: Array = ((sums * gain + ((1 << shift[1]) >> 1)) >> shift[1]) + bias
        return product_sum

    def normal(self, z: Array, place: int, numbers: Any) -> tuple[Array, Array]:
        """The residual stream and the inputs of the next matrix."""
        shifts, least = (next(numbers), next(numbers)), next(numbers)
        rows = []
        for row in np.clip(z, -(1 << 18), 1 << 18).tolist():
            mean = int(sum(row) / self.width)  # towards zero
            d = [max(-32767, min(32767, v - mean)) for v in row]
            variance = (sum(v * v >> 6 for v in d) << 6) // self.width + least
            deviation = math.isqrt(max(variance, 1) << 20)
            shift = 1
            while deviation >> (6 + shift):
                shift += 1
            factor = min((1 << 20 + shift) // deviation, 32767)
            half = 1 << (shift - 1)
            rows.append([max(-32767, min(32767, v * factor + half >> shift)) for v in d])
        y = np.array(rows, np.int64)
        stream, x = (
            (y * self.norm_gain[place, i] + self.norm_bias[place, i]) >> shifts[i] for i in (0, 1)
        )
        return np.clip(stream, -32767, 32767), np.clip(x, -127, 127)

    def attend(self, projected: Array, shifts: Sequence[int]) -> Array:
        """Mean values by attention, as inputs of 8 bits."""
        values = np.zeros((len(projected), self.width), np.int64)
        for head, shift in enumerate(shifts):
            q, k, v = (
                projected[:, a + HEAD * head : a + HEAD * (head + 1)]
                for a in (0, self.width, 2 * self.width)
            )
            scores = q @ k.T
            for i, row in enumerate(scores):
                d = np.minimum((row.max() - row) >> (shift - 10), 16383)
                chances = power(d)
                down = 0
                while int(chances.sum()) >> down > 1 << 15:
                    down += 1
                chances = chances >> down
                factor = min((1 << 29) // int(chances.sum()), 32767)
                mean = (((chances @ v) >> 15) * factor + (1 << 18)) >> 19
                values[i, HEAD * head : HEAD * (head + 1)] = np.clip(mean, -127, 127)
        return values


def gelu(v: Array) -> Array:
    """x * Phi(x), 11 fraction bits."""

    def times(a: Array | int, b: Array) -> Array:
        return (a * b + (1 << 14)) >> 15

    q = np.minimum(np.abs(v), 8191) << 2
    square = times(32767 - q, 32767 - q)
    p = times(GELU[3], q) + GELU[2]
    p = times(p, q) + GELU[1]
    p = times(p, q) + GELU[0]
    return np.maximum(v, 0) - times(times(p, times(square, square)), q)


def power(d: Array) -> Array:
    """2 to minus d, 15 fraction bits; d has 10."""
    f = d & 1023
    p = POWER[3] * f >> 10
    p = (p + POWER[2]) * f >> 10
    p = (p + POWER[1]) * f >> 10
    return (p + POWER[0]) >> (1 + (d >> 10))
