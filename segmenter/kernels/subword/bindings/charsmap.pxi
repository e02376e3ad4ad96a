# SentencePiece's map of characters, and its normalisation.

cdef extern from "subword/calls.hpp" namespace "segmenter":
    cdef cppclass CCharsMap "segmenter::CharsMap":
        pass
    cdef cppclass SentencePieceParts:
        const CCharsMap* rules
        const CTokenFinder* symbols
        cbool mark
        cbool suffix
        cbool collapse
        uint32_t blank
    cdef cppclass CSentencePieceNormaliser "segmenter::SentencePieceNormaliser":
        pass
    shared_ptr[CCharsMap] chars_map(const uint8_t* units, size_t n_units, const char* made,
                                    size_t n_made) except +
    cbool begins_rule(const CCharsMap& rules, uint32_t cp)
    cbool shortest_rule(const CCharsMap& rules, const Text& text, vector[uint32_t]& made) except +
    shared_ptr[CSentencePieceNormaliser] sentencepiece_normaliser(
        const SentencePieceParts& parts) except +
    void normalise(const CSentencePieceNormaliser& normaliser, const Text& text,
                   vector[uint32_t]& out) except + nogil
    void normalised_spans(const CSentencePieceNormaliser& normaliser, const Text& text,
                          cbool covering, vector[uint32_t]& starts, vector[uint32_t]& ends) \
        except + nogil


cdef class CharsMap:
    """Rules that replace sequences of characters; see subword/charsmap.hpp.

    ``units``: the double array, in little-endian order; ``made``: the replacements.
    """

    cdef shared_ptr[CCharsMap] rules

    def __init__(self, units, bytes made):
        cdef Buffer[uint8_t] cells
        cells.take(units, b"units")
        self.rules = chars_map(cells.data, <size_t>cells.n // 4, made, len(made))

    def plain(self, str text):
        """Whether no rule begins with any character of ``text``."""
        cdef Py_UCS4 c
        for c in text:
            if begins_rule(dereference(self.rules), c):
                return False
        return True

    def shortest(self, str text):
        """The replacement of the shortest prefix of ``text`` that has a rule; None: none has."""
        cdef vector[uint32_t] out
        if not shortest_rule(dereference(self.rules), TextView(text), out):
            return None
        return PyUnicode_FromKindAndData(4, out.data(), <Py_ssize_t>out.size())


cdef class SentencePieceNormaliser:
    """SentencePiece's normalisation; see subword/charsmap.hpp.

    ``symbols`` stay as they are.  ``mark``: put ``blank`` before the text, with ``suffix`` after
    it.  ``collapse``: drop blanks at the ends, and collapse runs of blanks.
    """

    cdef shared_ptr[CSentencePieceNormaliser] normaliser
    cdef CharsMap rules
    cdef TokenFinder symbols

    def __init__(self, CharsMap rules not None, *, TokenFinder symbols not None, bint mark,
                 bint suffix, bint collapse, str blank):
        cdef SentencePieceParts parts
        self.rules = rules
        self.symbols = symbols
        parts.rules = rules.rules.get()
        parts.symbols = symbols.finder.get()
        parts.mark = mark
        parts.suffix = suffix
        parts.collapse = collapse
        parts.blank = ord(blank)
        self.normaliser = sentencepiece_normaliser(parts)

    def text(self, text):
        """The normalised text."""
        cdef str held = plain(text)
        cdef TextView view = TextView(held)
        cdef vector[uint32_t] out
        cdef LongCall call
        call.begin(asked)
        with nogil:
            normalise(dereference(self.normaliser), view, out)
        return PyUnicode_FromKindAndData(4, out.data(), <Py_ssize_t>out.size())

    def spans(self, text, bint covering):
        """The starts and ends in ``text`` of the characters of the normalised text, two lists.

        ``covering``: a character that replaces several covers all of them, the mark none;
        otherwise each covers the text up to where the next one comes from.
        """
        cdef str held = plain(text)
        cdef TextView view = TextView(held)
        cdef vector[uint32_t] starts, ends
        cdef LongCall call
        call.begin(asked)
        with nogil:
            normalised_spans(dereference(self.normaliser), view, covering, starts, ends)
        return starts, ends
