# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""Trainers of taggers."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from segmenter.kernels.bindings.python cimport Buffer, column_bytes, Text, TextView
from segmenter.kernels.train.bindings.pos cimport CPosTrainer, pos_trainer, PosTrainerOptions
from segmenter.kernels.train.bindings.tagger cimport (
    c_build_pair_hash, c_count_occurrences, CLexicon, CorpusColumns, CTaggerTrainer,
    LEXICON_CAPSULE, LexiconFeatures, tagger_trainer, TrainerOptions, Trie)


# --- linear taggers ------------------------------------------------------------------------------

cdef class TaggerTrainer:
    """The trainers of train/tagger.hpp over one set of features."""

    cdef unique_ptr[CTaggerTrainer] trainer
    cdef Buffer[uint64_t] units
    cdef Buffer[int32_t] word_of_slot, bigram_of_slot
    cdef Buffer[uint16_t] uni_of_id, classes
    cdef Buffer[uint8_t] groups_of_class, type_of_id

    def __init__(self, units, uint32_t n_ids, word_of_slot, bigram_of_slot, uni_of_id, classes,
                 groups_of_class, uint32_t n_bigrams, type_of_id=None,
                 *, uint32_t uni_mask=15,
                 uint32_t bi_mask=15, uint32_t groups=0, uint32_t min_match=2,
                 uint32_t max_match=8):
        self.units.take(units, b"units")
        self.word_of_slot.take(word_of_slot, b"word_of_slot")
        self.bigram_of_slot.take(bigram_of_slot, b"bigram_of_slot")
        self.uni_of_id.take(uni_of_id, b"uni_of_id")
        self.classes.take(classes, b"classes")
        self.groups_of_class.take(groups_of_class, b"groups_of_class")
        if (self.word_of_slot.n != self.units.n or self.bigram_of_slot.n != self.units.n
                or self.uni_of_id.n != <Py_ssize_t>n_ids or self.classes.n == 0
                or self.groups_of_class.n == 0 or classes.ndim != 2):
            raise ValueError("TaggerTrainer: lengths of the feature tables do not agree")
        cdef LexiconFeatures lex
        lex.trie.units = self.units.data
        lex.trie.n_units = <uint32_t>self.units.n
        lex.trie.n_ids = n_ids
        lex.word_of_slot = self.word_of_slot.data
        lex.bigram_of_slot = self.bigram_of_slot.data
        lex.uni_of_id = self.uni_of_id.data
        lex.classes = self.classes.data
        lex.groups_of_class = self.groups_of_class.data
        lex.n_ids = n_ids
        lex.n_bigrams = n_bigrams
        lex.n_classes = <uint32_t>self.groups_of_class.n
        lex.n_folds = <uint32_t>classes.shape[1]
        cdef TrainerOptions options
        options.uni_mask = uni_mask
        options.bi_mask = bi_mask
        options.groups = groups
        options.min_match = min_match
        options.max_match = max_match
        if type_of_id is not None:
            self.type_of_id.take(type_of_id, b"type_of_id")
            if self.type_of_id.n != <Py_ssize_t>n_ids:
                raise ValueError("TaggerTrainer: expected one type per character id")
            lex.type_of_id = self.type_of_id.data
        options.types = type_of_id is not None
        self.trainer = tagger_trainer(options, lex)

    def add_corpus(self, ids, offsets, ends, folds):
        """Adds a corpus and finds its features; returns its number."""
        cdef Buffer[uint16_t] id_column
        cdef Buffer[int64_t] offset_column
        cdef Buffer[uint8_t] end_column, fold_column
        id_column.take(ids, b"ids")
        offset_column.take(offsets, b"offsets")
        end_column.take(ends, b"ends")
        fold_column.take(folds, b"folds")
        if (offset_column.n != fold_column.n + 1 or id_column.n != end_column.n
                or id_column.n != offset_column[offset_column.n - 1] or id_column.n == 0):
            raise ValueError("TaggerTrainer.add_corpus: lengths of the columns do not agree")
        cdef CorpusColumns columns
        columns.ids = id_column.data
        columns.offsets = offset_column.data
        columns.n_sentences = <size_t>fold_column.n
        columns.ends = end_column.data
        columns.folds = fold_column.data
        with nogil:
            self.trainer.get().add(columns)
        return self.trainer.get().corpora() - 1

    cdef int _check(self, size_t number) except -1:
        if number >= self.trainer.get().corpora():
            raise IndexError("no such corpus")
        return 0

    @property
    def layout(self):
        """The first row of each block of features, and the number of rows:
        ``(uni, type, state, match, bi, rows)``."""
        return tuple(self.trainer.get().layout())

    def weights(self):
        """The weights, float32, one per tag (B, M, E, S) in each row, as bytes."""
        return (<const char*>self.trainer.get().weights())[:self.trainer.get().rows() * 4 * 4]

    def set_weights(self, weights):
        """Replaces the weights; the perceptron's sums start over."""
        cdef size_t n = self.trainer.get().rows() * 4
        cdef Buffer[float] column
        column.take(weights, b"weights")
        if <size_t>column.n != n:
            raise ValueError("TaggerTrainer.set_weights: wrong number of weights")
        memcpy(self.trainer.get().weights(), column.data, n * sizeof(float))
        self.trainer.get().forget_average()

    def swap_average(self):
        """Replaces the weights with the perceptron's averages; a second call restores them."""
        self.trainer.get().swap_average()

    def features(self, size_t corpus):
        """The rows of the active features at each position, for other trainers.

        Returns:
            ``(starts, rows)`` as bytes of int64 and uint32; the rows of position i are
            ``rows[starts[i] : starts[i + 1]]``.
        """
        self._check(corpus)
        cdef vector[int64_t] starts
        cdef vector[uint32_t] rows
        with nogil:
            self.trainer.get().features(corpus, starts, rows)
        return column_bytes(starts), column_bytes(rows)

    def perceptron_epoch(self, size_t corpus, uint64_t seed, float margin=0.0):
        """One pass; returns the number of wrong tags."""
        self._check(corpus)
        cdef uint64_t wrong
        with nogil:
            wrong = self.trainer.get().perceptron_epoch(corpus, seed, margin)
        return wrong

    def crf_epoch(
        self, size_t corpus, uint64_t seed, double eta0, double eta1, double decay, float margin=0.0
    ):
        """One pass; returns the sum of the log marginals of the gold tags."""
        self._check(corpus)
        cdef double likelihood
        with nogil:
            likelihood = self.trainer.get().crf_epoch(corpus, seed, eta0, eta1, decay, margin)
        return likelihood

    def evaluate(self, size_t corpus):
        """``(right words, gold words, predicted words)``."""
        self._check(corpus)
        cdef uint64_t counts[3]
        with nogil:
            self.trainer.get().decode(corpus, NULL, counts)
        return counts[0], counts[1], counts[2]

    def tag(self, size_t corpus):
        """The best tags, one byte per character."""
        self._check(corpus)
        cdef vector[uint8_t] tags
        cdef uint64_t counts[3]
        tags.resize(self.trainer.get().characters(corpus))
        with nogil:
            self.trainer.get().decode(corpus, tags.data(), counts)
        return column_bytes(tags)


def build_pair_hash(keys, size_t n_pilots, uint32_t n_places):
    """A perfect hash of pairs of character ids (first << 16 | second): pilots, and keys' places.

    Returns:
        ``(pilots, places)`` as bytes of uint16 and uint32.
    """
    cdef vector[uint16_t] pilots
    cdef vector[uint32_t] places
    cdef Buffer[uint32_t] pairs
    pairs.take(keys, b"keys")
    cdef size_t n = <size_t>pairs.n
    if n == 0 or n_pilots < 2 or n_pilots & (n_pilots - 1):
        raise ValueError(
            "build_pair_hash: expected keys, and a power of two as the number of pilots"
        )
    with nogil:
        c_build_pair_hash(pairs.data, n, n_pilots, n_places, pilots, places)
    return column_bytes(pilots), column_bytes(places)


def count_occurrences(units, uint32_t n_ids, word_of_slot, ids, offsets, folds, uint32_t n_folds,
                      uint32_t n_words):
    """How often each word's string occurs in each fold; int32 ``[n_words][n_folds]`` as bytes."""
    cdef Buffer[uint64_t] cells
    cdef Buffer[int32_t] word_column
    cdef Buffer[uint16_t] id_column
    cdef Buffer[int64_t] offset_column
    cdef Buffer[uint8_t] fold_column
    cells.take(units, b"units")
    word_column.take(word_of_slot, b"word_of_slot")
    id_column.take(ids, b"ids")
    offset_column.take(offsets, b"offsets")
    fold_column.take(folds, b"folds")
    if word_column.n != cells.n or offset_column.n != fold_column.n + 1:
        raise ValueError("count_occurrences: lengths of the columns do not agree")
    cdef Trie trie
    trie.units = cells.data
    trie.n_units = <uint32_t>cells.n
    trie.n_ids = n_ids
    cdef CorpusColumns columns
    columns.ids = id_column.data
    columns.offsets = offset_column.data
    columns.n_sentences = <size_t>fold_column.n
    columns.folds = fold_column.data
    cdef vector[int32_t] counts
    with nogil:
        counts = c_count_occurrences(trie, word_column.data, columns, n_folds, n_words)
    return column_bytes(counts)


# --- part-of-speech taggers ----------------------------------------------------------------------

cdef class PosTrainer:
    """The averaged perceptron of train/pos.hpp.

    ``masks``: uint64 per class, the tags that its words may have; ``affixes``: whether the
    characters of its words are features; ``margin``: update if the right tag leads by less.
    """

    cdef unique_ptr[CPosTrainer] trainer
    cdef object lexicon  # which the trainer points into

    def __cinit__(self, lexicon, masks, affixes, uint32_t n_tags, float margin):
        cdef Py_ssize_t i
        cdef PosTrainerOptions options
        cdef Buffer[uint64_t] mask_column
        cdef Buffer[uint8_t] affix_column
        mask_column.take(masks, b"masks")
        affix_column.take(affixes, b"affixes")
        for i in range(mask_column.n):
            if mask_column[i] == 0 or mask_column[i] >> n_tags:
                raise ValueError(f"PosTrainer: class {i} has tags that do not exist")
            options.masks.push_back(mask_column[i])
        for i in range(affix_column.n):
            options.affixes.push_back(affix_column[i])
        self.lexicon = lexicon
        options.lex = <const CLexicon*>PyCapsule_GetPointer(lexicon.kernel(), LEXICON_CAPSULE)
        options.n_tags = n_tags
        options.margin = margin
        self.trainer = pos_trainer(options)

    def add(self, list words not None, bytes tags not None):
        """A sentence and the numbers of its tags, one byte per word; no blanks, no line ends."""
        cdef vector[Text] views
        cdef size_t added
        if len(tags) != len(words):
            raise ValueError("PosTrainer.add: expected one tag per word")
        for i, word in enumerate(words):
            if type(word) is not str:
                raise TypeError(f"words: item {i} must be str, not {type(word).__name__}")
            views.push_back(TextView(word))
        added = self.trainer.get().add(views, tags)
        if added < views.size():
            raise ValueError(
                f"PosTrainer.add: word {added} is a blank, or its tag does not exist"
            )

    def close(self):
        """Must be called once, after the last sentence."""
        self.trainer.get().close()

    def epoch(self, uint64_t seed):
        """One pass over all sentences; returns the number of words with a wrong tag."""
        cdef size_t wrong
        with nogil:
            wrong = self.trainer.get().epoch(seed)
        return wrong

    def restrict_to(self, keys):
        """Discards the current weights; from now on only these features are learnt."""
        cdef Buffer[uint64_t] column
        column.take(keys, b"keys")
        self.trainer.get().restrict_to(column.data, <size_t>column.n)

    def second(self, float prune):
        """Freezes the averaged weights, dropping those below ``prune``; the features of several
        words are learnt next."""
        self.trainer.get().second(prune)

    def averages(self):
        """Keys (uint64), tags (uint8) and averaged weights (float32) of all features, as bytes."""
        cdef vector[uint64_t] keys
        cdef vector[uint8_t] tags
        cdef vector[float] weights
        with nogil:
            self.trainer.get().averages(keys, tags, weights)
        return column_bytes(keys), column_bytes(tags), column_bytes(weights)
