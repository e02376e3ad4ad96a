"""A BiLSTM-CRF in integers (``bilstm/model.hpp``)."""

from __future__ import annotations

import operator
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Bilstm:
    """The integers of ``bilstm/model.hpp``, one position after another, from its artifact.

    Args:
        sections: of an artifact of kind ``"bilstm-crf"``.
        standard: number of the standard in it.
    """

    def __init__(self, sections: Mapping[str, Any], standard: int) -> None:
        def ints(name: str, kind: str) -> list[int]:
            return [number for (number,) in struct.iter_unpack("<" + kind, sections[name])]

        params = ints("bilstm.params", "i")
        self.hidden, self.layers, self.char_size, self.pair_size, tables = params[:5]
        sizes = params[7 : 7 + 2 * tables]
        self.shifts = params[7 + 2 * tables :]
        self.ids = [entry & 0x7FFF for entry in ints("charmap.bmp", "H")]
        self.rows = ints("bilstm.rows", "H")
        self.chars = _rows(ints("bilstm.chars", "b"), self.char_size)
        keys = ints("bilstm.keys", "I")
        self.pairs = {(k >> 16, k & 0xFFFF): i for i, k in enumerate(keys) if k != 0xFFFFFFFF}
        self.bigrams = _rows(ints("bilstm.bigrams", "b"), self.pair_size)
        flat, offset = ints("bilstm.lexicon", "b"), 0
        self.tables = []
        for values, size in zip(sizes[::2], sizes[1::2], strict=True):
            self.tables.append(_rows(flat[offset : offset + values * size], size))
            offset += values * size
        curve = ints("bilstm.sigmoid", "h")
        self.heights, self.slopes = curve[:32], curve[32:]
        self.weights, self.gains = {}, {}
        for name in ("ih", "hh"):
            for k in range(self.layers):
                for d in range(2):
                    flat = ints(f"bilstm.{name}.{k}{d}", "b")
                    self.weights[name, k, d] = _rows(flat, len(flat) // (4 * self.hidden))
                    self.gains[name, k, d] = ints(f"bilstm.gain.{name}.{k}{d}", "h")
        self.bias = _rows(ints(f"standard.{standard}.bias", "h"), 4 * self.hidden)
        self.out = _rows(ints(f"standard.{standard}.out", "h"), 2 * self.hidden)
        self.own = ints(f"standard.{standard}.params", "i")

    def inputs(self, text: str, slots: Sequence[Sequence[int]]) -> list[list[int]]:
        """Inputs of layer 0 at every character of folded text of the basic plane."""
        beyond, unknown = len(self.rows) - 1, len(self.bigrams) - 1
        ids = [beyond, *(self.ids[ord(c)] for c in text), beyond]
        columns = []
        for i in range(1, len(ids) - 1):
            x = list(self.chars[self.rows[ids[i]]])
            x += self.bigrams[self.pairs.get((ids[i - 1], ids[i]), unknown)]
            x += self.bigrams[self.pairs.get((ids[i], ids[i + 1]), unknown)]
            for table, value in zip(self.tables, slots[i - 1], strict=False):
                x += table[value]
            columns.append(x)
        return columns

    def half_sigmoid(self, z: int) -> int:
        """sigmoid(z) - 1/2 in 15 fraction bits; z has 10."""
        a = min(abs(z), 8191)
        rise = self.heights[a >> 8] + (self.slopes[a >> 8] * (a & 255) + 128 >> 8)
        return rise if z > 0 else -rise if z < 0 else 0

    def states(self, layer: int, d: int, inputs: Sequence[Sequence[int]]) -> list[list[int]]:
        """Hidden states, with 15 fraction bits, for inputs in reading order."""
        size = self.hidden

        def narrowed(name: str, x: Sequence[int]) -> list[int]:
            shift = self.shifts[4 * layer + 2 * d + (name == "hh")]
            rows = zip(self.weights[name, layer, d], self.gains[name, layer, d], strict=True)
            return [_times(_sat(_dot(row, x) >> shift), gain) for row, gain in rows]

        cell, recurrent = [0] * size, [0] * size
        states = []
        for x in inputs:
            sums = narrowed("ih", x), self.bias[2 * layer + d], narrowed("hh", recurrent)
            sums_of_state = zip(*sums, strict=True)
            u = [self.half_sigmoid(_sat(_sat(a + b) + r)) for a, b, r in sums_of_state]
            state = []
            for k in range(size):
                i, f, o = (u[g * size + k] + (1 << 14) for g in (0, 1, 3))
                g = 2 * u[2 * size + k]
                cell[k] = _sat(_times(f, cell[k]) + (_times(i, g) + 8 >> 4))
                state.append(_times(o, 2 * self.half_sigmoid(cell[k])))
            recurrent = _narrow_states(state)
            states.append(state)
        return states

    def emissions(
        self,
        text: str,
        slots: Sequence[Sequence[int]],
        linear: Sequence[Sequence[int]],
        weight: int,
    ) -> list[list[int]]:
        """Scores of B, M, E relative to S at every character.

        Args:
            text: folded text of the basic plane without blanks and line ends.
            slots: ten numbers per character, :func:`reference.floats.word_slots`.
            linear: the linear tagger's scores of B, M, E relative to S, in its integer units.
            weight: multiplies these, in units of 2**-32.
        """
        x = self.inputs(text, slots)
        emissions_both: list[list[int]] = []
        for layer in range(self.layers):
            forward = self.states(layer, 0, x)
            backward = self.states(layer, 1, x[::-1])[::-1]
            emissions_both = [a + b for a, b in zip(forward, backward, strict=True)]
            x = [_narrow_states(row) for row in emissions_both]
        emissions_sum = []
        for h, line in zip(emissions_both, linear, strict=True):
            scores = [_dot(row, h) * self.own[0] + (1 << 39) >> 40 for row in self.out]
            added = [b * weight + (1 << 31) >> 32 for b in line]
            emissions_sum.append(
                [sum(each) for each in zip(scores, self.own[1:4], added, strict=True)]
            )
        emissions_sum[-1][2] += self.own[8]
        return [[_sat(a) for a in row] for row in emissions_sum]


def _rows(flat: list[int], size: int) -> list[list[int]]:
    return [flat[i : i + size] for i in range(0, len(flat), size)]


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(operator.mul, a, b))


def _times(a: int, b: int) -> int:
    return a * b + (1 << 14) >> 15


def _sat(x: int) -> int:
    return max(-32768, min(32767, x))


def _narrow_states(state: Sequence[int]) -> list[int]:
    return [min(h + 128, 32767) >> 8 for h in state]
