"""The types of the subword extension; documentation is in ``_subword.pyx``."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from segmenter.kernels._lexicon import Column

class Scanner:
    def __init__(
        self,
        classes: Iterable[tuple[int, int, int]],
        sets: Iterable[bytes],
        steps: Sequence[tuple[Any, ...]],
    ) -> None: ...
    def spans(self, text: str) -> list[tuple[int, int]]: ...
    def steps(self, text: str) -> int: ...
    def matches(self, text: str) -> list[tuple[int, int]]: ...

class CharTable:
    def __init__(self) -> None: ...
    def set(self, cp: int, replacement: str) -> None: ...
    def apply(self, text: str) -> str | int | None: ...

class TokenFinder:
    def __init__(self, tokens: Iterable[str]) -> None: ...
    def find(self, text: str, first_only: bool = False) -> list[tuple[int, int, int]]: ...
    def steps(self, text: str) -> int: ...

Spans: TypeAlias = Iterable[tuple[int, int]] | Scanner

class SpanCounter:
    def __init__(self, scanner: Scanner) -> None: ...
    def add(self, texts: list[str], threads: int = 1) -> None: ...
    def items(self) -> list[tuple[str, int]]: ...

class PairLearner:
    def __init__(
        self,
        words: Iterable[tuple[str, int]],
        prefix: str = "",
        scored: bool = False,
        least: int = 1,
    ) -> None: ...
    def __iter__(self) -> Iterator[tuple[str, str, str, int, float]]: ...
    def __next__(self) -> tuple[str, str, str, int, float]: ...

class CharsMap:
    def __init__(self, units: bytes, replacements: bytes) -> None: ...
    def plain(self, text: str) -> bool: ...
    def shortest(self, text: str) -> str | None: ...

class SentencePieceNormaliser:
    def __init__(
        self,
        rules: CharsMap,
        *,
        symbols: TokenFinder,
        mark: bool,
        suffix: bool,
        collapse: bool,
        blank: str,
    ) -> None: ...
    def text(self, text: str) -> str: ...
    def spans(self, text: str, covering: bool) -> tuple[list[int], list[int]]: ...

class TextPipeline:
    def __init__(
        self,
        model: Subwords,
        *,
        learn: Callable[[str], None] | None = None,
        prefix: str = "",
        blank: str = " ",
        plain_edges: bool = False,
        squeezed: str = "",
        sentencepiece: SentencePieceNormaliser | None = None,
        tokens: TokenFinder | None = None,
        token_ids: Iterable[int] = (),
        tokens_alone: bool = True,
        normalised_tokens: TokenFinder | None = None,
        odd: TokenFinder | None = None,
        whole: TokenFinder | None = None,
        spelling: str = "",
        before: Scanner | None = None,
        mark: tuple[str, bool, bool, bool] | None = None,
        after: Scanner | None = None,
        head: Iterable[int] = (),
        tail: Iterable[int] = (),
    ) -> None: ...
    def set(self, cp: int, replacement: str) -> None: ...
    def ids(self, text: str, special: bool = True) -> list[int] | None: ...
    def batch(
        self,
        texts: list[str],
        special: bool,
        threads: int,
        repair: Callable[[str], list[int]],
        make: Callable[[str, list[int]], object] | None,
    ) -> Any: ...

class PieceBytes:
    def __init__(self, bytes_of: Callable[[int], bytes]) -> None: ...
    def text(self, ids: list[int]) -> str | None: ...

class Subwords:
    def cutter(self) -> object: ...
    def encode(self, text: str, spans: Spans | None = None) -> tuple[list[int], bytes]: ...

class BpeKernel(Subwords):
    def __init__(
        self,
        pieces: Mapping[str, int] | Mapping[bytes, int],
        merges: Column,
        n_ids: int,
        *,
        byte_level: bool = False,
        unk: int | None = None,
        fuse_unk: bool = False,
        byte_ids: Sequence[int] | None = None,
        prefix: str = "",
        suffix: str = "",
        ignore_merges: bool = False,
        hidden: Container[int] = ...,
        whole: Container[int] = ...,
    ) -> None: ...

class UnigramKernel(Subwords):
    def __init__(
        self,
        pieces: Iterable[tuple[str, float, int]],
        unk_score: float,
        n_ids: int,
        *,
        unk: int | None = None,
        fuse_unk: bool = True,
        byte_ids: Sequence[int] | None = None,
        single: bool = False,
        together: bool = False,
    ) -> None: ...

class WordLevelKernel(Subwords):
    def __init__(self, words: Mapping[str, int], n_ids: int, *, unk: int | None = None) -> None: ...

class WordPieceKernel(Subwords):
    def __init__(
        self,
        pieces: Mapping[str, int],
        unk: int,
        n_ids: int,
        *,
        prefix: str = "##",
        max_chars: int = 100,
    ) -> None: ...

class UnigramCorpus:
    def __init__(self, words: Iterable[tuple[str, int]]) -> None: ...
    def set_pieces(self, pieces: Sequence[str], scores: Column) -> None: ...
    def expected(self, out: Column) -> float: ...
    def best(self, out: Column) -> None: ...
    def alternative(self, number: int) -> list[int]: ...
