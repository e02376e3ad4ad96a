# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False
"""Trainers of taggers."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from segmenter.kernels.bindings.python cimport Buffer, raw, Text, TextView
from segmenter.kernels.train.bindings.pos cimport CPosTrainer, pos_trainer, PosTrainerOptions
from segmenter.kernels.train.bindings.tagger cimport (
    c_build_pair_hash, c_count_occurrences, CLexicon, CorpusColumns, CTaggerTrainer,
    LEXICON_CAPSULE, LexiconFeatures, tagger_trainer, TrainerOptions, Trie)


# --- linear taggers ------------------------------------------------------------------------------

cdef class TaggerTrainer:
    """The trainers of train/tagger.hpp over one set of features."""

    cdef unique_ptr[CTaggerTrainer] held
    cdef CTaggerTrainer* trainer
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
        self.held = tagger_trainer(options, lex)
        self.trainer = self.held.get()

    def add_corpus(self, ids, offsets, ends, folds):
        """Adds a corpus and finds its features; returns its number."""
        cdef Buffer[uint16_t] of_ids
        cdef Buffer[int64_t] bounds
        cdef Buffer[uint8_t] of_ends, of_folds
        of_ids.take(ids, b"ids")
        bounds.take(offsets, b"offsets")
        of_ends.take(ends, b"ends")
        of_folds.take(folds, b"folds")
        if (bounds.n != of_folds.n + 1 or of_ids.n != of_ends.n
                or of_ids.n != bounds[bounds.n - 1] or of_ids.n == 0):
            raise ValueError("TaggerTrainer.add_corpus: lengths of the columns do not agree")
        cdef CorpusColumns columns
        columns.ids = of_ids.data
        columns.offsets = bounds.data
        columns.n_sentences = <size_t>of_folds.n
        columns.ends = of_ends.data
        columns.folds = of_folds.data
        with nogil:
            self.trainer.add(columns)
        return self.trainer.corpora() - 1

    cdef int _check(self, size_t number) except -1:
        if number >= self.trainer.corpora():
            raise IndexError("no such corpus")
        return 0

    @property
    def layout(self):
        """The first row of each block of features, and the number of rows:
        ``(uni, type, state, match, bi, rows)``."""
        return tuple(self.trainer.layout())

    def weights(self):
        """The weights, float32, one per tag (B, M, E, S) in each row, as bytes."""
        return (<const char*>self.trainer.weights())[:self.trainer.rows() * 4 * 4]

    def set_weights(self, weights):
        """Replaces the weights; the perceptron's sums start over."""
        cdef size_t n = self.trainer.rows() * 4
        cdef Buffer[float] given
        given.take(weights, b"weights")
        if <size_t>given.n != n:
            raise ValueError("TaggerTrainer.set_weights: wrong number of weights")
        memcpy(self.trainer.weights(), given.data, n * sizeof(float))
        self.trainer.forget_average()

    def swap_average(self):
        """Replaces the weights with the perceptron's averages; a second call restores them."""
        self.trainer.swap_average()

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
            self.trainer.features(corpus, starts, rows)
        return raw(starts), raw(rows)

    def perceptron_epoch(self, size_t corpus, uint64_t seed):
        """One pass; returns how many tags were wrong."""
        self._check(corpus)
        cdef uint64_t wrong
        with nogil:
            wrong = self.trainer.perceptron_epoch(corpus, seed)
        return wrong

    def crf_epoch(self, size_t corpus, uint64_t seed, double eta0, double eta1, double decay):
        """One pass; returns the sum of the log marginals of the gold tags."""
        self._check(corpus)
        cdef double out
        with nogil:
            out = self.trainer.crf_epoch(corpus, seed, eta0, eta1, decay)
        return out

    def evaluate(self, size_t corpus):
        """``(right words, gold words, predicted words)``."""
        self._check(corpus)
        cdef uint64_t counts[3]
        with nogil:
            self.trainer.decode(corpus, NULL, counts)
        return counts[0], counts[1], counts[2]

    def tag(self, size_t corpus):
        """The best tags, one byte per character."""
        self._check(corpus)
        cdef vector[uint8_t] out
        cdef uint64_t counts[3]
        out.resize(self.trainer.characters(corpus))
        with nogil:
            self.trainer.decode(corpus, out.data(), counts)
        return raw(out)


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
    return raw(pilots), raw(places)


def count_occurrences(units, uint32_t n_ids, word_of_slot, ids, offsets, folds, uint32_t n_folds,
                      uint32_t n_words):
    """How often each word's string occurs in each fold; int32 ``[n_words][n_folds]`` as bytes."""
    cdef Buffer[uint64_t] cells
    cdef Buffer[int32_t] words
    cdef Buffer[uint16_t] of_ids
    cdef Buffer[int64_t] bounds
    cdef Buffer[uint8_t] of_folds
    cells.take(units, b"units")
    words.take(word_of_slot, b"word_of_slot")
    of_ids.take(ids, b"ids")
    bounds.take(offsets, b"offsets")
    of_folds.take(folds, b"folds")
    if words.n != cells.n or bounds.n != of_folds.n + 1:
        raise ValueError("count_occurrences: lengths of the columns do not agree")
    cdef Trie trie
    trie.units = cells.data
    trie.n_units = <uint32_t>cells.n
    trie.n_ids = n_ids
    cdef CorpusColumns columns
    columns.ids = of_ids.data
    columns.offsets = bounds.data
    columns.n_sentences = <size_t>of_folds.n
    columns.folds = of_folds.data
    cdef vector[int32_t] out
    with nogil:
        out = c_count_occurrences(trie, words.data, columns, n_folds, n_words)
    return raw(out)


# --- part-of-speech taggers ----------------------------------------------------------------------

cdef class PosTrainer:
    """The averaged perceptron of train/pos.hpp.

    ``masks``: uint64 per class, the tags that its words may have; ``affixes``: whether the
    characters of its words are features; ``margin``: update if the right tag leads by less.
    """

    cdef unique_ptr[CPosTrainer] held
    cdef CPosTrainer* trainer
    cdef object lexicon  # owns the trainer's

    def __cinit__(self, lexicon, masks, affixes, uint32_t n_tags, float margin):
        cdef Py_ssize_t i
        cdef PosTrainerOptions options
        cdef Buffer[uint64_t] tags_of
        cdef Buffer[uint8_t] with_affixes
        tags_of.take(masks, b"masks")
        with_affixes.take(affixes, b"affixes")
        for i in range(tags_of.n):
            if tags_of[i] == 0 or tags_of[i] >> n_tags:
                raise ValueError(f"PosTrainer: class {i} has tags that do not exist")
            options.masks.push_back(tags_of[i])
        for i in range(with_affixes.n):
            options.affixes.push_back(with_affixes[i])
        self.lexicon = lexicon
        options.lex = <const CLexicon*>PyCapsule_GetPointer(lexicon.kernel(), LEXICON_CAPSULE)
        options.n_tags = n_tags
        options.margin = margin
        self.held = pos_trainer(options)
        self.trainer = self.held.get()

    def add(self, list words not None, bytes tags not None):
        """A sentence and the numbers of its tags, one byte per word; no blanks, no line ends."""
        cdef vector[Text] found
        cdef size_t added
        if len(tags) != len(words):
            raise ValueError("PosTrainer.add: expected one tag per word")
        for i, word in enumerate(words):
            if type(word) is not str:
                raise TypeError(f"words: item {i} must be str, not {type(word).__name__}")
            found.push_back(TextView(word))
        added = self.trainer.add(found, tags)
        if added < found.size():
            raise ValueError(
                f"PosTrainer.add: word {added} is a blank, or its tag does not exist"
            )

    def close(self):
        """Must be called once, after the last sentence."""
        self.trainer.close()

    def epoch(self, uint64_t seed):
        """One pass over all sentences; returns the number of words with a wrong tag."""
        cdef size_t wrong
        with nogil:
            wrong = self.trainer.epoch(seed)
        return wrong

    def restrict_to(self, keys):
        """Discards the current weights; from now on only these features are learnt."""
        cdef Buffer[uint64_t] kept
        kept.take(keys, b"keys")
        self.trainer.restrict_to(kept.data, <size_t>kept.n)

    def second(self, float prune):
        """Freezes the averaged weights, dropping those below ``prune``; the features of several
        words are learnt next."""
        self.trainer.second(prune)

    def averages(self):
        """Keys (uint64), tags (uint8) and averaged weights (float32) of all features, as bytes."""
        cdef vector[uint64_t] keys
        cdef vector[uint8_t] tags
        cdef vector[float] weights
        with nogil:
            self.trainer.averages(keys, tags, weights)
        return raw(keys), raw(tags), raw(weights)
