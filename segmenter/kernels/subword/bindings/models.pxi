# Subword models: BPE, unigram and WordPiece.

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
    cdef cppclass WordLevelModel(SubwordModel):
        uint32_t unk
        void build(const PieceList& words) except +
    cdef cppclass WordPieceModel(SubwordModel):
        uint32_t unk
        size_t max_chars
        void build(const PieceList& first, const PieceList& inner) except + nogil

cdef extern from "unknown.hpp" namespace "segmenter":
    cdef cppclass UnknownCutter:
        pass
    const char* CUTTER_CAPSULE "segmenter::UnknownCutter::kCapsule"

cdef extern from "subword/cutter.hpp" namespace "segmenter":
    cdef cppclass SubwordCutter(UnknownCutter):
        SubwordCutter(const SubwordModel& model) except +

cdef extern from "subword/bindings/int_list.hpp" namespace "segmenter":
    cdef cppclass IntCache:
        void reserve(size_t n) except +
    object int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache)


cdef int set_unknown(UnknownRule& rule, object unk, bint fuse, object byte_ids) except -1:
    """Sets the rule; ``byte_ids``: None, or the ids of the 256 byte pieces (-1: no such piece)."""
    cdef int i
    rule.unk = kNoPiece if unk is None else <uint32_t>unk
    rule.fuse = fuse
    if byte_ids is not None:
        if len(byte_ids) != 256:
            raise ValueError("byte_ids: expected 256")
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


cdef class Subwords:
    """A compiled subword model, built by subclasses.  Immutable and thread-safe."""

    cdef unique_ptr[SubwordModel] model
    cdef unique_ptr[SubwordCutter] of_unknown
    cdef Pool[SubwordScratch] idle
    cdef IntCache ids

    def cutter(self):
        """The model as an engine's cutter of unknown words (unknown.hpp), in a capsule that lives
        as long as this object."""
        if self.of_unknown.get() == NULL:
            self.of_unknown.reset(new SubwordCutter(self.model.get()[0]))
        return PyCapsule_New(<UnknownCutter*>self.of_unknown.get(), CUTTER_CAPSULE, NULL)

    cdef int run(self, SubwordScratch* scratch, str text, object spans) except -1:
        """``spans``: None, an iterable of (start, end), or a Scanner."""
        cdef int64_t bad
        cdef Scanner scanner = None
        cdef LongCall call
        cdef TextView view = TextView(text)
        if view.n > MOST_CHARACTERS:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        scratch.spans.clear()
        if isinstance(spans, Scanner):
            scanner = spans
        else:
            take_spans(scratch.spans, spans, <Py_ssize_t>view.n)
        if view.n > SHORT:
            call.begin(asked)
            with nogil:
                bad = self.work(scratch, view, scanner)
        else:
            bad = self.work(scratch, view, scanner)
        if bad >= 0:
            raise LookupError(<Py_ssize_t>bad)
        return 0

    cdef int64_t work(self, SubwordScratch* scratch, const Text& text,
                      Scanner scanner) except? -2 nogil:
        scratch.widen(text)
        if scanner is not None:
            scanner.scanner.run(scratch.text.data(), text.n, scratch[0], scratch.spans)
        return self.model.get().encode_spans(scratch.spans.data(), scratch.spans.size(), scratch[0])

    def encode(self, text, spans=None):
        """The pieces of ``text`` as ``(ids, rows)``.

        ``rows`` has three uint32 per piece (id, start, end) as bytes, with offsets in code points.
        ``spans``: (start, end) of the words, ascending, not overlapping; None: the whole text;
        a Scanner: the spans that it finds.  Raises LookupError(position) for a character without a
        piece if the model has no unknown piece.
        """
        cdef str held = plain(text)
        cdef Lease[SubwordScratch] lease
        cdef SubwordScratch* scratch = lease.take(self.idle)
        self.run(scratch, held, spans)
        ids = int_list(<const uint32_t*>scratch.pieces.data(), 3, scratch.pieces.size(), self.ids)
        return ids, raw(scratch.pieces)


cdef class BpeKernel(Subwords):
    """Byte-pair encoding; see subword/bpe.hpp.

    ``pieces``: a dict from piece to id; pieces are str, or bytes in a byte-level vocabulary.
    ``merges``: uint32 rows (left id, right id, rank, merged id).  ``n_ids``: ids from here on are
    intermediate results of merges, and become unknown at the end.  ``hidden``: ids of pieces that
    ordinary text never produces; ``whole``: ids of pieces that a span equal to them always becomes,
    regardless of the merges (``ignore_merges``: all pieces).
    """

    def __init__(self, pieces, merges, uint32_t n_ids, *, bint byte_level=False, unk=None,
                 bint fuse_unk=False, byte_ids=None, str prefix="", str suffix="",
                 bint ignore_merges=False, hidden=frozenset(), whole=frozenset()):
        cdef BpeModel* model = new BpeModel()
        cdef PieceList pieces_
        cdef vector[uint8_t] marks
        cdef const uint32_t[::1] rows = merges
        cdef Py_ssize_t i
        self.model.reset(model)
        if rows.shape[0] % 4:
            raise ValueError("merges: expected rows of left, right, rank, made")
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
        self.ids.reserve(n_ids)


cdef class UnigramKernel(Subwords):
    """The unigram language model; see subword/unigram.hpp.

    ``pieces``: (piece, score, id) of the pieces that may match.  ``single``: sum in 32 bits.
    ``together``: bytes of adjacent unknown characters span all of these.
    """

    def __init__(self, pieces, double unk_score, uint32_t n_ids, *, unk=None, bint fuse_unk=True,
                 byte_ids=None, bint single=False, bint together=False):
        cdef UnigramModel* model = new UnigramModel()
        cdef PieceList pieces_
        cdef vector[double] scores
        self.model.reset(model)
        for piece, score, number in pieces:
            if len(piece):
                add_piece(pieces_, piece, number)
                scores.push_back(score)
        model.unk_score = unk_score
        model.single = single
        set_unknown(model.unknown, unk, fuse_unk, byte_ids)
        model.unknown.together = together
        model.build(pieces_, scores.data())
        self.ids.reserve(n_ids)


cdef class WordPieceKernel(Subwords):
    """Longest match first; see subword/unigram.hpp.  ``pieces``: a dict from piece to id."""

    def __init__(self, pieces, uint32_t unk, uint32_t n_ids, *, str prefix="##",
                 Py_ssize_t max_chars=100):
        cdef WordPieceModel* model = new WordPieceModel()
        cdef PieceList first, inner
        self.model.reset(model)
        model.unk = unk
        model.max_chars = <size_t>max(max_chars, 0)
        for piece, number in pieces.items():
            if piece:
                add_piece(first, piece, number)
            if len(piece) > len(prefix) and piece.startswith(prefix):
                add_piece(inner, piece[len(prefix):], number)
        model.build(first, inner)
        self.ids.reserve(n_ids)


cdef class WordLevelKernel(Subwords):
    """Words that are one piece or unknown; see subword/unigram.hpp.

    ``words``: a dict from word to id.  ``unk``: the id of all other words; None: an error.
    """

    def __init__(self, words, uint32_t n_ids, *, unk=None):
        cdef WordLevelModel* model = new WordLevelModel()
        cdef PieceList pieces
        self.model.reset(model)
        if unk is not None:
            model.unk = unk
        for word, number in words.items():
            if word:
                add_piece(pieces, word, number)
        model.build(pieces)
        self.ids.reserve(n_ids)
