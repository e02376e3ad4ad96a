# Subword models: BPE, unigram and WordPiece.
#
# Uses python.pxi: SHORT, asked, plain; cutting.pxi: code_points, add_piece,
# Scanner.

from segmenter.kernels.bindings.python cimport (
    Buffer, kMostCharacters, Lease, LongCall, Pool, raw, TextView)
from segmenter.kernels.bindings.unknown cimport CUTTER_CAPSULE, UnknownCutter
from segmenter.kernels.subword.bindings.cutting cimport (
    kNoPiece, PreTokenScanner, SubwordCaller, SubwordPiece, SubwordSpan)
from segmenter.kernels.subword.bindings.models cimport (
    bpe_model, BpeParts, c_encode, cutter_of, int_list, IntCache, kPieceHidden, kPieceWhole,
    SubwordModel, unigram_model, UnigramParts, UnknownRule, wordlevel_model, WordLevelParts,
    wordpiece_model, WordPieceParts)


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

    cdef shared_ptr[SubwordModel] model
    cdef unique_ptr[UnknownCutter] of_unknown
    cdef Pool[SubwordCaller] idle
    cdef IntCache ids

    def cutter(self):
        """The model as an engine's cutter of unknown words (unknown.hpp), in a capsule that lives
        as long as this object."""
        if self.of_unknown.get() == NULL:
            self.of_unknown = cutter_of(dereference(self.model))
        return PyCapsule_New(self.of_unknown.get(), CUTTER_CAPSULE, NULL)

    cdef int run(self, SubwordCaller* caller, str text, object spans) except -1:
        """``spans``: None, an iterable of (start, end), or a Scanner."""
        cdef int64_t bad
        cdef const PreTokenScanner* scanner = NULL
        cdef LongCall call
        cdef TextView view = TextView(text)
        if view.n > kMostCharacters:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        caller.spans().clear()
        if isinstance(spans, Scanner):
            scanner = &(<Scanner>spans).scanner
        else:
            take_spans(caller.spans(), spans, <Py_ssize_t>view.n)
        if view.n > SHORT:
            call.begin(asked)
            with nogil:
                bad = c_encode(dereference(self.model), scanner, view, caller[0])
        else:
            bad = c_encode(dereference(self.model), scanner, view, caller[0])
        if bad >= 0:
            raise LookupError(<Py_ssize_t>bad)
        return 0

    def encode(self, text, spans=None):
        """The pieces of ``text`` as ``(ids, rows)``.

        ``rows`` has three uint32 per piece (id, start, end) as bytes, with offsets in code points.
        ``spans``: (start, end) of the words, ascending, not overlapping; None: the whole text;
        a Scanner: the spans that it finds.  Raises LookupError(position) for a character without a
        piece if the model has no unknown piece.
        """
        cdef str held = plain(text)
        cdef Lease[SubwordCaller] lease
        cdef SubwordCaller* caller = lease.take(self.idle)
        self.run(caller, held, spans)
        cdef const vector[SubwordPiece]* pieces = &caller.pieces()
        return int_list(<const uint32_t*>pieces.data(), 3, pieces.size(), self.ids), raw(pieces[0])


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
        cdef BpeParts parts
        cdef Buffer[uint32_t] rows
        rows.take(merges, b"merges")
        if rows.n % 4:
            raise ValueError("merges: expected rows of left, right, rank, made")
        parts.byte_level = byte_level
        parts.n_ids = n_ids
        parts.prefix = code_points(prefix)
        parts.suffix = code_points(suffix)
        set_unknown(parts.unknown, unk, fuse_unk, byte_ids)
        for piece, number in pieces.items():
            if len(piece):
                add_piece(parts.pieces, piece, number)
                parts.marks.push_back((kPieceHidden if number in hidden else 0)
                                      | (kPieceWhole if number in whole or ignore_merges else 0))
        parts.merges = rows.data
        parts.n_merges = <size_t>rows.n // 4
        self.model = bpe_model(parts)
        self.ids.reserve(n_ids)


cdef class UnigramKernel(Subwords):
    """The unigram language model; see subword/unigram.hpp.

    ``pieces``: (piece, score, id) of the pieces that may match.  ``single``: sum in 32 bits.
    ``together``: bytes of adjacent unknown characters span all of these.
    """

    def __init__(self, pieces, double unk_score, uint32_t n_ids, *, unk=None, bint fuse_unk=True,
                 byte_ids=None, bint single=False, bint together=False):
        cdef UnigramParts parts
        for piece, score, number in pieces:
            if len(piece):
                add_piece(parts.pieces, piece, number)
                parts.scores.push_back(score)
        parts.unk_score = unk_score
        parts.single = single
        set_unknown(parts.unknown, unk, fuse_unk, byte_ids)
        parts.unknown.together = together
        self.model = unigram_model(parts)
        self.ids.reserve(n_ids)


cdef class WordPieceKernel(Subwords):
    """Longest match first; see subword/unigram.hpp.  ``pieces``: a dict from piece to id."""

    def __init__(self, pieces, uint32_t unk, uint32_t n_ids, *, str prefix="##",
                 Py_ssize_t max_chars=100):
        cdef WordPieceParts parts
        parts.unk = unk
        parts.max_chars = <size_t>max(max_chars, 0)
        for piece, number in pieces.items():
            if piece:
                add_piece(parts.first, piece, number)
            if len(piece) > len(prefix) and piece.startswith(prefix):
                add_piece(parts.inner, piece[len(prefix):], number)
        self.model = wordpiece_model(parts)
        self.ids.reserve(n_ids)


cdef class WordLevelKernel(Subwords):
    """Words that are one piece or unknown; see subword/unigram.hpp.

    ``words``: a dict from word to id.  ``unk``: the id of all other words; None: an error.
    """

    def __init__(self, words, uint32_t n_ids, *, unk=None):
        cdef WordLevelParts parts
        if unk is not None:
            parts.unk = unk
        for word, number in words.items():
            if word:
                add_piece(parts.words, word, number)
        self.model = wordlevel_model(parts)
        self.ids.reserve(n_ids)
