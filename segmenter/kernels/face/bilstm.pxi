cdef extern from "bilstm/model.hpp" namespace "segmenter::bilstm":
    cdef cppclass BilstmPath "segmenter::bilstm::Path":
        const char* name
    cdef cppclass BilstmModel "segmenter::bilstm::Model":
        const BilstmPath* path
        CharMap map
        vector[uint16_t] from_linear
        vector[uint8_t] is_mark
        int32_t sure
        const uint16_t* rows
        const int8_t* chars
        PairHash pairs
        const uint32_t* keys
        const int8_t* bigrams
        const int8_t* lexicon[10]
        uint32_t table_rows[10]
        uint32_t table_size[10]
        const uint8_t* word_class
        const uint8_t* pair_class
        uint32_t beyond
        uint32_t n_chars
        uint32_t char_size
        uint32_t pair_size
        uint32_t tables
        uint32_t inputs
        int64_t unit
        int64_t linear
        int32_t bias[3]
        int32_t last
        void set_shape(uint32_t hidden, uint32_t layers) except + nogil
        void set_gates(uint32_t layer, int direction, cbool own, const int8_t* weights,
                       const int16_t* gains, int32_t shift) except + nogil
        void set_bias(uint32_t layer, int direction, const int16_t* values) except + nogil
        void set_out(const int16_t* values) except + nogil
        void set_curve(const int16_t* height, const int16_t* slope) noexcept nogil
    vector[const BilstmPath*] c_bilstm_paths "segmenter::bilstm::paths"() except + nogil


cdef extern from "tagging/tagger.hpp" namespace "segmenter":
    void attach_bilstm(TaggerModel& m, const BilstmModel& bilstm, const int32_t* start,
                       const int32_t* trans, double scale) noexcept nogil


def bilstm_paths():
    """Names of the vector paths of this processor, slowest first; all give the same results."""
    return [path.name.decode() for path in c_bilstm_paths()]


cdef class BilstmWeights(TaggerWeights):
    """One standard of a compiled BiLSTM-CRF over its linear tagger, see bilstm/model.hpp.

    ``sections`` are those of the artifact; ``standard`` and ``words`` number the standard and the
    linear tagger in it; ``weight`` multiplies the linear tagger's scores; ``scale`` is the units of
    a score; ``marks`` separate clauses; from a margin of ``sure`` on the linear tagger's cut of a
    clause stands and the clause is not read (tagging/network.hpp).  ``path``: a name from
    :func:`bilstm_paths`, for tests; default: the fastest.
    """

    cdef BilstmModel bilstm
    cdef readonly str path

    def __init__(self, TaggerWeights tagger not None, sections, int standard, int words,
                 double weight, double scale, path=None, str marks="", double sure=0.0):
        cdef TaggerModel* m = &self.model
        cdef BilstmModel* b = &self.bilstm
        if tagger.model.tags != 4:
            raise ValueError("the linear tagger must have four tags")
        self.lexicon = tagger.lexicon
        self._buffers = [tagger]
        m[0] = tagger.model
        for found in c_bilstm_paths():
            if path is None or found.name.decode() == path:
                b.path = found
                self.path = found.name.decode()
        if b.path == NULL:
            raise ValueError(f"path: {path!r} is not one of {', '.join(bilstm_paths())}")
        cdef const uint16_t[::1] bmp = self._view(sections["charmap.bmp"]).cast("H")
        cdef const uint16_t[::1] pages = self._view(sections["charmap.pages"]).cast("H")
        cdef const uint16_t[::1] blocks = self._view(sections["charmap.blocks"]).cast("H")
        cdef const uint8_t[::1] classes = self._view(sections["charmap.classes"])
        cdef const int32_t[::1] params = self._view(sections["bilstm.params"]).cast("i")
        cdef const uint16_t[::1] rows = self._view(sections["bilstm.rows"]).cast("H")
        cdef const int8_t[::1] chars = self._view(sections["bilstm.chars"]).cast("b")
        cdef const uint16_t[::1] pilots = self._view(sections["bilstm.pilots"]).cast("H")
        cdef const uint32_t[::1] keys = self._view(sections["bilstm.keys"]).cast("I")
        cdef const int8_t[::1] bigrams = self._view(sections["bilstm.bigrams"]).cast("b")
        cdef const int8_t[::1] lexicon = self._view(sections["bilstm.lexicon"]).cast("b")
        cdef const int16_t[::1] curve = self._view(sections["bilstm.sigmoid"]).cast("h")
        cdef const uint8_t[::1] word_class = self._view(sections[f"lexicon.{words}.words"])
        cdef const uint8_t[::1] pair_class = self._view(sections[f"lexicon.{words}.pairs"])
        cdef const int16_t[::1] bias = self._view(sections[f"standard.{standard}.bias"]).cast("h")
        cdef const int16_t[::1] out = self._view(sections[f"standard.{standard}.out"]).cast("h")
        cdef const int32_t[::1] own = self._view(sections[f"standard.{standard}.params"]).cast("i")
        cdef Py_ssize_t i, n, at = 0
        if params.shape[0] < 7:
            raise ValueError("bilstm.params is too short")
        cdef Py_ssize_t hidden = params[0], layers = params[1], n_chars = params[5]
        cdef Py_ssize_t tables = params[4], n_keys = params[6]
        if not (0 < hidden <= 4096 and 0 < layers <= 8 and 0 < params[2] <= 4096
                and 0 < params[3] <= 4096 and tables in (0, 10)
                and params.shape[0] == 7 + 2 * tables + 4 * layers):
            raise ValueError("bilstm.params do not fit together")
        if (bmp.shape[0] != 65536 or pages.shape[0] != 4096 or blocks.shape[0] % 256
                or rows.shape[0] != classes.shape[0] + 1 or n_chars < 2
                or chars.shape[0] != n_chars * params[2]
                or n_keys < 1 or keys.shape[0] != n_keys or pilots.shape[0] < 2
                or pilots.shape[0] & (pilots.shape[0] - 1)
                or bigrams.shape[0] != (n_keys + 1) * params[3]
                or curve.shape[0] != 64
                or word_class.shape[0] != <Py_ssize_t>self.lexicon.lex.n_words
                or pair_class.shape[0] != <Py_ssize_t>m.n_pairs
                or bias.shape[0] != layers * 8 * hidden or out.shape[0] != 6 * hidden
                or own.shape[0] != 25):
            raise ValueError("the sections of the BiLSTM-CRF do not fit each other or its tagger")
        for i in range(rows.shape[0]):
            if rows[i] >= n_chars:
                raise ValueError("bilstm.rows names a row that does not exist")
        for i in range(65536):
            if bmp[i] & 0x7FFF >= classes.shape[0]:
                raise ValueError("charmap.bmp names a character that does not exist")
        for i in range(blocks.shape[0]):
            if blocks[i] & 0x7FFF >= classes.shape[0]:
                raise ValueError("charmap.blocks names a character that does not exist")
        for i in range(4096):
            if <Py_ssize_t>pages[i] * 256 >= blocks.shape[0]:
                raise ValueError("charmap.pages names a block that does not exist")
        b.map.bmp = &bmp[0]
        b.map.astral_page = &pages[0]
        b.map.astral_block = &blocks[0]
        cdef const uint32_t[::1] spelt = self.lexicon._canon()
        b.from_linear.assign(self.lexicon.lex.trie.n_ids, 0xFFFF)
        for i in range(min(spelt.shape[0], <Py_ssize_t>b.from_linear.size())):
            if spelt[i]:
                b.from_linear[i] = b.map(spelt[i]) & 0x7FFF
        cdef Py_UCS4 mark
        if marks:
            b.is_mark.assign(self.lexicon.lex.trie.n_ids, 0)
            for mark in marks:
                i = self.lexicon.lex.map(mark) & 0x7FFF
                if i:
                    b.is_mark[i] = 1
        b.rows = &rows[0]
        b.chars = &chars[0]
        b.keys = &keys[0]
        b.pairs.pilots = &pilots[0]
        b.pairs.n = <uint32_t>n_keys
        b.pairs.shift = 64
        n = pilots.shape[0]
        while n > 1:
            b.pairs.shift -= 1
            n >>= 1
        b.bigrams = &bigrams[0]
        b.beyond = <uint32_t>classes.shape[0]
        b.n_chars = <uint32_t>n_chars
        b.char_size = params[2]
        b.pair_size = params[3]
        b.tables = <uint32_t>tables
        cdef int most = 0
        for i in range(word_class.shape[0]):
            most = max(most, word_class[i])
        for i in range(pair_class.shape[0]):
            most = max(most, pair_class[i])
        for i in range(tables):
            b.table_rows[i], b.table_size[i] = params[7 + 2 * i], params[8 + 2 * i]
            if params[7 + 2 * i] <= most or not 0 < params[8 + 2 * i] <= 4096:
                raise ValueError("bilstm.lexicon: a table is too small")
            n = <Py_ssize_t>params[7 + 2 * i] * params[8 + 2 * i]
            if at + n > lexicon.shape[0]:
                raise ValueError("bilstm.lexicon is too short")
            b.lexicon[i] = &lexicon[at]
            at += n
        if at != lexicon.shape[0]:
            raise ValueError("bilstm.lexicon is too long")
        b.word_class = &word_class[0]
        b.pair_class = &pair_class[0]
        b.set_curve(&curve[0], &curve[32])
        b.set_shape(<uint32_t>hidden, <uint32_t>layers)
        cdef const int8_t[::1] weights
        cdef const int16_t[::1] gains
        cdef int d
        cdef Py_ssize_t inputs = b.inputs
        at = 7 + 2 * tables
        for i in range(layers):
            for d in range(2):
                for name, n in (("ih", inputs), ("hh", hidden)):
                    weights = self._view(sections[f"bilstm.{name}.{i}{d}"]).cast("b")
                    gains = self._view(sections[f"bilstm.gain.{name}.{i}{d}"]).cast("h")
                    if (weights.shape[0] != 4 * hidden * n or gains.shape[0] != 4 * hidden
                            or not 0 <= params[at] <= 31):
                        raise ValueError(f"bilstm.{name}.{i}{d} has the wrong size")
                    b.set_gates(<uint32_t>i, d, name == "hh", &weights[0], &gains[0], params[at])
                    at += 1
                b.set_bias(<uint32_t>i, d, &bias[(2 * i + d) * 4 * hidden])
            inputs = 2 * hidden
        b.set_out(&out[0])
        # --- scores, in units of 1/scale; transitions and ends are the BiLSTM's only
        cdef int32_t start[4]
        cdef int32_t trans[16]
        b.unit = own[0]
        cdef int64_t size
        for i in range(3):
            size = 0
            for n in range(2 * hidden):
                size += abs(<int64_t>out[i * 2 * hidden + n])
            if size > 65535:  # times states of 15 bits: sums fit 32 bits
                raise ValueError(f"standard.{standard}.out: the weights are too large in sum")
        cdef double linear = round(weight * scale / tagger.model.scale * 4294967296.0)
        if not (0 < scale and 0 <= linear < 70368744177664.0):  # 2**46: sums fit 64 bits
            raise ValueError("the weight of the linear tagger is out of range")
        for i in range(1, 25):
            if not -MOST_SCORE <= own[i] <= MOST_SCORE:
                raise ValueError(f"standard.{standard}.params: scores out of range")
        b.linear = <int64_t>linear
        if not 0.0 <= sure * scale <= MOST_SCORE:
            raise ValueError("the margin `sure` is out of range")
        b.sure = <int32_t>round(sure * scale)
        for i in range(3):
            b.bias[i] = own[1 + i]
        for i in range(4):
            start[i] = own[4 + i]
        b.last = own[8]
        for i in range(16):
            trans[i] = own[9 + i]
        attach_bilstm(m[0], b[0], start, trans, scale)
        if not self.cache.reserve(<size_t>self.lexicon.lex.trie.n_units + m.n_pairs):
            raise MemoryError

    def emissions(self, str text not None):
        """Scores of B, M, E relative to S at each character, int16 ``[n][4]`` as bytes; for tests.

        Blanks and line ends have zeros.
        """
        cdef TextView view = TextView(text)
        cdef CTagger* tagger = new CTagger()
        cdef vector[int16_t] out
        try:
            with nogil:
                tagger.emissions(self.model, view, out)
            return raw(out)
        finally:
            del tagger
