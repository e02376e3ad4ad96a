# The steps before a subword model: patterns that split a text, replaced characters, added tokens.
#
# Uses python.pxi: plain.

from segmenter.kernels.bindings.python cimport (
    Buffer, PyBytes_AS_STRING, PyUnicode_FromKindAndData, Text, TextView)
from segmenter.kernels.subword.bindings.cutting cimport (
    CReplacements, CTokenFinder, CutBehaviour, ExpressionInst, ExpressionMatch, find_matches,
    find_spans, find_tokens, PieceList, PreTokenScanner, ScanKind, ScannerStep, ScanRule,
    SubwordCaller, SubwordPiece, SubwordSpan, token_finder)


cdef vector[uint32_t] code_points(str text) except *:
    cdef vector[uint32_t] out
    for c in text:
        out.push_back(ord(c))
    return out


cdef int add_piece(PieceList& pieces, object piece, uint32_t id) except -1:
    cdef Text view
    if isinstance(piece, bytes):
        view.data, view.width, view.n = PyBytes_AS_STRING(piece), 1, <size_t>len(piece)
    else:
        piece = plain(piece)
        view = TextView(piece)
    pieces.add(view, id)
    return 0


cdef int set_rule(ScanRule& rule, object given) except -1:
    cdef Py_ssize_t i
    bits, kind, rule.digits, rule.contraction, rule.long_s, rule.slash, rule.end_first, most = given
    if len(bits) != 256 or not 0 < kind < 6 or len(most) > 256:
        raise ValueError("steps: a damaged rule")
    for i in range(256):
        rule.bits[i] = bits[i]
        rule.most[i] = most[i] if i < len(most) else 0
    rule.kind = <ScanKind><int>kind
    return 0


cdef class Scanner:
    """Patterns that split a text, applied one after another; see subword/expressions.hpp.

    ``classes``: (first, last, class) of code points.  ``sets``: 256 bytes each, one per class.
    ``steps``: (instructions, four uint32 each; start of each alternative; for each class, the
    alternatives that it may begin; whether one may be empty; behaviour; invert; rule).  A rule is
    None or (bits of each class, kind, digits, contraction, long s, slash, end first, maximum
    lengths of runs); see ``segmenter.subword.rules``.
    """

    cdef PreTokenScanner scanner

    def __cinit__(self):
        self.scanner.classes.resize(0x110000)

    def __init__(self, classes, sets, steps):
        cdef Buffer[uint32_t] code, starts, first
        cdef Buffer[uint8_t] members
        cdef ExpressionInst inst
        cdef Py_ssize_t i
        cdef ScannerStep* step
        for low, high, cls in classes:
            for i in range(low, min(high, 0x10FFFF) + 1):
                self.scanner.classes[i] = cls
        for one in sets:
            members.take(one, b"sets")
            if members.n != 256:
                raise ValueError("sets: expected 256 bytes each")
            for i in range(256):
                self.scanner.sets.push_back(members[i])
        self.scanner.steps.resize(len(steps))
        for k, (instructions, alternatives, begins, empty, behaviour, invert, rule) in enumerate(
                steps):
            code.take(instructions, b"steps")
            starts.take(alternatives, b"steps")
            first.take(begins, b"steps")
            if code.n % 4 or first.n != 256 or not 0 <= behaviour < 5:
                raise ValueError("steps: damaged")
            step = &self.scanner.steps[k]
            for i in range(0, code.n, 4):
                inst.op, inst.a, inst.b, inst.c = code[i], code[i + 1], code[i + 2], code[i + 3]
                step.expression.code.push_back(inst)
            for i in range(starts.n):
                step.expression.starts.push_back(starts[i])
            for i in range(256):
                step.expression.first[i] = first[i]
            step.expression.empty_possible = empty
            step.behaviour = <CutBehaviour><int>behaviour
            step.invert = invert
            if rule is not None:
                set_rule(step.rule, rule)

    def spans(self, text):
        """(start, end) of each span of a text."""
        cdef unique_ptr[SubwordCaller] call
        cdef SubwordSpan span
        held = plain(text)
        call.reset(new SubwordCaller())
        find_spans(self.scanner, TextView(held), dereference(call))
        return [(span.start, span.end) for span in call.get().spans()]

    def steps(self, text):
        """The number of steps that splitting a text takes."""
        cdef unique_ptr[SubwordCaller] call
        held = plain(text)
        call.reset(new SubwordCaller())
        return find_spans(self.scanner, TextView(held), dereference(call))

    def matches(self, text):
        """(start, end) of each match of the first pattern, including empty ones."""
        cdef ExpressionMatch match
        held = plain(text)
        return [(match.start, match.end) for match in find_matches(self.scanner, TextView(held))]


cdef class CharTable:
    """Replacements of single characters; see subword/replacements.hpp."""

    cdef unique_ptr[CReplacements] table

    def __cinit__(self):
        self.table.reset(new CReplacements())

    def set(self, uint32_t cp, str made):
        """Sets the replacement of a character."""
        cdef vector[uint32_t] out = code_points(made)
        self.table.get().set(cp, out.data(), out.size())

    def apply(self, text):
        """The new text (``text`` itself if nothing changes); None if a replacement is not exactly
        one character; or the position of the first character whose replacement is not known."""
        cdef str held = plain(text)
        cdef vector[uint32_t] out
        cdef Py_ssize_t i, n = len(held)
        cdef uint64_t made
        cdef uint32_t cp
        cdef bint changed = False, odd = False
        cdef TextView view = TextView(held)
        cdef const CReplacements* table = self.table.get()
        out.resize(n)
        for i in range(n):
            cp = view[i]
            if table.same(cp):
                out[i] = cp
                continue
            made = table[0][cp]
            if made == 0:
                return i
            made = made << 1 >> 1  # without the highest bit, which marks known entries
            odd |= not 0 < made < 1 << 21
            out[i] = <uint32_t>made - 1
            changed = True
        if odd:
            return None
        if not changed:
            return held
        return PyUnicode_FromKindAndData(4, out.data(), n)


cdef class TokenFinder:
    """Finds strings in texts, leftmost and then longest; see subword/added_tokens.hpp."""

    cdef shared_ptr[CTokenFinder] finder

    def __init__(self, tokens):
        cdef PieceList pieces
        for number, token in enumerate(tokens):
            if not token:
                raise ValueError("tokens: none may be empty")
            add_piece(pieces, token, number)
        self.finder = token_finder(pieces)

    cdef size_t run(self, object text, bint first_only, vector[SubwordPiece]& out) \
            except? 0xFFFFFFFF:
        held = plain(text)
        return find_tokens(dereference(self.finder), TextView(held), first_only, out)

    def find(self, text, bint first_only=False):
        """(start, end, number of the token) from left to right, not overlapping."""
        cdef vector[SubwordPiece] out
        cdef SubwordPiece one
        self.run(text, first_only, out)
        return [(one.start, one.end, one.id) for one in out]

    def steps(self, text):
        """The number of characters that the search looks at."""
        cdef vector[SubwordPiece] out
        return self.run(text, False, out)
