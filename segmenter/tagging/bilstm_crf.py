"""The portable form of a BiLSTM-CRF (numpy arrays) and its compiler to integers.

A bidirectional LSTM (Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005) reads a stretch of
text without blanks and scores the tags of every character; a linear-chain CRF on top (Huang, Xu &
Yu 2015) finds the best tags.  At the character ``c[i]`` its input is, one after another, the
embeddings of ``c[i]``, of the pairs ``c[i-1] c[i]`` and ``c[i] c[i+1]`` (Chen et al. 2015), and of
ten small numbers on the words of a lexicon that the text spells there (:data:`SLOTS`).

One model has several **standards** of what a word is: all weights are shared but a bias of the
gates, the output layer, the transitions and the classes of words.  Each names a linear tagger: its
trie finds the words, and its scores of the tags (not of the transitions), times ``linear_weight``,
are added to those of the LSTM.

The file, which any trainer can write, is an ``.npz`` of these arrays (``s`` a standard, ``k`` a
layer from 0, ``d`` ``fw`` or ``bw``, ``H`` hidden units, ``D`` inputs of the layer):

======================  ==============  ========================================================
``chars``               (n,)            folded code points; row i + 2 of the embedding
``char_embedding``      (n + 2, Dc)     row 0 unknown characters, row 1 beyond the text
``bigrams``             (m, 2)          pairs of folded code points, 0 beyond the text
``bigram_embedding``    (m + 1, Db)     row 0 unknown pairs; ``bigrams[i]`` has row i + 1
``lexicon_j``           (values, Dj)    a table for each of :data:`SLOTS`; all or none of them
``words``               bytes, UTF-8    the words of the lexicon, separated by line ends
``word_class_s``        (words,)        class of each, 65535: no feature; a slot holds 1 + class
``w_ih_k_d``            (4H, D)         rows of the gates i, f, g, o one after another, as torch
``w_hh_k_d``            (4H, H)         has them
``b_k_d``               (4H,)           sum of the two biases of torch
``bias_s_d``            (4H,)           added in layer 0 for standard s; may be missing
``out_w_s``, ``out_b_s``  (4, 2H), (4,)   of the tags B, M, E, S from forward and backward states
``transitions_s``       (4, 4)          from row to column
``start_s``, ``end_s``  (4,)            of the first and of the last tag
``linear_weight_s``     ()              of the linear tagger's scores
``meta``                str             JSON: ``{"standards": {s: {"linear": file name}}, …}``;
                                        ``"atoms"`` and ``"sure"`` next to ``"linear"``, see
                                        :class:`Standard`; ``"marks"``, see below
======================  ==============  ========================================================

A model with ``"marks"``, a string of punctuation, reads clauses: what stands between two marks is
scored by itself, as if it were the whole text, and a mark is a word of its own.  Its transitions,
starts and ends are those of the linear tagger times ``linear_weight``, or 0.

Integers.  Weights, embeddings and the recurrent input are 8 bits, sums are 32 bits and exact, so
that no order of adding and no vector path changes a tag; gates are 16 bits.
``kernels/bilstm/model.hpp`` has the meaning of each, ``kernels/reference/bilstm.py`` is a
readable twin.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.atomic import WholeFile
from segmenter.atoms import Atoms
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.tagging.model import MAX_WORD
from segmenter.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from segmenter.artifact import Artifact

    Array = NDArray[Any]
    Floats = NDArray[np.float64]

KIND = "bilstm-crf"
UNKNOWN, BEYOND = 0, 1  # rows of the character embedding
#: What each of the ten small numbers says: 0 where there is no such word, else 1 + its class; of
#: several words the longest, of equally long ones (7 and 8 characters are one) the highest class.
SLOTS = (
    "a word of 2 characters begins here", "of 3", "of 4", "of 5 to 8",
    "a word of 2 characters ends here", "of 3", "of 4", "of 5 to 8",
    "here is the middle of a word of 3", "here is the inside of a word of 4 to 8",
)  # fmt: skip
DIRECTIONS = ("fw", "bw")
TAGS = len(FOUR)

UNITS = 256  # score units a nat; 16 bits hold 128 nats
GATE_BITS = 10  # fraction bits of what goes into a gate
SEGMENTS = 32  # straight pieces of the sigmoid from 0 to 8
LEAST_GAIN = 8192  # of a row: a sum then reaches 8 before it is cut off, where gates are saturated
MOST_CLASSES = 254  # 1 + class is one byte
NO_CLASS = 0xFFFF


class Direction(NamedTuple):
    """Weights of one direction of a layer, as torch has them: gates i, f, g, o."""

    w_ih: Floats
    w_hh: Floats
    bias: Floats


@dataclass
class Standard:
    """What is a standard's own.

    Attributes:
        bias: added to the gates of layer 0, forward and backward.
        out_w, out_b: ``(4, 2H)`` and ``(4,)``.
        transitions, start, end: of the tags B, M, E, S.
        linear: file name of the linear tagger.
        linear_weight: of its scores.
        words: class of each word of the lexicon.
        atoms: settings of :mod:`segmenter.atoms` that belong to the convention: ``ud`` writes
            2026/年, ``weibo`` @/张三.
        sure: of a model with marks: a clause all of whose boundaries the linear tagger decides by
            so much (nats) is not read; 0: all are.
    """

    bias: tuple[Floats, Floats]
    out_w: Floats
    out_b: Floats
    transitions: Floats
    start: Floats
    end: Floats
    linear: str
    linear_weight: float = 0.0
    words: dict[str, int] = field(default_factory=dict)
    atoms: dict[str, str] = field(default_factory=dict)
    sure: float = 0.0

    def about(self) -> dict[str, Any]:
        """What is in the metadata of a file."""
        more: dict[str, Any] = {"atoms": self.atoms} if self.atoms else {}
        return {"linear": self.linear, **more, **({"sure": self.sure} if self.sure else {})}


@dataclass
class BilstmCrf:
    """The parameters of a BiLSTM-CRF; the table in the module's text says what each is."""

    chars: Array
    char_embedding: Floats
    bigrams: Array
    bigram_embedding: Floats
    lexicon: list[Floats]
    layers: list[tuple[Direction, Direction]]
    standards: dict[str, Standard]
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def hidden(self) -> int:
        """Hidden units of a direction."""
        return int(self.layers[0][0].w_hh.shape[1])

    @property
    def inputs(self) -> int:
        """Inputs of layer 0."""
        pairs = 2 * self.bigram_embedding.shape[1]
        return int(self.char_embedding.shape[1] + pairs + sum(t.shape[1] for t in self.lexicon))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the ``.npz``."""
        arrays: dict[str, Any] = {
            "chars": self.chars,
            "char_embedding": self.char_embedding,
            "bigrams": self.bigrams,
            "bigram_embedding": self.bigram_embedding,
        }
        words = sorted({w for standard in self.standards.values() for w in standard.words})
        arrays["words"] = np.frombuffer("\n".join(words).encode(), np.uint8)
        arrays.update((f"lexicon_{j}", table) for j, table in enumerate(self.lexicon))
        for k, layer in enumerate(self.layers):
            for d, one in zip(DIRECTIONS, layer, strict=True):
                arrays[f"w_ih_{k}_{d}"], arrays[f"w_hh_{k}_{d}"] = one.w_ih, one.w_hh
                arrays[f"b_{k}_{d}"] = one.bias
        for s, standard in self.standards.items():
            for d, bias in zip(DIRECTIONS, standard.bias, strict=True):
                arrays[f"bias_{s}_{d}"] = bias
            for name in ("out_w", "out_b", "transitions", "start", "end"):
                arrays[f"{name}_{s}"] = getattr(standard, name)
            arrays[f"linear_weight_{s}"] = np.float64(standard.linear_weight)
            classes = [standard.words.get(w, NO_CLASS) for w in words]
            arrays[f"word_class_{s}"] = np.array(classes, np.uint16)
        named = {s: standard.about() for s, standard in self.standards.items()}
        more = {k: v for k, v in self.meta.items() if k != "standards"}
        arrays["meta"] = np.array(json.dumps({**more, "standards": named}, sort_keys=True))
        with WholeFile(path) as file:
            np.savez(file, **arrays)


def read(path: str | os.PathLike[str]) -> BilstmCrf:
    """Reads the ``.npz``.

    Raises:
        DictionaryError: an array is missing, of the wrong shape or not finite;
            names the file and the array.
        OSError: the file cannot be read.
    """
    name = os.fspath(path)

    def bad(reason: str) -> DictionaryError:
        return DictionaryError(name, None, reason)

    with open(path, "rb") as whole:
        data = io.BytesIO(whole.read())
    try:
        with np.load(data, allow_pickle=False) as file:
            got = {key: file[key] for key in file.files}
    # numpy and zipfile let through what they stumble over: struct.error, zlib.error, MemoryError
    # of a size that nothing has, NotImplementedError of what is encrypted
    except Exception as e:
        raise bad(f"it is not an .npz of arrays: {str(e)[:200]}") from None

    def floats(key: str, *shape: int) -> Floats:
        if key not in got:
            raise bad(f"the array {key!r} is missing")
        try:
            values = np.asarray(got[key], np.float64)
        except (ValueError, TypeError):
            raise bad(f"{key!r} does not hold numbers") from None
        if values.ndim != len(shape) or any(
            want not in (-1, have) for want, have in zip(shape, values.shape, strict=True)
        ):
            wanted = ", ".join("any" if n == -1 else str(n) for n in shape)
            raise bad(f"{key!r} has the shape {values.shape}, expected ({wanted})")
        if not np.isfinite(values).all():
            raise bad(f"{key!r} holds what is not a finite number")
        return values

    def codes(key: str, *shape: int) -> Array:
        values = floats(key, *shape)
        if values.size and (values.min() < 0 or values.max() > 0x10FFFF or (values % 1).any()):
            raise bad(f"{key!r} does not hold code points")
        return values.astype(np.uint32)

    try:
        meta = json.loads(str(got["meta"]))
        standards = dict(meta["standards"])
        linear = {s: str(more["linear"]) for s, more in standards.items()}
        settings = {s: dict(more.get("atoms", {})) for s, more in standards.items()}
        sure = {s: float(more.get("sure", 0.0)) for s, more in standards.items()}
    except (KeyError, ValueError, TypeError):
        raise bad('meta is not JSON with {"standards": {name: {"linear": file name}}}') from None
    if not linear:
        raise bad("meta names no standard")
    for s, own_settings in settings.items():
        try:
            Atoms(own_settings)
        except ArgumentError as e:
            raise bad(f"the standard {s!r} in meta: {e}") from None
    chars = codes("chars", -1)
    bigrams = codes("bigrams", -1, 2)
    if len({*chars.tolist()}) != len(chars):
        raise bad("'chars' has a character twice")
    if len({*map(tuple, bigrams.tolist())}) != len(bigrams):
        raise bad("'bigrams' has a pair twice")
    hidden = floats("w_hh_0_fw", -1, -1).shape[1]
    named = [key for key in (f"lexicon_{j}" for j in range(len(SLOTS))) if key in got]
    if len(named) not in (0, len(SLOTS)):
        raise bad(f"there are {len(named)} tables lexicon_j: expected all {len(SLOTS)} or none")
    tables = [floats(key, -1, -1) for key in named]
    model = BilstmCrf(
        chars,
        floats("char_embedding", len(chars) + 2, -1),
        bigrams,
        floats("bigram_embedding", len(bigrams) + 1, -1),
        tables,
        [],
        {},
        {k: v for k, v in meta.items() if k != "standards"},
    )
    words = _words(got, bad) if tables else []
    inputs = model.inputs
    for k in range(sum(key.startswith("w_ih_") and key.endswith("_fw") for key in got)):
        layer = [
            Direction(
                floats(f"w_ih_{k}_{d}", 4 * hidden, inputs),
                floats(f"w_hh_{k}_{d}", 4 * hidden, hidden),
                floats(f"b_{k}_{d}", 4 * hidden),
            )
            for d in DIRECTIONS
        ]
        model.layers.append((layer[0], layer[1]))
        inputs = 2 * hidden
    if not model.layers:
        raise bad("the array 'w_ih_0_fw' is missing")
    for s, file_name in linear.items():
        bias = [
            floats(f"bias_{s}_{d}", 4 * hidden) if f"bias_{s}_{d}" in got else np.zeros(4 * hidden)
            for d in DIRECTIONS
        ]
        model.standards[s] = Standard(
            (bias[0], bias[1]),
            floats(f"out_w_{s}", TAGS, 2 * hidden),
            floats(f"out_b_{s}", TAGS),
            floats(f"transitions_{s}", TAGS, TAGS),
            floats(f"start_{s}", TAGS),
            floats(f"end_{s}", TAGS),
            file_name,
            float(floats(f"linear_weight_{s}")),
            atoms=settings[s],
            sure=sure[s],
        )
        if not tables:
            continue
        classes = floats(f"word_class_{s}", len(words)).astype(np.int64)
        model.standards[s].words = own = {
            w: k for w, k in zip(words, classes.tolist(), strict=True) if k != NO_CLASS
        }
        if any(not 0 <= k < MOST_CLASSES for k in own.values()):
            raise bad(
                f"'word_class_{s}' holds numbers that are not from 0 to {MOST_CLASSES - 1} "
                f"or {NO_CLASS}"
            )
        most = max(own.values(), default=-1) + 2
        for j, table in enumerate(tables):
            if len(table) < most:
                raise bad(f"'lexicon_{j}' has {len(table)} rows; the classes ask for {most}")
    return model


def _words(got: Mapping[str, Any], bad: Callable[[str], DictionaryError]) -> list[str]:
    if "words" not in got:
        raise bad("the array 'words' is missing")
    try:
        text = got["words"].astype(np.uint8).tobytes().decode("utf-8")
    except (UnicodeDecodeError, ValueError, TypeError) as e:
        raise bad(f"'words' is not UTF-8: {e}") from None
    return text.split("\n") if text else []


# --- the readable twin in floats --------------------------------------------------------------


def word_slots(text: str, classes: Mapping[str, int]) -> Array:
    """The ten numbers of :data:`SLOTS` at every character, ``(len(text), 10)``.

    Args:
        text: folded.
        classes: class of each word.

    >>> word_slots("中国人", {"中国": 3, "国人": 0})[:, [0, 4]].tolist()
    [[4, 0], [1, 4], [0, 1]]
    """
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(text)):
        for length in range(2, min(MAX_WORD, len(text) - i) + 1):
            k = classes.get(text[i : i + length])
            if k is None:
                continue
            kind, value = min(length, 5) - 2, (min(length, 7), k)
            places = [(i, kind), (i + length - 1, 4 + kind)]
            places += [(i + at, 8 if length == 3 else 9) for at in range(1, length - 1)]
            for place in places:
                best[place] = max(best.get(place, (0, 0)), value)
    out = np.zeros((len(text), len(SLOTS)), np.int64)
    for place, (_, k) in best.items():
        out[place] = 1 + k
    return out


def emissions(model: BilstmCrf, text: str, standard: str) -> Floats:
    """Scores of the tags at every character in floats, ``(len(text), 4)``, without the linear part.

    A model with marks scores the clauses between them, each by itself, and marks with 0.

    Args:
        model: the portable form.
        text: folded text without blanks and line ends.
        standard: one of ``model.standards``.
    """
    out = np.zeros((len(text), TAGS))
    at = 0
    for clause in re.split(f"[{re.escape(marks)}]" if (marks := _marks(model)) else "(?!)", text):
        if clause:
            out[at : at + len(clause)] = _read(model, clause, standard)
        at += len(clause) + 1
    return out


def _marks(model: BilstmCrf) -> str:
    return str(model.meta.get("marks", ""))


def _read(model: BilstmCrf, text: str, standard: str) -> Floats:
    """The scores of text that is read in one go."""
    row = {cp: i + 2 for i, cp in enumerate(model.chars.tolist())}
    pair = {(a, b): i + 1 for i, (a, b) in enumerate(model.bigrams.tolist())}
    codes = [0, *map(ord, text), 0]
    slots = word_slots(text, model.standards[standard].words)
    x = np.array(
        [
            np.concatenate(
                [
                    model.char_embedding[row.get(codes[i + 1], UNKNOWN)],
                    model.bigram_embedding[pair.get((codes[i], codes[i + 1]), 0)],
                    model.bigram_embedding[pair.get((codes[i + 1], codes[i + 2]), 0)],
                    *(t[v] for t, v in zip(model.lexicon, slots[i], strict=bool(model.lexicon))),
                ]
            )
            for i in range(len(text))
        ]
    )
    own = model.standards[standard]
    for k, layer in enumerate(model.layers):
        states = [
            _lstm(x[::step], one, bias if k == 0 else np.zeros_like(bias))[::step]
            for one, bias, step in zip(layer, own.bias, (1, -1), strict=True)
        ]
        x = np.concatenate(states, axis=1)
    out: Floats = x @ own.out_w.T + own.out_b
    return out


def _lstm(x: Floats, one: Direction, bias: Floats) -> Floats:
    """Hidden states of one direction over its inputs in order."""
    size = one.w_hh.shape[1]
    h, c = np.zeros(size), np.zeros(size)
    out = np.zeros((len(x), size))
    for t, gates in enumerate(x @ one.w_ih.T + one.bias + bias):
        i, f, g, o = np.split(gates + one.w_hh @ h, 4)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        out[t] = h
    return out


# --- the compiler -----------------------------------------------------------------------------


def compile_model(
    model: BilstmCrf, linears: Mapping[str, Artifact]
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Compiles the portable form: sections and metadata of an artifact of kind :data:`KIND`.

    Args:
        model: the parameters.
        linears: the compiled linear tagger of each file name that a standard names; the artifact
            holds their digests, and the classes of their words.

    Raises:
        ArgumentError: a linear tagger is missing, has no four tags or knows too few of the words;
            weights that 8 bits cannot hold; too many characters.
    """
    from segmenter.kernels import _face
    from segmenter.lexicon.characters import CharTable

    known = {int(c) for c in (*model.chars, *model.bigrams.reshape(-1)) if c}
    table = CharTable({chr(c): 1.0 for c in known}, "default")
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
    n_places = len(first) + len(first) // 20 + 1
    n_pilots = 2
    while n_pilots * 5 < len(first):
        n_pilots *= 2
    keys = np.full(n_places, 0xFFFFFFFF, np.uint32)
    pilots, places = bytes(2 * n_pilots), np.zeros(0, np.int64)
    if len(first):
        pilots, at = _face.build_pair_hash(first << 16 | second, n_pilots, n_places)
        places = np.frombuffer(at, np.uint32).astype(np.int64)
        keys[places] = first << 16 | second
    # --- embeddings: 8 bits, a scale for each input ----------------------------------------------
    char_ints, char_scale = _columns(model.char_embedding)
    pair_ints, pair_scale = _columns(model.bigram_embedding)
    by_place = np.zeros((n_places + 1, pair_ints.shape[1]), np.int8)
    by_place[places] = pair_ints[1:]
    by_place[n_places] = pair_ints[0]
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
        "bilstm.bigrams": by_place.tobytes(),
        "bilstm.lexicon": b"".join(t.tobytes() for t, _ in tables),
        "bilstm.sigmoid": np.concatenate([base, slope]).astype("<i2").tobytes(),
    }
    # --- weights: 8 bits, a scale for each row ---------------------------------------------------
    shifts: list[int] = []
    for k, layer in enumerate(model.layers):
        for d, one in enumerate(layer):
            for name, weights in (("ih", one.w_ih * scale), ("hh", one.w_hh / 128)):
                ints, gains, shift = quantise_rows(_doubled(weights), f"w_{name}_{k}")
                sections[f"bilstm.{name}.{k}{d}"] = ints.tobytes()
                sections[f"bilstm.gain.{name}.{k}{d}"] = gains.astype("<i2").tobytes()
                shifts.append(shift)
        scale = np.full(2 * model.hidden, 1 / 128)
    sections["bilstm.params"] = np.array([*shape, *shifts], "<i4").tobytes()
    # --- standards -------------------------------------------------------------------------------
    named: dict[str, dict[str, Any]] = {}
    seen: dict[tuple[str, bytes, bytes], int] = {}
    for i, (s, own) in enumerate(model.standards.items()):
        if own.linear not in linears:
            raise ArgumentError(
                f"linears: the tagger {own.linear!r}, which the standard {s!r} names, is missing"
            )
        words, pairs = word_columns(own.words, linears[own.linear])
        named[s] = {
            "number": i,
            **own.about(),
            "linear_digest": linears[own.linear].digest,
            "linear_weight": own.linear_weight,
        }
        # standards of the same words share their columns
        columns = (own.linear, words.tobytes(), pairs.tobytes())
        named[s]["words"] = seen.setdefault(columns, len(seen))
        sections[f"lexicon.{seen[columns]}.words"] = columns[1]
        sections[f"lexicon.{seen[columns]}.pairs"] = columns[2]
        biases = [
            _doubled(one.bias + (own.bias[d] if k == 0 else 0))
            for k, layer in enumerate(model.layers)
            for d, one in enumerate(layer)
        ]
        sections[f"standard.{i}.bias"] = (
            _clip(np.concatenate(biases) * (1 << GATE_BITS)).astype("<i2").tobytes()
        )
        relative = own.out_w[:3] - own.out_w[3]
        most = max(float(np.abs(relative).sum(axis=1).max()), 1e-9)
        per_unit = min(65000 / most, 32767 / max(float(np.abs(relative).max()), 1e-9))
        per_unit = 2.0 ** min(math.floor(math.log2(per_unit)), 24)
        if per_unit < 8:
            raise ArgumentError(f"out_w_{s}: weights of {most:.0f} in sum are too large")
        sections[f"standard.{i}.out"] = _clip(relative * per_unit).astype("<i2").tobytes()
        numbers = [
            round(UNITS * (1 << 25) / per_unit),
            *np.round(UNITS * (own.out_b[:3] - own.out_b[3])),
            *np.round(UNITS * own.start),
            round(UNITS * float(own.end[2] - own.end[3])),
            *np.round(UNITS * own.transitions).reshape(-1),
        ]
        sections[f"standard.{i}.params"] = np.array(numbers, "<i4").tobytes()
    meta = {
        **model.meta,
        "algorithm": KIND,
        "standards": named,
        "characters": len(model.chars),
        "pairs": len(model.bigrams),
        "hidden": model.hidden,
        "inputs": model.inputs,
        "layers": len(model.layers),
        "scale": UNITS,
    }
    return sections, meta


def sigmoid_table() -> tuple[Array, Array]:
    """sigmoid(z) - 1/2 for z from 0 to 8 in straight pieces: heights and slopes, 15 fraction bits.

    Heights are raised above the curve, which bends down, by half the greatest distance of a chord.

    >>> base, slope = sigmoid_table()
    >>> int(base[0]), int(base[31] + slope[31])
    (0, 16378)
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
    most = np.abs(weights).max(axis=1) / 127
    top = float(most.max())
    shift = 12
    while shift > 0 and top * 2.0 ** (GATE_BITS + 15 + shift) > 32767:
        shift -= 1
    unit = 2.0 ** (GATE_BITS + 15 + shift)
    if top * unit > 32767:
        raise ArgumentError(
            f"{name}: a weight times the range of its input is {127 * 127 * top:.1f}, 15.8 at most "
            "fits the compiled form: train with weight decay or clip the weights"
        )
    gains = np.clip(np.ceil(most * unit - 1e-6), LEAST_GAIN, 32767)
    ints = np.clip(np.round(weights / (gains / unit)[:, None]), -127, 127)
    return ints.astype(np.int8), gains.astype(np.int64), shift


def _columns(values: Floats) -> tuple[Array, Floats]:
    """Embeddings in 8 bits and the scale of each column."""
    scale: Floats = np.maximum(np.abs(values).max(axis=0, initial=0), 1e-9) / 127
    return np.round(values / scale).astype(np.int8), scale


def _doubled(rows: Floats) -> Floats:
    """Rows of the gate g twice as large: its tanh(z) is 2 sigmoid(2z) - 1."""
    out = rows.copy()
    size = len(rows) // 4
    out[2 * size : 3 * size] *= 2
    return out


def _clip(values: Floats) -> Array:
    out: Array = np.clip(np.round(values), -32767, 32767).astype(np.int64)
    return out


def word_columns(classes: Mapping[str, int], linear: Artifact) -> tuple[Array, Array]:
    """1 + class of every word of a linear tagger's trie, and of every record of a pair; 0: none.

    Raises:
        ArgumentError: it is not a linear tagger of four tags, or knows less than nine of ten words.
    """
    from segmenter.kernels import _face
    from segmenter.tagging.decompile import characters

    sections = {name: linear.section(name) for name in linear.names()}
    if linear.kind != "tagger" or "tagger.widepair" in sections:
        raise ArgumentError(f"{linear.path} is not a linear tagger of four tags")
    items = _face.Lexicon(sections).items()
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
    found = np.count_nonzero(words) + np.count_nonzero(pairs)
    if found < 0.9 * sum(1 < len(w) <= MAX_WORD for w in classes):
        raise ArgumentError(
            f"{linear.path} knows {found} of the {len(classes)} words of the model's lexicon: "
            "name a linear tagger that was trained with the same lexicons"
        )
    return words, pairs


# --- and back ---------------------------------------------------------------------------------


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
        raise ArgumentError(f"art: {art.path} is a {art.kind}, not a BiLSTM-CRF")
    try:
        return _decompile(art, linears)
    except (LookupError, ValueError, TypeError, ArithmeticError) as e:
        if isinstance(e, ArgumentError):
            raise
        raise ArtifactError(art.path, f"its sections are not a BiLSTM-CRF's: {e}") from e


def _decompile(art: Artifact, linears: Mapping[str, Artifact]) -> BilstmCrf:
    from segmenter.kernels import _face
    from segmenter.tagging.decompile import characters

    def ints(name: str, kind: str) -> Array:
        return np.frombuffer(art.section(name), kind).astype(np.int64)

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
    by_place = ints("bilstm.bigrams", "i1").reshape(n_keys + 1, pair_size)
    tables, at = [], 0
    flat = ints("bilstm.lexicon", "i1")
    for j in range(n_tables):
        values, size = params[7 + 2 * j : 9 + 2 * j]
        tables.append(flat[at : at + values * size].reshape(values, size).astype(np.float64))
        at += values * size
    numbers = iter(shifts)

    def weights(name: str, times: float) -> Floats:
        gains = ints(f"bilstm.gain.{name}", "<i2")
        unit = 2.0 ** (GATE_BITS + 15 + next(numbers))
        got = ints(f"bilstm.{name}", "i1").reshape(4 * hidden, -1)
        return _halved(got * (gains / unit)[:, None]) * times

    layers = []
    zero = np.zeros(4 * hidden)
    for k in range(n_layers):
        below = 128.0 if k else 1.0
        got = [Direction(weights(f"ih.{k}{d}", below), weights(f"hh.{k}{d}", 128.0), zero)
               for d in range(2)]  # fmt: skip
        layers.append((got[0], got[1]))
    model = BilstmCrf(
        np.array([code_of[i] for _, i in by_row], np.uint32),
        ints("bilstm.chars", "i1").reshape(n_chars, char_size).astype(np.float64),
        np.array([bigrams[i] for i in order], np.uint32).reshape(-1, 2),
        by_place[[n_keys, *places[order].tolist()]].astype(np.float64),
        tables,
        layers,
        {},
        {k: v for k, v in art.meta.items() if k != "standards"},
    )
    for s, more in sorted(art.meta["standards"].items(), key=lambda item: item[1]["number"]):
        i, own = more["number"], ints(f"standard.{more['number']}.params", "<i4")
        bias = ints(f"standard.{i}.bias", "<i2").reshape(n_layers, 2, 4 * hidden)
        bias = np.array([[_halved(row) for row in rows_] for rows_ in bias]) / (1 << GATE_BITS)
        for k in range(1, n_layers):
            pair = [layer._replace(bias=bias[k, d]) for d, layer in enumerate(model.layers[k])]
            model.layers[k] = (pair[0], pair[1])
        per_unit = UNITS * (1 << 25) / int(own[0])
        out = np.zeros((TAGS, 2 * hidden))
        out[:3] = ints(f"standard.{i}.out", "<i2").reshape(3, 2 * hidden) / per_unit
        scores = own / UNITS
        linear = more["linear"]
        if linear not in linears:
            raise ArgumentError(f"linears: the tagger {linear!r}, which {s!r} names, is missing")
        taken = {name: linears[linear].section(name) for name in linears[linear].names()}
        words = dict(
            zip(
                _face.Lexicon(taken).items(),
                (ints(f"lexicon.{more['words']}.words", "u1") - 1).tolist(),
                strict=True,
            )
        )
        char_at, _ = characters(taken)
        pair_keys = np.frombuffer(taken["tagger.pair"], "<u4").reshape(-1, 4)[:, 3].tolist()
        classes = (ints(f"lexicon.{more['words']}.pairs", "u1") - 1).tolist()
        for key, cls in zip(pair_keys, classes, strict=True):
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
            float(more["linear_weight"]),
            {w: cls for w, cls in sorted(words.items()) if cls >= 0},
            dict(more.get("atoms", {})),
            float(more.get("sure", 0.0)),
        )
    return model


def _halved(rows: Any) -> Floats:
    out = np.array(rows, np.float64)
    size = len(out) // 4
    out[2 * size : 3 * size] /= 2
    return out
