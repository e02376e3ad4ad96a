"""The features of linear taggers, and the space of those that occur in training text.

At each character of folded text:

* the characters at distance -2, -1, 0, +1 and the pairs that begin at -2, -1, 0, +1;
* the types of the previous, this and the next character: Han, digit, Chinese numeral, letter,
  punctuation, other, unit of a date, and none beyond the sentence;
* lexicon matches: for every word of 2 to 8 characters at this place, its class, its length (7 and
  more are one) and the role of the character in it (first, second, inner, last);
* lexicon states, for each group of classes: the length of the longest word of the group that begins
  here, goes on here, and ends here (0, 2, 3, 4, 5, or 6 and more).

Characters that occur once or never in the training text count as their class (one for Han
characters, one for Latin letters, …).

**Marks.**  With ``marks=MARKS`` these punctuation characters read like the end of the text, so that
the words of a sentence are the same with its full stop, without it and inside quotation marks.  (No
F1 is lost on dev; sentences that differ fall from 0.9% to 0.2%, `eval/results/today.md`.)

A word's class combines what the training text and each further lexicon know of it.  From the
training text (counts of the word and of its string, across words or not):

====  =======================================================
 0    the string was never seen
 1    seen once or twice, never as a word
 2    seen more often, never as a word: training contradicts it
 3    a word less than one time in ten
 4    … less than half the time
 5    … less than nine times in ten
 6    nearly always a word, seen once or twice
 7    nearly always a word
====  =======================================================

**Jackknife.**  In its own training sentences a tagger knows every word, in new text it does not.
So the training text is divided into folds, and a word's class in a sentence comes from the counts
of all other folds.  (Otherwise the features are trusted too much and cost 1.6 points of F1 instead
of adding 0.5.)
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segmenter.errors import ArgumentError
from segmenter.text import chars
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import encode_entries
from segmenter.train.tagging.features.counting import count_strings
from segmenter.train.tagging.features.marks import MARKS, between_marks, count_before, with_marks
from segmenter.train.tagging.features.scorer import Scorer, emissions, viterbi
from segmenter.train.tagging.scheme import tags_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = [
    "FOLDS", "FULL", "KNOWN", "MARKS", "TRAINING_STATES", "UNSURE", "Columns", "FeatureSource",
    "FeatureSpace", "Matches", "Scorer", "between_marks", "count_before", "count_strings",
    "emissions", "fold_numbers", "training_states", "viterbi", "with_marks",
]  # fmt: skip

TRAINING_STATES = 8
FOLDS = 10
FULL = FOLDS  # the fold number of text outside the training text
UNSURE = 2  # in a column of ends: not known whether a word ends here
KNOWN = 4  # training states from here on make a word one of the group "training"


class FeatureSource(NamedTuple):
    """A further lexicon whose words are features.

    Attributes:
        name: its name in model files.
        states: folded words with a state from 1 to ``degrees``; other words have 0.
        degrees: the number of states besides 0.
        strong: words with at least this state are in the lexicon's group.
        alone: words with at least this state are features even if no other source knows them.
    """

    name: str
    states: Mapping[str, int]
    degrees: int = 1
    strong: int = 1
    alone: int = 1


class Columns(NamedTuple):
    """Sentences in the form that the compiled trainer reads."""

    ids: Array
    offsets: Array
    ends: Array
    folds: Array


def fold_numbers(sentences: int, folds: int = FOLDS) -> Array:
    """The fold of each sentence: contiguous, since neighbouring sentences share their rare words.

    >>> fold_numbers(4, 2).tolist()
    [0, 0, 1, 1]
    """
    return (np.arange(sentences, dtype=np.int64) * folds // max(1, sentences)).astype(np.uint8)


def training_states(count: Array, seen: Array) -> Array:
    """The training state (table above) from counts as a word and occurrences of the string."""
    rate = count / np.maximum(seen, 1)
    states = np.where(rate < 0.1, 3, np.where(rate < 0.5, 4, np.where(rate < 0.9, 5, 7)))
    states = np.where((states == 7) & (count < 3), 6, states)
    states = np.where(count == 0, np.where(seen < 3, 1, 2), states)
    return np.where(seen == 0, 0, states)


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


class FeatureSpace:
    """The features that a training text shows, their numbers, and the columns of the trainers.

    Args:
        sentences: the training text, folded words.
        sources: further lexicons, at most 2.
        tags: 4 or 6.
        lexicon: whether words of the training text and of ``sources`` are features at all.
        states: whether the states of word groups are features (slower, 0.1 points of F1 better).
        min_pair: rarer pairs are not features.
        uni_mask, bi_mask: the distances used, of four; bit 0 is -2.
        types: whether types of characters are features.
        max_word: longest word that is a feature.
        folds: the fold of each sentence; default: contiguous parts of the whole text.
        marks: characters that read like the end of the text.  Every sentence must then begin and
            end with one: see :func:`between_marks`.

    Raises:
        ArgumentError: no sentences, or too little text; too many sources; not one fold per
            sentence.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        sources: Sequence[FeatureSource] = (),
        *,
        tags: int = 4,
        lexicon: bool = True,
        states: bool = True,
        min_pair: int = 2,
        uni_mask: int = 15,
        bi_mask: int = 15,
        types: bool = True,
        max_word: int = form.MAX_WORD,
        folds: Array | None = None,
        marks: str = "",
    ) -> None:
        from segmenter.kernels import _train

        if not sentences:
            raise ArgumentError("sentences: the training text is empty")
        if len(sources) > 2:
            raise ArgumentError(f"sources: {len(sources)} lexicons given, 2 at most")
        tags_of(tags)
        self.tags = tags
        self.sources = tuple(sources)
        self.lexicon = lexicon
        self.uni_mask, self.bi_mask = uni_mask, bi_mask
        self.folds = fold_numbers(len(sentences)) if folds is None else folds
        if len(self.folds) != len(sentences):
            raise ArgumentError(f"folds: {len(self.folds)} for {len(sentences)} sentences")
        # --- words ----------------------------------------------------------------------------
        by_fold: dict[str, list[int]] = {}
        if lexicon:
            by_fold = self.words_by_fold(sentences, max_word)
            known = set(by_fold)
            for source in sources:
                known.update(w for w, s in source.states.items() if s and 2 <= len(w) <= max_word)
            self.words = sorted(known)
        else:
            self.words = []
        # --- characters -----------------------------------------------------------------------
        text = "".join("".join(words) for words in sentences)
        char_count = Counter(text)
        weights: dict[str, float] = {c: float(n) for c, n in char_count.items() if n > 1}
        own = {c for c, n in char_count.items() if n > 1}
        self.take_characters(weights, own, types, marks, text)
        n_ids = len(self.table.classes)
        columns = self.columns(sentences, self.folds)
        counted = self.count_pairs(columns, min_pair)
        self.pairs = list(counted)
        self.pair_counts = np.array(list(counted.values()), np.int64)
        self._index()
        # --- classes of words, by fold --------------------------------------------------------
        self.n_classes = TRAINING_STATES
        for source in sources:
            self.n_classes *= source.degrees + 1
        if not lexicon:
            self.n_classes = 1
            self.classes: Array = np.zeros((1, FOLDS + 1), np.uint16)
            self.groups_of_class: Array = np.zeros(1, np.uint8)
            self.n_groups = 0
            return
        seen = np.frombuffer(
            _train.count_occurrences(
                self.units, n_ids, self.word_of_slot, columns.ids, columns.offsets,
                self.folds, FOLDS,
                len(self.words),
            ),
            np.int32,
        ).reshape(-1, FOLDS)  # fmt: skip
        none = [0] * FOLDS
        count = np.array([by_fold.get(w, none) for w in self.words], np.int32).reshape(-1, FOLDS)
        state = training_states(_leave_out(count), _leave_out(seen))
        alone = state >= 3
        cls = state
        for source in sources:
            s = np.array([source.states.get(w, 0) for w in self.words], np.int64)[:, None]
            cls = cls * (source.degrees + 1) + s
            alone = alone | (s >= source.alone)
        self.classes = np.where(alone, cls, 0xFFFF).astype(np.uint16)
        groups = [
            1 * (c[0] >= KNOWN)
            | sum((c[k] >= source.strong) << k for k, source in enumerate(sources, 1))
            for c in np.ndindex(TRAINING_STATES, *(source.degrees + 1 for source in sources))
        ]
        self.groups_of_class = np.array(groups, np.uint8)
        self.n_groups = 1 + len(sources) if states else 0

    def words_by_fold(
        self, sentences: Sequence[Sequence[str]], max_word: int = form.MAX_WORD
    ) -> dict[str, list[int]]:
        """Count each word of 2 to ``max_word`` characters in each fold."""
        found: dict[str, list[int]] = {}
        for words, k in zip(sentences, self.folds.tolist(), strict=True):
            for w in words:
                if 2 <= len(w) <= max_word:
                    found.setdefault(w, [0] * FOLDS)[k] += 1
        return found

    def take_characters(
        self, weights: dict[str, float], own: Container[str], types: bool, marks: str, text: str
    ) -> None:
        """Number the characters, and find those that count as their class.

        Args:
            weights: weights of the training text's characters, which order the numbers; characters
                of words are added.
            own: characters with rows of their own.
            types: whether types of characters are features.
            marks: characters that get the id of the place beyond the text.
            text: the training text.
        """
        from segmenter.lexicon.characters import CharTable

        for c in {c for w in self.words for c in w}:
            weights.setdefault(c, 0.5)
        self.table = CharTable(weights, "default")
        self.char_of: dict[int, str] = {i: chr(cp) for cp, i in self.table.ids.items()}
        self.uni_of = np.arange(len(self.table.classes), dtype=np.uint16)
        for i, c in self.char_of.items():
            if c not in own:
                self.uni_of[i] = self.table.generic[chars.char_class(ord(c))]
        self.type_of = form.types_of(self.table) if types else None
        self.marks = marks
        self._before_marks = count_before(text, marks)
        self._is_mark = np.zeros(len(self.table.classes), bool)
        self._is_mark[[self.table.ids[ord(c)] for c in marks if ord(c) in self.table.ids]] = True
        if marks and self.type_of is not None:
            self.type_of[0] = form.char_type(ord(marks[0]))

    def count_pairs(self, columns: Columns, least: int) -> dict[str, int]:
        """Count the pairs of characters of a text, and of last characters with :data:`model.END`.

        Args:
            columns: the text.
            least: leave out rarer pairs.
        """
        ids, offsets = columns.ids, columns.offsets
        follows = np.zeros(len(ids), np.uint32)
        follows[:-1] = ids[1:]
        follows[offsets[1:] - 1] = 0
        keys, counts = np.unique(ids.astype(np.uint32) << 16 | follows, return_counts=True)
        named = np.zeros(len(self.table.classes), bool)
        named[list(self.char_of)] = True
        first, second = keys >> 16, keys & 0xFFFF
        keep = (counts >= least) & named[first] & (named[second] | (second == 0))
        return {
            self.char_of[a] + (self.char_of[b] if b else form.END): n
            for a, b, n in zip(
                first[keep].tolist(), second[keep].tolist(), counts[keep].tolist(), strict=True
            )
        }

    def _index(self) -> None:
        """Make the trie of words and pairs, and the word and pair of each slot."""
        from segmenter.lexicon.builder import trie_of

        counts = self.pair_counts
        pair_number = {p: i for i, p in enumerate(self.pairs)}
        entries = sorted({*self.words, *pair_number})
        if not entries:
            raise ArgumentError(
                "sentences: too little to learn from: no word is longer than a character, and no "
                "two characters are adjacent often enough; give more text"
            )
        weight = np.array(
            [counts[pair_number[e]] if e in pair_number else 1 for e in entries], np.uint64
        )
        self.units, slot_of = trie_of(
            self.table, encode_entries(self.table, entries), weights=weight
        )
        self.word_of_slot = np.full(len(self.units), -1, np.int32)
        self.pair_of_slot = np.full(len(self.units), -1, np.int32)
        number = {w: i for i, w in enumerate(self.words)}
        for e, slot in zip(entries, slot_of.tolist(), strict=True):
            if e in number:
                self.word_of_slot[slot] = number[e]
            if e in pair_number:
                self.pair_of_slot[slot] = pair_number[e]

    def columns(
        self,
        sentences: Sequence[Sequence[str]],
        folds: Array | None = None,
        unsure: Sequence[Array] | None = None,
    ) -> Columns:
        """Ids, offsets, word ends and folds of sentences (folded words).

        Args:
            sentences: words in order; none of them empty.
            folds: the fold of each sentence; default: all are outside the training text.
            unsure: for each sentence, the characters after which it is not known whether a word
                ends: their ends are :data:`UNSURE`.
        """
        from segmenter.lexicon.characters import code_points

        raw, offsets = code_points(map("".join, sentences))
        ids = self.table.ids_of(raw)
        ids[self._is_mark[ids]] = 0
        lengths = np.array([len(w) for words in sentences for w in words], np.int64)
        ends = np.zeros(len(raw), np.uint8)
        ends[np.cumsum(lengths) - 1] = 1
        if unsure is not None:
            at = [start + open_ for start, open_ in zip(offsets.tolist(), unsure, strict=False)]
            ends[np.concatenate(at).astype(np.int64)] = UNSURE
        if folds is None:
            folds = np.full(len(sentences), FULL, np.uint8)
        return Columns(ids, offsets, ends, folds)

    def known_classes(self) -> dict[str, int]:
        """Return the classes of the words that are features outside the training text."""
        classes = self.classes[: len(self.words), FULL].tolist()
        return {w: k for w, k in zip(self.words, classes, strict=True) if k != 0xFFFF}

    def trainer(self) -> Any:
        """A compiled trainer over this space; see ``kernels/tagging/train.hpp``."""
        return self._trainer(
            self.type_of,
            tags=self.tags,
            uni_mask=self.uni_mask,
            bi_mask=self.bi_mask,
            groups=self.n_groups,
        )

    def _trainer(self, type_of: Array | None, **options: int) -> Any:
        from segmenter.kernels import _train

        return _train.TaggerTrainer(
            self.units,
            len(self.table.classes),
            self.word_of_slot,
            self.pair_of_slot,
            self.uni_of,
            self.classes,
            self.groups_of_class,
            len(self.pairs),
            type_of,
            **options,
            min_match=2 if self.lexicon else 0,
            max_match=form.MAX_WORD,
        )

    def matches(self, columns: Columns) -> Matches:
        """Return the lexicon words in a text that are features of their fold.

        Args:
            columns: the text, see :meth:`columns`.
        """
        trainer = self._trainer(None, uni_mask=0, bi_mask=0)
        starts_raw, rows_raw = trainer.features(trainer.add_corpus(*columns))
        starts = np.frombuffer(starts_raw, np.int64)
        rows = np.frombuffer(rows_raw, np.uint32).astype(np.int64)
        first, end = trainer.layout[3:5]
        place = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        keep = (rows >= first) & (rows < end)
        place, rows = place[keep], rows[keep] - first
        role, rows = rows % form.ROLES, rows // form.ROLES
        return Matches(place, rows // form.LENGTHS, rows % form.LENGTHS, role)

    def emissions(self, trainer: Any, columns: Columns, weights: Array) -> Array:
        """Return the scores of the tags at every character, ``(characters, tags)`` of float32.

        Args:
            trainer: from :meth:`trainer`.
            columns: the text.
            weights: the trainer's weights: float32, ``tags`` per row.
        """
        starts_raw, rows_raw = trainer.features(trainer.add_corpus(*columns))
        starts = np.frombuffer(starts_raw, np.int64)
        rows = np.frombuffer(rows_raw, np.uint32)
        table = np.asarray(weights, np.float32).reshape(-1, self.tags)
        out = np.zeros((len(starts) - 1, self.tags), np.float32)
        step = 100_000  # places at a time: some 50 MB of rows
        for i in range(0, len(out), step):
            here = starts[i : i + step + 1]
            some = table[rows[here[0] : here[-1]]]
            out[i : i + step] = np.add.reduceat(some, here[:-1] - here[0], axis=0)
        return out

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
            meta: the model's metadata.
            prune: leave out pairs whose weights are all at most this.
        """
        t = self.tags
        uni, kinds, state, match, bi, rows = layout
        w = np.asarray(weights, np.float64).reshape(rows, t)
        names: list[str] = []
        numbers: list[int] = []
        generic = {i: form.generic_name(code) for code, i in self.table.generic.items()}
        for i in range(len(self.table.classes)):
            if self.uni_of[i] == i:
                names.append(generic[i] if i in generic else self.char_of[i])
                numbers.append(i)
        pair_weights = w[bi:].reshape(-1, 4, t)
        keep = np.flatnonzero(np.abs(pair_weights).max(axis=(1, 2), initial=0) > prune)
        n_groups = (match - state) // form.STATES
        known = self.known_classes()
        classes = self.n_classes if self.lexicon else 0
        model = form.LinearModel(
            tags=t,
            start=np.zeros(t),
            trans=w[:t],
            chars=names,
            uni=w[uni:kinds].reshape(-1, 4, t)[numbers],
            pairs=[self.pairs[i] for i in keep],
            bi=pair_weights[keep],
            pair_counts=self.pair_counts[keep],
            words=list(known),
            word_class=np.array(list(known.values()), np.int64),
            match=w[match:bi].reshape(-1, form.LENGTHS, form.ROLES, t)[:classes],
            state=w[state:match].reshape(n_groups, form.STATES, t),
            types=w[kinds:state],
            groups=(
                self.groups_of_class.astype(np.int64)
                if self.n_groups
                else np.zeros(classes, np.int64)
            )[:classes],
            meta={"sources": [s.name for s in self.sources], **meta},
        )
        if self.marks:
            model = with_marks(model, self.marks, self._before_marks)
        return model.rounded()


def _leave_out(counts: Array) -> Array:
    """Columns 0 … 9: the sum without that fold; column 10: the whole sum."""
    total = counts.sum(axis=1, keepdims=True)
    return np.concatenate([total - counts, total], axis=1)
