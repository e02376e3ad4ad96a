# The user's words.

cdef extern from "user/find.hpp" namespace "segmenter":
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
                       const Text& text) noexcept nogil


USER_FIELDS = ("filter", "threes", "heads", "words", "stems", "stemof", "lengths")


cdef class Folds:
    """How the fields of a dictionary fold code points; see user/tables.hpp.

    ``tables[f]``: None, or what field f folds to: uint16 ``[65536]`` for the basic plane, and pairs
    (from, to) of uint32, ascending, for the rest.
    """

    cdef FoldTable tables[4]
    cdef list _buffers

    def __init__(self, tables):
        self._buffers = []
        cdef const uint16_t[::1] bmp
        cdef const uint32_t[::1] astral
        for f in range(4):
            if tables[f] is None:
                continue
            bmp, astral = tables[f]
            if bmp.shape[0] != 65536 or astral.shape[0] % 2:
                raise ValueError("Folds: expected a table of 65,536 entries, and pairs")
            self._buffers.append((bmp, astral))
            self.tables[f].bmp = &bmp[0]
            if astral.shape[0]:
                self.tables[f].astral = &astral[0]
            self.tables[f].n_astral = astral.shape[0] // 2


cdef class UserLayer:
    """One layer of a user dictionary over its sections; see user/tables.hpp.

    ``sections``: text, offsets, flags; if entries have them, weights, logs, partids, partfirst,
    parts; and the tables of field f as ``f<f>.<name>``.  Missing tables are compiled and put into
    :attr:`tables`.  ``singles``: one bit per field, set if it has entries of one character, where
    tables are given; ``check``: whether to check that these are safe to use.
    """

    cdef CUserLayer layer
    cdef readonly dict tables
    cdef Folds folds
    cdef list _buffers

    def __init__(self, sections, int width, Folds folds not None, bint line_ends,
                 int singles=-1, bint check=False):
        cdef CUserLayer* layer = &self.layer
        cdef const uint32_t[::1] offsets, ids, first, parts
        cdef const uint8_t[::1] text, flags
        cdef const double[::1] weights
        cdef const int32_t[::1] logs
        cdef UserTables built
        cdef uint32_t f, used = 0
        cdef Py_ssize_t i
        self._buffers = []
        self.tables = {}
        self.folds = folds
        text = self._view(sections["text"])
        offsets = self._view(sections["offsets"]).cast("I")
        flags = self._view(sections["flags"])
        layer.n = <uint32_t>flags.shape[0]
        layer.width = width
        layer.line_ends = line_ends
        if (layer.n == 0 or offsets.shape[0] != <Py_ssize_t>layer.n + 1 or width not in (2, 4)
                or <Py_ssize_t>offsets[layer.n] * width != text.shape[0]):
            raise ValueError("the columns of the user dictionary do not fit together")
        layer.text = &text[0]
        layer.offsets = &offsets[0]
        layer.flags = &flags[0]
        if "weights" in sections:
            weights = self._view(sections["weights"]).cast("d")
            logs = self._view(sections["logs"]).cast("i")
            if weights.shape[0] != flags.shape[0] or logs.shape[0] != flags.shape[0]:
                raise ValueError("the columns of the user dictionary do not fit together")
            layer.weights = &weights[0]
            layer.logs = &logs[0]
        if "partids" in sections:
            ids = self._view(sections["partids"]).cast("I")
            first = self._view(sections["partfirst"]).cast("I")
            parts = self._view(sections["parts"]).cast("I")
            if (ids.shape[0] == 0 or first.shape[0] != ids.shape[0] + 1
                    or first[ids.shape[0]] != <uint32_t>parts.shape[0]):
                raise ValueError("the columns of the user dictionary do not fit together")
            layer.part_ids = &ids[0]
            layer.part_first = &first[0]
            layer.parts = &parts[0]
            layer.n_parts = ids.shape[0]
        cdef bint compile = singles < 0
        if compile:
            for i in range(flags.shape[0]):
                if flags[i] & 7 != 7:
                    used |= 1u << (flags[i] >> 5 & 3)
                if flags[i] & 7 == 2 and layer.logs == NULL:
                    raise ValueError("the columns of the user dictionary do not fit together")
        for f in range(4):
            if not compile:
                if f"f{f}.words" in sections:
                    self._attach(f, sections, singles >> f & 1)
            elif used >> f & 1:
                built = UserTables()
                with nogil:
                    build_user_field(layer[0], f, folds.tables[f], built)
                self.tables[f"f{f}.filter"] = raw(built.filter)
                self.tables[f"f{f}.threes"] = raw(built.threes)
                self.tables[f"f{f}.heads"] = raw(built.heads)
                self.tables[f"f{f}.words"] = raw(built.words)
                self.tables[f"f{f}.stems"] = raw(built.stems)
                self.tables[f"f{f}.stemof"] = raw(built.stem_of)
                self.tables[f"f{f}.lengths"] = raw(built.lengths)
                self._attach(f, self.tables, built.singles)

        if check and not sound(layer[0]):
            raise ValueError("the columns of the user dictionary do not fit together")

    cdef int _attach(self, uint32_t f, sections, bint singles) except -1:
        cdef const uint32_t[::1] filter = self._view(sections[f"f{f}.filter"]).cast("I")
        cdef const uint32_t[::1] threes = self._view(sections[f"f{f}.threes"]).cast("I")
        cdef const uint64_t[::1] heads = self._view(sections[f"f{f}.heads"]).cast("Q")
        cdef const uint32_t[::1] words = self._view(sections[f"f{f}.words"]).cast("I")
        cdef const uint64_t[::1] stems = self._view(sections[f"f{f}.stems"]).cast("Q")
        cdef const uint32_t[::1] stem_of = self._view(sections[f"f{f}.stemof"]).cast("I")
        cdef const uint32_t[::1] lengths = self._view(sections[f"f{f}.lengths"]).cast("I")
        if (filter.shape[0] == 0 or threes.shape[0] == 0 or heads.shape[0] == 0
                or words.shape[0] == 0
                or not attach_user_field(
                    self.layer.field[f], &filter[0], filter.shape[0], &threes[0],
                    threes.shape[0], &heads[0], heads.shape[0],
                    &words[0], words.shape[0],
                    &stems[0] if stems.shape[0] else NULL, stems.shape[0],
                    &stem_of[0] if stem_of.shape[0] else NULL, stem_of.shape[0],
                    &lengths[0] if lengths.shape[0] else NULL, lengths.shape[0])):
            raise ValueError("the tables of the user dictionary do not fit together")
        self.layer.field[f].singles = singles
        return 0

    @property
    def singles(self):
        """One bit per field, set if it has entries of one character."""
        cdef uint32_t f, out = 0
        for f in range(4):
            out |= <uint32_t>self.layer.field[f].singles << f
        return out

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view

    def find(self, str word not None):
        """The entries with this spelling or one that folds to the same: at most one per field."""
        cdef uint32_t f, id
        out = []
        for f in range(4):
            id = user_find(self.layer, f, self.folds.tables[f], TextView(word))
            if id != ~<uint32_t>0:
                out.append(id)
        return out

    def spelling(self, uint32_t id):
        """The text of an entry."""
        if id >= self.layer.n:
            raise IndexError("no such entry")
        cdef size_t start = self.layer.offsets[id]
        return PyUnicode_FromKindAndData(
            self.layer.width, <const char*>self.layer.text + start * self.layer.width,
            <Py_ssize_t>(self.layer.offsets[id + 1] - start))

    def identity(self, ids):
        """Sums, over entries, of their effect on boundaries: two numbers below 2**64.

        ``ids`` None: all entries.
        """
        cdef uint64_t one[2]
        cdef uint64_t first = 0, second = 0
        cdef uint32_t id
        if ids is None:
            with nogil:
                for id in range(self.layer.n):
                    self.layer.identity(id, one)
                    first += one[0]
                    second += one[1]
            return first, second
        for id in ids:
            if id >= self.layer.n:
                raise IndexError("no such entry")
            self.layer.identity(id, one)
            first += one[0]
            second += one[1]
        return first, second


cdef class UserWords:
    """The layers of a user dictionary, and which entries of each a later layer shadows (ascending
    uint32 numbers)."""

    cdef CUserDictionary words
    cdef list _buffers

    def __init__(self, layers, dead):
        cdef UserLayer layer
        cdef const uint32_t[::1] gone
        self._buffers = []
        cdef int f
        for layer, column in zip(layers, dead):
            gone = memoryview(column).cast("B").cast("I")
            self._buffers.append((layer, gone))
            self.words.layers.push_back(layer.layer)
            if gone.shape[0]:
                self.words.layers.back().dead = &gone[0]
                self.words.layers.back().n_dead = gone.shape[0]
            for f in range(4):
                if layer.folds.tables[f].bmp != NULL:
                    self.words.fold[f] = layer.folds.tables[f]
