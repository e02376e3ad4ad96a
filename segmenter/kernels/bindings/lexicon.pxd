# Lexicons: trie, variants of characters, words.

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Json, Sections
from segmenter.kernels.bindings.python cimport Buffer, Text


cdef extern from "lexicon/double_array.hpp" namespace "segmenter":
    cdef cppclass Trie:
        const uint64_t* units
        uint32_t n_units
        uint32_t n_ids
        uint32_t child(uint32_t slot, uint32_t id) noexcept nogil


cdef extern from "lexicon/trie_builder.hpp" namespace "segmenter":
    cdef cppclass TrieBuilder:
        vector[uint64_t] units
        vector[uint32_t] slot_of_word
        void build(const uint16_t* ids, const int64_t* offsets, const uint16_t* costs,
                   const uint64_t* weights, size_t n_words, uint32_t n_ids,
                   uint32_t single_cost) except + nogil


cdef extern from "lexicon/variants.hpp" namespace "segmenter":
    cdef cppclass VariantTable:
        pass
    cdef cppclass CVariants "segmenter::Variants":
        pass


cdef extern from "lexicon/lexicon.hpp" namespace "segmenter":
    cdef cppclass CLexicon "segmenter::Lexicon":
        Trie trie
        uint32_t max_word
        uint32_t unknown_cost
        uint32_t n_words
        cbool is_word(uint32_t slot) noexcept nogil
        uint32_t word_id(uint32_t slot) noexcept nogil
    const char* LEXICON_CAPSULE "segmenter::Lexicon::kCapsule"


cdef extern from "lexicon/words.hpp" namespace "segmenter":
    cdef struct Found:
        uint32_t start
        uint32_t end
        uint32_t number
    vector[uint32_t] c_pair_filter "segmenter::pair_filter"(const Trie& trie) except + nogil
    vector[uint32_t] letters(const CLexicon& lex) except + nogil
    void spell(const CLexicon& lex, vector[uint16_t]& ids, vector[size_t]& offsets) except + nogil
    void c_word_costs "segmenter::word_costs"(const CLexicon& lex,
                                              vector[uint16_t]& costs) except + nogil
    ctypedef uint32_t (*LongestWord)(void* context, const uint16_t* ids, uint32_t n,
                                     uint32_t k) noexcept
    void encode(const CLexicon& lex, const Text& text, uint16_t* ids) except + nogil
    void encode(const CLexicon& lex, const Text& text, uint16_t* ids, LongestWord longest,
                void* context) except +
    void c_find_words "segmenter::find_words"(const CLexicon& lex, const uint16_t* ids, size_t n,
                                              vector[Found]& words) except + nogil


cdef extern from "open/open.hpp" namespace "segmenter":
    cdef cppclass MarkedMaps:
        MarkedMaps()


cdef extern from "characters.hpp" namespace "segmenter":
    const VariantTable& variant_table() except +


cdef extern from "open/metadata.hpp" namespace "segmenter":
    cdef cppclass LexiconMeta:
        pass
    LexiconMeta read_lexicon(const Json& meta, const Buffer[uint8_t]& numbers) except +


cdef extern from "opening.hpp" namespace "segmenter":
    void open_lexicon(const Sections& sections, const VariantTable* variants, cbool outside,
                      CLexicon& lex, unique_ptr[CVariants]& own, uint32_t& most_cost) except +
