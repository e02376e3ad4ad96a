# The user's words.
#
# Uses python.pxi: plain; decision.pxi: decoded.

from segmenter.kernels.bindings.decision cimport encoded, Json, Sections, string_of
from segmenter.kernels.bindings.python cimport (
    Buffer, PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyUnicode_DecodeUTF8,
    PyUnicode_FromKindAndData, TextView)
from segmenter.kernels.bindings.user cimport (
    attach_user, c_read_count, CJiebaRow, CUserBuilder, CUserDictionary, CUserLayer,
    CUserReader, fold_tables, index_user, kUserLevels, kUserTables, LineFault, Lines, open_user,
    put_sections, put_tables, read_user, string_view, TextFormat, UserColumns, UserMeta, UserMore, valid)

USER_FIELDS = tuple([kUserTables[i].decode() for i in range(4)])
USER_LEVELS = tuple([kUserLevels[i].decode() for i in range(4)])
TEXT_FORMATS = ("auto", "tsv", "jieba")


def read_user_meta(bytes meta not None, size_t rows):
    """The metadata of a compiled user dictionary whose columns have so many rows, of the text that
    stands in its file.  ValueError: they are not a user dictionary's."""
    cdef UserMeta found = read_user(Json.parse(string_of(meta)), rows)
    return {
        "entries": found.entries, "width": found.width,
        "lineends": found.line_ends, "tags": names_of(found.tags), "sources": names_of(found.sources),
        "identity": [int(part) for part in names_of(found.identity)],
    }


cdef class UserLayer:
    """One layer of a user dictionary over its sections; see user/tables.hpp.

    ``sections``: text, offsets, flags; weights, logs, partids, partfirst and parts if entries have
    them; and the tables of field f as ``f<f>.<name>``, or, if ``compiles``, those are compiled and
    stored in :attr:`tables`.  ``check``: whether to check that the tables are safe to use.
    """

    cdef CUserLayer layer
    cdef readonly dict tables
    cdef Sections held

    def __init__(self, sections, int width, bint line_ends, bint compiles=True, bint check=False):
        self.tables = {}
        self.held.open(sections, b"the columns of the user dictionary do not fit together")
        open_user(self.held, width, line_ends, self.layer)
        if check and not valid(self.layer):  # before tables are compiled of them
            raise ValueError("the columns of the user dictionary do not fit together")
        if compiles:
            put_tables(fold_tables(), self.layer, self.tables)
            self.held.open(self.tables, b"")
        attach_user(self.held, self.layer)
        if check and not valid(self.layer):
            raise ValueError("the columns of the user dictionary do not fit together")
        index_user(fold_tables(), self.layer)

    def find(self, word):
        """The entries with this spelling or one that folds to the same, at most one per field."""
        cdef uint32_t f, id
        cdef str spelt = plain(word)
        out = []
        for f in range(4):
            id = self.layer.find(f, fold_tables()[f], TextView(spelt))
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
        cdef Buffer[uint32_t] gone
        self._buffers = []
        cdef int f
        for layer, column in zip(layers, dead):
            column = memoryview(column).cast("B").cast("I")
            gone.take(column, b"dead")
            self._buffers.append((layer, column))
            self.words.layers.push_back(layer.layer)
            if gone.n:
                self.words.layers.back().dead = gone.data
                self.words.layers.back().n_dead = gone.n
            for f in range(4):
                if layer.layer.field[f].there:
                    self.words.fold[f] = fold_tables()[f]


# --- entries, before they are columns ------------------------------------------------------------

cdef inline string_view viewed(bytes data):
    return string_view(PyBytes_AS_STRING(data), <size_t>len(data))


cdef inline bytes spelt_as(str text):
    return text.encode("utf-8", "surrogatepass")


cdef class UserBuilder:
    """Entries that become the columns of a layer; see user/columns.hpp."""

    cdef unique_ptr[CUserBuilder] builder
    cdef vector[uint32_t] word

    def __cinit__(self):
        self.builder.reset(new CUserBuilder())

    def __len__(self):
        return self.builder.get().size()

    cdef int put(self, str word, uint8_t flags, UserMore& more) except -1:
        cdef TextView text = TextView(word)
        cdef size_t k
        self.word.resize(text.n)
        for k in range(text.n):
            self.word[k] = text[k]
        self.builder.get().add(self.word.data(), text.n, flags, more)
        return 0

    def add(self, word, uint8_t flags, double weight=0.0, tag="", payload=b"", cuts=(), source="",
            uint32_t line=0):
        """Add an entry: level and flags as in user/tables.hpp, payload as JSON, where inner parts
        end, and the file and line that it was read from.  ValueError: it is impossible."""
        cdef UserMore more
        cdef bytes packed = payload
        cdef bytes tagged = spelt_as(plain(tag)), named = spelt_as(plain(source))
        cdef vector[uint32_t] inner = cuts
        more.weight = weight
        more.tag, more.payload, more.source = viewed(tagged), viewed(packed), viewed(named)
        more.cuts = inner.data()
        more.n_cuts = inner.size()
        more.line = line
        self.put(plain(word), flags, more)

    def add_plain(self, words, uint8_t flags):
        """Add words that have nothing but their text."""
        cdef UserMore more
        cdef str word
        for word in words:
            self.put(word, flags, more)

    def read(self, text, str source not None, format, int level, uint8_t marks,
             bint strict):
        """Add the entries of a text; ``level``: -1, or that of all rows; ``marks``: flags of rows
        without options; ``strict``: the first fault ends it.

        Returns the format, the number of rows used, of lines, of lines that end with CR LF, whether
        there was a byte order mark, and faults: line, kind, reason, and the bytes of a line that is
        not UTF-8.  ValueError: the text is UTF-16.
        """
        cdef CUserReader* reader = new CUserReader(self.builder.get()[0])
        cdef Buffer[uint8_t] held
        try:
            held.take(text, b"text")
            reader.format = <TextFormat><int>TEXT_FORMATS.index(format)
            reader.level = level
            reader.marks = marks
            reader.strict = strict
            reader.source = encoded(source)
            reader.read(buffered(held))
            return (TEXT_FORMATS[<int>reader.format], reader.rows, reader.lines, reader.crlf,
                    reader.mark, faults_of(reader.faults))
        finally:
            del reader

    def sections(self):
        """The columns as sections of a file, and their metadata."""
        cdef UserColumns columns = self.builder.get().columns()
        cdef dict sections = {}
        put_sections(columns, sections)
        return sections, {
            "width": columns.width,
            "tags": names_of(columns.tag_names),
            "sources": names_of(columns.source_names),
            "lineends": columns.line_ends,
            "entries": columns.live,
        }


# --- text line by line ---------------------------------------------------------------------------

cdef inline string_view buffered(Buffer[uint8_t]& held):
    return string_view(<const char*>held.data, <size_t>held.n)


cdef inline bytes bytes_of(string_view text):
    return PyBytes_FromStringAndSize(text.data(), <Py_ssize_t>text.size())


cdef inline str text_of(string_view text):
    return PyUnicode_DecodeUTF8(text.data(), <Py_ssize_t>text.size(), NULL)


cdef list names_of(const vector[string]& names):
    cdef size_t k
    return [decoded(names[k]) for k in range(names.size())]


cdef list faults_of(const vector[LineFault]& faults):
    cdef size_t k
    return [(faults[k].line, faults[k].kind.decode(),
             decoded(faults[k].reason, b"replace"), bytes_of(faults[k].raw))
            for k in range(faults.size())]


def text_lines(data):
    """The lines of a text that are not blank, as (number, line); how many there are in all, how
    many end with CR LF, whether there was a byte order mark; and faults as of
    :meth:`UserBuilder.read`.

    ValueError: the text is UTF-16.
    """
    cdef vector[LineFault] faults
    cdef Buffer[uint8_t] held
    held.take(data, b"data")
    cdef Lines* lines = new Lines(buffered(held))
    cdef list out = []
    try:
        while lines.next(faults):
            out.append((lines.number, text_of(lines.text)))
        return out, lines.number, lines.crlf, lines.mark, faults_of(faults)
    finally:
        del lines


def jieba_row(str line not None):
    """Word, weight and tag of a line of jieba's, "" for what it lacks, and whether it is surely
    one: not ``iPhone 15``."""
    cdef bytes data = line.encode("utf-8", "replace")
    cdef CJiebaRow* row = new CJiebaRow(viewed(data))
    try:
        return text_of(row.word), text_of(row.weight), text_of(row.tag), row.unambiguous()
    finally:
        del row


def read_count(str text not None):
    """The non-negative number in a field, or None."""
    cdef bytes data = text.encode("utf-8", "replace")
    cdef double value = 0
    return value if c_read_count(viewed(data), value) else None
