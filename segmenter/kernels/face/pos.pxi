cdef extern from "pos/pos.hpp" namespace "segmenter":
    cdef uint32_t kNoTag
    cdef enum:
        kShapes
    cdef cppclass PosWord:
        PosWord() noexcept
        uint32_t id
        uint16_t cls
    PosWord pos_word(const CLexicon& lex, const Text& text,
                     uint32_t n_classes) noexcept nogil
    cdef cppclass PosScratch:
        void begin(size_t n, const CPosModel& model, const PosWord& boundary) except +
        void push(const PosWord& word, uint32_t given) except +
        void end() except +
        size_t places() noexcept nogil
        size_t place(size_t i) noexcept nogil
        uint8_t tag(size_t i) noexcept nogil
    cdef cppclass CPosModel "segmenter::PosModel":
        const CLexicon* lex
        uint32_t n_tags
        uint32_t n_classes
        int32_t sure
        const uint64_t* masks
        const uint8_t* affixes
        const uint16_t* table
        uint32_t n_buckets
        const uint8_t* blocks
        const int8_t* rows
        uint32_t n_blocks
        uint32_t n_rows
        uint32_t lanes() noexcept nogil

cdef extern from "pos/tags.hpp" namespace "segmenter":
    cdef cppclass PosKnown:
        void begin(const CPosModel& model, size_t n_slots) except +
        void look_up(PosWord& word) except +
        PosWord boundary() except +
    void pos_tags(const CPosModel& m, const PosKnown& known, PosScratch& s) except + nogil

cdef extern from "face/pyobjects.hpp" namespace "segmenter":
    cdef cppclass TagCache:
        void reserve(size_t n, object tagger) except +
    cdef cppclass TagCall:
        PosScratch scratch
        void see(const CPosModel& m, PosKnown& known, const TextView& text, const Token* tokens,
                 size_t n, size_t dropped, const WordCache& cache, TagCache& seen) except +
    object tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                       size_t dropped, WordCache& cache, TagCache& seen, object names)

cdef extern from "pos/train.hpp" namespace "segmenter":
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

POS_SHAPES = kShapes


cdef int _pos_words(const CLexicon& lex, list words, vector[PosWord]& out, uint32_t n_classes) \
        except -1:
    """Looks up each word of a list of str for the features."""
    cdef Py_ssize_t i, n = len(words)
    out.reserve(<size_t>n)
    for i in range(n):
        if i % 4096 == 4095:
            PyErr_CheckSignals_raise()
        word = words[i]
        if type(word) is not str:
            raise TypeError(f"words: item {i} must be str, not {type(word).__name__}")
        out.push_back(pos_word(lex, TextView(word), n_classes))
    return 0


cdef class PosTagger:
    """A compiled part-of-speech tagger (pos/pos.hpp); keeps its lexicon and buffers alive."""

    cdef CPosModel model
    cdef PosKnown known
    cdef readonly Lexicon lexicon
    cdef readonly list names
    cdef Sections held
    cdef Pool[TagCall] calls

    def __init__(self, Lexicon lexicon not None, sections, names, int32_t sure):
        cdef CPosModel* m = &self.model
        cdef Sections* held = &self.held
        self.lexicon = lexicon
        self.names = [str(name) for name in names]
        held.open(sections, b"sections of a part-of-speech tagger do not fit together")
        cdef Cells[uint64_t] masks = held.of[uint64_t]("pos.masks")
        cdef Cells[uint16_t] table = held.of[uint16_t]("pos.table")
        cdef Cells[uint8_t] blocks = held.of[uint8_t]("pos.blocks")
        cdef Cells[int8_t] rows = held.of[int8_t]("pos.rows")
        cdef Py_ssize_t i, k, lanes, n_blocks = blocks.n // 8, n_tags = len(self.names)
        cdef uint32_t number
        if (not 0 < n_tags < 64 or masks.n < kShapes or masks.n > 0xFFFF or sure < 0
                or sure > 0x7FFF or table.n < 16 or table.n & 15 or blocks.n & 7):
            held.refuse()
        m.affixes = held.exactly[uint8_t]("pos.affixes", masks.n)
        m.n_tags = <uint32_t>n_tags
        m.sure = sure
        lanes = <Py_ssize_t>m.lanes()
        if rows.n % lanes:
            raise ValueError("rows of weights are cut short")
        for i in range(table.n // 16):
            memcpy(&number, &table[16 * i + 14], 4)
            if <Py_ssize_t>number + 14 > n_blocks:
                raise ValueError(f"bucket {i} has features beyond their weights")
        for i in range(n_blocks):
            if blocks[8 * i] == 0xFF:
                memcpy(&number, &blocks[8 * i + 4], 4)
                if <Py_ssize_t>number >= rows.n // lanes:
                    raise ValueError(f"feature {i} has weights beyond the table")
            else:
                for k in range(4):
                    if blocks[8 * i + k] >= n_tags:
                        raise ValueError(f"feature {i} has weights of a tag that does not exist")
        for i in range(masks.n):
            if masks[i] == 0 or masks[i] >> n_tags:
                raise ValueError(f"class {i} has tags that do not exist")
        for i in range(2):
            if masks[i] & (masks[i] - 1):
                raise ValueError("blanks and line ends have one tag")
        m.lex = &lexicon.lex
        m.n_classes = <uint32_t>masks.n
        m.masks = masks.data
        m.table = table.data
        m.n_buckets = <uint32_t>(table.n // 16)
        m.blocks = blocks.data
        m.rows = rows.data if rows.n else NULL
        m.n_blocks = <uint32_t>n_blocks
        m.n_rows = <uint32_t>(rows.n // lanes)
        self.known.begin(self.model, lexicon.lex.trie.n_units)

    cdef int _run(self, list words, given, PosScratch& scratch) except -1:
        cdef vector[PosWord] found
        cdef LongCall call
        cdef uint32_t tag
        cdef Py_ssize_t i, n = len(words)
        if given is not None and len(given) != n:
            raise ValueError("given: expected one tag or None per word")
        _pos_words(self.lexicon.lex, words, found, self.model.n_classes)
        scratch.begin(<size_t>n, self.model, self.known.boundary())
        for i in range(n):
            tag = kNoTag
            if given is not None and given[i] is not None and given[i] in self.names:
                tag = <uint32_t>self.names.index(given[i])
            self.known.look_up(found[i])
            scratch.push(found[i], tag)
        scratch.end()
        call.begin(asked)
        with nogil:
            pos_tags(self.model, self.known, scratch)
        return 0

    def tags(self, list words not None, given=None):
        """The tags of a list of words.  ``given``: a known tag or None for each word."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        self._run(words, given, scratch)
        names = self.names
        return [names[scratch.tag(i)] for i in range(len(words))]

    def pairs(self, list words not None):
        """``(word, tag)`` for each of a list of words."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        cdef list names = self.names
        self._run(words, None, scratch)
        return [(words[i], names[scratch.tag(i)]) for i in range(len(words))]

    def classes(self, list words not None):
        """The class and slot of each word, as used by the features."""
        cdef vector[PosWord] found
        cdef size_t i
        _pos_words(self.lexicon.lex, words, found, self.model.n_classes)
        return [(found[i].cls, found[i].id) for i in range(found.size())]


cdef class PosTrainer:
    """The averaged perceptron of pos/train.hpp.

    ``masks``: uint64 per class, the tags that its words may have; ``affixes``: whether the
    characters of its words are features; ``margin``: update if the right tag leads by less.
    """

    cdef unique_ptr[CPosTrainer] held
    cdef CPosTrainer* trainer
    cdef Lexicon lexicon
    cdef uint32_t n_classes

    def __cinit__(self, Lexicon lexicon not None, const uint64_t[::1] masks,
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
        self.trainer.lex = &lexicon.lex
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
        _pos_words(self.lexicon.lex, words, found, self.n_classes)
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
