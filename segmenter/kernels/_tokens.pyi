"""The types of an engine's results beside words; documentation is in ``_tokens.pyx``."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeVar, overload

from _typeshed import ReadableBuffer

from segmenter.kernels._engine import Engine
from segmenter.kernels._lexicon import Column
from segmenter.lexicon.user import UserWord
from segmenter.types import Source, Token, Tokens

_Flagged = TypeVar("_Flagged")
_Unit = TypeVar("_Unit")
KINDS: tuple[str, ...]
EDGE_KINDS: tuple[str, ...]
TOKEN_KINDS: tuple[str, ...]
USER_KIND: int

def kind_of(text: str, classes: bytes, edge: int) -> int: ...

UNITS: tuple[str, ...]

class TokenTable:
    text: str
    units: str
    def __init__(
        self,
        text: str,
        starts: Sequence[int],
        ends: Sequence[int],
        kinds: Sequence[int],
        tags: Sequence[str],
        scores: Sequence[float | None],
        sources: Sequence[Source],
        entries: dict[int, UserWord],
        positions: Sequence[int] | None,
        lengths: Sequence[int] | None,
        names: tuple[str, ...],
        words: Sequence[str] | None,
    ) -> None: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def kinds(self) -> list[str]: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def scores(self) -> list[float | None]: ...
    @property
    def sources(self) -> list[Source]: ...
    @property
    def starts(self) -> array[int]: ...
    @property
    def ends(self) -> array[int]: ...
    @property
    def spans(self) -> list[tuple[int, int]]: ...
    @property
    def positions(self) -> list[int]: ...
    @property
    def position_lengths(self) -> list[int]: ...
    @property
    def own_kinds(self) -> tuple[str, ...]: ...
    @property
    def edge_kinds(self) -> list[int]: ...
    @property
    def of_user(self) -> bool: ...
    def entry(self, index: int) -> UserWord | None: ...
    def row(self, k: int) -> tuple[int, int, int, str, float | None, Source, UserWord | None]: ...
    def with_tags(self, tags: list[str]) -> Self: ...
    def _in_units(self, units: str) -> Self: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __iter__(self) -> Iterator[Token]: ...

class TokenReader:
    def __init__(
        self,
        engine: Engine,
        kind: type[Tokens],
        patterns: tuple[str, ...],
        tags: list[str],
        tag_numbers: ReadableBuffer | None,
        known_tags: dict[str, int],
        look_up: Callable[[str], int] | None,
        sources: tuple[Source, ...],
        guessed: bool,
        entry: Callable[[int, int], UserWord] | None,
    ) -> None: ...
    def tokens(self, text: str) -> Tokens: ...
    def token_at(self, text: str, offset: int, units: str, place: int) -> Token | None: ...

def anew_reach(engine: Engine) -> int: ...
def anew_places(engine: Engine, text: str) -> list[int]: ...
def words_at(words: list[str], start: int = 0) -> list[tuple[str, int, int]]: ...
def flagged_words(
    tagged: list[tuple[str, str]], cls: type[_Flagged], flags: dict[str, str | dict[str, str]]
) -> list[_Flagged]: ...
def words_replaced(
    words: list[str],
    least: int,
    known: dict[str, tuple[str, ...]],
    missing: Callable[[str], tuple[str, ...]],
) -> list[str]: ...
def margins_of(engine: Engine, text: str) -> tuple[list[int], list[int], list[float | None]]: ...
def atoms_of(engine: Engine, text: str) -> list[tuple[int, int, int, int]]: ...
def dag(
    engine: Engine, text: str, decided: bool = False
) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...
def tag_scores(engine: Engine, text: str) -> tuple[float, bytes, bytes, bytes]: ...
def nbest(engine: Engine, text: str, n: int) -> list[tuple[list[int], list[int], float]]: ...
def units(text: str, classes: bytes, split: bool) -> list[tuple[int, int, int]]: ...
def term_units(
    text: str, ends: Column, left_out: bytes, rules: int, readings: str | None, make: type[_Unit]
) -> list[tuple[int, int, bool, list[_Unit]]]: ...

SEARCH_DEFAULTS: dict[str, Any]
REMEMBERED_WORDS: int
REMEMBERED_CHARACTERS: int

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
    rows: list[Any], words: Tokens, modes: list[int] | None, entries: dict[int, UserWord]
) -> Tokens: ...
