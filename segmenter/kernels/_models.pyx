# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""Compiled models over a lexicon: n-grams, taggers, networks, parts of speech."""

from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from segmenter.kernels._lexicon cimport Lexicon
from segmenter.kernels.bindings.dag cimport (
    CDecoder, DagPath, decoder_name, Edge, GainBounds, needs_ngrams, NgramTable, open_ngrams,
    paths_of_dag)
from segmenter.kernels.bindings.decision cimport decoded, encoded, Json, names_of, string_of
from segmenter.kernels.bindings.lexicon cimport CLexicon, encode
from segmenter.kernels.bindings.networks cimport (
    bilstm_sets, BilstmModel, CNetworkMeta, encoder_sets, EncoderModel, kNetworkMisfit,
    NetworkSettings, open_encoder, open_network, read_network)
from segmenter.kernels.bindings.pos cimport decide_tags, open_pos
from segmenter.kernels.bindings.pos_words cimport kNoTag, kShapes, pos_word, PosScratch, PosWord
from segmenter.kernels.bindings.python cimport (
    Buffer, column_bytes, give_turn, LongCall, signal_raised, TextView, TURN)
from segmenter.kernels.bindings.tagger cimport longest_known_of, network_emissions, open_tagger


# --- n-gram models, and paths through a word DAG -------------------------------------------------

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

    def __init__(self, sections, Lexicon lexicon not None):
        self.lexicon = lexicon
        self.bounds.reset()
        self.sections.open(sections, b"the sections of the n-gram model do not fit the lexicon")
        open_ngrams(self.sections, lexicon.lex.n_words, self.model, self.seen_keys)

    cdef int find_bounds(self) except -1:
        """Finds, once, which words no neighbour can split; only bigram decoders need to know."""
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
    cdef Buffer[uint64_t] key_column
    cdef Buffer[uint16_t] cost_column
    cdef Buffer[uint8_t] weight_column
    key_column.take(keys, b"keys")
    cost_column.take(costs, b"costs")
    weight_column.take(weights, b"weights")
    cdef Py_ssize_t n = key_column.n
    if cost_column.n != n or weight_column.n != n or capacity <= <uint64_t>n:
        raise ValueError("ngram_table: columns of different lengths, or too small a capacity")
    cdef vector[uint64_t] records
    cdef vector[uint32_t] places
    records.assign(capacity, ~<uint64_t>0)
    places.resize(n)
    if n:
        NgramTable.fill(key_column.data, cost_column.data, weight_column.data, n, capacity,
                        records.data(), places.data())
    return column_bytes(records), column_bytes(places)


def dag_paths(uint32_t n, start, end, cost, str decoder, uint32_t k=0):
    """Paths through a DAG given by its edges, sorted by start and end: [(edge numbers, cost), …].

    k = 0: the decoder's own path, with cost 0; otherwise the k best.  Raises ValueError for n-gram
    decoders, which need words.
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
        edge.label = <uint32_t>i
        edges.push_back(edge)
    paths = paths_of_dag(n, edges, chosen, k)
    return [(paths[i].edges, paths[i].cost) for i in range(<Py_ssize_t>paths.size())]


# --- taggers -------------------------------------------------------------------------------------

cdef class TaggerWeights:
    """A compiled tagger; keeps its lexicon and buffers alive."""

    def __init__(self, Lexicon lexicon not None, sections):
        self.lexicon = lexicon
        self.sections.open(sections, b"the sections of the tagger do not fit together")
        open_tagger(self.sections, lexicon.lex, lexicon.most_cost, self.model)
        self.cache.reserve(<size_t>lexicon.lex.trie.n_units + self.model.n_pairs)

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that the tagger sees.

        Characters unknown to it do not change.
        """
        cdef vector[uint16_t] ids
        ids.resize(<size_t>len(text))
        encode(self.lexicon.lex, TextView(text), ids.data(), longest_known_of,
               <void*>&self.model)
        return self.lexicon.canonical(text, ids)


def instruction_sets():
    """Names of the sets of instructions with which this processor can run a BiLSTM, slowest first;
    all give the same results."""
    return [instructions.name.decode() for instructions in bilstm_sets()]


def encoder_instruction_sets():
    """The same for an encoder."""
    return [instructions.name.decode() for instructions in encoder_sets()]


cdef class NetworkMeta:
    """The metadata of one standard of a network's file; see open/metadata.hpp.

    ``meta``: JSON as in the file; ``kind``, ``name``: the file's.

    Raises:
        RuntimeError: the file lacks the standard.
        ValueError: it is not a network's.
    """

    cdef CNetworkMeta meta

    def __init__(self, bytes meta not None, str kind not None, str name not None,
                 str standard not None):
        self.meta = read_network(string_of(meta), encoded(kind), encoded(name), encoded(standard))

    @property
    def standard(self):
        return decoded(self.meta.standard)

    @property
    def linear(self):
        """The file name of the linear tagger."""
        return decoded(self.meta.linear)

    @property
    def linear_digest(self):
        return decoded(self.meta.linear_digest)

    @property
    def atoms(self):
        """The settings of atoms of the standard."""
        cdef size_t i
        return {decoded(self.meta.atoms[i].first): decoded(self.meta.atoms[i].second)
                for i in range(self.meta.atoms.size())}


cdef class NetworkWeights(TaggerWeights):
    """One standard of a compiled network on top of its linear tagger; see bilstm/model.hpp and
    encoder/model.hpp.

    ``sections``: of the file.  For tests: ``weight``: of the linear tagger's scores, None: the
    standard's; ``instructions``: a name from :func:`instruction_sets` or
    :func:`encoder_instruction_sets`, None: the fastest.
    """

    cdef BilstmModel bilstm
    cdef EncoderModel encoder  # only one of the two is opened
    cdef TaggerWeights linear
    cdef readonly str instructions

    def __init__(self, TaggerWeights tagger not None, sections, NetworkMeta meta not None,
                 weight=None, instructions=None):
        cdef NetworkSettings settings = meta.meta.settings
        cdef list names = encoder_instruction_sets() if meta.meta.encoder else instruction_sets()
        self.lexicon = tagger.lexicon
        self.linear = tagger
        self.instructions = names[len(names) - 1] if instructions is None else instructions
        if self.instructions not in names:
            raise ValueError(f"instructions: {instructions!r} is not one of {', '.join(names)}")
        number = names.index(self.instructions)
        if weight is not None:
            settings.weight = weight
        self.sections.open(sections, kNetworkMisfit)
        if meta.meta.encoder:
            self.encoder.instructions = encoder_sets()[number]
            open_encoder(self.sections, settings, tagger.model, self.encoder, self.model)
        else:
            self.bilstm.instructions = bilstm_sets()[number]
            open_network(self.sections, settings, tagger.model, self.bilstm, self.model)
        self.cache.reserve(<size_t>self.lexicon.lex.trie.n_units + self.model.n_pairs)

    def emissions(self, str text not None):
        """Scores of B, M, E relative to S at each character, int16 ``[n][4]`` as bytes; for tests.

        They are zero at blanks and line ends.
        """
        cdef TextView view = TextView(text)
        cdef vector[int16_t] scores
        with nogil:
            network_emissions(self.model, view, scores)
        return column_bytes(scores)


# --- parts of speech -----------------------------------------------------------------------------

POS_SHAPES = kShapes


cdef int look_up_words(const CLexicon& lex, list words, vector[PosWord]& entries,
                       uint32_t n_classes) except -1:
    """Looks up each word of a list of str for the features."""
    cdef Py_ssize_t i, n = len(words)
    entries.reserve(<size_t>n)
    for i in range(n):
        if i % TURN == TURN - 1:
            give_turn()
        word = words[i]
        if type(word) is not str:
            raise TypeError(f"words: item {i} must be str, not {type(word).__name__}")
        entries.push_back(pos_word(lex, TextView(word), n_classes))
    return 0


cdef class PosTagger:
    """A compiled part-of-speech tagger (pos/pos.hpp); keeps its lexicon and buffers alive."""

    def __init__(self, Lexicon lexicon not None, sections, bytes meta not None):
        cdef vector[string] tags
        self.lexicon = lexicon
        self.sections.open(sections, b"sections of a part-of-speech tagger do not fit together")
        open_pos(self.sections, Json.parse(string_of(meta)), lexicon.lex, self.model, tags)
        self.names = names_of(tags)
        self.known.begin(self.model, lexicon.lex.trie.n_units)

    cdef int _run(self, list words, given, PosScratch& scratch) except -1:
        cdef vector[PosWord] entries
        cdef LongCall call
        cdef uint32_t tag
        cdef Py_ssize_t i, n = len(words)
        if given is not None and len(given) != n:
            raise ValueError("given: expected one tag or None per word")
        look_up_words(self.lexicon.lex, words, entries, self.model.n_classes)
        scratch.begin(<size_t>n, self.model, self.known.boundary())
        for i in range(n):
            if i % TURN == TURN - 1:
                give_turn()
            tag = kNoTag
            if given is not None and given[i] is not None and given[i] in self.names:
                tag = <uint32_t>self.names.index(given[i])
            self.known.look_up(entries[i])
            scratch.push(entries[i], tag)
        scratch.end()
        call.begin(signal_raised)
        with nogil:
            decide_tags(self.model, self.known, scratch)
        return 0

    def tags(self, list words not None, given=None):
        """The tags of words.  ``given``: the tag of each word that has one already, else None."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        self._run(words, given, scratch)
        names = self.names
        return [names[scratch.tag(i)] for i in range(len(words))]

    def pairs(self, list words not None):
        """``(word, tag)`` for each word."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        cdef list names = self.names
        self._run(words, None, scratch)
        return [(words[i], names[scratch.tag(i)]) for i in range(len(words))]

    def classes(self, list words not None):
        """The class and slot of each word, as used by the features."""
        cdef vector[PosWord] entries
        cdef size_t i
        look_up_words(self.lexicon.lex, words, entries, self.model.n_classes)
        return [(entries[i].cls, entries[i].id) for i in range(entries.size())]
