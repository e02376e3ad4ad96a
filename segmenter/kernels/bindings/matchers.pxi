# The Aho-Corasick automaton over a lexicon's trie.
#
# Uses lexicon.pxi: Lexicon.

from segmenter.kernels.bindings.lexicon cimport encode, Found
from segmenter.kernels.bindings.matchers cimport CAhoCorasick
from segmenter.kernels.bindings.python cimport raw, TextView


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

    @property
    def states(self):
        return self.automaton.states()

    @property
    def nbytes(self):
        """Bytes of memory that the links take."""
        return self.automaton.bytes()
