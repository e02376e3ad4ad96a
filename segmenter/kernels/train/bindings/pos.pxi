# Training of part-of-speech taggers.

cdef extern from "train/pos.hpp" namespace "segmenter":
    cdef cppclass CPosTrainer "segmenter::PosTrainer":
        CPosTrainer() except +
        const CLexicon* lex
        vector[uint64_t] masks
        vector[uint8_t] affixes
        uint32_t n_tags
        float margin
        void add(PosScratch& s, const uint8_t* tags) except +
        void close() except +
        size_t epoch(uint64_t seed) except + nogil
        void restrict_to(const uint64_t* keys, size_t n) except +
        void second(float prune) except +
        void averages(vector[uint64_t]& keys, vector[uint8_t]& tags, vector[float]& weights) \
            except + nogil


cdef class PosTrainer:
    """The averaged perceptron of train/pos.hpp.

    ``masks``: uint64 per class, the tags that its words may have; ``affixes``: whether the
    characters of its words are features; ``margin``: update if the right tag leads by less.
    """

    cdef unique_ptr[CPosTrainer] held
    cdef CPosTrainer* trainer
    cdef object lexicon  # owns the trainer's
    cdef uint32_t n_classes

    def __cinit__(self, lexicon, const uint64_t[::1] masks,
                  const uint8_t[::1] affixes, uint32_t n_tags, float margin):
        cdef Py_ssize_t i
        if masks.shape[0] < kShapes or affixes.shape[0] != masks.shape[0]:
            raise ValueError("PosTrainer: expected a mask and a mark for each class")
        for i in range(masks.shape[0]):
            if masks[i] == 0 or masks[i] >> n_tags:
                raise ValueError(f"PosTrainer: class {i} has tags that do not exist")
        self.lexicon = lexicon
        self.n_classes = <uint32_t>masks.shape[0]
        self.trainer = new CPosTrainer()
        self.held.reset(self.trainer)
        self.trainer.lex = <const CLexicon*>PyCapsule_GetPointer(lexicon.kernel(), LEXICON_CAPSULE)
        self.trainer.n_tags = n_tags
        self.trainer.margin = margin
        for i in range(masks.shape[0]):
            self.trainer.masks.push_back(masks[i])
            self.trainer.affixes.push_back(affixes[i])

    def add(self, list words not None, bytes tags not None):
        """A sentence and the numbers of its tags, one byte per word; no blanks, no line ends."""
        cdef PosScratch scratch
        cdef vector[PosWord] found
        cdef CPosModel model
        cdef size_t i
        cdef const uint8_t* numbers = tags
        if len(tags) != len(words):
            raise ValueError("PosTrainer.add: expected one tag per word")
        _pos_words(self.trainer.lex[0], words, found, self.n_classes)
        model.n_tags = self.trainer.n_tags
        model.masks = self.trainer.masks.data()
        scratch.begin(found.size(), model, PosWord())
        for i in range(found.size()):
            if found[i].cls < 2 or numbers[i] >= self.trainer.n_tags:
                raise ValueError(f"PosTrainer.add: word {i} is a blank, or its tag does not exist")
            scratch.push(found[i], kNoTag)
        scratch.end()
        self.trainer.add(scratch, numbers)

    def close(self):
        """Must be called once, after the last sentence."""
        self.trainer.close()

    def epoch(self, uint64_t seed):
        """One pass over all sentences; returns the number of words with a wrong tag."""
        cdef size_t wrong
        with nogil:
            wrong = self.trainer.epoch(seed)
        return wrong

    def restrict_to(self, const uint64_t[::1] keys):
        """Discards the current weights; from now on only these features are learnt."""
        self.trainer.restrict_to(&keys[0] if keys.shape[0] else NULL, <size_t>keys.shape[0])

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
