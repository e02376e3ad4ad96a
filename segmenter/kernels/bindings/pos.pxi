# Part-of-speech taggers.

cdef extern from "pos/known.hpp" namespace "segmenter":
    cdef cppclass PosKnown:
        void begin(const CPosModel& model, size_t n_slots) except +
        void look_up(PosWord& word) except +
        PosWord boundary() except +

cdef extern from "bindings/objects.hpp" namespace "segmenter":
    cdef cppclass TagCache:
        void reserve(size_t n, object tagger) except +
    void decide_tags(const CPosModel& m, const PosKnown& known, PosScratch& s) except + nogil
    cdef cppclass TagCall:
        PosScratch scratch
        void see(const CPosModel& m, PosKnown& known, const TextView& text, const Token* tokens,
                 size_t n, size_t dropped, const WordCache& cache, TagCache& seen) except +
    object tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                       size_t dropped, WordCache& cache, TagCache& seen, object names)

POS_SHAPES = kShapes


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
            decide_tags(self.model, self.known, scratch)
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
