"""The types of typed atoms, options and opening; documentation is in ``_opening.pyx``."""

from collections.abc import Iterable
from typing import Any, Protocol

from segmenter.kernels._lexicon import Column, UserWords

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
    def part(self, kind: str) -> Any: ...
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
