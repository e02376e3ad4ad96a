cdef extern from "tagging/tagger.hpp" namespace "segmenter":
    void attach_pairs(TaggerModel& m, const uint16_t* hot, size_t n_hot_pilots,
                      const uint16_t* cold, size_t n_cold_pilots, uint32_t n_hot) noexcept nogil
    void attach_wide(TaggerModel& m, const int16_t* pair, const int16_t* uni) noexcept nogil
    void attach_types(TaggerModel& m, const int16_t* type, const uint8_t* type_of) noexcept nogil
    uint32_t longest_known_of(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept

cdef extern from "tagging/train.hpp" namespace "segmenter":
    void set_types(LexiconFeatures& lex, TrainerOptions& options,
                   const uint8_t* type_of_id) noexcept nogil
    size_t row_type_of(const Trainer& trainer) noexcept nogil
    void features_of(const Trainer& trainer, const TaggedCorpus& c, vector[int64_t]& starts,
                     vector[uint32_t]& rows) except + nogil


cdef class TaggerWeights:
    """A compiled tagger as the kernels read it; keeps its lexicon and its buffers alive."""

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
            raise ValueError("sections of a tagger do not fit together")
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
            raise ValueError("sections of a tagger do not fit together")
        if tags == 6:
            if (wide_pair.shape[0] != 24 * <Py_ssize_t>m.n_pairs
                    or wide_uni.shape[0] != 24 * <Py_ssize_t>lexicon.lex.trie.n_ids):
                raise ValueError("sections of a tagger do not fit together")
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

        Characters that it does not know stay as they are.
        """
        cdef vector[uint16_t] ids
        cdef TextView* view = new TextView(text)
        try:
            ids.resize(view.length)
            encode_by(self.lexicon.lex, view.data, view.width, view.length, ids.data(),
                      longest_known_of, <void*>&self.model)
        finally:
            del view
        return self.lexicon.spelt(text, ids)

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view


cdef class TaggerTrainer:
    """The compiled trainers of tagging/train.hpp over one set of features."""

    cdef Trainer* trainer
    cdef vector[TaggedCorpus*] corpora
    cdef list _buffers
    cdef uint32_t tags
    cdef LexiconFeatures lex

    def __init__(self, const uint64_t[::1] units, uint32_t n_ids, const int32_t[::1] word_of_slot,
                 const int32_t[::1] bigram_of_slot, const uint16_t[::1] uni_of_id,
                 const uint16_t[:, ::1] classes, const uint8_t[::1] groups_of_class,
                 uint32_t n_bigrams, const uint8_t[::1] type_of_id=None,
                 *, uint32_t tags=4, uint32_t uni_mask=15,
                 uint32_t bi_mask=15, uint32_t groups=0, uint32_t min_match=2,
                 uint32_t max_match=8):
        if (word_of_slot.shape[0] != units.shape[0] or bigram_of_slot.shape[0] != units.shape[0]
                or uni_of_id.shape[0] != <Py_ssize_t>n_ids or classes.shape[0] == 0
                or groups_of_class.shape[0] == 0):
            raise ValueError("TaggerTrainer: lengths of the feature tables do not agree")
        self._buffers = [units, word_of_slot, bigram_of_slot, uni_of_id, classes, groups_of_class]
        self.lex.trie.units = &units[0]
        self.lex.trie.n_units = <uint32_t>units.shape[0]
        self.lex.trie.n_ids = n_ids
        self.lex.word_of_slot = &word_of_slot[0]
        self.lex.bigram_of_slot = &bigram_of_slot[0]
        self.lex.uni_of_id = &uni_of_id[0]
        self.lex.classes = &classes[0, 0]
        self.lex.groups_of_class = &groups_of_class[0]
        self.lex.n_ids = n_ids
        self.lex.n_bigrams = n_bigrams
        self.lex.n_classes = <uint32_t>groups_of_class.shape[0]
        self.lex.n_folds = <uint32_t>classes.shape[1]
        cdef TrainerOptions options
        options.tags = tags
        options.uni_mask = uni_mask
        options.bi_mask = bi_mask
        options.groups = groups
        options.min_match = min_match
        options.max_match = max_match
        if type_of_id is not None:
            if type_of_id.shape[0] != <Py_ssize_t>n_ids:
                raise ValueError("TaggerTrainer: one type a character id is wanted")
            self._buffers.append(type_of_id)
            set_types(self.lex, options, &type_of_id[0])
        else:
            set_types(self.lex, options, NULL)
        self.tags = tags
        self.trainer = new Trainer(options, self.lex)

    def __dealloc__(self):
        del self.trainer
        for corpus in self.corpora:
            del corpus

    def add_corpus(self, const uint16_t[::1] ids, const int64_t[::1] offsets,
                   const uint8_t[::1] ends, const uint8_t[::1] folds):
        """Takes a corpus in and finds its features; returns its number."""
        if (offsets.shape[0] != folds.shape[0] + 1 or ids.shape[0] != ends.shape[0]
                or ids.shape[0] != offsets[offsets.shape[0] - 1] or ids.shape[0] == 0):
            raise ValueError("TaggerTrainer.add_corpus: lengths of the columns do not agree")
        cdef TaggedCorpus* corpus = new TaggedCorpus()
        self.corpora.push_back(corpus)
        with nogil:
            corpus.assign(&ids[0], &offsets[0], <size_t>folds.shape[0], &ends[0], &folds[0])
            self.trainer.prepare(corpus[0])
        return self.corpora.size() - 1

    cdef TaggedCorpus* _corpus(self, size_t number) except NULL:
        if number >= self.corpora.size():
            raise IndexError("no such corpus")
        return self.corpora[number]

    @property
    def layout(self):
        """First rows of the feature blocks: ``(uni, type, state, match, bi, all rows)``."""
        return (self.trainer.row_uni(), row_type_of(self.trainer[0]), self.trainer.row_state(), self.trainer.row_match(),
                self.trainer.row_bi(), self.trainer.rows())

    def weights(self):
        """The weights, float32, ``tags`` a row, as bytes."""
        return (<const char*>self.trainer.weights())[:self.trainer.rows() * self.tags * 4]

    def set_weights(self, const float[::1] weights):
        """Replaces the weights; the perceptron's sums begin anew."""
        cdef size_t n = self.trainer.rows() * self.tags, i
        if <size_t>weights.shape[0] != n:
            raise ValueError("TaggerTrainer.set_weights: wrong number of weights")
        for i in range(n):
            self.trainer.weights()[i] = weights[i]
        self.trainer.forget_average()

    def swap_average(self):
        """Weights become the perceptron's averages; called again, what they were."""
        self.trainer.swap_average()

    def features(self, size_t corpus):
        """Rows of the features that are on at each position: for other programs that train.

        Returns:
            ``(starts, rows)`` as bytes of int64 and uint32; the rows of position i are
            ``rows[starts[i] : starts[i + 1]]``.
        """
        cdef TaggedCorpus* c = self._corpus(corpus)
        cdef vector[int64_t] starts
        cdef vector[uint32_t] rows
        with nogil:
            features_of(self.trainer[0], c[0], starts, rows)
        return ((<const char*>starts.data())[:starts.size() * 8],
                (<const char*>rows.data())[:rows.size() * 4])

    def perceptron_epoch(self, size_t corpus, uint64_t seed):
        """One pass; returns how many tags were wrong."""
        cdef TaggedCorpus* c = self._corpus(corpus)
        cdef uint64_t wrong
        with nogil:
            wrong = self.trainer.perceptron_epoch(c[0], seed)
        return wrong

    def crf_epoch(self, size_t corpus, uint64_t seed, double eta0, double eta1, double decay):
        """One pass; returns the sum of the log marginals of the gold tags."""
        cdef TaggedCorpus* c = self._corpus(corpus)
        cdef double out
        with nogil:
            out = self.trainer.crf_epoch(c[0], seed, eta0, eta1, decay)
        return out

    def evaluate(self, size_t corpus):
        """``(right words, gold words, predicted words)``."""
        cdef TaggedCorpus* c = self._corpus(corpus)
        cdef uint64_t counts[3]
        with nogil:
            self.trainer.evaluate(c[0], NULL, counts)
        return counts[0], counts[1], counts[2]

    def tag(self, size_t corpus):
        """The best tags, one byte a character."""
        cdef TaggedCorpus* c = self._corpus(corpus)
        cdef vector[uint8_t] out
        out.resize(c.ids.size())
        with nogil:
            self.trainer.tag(c[0], out.data())
        return (<const char*>out.data())[:out.size()]


def build_pair_hash(const uint32_t[::1] keys, size_t n_pilots, uint32_t n_places):
    """A perfect hash of pairs of character ids (first << 16 | second): pilots and each key's place.

    Returns:
        ``(pilots, places)`` as bytes of uint16 and uint32.
    """
    cdef vector[uint16_t] pilots
    cdef vector[uint32_t] places
    cdef PairHash hash
    cdef size_t i, n = keys.shape[0]
    if n == 0 or n_pilots < 2 or n_pilots & (n_pilots - 1):
        raise ValueError("build_pair_hash: keys, and a power of two of pilots, are needed")
    with nogil:
        pilots = PairHash.build(&keys[0], n, n_pilots, n_places)
        places.resize(n)
        hash.pilots = pilots.data()
        hash.n = n_places
        hash.shift = 64
        while n_pilots > 1:
            hash.shift -= 1
            n_pilots >>= 1
        for i in range(n):
            places[i] = hash(keys[i] >> 16, keys[i] & 0xFFFF)
    return ((<const char*>pilots.data())[:pilots.size() * 2],
            (<const char*>places.data())[:places.size() * 4])


def count_occurrences(const uint64_t[::1] units, uint32_t n_ids, const int32_t[::1] word_of_slot,
                      const uint16_t[::1] ids, const int64_t[::1] offsets,
                      const uint8_t[::1] folds, uint32_t n_folds, uint32_t n_words):
    """How often each word's string stands in each fold; int32 ``[n_words][n_folds]`` as bytes."""
    if word_of_slot.shape[0] != units.shape[0] or offsets.shape[0] != folds.shape[0] + 1:
        raise ValueError("count_occurrences: lengths of the columns do not agree")
    cdef Trie trie
    trie.units = &units[0]
    trie.n_units = <uint32_t>units.shape[0]
    trie.n_ids = n_ids
    cdef TaggedCorpus corpus
    cdef vector[uint8_t] ends
    cdef vector[int32_t] out
    ends.resize(ids.shape[0])
    out.resize(<size_t>n_words * n_folds)
    with nogil:
        corpus.assign(&ids[0], &offsets[0], <size_t>folds.shape[0], ends.data(), &folds[0])
        count_occurrences_of(trie, &word_of_slot[0], corpus, n_folds, out.data())
    return (<const char*>out.data())[:out.size() * 4]
