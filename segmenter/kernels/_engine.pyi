"""The types of options, opening and engines; documentation is in ``_engine.pyx``."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from _typeshed import ReadableBuffer
from numpy import int32
from numpy.typing import NDArray

from segmenter.kernels._lexicon import Column, UserWords
from segmenter.kernels._models import PosTagger, TaggerWeights

#: Of each option of load() its default, and the values that it takes.
DEFAULTS: dict[str, Any]
VALUES: dict[str, tuple[Any, ...]]
MORE_STANDARDS: tuple[Any, ...]
SUBWORDS: tuple[Any, ...]
TAGGERS: tuple[Any, ...]
PRESETS: dict[str, Any]
#: The shipped file of each tagger; % stands for the standard.
TAGGER_FILES: dict[str, str]
POS_MODEL: str
RULES: int

def sha256(text: bytes) -> str: ...
def atom_codes(settings: Iterable[tuple[str, str]]) -> bytes: ...
def parsed_atoms(text: str) -> bytes: ...

ATOM_NAMES: tuple[str, ...]
ATOM_SETTINGS: tuple[str, ...]

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
    def usual_atoms(self) -> bytes: ...
    @property
    def lexicon_file(self) -> str: ...
    @property
    def models(self) -> str: ...
    def cuts_runs(self) -> bool: ...
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
        source: Opened | TaggerWeights,
        matcher: Callable[[str], Column] | None = None,
        like: Engine | None = None,
    ) -> None: ...
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
    def tag(self, text: str, tagger: PosTagger) -> list[tuple[str, str]]: ...
    def steps(self, text: str) -> int: ...

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
def looked() -> int: ...
def turns() -> int: ...

class Cutter:
    _engine: Engine
    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
