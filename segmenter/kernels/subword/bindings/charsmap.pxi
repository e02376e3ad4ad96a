# SentencePiece's map of characters, and its normalisation.

cdef extern from "subword/charsmap.hpp" namespace "segmenter":
    cdef cppclass CCharsMap "segmenter::CharsMap":
        CCharsMap(const uint8_t* units, size_t n_units, const char* made, size_t n_made) except +
        cbool begins(uint32_t cp)
        size_t find[Char](const Char* t, size_t at, size_t n, cbool shortest,
                          vector[uint32_t]& out) except +
    cdef cppclass CSentencePieceNormaliser "segmenter::SentencePieceNormaliser":
        const CCharsMap* rules
        const CTokenFinder* symbols
        cbool mark
        cbool suffix
        cbool collapse
        uint32_t blank
        void run(const Text& text, vector[uint32_t]& out) except + nogil
        void spans(const Text& text, cbool covering, vector[uint32_t]& starts,
                   vector[uint32_t]& ends) except + nogil


cdef class CharsMap:
    """Rules that replace sequences of characters; see subword/charsmap.hpp.

    ``units``: the double array, in little-endian order; ``made``: the replacements.
    """

    cdef unique_ptr[CCharsMap] rules

    def __init__(self, const uint8_t[::1] units, bytes made):
        cdef const uint8_t* first = &units[0] if units.shape[0] else NULL
        self.rules.reset(new CCharsMap(first, <size_t>units.shape[0] // 4, made, len(made)))

    def plain(self, str text):
        """Whether no rule begins with any character of ``text``."""
        cdef Py_UCS4 c
        for c in text:
            if self.rules.get().begins(c):
                return False
        return True

    def shortest(self, str text):
        """The replacement of the shortest prefix of ``text`` that has a rule; None: none has."""
        cdef vector[uint32_t] held = code_points(text), out
        if not self.rules.get().find(held.data(), 0, held.size(), True, out):
            return None
        return PyUnicode_FromKindAndData(4, out.data(), <Py_ssize_t>out.size())


cdef class SentencePieceNormaliser:
    """SentencePiece's normalisation; see subword/charsmap.hpp.

    ``symbols`` stay as they are.  ``mark``: put ``blank`` before the text, with ``suffix`` after
    it.  ``collapse``: drop blanks at the ends, and collapse runs of blanks.
    """

    cdef CSentencePieceNormaliser normaliser
    cdef CharsMap rules
    cdef TokenFinder symbols

    def __init__(self, CharsMap rules not None, *, TokenFinder symbols not None, bint mark,
                 bint suffix, bint collapse, str blank):
        self.rules = rules
        self.symbols = symbols
        self.normaliser.rules = rules.rules.get()
        self.normaliser.symbols = &symbols.finder
        self.normaliser.mark = mark
        self.normaliser.suffix = suffix
        self.normaliser.collapse = collapse
        self.normaliser.blank = ord(blank)

    def text(self, text):
        """The normalised text."""
        cdef str held = plain(text)
        cdef TextView view = TextView(held)
        cdef vector[uint32_t] out
        cdef LongCall call
        call.begin(asked)
        with nogil:
            self.normaliser.run(view, out)
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
            self.normaliser.spans(view, covering, starts, ends)
        return starts, ends
