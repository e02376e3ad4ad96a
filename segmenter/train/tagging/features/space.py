"""The features that occur in a training text, their numbers, and the columns of the trainers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import encode_entries
from segmenter.train.tagging.features.characters import Characters
from segmenter.train.tagging.features.marks import with_marks
from segmenter.train.tagging.features.words import (
    FOLDS,
    FULL,
    FeatureSource,
    Words,
    fold_numbers,
    with_classes,
    words_by_fold,
)
from segmenter.train.tagging.scheme import TAGS

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

UNSURE = 2  # in a column of ends: not known whether a word ends here


@dataclass(frozen=True)
class FeatureOptions:
    """Which features a linear tagger has.

    Attributes:
        lexicon: words of the training text (jackknifed) and of the sources are features.
        states: the states of word groups are features (slower, 0.1 points of F1 better).
        min_pair: rarer pairs of characters are not features.
        types: types of characters are features.
        marks: punctuation that reads like the end of the text, see :data:`MARKS`.  Every sentence
            must then begin and end with one: see :func:`between_marks`.
    """

    lexicon: bool = True
    states: bool = True
    min_pair: int = 2
    types: bool = True
    marks: str = ""


class FeatureColumns(NamedTuple):
    """Sentences in the form that the compiled trainer reads."""

    ids: Array
    offsets: Array
    ends: Array
    folds: Array


class Matches(NamedTuple):
    """Occurrences of lexicon words in a text: one entry per word and character of it.

    Attributes:
        place: number of the character in the text.
        word_class: class of the word, see the table above.
        length: 0 for words of two characters … 5 for those of seven and more.
        role: of the character: 0 first, 1 second, 2 further inner, 3 last.
    """

    place: Array
    word_class: Array
    length: Array
    role: Array


class Trie(NamedTuple):
    """The words and pairs in the form that the kernels walk."""

    units: Array
    word_of_slot: Array
    pair_of_slot: Array

    @classmethod
    def of(cls, table: Any, words: Sequence[str], pairs: Mapping[str, int]) -> Trie:
        """Build the trie.

        Args:
            pairs: the pairs and how often each occurs: the frequent ones are quick to find.

        Raises:
            ArgumentError: there is neither a word nor a pair.
        """
        from segmenter.lexicon.builder import trie_of
        from segmenter.lexicon.characters import code_points

        entries = sorted({*words, *pairs})
        if not entries:
            raise ArgumentError(
                "sentences: too little to learn from: no word is longer than a character, and no "
                "two characters are adjacent often enough; give more text"
            )
        weight = np.array([pairs.get(e, 1) for e in entries], np.uint64)
        codes, offsets = code_points(entries)
        units, slots = trie_of(table, (encode_entries(table, codes), offsets), weights=weight)

        def numbers_of_slots(names: Sequence[str]) -> Array:
            number = {e: i for i, e in enumerate(names)}
            number_of_slot = np.full(len(units), -1, np.int32)
            for e, slot in zip(entries, slots.tolist(), strict=True):
                if e in number:
                    number_of_slot[slot] = number[e]
            return number_of_slot

        return cls(units, numbers_of_slots(words), numbers_of_slots(list(pairs)))


@dataclass(frozen=True)
class FeatureSpace:
    """The features of a training text: :meth:`of_text` finds them.

    Attributes:
        options: which features there are.
        sources: names of the further lexicons.
        folds: the fold of each sentence of the training text.
        characters: their numbers.
        words: the words that are features, with their classes.
        pairs: pairs of characters, and how often each occurs in the training text.
        trie: of words and pairs.
    """

    options: FeatureOptions
    sources: tuple[str, ...]
    folds: Array
    characters: Characters
    words: Words
    pairs: dict[str, int]
    trie: Trie

    @classmethod
    def of_text(
        cls,
        sentences: Sequence[Sequence[str]],
        sources: Sequence[FeatureSource] = (),
        options: FeatureOptions | None = None,
        *,
        folds: Array | None = None,
        among: Container[str] | None = None,
    ) -> FeatureSpace:
        """Find the features of a training text.

        Args:
            sentences: the training text, folded words.
            sources: further lexicons, at most 2.
            folds: the fold of each sentence; default: contiguous parts of the whole text.
            among: the pairs that may be features; default: any.

        Raises:
            ArgumentError: no sentences, or too little text; too many sources; not one fold per
                sentence.
        """
        from segmenter.kernels import _train

        options = options or FeatureOptions()
        if not sentences:
            raise ArgumentError("sentences: the training text is empty")
        if len(sources) > 2:
            raise ArgumentError(f"sources: {len(sources)} lexicons given, 2 at most")
        if folds is None:
            folds = fold_numbers(len(sentences))
        if len(folds) != len(sentences):
            raise ArgumentError(f"folds: {len(folds)} for {len(sentences)} sentences")
        by_fold: dict[str, list[int]] = {}
        feature_words: set[str] = set()
        if options.lexicon:
            by_fold = words_by_fold(sentences, folds)
            feature_words.update(by_fold)
            for source in sources:
                feature_words.update(
                    w for w, s in source.states.items() if s and 2 <= len(w) <= form.MAX_WORD
                )
        names = sorted(feature_words)
        texts = ["".join(words) for words in sentences]
        text = "".join(texts)
        weights = {c: float(n) for c, n in Counter(text).items() if n > 1}
        characters = Characters.number(
            weights, weights.keys(), names, text, types=options.types, marks=options.marks
        )
        ids, offsets = characters.numbers(texts)
        pairs = characters.count_pairs(ids, offsets, options.min_pair)
        if among is not None:
            pairs = {pair: count for pair, count in pairs.items() if pair in among}
        trie = Trie.of(characters.table, names, pairs)
        words = Words.none()
        if names:
            raw = _train.count_occurrences(
                trie.units, len(characters), trie.word_of_slot, ids, offsets, folds, FOLDS,
                len(names),
            )  # fmt: skip
            occurrences = np.frombuffer(raw, np.int32).reshape(-1, FOLDS)
            words = with_classes(names, by_fold, occurrences, sources, options.states)
        source_names = tuple(source.name for source in sources)
        return cls(options, source_names, folds, characters, words, pairs, trie)

    def columns(
        self,
        sentences: Sequence[Sequence[str]],
        folds: Array | None = None,
        unsure: Sequence[Array] | None = None,
    ) -> FeatureColumns:
        """Ids, offsets, word ends and folds of sentences (folded words).

        Args:
            sentences: words in order; none of them empty.
            folds: the fold of each sentence; default: all are outside the training text.
            unsure: for each sentence, the characters after which it is not known whether a word
                ends: their ends are :data:`UNSURE`.
        """
        ids, offsets = self.characters.numbers(["".join(words) for words in sentences])
        lengths = np.array([len(w) for words in sentences for w in words], np.int64)
        ends = np.zeros(len(ids), np.uint8)
        ends[np.cumsum(lengths) - 1] = 1
        if unsure is not None:
            open_ends = [start + i for start, i in zip(offsets.tolist(), unsure, strict=False)]
            ends[np.concatenate(open_ends).astype(np.int64)] = UNSURE
        if folds is None:
            folds = np.full(len(sentences), FULL, np.uint8)
        return FeatureColumns(ids, offsets, ends, folds)

    def trainer(self) -> Any:
        """A compiled trainer over this space; see ``kernels/train/tagger.hpp``."""
        return self._trainer(
            self.characters.type_of, uni_mask=15, bi_mask=15, groups=self.words.n_groups
        )

    def _trainer(self, type_of: Array | None, **options: int) -> Any:
        from segmenter.kernels import _train

        return _train.TaggerTrainer(
            self.trie.units,
            len(self.characters),
            self.trie.word_of_slot,
            self.trie.pair_of_slot,
            self.characters.row_of,
            self.words.classes,
            self.words.groups_of_class,
            len(self.pairs),
            type_of,
            **options,
            min_match=2 if self.options.lexicon else 0,
            max_match=form.MAX_WORD,
        )

    def matches(self, columns: FeatureColumns) -> Matches:
        """Return the lexicon words in a text that are features of their fold.

        Args:
            columns: the text, see :meth:`columns`.
        """
        trainer = self._trainer(None, uni_mask=0, bi_mask=0)
        starts_raw, rows_raw = trainer.features(trainer.add_corpus(*columns))
        starts = np.frombuffer(starts_raw, np.int64)
        rows = np.frombuffer(rows_raw, np.uint32).astype(np.int64)
        begin, end = trainer.layout[3:5]
        place = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        keep = (rows >= begin) & (rows < end)
        place, rows = place[keep], rows[keep] - begin
        role, rows = rows % form.ROLES, rows // form.ROLES
        return Matches(place, rows // form.LENGTHS, rows % form.LENGTHS, role)

    def emissions(self, trainer: Any, columns: FeatureColumns, weights: Array) -> Array:
        """Return the scores of the tags at every character, ``(characters, tags)`` of float32.

        Args:
            trainer: from :meth:`trainer`.
            weights: the trainer's weights: float32, ``tags`` per row.
        """
        starts_raw, rows_raw = trainer.features(trainer.add_corpus(*columns))
        starts = np.frombuffer(starts_raw, np.int64)
        rows = np.frombuffer(rows_raw, np.uint32)
        table = np.asarray(weights, np.float32).reshape(-1, TAGS)
        scores = np.zeros((len(starts) - 1, TAGS), np.float32)
        step = 100_000  # places at a time: some 50 MB of rows
        for i in range(0, len(scores), step):
            bounds = starts[i : i + step + 1]
            part = table[rows[bounds[0] : bounds[-1]]]
            scores[i : i + step] = np.add.reduceat(part, bounds[:-1] - bounds[0], axis=0)
        return scores

    def linear_model(
        self,
        weights: Array,
        layout: tuple[int, int, int, int, int, int],
        meta: Mapping[str, Any],
        prune: float = 0.0,
    ) -> form.LinearModel:
        """Return the portable form of trained weights.

        Args:
            weights: float32, one row per feature.
            layout: the trainer's ``layout``.
            prune: leave out pairs whose weights are all at most this.
        """
        t = TAGS
        table, rows_of = self.characters.table, self.characters.row_of
        uni, kinds, state, match, bi, rows = layout
        w = np.asarray(weights, np.float64).reshape(rows, t)
        names_of_pairs = list(self.pairs)
        names: list[str] = []
        numbers: list[int] = []
        generic = {i: form.generic_name(code) for code, i in table.generic.items()}
        for i in range(len(rows_of)):
            if rows_of[i] == i:
                names.append(generic[i] if i in generic else self.characters.named[i])
                numbers.append(i)
        pair_weights = w[bi:].reshape(-1, 4, t)
        keep = np.flatnonzero(np.abs(pair_weights).max(axis=(1, 2), initial=0) > prune)
        n_groups = (match - state) // form.STATES
        word_classes = self.words.outside()
        classes = self.words.n_classes if self.options.lexicon else 0
        model = form.LinearModel(
            start=np.zeros(t),
            trans=w[:t],
            chars=names,
            uni=w[uni:kinds].reshape(-1, 4, t)[numbers],
            pairs=[names_of_pairs[i] for i in keep],
            bi=pair_weights[keep],
            pair_counts=np.array(list(self.pairs.values()), np.int64)[keep],
            words=list(word_classes),
            word_class=np.array(list(word_classes.values()), np.int64),
            match=w[match:bi].reshape(-1, form.LENGTHS, form.ROLES, t)[:classes],
            state=w[state:match].reshape(n_groups, form.STATES, t),
            types=w[kinds:state],
            groups=(
                self.words.groups_of_class.astype(np.int64)
                if self.words.n_groups
                else np.zeros(classes, np.int64)
            )[:classes],
            meta={"sources": list(self.sources), **meta},
        )
        if self.characters.marks:
            model = with_marks(model, self.characters.marks, self.characters.before_marks)
        return model.rounded()
