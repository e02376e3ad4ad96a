from libc.stdlib cimport calloc, free

cdef extern from "subword/model.hpp" namespace "segmenter":
    cdef uint32_t kNoPiece
    cdef struct SubwordPiece:
        uint32_t id
        uint32_t start
        uint32_t end
    cdef struct SubwordSpan:
        uint32_t start
        uint32_t end
    cdef cppclass PieceList:
        vector[uint32_t] units
        vector[uint32_t] ids
        size_t size()
        void add(const void* data, int width, size_t n, uint32_t id) except +
    cdef cppclass UnknownRule:
        uint32_t unk
        cbool fuse
        cbool byte_fallback
        uint32_t* byte_ids
    cdef cppclass SubwordScratch:
        vector[uint32_t] text
        vector[SubwordSpan] spans
        vector[SubwordPiece] pieces
        vector[uint32_t] ids
        void widen(const void* data, int width, size_t n) except + nogil
    cdef cppclass SubwordModel:
        int64_t encode_spans(const SubwordSpan* spans, size_t n_spans, SubwordScratch& s) \
            except + nogil

cdef extern from "subword/expressions.hpp" namespace "segmenter":
    cdef struct ExpressionInst:
        uint32_t op
        uint32_t a
        uint32_t b
        uint32_t c
    cdef struct ExpressionMatch:
        uint32_t start
        uint32_t end
    cdef cppclass Expression:
        vector[ExpressionInst] code
        vector[uint32_t] starts
        uint32_t* first
        cbool empty_possible
    cdef enum CutBehaviour "segmenter::CutBehaviour":
        pass
    cdef enum ScanKind "segmenter::ScanKind":
        pass
    cdef cppclass ScanRule:
        ScanKind kind
        uint32_t digits
        uint32_t contraction
        uint32_t long_s
        uint32_t slash
        uint32_t end_first
        uint8_t* bits
        uint32_t* most
    cdef cppclass ScannerStep "segmenter::PreTokenScanner::Step":
        Expression expression
        CutBehaviour behaviour
        cbool invert
        ScanRule rule
    cdef cppclass PreTokenScanner:
        vector[ScannerStep] steps
        void add(uint32_t first, uint32_t last, uint8_t cls)
        void add_set(const uint8_t* members) except +
        uint64_t run(const uint32_t* text, size_t n, SubwordScratch& s, vector[SubwordSpan]& out) \
            except + nogil
        void matches(const uint32_t* text, size_t n, SubwordScratch& s,
                     vector[ExpressionMatch]& out) except + nogil

cdef extern from "subword/added_tokens.hpp" namespace "segmenter":
    cdef cppclass CTokenFinder "segmenter::TokenFinder":
        void build(const PieceList& tokens) except +
        size_t find[Char](const Char* text, size_t n, cbool first_only, vector[Found]& out) \
            except + nogil

cdef extern from "subword/bpe.hpp" namespace "segmenter":
    cdef cppclass MergeTable:
        void reserve(size_t n) except +
        void set(uint32_t left, uint32_t right, uint32_t rank, uint32_t made)
    cdef uint8_t kPieceHidden
    cdef uint8_t kPieceWhole
    cdef cppclass BpeModel(SubwordModel):
        cbool byte_level
        uint32_t n_ids
        UnknownRule unknown
        vector[uint32_t] prefix
        vector[uint32_t] suffix
        MergeTable merges
        void build(const PieceList& pieces, const uint8_t* marks) except + nogil

cdef extern from "subword/unigram.hpp" namespace "segmenter":
    cdef cppclass UnigramModel(SubwordModel):
        UnknownRule unknown
        double unk_score
        cbool single
        void build(const PieceList& pieces, const double* scores) except + nogil
    cdef cppclass WordPieceModel(SubwordModel):
        uint32_t unk
        size_t max_chars
        void build(const PieceList& first, const PieceList& inner) except + nogil

cdef extern from "face/pyobjects.hpp" namespace "segmenter":
    cdef cppclass IntCache:
        void reserve(size_t n) except +
    object int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache)


cdef int add_piece(PieceList& pieces, object piece, uint32_t id) except -1:
    cdef TextView* view
    cdef bytes raw
    if isinstance(piece, bytes):
        raw = piece
        pieces.add(PyBytes_AS_STRING(raw), 1, len(raw), id)
        return 0
    view = new TextView(plain(piece))
    try:
        pieces.add(view.data, view.width, view.length, id)
    finally:
        del view
    return 0


cdef vector[uint32_t] code_points(str text) except *:
    cdef vector[uint32_t] out
    for c in text:
        out.push_back(ord(c))
    return out


cdef int set_unknown(UnknownRule& rule, object unk, bint fuse, object byte_ids) except -1:
    """``byte_ids``: None, or 256 ids (-1: none) that stand for bytes of unknown characters."""
    cdef int i
    rule.unk = kNoPiece if unk is None else <uint32_t>unk
    rule.fuse = fuse
    if byte_ids is not None:
        if len(byte_ids) != 256:
            raise ValueError("byte_ids: 256 are wanted")
        rule.byte_fallback = True
        for i in range(256):
            rule.byte_ids[i] = kNoPiece if byte_ids[i] < 0 else <uint32_t>byte_ids[i]
    return 0


cdef int take_spans(vector[SubwordSpan]& out, object spans, Py_ssize_t n) except -1:
    cdef SubwordSpan span
    cdef Py_ssize_t start, end, last = 0
    if spans is None:
        span.start = 0
        span.end = <uint32_t>n
        out.push_back(span)
        return 0
    for start, end in spans:
        if start < last or end < start or end > n:
            raise ValueError(f"spans: ({start}, {end}) is out of order or out of range")
        last = end
        span.start = <uint32_t>start
        span.end = <uint32_t>end
        out.push_back(span)
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
    """Patterns that cut a text, one after another; see subword/expressions.hpp.

    ``classes``: (first, last, class) of code points.  ``sets``: 256 bytes each, of classes.
    ``steps``: (instructions as uint32 of four each, where the alternatives start, of every class the
    alternatives that it may begin, whether one may be empty, behaviour, invert, rule); a rule is None
    or (bits of every class, kind, digits, contraction, long s, slash, end first, longest runs).
    """

    cdef PreTokenScanner scanner

    def __init__(self, classes, sets, steps):
        cdef const uint32_t[::1] code, starts, first
        cdef const uint8_t[::1] members
        cdef ExpressionInst inst
        cdef Py_ssize_t i
        cdef ScannerStep* step
        for low, high, cls in classes:
            self.scanner.add(low, high, cls)
        for one in sets:
            members = one
            if members.shape[0] != 256:
                raise ValueError("sets: 256 bytes each are wanted")
            self.scanner.add_set(&members[0])
        self.scanner.steps.resize(len(steps))
        for k, (code, starts, first, empty, behaviour, invert, rule) in enumerate(steps):
            if code.shape[0] % 4 or first.shape[0] != 256 or not 0 <= behaviour < 5:
                raise ValueError("steps: damaged")
            step = &self.scanner.steps[k]
            for i in range(0, code.shape[0], 4):
                inst.op, inst.a, inst.b, inst.c = code[i], code[i + 1], code[i + 2], code[i + 3]
                step.expression.code.push_back(inst)
            for i in range(starts.shape[0]):
                step.expression.starts.push_back(starts[i])
            for i in range(256):
                step.expression.first[i] = first[i]
            step.expression.empty_possible = empty
            step.behaviour = <CutBehaviour><int>behaviour
            step.invert = invert
            if rule is not None:
                set_rule(step.rule, rule)

    cdef uint64_t widened(self, object text, SubwordScratch& scratch) except? 0xFFFFFFFF:
        cdef TextView* view = new TextView(plain(text))
        try:
            scratch.widen(view.data, view.width, view.length)
        finally:
            del view
        return 0

    def spans(self, text):
        """(start, end) of the spans of a text."""
        cdef SubwordScratch scratch
        cdef SubwordSpan span
        self.widened(text, scratch)
        self.scanner.run(scratch.text.data(), scratch.text.size(), scratch, scratch.spans)
        return [(span.start, span.end) for span in scratch.spans]

    def steps(self, text):
        """How many steps cutting a text takes."""
        cdef SubwordScratch scratch
        self.widened(text, scratch)
        return self.scanner.run(scratch.text.data(), scratch.text.size(), scratch, scratch.spans)

    def matches(self, text):
        """(start, end) of the matches of the first pattern, empty ones too."""
        cdef SubwordScratch scratch
        cdef vector[ExpressionMatch] found
        cdef ExpressionMatch match
        self.widened(text, scratch)
        if not self.scanner.steps.size():
            return []
        self.scanner.matches(scratch.text.data(), scratch.text.size(), scratch, found)
        return [(match.start, match.end) for match in found]


cdef class CharTable:
    """What single characters become, by a table over all code points.

    An entry is 0 where nothing is known yet, ``ODD`` where a character becomes none or several, else
    the new code point and one.
    """

    cdef uint32_t* table

    def __cinit__(self):
        # pages that no text touches cost nothing
        self.table = <uint32_t*>calloc(0x110000, sizeof(uint32_t))
        if self.table == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.table)

    def set(self, uint32_t cp, uint32_t entry):
        """Sets the entry of a code point."""
        if cp >= 0x110000:
            raise ValueError("cp out of range")
        self.table[cp] = entry

    def apply(self, text):
        """The new text (``text`` itself where nothing changes), or None where a character is odd, or
        the place of the first character of which nothing is known."""
        cdef str held = plain(text)
        cdef vector[uint32_t] out
        cdef Py_ssize_t i, n = len(held)
        cdef uint32_t cp, entry
        cdef bint changed = False, odd = False
        cdef TextView* view = new TextView(held)
        cdef const uint8_t* one = <const uint8_t*>view.data
        cdef const uint16_t* two = <const uint16_t*>view.data
        cdef const uint32_t* four = <const uint32_t*>view.data
        cdef int width = view.width
        del view
        out.resize(n)
        for i in range(n):
            cp = one[i] if width == 1 else two[i] if width == 2 else four[i]
            entry = self.table[cp]
            if entry == 0:
                return i
            if entry == 0xFFFFFFFF:
                odd = True
                continue
            changed |= entry != cp + 1
            out[i] = entry - 1
        if odd:
            return None
        if not changed:
            return held
        return PyUnicode_FromKindAndData(4, out.data(), n)


cdef class TokenFinder:
    """Strings found in texts, of all that begin leftmost the longest; see subword/added_tokens.hpp."""

    cdef CTokenFinder finder

    def __init__(self, tokens):
        cdef PieceList pieces
        for number, token in enumerate(tokens):
            if not token:
                raise ValueError("tokens: none may be empty")
            add_piece(pieces, token, number)
        self.finder.build(pieces)

    cdef size_t run(self, object text, bint first_only, vector[Found]& out) except? 0xFFFFFFFF:
        cdef TextView* view = new TextView(plain(text))
        cdef size_t steps
        try:
            if view.width == 1:
                steps = self.finder.find(<const uint8_t*>view.data, view.length, first_only, out)
            elif view.width == 2:
                steps = self.finder.find(<const uint16_t*>view.data, view.length, first_only, out)
            else:
                steps = self.finder.find(<const uint32_t*>view.data, view.length, first_only, out)
        finally:
            del view
        return steps

    def find(self, text, bint first_only=False):
        """(start, end, number of the token) from left to right, not overlapping."""
        cdef vector[Found] out
        cdef Found one
        self.run(text, first_only, out)
        return [(one.start, one.end, one.number) for one in out]

    def steps(self, text):
        """How many characters finding them looks at."""
        cdef vector[Found] out
        return self.run(text, False, out)


cdef class Subwords:
    """A compiled subword model; subclasses make it.  Immutable; calls from any thread."""

    cdef SubwordModel* model
    cdef vector[SubwordScratch*] idle
    cdef IntCache ids, places

    def __cinit__(self, *args, **options):
        self.model = NULL

    def __dealloc__(self):
        del self.model
        for scratch in self.idle:
            del scratch

    cdef SubwordScratch* acquire(self) except NULL:
        cdef SubwordScratch* scratch
        if self.idle.empty():
            return new SubwordScratch()
        scratch = self.idle.back()
        self.idle.pop_back()
        return scratch

    cdef int ready(self, size_t n_ids) except -1:
        self.ids.reserve(n_ids)
        self.places.reserve(4096)
        return 0

    cdef int run(self, SubwordScratch* scratch, str text, object spans) except -1:
        """``spans``: None, an iterable of (start, end), or a Scanner."""
        cdef int64_t bad
        cdef Scanner scanner = None
        cdef const void* data
        cdef int width
        cdef size_t n = <size_t>len(text)
        if n > 0x7FFFFFFF // 8:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        scratch.spans.clear()
        if isinstance(spans, Scanner):
            scanner = spans
        else:
            take_spans(scratch.spans, spans, <Py_ssize_t>n)
        cdef TextView* view = new TextView(text)
        data = view.data
        width = view.width
        del view
        cdef Interrupt* call
        if n > 16384:
            call = new Interrupt(asked)
            try:
                with nogil:
                    bad = self.work(scratch, data, width, n, scanner)
            finally:
                del call
        else:
            bad = self.work(scratch, data, width, n, scanner)
        if bad >= 0:
            raise LookupError(<Py_ssize_t>bad)
        return 0

    cdef int64_t work(self, SubwordScratch* scratch, const void* data, int width, size_t n,
                      Scanner scanner) except? -2 nogil:
        scratch.widen(data, width, n)
        if scanner is not None:
            scanner.scanner.run(scratch.text.data(), n, scratch[0], scratch.spans)
        return self.model.encode_spans(scratch.spans.data(), scratch.spans.size(), scratch[0])

    def encode(self, text, spans=None):
        """Columns ``(ids, starts, ends)`` of the pieces, offsets in code points of ``text``.

        ``spans``: (start, end) of the words, ascending, not overlapping; None: the whole text;
        a Scanner: what that cuts.
        Raises LookupError(place) at a character for which nothing stands.
        """
        cdef str held = plain(text)
        cdef SubwordScratch* scratch = self.acquire()
        cdef const uint32_t* first
        cdef size_t n
        try:
            self.run(scratch, held, spans)
            first = <const uint32_t*>scratch.pieces.data()
            n = scratch.pieces.size()
            return (int_list(first, 3, n, self.ids), int_list(first + 1, 3, n, self.places),
                    int_list(first + 2, 3, n, self.places))
        finally:
            self.idle.push_back(scratch)

    def encode_rows(self, text, spans=None):
        """``(ids, rows)``: rows of three uint32 (id, start, end) as bytes, for who may ask later."""
        cdef str held = plain(text)
        cdef SubwordScratch* scratch = self.acquire()
        cdef size_t n
        try:
            self.run(scratch, held, spans)
            n = scratch.pieces.size()
            return (int_list(<const uint32_t*>scratch.pieces.data(), 3, n, self.ids),
                    (<const char*>scratch.pieces.data())[:n * sizeof(SubwordPiece)])
        finally:
            self.idle.push_back(scratch)

    def encode_ids(self, text, spans=None):
        """The ids alone."""
        cdef str held = plain(text)
        cdef SubwordScratch* scratch = self.acquire()
        try:
            self.run(scratch, held, spans)
            return int_list(<const uint32_t*>scratch.pieces.data(), 3, scratch.pieces.size(),
                            self.ids)
        finally:
            self.idle.push_back(scratch)


cdef class BpeKernel(Subwords):
    """Byte-pair encoding; see subword/bpe.hpp.

    ``pieces``: piece to id, str (of a byte-level vocabulary: bytes).  ``merges``: uint32 rows
    (left id, right id, rank, id of what they make).  ``n_ids``: greater ids only carry merges on
    and are unknown in the end.  ``hidden``: ids of pieces that text that spells them does not give;
    ``whole``: of those that a span that is the piece gives, whatever the merges say
    (``ignore_merges``: all).
    """

    def __init__(self, pieces, merges, uint32_t n_ids, *, bint byte_level=False, unk=None,
                 bint fuse_unk=False, byte_ids=None, str prefix="", str suffix="",
                 bint ignore_merges=False, hidden=frozenset(), whole=frozenset()):
        cdef BpeModel* model = new BpeModel()
        cdef PieceList pieces_
        cdef vector[uint8_t] marks
        cdef const uint32_t[::1] rows = merges
        cdef Py_ssize_t i
        del self.model
        self.model = model
        if rows.shape[0] % 4:
            raise ValueError("merges: rows of left, right, rank, made are wanted")
        model.byte_level = byte_level
        model.n_ids = n_ids
        model.prefix = code_points(prefix)
        model.suffix = code_points(suffix)
        set_unknown(model.unknown, unk, fuse_unk, byte_ids)
        for piece, number in pieces.items():
            if len(piece):
                add_piece(pieces_, piece, number)
                marks.push_back((kPieceHidden if number in hidden else 0)
                               | (kPieceWhole if number in whole or ignore_merges else 0))
        model.merges.reserve(rows.shape[0] // 4)
        for i in range(0, rows.shape[0], 4):
            model.merges.set(rows[i], rows[i + 1], rows[i + 2], rows[i + 3])
        model.build(pieces_, marks.data())
        self.ready(n_ids)


cdef class UnigramKernel(Subwords):
    """The unigram language model; see subword/unigram.hpp.

    ``pieces``: (piece, score, id) of what may match.  ``single``: sums of 32 bits.
    """

    def __init__(self, pieces, double unk_score, uint32_t n_ids, *, unk=None, bint fuse_unk=True,
                 byte_ids=None, bint single=False):
        cdef UnigramModel* model = new UnigramModel()
        cdef PieceList pieces_
        cdef vector[double] scores
        del self.model
        self.model = model
        for piece, score, number in pieces:
            if len(piece):
                add_piece(pieces_, piece, number)
                scores.push_back(score)
        model.unk_score = unk_score
        model.single = single
        set_unknown(model.unknown, unk, fuse_unk, byte_ids)
        model.build(pieces_, scores.data())
        self.ready(n_ids)


cdef class WordPieceKernel(Subwords):
    """Longest match first; see subword/unigram.hpp.  ``pieces``: piece to id."""

    def __init__(self, pieces, uint32_t unk, uint32_t n_ids, *, str prefix="##",
                 Py_ssize_t max_chars=100):
        cdef WordPieceModel* model = new WordPieceModel()
        cdef PieceList first, inner
        del self.model
        self.model = model
        model.unk = unk
        model.max_chars = <size_t>max(max_chars, 0)
        for piece, number in pieces.items():
            if piece:
                add_piece(first, piece, number)
            if len(piece) > len(prefix) and piece.startswith(prefix):
                add_piece(inner, piece[len(prefix):], number)
        model.build(first, inner)
        self.ready(n_ids)


cdef extern from "subword/train.hpp" namespace "segmenter":
    cdef cppclass CUnigramCorpus "segmenter::UnigramCorpus":
        void add(const void* data, int width, size_t n, double weight) except +
        void set_pieces(const PieceList& pieces, const double* scores) except +
        double expected(double* counts) except + nogil
        void best(double* counts) except + nogil
        const vector[uint32_t]& alternative(uint32_t i) except +
        size_t n_pieces()


cdef class UnigramCorpus:
    """Words with counts, for the training of a unigram model; see subword/train.hpp.

    ``words``: (word, count).  Not to be used from two threads at once.
    """

    cdef CUnigramCorpus corpus

    def __init__(self, words):
        cdef TextView* view
        for word, count in words:
            view = new TextView(plain(word))
            try:
                self.corpus.add(view.data, view.width, view.length, count)
            finally:
                del view

    def set_pieces(self, pieces, scores):
        """The vocabulary of the next passes: a sequence of str, and float64 scores."""
        cdef PieceList pieces_
        cdef const double[::1] column = scores
        cdef uint32_t number = 0
        if len(pieces) != column.shape[0] or not len(pieces):
            raise ValueError("scores: one a piece is wanted")
        for piece in pieces:
            if not piece:
                raise ValueError("pieces: none may be empty")
            add_piece(pieces_, piece, number)
            number += 1
        self.corpus.set_pieces(pieces_, &column[0])

    def expected(self, out):
        """Writes expected counts into ``out``, float64, one a piece; returns the log likelihood."""
        cdef double[::1] column = out
        cdef double likelihood
        if not column.shape[0] or <size_t>column.shape[0] != self.corpus.n_pieces():
            raise ValueError("out: one a piece is wanted")
        with nogil:
            likelihood = self.corpus.expected(&column[0])
        return likelihood

    def best(self, out):
        """Writes how often each piece stands in the best segmentations into ``out``, float64."""
        cdef double[::1] column = out
        if not column.shape[0] or <size_t>column.shape[0] != self.corpus.n_pieces():
            raise ValueError("out: one a piece is wanted")
        with nogil:
            self.corpus.best(&column[0])

    def alternative(self, uint32_t number):
        """The best pieces that write a piece without it, last first; ``[]`` if there are none."""
        if number >= self.corpus.n_pieces():
            raise IndexError(number)
        return self.corpus.alternative(number)
