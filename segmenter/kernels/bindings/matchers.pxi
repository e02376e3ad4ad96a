# The Aho-Corasick automaton over a lexicon's trie.

cdef extern from "lexicon/aho_corasick.hpp" namespace "segmenter":
    cdef cppclass CAhoCorasick "segmenter::AhoCorasick":
        void build(const CLexicon& lex) except + nogil
        void scan(const CLexicon& lex, const uint16_t* ids, size_t n,
                  vector[Found]& out) except + nogil
        void find(const CLexicon& lex, const uint16_t* ids, size_t n,
                  vector[Found]& out) except + nogil
        cbool begins_word(const CLexicon& lex, uint32_t state) noexcept nogil
        size_t states() noexcept nogil
        size_t bytes() noexcept nogil
        uint32_t failure_of(uint32_t state) noexcept nogil
        uint32_t output_of(uint32_t state) noexcept nogil
        uint32_t length_of(uint32_t state) noexcept nogil


cdef class AhoCorasick:
    """The automaton over a lexicon's double array; see lexicon/aho_corasick.hpp.  Immutable."""

    cdef Lexicon lexicon
    cdef CAhoCorasick automaton

    def __init__(self, Lexicon lexicon not None):
        self.lexicon = lexicon
        with nogil:
            self.automaton.build(lexicon.lex)

    def find(self, str text not None, bint by_end=False):
        """All words in ``text``: uint32 triples (start, end, number) as bytes.

        They are sorted by start, then by end; with ``by_end`` by end, longest first, which is the
        automaton's order.
        """
        cdef TextView view = TextView(text)
        cdef vector[uint16_t] ids
        cdef vector[Found] out
        with nogil:
            ids.resize(view.n)
            encode(self.lexicon.lex, view, ids.data())
            if by_end:
                self.automaton.scan(self.lexicon.lex, ids.data(), ids.size(), out)
            else:
                self.automaton.find(self.lexicon.lex, ids.data(), ids.size(), out)
        return raw(out)

    def state(self, str prefix not None):
        """The state after ``prefix``; -1 if no word begins with it."""
        cdef uint32_t slot = self.lexicon.slot(prefix)
        if slot == 0:
            return -1 if prefix else 0
        if not self.automaton.begins_word(self.lexicon.lex, slot):
            return -1
        return slot

    def links(self, uint32_t state):
        """The failure state, output state (0: none) and path length of a state."""
        if state >= self.lexicon.lex.trie.n_units:
            raise IndexError("state out of range")
        return (self.automaton.failure_of(state), self.automaton.output_of(state),
                self.automaton.length_of(state))

    @property
    def states(self):
        return self.automaton.states()

    @property
    def nbytes(self):
        """Bytes of memory that the links take."""
        return self.automaton.bytes()
