# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The thin face of the compiled kernels; all algorithms are in the headers beside it."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.utility cimport pair
from libcpp.vector cimport vector


cdef extern from "crc32.hpp" namespace "segmenter":
    cdef cppclass Crc32:
        @staticmethod
        uint32_t of(const void* data, size_t n, uint32_t seed, cbool portable) noexcept nogil


cdef extern from "lexicon/double_array.hpp" namespace "segmenter":
    cdef cppclass CharMap:
        const uint16_t* bmp
        const uint16_t* astral_page
        const uint16_t* astral_block
        uint16_t operator()(uint32_t cp) noexcept nogil
    cdef cppclass PairFilter:
        cbool attach(const uint32_t* table, size_t n_words) noexcept nogil
        @staticmethod
        vector[uint32_t] of(const uint64_t* units, size_t n_units, uint32_t n_ids) except + nogil
    cdef cppclass Trie:
        const uint64_t* units
        uint32_t n_units
        uint32_t n_ids
        PairFilter pairs
        uint32_t child(uint32_t slot, uint32_t id) noexcept nogil
    cdef cppclass TrieBuilder:
        vector[uint64_t] units
        vector[uint32_t] slot_of_word
        void build(const uint16_t* ids, const int64_t* offsets, const uint16_t* costs,
                   const uint64_t* weights, size_t n_words, uint32_t n_ids,
                   uint32_t single_cost) except + nogil


cdef extern from "lexicon/variants.hpp" namespace "segmenter":
    cdef struct VariantEntry "segmenter::VariantTable::Entry":
        uint32_t cp
        vector[uint32_t] readings
        cbool kept
    cdef cppclass VariantTable:
        vector[pair[uint32_t, uint32_t]] plain
        vector[VariantEntry] several
    cdef cppclass CVariants "segmenter::Variants":
        CharMap map
        CVariants(const VariantTable& table, const CharMap& own) except +


cdef extern from "lattice/lattice.hpp" namespace "segmenter":
    cdef struct RuleIds:
        uint32_t zero
    cdef cppclass CLexicon "segmenter::Lexicon":
        CharMap map
        CharMap spelling
        const CVariants* variants
        Trie trie
        const uint8_t* id_class
        uint32_t n_runs
        uint32_t n_special
        uint32_t max_word
        uint32_t unknown_cost
        uint32_t kind_cost[9]
        RuleIds rules
        cbool numbers
        void prepare() except +
        void mark_signs() except +
        const uint64_t* terminal
        const uint32_t* rank
        uint32_t n_words
        cbool is_word(uint32_t slot) noexcept nogil
        uint32_t word_id(uint32_t slot) noexcept nogil
    cdef struct Piece:
        uint32_t end
        uint32_t what


    cdef struct Match:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t slot


cdef extern from "lexicon/words.hpp" namespace "segmenter":
    cdef struct Found:
        uint32_t start
        uint32_t end
        uint32_t number
    vector[uint32_t] letters(const CLexicon& lex) except + nogil
    void spell(const CLexicon& lex, vector[uint16_t]& ids, vector[size_t]& offsets) except + nogil
    void c_word_costs "segmenter::word_costs"(const CLexicon& lex,
                                              vector[uint16_t]& costs) except + nogil
    ctypedef uint32_t (*LongestWord)(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept
    void encode(const CLexicon& lex, const void* text, int width, size_t n,
                uint16_t* ids) noexcept nogil
    void encode_by "segmenter::encode"(const CLexicon& lex, const void* text, int width, size_t n,
                                       uint16_t* ids, LongestWord longest, void* of) except +
    void c_find_words "segmenter::find_words"(const CLexicon& lex, const uint16_t* ids, size_t n,
                                              vector[Found]& out) except + nogil


cdef extern from "lexicon/aho_corasick.hpp" namespace "segmenter":
    cdef cppclass CAhoCorasick "segmenter::AhoCorasick":
        void build(const CLexicon& lex) except + nogil
        void scan(const CLexicon& lex, const uint16_t* ids, size_t n,
                  vector[Found]& out) except + nogil
        void find(const CLexicon& lex, const uint16_t* ids, size_t n,
                  vector[Found]& out) except + nogil
        cbool begins_word(const CLexicon& lex, uint32_t state) noexcept nogil
        size_t states() noexcept nogil
        size_t bytes() noexcept nogil
        uint32_t failure_of(uint32_t state) noexcept nogil
        uint32_t output_of(uint32_t state) noexcept nogil
        uint32_t length_of(uint32_t state) noexcept nogil


cdef extern from "lattice/ngram.hpp" namespace "segmenter":
    cdef cppclass NgramTable:
        const uint64_t* records
        uint32_t capacity
        @staticmethod
        uint32_t home(uint64_t key, uint32_t capacity) noexcept nogil
    cdef cppclass CNgramModel "segmenter::NgramModel":
        uint32_t n_words
        const uint16_t* weights
        uint32_t boundary_cost
        NgramTable bigrams
        NgramTable trigrams


cdef extern from "lattice/dag.hpp" namespace "segmenter":
    cdef enum CDecoder "segmenter::Decoder":
        pass
    cdef struct Edge:
        uint32_t start
        uint32_t end
        uint32_t cost
        uint32_t token
        uint32_t what
    cdef cppclass Dag:
        uint32_t n
        vector[Edge] edges
        vector[uint32_t] out
        void index() except + nogil
    cdef cppclass Path:
        int64_t cost
        vector[uint32_t] edges
    cdef cppclass DagDecoder:
        void whole(const CLexicon& lex, const void* text, int width, size_t n,
                   const vector[Match]* external) except + nogil
        Dag& dag() noexcept nogil
        void paths(const CNgramModel& model, CDecoder decoder, uint32_t k, cbool at_end,
                   vector[Path]& out) except + nogil
        void decode(const CNgramModel& model, CDecoder decoder, cbool at_end) except + nogil
        const vector[uint32_t]& path() noexcept nogil


from libc.stdint cimport int8_t, int16_t
from libc.string cimport memcpy

cdef extern from "pair_hash.hpp" namespace "segmenter":
    cdef cppclass PairHash:
        const uint16_t* pilots
        uint32_t shift
        uint32_t n
        uint32_t operator()(uint32_t first, uint32_t second) noexcept nogil
        @staticmethod
        vector[uint16_t] build(const uint32_t* keys, size_t n_keys, size_t n_pilots,
                               uint32_t n) except + nogil


cdef extern from "tagging/tagger.hpp" namespace "segmenter":
    const float kNoOtherWay
    cdef cppclass TaggerModel:
        const CLexicon* lex
        PairHash hash
        const int8_t* uni
        const int8_t* pair
        const uint32_t* longer
        const int16_t* match
        const int16_t* state
        const uint8_t* groups_of
        uint32_t n_matches
        uint32_t n_pairs
        uint32_t groups
        uint32_t tags
        int32_t trans[36]
        int32_t start[6]
        double scale
    cdef cppclass CTagger "segmenter::Tagger":
        cbool portable
        void run(const TaggerModel& m, const void* text, int width, size_t n, vector[Piece]& out,
                 const uint8_t* marks) except + nogil
        void run_margins(const TaggerModel& m, const void* text, int width, size_t n,
                         vector[Piece]& out, vector[float]& margins,
                         const uint8_t* marks) except + nogil
        void emissions(const TaggerModel& m, const void* text, int width, size_t n,
                       vector[int16_t]& out) except + nogil
        uint64_t steps() noexcept nogil


cdef extern from "sound.hpp" namespace "segmenter":
    const char* lexicon_fault(const CLexicon& lex, size_t n_blocks, size_t n_marks, cbool outside,
                              uint32_t& most_cost) noexcept nogil
    const char* tagger_fault(const TaggerModel& m, uint32_t most_cost) noexcept nogil
    cbool has_empty(const NgramTable& table) noexcept nogil
    const int32_t MOST_SCORE "segmenter::kMostScore"


cdef extern from "tagging/train.hpp" namespace "segmenter":
    cdef cppclass TaggedCorpus:
        size_t sentences() noexcept nogil
        vector[uint16_t] ids
        void assign(const uint16_t* ids, const int64_t* offsets, size_t n_sentences,
                    const uint8_t* ends, const uint8_t* folds) except + nogil
    cdef struct TrainerOptions:
        uint32_t tags
        uint32_t uni_mask
        uint32_t bi_mask
        uint32_t groups
        uint32_t min_match
        uint32_t max_match
    cdef struct LexiconFeatures:
        Trie trie
        const int32_t* word_of_slot
        const int32_t* bigram_of_slot
        const uint16_t* uni_of_id
        const uint16_t* classes
        const uint8_t* groups_of_class
        uint32_t n_ids
        uint32_t n_bigrams
        uint32_t n_classes
        uint32_t n_folds
    void count_occurrences_of "segmenter::count_occurrences"(
        const Trie& trie, const int32_t* word_of_slot, const TaggedCorpus& c, uint32_t n_folds,
        int32_t* out) noexcept nogil
    cdef cppclass Trainer:
        Trainer(const TrainerOptions& options, const LexiconFeatures& lex) except +
        size_t rows() noexcept nogil
        float* weights() noexcept nogil
        size_t row_uni() noexcept nogil
        size_t row_state() noexcept nogil
        size_t row_match() noexcept nogil
        size_t row_bi() noexcept nogil
        void prepare(TaggedCorpus& c) except + nogil
        uint64_t perceptron_epoch(const TaggedCorpus& c, uint64_t seed) except + nogil
        void swap_average() except + nogil
        void forget_average() noexcept nogil
        double crf_epoch(const TaggedCorpus& c, uint64_t seed, double eta0, double eta1,
                         double decay) except + nogil
        void evaluate(const TaggedCorpus& c, uint8_t* out, uint64_t* counts) except + nogil
        void tag(const TaggedCorpus& c, uint8_t* tags) except + nogil


cdef extern from "lattice/lattice.hpp" namespace "segmenter":
    cdef enum class Want:
        kBare
        kEnds
        kWords
        kKinds


cdef extern from "subword/model.hpp" namespace "segmenter":
    cdef cppclass SubwordModel  # all of it in face/subword.pxi


cdef extern from "user/user.hpp" namespace "segmenter":
    cdef struct FoldTable:
        const uint16_t* bmp
        const uint32_t* astral
        size_t n_astral
    cdef struct UserField:
        cbool singles
        cbool there
    cdef cppclass CUserLayer "segmenter::UserLayer":
        uint32_t n
        int width
        const void* text
        const uint32_t* offsets
        const uint8_t* flags
        const int32_t* logs
        const double* weights
        const uint32_t* part_ids
        const uint32_t* part_first
        const uint32_t* parts
        size_t n_parts
        const uint32_t* dead
        size_t n_dead
        cbool line_ends
        UserField field[4]
        void identity(uint32_t id, uint64_t* out) noexcept nogil
    cdef cppclass CUserDictionary "segmenter::UserDictionary":
        vector[CUserLayer] layers
        FoldTable fold[4]
        int32_t log_mass
        double gain
    cdef struct UserMatch:
        uint32_t start
        uint32_t end
        uint32_t what
        uint8_t level
    cdef cppclass UserEdits:
        vector[UserMatch] spans
    cdef struct AtomFound:
        uint32_t start
        uint32_t end
        uint8_t name
        uint8_t how
        uint8_t kind
        uint32_t number
    cdef cppclass AtomFinder:
        vector[AtomFound] found
    cdef cppclass UserFinder:
        UserEdits edits
        const vector[UserMatch]& fixed() noexcept nogil
    cdef cppclass UserTables:
        UserTables()
        vector[uint32_t] filter
        vector[uint32_t] threes
        vector[uint32_t] words
        vector[uint32_t] stem_of
        vector[uint32_t] lengths
        vector[uint64_t] heads
        vector[uint64_t] stems
        cbool singles
    void build_user_field(const CUserLayer& layer, uint32_t f, const FoldTable& fold,
                          UserTables& out) except + nogil
    cbool attach_user_field(UserField& f, const uint32_t* filter, size_t n_filter,
                            const uint32_t* threes, size_t n_threes,
                            const uint64_t* heads, size_t n_heads,
                            const uint32_t* words, size_t n_words,
                            const uint64_t* stems, size_t n_stems,
                            const uint32_t* stem_of, size_t n_stem_of,
                            const uint32_t* lengths, size_t n_lengths) noexcept nogil
    cbool sound(const CUserLayer& layer) noexcept nogil
    uint32_t user_find(const CUserLayer& layer, uint32_t f, const FoldTable& fold,
                       const void* text, int width, size_t n) noexcept nogil


cdef extern from "lattice/unigram.hpp" namespace "segmenter":
    cdef struct Ends:
        const uint32_t* first
        size_t n


cdef extern from "engine.hpp" namespace "segmenter":
    double nat_of(const TaggerModel& m) noexcept nogil
    cbool reads_many(const Plan& plan) noexcept nogil
    cdef struct Plan:
        const CLexicon* lex
        const CNgramModel* model
        const TaggerModel* tagger
        const TaggerModel* guesser
        const SubwordModel* subwords
        int decoder
        cbool keep_unknown
        uint32_t skip
        const CUserDictionary* user
        const CAtomRules* atoms
        const CMarkedMap* marked
    cdef cppclass BestCut:
        int64_t cost
        vector[uint32_t] starts
        vector[uint32_t] ends
    cdef cppclass Worker:
        vector[Piece] pieces
        Ends column
        vector[Match] matches
        vector[float] margins
        const uint8_t* marks
        cbool want_margins
        Want want
        size_t dropped
        DagDecoder dag
        CTagger tagger
        UserFinder user
        AtomFinder atoms
        void run(const Plan& plan, const void* text, int width, size_t n,
                 cbool external) except + nogil
        cbool find_user(const Plan& plan, const void* text, int width, size_t n) except + nogil
        void whole(const Plan& plan, const void* text, int width, size_t n, cbool external,
                   cbool decided) except + nogil
        void nbest(const Plan& plan, const void* text, int width, size_t n, cbool external,
                   size_t count, vector[BestCut]& out) except + nogil
        void join_spans(const Plan& plan, const void* text, int width,
                        cbool external) except + nogil
        void tag_scores(const Plan& plan, const void* text, int width, size_t n,
                        vector[int32_t]& out) except + nogil
        uint64_t steps() noexcept nogil
    void segment_bytes(const Plan& plan, const char* data, size_t n, const char* sep,
                       size_t sep_n, int threads, vector[Worker*]& workers,
                       BytesResult& out) except + nogil
    cdef cppclass BytesResult:
        int64_t bad
        size_t size()
        void lend(char* memory, size_t n)
        cbool in_place()
        void copy(char* to) nogil
    cdef cppclass BatchText:
        BatchText()
        const void* data
        int width
        size_t length
        size_t first
        size_t count
        size_t dropped
        int worker
    cdef cppclass BatchResult:
        vector[vector[Piece]] pieces
    void segment_batch(const Plan& plan, vector[BatchText]& texts, int threads,
                       vector[Worker*]& workers, BatchResult& out) except + nogil


cdef extern from "column.hpp" namespace "segmenter":
    cdef cppclass ColumnText:
        const uint8_t* data
        size_t n
        const void* offsets
        cbool wide
        size_t rows
        const uint8_t* validity
        size_t validity_from
    cdef enum class ColumnFault:
        kNone
        kOffsets
        kUtf8
        kTooLong
    cdef cppclass ColumnCut:
        ColumnFault fault
        size_t fault_row
        int64_t fault_byte
        cbool copied
        size_t words
        size_t n_bytes
        void run(const Plan& plan, const ColumnText& column, int threads,
                 vector[Worker*]& workers, void* lists) except + nogil
        void take(const ColumnText& column, void* lists, void* ends,
                  char* bytes) except + nogil


cdef extern from "face/pyobjects.hpp" namespace "segmenter":
    cdef cppclass WordCache:
        cbool reserve(size_t n)
    cdef cppclass TextView:
        TextView()
        TextView(object text)
        const void* data
        int width
        size_t length
    object words_list(const TextView& text, const Piece* pieces, size_t n, size_t dropped,
                      WordCache& cache)
    object ends_column "segmenter::ends_array"(const Ends& column)
    object ends_array(const Piece* pieces, size_t n, size_t dropped)


cdef extern from "interrupt.hpp" namespace "segmenter":
    cdef cppclass Interrupt:
        Interrupt(cbool (*ask)() noexcept nogil) except +


cdef extern from "Python.h":
    int PyErr_CheckSignals()  # the exception of a signal's handler is set where it is -1
    int PyErr_CheckSignals_raise "PyErr_CheckSignals"() except -1
    void PyObject_GC_Track(PyObject* o)
    void PyObject_GC_UnTrack(PyObject* o)
    bytes PyBytes_FromStringAndSize(const char* v, Py_ssize_t n)
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)
    char* PyBytes_AS_STRING(object o)
    int _PyBytes_Resize(PyObject** o, Py_ssize_t n) except -1
    bint PyUnicode_CheckExact(object o)
    object PyUnicode_FromObject(object o)


cdef cbool asked() noexcept with gil:
    """Whether a long call is to end: a signal has come whose handler raised something."""
    return PyErr_CheckSignals() < 0


def crc32(data, uint32_t value=0, bint portable=False):
    """CRC-32 of a buffer, as ``zlib.crc32``; ``portable``: without vector instructions, for tests."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    cdef uint32_t out
    with nogil:
        out = Crc32.of(view.buf, <size_t>view.len, value, portable)
    PyBuffer_Release(&view)
    return out


def build_trie(const uint16_t[::1] ids, const int64_t[::1] offsets, const uint16_t[::1] costs,
               const uint64_t[::1] weights, uint32_t n_ids, uint32_t single_cost):
    """Double-array units and each word's slot, as bytes; see lexicon/double_array.hpp."""
    cdef TrieBuilder builder
    cdef size_t n = costs.shape[0]
    if offsets.shape[0] != <Py_ssize_t>n + 1 or weights.shape[0] != <Py_ssize_t>n or n == 0:
        raise ValueError("build_trie: lengths of offsets, costs and weights do not agree")
    with nogil:
        builder.build(&ids[0], &offsets[0], &costs[0], &weights[0], n, n_ids, single_cost)
    units = (<const char*>builder.units.data())[:builder.units.size() * 8]
    slots = (<const char*>builder.slot_of_word.data())[:builder.slot_of_word.size() * 4]
    return units, slots


def pair_filter(const uint64_t[::1] units, uint32_t n_ids):
    """The filter of pairs of characters that goes with the units of a trie, as bytes."""
    if units.shape[0] < n_ids:
        raise ValueError("pair_filter: fewer units than character ids")
    cdef vector[uint32_t] table
    with nogil:
        table = PairFilter.of(&units[0], units.shape[0], n_ids)
    return (<const char*>table.data())[:table.size() * 4]


cdef class Variants:
    """The tables of variants.py as the kernels take them.

    ``plain_from`` and ``plain_to`` go together; an entry of ``kept`` and ``open`` is a character
    and its readings.
    """

    cdef VariantTable table

    def __init__(self, str plain_from not None, str plain_to not None, kept, open):
        cdef VariantEntry entry
        if len(plain_from) != len(plain_to):
            raise ValueError("Variants: plain_from and plain_to differ in length")
        for target, variant in sorted(zip(plain_to, plain_from)):
            self.table.plain.push_back(pair[uint32_t, uint32_t](<uint32_t>ord(variant), <uint32_t>ord(target)))
        for word in sorted((*kept, *open)):
            entry.cp = <uint32_t>ord(word[0])
            entry.kept = word in kept
            entry.readings.clear()
            for c in word[1:]:
                entry.readings.push_back(<uint32_t>ord(c))
            self.table.several.push_back(entry)
        for p in self.table.plain:
            if p.first > 0xFFFF or p.second > 0xFFFF:
                raise ValueError("Variants: characters of the basic plane only")
        for entry in self.table.several:
            if entry.cp > 0xFFFF or entry.readings.empty() or entry.readings.size() > 3:
                raise ValueError("Variants: a character of the basic plane and one to three readings")
            for cp in entry.readings:
                if cp > 0xFFFF:
                    raise ValueError("Variants: characters of the basic plane only")


cdef class OtherTrie:
    """Asks for words that stand in another trie than the kernels': ``longest(ids, k)`` is what
    Variants::settle asks of the words in ``ids`` that take in position ``k``."""

    cdef object longest
    cdef object error


cdef uint32_t longest_word(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept:
    cdef OtherTrie trie = <OtherTrie>of
    try:
        return trie.longest(PyUnicode_FromKindAndData(2, ids, n), k)
    except BaseException as error:  # raised again by whoever asked
        trie.error = error
        return 0


cdef class Lexicon:
    """A compiled lexicon as the kernels read it; keeps the buffers it points into alive.

    ``variants``: of Han characters, folded where text is looked up; None: none are.  ``longest``: of
    a lexicon whose words are in another trie, see OtherTrie; its sections have their costs.
    """

    cdef CLexicon lex
    cdef CVariants* _variants
    cdef WordCache cache
    cdef list _buffers
    cdef object _costs, _letters
    cdef object _longest
    cdef uint32_t most_cost  # of a word of two characters and more
    cdef object _marked  # the MarkedMap that was made last, see face/atoms.pxi

    def __dealloc__(self):
        del self._variants

    def __init__(self, sections, Variants variants=None, longest=None):
        self._buffers = []
        self._longest = longest
        cdef const uint32_t[::1] params = self._view(sections["params"]).cast("I")
        cdef const uint16_t[::1] bmp = self._view(sections["charmap.bmp"]).cast("H")
        cdef const uint16_t[::1] pages = self._view(sections["charmap.pages"]).cast("H")
        cdef const uint16_t[::1] blocks = self._view(sections["charmap.blocks"]).cast("H")
        cdef const uint8_t[::1] classes = self._view(sections["charmap.classes"])
        cdef const uint64_t[::1] units = self._view(sections["trie.units"]).cast("Q")
        cdef const uint64_t[::1] terminal = self._view(sections["words.terminal"]).cast("Q")
        cdef const uint32_t[::1] rank = self._view(sections["words.rank"]).cast("I")
        cdef const uint32_t[::1] pairs
        if "trie.filter" in sections:  # a tagger has none: it never looks at single pairs
            pairs = self._view(sections["trie.filter"]).cast("I")
            if pairs.shape[0] == 0 or not self.lex.trie.pairs.attach(&pairs[0], pairs.shape[0]):
                raise ValueError("the filter of pairs is no table of 2**k words")
        if (params.shape[0] != 45 or bmp.shape[0] != 65536 or pages.shape[0] != 4096
                or params[0] != <uint32_t>classes.shape[0] or not 0 < units.shape[0] < 1 << 25
                or blocks.shape[0] == 0 or classes.shape[0] == 0 or terminal.shape[0] == 0
                or rank.shape[0] != terminal.shape[0]):
            raise ValueError("sections of a lexicon do not fit together")
        cdef CLexicon* lex = &self.lex
        cdef int i
        lex.map.bmp = &bmp[0]
        lex.map.astral_page = &pages[0]
        lex.map.astral_block = &blocks[0]
        lex.trie.units = &units[0]
        lex.trie.n_units = <uint32_t>units.shape[0]
        lex.trie.n_ids = params[0]
        lex.id_class = &classes[0]
        lex.n_special = params[1]
        lex.n_runs = params[7] if params[7] else params[1]
        lex.max_word = params[2]
        lex.unknown_cost = params[3]
        lex.n_words = params[4]
        lex.numbers = params[5] != 0
        for i in range(9):
            lex.kind_cost[i] = params[8 + i]
            if lex.kind_cost[i] > 0xFFFE:
                raise ValueError("the cost of a kind of runs is out of range")
        if lex.unknown_cost > 0xFFFE:
            raise ValueError("the cost of an unknown character is out of range")
        cdef uint32_t* rules = &lex.rules.zero
        for i in range(28):
            rules[i] = params[17 + i]
        lex.terminal = &terminal[0]
        lex.rank = &rank[0]
        if longest is not None:
            self._costs = self._view(sections["words.costs"]).cast("H")
            if len(self._costs) != lex.n_words:
                raise ValueError("sections of a lexicon do not fit together")
        cdef const char* fault = lexicon_fault(lex[0], blocks.shape[0], terminal.shape[0],
                                               longest is not None, self.most_cost)
        if fault != NULL:
            raise ValueError(fault.decode())
        lex.spelling = lex.map
        if variants is not None and params[5] != 0 and self._variants == NULL:
            self._variants = new CVariants(variants.table, lex.map)
            lex.map = self._variants.map
            lex.variants = self._variants
        lex.prepare()
        if not self.cache.reserve(units.shape[0]):
            raise MemoryError

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view

    @property
    def n_words(self):
        return self.lex.n_words

    @property
    def max_word(self):
        return self.lex.max_word

    @property
    def unknown_cost(self):
        return self.lex.unknown_cost

    def find(self, str word not None):
        """Number of a word (folded here), -1 if it is none."""
        cdef uint32_t slot = 0, id
        cdef Py_ssize_t i
        cdef TextView* view
        cdef vector[uint16_t] ids
        if self.lex.variants != NULL:
            view = new TextView(word)
            try:
                self._encode(view, ids)
            finally:
                del view
        for i in range(len(word)):
            id = ids[i] if ids.size() else self.lex.map(<uint32_t>ord(word[i])) & 0x7FFF
            if i == 0:
                slot = id
            else:
                slot = self.lex.trie.child(slot, id)
            if slot == 0:
                return -1
        if slot == 0 or not self.lex.is_word(slot):
            return -1
        return self.lex.word_id(slot)

    def cost(self, str word not None):
        """Cost of a word in kernel units, -1 if it is none."""
        number = self.find(word)
        return -1 if number < 0 else int(self.word_costs()[number])

    def word_costs(self):
        """Costs by word number, a read-only view of uint16."""
        cdef vector[uint16_t] costs
        if self._costs is None:
            with nogil:
                c_word_costs(self.lex, costs)
            raw = (<const char*>costs.data())[:costs.size() * 2]
            self._costs = memoryview(raw).cast("H")
        return self._costs

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that look-ups see.

        Characters that stand in no word of the lexicon stay as they are.
        """
        cdef TextView* view = new TextView(text)
        cdef vector[uint16_t] ids
        try:
            self._encode(view, ids)
        finally:
            del view
        return self.spelt(text, ids)

    cdef object spelt(self, str text, const vector[uint16_t]& ids):
        """The canonical characters of ``ids``, those of ``text`` where an id stands for many."""
        cdef vector[uint32_t] out
        cdef Py_ssize_t k
        cdef uint32_t letter
        cdef const uint32_t[::1] letters = self._canon()
        out.resize(ids.size())
        for k in range(len(text)):
            letter = letters[ids[k]]
            out[k] = letter if letter else <uint32_t>ord(text[k])
        return PyUnicode_FromKindAndData(4, out.data(), <Py_ssize_t>out.size())

    def encode(self, str text not None):
        """``text`` as character ids, each id a code point of the result (all are below 0x8000).

        Characters that stand in no word have ids that stand in no word.
        """
        cdef TextView* view = new TextView(text)
        cdef vector[uint16_t] ids
        try:
            self._encode(view, ids)
            return PyUnicode_FromKindAndData(2, ids.data(), <Py_ssize_t>ids.size())
        finally:
            del view

    cdef int _encode(self, TextView* view, vector[uint16_t]& ids) except -1:
        cdef OtherTrie trie
        ids.resize(view.length)
        if self._longest is None:
            encode(self.lex, view.data, view.width, view.length, ids.data())
            return 0
        trie = OtherTrie()
        trie.longest = self._longest
        encode_by(self.lex, view.data, view.width, view.length, ids.data(), longest_word,
                  <void*>trie)
        if trie.error is not None:
            raise trie.error
        return 0

    def decode(self, str ids not None):
        """A word from its character ids as :meth:`encode` gives them."""
        cdef const uint32_t[::1] letters = self._canon()
        cdef Py_ssize_t id
        out = []
        for c in ids:
            id = ord(c)
            if id >= letters.shape[0]:
                raise ValueError("a word has a character that is not there")
            out.append(chr(letters[id]))
        return "".join(out)

    cdef object _canon(self):
        cdef vector[uint32_t] table
        if self._letters is None:
            table = letters(self.lex)
            raw = (<const char*>table.data())[:table.size() * 4]
            self._letters = memoryview(raw).cast("I")
        return self._letters

    def items(self):
        """All words in the order of their numbers."""
        return self._words(False)

    def encoded_items(self):
        """All words as :meth:`encode` gives them, in the order of their numbers."""
        return self._words(True)

    cdef list _words(self, bint as_ids):
        cdef vector[uint16_t] ids
        cdef vector[size_t] offsets
        cdef vector[uint32_t] text
        cdef const uint32_t[::1] letters = self._canon()
        cdef size_t i
        with nogil:
            spell(self.lex, ids, offsets)
        if not as_ids:
            text.resize(ids.size())
            for i in range(ids.size()):
                text[i] = letters[ids[i]]
        cdef list words = []
        for i in range(offsets.size() - 1):
            if as_ids:
                words.append(PyUnicode_FromKindAndData(
                    2, ids.data() + offsets[i], <Py_ssize_t>(offsets[i + 1] - offsets[i])))
            else:
                words.append(PyUnicode_FromKindAndData(
                    4, text.data() + offsets[i], <Py_ssize_t>(offsets[i + 1] - offsets[i])))
        return words

    def find_words(self, str text not None):
        """All words in ``text`` by the trie, by start, then by end: uint32 triples (start, end,
        number) as bytes."""
        cdef TextView* view = new TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] out
        cdef Interrupt* call = NULL
        try:
            call = new Interrupt(asked)
            with nogil:
                ids.resize(view.length)
                encode(self.lex, view.data, view.width, view.length, ids.data())
                c_find_words(self.lex, ids.data(), ids.size(), out)
            return (<const char*>out.data())[:out.size() * sizeof(Found)]
        finally:
            del call
            del view


cdef class NgramModel:
    """Back-off tables over the word numbers of one lexicon; see lattice/ngram.hpp."""

    cdef CNgramModel model
    cdef list _buffers

    def __init__(self, sections, uint32_t n_words):
        self._buffers = []
        cdef const uint16_t[::1] weights = self._view(sections["ngram.weights"]).cast("H")
        cdef const uint64_t[::1] bigrams = self._view(sections["ngram.bigrams"]).cast("Q")
        cdef const uint64_t[::1] trigrams = self._view(sections["ngram.trigrams"]).cast("Q")
        cdef const uint32_t[::1] params = self._view(sections["ngram.params"]).cast("I")
        if (weights.shape[0] != <Py_ssize_t>n_words + 10 or bigrams.shape[0] == 0
                or params.shape[0] != 4):
            raise ValueError("sections of an n-gram model do not fit the lexicon")
        self.model.n_words = n_words
        self.model.weights = &weights[0]
        self.model.boundary_cost = params[0]
        self.model.bigrams.records = &bigrams[0]
        self.model.bigrams.capacity = <uint32_t>bigrams.shape[0]
        if trigrams.shape[0]:
            self.model.trigrams.records = &trigrams[0]
        self.model.trigrams.capacity = <uint32_t>trigrams.shape[0]
        if not has_empty(self.model.bigrams) or not has_empty(self.model.trigrams):
            raise ValueError("a table of n-grams is full: no look-up in it would end")

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view


def ngram_table(const uint64_t[::1] keys, const uint16_t[::1] costs, const uint8_t[::1] weights,
                uint32_t capacity):
    """Records of an open-addressing table and where each key went, as bytes; see lattice/ngram.hpp."""
    cdef Py_ssize_t i, n = keys.shape[0]
    if costs.shape[0] != n or weights.shape[0] != n or capacity <= <uint64_t>n:
        raise ValueError("ngram_table: lengths do not agree or no room")
    cdef vector[uint64_t] records
    cdef vector[uint32_t] places
    records.assign(capacity, ~<uint64_t>0)
    places.resize(n)
    cdef uint32_t at
    for i in range(n):
        at = NgramTable.home(keys[i], capacity)
        while records[at] != ~<uint64_t>0:
            at += 1
            if at == capacity:
                at = 0
        records[at] = keys[i] << 24 | <uint64_t>costs[i] << 8 | weights[i]
        places[i] = at
    return ((<const char*>records.data())[:records.size() * 8],
            (<const char*>places.data())[:places.size() * 4])


DECODERS = ("unigram", "forward-max", "backward-max", "bidirectional-max", "shortest",
            "n-shortest", "bigram", "trigram")


cdef inline object plain(object text):
    """``text`` as a str and nothing but a str: subclasses are copied."""
    if PyUnicode_CheckExact(text):
        return text
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    return PyUnicode_FromObject(text)


include "face/tagger.pxi"
include "face/bilstm.pxi"
include "face/subword.pxi"
include "face/user.pxi"
include "face/pos.pxi"
include "face/atoms.pxi"


TAGGED = 8  # Engine's decoder: the tagger it is given
cdef float NO_OTHER_WAY = kNoOtherWay


cdef class WorkerPool:
    """Working memory that no call is using; engines over the same words share one."""

    cdef vector[Worker*] idle

    def __dealloc__(self):
        for worker in self.idle:
            del worker


cdef class Engine:
    """One decoder over one lexicon.  Immutable; calls from any thread.

    ``matcher``, if given, is called with a text and returns a buffer of uint32 triples (start,
    end, word number), by start, then by end: the words it found, instead of the trie's.
    ``tagger`` decodes if ``decoder`` is TAGGED; ``guesser`` cuts what a lattice leaves in single
    characters, ``subwords`` that, or what the tagger's lexicon does not know.  ``portable``: the
    taggers' path without vector instructions, for tests.
    ``user`` holds the user's words, whose weights are counts beside those of a lexicon whose counts
    sum up to exp(``log_mass`` / 2048).  ``atoms``: what is looked for before decoding.  ``like`` is an
    engine to share working memory with.
    """

    cdef Lexicon lexicon
    cdef NgramModel ngrams
    cdef TaggerWeights tagger, guesser
    cdef Subwords subwords
    cdef CNgramModel no_model
    cdef Plan plan
    cdef object matcher
    cdef WordCache numbered  # an outside matcher's words: their pieces hold numbers, not slots
    cdef WordCache* cache
    cdef bint portable
    cdef UserWords user
    cdef CUserDictionary words
    cdef AtomRules atoms
    cdef MarkedMap marked
    cdef WorkerPool pool
    cdef vector[Worker*]* idle

    def __init__(self, Lexicon lexicon, int decoder=0, NgramModel ngrams=None,
                 bint keep_unknown=False, uint32_t skip=0, matcher=None,
                 TaggerWeights tagger=None, TaggerWeights guesser=None, bint portable=False,
                 Subwords subwords=None,
                 UserWords user=None, int32_t log_mass=0, Engine like=None,
                 AtomRules atoms=None):
        if not 0 <= decoder <= 8:
            raise ValueError("decoder out of range")
        if 6 <= decoder < 8 and ngrams is None:
            raise ValueError("this decoder needs an n-gram model")
        if (decoder == 8) != (tagger is not None):
            raise ValueError("a tagger goes with the decoder TAGGED")
        if tagger is not None:
            lexicon = tagger.lexicon
        if lexicon is None:
            raise TypeError("lexicon must not be None")
        self.lexicon = lexicon
        self.ngrams = ngrams
        self.tagger = tagger
        self.guesser = guesser
        self.no_model.n_words = lexicon.lex.n_words
        self.plan.lex = &lexicon.lex
        self.plan.model = &self.no_model if ngrams is None else &ngrams.model
        if tagger is not None:
            self.plan.tagger = &tagger.model
        if guesser is not None:
            self.plan.guesser = &guesser.model
        self.subwords = subwords
        if subwords is not None:
            self.plan.subwords = subwords.model
        self.plan.decoder = decoder
        self.plan.keep_unknown = keep_unknown
        self.plan.skip = skip
        self.portable = portable
        self.matcher = matcher
        self.cache = &lexicon.cache
        if tagger is not None:
            self.cache = &tagger.cache
        if matcher is not None:
            if not self.numbered.reserve(<size_t>lexicon.lex.n_words + 1):
                raise MemoryError
            self.cache = &self.numbered
        if user is not None:
            self.user = user
            self.words = user.words
            self.words.log_mass = log_mass
            if tagger is not None:
                self.words.gain = nat_of(tagger.model)
            self.plan.user = &self.words
        self.atoms = atoms
        if atoms is not None and (atoms.rules.any or atoms.rules.patterns.any()):
            self.plan.atoms = &atoms.rules
            if decoder == 0:  # unigram
                self.marked = marked_map(lexicon, atoms)
                if self.marked is not None:
                    self.plan.marked = self.marked.map
        self.pool = WorkerPool() if like is None else like.pool
        self.idle = &self.pool.idle

    cdef Worker* acquire(self) except NULL:
        # guarded by the GIL; a re-entrant call (a finalizer run while a list is made) finds the
        # pool empty and gets a worker of its own
        cdef Worker* worker
        if self.idle.empty():
            worker = new Worker()
        else:
            worker = self.idle.back()
            self.idle.pop_back()
        worker.tagger.portable = self.portable
        return worker

    cdef int mark(self, Worker* worker, object marks, size_t n) except -1:
        """Forced (1) and forbidden (2) boundaries before each character, for the tagger."""
        worker.marks = NULL
        worker.want_margins = False
        if marks is None:
            return 0
        cdef const uint8_t[::1] view = marks
        if self.tagger is None:
            raise ValueError("marks: this decoder is no tagger")
        if <size_t>view.shape[0] != n:
            raise ValueError("marks: one byte a character is wanted")
        if n:
            worker.marks = &view[0]
        return 0

    cdef int find(self, Worker* worker, str text) except -1:
        """Lets the outside matcher, if there is one, find the words."""
        worker.matches.clear()
        if self.matcher is None:
            return 0
        cdef const uint32_t[::1] found = memoryview(self.matcher(text)).cast("B").cast("I")
        cdef const uint16_t[::1] costs = self.lexicon.word_costs()
        cdef Py_ssize_t i
        cdef Match m
        cdef uint32_t last = 0
        for i in range(0, found.shape[0] - 2, 3):
            m.start = found[i]
            m.end = found[i + 1]
            if (m.start < last or m.end <= m.start or m.end > <size_t>len(text)
                    or m.end - m.start > self.lexicon.lex.max_word
                    or found[i + 2] >= self.lexicon.lex.n_words):
                raise ValueError("matcher: matches out of order or out of range")
            last = m.start
            m.cost = costs[found[i + 2]]
            m.slot = found[i + 2] + 1
            worker.matches.push_back(m)
        return 0

    cdef int run(self, Worker* worker, TextView* view, str text) except -1:
        cdef bint external = self.matcher is not None
        if view.length > 0x7FFFFFFF // 8:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        if external:
            self.find(worker, text)
        cdef Interrupt* call
        if view.length > 16384:
            call = new Interrupt(asked)
            try:
                with nogil:
                    worker.run(self.plan, view.data, view.width, view.length, external)
            finally:
                del call
        else:
            worker.run(self.plan, view.data, view.width, view.length, external)
        return 0

    @property
    def external(self):
        """Whether a matcher outside the kernels finds the words."""
        return self.matcher is not None

    def cut_marked(self, text, marks):
        """As ``cut`` under the caller's marks, one byte a character; for taggers."""
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        try:
            self.mark(worker, marks, view.length)
            self.run(worker, view, text)
            return words_list(view[0], worker.pieces.data(), worker.pieces.size(),
                              worker.dropped, self.cache[0])
        finally:
            worker.marks = NULL
            del view
            self.idle.push_back(worker)

    def cut(self, text):
        """Words of ``text``, a ``list[str]``."""
        return self.words_of(text)

    def ends(self, text):
        """Exclusive ends of the words of ``text``, int32."""
        return self.ends_of(text)

    cdef object words_of(self, text):
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView view = TextView(text)
        try:
            self.run(worker, &view, text)
            return words_list(view, worker.pieces.data(), worker.pieces.size(),
                              worker.dropped, self.cache[0])
        finally:
            self.idle.push_back(worker)

    cdef object ends_of(self, text):
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView view = TextView(text)
        try:
            worker.want = Want.kBare
            self.run(worker, &view, text)
            if worker.column.first != NULL:
                return ends_column(worker.column)
            return ends_array(worker.pieces.data(), worker.pieces.size(), worker.dropped)
        finally:
            worker.want = Want.kWords
            self.idle.push_back(worker)

    def pieces(self, text, marks=None):
        """Starts, ends, kinds, word numbers (-1: none) and, of a tagger, margins of the words.

        Five lists; the last is empty where a lattice decodes, and has None where runs or marks leave
        no other way.
        """
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        cdef uint32_t start = 0
        cdef size_t i
        cdef Piece piece
        starts, ends, kinds, words, margins = [], [], [], [], []
        try:
            self.mark(worker, marks, view.length)
            worker.want_margins = self.tagger is not None
            worker.want = Want.kKinds
            self.run(worker, view, text)
            for i in range(worker.pieces.size()):
                if i % 65536 == 65535:
                    PyErr_CheckSignals_raise()
                piece = worker.pieces[i]
                if not piece.what & 0x40000000:
                    starts.append(start)
                    ends.append(piece.end)
                    kinds.append(piece.what >> 24 & 0x3F)
                    words.append(self._number(piece.what))
                    if worker.want_margins:
                        margins.append(worker.margins[i] if worker.margins[i] < NO_OTHER_WAY
                                       else None)
                start = piece.end
        finally:
            worker.marks = NULL
            worker.want_margins = False
            worker.want = Want.kWords
            del view
            self.idle.push_back(worker)
        return starts, ends, kinds, words, margins

    cdef object _number(self, uint32_t what):
        cdef uint32_t slot = what & 0xFFFFFF
        if what >> 24 & 0x3F >= 9:  # the user's words have the entry's number, atoms their pattern's
            return slot
        if what >> 24 & 0x3F or slot == 0 or self.tagger is not None:
            return -1
        if self.matcher is not None:
            return slot - 1
        return self.lexicon.lex.word_id(slot)

    def steps(self, text):
        """Work that the kernels did for ``text``: look-ups, relaxed edges, moved cells."""
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        try:
            self.run(worker, view, text)
            return worker.steps()
        finally:
            del view
            self.idle.push_back(worker)

    def atoms_of(self, text):
        """The atoms that take effect in ``text``: [(start, end, rule, 1 kept or 2 split), …].

        Rules are numbers of ``segmenter.atoms.NAMES``.
        """
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView view = TextView(text)
        cdef AtomFound atom
        try:
            worker.find_user(self.plan, view.data, view.width, view.length)
            return [(atom.start, atom.end, atom.name, atom.how) for atom in worker.atoms.found]
        finally:
            self.idle.push_back(worker)

    def dag(self, text, bint decided=False):
        """The word DAG: columns start, end, cost, token, kind as bytes of uint32.

        Kinds from 32 on are the user's words; their token is the entry's number.  ``decided``:
        without what the user's words and atoms rule out, these at no cost; else all there are.
        """
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        cdef vector[uint32_t] columns[5]
        cdef Edge edge
        cdef Interrupt* call = NULL
        cdef bint external = self.matcher is not None
        try:
            self.find(worker, text)
            call = new Interrupt(asked)
            with nogil:
                worker.whole(self.plan, view.data, view.width, view.length, external, decided)
                if decided:
                    worker.join_spans(self.plan, view.data, view.width, external)
            for edge in worker.dag.dag().edges:
                columns[0].push_back(edge.start)
                columns[1].push_back(edge.end)
                columns[2].push_back(edge.cost)
                columns[3].push_back(edge.what & 0xFFFFFF if edge.what >> 24 & 0x3F >= 32
                                     else edge.token)
                columns[4].push_back(edge.what >> 24 & 0x3F)
            return tuple([
                (<const char*>columns[i].data())[:columns[i].size() * 4] for i in range(5)
            ])
        finally:
            del call
            del view
            self.idle.push_back(worker)

    def tag_scores(self, text):
        """Scores of the tags at every character, of beginning and of transitions; the scale.

        Returns:
            ``(tags, scale, start, trans, scores)``; the last three as bytes of int32, ``tags``,
            ``tags * tags`` (from, to) and ``len(text) * tags`` of them, in units of 1/scale.
        """
        text = plain(text)
        if self.tagger is None:
            raise ValueError("tag_scores: a lattice has none")
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        cdef const TaggerModel* m = self.plan.tagger
        cdef vector[int32_t] out
        cdef Interrupt* call = NULL
        try:
            call = new Interrupt(asked)
            with nogil:
                worker.tag_scores(self.plan, view.data, view.width, view.length, out)
            return (m.tags, m.scale, (<const char*>m.start)[:m.tags * 4],
                    (<const char*>m.trans)[:m.tags * m.tags * 4],
                    (<const char*>out.data())[:out.size() * 4])
        finally:
            del call
            del view
            self.idle.push_back(worker)

    def nbest(self, text, uint32_t n):
        """The n best cuts: a list of (starts, ends, cost), costs in kernel units, or a tagger's own."""
        text = plain(text)
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        cdef vector[BestCut] cuts
        cdef size_t i
        cdef Interrupt* call = NULL
        cdef bint external = self.matcher is not None
        cdef double unit = 1 if self.tagger is None else self.plan.tagger.scale
        try:
            self.find(worker, text)
            call = new Interrupt(asked)
            with nogil:
                worker.nbest(self.plan, view.data, view.width, view.length, external, n, cuts)
            out = []
            for i in range(cuts.size()):
                PyErr_CheckSignals_raise()
                out.append((cuts[i].starts, cuts[i].ends, cuts[i].cost / unit))
            return out
        finally:
            del call
            del view
            self.idle.push_back(worker)

    def cut_bytes(self, data, bytes sep not None, int threads=1):
        """UTF-8 in, UTF-8 out; see ``Segmenter.cut_bytes``.  (result, -1) or (None, bad offset)."""
        if self.matcher is not None:
            raise ValueError("bytes are cut by the lexicon's own trie only")
        cdef Py_buffer view
        cdef vector[Worker*] workers
        cdef BytesResult result
        cdef const char* sep_data = PyBytes_AS_STRING(sep)
        cdef size_t sep_n = len(sep)
        cdef char* to
        cdef int i
        cdef PyObject* raw
        cdef Interrupt* call = NULL
        cdef bytes lent = None
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            call = new Interrupt(asked)
            for i in range(threads):
                workers.push_back(self.acquire())
            if threads == 1:
                # a word of Chinese text is 4 to 5 bytes long: room for one separator in 2 bytes
                lent = PyBytes_FromStringAndSize(
                    NULL, view.len + view.len // 2 * <Py_ssize_t>sep_n + 64)
                result.lend(PyBytes_AS_STRING(lent), <size_t>len(lent))
            with nogil:
                segment_bytes(self.plan, <const char*>view.buf, <size_t>view.len, sep_data, sep_n,
                              threads, workers, result)
            if result.bad >= 0:
                return None, result.bad
            if result.in_place():
                raw = <PyObject*>lent
                Py_INCREF(lent)
                lent = None
                if _PyBytes_Resize(&raw, <Py_ssize_t>result.size()) < 0:
                    return None, -1
                out = <object>raw
                Py_DECREF(out)
                return out, -1
            lent = None
            out = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>result.size())
            to = PyBytes_AS_STRING(out)
            with nogil:
                result.copy(to)
            return out, -1
        finally:
            del call
            PyBuffer_Release(&view)
            for worker in workers:
                self.idle.push_back(worker)

    def cut_column(self, data, offsets, validity, size_t validity_from, int threads=1):
        """The words of a column; see ``Segmenter.cut_column``.

        ``offsets`` is a buffer of int32 or int64, rows + 1 of them.  (offsets of the lists, offsets
        of the words, their bytes or None for ``data``), or (fault, row, byte).
        """
        from numpy import empty

        cdef ColumnText column
        cdef ColumnCut cut
        cdef vector[Worker*] workers
        cdef const uint8_t[::1] bytes_of = memoryview(data).cast("B")
        cdef const uint8_t[::1] bits
        cdef const int32_t[::1] narrow
        cdef const int64_t[::1] wide
        cdef uint8_t[::1] lists_to, words_to
        cdef char* bytes_to = NULL
        cdef int i
        if self.matcher is not None:
            raise ValueError("columns are cut by the lexicon's own trie only")
        column.n = bytes_of.shape[0]
        column.data = &bytes_of[0] if column.n else NULL
        column.wide = offsets.itemsize == 8
        if column.wide:
            wide = offsets
            column.rows = wide.shape[0] - 1
            column.offsets = &wide[0]
        else:
            narrow = offsets
            column.rows = narrow.shape[0] - 1
            column.offsets = &narrow[0]
        column.validity = NULL
        column.validity_from = validity_from
        if validity is not None:
            bits = memoryview(validity).cast("B")
            if <size_t>bits.shape[0] * 8 < validity_from + column.rows:
                raise ValueError("validity: fewer bits than rows")
            if column.rows:
                column.validity = &bits[0]
        lists = empty(column.rows + 1, offsets.dtype)
        lists_to = lists.view("u1")
        cdef Interrupt* call = new Interrupt(asked)
        try:
            for i in range(threads):
                workers.push_back(self.acquire())
            with nogil:
                cut.run(self.plan, column, threads, workers, &lists_to[0])
        finally:
            del call
            for worker in workers:
                self.idle.push_back(worker)
        if cut.fault == ColumnFault.kOffsets:
            return "offsets", cut.fault_row, 0
        if cut.fault == ColumnFault.kUtf8:
            return "utf8", cut.fault_row, cut.fault_byte
        if cut.fault == ColumnFault.kTooLong:
            return "length", cut.fault_row, 0
        words = empty(cut.words + 1, offsets.dtype)
        words_to = words.view("u1")
        copied = None
        if cut.copied:
            copied = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>cut.n_bytes)
            bytes_to = PyBytes_AS_STRING(copied)
        with nogil:
            cut.take(column, &lists_to[0], &words_to[0], bytes_to)
        return lists, words, copied

    def cut_batch(self, texts, int threads=1):
        """``[cut(t) for t in texts]`` by native threads, order kept."""
        # a list of the caller's could change while the GIL is released
        cdef list held = list(texts)
        cdef list out = []
        cdef vector[Worker*] workers
        cdef vector[BatchText] batch
        cdef BatchResult result
        cdef BatchText item
        cdef TextView* view
        cdef Py_ssize_t i
        for i in range(len(held)):
            if type(held[i]) is not str:
                if not isinstance(held[i], str):
                    raise TypeError(f"texts: item {i} is {type(held[i]).__name__}, not str")
                held[i] = plain(held[i])
        cdef Interrupt* call = NULL
        try:
            if self.matcher is not None or (threads == 1 and not reads_many(self.plan)):
                for i in range(len(held)):
                    if i % 256 == 255:
                        PyErr_CheckSignals_raise()
                    words = self.cut(held[i])
                    # The lists hold strings only, so nothing in them can be collected: the collector need
                    # not know of them before they are handed out.  It would go through all of them again
                    # and again, which takes longer than cutting.
                    PyObject_GC_UnTrack(<PyObject*>words)
                    out.append(words)
                return out
            call = new Interrupt(asked)
            batch.resize(len(held))
            for i in range(len(held)):
                view = new TextView(held[i])
                batch[i].data = view.data
                batch[i].width = view.width
                batch[i].length = view.length
                del view
            for _ in range(threads):
                workers.push_back(self.acquire())
            with nogil:
                segment_batch(self.plan, batch, threads,
                              workers, result)
            for i in range(len(held)):
                item = batch[i]
                if i % 256 == 255:
                    PyErr_CheckSignals_raise()
                view = new TextView(held[i])
                try:
                    words = words_list(
                        view[0], result.pieces[item.worker].data() + item.first, item.count,
                        item.dropped, self.cache[0])
                finally:
                    del view
                PyObject_GC_UnTrack(<PyObject*>words)
                out.append(words)
            return out
        finally:
            del call
            for worker in workers:
                self.idle.push_back(worker)
            for i in range(len(out)):
                PyObject_GC_Track(<PyObject*>out[i])


def dag_paths(uint32_t n, const uint32_t[::1] start, const uint32_t[::1] end,
              const uint32_t[::1] cost, int decoder, uint32_t k=0):
    """Paths of a DAG given by its edges, sorted by start and end: [(edge numbers, cost), …].

    k = 0: the decoder's own path with cost 0; else the k best.  The n-gram decoders need words
    and are not for this door.
    """
    cdef Worker worker
    cdef Dag* dag = &worker.dag.dag()
    cdef Edge edge
    cdef Py_ssize_t i
    cdef vector[Path] paths
    cdef Path path
    cdef CNgramModel model
    if not 0 <= decoder < 6:
        raise ValueError("decoder out of range")
    dag.n = n
    for i in range(start.shape[0]):
        edge.start = start[i]
        edge.end = end[i]
        edge.cost = cost[i]
        edge.token = 0
        edge.what = 0
        dag.edges.push_back(edge)
    dag.index()
    if k == 0:
        worker.dag.decode(model, <CDecoder>decoder, True)
        edges = []
        for i in range(<Py_ssize_t>worker.dag.path().size()):
            edges.append(worker.dag.path()[i])
        return [(edges, 0)]
    worker.dag.paths(model, <CDecoder>decoder, k, True, paths)
    return [([e for e in path.edges], path.cost) for path in paths]


cdef class AhoCorasick:
    """The automaton over a lexicon's double array; see lexicon/aho_corasick.hpp.  Immutable."""

    cdef Lexicon lexicon
    cdef CAhoCorasick automaton

    def __init__(self, Lexicon lexicon not None):
        self.lexicon = lexicon
        with nogil:
            self.automaton.build(lexicon.lex)

    def find(self, str text not None, bint by_end=False):
        """All words in ``text``: uint32 triples (start, end, number) as bytes.

        By start, then by end; ``by_end``: as the automaton meets them, by end, longest first.
        """
        cdef TextView* view = new TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] out
        try:
            with nogil:
                ids.resize(view.length)
                encode(self.lexicon.lex, view.data, view.width, view.length, ids.data())
                if by_end:
                    self.automaton.scan(self.lexicon.lex, ids.data(), ids.size(), out)
                else:
                    self.automaton.find(self.lexicon.lex, ids.data(), ids.size(), out)
            return (<const char*>out.data())[:out.size() * sizeof(Found)]
        finally:
            del view

    def state(self, str prefix not None):
        """State that spelling ``prefix`` from the root leads to; -1 if it begins no word."""
        cdef uint32_t slot = 0, id
        cdef Py_ssize_t i
        for i in range(len(prefix)):
            id = self.lexicon.lex.map(<uint32_t>ord(prefix[i])) & 0x7FFF
            slot = id if i == 0 else self.lexicon.lex.trie.child(slot, id)
            if slot == 0:
                return -1
        if slot and not self.automaton.begins_word(self.lexicon.lex, slot):
            return -1
        return slot

    def links(self, uint32_t state):
        """Failure state, output state (0: none) and length of the path of a state."""
        if state >= self.lexicon.lex.trie.n_units:
            raise IndexError("state out of range")
        return (self.automaton.failure_of(state), self.automaton.output_of(state),
                self.automaton.length_of(state))

    @property
    def states(self):
        return self.automaton.states()

    @property
    def nbytes(self):
        """Memory of the links."""
        return self.automaton.bytes()


NOT_MADE = "a Segmenter that was never initialised: make it with segmenter.load"


cdef class Cutter:
    """The calls of a Segmenter that go straight to its engine.

    A method in Python between caller and kernels would cost a twentieth of a short text's time.
    """

    cdef public Engine _engine

    def cut(self, text):
        """The words of ``text``; joined they are ``text`` again (unless ``skip`` drops some).

        Raises:
            TypeError: ``text`` is no str.
        """
        if self._engine is None:
            raise TypeError(NOT_MADE)
        return self._engine.words_of(text)

    def ends(self, text):
        """Exclusive end offsets of the words in code points, an int32 array of shape (words,).

        Raises:
            TypeError: ``text`` is no str.
        """
        if self._engine is None:
            raise TypeError(NOT_MADE)
        return self._engine.ends_of(text)
