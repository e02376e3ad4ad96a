# Part-of-speech taggers.
#
# Uses python.pxi: asked; lexicon.pxi: Lexicon; user.pxi: names_of; pos_words.pxi: _pos_words.

from segmenter.kernels.bindings.decision cimport Json, Sections, string_of
from segmenter.kernels.bindings.pos cimport (
    decide_tags, open_pos, PosKnown, TagCache, TagCall)
from segmenter.kernels.bindings.pos_words cimport CPosModel, kNoTag, kShapes, PosScratch, PosWord
from segmenter.kernels.bindings.python cimport give_turn, LongCall, Pool, TURN

POS_SHAPES = kShapes


cdef class TaggedWords:
    """What an engine's words and one tagger gave so far.

    An engine that meets another tagger gets another of these: calls under way keep theirs.
    """

    cdef TagCache cache


cdef class PosTagger:
    """A compiled part-of-speech tagger (pos/pos.hpp); keeps its lexicon and buffers alive."""

    cdef CPosModel model
    cdef PosKnown known
    cdef readonly Lexicon lexicon
    cdef readonly list names
    cdef Sections held
    cdef Pool[TagCall] calls

    def __init__(self, Lexicon lexicon not None, sections, bytes meta not None):
        cdef vector[string] tags
        self.lexicon = lexicon
        self.held.open(sections, b"sections of a part-of-speech tagger do not fit together")
        open_pos(self.held, Json.parse(string_of(meta)), lexicon.lex, self.model, tags)
        self.names = names_of(tags)
        self.known.begin(self.model, lexicon.lex.trie.n_units)

    cdef int _run(self, list words, given, PosScratch& scratch) except -1:
        cdef vector[PosWord] found
        cdef LongCall call
        cdef uint32_t tag
        cdef Py_ssize_t i, n = len(words)
        if given is not None and len(given) != n:
            raise ValueError("given: expected one tag or None per word")
        _pos_words(self.lexicon.lex, words, found, self.model.n_classes)
        scratch.begin(<size_t>n, self.model, self.known.boundary())
        for i in range(n):
            if i % TURN == TURN - 1:
                give_turn()
            tag = kNoTag
            if given is not None and given[i] is not None and given[i] in self.names:
                tag = <uint32_t>self.names.index(given[i])
            self.known.look_up(found[i])
            scratch.push(found[i], tag)
        scratch.end()
        call.begin(asked)
        with nogil:
            decide_tags(self.model, self.known, scratch)
        return 0

    def tags(self, list words not None, given=None):
        """The tags of a list of words.  ``given``: a known tag or None for each word."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        self._run(words, given, scratch)
        names = self.names
        return [names[scratch.tag(i)] for i in range(len(words))]

    def pairs(self, list words not None):
        """``(word, tag)`` for each of a list of words."""
        cdef PosScratch scratch
        cdef Py_ssize_t i
        cdef list names = self.names
        self._run(words, None, scratch)
        return [(words[i], names[scratch.tag(i)]) for i in range(len(words))]

    def classes(self, list words not None):
        """The class and slot of each word, as used by the features."""
        cdef vector[PosWord] found
        cdef size_t i
        _pos_words(self.lexicon.lex, words, found, self.model.n_classes)
        return [(found[i].cls, found[i].id) for i in range(found.size())]
