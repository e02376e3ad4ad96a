cdef extern from "bilstm/model.hpp" namespace "segmenter::bilstm":
    cdef cppclass InstructionSet "segmenter::bilstm::InstructionSet":
        const char* name
    cdef cppclass BilstmModel "segmenter::bilstm::Model":
        const InstructionSet* instructions
        CharMap map
        vector[uint16_t] from_linear
        vector[uint8_t] is_mark
        int32_t margin
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
    vector[const InstructionSet*] c_instruction_sets "segmenter::bilstm::instruction_sets"() \
        except + nogil


def instruction_sets():
    """Names of the sets of instructions that the BiLSTM can use here, slowest first; all give the
    same results."""
    return [found.name.decode() for found in c_instruction_sets()]


cdef class BilstmWeights(TaggerWeights):
    """One standard of a compiled BiLSTM-CRF on top of its linear tagger, see bilstm/model.hpp.

    ``sections`` are those of the artifact; ``standard`` and ``words`` are the numbers of the
    standard and of the linear tagger in it; ``weight`` multiplies the linear tagger's scores;
    ``scale`` is the number of units per score; ``marks`` separate clauses.  If the margin of the
    linear tagger's cut of a clause is at least ``margin``, the network does not run on that clause
    (tagging/network.hpp).  ``instructions``: a name from :func:`instruction_sets`, for tests;
    default: the fastest.
    """

    cdef BilstmModel bilstm
    cdef TaggerWeights linear
    cdef readonly str instructions

    def __init__(self, TaggerWeights tagger not None, sections, int standard, int words,
                 double weight, double scale, instructions=None, str marks="", double margin=0.0):
        cdef TaggerModel* m = &self.model
        cdef BilstmModel* b = &self.bilstm
        if tagger.model.tags != 4:
            raise ValueError("the linear tagger must have four tags")
        cdef Sections* held = &self.held
        cdef Cells[uint16_t] pilots
        cdef Cells[int8_t] lexicon
        cdef Py_ssize_t i, n, n_blocks, at = 0
        cdef int d
        self.lexicon = tagger.lexicon
        self.linear = tagger
        m[0] = tagger.model
        for found in c_instruction_sets():
            if instructions is None or found.name.decode() == instructions:
                b.instructions = found
                self.instructions = found.name.decode()
        if b.instructions == NULL:
            known = ", ".join(instruction_sets())
            raise ValueError(f"instructions: {instructions!r} is not one of {known}")
        held.open(sections, b"the sections of the BiLSTM-CRF do not fit each other or its tagger")
        cdef Cells[int32_t] params = held.of[int32_t]("bilstm.params")
        if params.n < 7:
            raise ValueError("bilstm.params is too short")
        cdef Py_ssize_t hidden = params[0], layers = params[1], n_chars = params[5]
        cdef Py_ssize_t tables = params[4], n_keys = params[6]
        if not (0 < hidden <= 4096 and 0 < layers <= 8 and 0 < params[2] <= 4096
                and 0 < params[3] <= 4096 and tables in (0, 10)
                and params.n == 7 + 2 * tables + 4 * layers):
            raise ValueError("bilstm.params do not fit together")
        b.beyond = <uint32_t>held.of[uint8_t]("charmap.classes").n
        b.n_chars = <uint32_t>n_chars
        b.char_size = params[2]
        b.pair_size = params[3]
        b.tables = <uint32_t>tables
        n_blocks = read_map(held[0], b.map)
        b.rows = held.exactly[uint16_t]("bilstm.rows", <Py_ssize_t>b.beyond + 1)
        b.chars = held.exactly[int8_t]("bilstm.chars", n_chars * params[2])
        pilots = held.of[uint16_t]("bilstm.pilots")
        if n_chars < 2 or n_keys < 1 or no_pilots(pilots):
            held.refuse()
        b.pairs.attach(pilots.data, pilots.n, <uint32_t>n_keys)
        b.keys = held.exactly[uint32_t]("bilstm.keys", n_keys)
        b.bigrams = held.exactly[int8_t]("bilstm.bigrams", (n_keys + 1) * params[3])
        b.word_class = held.exactly[uint8_t](f"lexicon.{words}.words", self.lexicon.lex.n_words)
        b.pair_class = held.exactly[uint8_t](f"lexicon.{words}.pairs", m.n_pairs)
        cdef const int16_t* curve = held.exactly[int16_t]("bilstm.sigmoid", 64)
        cdef const int16_t* bias = held.exactly[int16_t](
            f"standard.{standard}.bias", layers * 8 * hidden)
        cdef const int16_t* out = held.exactly[int16_t](f"standard.{standard}.out", 6 * hidden)
        cdef const int32_t* own = held.exactly[int32_t](f"standard.{standard}.params", 25)
        for i in range(<Py_ssize_t>b.beyond + 1):
            if b.rows[i] >= n_chars:
                raise ValueError("bilstm.rows names a row that does not exist")
        check(map_fault(b.map, n_blocks, b.beyond))
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
        cdef int most = 0
        for i in range(self.lexicon.lex.n_words):
            most = max(most, b.word_class[i])
        for i in range(m.n_pairs):
            most = max(most, b.pair_class[i])
        lexicon = held.of[int8_t]("bilstm.lexicon")
        for i in range(tables):
            b.table_rows[i], b.table_size[i] = params[7 + 2 * i], params[8 + 2 * i]
            if params[7 + 2 * i] <= most or not 0 < params[8 + 2 * i] <= 4096:
                raise ValueError("bilstm.lexicon: a table is too small")
            n = <Py_ssize_t>params[7 + 2 * i] * params[8 + 2 * i]
            if at + n > lexicon.n:
                raise ValueError("bilstm.lexicon is too short")
            b.lexicon[i] = lexicon.data + at
            at += n
        if at != lexicon.n:
            raise ValueError("bilstm.lexicon is too long")
        b.set_curve(curve, curve + 32)
        b.set_shape(<uint32_t>hidden, <uint32_t>layers)
        cdef Cells[int8_t] weights
        cdef Cells[int16_t] gains
        cdef Py_ssize_t inputs = b.inputs
        at = 7 + 2 * tables
        for i in range(layers):
            for d in range(2):
                for name, n in (("ih", inputs), ("hh", hidden)):
                    weights = held.of[int8_t](f"bilstm.{name}.{i}{d}")
                    gains = held.of[int16_t](f"bilstm.gain.{name}.{i}{d}")
                    if (weights.n != 4 * hidden * n or gains.n != 4 * hidden
                            or not 0 <= params[at] <= 31):
                        raise ValueError(f"bilstm.{name}.{i}{d} has the wrong size")
                    b.set_gates(<uint32_t>i, d, name == "hh", weights.data, gains.data, params[at])
                    at += 1
                b.set_bias(<uint32_t>i, d, bias + (2 * i + d) * 4 * hidden)
            inputs = 2 * hidden
        b.set_out(out)
        # --- scores, in units of 1/scale; transitions and ends come from the BiLSTM only
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
        if not 0.0 <= margin * scale <= MOST_SCORE:
            raise ValueError("`margin` is out of range")
        b.margin = <int32_t>round(margin * scale)
        memcpy(b.bias, own + 1, 3 * sizeof(int32_t))
        memcpy(m.start, own + 4, 4 * sizeof(int32_t))
        b.last = own[8]
        memcpy(m.trans, own + 9, 16 * sizeof(int32_t))
        m.bilstm = b
        m.scale = scale
        self.cache.reserve(<size_t>self.lexicon.lex.trie.n_units + m.n_pairs)

    def emissions(self, str text not None):
        """Scores of B, M, E relative to S at each character, int16 ``[n][4]`` as bytes; for tests.

        They are zero at blanks and line ends.
        """
        cdef TextView view = TextView(text)
        cdef vector[int16_t] out
        with nogil:
            network_emissions(self.model, view, out)
        return raw(out)
