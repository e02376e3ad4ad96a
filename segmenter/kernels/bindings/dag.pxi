# The word DAG, n-gram models, and paths.
#
# Uses lexicon.pxi: Lexicon.

from segmenter.kernels.bindings.dag cimport (
    CDecoder, CNgramModel, DagPath, decoder_name, Edge, GainBounds, needs_ngrams, NgramTable,
    open_ngrams, paths_of_dag, SeenKeys)
from segmenter.kernels.bindings.decision cimport Sections
from segmenter.kernels.bindings.python cimport Buffer, raw


def _decoders():
    cdef int number = 0
    while decoder_name(number) != NULL:
        yield decoder_name(number).decode()
        number += 1


#: The names of the decoders of a lattice, by their numbers.
DECODERS = tuple(_decoders())


cdef CDecoder decoder_of(str name) except *:
    return <CDecoder><int>DECODERS.index(name)


#: Those of them that need an NgramModel.
NGRAM_DECODERS = tuple([name for name in DECODERS if needs_ngrams(decoder_of(name))])


cdef class NgramModel:
    """Back-off tables over the word numbers of one lexicon; see lattice/ngram.hpp."""

    cdef CNgramModel model
    cdef unique_ptr[SeenKeys] seen
    cdef unique_ptr[GainBounds] bounds  # empty until a bigram decoder is opened
    cdef Lexicon lexicon
    cdef Sections held

    def __init__(self, sections, Lexicon lexicon not None):
        self.lexicon = lexicon
        self.bounds.reset()
        self.held.open(sections, b"the sections of the n-gram model do not fit the lexicon")
        open_ngrams(self.held, lexicon.lex.n_words, self.model, self.seen)

    cdef int find_bounds(self) except -1:
        """Finds, once, the words that no neighbour can split; only bigram decoders need them."""
        if not self.bounds:
            self.bounds.reset(new GainBounds(self.lexicon.lex, self.model))
            self.bounds.get().attach(self.model)
        return 0

    def word_margin(self, uint32_t word):
        """One more than the gain, in steps, that a word of two characters withstands
        (lattice/bounds.hpp)."""
        if word >= self.model.n_words:
            raise IndexError(f"word_margin: word {word} of {self.model.n_words}")
        self.find_bounds()
        return self.bounds.get().margin(word)

    def gain_bounds(self, uint32_t x, uint32_t a, uint32_t b, uint32_t y):
        """Bounds, in steps, of the gains of the pairs (a word that ends with x, a) and (b, a word
        that begins with y); all are character ids."""
        if max(x, a, b, y) >= self.lexicon.lex.trie.n_ids:
            raise IndexError("gain_bounds: the lexicon has fewer characters")
        self.find_bounds()
        return self.bounds.get().before(x, a), self.bounds.get().after(b, y)


def ngram_table(keys, costs, weights, uint32_t capacity):
    """Records of an open-addressing table, and the position of each key, as bytes; see
    lattice/ngram.hpp."""
    cdef Buffer[uint64_t] of_keys
    cdef Buffer[uint16_t] of_costs
    cdef Buffer[uint8_t] of_weights
    of_keys.take(keys, b"keys")
    of_costs.take(costs, b"costs")
    of_weights.take(weights, b"weights")
    cdef Py_ssize_t n = of_keys.n
    if of_costs.n != n or of_weights.n != n or capacity <= <uint64_t>n:
        raise ValueError("ngram_table: columns of different lengths, or too small a capacity")
    cdef vector[uint64_t] records
    cdef vector[uint32_t] places
    records.assign(capacity, ~<uint64_t>0)
    places.resize(n)
    if n:
        NgramTable.fill(of_keys.data, of_costs.data, of_weights.data, n, capacity,
                        records.data(), places.data())
    return raw(records), raw(places)


def dag_paths(uint32_t n, start, end, cost, str decoder, uint32_t k=0):
    """Paths through a DAG given by its edges, sorted by start and end: [(edge numbers, cost), …].

    k = 0: the decoder's own path, with cost 0; otherwise the k best.  Not for n-gram decoders, which
    need words.
    """
    cdef vector[Edge] edges
    cdef Edge edge
    cdef Py_ssize_t i
    cdef vector[DagPath] paths
    cdef CDecoder chosen = decoder_of(decoder)
    cdef Buffer[uint32_t] starts, ends, costs
    starts.take(start, b"start")
    ends.take(end, b"end")
    costs.take(cost, b"cost")
    if needs_ngrams(chosen):
        raise ValueError("this decoder needs an n-gram model")
    for i in range(starts.n):
        edge.start = starts[i]
        edge.end = ends[i]
        edge.cost = costs[i]
        edge.token_id = 0
        edge.what = <uint32_t>i
        edges.push_back(edge)
    paths = paths_of_dag(n, edges, chosen, k)
    return [(paths[i].edges, paths[i].cost) for i in range(<Py_ssize_t>paths.size())]
