"""Converts a compiled BiLSTM-CRF back to its portable form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.train.tagging.bilstm_crf.model import (
    BEYOND,
    GATE_BITS,
    KIND,
    TAGS,
    UNITS,
    BilstmCrf,
    Direction,
    Standard,
    scaled_g,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from segmenter.artifact import Artifact

    Array = NDArray[Any]
    Floats = NDArray[np.float64]


def decompile(art: Artifact, linears: Mapping[str, Artifact]) -> BilstmCrf:
    """The portable form of a compiled model: it compiles to the same sections again.

    It is not what was trained: weights are rounded, the scales of the inputs are in the weights of
    layer 0, and scores are relative to the tag S.

    Args:
        art: an opened artifact of kind :data:`KIND`.
        linears: the linear taggers that it names, by file name.

    Raises:
        ArtifactError: its sections are not a BiLSTM-CRF's.
        ArgumentError: an artifact of another kind; a linear tagger is missing.
    """
    from segmenter.errors import ArtifactError

    if art.kind != KIND:
        raise ArgumentError(f"art: {art.path} is a {art.kind}, not a BiLSTM-CRF: give one of those")
    try:
        return _decompile(art, linears)
    except (LookupError, ValueError, TypeError, ArithmeticError) as e:
        if isinstance(e, ArgumentError):
            raise
        raise ArtifactError(art.path, f"its sections are not a BiLSTM-CRF's: {e}") from e


def _decompile(art: Artifact, linears: Mapping[str, Artifact]) -> BilstmCrf:
    from segmenter.kernels import _lexicon
    from segmenter.train.tagging.decompile import characters

    def ints(name: str, kind: str) -> Array:
        return np.frombuffer(art.section(name), kind).astype(np.int64)

    def classes(number: int, kind: str) -> Array:
        head = f"lexicon.{number}"
        if f"{head}.base" not in art.names():
            return ints(f"{head}.{kind}", "u1")
        values = ints(f"lexicon.{int(ints(f'{head}.base', '<i4')[0])}.{kind}", "u1")
        bits = np.frombuffer(art.section(f"{head}.{kind}.changed"), np.uint8)
        changed = np.unpackbits(bits, count=len(values), bitorder="little").astype(bool)
        values[changed] = ints(f"{head}.{kind}.after", "u1")
        return values

    params = ints("bilstm.params", "<i4").tolist()
    hidden, n_layers, char_size, pair_size, n_tables, n_chars, n_keys = params[:7]
    shifts = params[7 + 2 * n_tables :]
    char_of, _ = characters({name: art.section(name) for name in art.names()})
    rows = ints("bilstm.rows", "<u2")
    code_of = {i: ord(c) for i, c in char_of.items()} | {len(rows) - 1: 0}
    by_row = sorted((r, i) for i, r in enumerate(rows.tolist()[:-1]) if r > BEYOND)
    keys = ints("bilstm.keys", "<u4")
    places = np.flatnonzero(keys != 0xFFFFFFFF)
    bigrams = [(code_of[k >> 16], code_of[k & 0xFFFF]) for k in keys[places].tolist()]
    order = sorted(range(len(bigrams)), key=bigrams.__getitem__)
    pair_rows = ints("bilstm.bigrams", "i1").reshape(n_keys + 1, pair_size)
    tables, offset = [], 0
    flat = ints("bilstm.lexicon", "i1")
    for j in range(n_tables):
        values, size = params[7 + 2 * j : 9 + 2 * j]
        cells = flat[offset : offset + values * size]
        tables.append(cells.reshape(values, size).astype(np.float64))
        offset += values * size
    numbers = iter(shifts)

    def weights(name: str, factor: float) -> Floats:
        gains = ints(f"bilstm.gain.{name}", "<i2")
        unit = 2.0 ** (GATE_BITS + 15 + next(numbers))
        rows = ints(f"bilstm.{name}", "i1").reshape(4 * hidden, -1)
        return scaled_g(rows * (gains / unit)[:, None], 0.5) * factor

    layers = []
    zero = np.zeros(4 * hidden)
    for k in range(n_layers):
        below = 128.0 if k else 1.0
        directions = [Direction(weights(f"ih.{k}{d}", below), weights(f"hh.{k}{d}", 128.0), zero)
               for d in range(2)]  # fmt: skip
        layers.append((directions[0], directions[1]))
    model = BilstmCrf(
        np.array([code_of[i] for _, i in by_row], np.uint32),
        ints("bilstm.chars", "i1").reshape(n_chars, char_size).astype(np.float64),
        np.array([bigrams[i] for i in order], np.uint32).reshape(-1, 2),
        pair_rows[[n_keys, *places[order].tolist()]].astype(np.float64),
        tables,
        layers,
        {},
        {k: v for k, v in art.meta.items() if k != "standards"},
    )
    for s, entry in sorted(art.meta["standards"].items(), key=lambda item: item[1]["number"]):
        i, standard_params = entry["number"], ints(f"standard.{entry['number']}.params", "<i4")
        bias = ints(f"standard.{i}.bias", "<i2").reshape(n_layers, 2, 4 * hidden)
        bias = np.array([[scaled_g(row, 0.5) for row in rows_] for rows_ in bias]) / (
            1 << GATE_BITS
        )
        for k in range(1, n_layers):
            pair = [layer._replace(bias=bias[k, d]) for d, layer in enumerate(model.layers[k])]
            model.layers[k] = (pair[0], pair[1])
        per_unit = UNITS * (1 << 25) / int(standard_params[0])
        out = np.zeros((TAGS, 2 * hidden))
        out[:3] = ints(f"standard.{i}.out", "<i2").reshape(3, 2 * hidden) / per_unit
        scores = standard_params / UNITS
        linear = entry["linear"]
        if linear not in linears:
            raise ArgumentError(
                f"linears: the tagger {linear!r} of the standard {s!r} is missing: add it"
            )
        sections = {name: linears[linear].section(name) for name in linears[linear].names()}
        words = dict(
            zip(
                _lexicon.Lexicon(sections).items(),
                (classes(entry["words"], "words") - 1).tolist(),
                strict=True,
            )
        )
        char_at, _ = characters(sections)
        pair_keys = np.frombuffer(sections["tagger.pair"], "<u4").reshape(-1, 4)[:, 3].tolist()
        pair_classes = (classes(entry["words"], "pairs") - 1).tolist()
        for key, cls in zip(pair_keys, pair_classes, strict=True):
            if cls >= 0:
                words[char_at[key & 0x3FFF] + char_at[key >> 14 & 0x3FFF]] = cls
        model.standards[s] = Standard(
            (bias[0, 0], bias[0, 1]),
            out,
            np.append(scores[1:4], 0.0),
            scores[9:25].reshape(TAGS, TAGS),
            scores[4:8],
            np.array([0.0, 0.0, scores[8], 0.0]),
            linear,
            float(entry["linear_weight"]),
            {w: cls for w, cls in sorted(words.items()) if cls >= 0},
            dict(entry.get("atoms", {})),
            float(entry.get("sure", 0.0)),
        )
    return model
