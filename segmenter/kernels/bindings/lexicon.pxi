# Lexicons: trie, variants of characters, words.
#
# Uses python.pxi: asked, plain.

from segmenter.kernels.bindings.decision cimport Json, Sections, string_of, WordCache
from segmenter.kernels.bindings.lexicon cimport (
    c_find_words, c_pair_filter, c_word_costs, CLexicon, CVariants, encode, Found, letters,
    LEXICON_CAPSULE, MarkedMaps, open_lexicon, read_lexicon, spell, Trie, TrieBuilder,
    variant_table, VariantTable)
from segmenter.kernels.bindings.python cimport (
    Buffer, LongCall, PyUnicode_FromKindAndData, raw, TextView)


def build_trie(ids, offsets, costs, weights, uint32_t n_ids, uint32_t single_cost):
    """Double-array units and each word's slot, as bytes; see lexicon/double_array.hpp."""
    cdef TrieBuilder builder
    cdef Buffer[uint16_t] of_ids, of_costs
    cdef Buffer[int64_t] bounds
    cdef Buffer[uint64_t] of_weights
    of_ids.take(ids, b"ids")
    bounds.take(offsets, b"offsets")
    of_costs.take(costs, b"costs")
    of_weights.take(weights, b"weights")
    cdef Py_ssize_t n = of_costs.n
    if bounds.n != n + 1 or of_weights.n != n or n == 0:
        raise ValueError("build_trie: lengths of offsets, costs and weights do not agree")
    with nogil:
        builder.build(of_ids.data, bounds.data, of_costs.data, of_weights.data, <size_t>n, n_ids,
                      single_cost)
    return raw(builder.units), raw(builder.slot_of_word)


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
    return raw(table)


def check_lexicon_meta(bytes meta not None, tags):
    """Reads the metadata of a lexicon, as they stand in its file; ``tags``: the tag of each word.
    ValueError: they are not a lexicon's."""
    cdef Buffer[uint8_t] numbers
    numbers.take(tags, b"tags")
    read_lexicon(Json.parse(string_of(meta)), numbers)


cdef class OtherTrie:
    """Looks up words in a trie outside the kernels: ``longest(ids, k)`` gives Variants::resolve the
    length of the longest word in ``ids`` that covers position ``k``."""

    cdef object longest
    cdef object error


cdef uint32_t longest_word(void* of, const uint16_t* ids, uint32_t n, uint32_t k) noexcept:
    cdef OtherTrie trie = <OtherTrie>of
    try:
        return trie.longest(PyUnicode_FromKindAndData(2, ids, n), k)
    except BaseException as error:  # raised again by the caller
        trie.error = error
        return 0


cdef class Lexicon:
    """A compiled lexicon; keeps the buffers that it points into alive.

    ``variants``: whether look-ups fold variants of Han characters.  ``longest``: see OtherTrie, for
    a lexicon whose words are in another trie; their costs are still in its sections.
    """

    cdef CLexicon lex
    cdef unique_ptr[CVariants] variants
    cdef WordCache cache
    cdef Sections held
    cdef object _costs, _letters
    cdef object _longest
    cdef uint32_t most_cost  # of a word of two characters and more
    cdef MarkedMaps marks

    def __init__(self, sections, bint variants=False, longest=None):
        cdef const VariantTable* to_fold = &variant_table() if variants else NULL
        self._longest = longest
        self.held.open(sections, b"sections of a lexicon do not fit together")
        open_lexicon(self.held, to_fold, longest is not None, self.lex, self.variants,
                     self.most_cost)
        if longest is not None:
            self._costs = memoryview(sections["words.costs"]).cast("B").cast("H")
            if len(self._costs) != self.lex.n_words:
                self.held.refuse()
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
        """The number of a word, which is folded first; -1 if the lexicon lacks it."""
        cdef uint32_t slot = self.slot(plain(word))
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
            self._costs = memoryview(raw(costs)).cast("H")
        return self._costs

    def fold(self, str text not None):
        """``text`` with every code point replaced by the canonical form that look-ups see.

        Characters in no word of the lexicon do not change.
        """
        cdef vector[uint16_t] ids
        self._encode(text, ids)
        return self.spelt(text, ids)

    cdef object spelt(self, str text, const vector[uint16_t]& ids):
        """The canonical characters of ``ids``; those of ``text`` if an id has several."""
        cdef vector[uint32_t] out
        cdef Py_ssize_t k
        cdef uint32_t letter
        cdef Buffer[uint32_t] letters
        letters.take(self._canon(), b"letters")
        out.resize(ids.size())
        for k in range(len(text)):
            letter = letters[ids[k]]
            out[k] = letter if letter else <uint32_t>ord(text[k])
        return PyUnicode_FromKindAndData(4, out.data(), <Py_ssize_t>out.size())

    def encode(self, str text not None):
        """``text`` as character ids, each id a code point of the result (all are below 0x8000).

        Characters in no word get ids that are in no word.
        """
        cdef vector[uint16_t] ids
        self._encode(text, ids)
        return PyUnicode_FromKindAndData(2, ids.data(), <Py_ssize_t>ids.size())

    cdef int _encode(self, str text, vector[uint16_t]& ids) except -1:
        cdef OtherTrie trie
        cdef TextView view = TextView(text)
        ids.resize(view.n)
        if self._longest is None:
            encode(self.lex, view, ids.data())
            return 0
        trie = OtherTrie()
        trie.longest = self._longest
        encode(self.lex, view, ids.data(), longest_word, <void*>trie)
        if trie.error is not None:
            raise trie.error
        return 0

    def decode(self, str ids not None):
        """The word with the character ids that :meth:`encode` would give."""
        cdef Buffer[uint32_t] letters
        cdef Py_ssize_t id
        letters.take(self._canon(), b"letters")
        out = []
        for c in ids:
            id = ord(c)
            if id >= letters.n:
                raise ValueError("a word has an unknown character id")
            out.append(chr(letters[id]))
        return "".join(out)

    cdef object _canon(self):
        cdef vector[uint32_t] table
        if self._letters is None:
            table = letters(self.lex)
            self._letters = memoryview(raw(table)).cast("I")
        return self._letters

    def items(self):
        """All words in the order of their numbers."""
        return self._words(False)

    def encoded_items(self):
        """All words in the form of :meth:`encode`, in the order of their numbers."""
        return self._words(True)

    cdef list _words(self, bint as_ids):
        cdef vector[uint16_t] ids
        cdef vector[size_t] offsets
        cdef vector[uint32_t] text
        cdef Buffer[uint32_t] letters
        cdef size_t i
        letters.take(self._canon(), b"letters")
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
        cdef vector[Found] out
        cdef LongCall call
        call.begin(asked)
        with nogil:
            ids.resize(view.n)
            encode(self.lex, view, ids.data())
            c_find_words(self.lex, ids.data(), ids.size(), out)
        return raw(out)
