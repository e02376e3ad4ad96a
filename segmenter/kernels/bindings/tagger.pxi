# Linear taggers.

cdef extern from "pair_hash.hpp" namespace "segmenter":
    cdef cppclass PairHash:
        void attach(const uint16_t* pilots, size_t n_pilots, uint32_t places) noexcept nogil


cdef extern from "bilstm/model.hpp" namespace "segmenter::bilstm":
    cdef cppclass BilstmModel "segmenter::bilstm::Model"


cdef extern from "tagging/model.hpp" namespace "segmenter":
    const float kNoOtherWay
    cdef cppclass TaggerModel:
        const CLexicon* lex
        PairHash hot
        PairHash cold
        const int8_t* uni
        const int8_t* pair
        const uint32_t* longer
        const int16_t* match
        const int16_t* state
        const int16_t* type
        const uint8_t* type_of
        const int16_t* wide_pair
        const int16_t* wide_uni
        const uint8_t* groups_of
        uint32_t n_matches
        uint32_t n_pairs
        uint32_t groups
        uint32_t tags
        int32_t trans[36]
        int32_t start[6]
        double scale
        const BilstmModel* bilstm
        void set_params(const int32_t* params, uint32_t tags) noexcept nogil
    uint32_t longest_known_of(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept


cdef extern from "calls.hpp" namespace "segmenter":
    void network_emissions(const TaggerModel& m, const Text& text,
                           vector[int16_t]& out) except + nogil


cdef extern from "validate.hpp" namespace "segmenter":
    const char* tagger_fault(const TaggerModel& m, uint32_t most_cost) noexcept nogil
    const int32_t MOST_SCORE "segmenter::kMostScore"


cdef cbool no_pilots(Cells[uint16_t] pilots):
    """Whether these cannot be the pilots of a perfect hash, whose number is a power of two."""
    return pilots.n < 2 or (pilots.n & (pilots.n - 1)) != 0


cdef class TaggerWeights:
    """A compiled tagger; keeps its lexicon and buffers alive."""

    cdef TaggerModel model
    cdef readonly Lexicon lexicon
    cdef WordCache cache
    cdef Sections held

    def __init__(self, Lexicon lexicon not None, sections):
        cdef TaggerModel* m = &self.model
        cdef Sections* held = &self.held
        cdef Py_ssize_t n_ids = lexicon.lex.trie.n_ids
        self.lexicon = lexicon
        held.open(sections, b"the sections of the tagger do not fit together")
        cdef uint32_t tags = 6 if held.has("tagger.widepair") else 4
        cdef const int32_t* params = held.exactly[int32_t]("tagger.params", 5 + tags + tags * tags)
        cdef Cells[uint16_t] hot = held.of[uint16_t]("tagger.hot")
        cdef Cells[uint16_t] cold = held.of[uint16_t]("tagger.cold")
        cdef int32_t n_hot = params[4 + tags + tags * tags]
        if (no_pilots(hot) or no_pilots(cold) or not 0 < n_hot < params[2] or n_ids > 0x3FFF
                or not 0 <= params[0] <= 3):
            held.refuse()
        m.set_params(params, tags)
        m.hot.attach(hot.data, hot.n, n_hot)
        m.cold.attach(cold.data, cold.n, m.n_pairs - n_hot)
        m.uni = held.exactly[int8_t]("tagger.uni", 16 * n_ids)
        m.pair = held.exactly[int8_t]("tagger.pair", 16 * <Py_ssize_t>m.n_pairs)
        m.longer = held.exactly[uint32_t]("tagger.longer", m.n_pairs)
        m.match = held.exactly[int16_t]("tagger.match", 4 * tags * (<Py_ssize_t>m.n_matches + 1))
        m.groups_of = held.exactly[uint8_t]("tagger.groups", <Py_ssize_t>m.n_matches + 1)
        m.state = held.exactly[int16_t]("tagger.state", 216 * tags * (m.groups + 1))
        m.type = held.exactly[int16_t]("tagger.types", 512 * tags)
        m.type_of = held.exactly[uint8_t]("tagger.typeof", n_ids)
        if tags == 6:
            m.wide_pair = held.exactly[int16_t]("tagger.widepair", 24 * <Py_ssize_t>m.n_pairs)
            m.wide_uni = held.exactly[int16_t]("tagger.wideuni", 24 * n_ids)
        lexicon.lex.mark_signs()
        m.lex = &lexicon.lex
        check(tagger_fault(m[0], lexicon.most_cost))
        self.cache.reserve(<size_t>lexicon.lex.trie.n_units + m.n_pairs)

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that the tagger sees.

        Characters unknown to it do not change.
        """
        cdef vector[uint16_t] ids
        ids.resize(<size_t>len(text))
        encode(self.lexicon.lex, TextView(text), ids.data(), longest_known_of,
                  <void*>&self.model)
        return self.lexicon.spelt(text, ids)
