"""The types of the trainers' extension; documentation is in ``_train.pyx``."""

from typing import Any

from segmenter.kernels._lexicon import Column, Lexicon

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
