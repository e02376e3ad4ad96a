# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""Compiled files, lexicons, and words of the user."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from segmenter.kernels.bindings.decision cimport (
    decoded, encoded, Json, names_of, Sections, string_of)
from segmenter.kernels.bindings.files cimport Container, Crc32
from segmenter.kernels.bindings.lexicon cimport (
    c_find_words, c_pair_filter, c_word_costs, encode, Found, letters, LEXICON_CAPSULE,
    open_lexicon, read_lexicon, spell, Trie, TrieBuilder, variant_table, VariantTable)
from segmenter.kernels.bindings.matchers cimport CAhoCorasick
from segmenter.kernels.bindings.python cimport (
    Buffer, column_bytes, exact_str, LongCall, PyBytes_FromStringAndSize, PyUnicode_DecodeUTF8,
    PyUnicode_FromKindAndData, signal_raised, TextView)
from segmenter.kernels.bindings.user cimport (
    attach_user, bytes_view, c_read_count, CJiebaRow, CUserBuilder, CUserLayer, CUserReader,
    fold_tables, index_user, is_valid, kUserLevels, kUserTables, LineFault, Lines, open_user,
    put_sections, put_tables, read_user, string_view, TextFormat, UserColumns, UserMeta, UserMore)


# --- compiled files ------------------------------------------------------------------------------

def crc32(data, uint32_t value=0):
    """CRC-32 of a buffer, as ``zlib.crc32``."""
    cdef Py_buffer buffer
    PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE)
    with nogil:
        value = Crc32.of(buffer.buf, <size_t>buffer.len, value)
    PyBuffer_Release(&buffer)
    return value


def read_container(view, str kind, bint verify):
    """A compiled file's format version, kind, digest and (offset, length) of each section by name.

    ``kind``: the kind that is expected, None: any; ``verify``: whether to check every byte.  Raises
    ValueError(reason, whether a later version made the file).
    """
    cdef Py_buffer buffer
    cdef Container container
    cdef const uint8_t* file
    cdef uint64_t size
    cdef bytes kind_bytes = b"" if kind is None else kind.encode()
    cdef const char* expected = NULL
    PyObject_GetBuffer(view, &buffer, PyBUF_SIMPLE)
    if kind is not None:
        expected = kind_bytes
    file, size = <const uint8_t*>buffer.buf, <uint64_t>buffer.len
    try:
        container.read(file, size, expected)
        if verify:
            with nogil:
                container.verify(file, size)
    except ValueError as error:
        raise ValueError(str(error), container.newer) from None
    finally:
        PyBuffer_Release(&buffer)
    cdef size_t k
    sections = {decoded(container.sections[k].name, NULL):
                (container.sections[k].offset, container.sections[k].length)
                for k in range(container.sections.size())}
    return (container.version, decoded(container.kind, NULL), decoded(container.digest, NULL),
            sections)


# --- lexicons ------------------------------------------------------------------------------------

def build_trie(ids, offsets, costs, weights, uint32_t n_ids, uint32_t single_cost):
    """Double-array units and each word's slot, as bytes; see lexicon/double_array.hpp."""
    cdef TrieBuilder builder
    cdef Buffer[uint16_t] id_column, cost_column
    cdef Buffer[int64_t] offset_column
    cdef Buffer[uint64_t] weight_column
    id_column.take(ids, b"ids")
    offset_column.take(offsets, b"offsets")
    cost_column.take(costs, b"costs")
    weight_column.take(weights, b"weights")
    cdef Py_ssize_t n = cost_column.n
    if offset_column.n != n + 1 or weight_column.n != n or n == 0:
        raise ValueError("build_trie: lengths of offsets, costs and weights do not agree")
    with nogil:
        builder.build(id_column.data, offset_column.data, cost_column.data, weight_column.data,
                      <size_t>n, n_ids, single_cost)
    return column_bytes(builder.units), column_bytes(builder.slot_of_word)


def pair_filter(units, uint32_t n_ids):
    """The filter of pairs of characters for a trie's units, as bytes."""
    cdef Buffer[uint64_t] cells
    cells.take(units, b"units")
    if cells.n < n_ids:
        raise ValueError("pair_filter: fewer units than character ids")
    cdef vector[uint32_t] table
    cdef Trie trie
    trie.units, trie.n_units, trie.n_ids = cells.data, <uint32_t>cells.n, n_ids
    with nogil:
        table = c_pair_filter(trie)
    return column_bytes(table)


def check_lexicon_meta(bytes meta not None, tags):
    """Checks the metadata of a lexicon, JSON as in its file; ``tags``: the number of each word's
    tag.  Raises ValueError if they are not a lexicon's."""
    cdef Buffer[uint8_t] numbers
    numbers.take(tags, b"tags")
    read_lexicon(Json.parse(string_of(meta)), numbers)


cdef class OutsideTrie:
    """A trie outside the kernels, and the exception that it raised: ``longest(ids, k)`` returns the
    length of the longest word in ``ids`` that covers position ``k``."""

    cdef object longest, error


cdef uint32_t longest_word(void* context, const uint16_t* ids, uint32_t n, uint32_t k) noexcept:
    cdef OutsideTrie trie = <OutsideTrie>context
    try:
        return trie.longest(PyUnicode_FromKindAndData(2, ids, n), k)
    except BaseException as error:  # raised again by _encode()
        trie.error = error
        return 0


cdef class Lexicon:
    """A compiled lexicon; keeps the buffers that it points into alive.

    ``variants``: whether look-ups fold variants of Han characters.  ``longest``: of an OutsideTrie
    that has the words instead; their costs are in ``sections``.
    """

    def __init__(self, sections, bint variants=False, longest=None):
        cdef const VariantTable* table = &variant_table() if variants else NULL
        self._longest = longest
        self.sections.open(sections, b"sections of a lexicon do not fit together")
        open_lexicon(self.sections, table, longest is not None, self.lex, self.variants,
                     self.most_cost)
        if longest is not None:
            self._costs = memoryview(sections["words.costs"]).cast("B").cast("H")
            if len(self._costs) != self.lex.n_words:
                self.sections.refuse()
        self.cache.reserve(self.lex.trie.n_units)

    def kernel(self):
        """The lexicon for another extension, in a capsule that lives as long as this object."""
        return PyCapsule_New(<void*>&self.lex, LEXICON_CAPSULE, NULL)

    @property
    def n_words(self):
        return self.lex.n_words

    @property
    def max_word(self):
        return self.lex.max_word

    @property
    def unknown_cost(self):
        return self.lex.unknown_cost

    def find(self, word):
        """The number of a word after folding; -1 if the lexicon lacks it."""
        cdef uint32_t slot = self.slot(exact_str(word))
        return self.lex.word_id(slot) if slot and self.lex.is_word(slot) else -1

    cdef uint32_t slot(self, str text) except? 0:
        """The slot where the walk along a text ends in the trie; 0 if it leaves the trie."""
        cdef vector[uint16_t] ids
        cdef uint32_t slot = 0
        cdef size_t i
        self._encode(text, ids)
        for i in range(ids.size()):
            slot = ids[0] if i == 0 else self.lex.trie.child(slot, ids[i])
            if slot == 0:
                break
        return slot

    def cost(self, word):
        """The cost of a word in units of 1/2048 nat; -1 if the lexicon lacks it."""
        number = self.find(word)
        return -1 if number < 0 else int(self.word_costs()[number])

    def word_costs(self):
        """Costs by word number, a read-only view of uint16."""
        cdef vector[uint16_t] costs
        if self._costs is None:
            with nogil:
                c_word_costs(self.lex, costs)
            self._costs = memoryview(column_bytes(costs)).cast("H")
        return self._costs

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that look-ups see.

        Characters in no word of the lexicon do not change.
        """
        cdef vector[uint16_t] ids
        self._encode(text, ids)
        return self.canonical(text, ids)

    cdef object canonical(self, str text, const vector[uint16_t]& ids):
        """The canonical characters of ``ids``; those of ``text`` if an id has several."""
        cdef vector[uint32_t] characters
        cdef Py_ssize_t k
        cdef uint32_t letter
        cdef Buffer[uint32_t] letters
        letters.take(self._letter_column(), b"letters")
        characters.resize(ids.size())
        for k in range(len(text)):
            letter = letters[ids[k]]
            characters[k] = letter if letter else <uint32_t>ord(text[k])
        return PyUnicode_FromKindAndData(4, characters.data(), <Py_ssize_t>characters.size())

    def encode(self, str text not None):
        """``text`` as character ids, each id a code point of the result (all are below 0x8000).

        Characters in no word get ids that are in no word.
        """
        cdef vector[uint16_t] ids
        self._encode(text, ids)
        return PyUnicode_FromKindAndData(2, ids.data(), <Py_ssize_t>ids.size())

    cdef int _encode(self, str text, vector[uint16_t]& ids) except -1:
        cdef OutsideTrie trie
        cdef TextView view = TextView(text)
        ids.resize(view.n)
        if self._longest is None:
            encode(self.lex, view, ids.data())
            return 0
        trie = OutsideTrie()
        trie.longest = self._longest
        encode(self.lex, view, ids.data(), longest_word, <void*>trie)
        if trie.error is not None:
            raise trie.error
        return 0

    def decode(self, str ids not None):
        """The word that :meth:`encode` gives these ids."""
        cdef Buffer[uint32_t] letters
        cdef Py_ssize_t id
        letters.take(self._letter_column(), b"letters")
        characters = []
        for c in ids:
            id = ord(c)
            if id >= letters.n:
                raise ValueError("a word has an unknown character id")
            characters.append(chr(letters[id]))
        return "".join(characters)

    cdef object _letter_column(self):
        """The canonical character of each id, 0 if it has several, a read-only view of uint32."""
        cdef vector[uint32_t] table
        if self._letters is None:
            table = letters(self.lex)
            self._letters = memoryview(column_bytes(table)).cast("I")
        return self._letters

    def items(self):
        """All words in the order of their numbers."""
        return self._words(False)

    def encoded_items(self):
        """The same in the form of :meth:`encode`."""
        return self._words(True)

    cdef list _words(self, bint as_ids):
        cdef vector[uint16_t] ids
        cdef vector[size_t] offsets
        cdef vector[uint32_t] text
        cdef Buffer[uint32_t] letters
        cdef size_t i
        letters.take(self._letter_column(), b"letters")
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
        """All words in ``text``, found by the trie: uint32 triples (start, end, number) as bytes,
        by start, then by end."""
        cdef TextView view = TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] words
        cdef LongCall call
        call.begin(signal_raised)
        with nogil:
            ids.resize(view.n)
            encode(self.lex, view, ids.data())
            c_find_words(self.lex, ids.data(), ids.size(), words)
        return column_bytes(words)


cdef class AhoCorasick:
    """The automaton over a lexicon's double array; see lexicon/aho_corasick.hpp.  Immutable."""

    cdef Lexicon lexicon
    cdef CAhoCorasick automaton

    def __init__(self, Lexicon lexicon not None):
        self.lexicon = lexicon
        with nogil:
            self.automaton.build(lexicon.lex)

    def find(self, str text not None):
        """The same as :meth:`Lexicon.find_words`."""
        cdef TextView view = TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] words
        with nogil:
            ids.resize(view.n)
            encode(self.lexicon.lex, view, ids.data())
            self.automaton.find(self.lexicon.lex, ids.data(), ids.size(), words)
        return column_bytes(words)


# --- words of the user ---------------------------------------------------------------------------

USER_FIELDS = tuple([kUserTables[i].decode() for i in range(4)])
USER_LEVELS = tuple([kUserLevels[i].decode() for i in range(4)])
TEXT_FORMATS = ("auto", "tsv", "jieba")


def read_user_meta(bytes meta not None, size_t rows):
    """The metadata of a compiled user dictionary; ``meta``: JSON as in its file; ``rows``: how many
    its columns have.  Raises ValueError if they are not a user dictionary's."""
    cdef UserMeta fields = read_user(Json.parse(string_of(meta)), rows)
    return {
        "entries": fields.entries, "width": fields.width, "lineends": fields.line_ends,
        "tags": names_of(fields.tags), "sources": names_of(fields.sources),
        "identity": [int(number) for number in names_of(fields.identity)],
    }


cdef class UserLayer:
    """One layer of a user dictionary over its sections; see user/tables.hpp.

    ``sections``: text, offsets, flags; weights, logs, partids, partfirst and parts if entries have
    them; and the tables of field f as ``f<f>.<name>``.  ``compiles``: these tables are compiled
    instead and put into :attr:`tables`.  ``check``: whether to check that columns and tables are
    safe to use.
    """

    cdef CUserLayer layer
    cdef readonly dict tables
    cdef Sections sections

    def __init__(self, sections, int width, bint line_ends, bint compiles=True, bint check=False):
        cdef const char* misfit = b"the columns of the user dictionary do not fit together"
        self.tables = {}
        self.sections.open(sections, misfit)
        open_user(self.sections, width, line_ends, self.layer)
        if check and not is_valid(self.layer):  # before tables are compiled of them
            self.sections.refuse()
        if compiles:
            put_tables(fold_tables(), self.layer, self.tables)
            self.sections.open(self.tables, misfit)
        attach_user(self.sections, self.layer)
        if check and not is_valid(self.layer):
            self.sections.refuse()
        index_user(fold_tables(), self.layer)

    def find(self, word):
        """The entries with this spelling or one that folds to the same, at most one per field."""
        cdef uint32_t field, id
        word = exact_str(word)
        ids = []
        for field in range(4):
            id = self.layer.find(field, fold_tables()[field], TextView(word))
            if id != ~<uint32_t>0:
                ids.append(id)
        return ids

    def spelling(self, uint32_t id):
        """The text of an entry."""
        if id >= self.layer.n:
            raise IndexError("no such entry")
        cdef size_t start = self.layer.offsets[id]
        return PyUnicode_FromKindAndData(
            self.layer.width, <const char*>self.layer.text + start * self.layer.width,
            <Py_ssize_t>(self.layer.offsets[id + 1] - start))

    def identity(self, ids):
        """The sums of two hashes of the entries' effects on boundaries, modulo 2**64.

        ``ids`` None: all entries.
        """
        cdef uint64_t hashes[2]
        cdef uint64_t first = 0, second = 0
        cdef uint32_t id
        if ids is None:
            with nogil:
                for id in range(self.layer.n):
                    self.layer.identity(id, hashes)
                    first += hashes[0]
                    second += hashes[1]
            return first, second
        for id in ids:
            if id >= self.layer.n:
                raise IndexError("no such entry")
            self.layer.identity(id, hashes)
            first += hashes[0]
            second += hashes[1]
        return first, second


cdef class UserWords:
    """The layers of a user dictionary, and for each the entries that a later layer shadows
    (ascending uint32 numbers)."""

    def __init__(self, layers, dead):
        cdef UserLayer layer
        cdef Buffer[uint32_t] numbers
        cdef int field
        self._buffers = []
        for layer, column in zip(layers, dead):
            column = memoryview(column).cast("B").cast("I")
            numbers.take(column, b"dead")
            self._buffers.append((layer, column))
            self.words.layers.push_back(layer.layer)
            if numbers.n:
                self.words.layers.back().dead = numbers.data
                self.words.layers.back().n_dead = numbers.n
            for field in range(4):
                if layer.layer.field[field].there:
                    self.words.fold[field] = fold_tables()[field]


# --- entries, before they are columns ------------------------------------------------------------

cdef inline bytes utf8_of(str text):
    return text.encode("utf-8", "surrogatepass")


cdef class UserBuilder:
    """Collects entries and makes the columns of a layer of them; see user/columns.hpp."""

    cdef unique_ptr[CUserBuilder] builder
    cdef vector[uint32_t] characters

    def __cinit__(self):
        self.builder.reset(new CUserBuilder())

    def __len__(self):
        return self.builder.get().size()

    cdef int put(self, str word, uint8_t flags, UserMore& fields) except -1:
        cdef TextView view = TextView(word)
        cdef size_t k
        self.characters.resize(view.n)
        for k in range(view.n):
            self.characters[k] = view[k]
        self.builder.get().add(self.characters.data(), view.n, flags, fields)
        return 0

    def add(self, word, uint8_t flags, double weight=0.0, tag="", payload=b"", cuts=(), source="",
            uint32_t line=0):
        """Adds an entry.  ``flags``: its level and flags as in user/tables.hpp; ``payload``: JSON;
        ``cuts``: where inner parts end; ``source``, ``line``: the file and line that it comes from.
        Raises ValueError if the entry is impossible."""
        cdef UserMore fields
        cdef bytes payload_bytes = payload
        cdef bytes tag_bytes = utf8_of(exact_str(tag)), source_bytes = utf8_of(exact_str(source))
        cdef vector[uint32_t] cut_column = cuts
        fields.weight = weight
        fields.tag, fields.payload = bytes_view(tag_bytes), bytes_view(payload_bytes)
        fields.source = bytes_view(source_bytes)
        fields.cuts = cut_column.data()
        fields.n_cuts = cut_column.size()
        fields.line = line
        self.put(exact_str(word), flags, fields)

    def add_plain(self, words, uint8_t flags):
        """Adds words that have nothing but their text."""
        cdef UserMore fields
        cdef str word
        for word in words:
            self.put(word, flags, fields)

    def read(self, text, str source not None, format, int level, uint8_t marks,
             bint strict):
        """Adds the entries of a text.  ``level``: of all rows, or -1; ``marks``: flags of rows
        without options; ``strict``: stops at the first fault.

        Returns the format, the number of rows used, of lines, of lines that end with CR LF, whether
        there was a byte order mark, and faults: line, kind, reason, and the bytes of a line that is
        not UTF-8.  Raises ValueError if the text is UTF-16.
        """
        cdef CUserReader* reader = new CUserReader(self.builder.get()[0])
        cdef Buffer[uint8_t] utf8
        try:
            utf8.take(text, b"text")
            reader.format = <TextFormat><int>TEXT_FORMATS.index(format)
            reader.level = level
            reader.marks = marks
            reader.strict = strict
            reader.source = encoded(source)
            reader.read(buffer_view(utf8))
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

cdef inline string_view buffer_view(Buffer[uint8_t]& utf8):
    return string_view(<const char*>utf8.data, <size_t>utf8.n)


cdef inline bytes bytes_of(string_view text):
    return PyBytes_FromStringAndSize(text.data(), <Py_ssize_t>text.size())


cdef inline str text_of(string_view text):
    return PyUnicode_DecodeUTF8(text.data(), <Py_ssize_t>text.size(), NULL)


cdef list faults_of(const vector[LineFault]& faults):
    cdef size_t k
    return [(faults[k].line, faults[k].kind.decode(),
             decoded(faults[k].reason, b"replace"), bytes_of(faults[k].raw))
            for k in range(faults.size())]


def text_lines(data):
    """The lines of a text that are not blank, as (number, line); the number of all lines, and of
    those that end with CR LF; whether there was a byte order mark; and faults as of
    :meth:`UserBuilder.read`.  Raises ValueError if the text is UTF-16.
    """
    cdef vector[LineFault] faults
    cdef Buffer[uint8_t] utf8
    utf8.take(data, b"data")
    cdef Lines* lines = new Lines(buffer_view(utf8))
    cdef list rows = []
    try:
        while lines.next(faults):
            rows.append((lines.number, text_of(lines.text)))
        return rows, lines.number, lines.crlf, lines.mark, faults_of(faults)
    finally:
        del lines


def jieba_row(str line not None):
    """Word, weight and tag of a line in jieba's format, "" for what it lacks, and whether the line
    can mean nothing else, as ``iPhone 15`` can."""
    cdef bytes utf8 = line.encode("utf-8", "replace")
    cdef CJiebaRow* row = new CJiebaRow(bytes_view(utf8))
    try:
        return text_of(row.word), text_of(row.weight), text_of(row.tag), row.unambiguous()
    finally:
        del row


def read_count(str text not None):
    """The non-negative number in a field; None if it is none."""
    cdef bytes utf8 = text.encode("utf-8", "replace")
    cdef double value = 0
    return value if c_read_count(bytes_view(utf8), value) else None
