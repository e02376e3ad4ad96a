"""The types of the engine's extension; documentation is in ``bindings/*.pxi``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from _typeshed import ReadableBuffer
from numpy import int32
from numpy.typing import NDArray

# typeshed treats NumPy arrays as buffers only from Python 3.12 on
Column: TypeAlias = ReadableBuffer | NDArray[Any]

#: Of each option of load() its default, and the values that it takes.
DEFAULTS: dict[str, Any]
VALUES: dict[str, tuple[Any, ...]]
TAGGERS: tuple[Any, ...]
PRESETS: dict[str, Any]
#: The shipped file of each tagger; % stands for the standard.
TAGGER_FILES: dict[str, str]
POS_MODEL: str
RULES: int

def sha256(text: bytes) -> str: ...
def atom_codes(settings: Iterable[tuple[str, str]]) -> bytes: ...
def parsed_atoms(text: str) -> bytes: ...

KINDS: tuple[str, ...]
TOKEN_KINDS: tuple[str, ...]
USER_KIND: int

def kind_of(text: str, classes: bytes, edge: int) -> int: ...

ATOM_NAMES: tuple[str, ...]
ATOM_SETTINGS: tuple[str, ...]
CUTTING_ATOMS: tuple[str, ...]

def crc32(data: ReadableBuffer, value: int = 0, portable: bool = False) -> int: ...
def read_container(
    view: ReadableBuffer, kind: str | None, verify: bool
) -> tuple[int, str, str, dict[str, tuple[int, int]]]: ...
def build_trie(
    ids: Column,
    offsets: Column,
    costs: Column,
    weights: Column,
    n_ids: int,
    single_cost: int,
) -> tuple[bytes, bytes]: ...
def pair_filter(units: Column, n_ids: int) -> bytes: ...
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

class Variants:
    def __init__(self, plain_from: str, plain_to: str, kept: str, several: str) -> None: ...

class Lexicon:
    def __init__(
        self,
        sections: Mapping[str, ReadableBuffer],
        variants: Variants | None = None,
        longest: Callable[[str, int], int] | None = None,
    ) -> None: ...
    def kernel(self) -> object: ...
    @property
    def n_words(self) -> int: ...
    @property
    def max_word(self) -> int: ...
    @property
    def unknown_cost(self) -> int: ...
    def find(self, word: str) -> int: ...
    def cost(self, word: str) -> int: ...
    def word_costs(self) -> memoryview[int]: ...
    def fold(self, text: str) -> str: ...
    def encode(self, text: str) -> str: ...
    def decode(self, ids: str) -> str: ...
    def items(self) -> list[str]: ...
    def encoded_items(self) -> list[str]: ...
    def find_words(self, text: str) -> bytes: ...

class NgramModel:
    def __init__(self, sections: Mapping[str, ReadableBuffer], lexicon: Lexicon) -> None: ...
    def word_margin(self, word: int) -> int: ...
    def gain_bounds(self, x: int, a: int, b: int, y: int) -> tuple[int, int]: ...

class AtomRules:
    def __init__(self, how: Column, patterns: object = None) -> None: ...

class HasCutter(Protocol):
    """What cuts unknown words: a compiled subword model."""

    def cutter(self) -> object: ...

class Shelf(Protocol):
    """What opens compiled files for :func:`open`."""

    def kind(self, file: str) -> str: ...
    def open(self, kind: str, file: str, standard: str) -> Any: ...

class Opened:
    def given(self, kind: str) -> Any: ...
    @property
    def standard(self) -> str: ...
    @property
    def decoder(self) -> Any: ...
    @property
    def oov(self) -> Any: ...
    @property
    def matcher(self) -> Any: ...
    @property
    def skip(self) -> frozenset[Any]: ...
    @property
    def atoms(self) -> bytes: ...
    @property
    def lexicon_file(self) -> str: ...
    @property
    def models(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...

def open(
    shelf: Shelf,
    *,
    name: str | None = None,
    standard: str | None = None,
    decoder: str | None = None,
    oov: str | None = None,
    skip: str | Iterable[str] | None = None,
    matcher: object = None,
    user: UserWords | None = None,
    user_digest: str = "",
    atoms: Iterable[tuple[str, str]] = (),
    all_atoms: bool = False,
    rules: AtomRules | None = None,
    patterns_digest: str = "",
) -> Opened: ...

class Engine:
    opened: Opened
    def __init__(
        self,
        of: Opened | TaggerWeights,
        matcher: Callable[[str], Column] | None = None,
        like: Engine | None = None,
    ) -> None: ...
    @property
    def external(self) -> bool: ...
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
    def tag(self, text: str, tagger: PosTagger) -> list[tuple[str, str]]: ...
    def steps(self, text: str) -> int: ...

class TokenColumns:
    words: list[str]
    starts: list[int]
    ends: list[int]
    kinds: list[int]
    numbers: list[int]
    tags: list[str]
    scores: list[float | None]
    sources: list[Any]

def tokens(
    engine: Engine,
    text: str,
    names: list[str],
    tags: ReadableBuffer | None,
    known: dict[str, str],
    tag_of: Callable[[str], str],
    sources: tuple[Any, ...],
) -> TokenColumns: ...
def token_columns(
    engine: Engine, text: str
) -> tuple[list[int], list[int], list[int], list[int], list[float | None]]: ...
def atoms_of(engine: Engine, text: str) -> list[tuple[int, int, int, int]]: ...
def dag(
    engine: Engine, text: str, decided: bool = False
) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...
def tag_scores(engine: Engine, text: str) -> tuple[int, float, bytes, bytes, bytes]: ...
def anew_reach(engine: Engine) -> int: ...
def anew_places(engine: Engine, text: str) -> list[int]: ...
def nbest(engine: Engine, text: str, n: int) -> list[tuple[list[int], list[int], float]]: ...
def cut_bytes(
    engine: Engine, data: ReadableBuffer, sep: bytes, threads: int = 1
) -> tuple[bytes | None, int]: ...
def cut_column(
    engine: Engine,
    data: ReadableBuffer,
    offsets: NDArray[Any],
    validity: ReadableBuffer | None,
    validity_from: int,
    threads: int = 1,
) -> tuple[Any, Any, Any]: ...
def cut_batch(engine: Engine, texts: Iterable[str], threads: int = 1) -> list[list[str]]: ...

USER_FIELDS: tuple[str, ...]
USER_LEVELS: tuple[str, ...]

class Folds:
    def __init__(self, tables: Sequence[tuple[Column, Column] | None]) -> None: ...

class UserLayer:
    def __init__(
        self,
        sections: Mapping[str, ReadableBuffer],
        width: int,
        folds: Folds,
        line_ends: bool,
        singles: int = -1,
        check: bool = False,
    ) -> None: ...
    @property
    def tables(self) -> dict[str, bytes]: ...
    @property
    def singles(self) -> int: ...
    def find(self, word: str) -> list[int]: ...
    def spelling(self, id: int) -> str: ...
    def identity(self, ids: Iterable[int] | None) -> tuple[int, int]: ...

class UserWords:
    def __init__(self, layers: Sequence[UserLayer], dead: Sequence[Column]) -> None: ...

_Faults: TypeAlias = list[tuple[int, str, str, bytes]]

class UserBuilder:
    def folds(self, script: bool) -> Folds: ...
    def __len__(self) -> int: ...
    def add(
        self,
        word: str,
        flags: int,
        weight: float = 0.0,
        tag: str = "",
        payload: bytes = b"",
        cuts: Sequence[int] = (),
        source: str = "",
        line: int = 0,
    ) -> None: ...
    def add_plain(self, words: Iterable[str], flags: int) -> None: ...
    def read(
        self, text: ReadableBuffer, source: str, format: str, level: int, marks: int, strict: bool
    ) -> tuple[str, int, int, int, bool, _Faults]: ...
    def sections(self) -> tuple[dict[str, bytes], dict[str, Any]]: ...

def text_lines(data: ReadableBuffer) -> tuple[list[tuple[int, str]], int, int, bool, _Faults]: ...
def jieba_row(line: str) -> tuple[str, str, str, bool]: ...
def read_count(text: str) -> float | None: ...

class AhoCorasick:
    def __init__(self, lexicon: Lexicon) -> None: ...
    def find(self, text: str, by_end: bool = False) -> bytes: ...
    @property
    def states(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

class TaggerWeights:
    lexicon: Lexicon
    def __init__(self, lexicon: Lexicon, sections: Mapping[str, ReadableBuffer]) -> None: ...
    def fold(self, text: str) -> str: ...

def looked() -> int: ...
def turns() -> int: ...
def instruction_sets() -> list[str]: ...

class BilstmWeights(TaggerWeights):
    instructions: str
    def __init__(
        self,
        tagger: TaggerWeights,
        sections: Mapping[str, ReadableBuffer],
        standard: int,
        words: int,
        weight: float,
        scale: float,
        instructions: str | None = None,
        marks: str = "",
        margin: float = 0.0,
    ) -> None: ...
    def emissions(self, text: str) -> bytes: ...

def encoder_instruction_sets() -> list[str]: ...

class EncoderWeights(TaggerWeights):
    instructions: str
    def __init__(
        self,
        tagger: TaggerWeights,
        sections: Mapping[str, ReadableBuffer],
        standard: int,
        weight: float,
        scale: float,
        instructions: str | None = None,
        marks: str = "",
        margin: float = 0.0,
    ) -> None: ...
    def emissions(self, text: str) -> bytes: ...

class Cutter:
    _engine: Engine
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...

POS_SHAPES: int

class PosTagger:
    def __init__(
        self,
        lexicon: Lexicon,
        sections: Mapping[str, ReadableBuffer],
        names: Iterable[str],
        margin: int,
    ) -> None: ...
    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def names(self) -> list[str]: ...
    def tags(self, words: list[str], given: Sequence[str | None] | None = None) -> list[str]: ...
    def pairs(self, words: list[str]) -> list[tuple[str, str]]: ...
    def classes(self, words: list[str]) -> list[tuple[int, int]]: ...

def units(text: str, classes: bytes, split: bool) -> list[tuple[int, int, int]]: ...
def inner_words(
    engine: Engine | None,
    word: str,
    classes: bytes,
    min_length: int,
    single: bool,
    ngrams: int,
    split: bool,
    whole: bool,
) -> tuple[int, list[tuple[int, int, int, int, int, int, bool]]]: ...
def best_path(
    n: int, edges: Iterable[tuple[int, int, int, int]], min_length: int
) -> list[tuple[int, int]]: ...
def nested(
    rows: list[Any],
    starts: list[int],
    ends: list[int],
    kinds: list[int],
    tags: list[str],
    scores: list[Any],
    sources: list[Any],
    kept: list[int] | None,
) -> tuple[
    list[int],
    list[int],
    list[int],
    list[int],
    list[int],
    list[str],
    list[float | None],
    list[Any],
]: ...
