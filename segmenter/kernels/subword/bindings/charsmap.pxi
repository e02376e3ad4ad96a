# SentencePiece's map of characters, and its normalisation.
#
# Uses python.pxi: asked, plain; cutting.pxi: TokenFinder.

from segmenter.kernels.bindings.python cimport Buffer, LongCall, PyUnicode_FromKindAndData, TextView
from segmenter.kernels.subword.bindings.charsmap cimport (
    begins_rule, CCharsMap, chars_map, CSentencePieceNormaliser, normalise, normalised_spans,
    sentencepiece_normaliser, SentencePieceParts, shortest_rule)


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
