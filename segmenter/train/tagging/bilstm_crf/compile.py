"""The compiler of a BiLSTM-CRF: floats to integers, arrays to the sections of a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.train.tagging.bilstm_crf.model import (
    BEYOND,
    GATE_BITS,
    KIND,
    LEAST_GAIN,
    SEGMENTS,
    UNITS,
    BilstmCrf,
    scaled_g,
)
from segmenter.train.tagging.model import MAX_WORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from segmenter.artifact import Artifact

    Array = NDArray[Any]
    Floats = NDArray[np.float64]


def compile_model(
    model: BilstmCrf, linears: Mapping[str, Artifact]
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Compile the portable form to sections and metadata of an artifact of kind :data:`KIND`.

    Args:
        model: the parameters.
        linears: the compiled linear tagger of each file name that a standard names; the artifact
            holds their digests, and the classes of their words.

    Raises:
        ArgumentError: a linear tagger is missing, has no four tags or knows too few of the words;
            weights that 8 bits cannot hold; too many characters.
    """
    from segmenter.lexicon.characters import CharTable
    from segmenter.train.tagging.compile import pair_hash

    code_points = {int(c) for c in (*model.chars, *model.bigrams.reshape(-1)) if c}
    table = CharTable({chr(c): 1.0 for c in code_points}, "default")
    n_ids = len(table.classes)
    beyond = n_ids
    rows = np.zeros(n_ids + 1, np.uint16)
    for i, cp in enumerate(model.chars.tolist()):
        rows[table.ids[cp]] = i + 2
    rows[beyond] = BEYOND
    if len(model.chars) + 2 > 0xFFFF:
        raise ArgumentError(f"model: {len(model.chars)} characters; 65,533 can be numbered")
    id_of = {0: beyond, **table.ids}
    first, second = (
        np.array([id_of[c] for c in column.tolist()], np.uint32) for column in model.bigrams.T
    )
    pilots, places, n_places = pair_hash(first << 16 | second)
    keys = np.full(n_places, 0xFFFFFFFF, np.uint32)
    keys[places] = first << 16 | second
    # --- embeddings: 8 bits, a scale for each input ----------------------------------------------
    char_ints, char_scale = _columns(model.char_embedding)
    pair_ints, pair_scale = _columns(model.bigram_embedding)
    pair_rows = np.zeros((n_places + 1, pair_ints.shape[1]), np.int8)
    pair_rows[places] = pair_ints[1:]
    pair_rows[n_places] = pair_ints[0]
    tables = [_columns(t) for t in model.lexicon]
    scale = np.concatenate([char_scale, pair_scale, pair_scale, *(s for _, s in tables)])
    base, slope = sigmoid_table()
    shape = [
        model.hidden, len(model.layers), char_ints.shape[1], pair_ints.shape[1], len(tables),
        len(char_ints), n_places, *(n for t, _ in tables for n in t.shape),
    ]  # fmt: skip
    sections = {
        **table.sections(),
        "bilstm.rows": rows.astype("<u2").tobytes(),
        "bilstm.chars": char_ints.tobytes(),
        "bilstm.pilots": pilots,
        "bilstm.keys": keys.astype("<u4").tobytes(),
        "bilstm.bigrams": pair_rows.tobytes(),
        "bilstm.lexicon": b"".join(t.tobytes() for t, _ in tables),
        "bilstm.sigmoid": np.concatenate([base, slope]).astype("<i2").tobytes(),
    }
    # --- weights: 8 bits, a scale for each row ---------------------------------------------------
    shifts: list[int] = []
    for k, layer in enumerate(model.layers):
        for d, direction in enumerate(layer):
            for name, weights in (("ih", direction.w_ih * scale), ("hh", direction.w_hh / 128)):
                ints, gains, shift = quantise_rows(scaled_g(weights, 2), f"w_{name}_{k}")
                sections[f"bilstm.{name}.{k}{d}"] = ints.tobytes()
                sections[f"bilstm.gain.{name}.{k}{d}"] = gains.astype("<i2").tobytes()
                shifts.append(shift)
        scale = np.full(2 * model.hidden, 1 / 128)
    sections["bilstm.params"] = np.array([*shape, *shifts], "<i4").tobytes()
    # --- standards -------------------------------------------------------------------------------
    standards: dict[str, dict[str, Any]] = {}
    column_numbers: dict[Columns, int] = {}
    for i, (name, standard) in enumerate(model.standards.items()):
        if standard.linear not in linears:
            raise ArgumentError(
                f"linears: the tagger {standard.linear!r} of the standard {name!r} is missing: add "
                "it"
            )
        words, pairs = word_columns(standard.words, linears[standard.linear])
        standards[name] = {
            "number": i,
            **standard.metadata(),
            "linear_digest": linears[standard.linear].digest,
            "linear_weight": standard.linear_weight,
        }
        # standards of the same words share their columns
        columns = Columns(standard.linear, words.tobytes(), pairs.tobytes())
        if columns not in column_numbers:
            sections |= columns.sections(len(column_numbers), column_numbers)
            column_numbers[columns] = len(column_numbers)
        standards[name]["words"] = column_numbers[columns]
        biases = [
            scaled_g(direction.bias + (standard.bias[d] if k == 0 else 0), 2)
            for k, layer in enumerate(model.layers)
            for d, direction in enumerate(layer)
        ]
        sections[f"standard.{i}.bias"] = (
            _clip(np.concatenate(biases) * (1 << GATE_BITS)).astype("<i2").tobytes()
        )
        relative = standard.out_w[:3] - standard.out_w[3]
        largest_sum = max(float(np.abs(relative).sum(axis=1).max()), 1e-9)
        per_unit = min(65000 / largest_sum, 32767 / max(float(np.abs(relative).max()), 1e-9))
        per_unit = 2.0 ** min(math.floor(math.log2(per_unit)), 24)
        if per_unit < 8:
            raise ArgumentError(f"out_w_{name}: weights of {largest_sum:.0f} in sum are too large")
        sections[f"standard.{i}.out"] = _clip(relative * per_unit).astype("<i2").tobytes()
        numbers = [
            round(UNITS * (1 << 25) / per_unit),
            *np.round(UNITS * (standard.out_b[:3] - standard.out_b[3])),
            *np.round(UNITS * standard.start),
            round(UNITS * float(standard.end[2] - standard.end[3])),
            *np.round(UNITS * standard.transitions).reshape(-1),
        ]
        sections[f"standard.{i}.params"] = np.array(numbers, "<i4").tobytes()
    meta = {
        **model.meta,
        "algorithm": KIND,
        "standards": standards,
        "characters": len(model.chars),
        "pairs": len(model.bigrams),
        "hidden": model.hidden,
        "inputs": model.inputs,
        "layers": len(model.layers),
        "scale": UNITS,
    }
    return sections, meta


class Columns(NamedTuple):
    """The classes of the words and of the pairs of a linear tagger, a byte each.

    Attributes:
        linear: its file name.
        words, pairs: see :func:`word_columns`.
    """

    linear: str
    words: bytes
    pairs: bytes

    def sections(self, number: int, earlier: Mapping[Columns, int]) -> dict[str, bytes]:
        """The sections of a file.

        Most standards differ in few of a tagger's words (5 to 13 of a hundred), so the first
        columns of a tagger are complete, and later ones are stored as changes to them.

        Args:
            number: number of these columns in the file.
            earlier: the numbers of the columns already in it.
        """
        head = f"lexicon.{number}"
        base = next((columns for columns in earlier if columns.linear == self.linear), None)
        if base is None:
            return {f"{head}.words": self.words, f"{head}.pairs": self.pairs}
        sections = {f"{head}.base": np.array([earlier[base]], "<i4").tobytes()}
        for kind, base_bytes, new_bytes in zip(("words", "pairs"), base[1:], self[1:], strict=True):
            values = np.frombuffer(new_bytes, np.uint8)
            changed = values != np.frombuffer(base_bytes, np.uint8)
            sections[f"{head}.{kind}.changed"] = np.packbits(changed, bitorder="little").tobytes()
            sections[f"{head}.{kind}.after"] = values[changed].tobytes()
        return sections


def sigmoid_table() -> tuple[Array, Array]:
    """sigmoid(z) - 1/2 for z from 0 to 8 in straight pieces: heights and slopes, 15 fraction bits.

    Heights are raised above the curve, which bends down, by half the greatest distance of a chord.

    >>> base, slope = sigmoid_table()
    >>> int(base[0]), int(base[31] + slope[31])
    (0, 16373)
    """
    z = np.arange(SEGMENTS + 1) * (8 / SEGMENTS)
    s = 1 / (1 + np.exp(-z))
    bend = np.abs(s * (1 - s) * (1 - 2 * s))
    heights = np.round(32768 * (s - 0.5 + bend * (8 / SEGMENTS) ** 2 / 16)).astype(np.int64)
    heights = np.minimum(heights, 16378)
    return heights[:-1], np.diff(heights)


def quantise_rows(weights: Floats, name: str) -> tuple[Array, Array, int]:
    """Weights in 8 bits with a gain for each row.

    A sum of products of the integers, shifted right by the shift, times gain / 2**15, is the sum
    of the products of the weights in units of 2**-10.

    Args:
        weights: (rows, inputs), the scale of the inputs in them.
        name: for the error.

    Returns:
        ``(integers, gains, shift)``.

    Raises:
        ArgumentError: weights too large for this form.
    """
    row_scale = np.abs(weights).max(axis=1) / 127
    largest = float(row_scale.max())
    shift = 12
    while shift > 0 and largest * 2.0 ** (GATE_BITS + 15 + shift) > 32767:
        shift -= 1
    unit = 2.0 ** (GATE_BITS + 15 + shift)
    if largest * unit > 32767:
        raise ArgumentError(
            f"{name}: a weight times the range of its input is {127 * 127 * largest:.1f}, 15.8 at "
            "most fits the compiled form: train with weight decay or clip the weights"
        )
    gains = np.clip(np.ceil(row_scale * unit - 1e-6), LEAST_GAIN, 32767)
    ints = np.clip(np.round(weights / (gains / unit)[:, None]), -127, 127)
    return ints.astype(np.int8), gains.astype(np.int64), shift


def _columns(values: Floats) -> tuple[Array, Floats]:
    """Embeddings in 8 bits and the scale of each column."""
    scale: Floats = np.maximum(np.abs(values).max(axis=0, initial=0), 1e-9) / 127
    return np.round(values / scale).astype(np.int8), scale


def _clip(values: Floats) -> Array:
    clipped: Array = np.clip(np.round(values), -32767, 32767).astype(np.int64)
    return clipped


def word_columns(classes: Mapping[str, int], linear: Artifact) -> tuple[Array, Array]:
    """1 + class of every word of a linear tagger's trie, and of every record of a pair; 0: none.

    Raises:
        ArgumentError: it is not a linear tagger, or knows less than nine of ten words.
    """
    from segmenter.kernels import _lexicon
    from segmenter.train.tagging.decompile import characters

    sections = {name: linear.section(name) for name in linear.names()}
    if linear.kind != "tagger":
        raise ArgumentError(f"{linear.path} is not a linear tagger")
    items = _lexicon.Lexicon(sections).items()
    words = np.array(
        [1 + classes[w] if len(w) > 2 and w in classes else 0 for w in items], np.uint8
    )
    keys = np.frombuffer(sections["tagger.pair"], "<u4").reshape(-1, 4)[:, 3].astype(np.int64)
    char_of, _ = characters(sections)
    pairs = np.zeros(len(keys), np.uint8)
    for i, key in enumerate(keys.tolist()):
        a, b = key & 0x3FFF, key >> 14 & 0x3FFF
        if b and a in char_of and b in char_of:
            pairs[i] = 1 + classes.get(char_of[a] + char_of[b], -1)
    n_known = np.count_nonzero(words) + np.count_nonzero(pairs)
    if n_known < 0.9 * sum(1 < len(w) <= MAX_WORD for w in classes):
        raise ArgumentError(
            f"{linear.path} knows {n_known} of the {len(classes)} words of the model's lexicon: "
            "name a linear tagger that was trained with the same lexicons"
        )
    return words, pairs
