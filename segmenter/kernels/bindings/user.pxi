# The user's words.

cdef extern from "user/tables.hpp" namespace "segmenter":
    cdef struct FoldPair "segmenter::FoldTable::Pair":
        pass
    cdef struct FoldTable:
        const uint16_t* bmp
        const FoldPair* astral
        size_t n_astral
    cdef cppclass UserField:
        cbool singles
        cbool attach(const Cells[uint32_t]& filter, const Cells[uint32_t]& threes,
                     const Cells[uint64_t]& heads, const Cells[uint32_t]& words,
                     const Cells[uint64_t]& stems, const Cells[uint32_t]& stem_of,
                     const Cells[uint32_t]& lengths) noexcept nogil
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
        uint32_t find(uint32_t f, const FoldTable& fold, const Text& text) noexcept nogil
        void identity(uint32_t id, uint64_t* out) noexcept nogil
    cdef cppclass CUserDictionary "segmenter::UserDictionary":
        vector[CUserLayer] layers
        FoldTable fold[4]
        int32_t log_mass
        double gain
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
    cbool valid(const CUserLayer& layer) noexcept nogil


USER_FIELDS = ("filter", "threes", "heads", "words", "stems", "stemof", "lengths")


cdef class Folds:
    """How the fields of a dictionary fold code points; see user/tables.hpp.

    ``tables[f]``: None, or the folding of field f: uint16 ``[65536]`` for the basic plane, and
    uint32 pairs (from, to), ascending, for the rest.
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
                self.tables[f].astral = <const FoldPair*>&astral[0]
            self.tables[f].n_astral = astral.shape[0] // 2


cdef class UserLayer:
    """One layer of a user dictionary over its sections; see user/tables.hpp.

    ``sections``: text, offsets, flags; weights, logs, partids, partfirst and parts if entries have
    them; and the tables of field f as ``f<f>.<name>``.  Missing tables are compiled and stored in
    :attr:`tables`.  ``singles``: if tables are given, one bit per field, set if it has entries of
    one character; ``check``: whether to check that the tables are safe to use.
    """

    cdef CUserLayer layer
    cdef readonly dict tables
    cdef Folds folds
    cdef Sections held

    def __init__(self, sections, int width, Folds folds not None, bint line_ends,
                 int singles=-1, bint check=False):
        cdef CUserLayer* layer = &self.layer
        cdef Sections* held = &self.held
        cdef Cells[uint32_t] ids
        cdef UserTables built
        cdef uint32_t f, used = 0
        cdef Py_ssize_t i
        self.tables = {}
        self.folds = folds
        held.open(sections, b"the columns of the user dictionary do not fit together")
        cdef Cells[uint8_t] flags = held.of[uint8_t](b"flags")
        layer.n = <uint32_t>flags.n
        layer.width = width
        layer.line_ends = line_ends
        if layer.n == 0 or width not in (2, 4):
            held.refuse()
        layer.flags = flags.data
        layer.offsets = held.exactly[uint32_t](b"offsets", flags.n + 1)
        layer.text = held.exactly[uint8_t](b"text", <Py_ssize_t>layer.offsets[layer.n] * width)
        if held.has(b"weights"):
            layer.weights = held.exactly[double](b"weights", flags.n)
            layer.logs = held.exactly[int32_t](b"logs", flags.n)
        if held.has(b"partids"):
            ids = held.of[uint32_t](b"partids")
            if ids.n == 0:
                held.refuse()
            layer.n_parts = ids.n
            layer.part_ids = ids.data
            layer.part_first = held.exactly[uint32_t](b"partfirst", ids.n + 1)
            layer.parts = held.exactly[uint32_t](b"parts", layer.part_first[ids.n])
        cdef bint compile = singles < 0
        if compile:
            for i in range(flags.n):
                if flags[i] & 7 != 7:
                    used |= 1u << (flags[i] >> 5 & 3)
                if flags[i] & 7 == 2 and layer.logs == NULL:
                    held.refuse()
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
        if check and not valid(layer[0]):
            raise ValueError("the columns of the user dictionary do not fit together")

    cdef int _attach(self, uint32_t f, sections, bint singles) except -1:
        cdef Sections* held = &self.held
        cdef string field = f"f{f}.".encode()
        held.open(sections, b"the tables of the user dictionary do not fit together")
        if not self.layer.field[f].attach(
                held.of[uint32_t](field + b"filter"), held.of[uint32_t](field + b"threes"),
                held.of[uint64_t](field + b"heads"), held.of[uint32_t](field + b"words"),
                held.of[uint64_t](field + b"stems"), held.of[uint32_t](field + b"stemof"),
                held.of[uint32_t](field + b"lengths")):
            held.refuse()
        self.layer.field[f].singles = singles
        return 0

    @property
    def singles(self):
        """One bit per field, set if it has entries of one character."""
        cdef uint32_t f, out = 0
        for f in range(4):
            out |= <uint32_t>self.layer.field[f].singles << f
        return out

    def find(self, str word not None):
        """The entries with this spelling or one that folds to the same, at most one per field."""
        cdef uint32_t f, id
        out = []
        for f in range(4):
            id = self.layer.find(f, self.folds.tables[f], TextView(word))
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
        """Hashes of the entries' effect on boundaries, summed up: two numbers below 2**64.

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
    """The layers of a user dictionary, and for each the entries that a later layer shadows
    (ascending uint32 numbers)."""

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
