"""The portable form of a BiLSTM-CRF: numpy arrays by name, written and read."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.atoms import Atoms
from segmenter.errors import ArgumentError, DictionaryError
from segmenter.files.atomic import WholeFile
from segmenter.train.tagging.scheme import FOUR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Floats = NDArray[np.float64]

KIND = "bilstm-crf"
UNKNOWN, BEYOND = 0, 1  # rows of the character embedding
#: The ten word slots of a character.  Each is 0 without such a word, otherwise 1 + the class of the
#: longest one; of equally long ones (7 and 8 characters count as equal) the highest class.
SLOTS = (
    "a word of 2 characters begins here", "… of 3", "… of 4", "… of 5 to 8",
    "a word of 2 characters ends here", "… of 3", "… of 4", "… of 5 to 8",
    "here is the middle of a word of 3 characters", "here is the inside of a word of 4 to 8",
)  # fmt: skip
DIRECTIONS = ("fw", "bw")
TAGS = len(FOUR)
UNITS = 256  # score units per nat; 16 bits hold 128 nats
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
    """The parameters of one standard.

    Attributes:
        bias: added to the gates of layer 0, forward and backward.
        out_w, out_b: ``(4, 2H)`` and ``(4,)``.
        transitions, start, end: of the tags B, M, E, S.
        linear: file name of the linear tagger.
        linear_weight: of its scores.
        words: class of each word of the lexicon.
        atoms: settings of :mod:`segmenter.atoms` that belong to the convention: ``ud`` writes
            2026/年, ``weibo`` @/张三.
        margin: for a model with marks: the network skips clauses in which every boundary has this
            margin (in nats) in the linear tagger; 0: it skips none.
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
    margin: float = 0.0

    def metadata(self) -> dict[str, Any]:
        """The standard's entry in the metadata of a file."""
        atoms: dict[str, Any] = {"atoms": self.atoms} if self.atoms else {}
        return {"linear": self.linear, **atoms, **({"sure": self.margin} if self.margin else {})}


@dataclass
class BilstmCrf:
    """The parameters of a BiLSTM-CRF; see the table in the package's docstring."""

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
        return int(self.layers[0][0].w_hh.shape[1])

    @property
    def inputs(self) -> int:
        """Inputs of layer 0."""
        pairs = 2 * self.bigram_embedding.shape[1]
        return int(self.char_embedding.shape[1] + pairs + sum(t.shape[1] for t in self.lexicon))

    def save(self, path: str | os.PathLike[str]) -> None:
        arrays: dict[str, Any] = {
            "chars": self.chars,
            "char_embedding": self.char_embedding,
            "bigrams": self.bigrams,
            "bigram_embedding": self.bigram_embedding,
        }
        classes = word_arrays({s: standard.words for s, standard in self.standards.items()})
        arrays["words"] = classes["words"]
        arrays.update((f"lexicon_{j}", table) for j, table in enumerate(self.lexicon))
        for k, layer in enumerate(self.layers):
            for d, direction in zip(DIRECTIONS, layer, strict=True):
                arrays[f"w_ih_{k}_{d}"], arrays[f"w_hh_{k}_{d}"] = direction.w_ih, direction.w_hh
                arrays[f"b_{k}_{d}"] = direction.bias
        for s, standard in self.standards.items():
            for d, bias in zip(DIRECTIONS, standard.bias, strict=True):
                arrays[f"bias_{s}_{d}"] = bias
            for name in ("out_w", "out_b", "transitions", "start", "end"):
                arrays[f"{name}_{s}"] = getattr(standard, name)
            arrays[f"linear_weight_{s}"] = np.float64(standard.linear_weight)
            arrays[f"word_class_{s}"] = classes[f"word_class_{s}"]
        named = {s: standard.metadata() for s, standard in self.standards.items()}
        meta = {k: v for k, v in self.meta.items() if k != "standards"}
        arrays["meta"] = np.array(json.dumps({**meta, "standards": named}, sort_keys=True))
        with WholeFile(path) as file:
            np.savez(file, **arrays)


def scaled_g(rows: Any, factor: float) -> Floats:
    """Multiply the rows of the gate g.  Compiled files have them doubled, since tanh(z) =
    2 sigmoid(2z) - 1."""
    scaled = np.array(rows, np.float64)
    size = len(scaled) // 4
    scaled[2 * size : 3 * size] *= factor
    return scaled


def word_arrays(classes: Mapping[str, Mapping[str, int]]) -> dict[str, Array]:
    """The words of the word slots: ``words`` (UTF-8, one per line) and the class of each in every
    standard, :data:`NO_CLASS` if it is not a feature."""
    words = sorted({w for class_of in classes.values() for w in class_of})
    arrays: dict[str, Array] = {"words": np.frombuffer("\n".join(words).encode(), np.uint8)}
    for standard, class_of in classes.items():
        column = [class_of.get(w, NO_CLASS) for w in words]
        arrays[f"word_class_{standard}"] = np.array(column, np.uint16)
    return arrays


def read(path: str | os.PathLike[str]) -> BilstmCrf:
    """Read the ``.npz``.

    Raises:
        DictionaryError: an array is missing, of the wrong shape or not finite;
            names the file and the array.
        OSError: the file cannot be read.
    """
    name = os.fspath(path)

    def error(reason: str) -> DictionaryError:
        return DictionaryError(name, None, reason)

    with open(path, "rb") as raw:
        data = io.BytesIO(raw.read())
    try:
        with np.load(data, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    # numpy and zipfile let through what they stumble over: struct.error, zlib.error, MemoryError
    # of a size that nothing has, NotImplementedError of what is encrypted
    except Exception as e:
        raise error(f"it is not an .npz of arrays: {str(e)[:200]}") from None

    def floats(key: str, *shape: int) -> Floats:
        if key not in arrays:
            raise error(f"the array {key!r} is missing")
        try:
            values = np.asarray(arrays[key], np.float64)
        except (ValueError, TypeError):
            raise error(f"{key!r} does not hold numbers") from None
        if values.ndim != len(shape) or any(
            want not in (-1, have) for want, have in zip(shape, values.shape, strict=True)
        ):
            expected = ", ".join("any" if n == -1 else str(n) for n in shape)
            raise error(f"{key!r} has the shape {values.shape}, expected ({expected})")
        if not np.isfinite(values).all():
            raise error(f"{key!r} holds what is not a finite number")
        return values

    def codes(key: str, *shape: int) -> Array:
        values = floats(key, *shape)
        if values.size and (values.min() < 0 or values.max() > 0x10FFFF or (values % 1).any()):
            raise error(f"{key!r} does not hold code points")
        return values.astype(np.uint32)

    try:
        meta = json.loads(str(arrays["meta"]))
        standards = dict(meta["standards"])
        linear = {s: str(entry["linear"]) for s, entry in standards.items()}
        settings = {s: dict(entry.get("atoms", {})) for s, entry in standards.items()}
        margins = {s: float(entry.get("sure", 0.0)) for s, entry in standards.items()}
    except (KeyError, ValueError, TypeError):
        raise error('meta is not JSON with {"standards": {name: {"linear": file name}}}') from None
    if not linear:
        raise error("meta names no standard")
    for s, own_settings in settings.items():
        try:
            Atoms(own_settings)
        except ArgumentError as e:
            raise error(f"the standard {s!r} in meta: {e}") from None
    chars = codes("chars", -1)
    bigrams = codes("bigrams", -1, 2)
    if len({*chars.tolist()}) != len(chars):
        raise error("'chars' has a character twice")
    if len({*map(tuple, bigrams.tolist())}) != len(bigrams):
        raise error("'bigrams' has a pair twice")
    hidden = floats("w_hh_0_fw", -1, -1).shape[1]
    named = [key for key in (f"lexicon_{j}" for j in range(len(SLOTS))) if key in arrays]
    if len(named) not in (0, len(SLOTS)):
        raise error(f"there are {len(named)} tables lexicon_j: expected all {len(SLOTS)} or none")
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
    words = _words(arrays, error) if tables else []
    inputs = model.inputs
    for k in range(sum(key.startswith("w_ih_") and key.endswith("_fw") for key in arrays)):
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
        raise error("the array 'w_ih_0_fw' is missing")
    for s, file_name in linear.items():
        bias = [
            floats(key, 4 * hidden) if key in arrays else np.zeros(4 * hidden)
            for key in (f"bias_{s}_{d}" for d in DIRECTIONS)
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
            margin=margins[s],
        )
        if not tables:
            continue
        classes = floats(f"word_class_{s}", len(words)).astype(np.int64)
        model.standards[s].words = class_of_word = {
            w: k for w, k in zip(words, classes.tolist(), strict=True) if k != NO_CLASS
        }
        if any(not 0 <= k < MOST_CLASSES for k in class_of_word.values()):
            raise error(
                f"'word_class_{s}' holds numbers that are not from 0 to {MOST_CLASSES - 1} "
                f"or {NO_CLASS}"
            )
        n_rows = max(class_of_word.values(), default=-1) + 2
        for j, table in enumerate(tables):
            if len(table) < n_rows:
                raise error(f"'lexicon_{j}' has {len(table)} rows; the classes ask for {n_rows}")
    return model


def _words(arrays: Mapping[str, Any], error: Callable[[str], DictionaryError]) -> list[str]:
    if "words" not in arrays:
        raise error("the array 'words' is missing")
    try:
        text = arrays["words"].astype(np.uint8).tobytes().decode("utf-8")
    except (UnicodeDecodeError, ValueError, TypeError) as e:
        raise error(f"'words' is not UTF-8: {e}") from None
    return text.split("\n") if text else []
