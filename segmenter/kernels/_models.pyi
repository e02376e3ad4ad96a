"""The types of compiled models over a lexicon; documentation is in ``_models.pyx``."""

from collections.abc import Mapping, Sequence
from typing import Any

from _typeshed import ReadableBuffer

from segmenter.kernels._lexicon import Column, Lexicon

def ngram_table(
    keys: Column, costs: Column, weights: Column, capacity: int
) -> tuple[bytes, bytes]: ...

#: The names of the decoders of a lattice.
DECODERS: tuple[Any, ...]
#: Those of them that need an n-gram model.
NGRAM_DECODERS: tuple[Any, ...]

def dag_paths(
    n: int,
    start: Column,
    end: Column,
    cost: Column,
    decoder: str,
    k: int = 0,
) -> list[tuple[list[int], int]]: ...

class NgramModel:
    def __init__(self, sections: Mapping[str, ReadableBuffer], lexicon: Lexicon) -> None: ...
    def word_margin(self, word: int) -> int: ...
    def gain_bounds(self, x: int, a: int, b: int, y: int) -> tuple[int, int]: ...

class TaggerWeights:
    lexicon: Lexicon
    def __init__(self, lexicon: Lexicon, sections: Mapping[str, ReadableBuffer]) -> None: ...
    def fold(self, text: str) -> str: ...

def instruction_sets() -> list[str]: ...
def encoder_instruction_sets() -> list[str]: ...

class NetworkMeta:
    def __init__(self, meta: bytes, kind: str, name: str, standard: str) -> None: ...
    @property
    def standard(self) -> str: ...
    @property
    def linear(self) -> str: ...
    @property
    def linear_digest(self) -> str: ...
    @property
    def atoms(self) -> dict[str, str]: ...

class NetworkWeights(TaggerWeights):
    instructions: str
    def __init__(
        self,
        tagger: TaggerWeights,
        sections: Mapping[str, ReadableBuffer],
        meta: NetworkMeta,
        weight: float | None = None,
        instructions: str | None = None,
    ) -> None: ...
    def emissions(self, text: str) -> bytes: ...

POS_SHAPES: int

class PosTagger:
    def __init__(
        self,
        lexicon: Lexicon,
        sections: Mapping[str, ReadableBuffer],
        meta: bytes,
    ) -> None: ...
    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def names(self) -> list[str]: ...
    def tags(self, words: list[str], given: Sequence[str | None] | None = None) -> list[str]: ...
    def pairs(self, words: list[str]) -> list[tuple[str, str]]: ...
    def classes(self, words: list[str]) -> list[tuple[int, int]]: ...
