"""The types of the compiled extension; documentation is in ``face/*.pxi``."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from _typeshed import ReadableBuffer
from numpy import int32
from numpy.typing import NDArray

# typeshed treats NumPy arrays as buffers only from Python 3.12 on
Column: TypeAlias = ReadableBuffer | NDArray[Any]

DECODERS: tuple[str, ...]

def crc32(data: ReadableBuffer, value: int = 0, portable: bool = False) -> int: ...
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
def dag_paths(
    n: int,
    start: Column,
    end: Column,
    cost: Column,
    decoder: int,
    k: int = 0,
) -> list[tuple[list[int], int]]: ...
def build_pair_hash(keys: Column, n_pilots: int, n_places: int) -> tuple[bytes, bytes]: ...
def count_occurrences(
    units: Column,
    n_ids: int,
    word_of_slot: Column,
    ids: Column,
    offsets: Column,
    folds: Column,
    n_folds: int,
    n_words: int,
) -> bytes: ...

class Variants:
    def __init__(
        self, plain_from: str, plain_to: str, kept: Sequence[str], open: Sequence[str]
    ) -> None: ...

class Lexicon:
    def __init__(
        self,
        sections: Mapping[str, ReadableBuffer],
        variants: Variants | None = None,
        longest: Callable[[str, int], int] | None = None,
    ) -> None: ...
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

class Engine:
    def __init__(
        self,
        lexicon: Lexicon | None,
        decoder: int = 0,
        ngrams: NgramModel | None = None,
        keep_unknown: bool = False,
        skip: int = 0,
        matcher: Callable[[str], Column] | None = None,
        tagger: TaggerWeights | None = None,
        guesser: TaggerWeights | None = None,
        portable: bool = False,
        subwords: Subwords | None = None,
        user: UserWords | None = None,
        log_mass: int = 0,
        like: Engine | None = None,
        atoms: AtomRules | None = None,
    ) -> None: ...
    @property
    def external(self) -> bool: ...
    def cut(self, text: str) -> list[str]: ...
    def cut_marked(self, text: str, marks: Column | None) -> list[str]: ...
    def ends(self, text: str) -> NDArray[int32]: ...
    def tag(self, text: str, tagger: PosTagger) -> list[tuple[str, str]]: ...
    def tokens(
        self,
        text: str,
        names: list[str],
        tags: ReadableBuffer | None,
        known: dict[str, str],
        tag_of: Callable[[str], str],
        sources: tuple[Any, ...],
    ) -> tuple[
        list[str],
        list[int],
        list[int],
        list[int],
        list[int],
        list[str],
        list[float | None],
        list[Any],
    ]: ...
    def token_columns(
        self, text: str, marks: Column | None = None
    ) -> tuple[list[int], list[int], list[int], list[int], list[float | None]]: ...
    def steps(self, text: str) -> int: ...
    def atoms_of(self, text: str) -> list[tuple[int, int, int, int]]: ...
    def dag(self, text: str, decided: bool = False) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...
    def tag_scores(self, text: str) -> tuple[int, float, bytes, bytes, bytes]: ...
    def nbest(self, text: str, n: int) -> list[tuple[list[int], list[int], float]]: ...
    def cut_bytes(
        self, data: ReadableBuffer, sep: bytes, threads: int = 1
    ) -> tuple[bytes | None, int]: ...
    def cut_column(
        self,
        data: ReadableBuffer,
        offsets: NDArray[Any],
        validity: ReadableBuffer | None,
        validity_from: int,
        threads: int = 1,
    ) -> tuple[Any, Any, Any]: ...
    def cut_batch(self, texts: Iterable[str], threads: int = 1) -> list[list[str]]: ...

TAGGED: int

USER_FIELDS: tuple[str, ...]

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

class AhoCorasick:
    def __init__(self, lexicon: Lexicon) -> None: ...
    def find(self, text: str, by_end: bool = False) -> bytes: ...
    def state(self, prefix: str) -> int: ...
    def links(self, state: int) -> tuple[int, int, int]: ...
    @property
    def states(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

class TaggerWeights:
    lexicon: Lexicon
    def __init__(self, lexicon: Lexicon, sections: Mapping[str, ReadableBuffer]) -> None: ...
    def fold(self, text: str) -> str: ...

def looked() -> int: ...
def bilstm_paths() -> list[str]: ...

class BilstmWeights(TaggerWeights):
    path: str
    def __init__(
        self,
        tagger: TaggerWeights,
        sections: Mapping[str, ReadableBuffer],
        standard: int,
        words: int,
        weight: float,
        scale: float,
        path: str | None = None,
        marks: str = "",
        sure: float = 0.0,
    ) -> None: ...
    def emissions(self, text: str) -> bytes: ...

class TaggerTrainer:
    def __init__(
        self,
        units: Column,
        n_ids: int,
        word_of_slot: Column,
        bigram_of_slot: Column,
        uni_of_id: Column,
        classes: Column,
        groups_of_class: Column,
        n_bigrams: int,
        type_of_id: Any = None,
        *,
        tags: int = 4,
        uni_mask: int = 15,
        bi_mask: int = 15,
        groups: int = 0,
        min_match: int = 2,
        max_match: int = 8,
    ) -> None: ...
    @property
    def layout(self) -> tuple[int, int, int, int, int, int]: ...
    def add_corpus(
        self,
        ids: Column,
        offsets: Column,
        ends: Column,
        folds: Column,
    ) -> int: ...
    def features(self, corpus: int) -> tuple[bytes, bytes]: ...
    def weights(self) -> bytes: ...
    def set_weights(self, weights: Column) -> None: ...
    def swap_average(self) -> None: ...
    def perceptron_epoch(self, corpus: int, seed: int) -> int: ...
    def crf_epoch(
        self, corpus: int, seed: int, eta0: float, eta1: float, decay: float
    ) -> float: ...
    def evaluate(self, corpus: int) -> tuple[int, int, int]: ...
    def tag(self, corpus: int) -> bytes: ...

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
    def set(self, cp: int, made: str) -> None: ...
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

class TextPipeline:
    def __init__(
        self,
        model: Subwords,
        *,
        learn: Callable[[str], None] | None = None,
        prefix: str = "",
        blank: str = " ",
        plain_edges: bool = False,
        collapse: bool = False,
        squeezed: str = "",
        tokens: TokenFinder | None = None,
        token_ids: Iterable[int] = (),
        tokens_alone: bool = True,
        normalised_tokens: TokenFinder | None = None,
        odd: TokenFinder | None = None,
        normalised_odd: TokenFinder | None = None,
        spelling: str = "",
        before: Scanner | None = None,
        mark: tuple[str, bool, bool, bool] | None = None,
        after: Scanner | None = None,
        head: Iterable[int] = (),
        tail: Iterable[int] = (),
    ) -> None: ...
    def set(self, cp: int, made: str) -> None: ...
    def ids(self, text: str, special: bool = True) -> list[int] | None: ...
    def batch(
        self,
        texts: list[str],
        special: bool,
        threads: int,
        columns: bool,
        repair: Callable[[str], list[int]],
    ) -> Any: ...

class Subwords:
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
    ) -> None: ...

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
        sure: int,
    ) -> None: ...
    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def names(self) -> list[str]: ...
    def tags(self, words: list[str], given: Sequence[str | None] | None = None) -> list[str]: ...
    def pairs(self, words: list[str]) -> list[tuple[str, str]]: ...
    def classes(self, words: list[str]) -> list[tuple[int, int]]: ...

class PosTrainer:
    def __init__(
        self, lexicon: Lexicon, masks: Column, affixes: Column, n_tags: int, margin: float
    ) -> None: ...
    def add(self, words: list[str], tags: bytes) -> None: ...
    def close(self) -> None: ...
    def epoch(self, seed: int) -> int: ...
    def restrict_to(self, keys: Column) -> None: ...
    def second(self, prune: float) -> None: ...
    def averages(self) -> tuple[bytes, bytes, bytes]: ...

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
