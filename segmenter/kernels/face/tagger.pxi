# Linear taggers.

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
        void emissions(const TaggerModel& m, const Text& text, vector[int16_t]& out) except + nogil


cdef extern from "sound.hpp" namespace "segmenter":
    const char* tagger_fault(const TaggerModel& m, uint32_t most_cost) noexcept nogil
    const int32_t MOST_SCORE "segmenter::kMostScore"


cdef extern from "tagging/tagger.hpp" namespace "segmenter":
    void attach_pairs(TaggerModel& m, const uint16_t* hot, size_t n_hot_pilots,
                      const uint16_t* cold, size_t n_cold_pilots, uint32_t n_hot) noexcept nogil
    void attach_wide(TaggerModel& m, const int16_t* pair, const int16_t* uni) noexcept nogil
    void attach_types(TaggerModel& m, const int16_t* type, const uint8_t* type_of) noexcept nogil
    uint32_t longest_known_of(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept


cdef class TaggerWeights:
    """A compiled tagger; keeps its lexicon and its buffers alive."""

    cdef TaggerModel model
    cdef readonly Lexicon lexicon
    cdef WordCache cache
    cdef list _buffers

    def __init__(self, Lexicon lexicon not None, sections):
        self.lexicon = lexicon
        self._buffers = []
        cdef const int32_t[::1] params = self._view(sections["tagger.params"]).cast("i")
        cdef const uint16_t[::1] hot = self._view(sections["tagger.hot"]).cast("H")
        cdef const uint16_t[::1] cold = self._view(sections["tagger.cold"]).cast("H")
        cdef const int8_t[::1] uni = self._view(sections["tagger.uni"]).cast("b")
        cdef const int8_t[::1] pair = self._view(sections["tagger.pair"]).cast("b")
        cdef const uint32_t[::1] longer = self._view(sections["tagger.longer"]).cast("I")
        cdef const int16_t[::1] match = self._view(sections["tagger.match"]).cast("h")
        cdef const int16_t[::1] state = self._view(sections["tagger.state"]).cast("h")
        cdef const int16_t[::1] types = self._view(sections["tagger.types"]).cast("h")
        cdef const uint8_t[::1] type_of = self._view(sections["tagger.typeof"])
        cdef const uint8_t[::1] groups_of = self._view(sections["tagger.groups"])
        cdef TaggerModel* m = &self.model
        cdef const int16_t[::1] wide_pair = None
        cdef const int16_t[::1] wide_uni = None
        cdef int tags = 4
        if "tagger.widepair" in sections:
            tags = 6
            wide_pair = self._view(sections["tagger.widepair"]).cast("h")
            wide_uni = self._view(sections["tagger.wideuni"]).cast("h")
        if params.shape[0] != 5 + tags + tags * tags:
            raise ValueError("the sections of the tagger do not fit together")
        m.groups = <uint32_t>params[0]
        m.n_matches = <uint32_t>params[1]
        m.n_pairs = <uint32_t>params[2]
        m.scale = params[3] / 65536.0
        cdef int32_t n_hot = params[4 + tags + tags * tags]
        cdef int i
        for i in range(tags):
            m.start[i] = params[4 + i]
        for i in range(tags * tags):
            m.trans[i] = params[4 + tags + i]
        if (m.groups > 3 or longer.shape[0] != <Py_ssize_t>m.n_pairs
                or types.shape[0] != 512 * tags
                or type_of.shape[0] != <Py_ssize_t>lexicon.lex.trie.n_ids
                or hot.shape[0] < 2 or hot.shape[0] & (hot.shape[0] - 1)
                or cold.shape[0] < 2 or cold.shape[0] & (cold.shape[0] - 1)
                or not 0 < n_hot < params[2]
                or lexicon.lex.trie.n_ids > 0x3FFF
                or uni.shape[0] != 16 * <Py_ssize_t>lexicon.lex.trie.n_ids
                or pair.shape[0] != 16 * <Py_ssize_t>m.n_pairs or m.n_pairs == 0
                or match.shape[0] != 4 * tags * (<Py_ssize_t>m.n_matches + 1)
                or groups_of.shape[0] != <Py_ssize_t>m.n_matches + 1
                or state.shape[0] != 216 * tags * (<Py_ssize_t>m.groups + 1)):
            raise ValueError("the sections of the tagger do not fit together")
        if tags == 6:
            if (wide_pair.shape[0] != 24 * <Py_ssize_t>m.n_pairs
                    or wide_uni.shape[0] != 24 * <Py_ssize_t>lexicon.lex.trie.n_ids):
                raise ValueError("the sections of the tagger do not fit together")
            attach_wide(m[0], &wide_pair[0], &wide_uni[0])
        lexicon.lex.mark_signs()
        m.lex = &lexicon.lex
        attach_pairs(m[0], &hot[0], <size_t>hot.shape[0], &cold[0], <size_t>cold.shape[0],
                     <uint32_t>n_hot)
        attach_types(m[0], &types[0], &type_of[0])
        m.uni = &uni[0]
        m.pair = &pair[0]
        m.longer = &longer[0]
        m.match = &match[0]
        m.state = &state[0]
        m.groups_of = &groups_of[0]
        m.tags = <uint32_t>tags
        cdef const char* fault = tagger_fault(m[0], lexicon.most_cost)
        if fault != NULL:
            raise ValueError(fault.decode())
        if not self.cache.reserve(<size_t>lexicon.lex.trie.n_units + m.n_pairs):
            raise MemoryError

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that the tagger sees.

        Characters that it does not know do not change.
        """
        cdef vector[uint16_t] ids
        ids.resize(<size_t>len(text))
        encode_by(self.lexicon.lex, TextView(text), ids.data(), longest_known_of,
                  <void*>&self.model)
        return self.lexicon.spelt(text, ids)

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view
