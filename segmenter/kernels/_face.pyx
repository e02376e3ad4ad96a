# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The thin face of the compiled kernels; all algorithms are in the headers beside it."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "crc32.hpp" namespace "segmenter":
    cdef cppclass Crc32:
        @staticmethod
        uint32_t of(const void* data, size_t n, uint32_t seed) noexcept nogil


cdef extern from "double_array.hpp" namespace "segmenter":
    cdef cppclass CharMap:
        const uint16_t* bmp
        const uint16_t* astral_page
        const uint16_t* astral_block
    cdef cppclass Trie:
        const uint64_t* units
        uint32_t n_units
        uint32_t n_ids
        uint32_t child(uint32_t slot, uint32_t id) noexcept nogil
    cdef cppclass TrieBuilder:
        vector[uint64_t] units
        vector[uint32_t] slot_of_word
        void build(const uint16_t* ids, const int64_t* offsets, const uint16_t* costs,
                   const uint64_t* weights, size_t n_words, uint32_t n_ids,
                   uint32_t single_cost) except + nogil


cdef extern from "lattice.hpp" namespace "segmenter":
    cdef struct RuleIds:
        uint32_t zero
    cdef cppclass CLexicon "segmenter::Lexicon":
        CharMap map
        Trie trie
        const uint8_t* id_class
        uint32_t n_special
        uint32_t max_word
        uint32_t unknown_cost
        uint32_t kind_cost[9]
        RuleIds rules
        cbool numbers
        const uint64_t* terminal
        const uint32_t* rank
        uint32_t n_words
    cdef struct Piece:
        uint32_t end
        uint32_t what


cdef extern from "engine.hpp" namespace "segmenter":
    cdef struct Options:
        cbool keep_unknown
        uint32_t skip
    cdef cppclass Worker:
        vector[Piece] pieces
        size_t dropped
        void run(const CLexicon& lex, const Options& options, const void* text, int width,
                 size_t n) except + nogil
        uint64_t steps() noexcept nogil


cdef extern from "pyobjects.hpp" namespace "segmenter":
    cdef cppclass WordCache:
        cbool reserve(size_t n)
    cdef cppclass TextView:
        TextView(object text)
        const void* data
        int width
        size_t length
    object words_list(const TextView& text, const Piece* pieces, size_t n, size_t dropped,
                      WordCache& cache)
    object ends_array(const Piece* pieces, size_t n, size_t dropped)


def crc32(data, uint32_t value=0):
    """CRC-32 of a buffer, as ``zlib.crc32``."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    cdef uint32_t out
    with nogil:
        out = Crc32.of(view.buf, <size_t>view.len, value)
    PyBuffer_Release(&view)
    return out


def build_trie(const uint16_t[::1] ids, const int64_t[::1] offsets, const uint16_t[::1] costs,
               const uint64_t[::1] weights, uint32_t n_ids, uint32_t single_cost):
    """Double-array units and each word's slot, as bytes; see double_array.hpp."""
    cdef TrieBuilder builder
    cdef size_t n = costs.shape[0]
    if offsets.shape[0] != <Py_ssize_t>n + 1 or weights.shape[0] != <Py_ssize_t>n or n == 0:
        raise ValueError("build_trie: lengths of offsets, costs and weights do not agree")
    with nogil:
        builder.build(&ids[0], &offsets[0], &costs[0], &weights[0], n, n_ids, single_cost)
    units = (<const char*>builder.units.data())[:builder.units.size() * 8]
    slots = (<const char*>builder.slot_of_word.data())[:builder.slot_of_word.size() * 4]
    return units, slots


cdef class Lexicon:
    """A compiled lexicon as the kernels read it; keeps the buffers it points into alive."""

    cdef CLexicon lex
    cdef WordCache cache
    cdef list _buffers

    def __init__(self, sections):
        self._buffers = []
        cdef const uint32_t[::1] params = self._view(sections["params"]).cast("I")
        cdef const uint16_t[::1] bmp = self._view(sections["charmap.bmp"]).cast("H")
        cdef const uint16_t[::1] pages = self._view(sections["charmap.pages"]).cast("H")
        cdef const uint16_t[::1] blocks = self._view(sections["charmap.blocks"]).cast("H")
        cdef const uint8_t[::1] classes = self._view(sections["charmap.classes"])
        cdef const uint64_t[::1] units = self._view(sections["trie.units"]).cast("Q")
        cdef const uint64_t[::1] terminal = self._view(sections["words.terminal"]).cast("Q")
        cdef const uint32_t[::1] rank = self._view(sections["words.rank"]).cast("I")
        if (params.shape[0] != 45 or bmp.shape[0] != 65536 or pages.shape[0] != 4096
                or params[0] != <uint32_t>classes.shape[0]
                or units.shape[0] < params[0] or terminal.shape[0] * 64 < units.shape[0]
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
        lex.max_word = params[2]
        lex.unknown_cost = params[3]
        lex.n_words = params[4]
        lex.numbers = params[5] != 0
        for i in range(9):
            lex.kind_cost[i] = params[8 + i]
        cdef uint32_t* rules = &lex.rules.zero
        for i in range(28):
            rules[i] = params[17 + i]
        lex.terminal = &terminal[0]
        lex.rank = &rank[0]
        if not self.cache.reserve(units.shape[0]):
            raise MemoryError

    cdef object _view(self, buffer):
        view = memoryview(buffer).cast("B")
        self._buffers.append(view)
        return view


cdef class Engine:
    """One decoder over one lexicon.  Immutable; calls from any thread."""

    cdef Lexicon lexicon
    cdef Options options
    cdef vector[Worker*] idle

    def __init__(self, Lexicon lexicon not None, bint keep_unknown=False, uint32_t skip=0):
        self.lexicon = lexicon
        self.options.keep_unknown = keep_unknown
        self.options.skip = skip

    def __dealloc__(self):
        for worker in self.idle:
            del worker

    cdef Worker* acquire(self) except NULL:
        # guarded by the GIL; a re-entrant call (a finalizer run while a list is made) finds the
        # pool empty and gets a worker of its own
        cdef Worker* worker
        if self.idle.empty():
            return new Worker()
        worker = self.idle.back()
        self.idle.pop_back()
        return worker

    cdef void release(self, Worker* worker) noexcept:
        self.idle.push_back(worker)

    def cut(self, str text not None):
        """Words of ``text``, a ``list[str]``."""
        cdef Worker* worker = self.acquire()
        try:
            return self._cut(worker, text)
        finally:
            self.release(worker)

    cdef list _cut(self, Worker* worker, str text):
        cdef TextView* view = new TextView(text)
        try:
            worker.run(self.lexicon.lex, self.options, view.data, view.width, view.length)
            return words_list(view[0], worker.pieces.data(), worker.pieces.size(),
                              worker.dropped, self.lexicon.cache)
        finally:
            del view

    def ends(self, str text not None):
        """Exclusive ends of the words of ``text``, int32."""
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        try:
            worker.run(self.lexicon.lex, self.options, view.data, view.width, view.length)
            return ends_array(worker.pieces.data(), worker.pieces.size(), worker.dropped)
        finally:
            del view
            self.release(worker)

    def steps(self, str text not None):
        cdef Worker* worker = self.acquire()
        cdef TextView* view = new TextView(text)
        try:
            worker.run(self.lexicon.lex, self.options, view.data, view.width, view.length)
            return worker.steps()
        finally:
            del view
            self.release(worker)
