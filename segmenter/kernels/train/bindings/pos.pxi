# Training of part-of-speech taggers.

from segmenter.kernels.bindings.python cimport Buffer, raw, Text, TextView
from segmenter.kernels.train.bindings.pos cimport CPosTrainer, pos_trainer, PosTrainerOptions
from segmenter.kernels.train.bindings.tagger cimport CLexicon, LEXICON_CAPSULE


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
