# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""Subword models: the steps before them, the models, pipelines, training."""

from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.vector cimport vector

from segmenter.kernels.bindings.python cimport (
    Buffer, column_bytes, exact_str, kMostCharacters, Lease, Leases, LongCall, Pool,
    PyBytes_AS_STRING, PyObject_GC_Track, PyObject_GC_UnTrack, PyUnicode_FromKindAndData, SHORT,
    signal_raised, Text, TextView)
from segmenter.kernels.bindings.unknown cimport CUTTER_CAPSULE, UnknownCutter
from segmenter.kernels.subword.bindings.charsmap cimport (
    begins_rule, CCharsMap, chars_map, CSentencePieceNormaliser, normalise, normalised_spans,
    sentencepiece_normaliser, SentencePieceParts, shortest_rule)
from segmenter.kernels.subword.bindings.cutting cimport (
    CReplacements, CTokenFinder, CutBehaviour, ExpressionInst, ExpressionMatch, find_matches,
    find_spans, find_tokens, kNoPiece, PieceList, PreTokenScanner, ScanKind, ScannerStep, ScanRule,
    SubwordCaller, SubwordPiece, SubwordSpan, token_finder)
from segmenter.kernels.subword.bindings.models cimport (
    bpe_model, BpeParts, c_encode, cutter_of, int_list, IntCache, kPieceHidden, kPieceWhole,
    SubwordModel, unigram_model, UnigramParts, UnknownRule, wordlevel_model, WordLevelParts,
    wordpiece_model, WordPieceParts)
from segmenter.kernels.subword.bindings.pieces cimport CPieceBytes, text_of_ids
from segmenter.kernels.subword.bindings.pipeline cimport (
    CTextPipeline, encode_text, encode_texts, kPipelineDone, kPipelineUnknown, PipelineText)
from segmenter.kernels.subword.bindings.training cimport (
    BestPair, Counted, CPairLearner, CSpanCounter, CUnigramCorpus, pair_learner, span_counter,
    unigram_corpus)


# --- before a model: patterns that split, replaced characters, added tokens ----------------------

cdef vector[uint32_t] code_points(str text) except *:
    cdef vector[uint32_t] characters
    for c in text:
        characters.push_back(ord(c))
    return characters


cdef inline str text_of(const vector[uint32_t]& characters):
    return PyUnicode_FromKindAndData(4, characters.data(), <Py_ssize_t>characters.size())


cdef int add_piece(PieceList& pieces, object piece, uint32_t id) except -1:
    cdef Text view
    if isinstance(piece, bytes):
        view.data, view.width, view.n = PyBytes_AS_STRING(piece), 1, <size_t>len(piece)
    else:
        piece = exact_str(piece)
        view = TextView(piece)
    pieces.add(view, id)
    return 0


cdef int set_rule(ScanRule& rule, object fields) except -1:
    cdef Py_ssize_t i
    (bits, kind, rule.digits, rule.contraction, rule.long_s, rule.slash, rule.end_first,
     most) = fields
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
    alternatives that it may begin; whether one may be empty; behaviour; invert; rule), a rule being
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
        for column in sets:
            members.take(column, b"sets")
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
        text = exact_str(text)
        call.reset(new SubwordCaller())
        find_spans(self.scanner, TextView(text), dereference(call))
        return [(span.start, span.end) for span in call.get().spans()]

    def steps(self, text):
        """The number of steps that splitting a text takes."""
        cdef unique_ptr[SubwordCaller] call
        text = exact_str(text)
        call.reset(new SubwordCaller())
        return find_spans(self.scanner, TextView(text), dereference(call))

    def matches(self, text):
        """(start, end) of each match of the first pattern, including empty ones."""
        cdef ExpressionMatch match
        text = exact_str(text)
        return [(match.start, match.end) for match in find_matches(self.scanner, TextView(text))]


cdef class CharTable:
    """Replacements of single characters; see subword/replacements.hpp."""

    cdef unique_ptr[CReplacements] table

    def __cinit__(self):
        self.table.reset(new CReplacements())

    def set(self, uint32_t cp, str replacement):
        """Sets the replacement of a character."""
        cdef vector[uint32_t] characters = code_points(replacement)
        self.table.get().set(cp, characters.data(), characters.size())

    def apply(self, text):
        """The new text (``text`` itself if nothing changes); None if a replacement is not exactly
        one character; or the position of the first character whose replacement is not known."""
        cdef vector[uint32_t] characters
        cdef size_t i
        cdef uint64_t entry
        cdef uint32_t cp
        cdef bint changed = False, single = True
        text = exact_str(text)
        cdef TextView view = TextView(text)
        cdef const CReplacements* table = self.table.get()
        characters.resize(view.n)
        for i in range(view.n):
            cp = view[i]
            if table.same(cp):
                characters[i] = cp
                continue
            entry = table[0][cp]
            if entry == 0:
                return i
            entry = entry << 1 >> 1  # without the highest bit, which marks known entries
            single &= 0 < entry < 1 << 21
            characters[i] = <uint32_t>entry - 1
            changed = True
        if not single:
            return None
        return text_of(characters) if changed else text


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

    cdef size_t run(self, object text, bint first_only, vector[SubwordPiece]& tokens) \
            except? 0xFFFFFFFF:
        text = exact_str(text)
        return find_tokens(dereference(self.finder), TextView(text), first_only, tokens)

    def find(self, text, bint first_only=False):
        """(start, end, number of the token) from left to right, not overlapping."""
        cdef vector[SubwordPiece] tokens
        cdef SubwordPiece token
        self.run(text, first_only, tokens)
        return [(token.start, token.end, token.id) for token in tokens]

    def steps(self, text):
        """The number of characters that the search looks at."""
        cdef vector[SubwordPiece] tokens
        return self.run(text, False, tokens)


# --- models: BPE, unigram and WordPiece ----------------------------------------------------------

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


cdef int take_spans(vector[SubwordSpan]& column, object spans, Py_ssize_t n) except -1:
    """Puts the spans of a text of n characters into a column; None: the whole text."""
    cdef SubwordSpan span
    cdef Py_ssize_t start, end, last = 0
    if spans is None:
        span.start = 0
        span.end = <uint32_t>n
        column.push_back(span)
        return 0
    for start, end in spans:
        if start < last or end < start or end > n:
            raise ValueError(f"spans: ({start}, {end}) is out of order or out of range")
        last = end
        span.start = <uint32_t>start
        span.end = <uint32_t>end
        column.push_back(span)
    return 0


cdef class Subwords:
    """A compiled subword model, built by subclasses.  Immutable and thread-safe."""

    cdef shared_ptr[SubwordModel] model
    cdef unique_ptr[UnknownCutter] unknown_cutter  # empty until an engine asks for it
    cdef Pool[SubwordCaller] callers
    cdef IntCache ids

    def cutter(self):
        """The model as an engine's cutter of unknown words (unknown.hpp), in a capsule that lives
        as long as this object."""
        if self.unknown_cutter.get() == NULL:
            self.unknown_cutter = cutter_of(dereference(self.model))
        return PyCapsule_New(self.unknown_cutter.get(), CUTTER_CAPSULE, NULL)

    cdef int run(self, SubwordCaller* caller, str text, object spans) except -1:
        """``spans``: None, an iterable of (start, end), or a Scanner."""
        cdef int64_t missing  # the position of a character without a piece
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
            call.begin(signal_raised)
            with nogil:
                missing = c_encode(dereference(self.model), scanner, view, caller[0])
        else:
            missing = c_encode(dereference(self.model), scanner, view, caller[0])
        if missing >= 0:
            raise LookupError(<Py_ssize_t>missing)
        return 0

    def encode(self, text, spans=None):
        """The pieces of ``text`` as ``(ids, rows)``.

        ``rows`` has three uint32 per piece (id, start, end) as bytes, with offsets in code points.
        ``spans``: (start, end) of the words, ascending, not overlapping; None: the whole text;
        a Scanner: the spans that it finds.  Raises LookupError(position) for a character without a
        piece if the model has no unknown piece.
        """
        text = exact_str(text)
        cdef Lease[SubwordCaller] lease
        cdef SubwordCaller* caller = lease.take(self.callers)
        self.run(caller, text, spans)
        cdef const vector[SubwordPiece]* pieces = &caller.pieces()
        return (int_list(<const uint32_t*>pieces.data(), 3, pieces.size(), self.ids),
                column_bytes(pieces[0]))


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


# --- SentencePiece's normalisation ---------------------------------------------------------------

cdef class CharsMap:
    """Rules that replace sequences of characters; see subword/charsmap.hpp.

    ``units``: the double array, in little-endian order.
    """

    cdef shared_ptr[CCharsMap] rules

    def __init__(self, units, bytes replacements):
        cdef Buffer[uint8_t] cells
        cells.take(units, b"units")
        self.rules = chars_map(cells.data, <size_t>cells.n // 4, replacements, len(replacements))

    def plain(self, str text):
        """Whether no rule begins with any character of ``text``."""
        cdef Py_UCS4 c
        for c in text:
            if begins_rule(dereference(self.rules), c):
                return False
        return True

    def shortest(self, str text):
        """The replacement of the shortest prefix of ``text`` that has a rule; None: none has."""
        cdef vector[uint32_t] replacement
        if not shortest_rule(dereference(self.rules), TextView(text), replacement):
            return None
        return text_of(replacement)


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
        text = exact_str(text)
        cdef TextView view = TextView(text)
        cdef vector[uint32_t] characters
        cdef LongCall call
        call.begin(signal_raised)
        with nogil:
            normalise(dereference(self.normaliser), view, characters)
        return text_of(characters)

    def spans(self, text, bint covering):
        """The starts and ends in ``text`` of the characters of the normalised text, two lists.

        ``covering``: a character that replaces several covers all of them, and the mark covers
        none; otherwise each covers the text up to the start of the next one.
        """
        text = exact_str(text)
        cdef TextView view = TextView(text)
        cdef vector[uint32_t] starts, ends
        cdef LongCall call
        call.begin(signal_raised)
        with nogil:
            normalised_spans(dereference(self.normaliser), view, covering, starts, ends)
        return starts, ends


# --- from texts to ids in one call ---------------------------------------------------------------

cdef class TextPipeline:
    """All steps of a tokenizer in one call; see subword/pipeline.hpp.

    ``learn``: is called with the characters of a text that have no replacement yet, and calls
    :meth:`set` for each; None: no character changes.  ``sentencepiece``: normalises instead.
    ``odd``: a text that contains one of these needs the separate steps.
    ``whole``: each of these is a span of its own.
    ``spelling``: the characters that replace the 256 bytes between ``before`` and ``after``; empty:
    bytes are not replaced.
    ``mark``: (character, only at the beginning, replaces blanks, never prepended to a span) or
    None.
    """

    cdef CTextPipeline pipeline
    cdef unique_ptr[CReplacements] table
    cdef Subwords model
    cdef object learn, steps  # which the pipeline points into

    def __init__(self, Subwords model not None, *, learn=None, str prefix="", str blank=" ",
                 bint plain_edges=False, str squeezed="",
                 SentencePieceNormaliser sentencepiece=None, TokenFinder tokens=None,
                 token_ids=(), bint tokens_alone=True, TokenFinder normalised_tokens=None,
                 TokenFinder odd=None, TokenFinder whole=None, str spelling="",
                 Scanner before=None, mark=None, Scanner after=None, head=(), tail=()):
        self.model = model
        self.learn = learn
        self.steps = (sentencepiece, tokens, normalised_tokens, odd, whole, before, after)
        self.pipeline.model = model.model.get()
        if learn is not None:
            self.table.reset(new CReplacements())
            self.pipeline.replaced = self.table.get()
        self.pipeline.prefix = code_points(prefix)
        self.pipeline.blank = ord(blank)
        self.pipeline.plain_edges = plain_edges
        self.pipeline.squeezed = ord(squeezed) if squeezed else 0
        if tokens is not None:
            self.pipeline.tokens = tokens.finder.get()
        self.pipeline.tokens_alone = tokens_alone
        self.pipeline.token_ids = token_ids
        if normalised_tokens is not None:
            self.pipeline.normalised_tokens = normalised_tokens.finder.get()
        if odd is not None:
            self.pipeline.odd = odd.finder.get()
        if whole is not None:
            self.pipeline.whole = whole.finder.get()
        if sentencepiece is not None:
            self.pipeline.sentencepiece = sentencepiece.normaliser.get()
        self.pipeline.spelling = code_points(spelling)
        if before is not None:
            self.pipeline.before = &before.scanner
        if after is not None:
            self.pipeline.after = &after.scanner
        if mark is not None:
            character, first_only, blanks, missing = mark
            self.pipeline.mark = ord(character)
            self.pipeline.mark_first_only = first_only
            self.pipeline.mark_blanks = blanks
            self.pipeline.mark_missing = missing
        self.pipeline.head = head
        self.pipeline.tail = tail

    def set(self, uint32_t cp, str replacement):
        """Sets the replacement of a character; if it is longer than three characters, texts with
        that character need the separate steps."""
        cdef vector[uint32_t] characters = code_points(replacement)
        if self.table.get() == NULL:
            raise ValueError("no character changes here")
        self.table.get().set(cp, characters.data(), characters.size())

    def unknown(self, str text):
        """The characters of a text whose replacement is not known yet, each once."""
        cdef set characters = set()
        cdef uint32_t cp
        cdef Py_UCS4 c
        for c in text:
            cp = c
            if self.table.get()[0][cp] == 0:
                characters.add(c)
        return "".join(sorted(characters))

    cdef int status(self, SubwordCaller* caller, str text, bint special) except -1:
        cdef PipelineText encoded
        cdef LongCall call
        encoded.text = TextView(text)
        caller.ids().clear()
        if encoded.text.n <= SHORT:
            encode_text(self.pipeline, encoded, special, caller[0])
            return encoded.status
        call.begin(signal_raised)
        with nogil:
            encode_text(self.pipeline, encoded, special, caller[0])
        return encoded.status

    def ids(self, text, bint special=True):
        """The ids of a text; None if it needs the separate steps."""
        text = exact_str(text)
        cdef Lease[SubwordCaller] lease
        cdef SubwordCaller* caller = lease.take(self.model.callers)
        cdef int status = self.status(caller, text, special)
        if status == kPipelineUnknown:
            self.learn(self.unknown(text))
            status = self.status(caller, text, special)
        if status != kPipelineDone:
            return None
        return int_list(caller.ids().data(), 1, caller.ids().size(), self.model.ids)

    def batch(self, list texts, bint special, int threads, repair, make):
        """The ids of many texts: ``make(text, ids)`` for each, or ``(ids int32, offsets int64)``.

        ``repair``: called for a text that needs the separate steps; returns its ids.
        ``make``: returns a new object; None: the two columns are wanted.
        """
        cdef vector[PipelineText] encoded
        cdef Leases[SubwordCaller] leases
        cdef size_t i, total = 0
        cdef LongCall call
        cdef list strings = [exact_str(text) for text in texts], repaired = []
        encoded.resize(len(strings))
        for i in range(encoded.size()):
            encoded[i].text = TextView(strings[i])
        leases.take(self.model.callers, threads)
        for caller in leases.all:
            caller.ids().clear()
        call.begin(signal_raised)
        with nogil:
            encode_texts(self.pipeline, encoded, special, leases.all)
        for i in range(encoded.size()):
            if encoded[i].status == kPipelineUnknown:
                self.learn(self.unknown(strings[i]))
                encoded[i].worker = 0
                encode_text(self.pipeline, encoded[i], special, leases.all[0][0])
            if encoded[i].status != kPipelineDone:
                ids = repair(texts[i])
                repaired.append(ids)
                total += <size_t>len(ids)
            else:
                total += encoded[i].count
        if make is None:
            return self.columns_of(encoded, leases.all, repaired, total)
        return self.objects_of(encoded, leases.all, texts, repaired, make)

    cdef list objects_of(self, vector[PipelineText]& encoded, vector[SubwordCaller*]& callers,
                         list texts, list repaired, make):
        cdef size_t i
        cdef Py_ssize_t next_repaired = 0
        cdef list objects = [], untracked = []
        try:
            for i in range(encoded.size()):
                if encoded[i].status != kPipelineDone:
                    objects.append(make(texts[i], repaired[next_repaired]))
                    next_repaired += 1
                    continue
                ids = int_list(callers[encoded[i].worker].ids().data() + encoded[i].first, 1,
                               encoded[i].count, self.model.ids)
                # as in cut_batch: the garbage collector need not traverse the lists, which contain
                # only numbers, nor the objects, again and again before they are returned
                untracked.append(ids)
                PyObject_GC_UnTrack(<PyObject*>ids)
                item = make(texts[i], ids)
                untracked.append(item)
                PyObject_GC_UnTrack(<PyObject*>item)
                objects.append(item)
        finally:
            for item in untracked:
                PyObject_GC_Track(<PyObject*>item)
        return objects

    cdef object columns_of(self, vector[PipelineText]& encoded, vector[SubwordCaller*]& callers,
                           list repaired, size_t total):
        from numpy import empty

        cdef Buffer[int32_t] id_column
        cdef Buffer[int64_t] offset_column
        cdef size_t i, count = 0
        cdef Py_ssize_t next_repaired = 0
        ids, offsets = empty(total, "int32"), empty(encoded.size() + 1, "int64")
        id_column.take(ids, b"ids", True)
        offset_column.take(offsets, b"offsets", True)
        offset_column.writable()[0] = 0
        for i in range(encoded.size()):
            if encoded[i].status != kPipelineDone:
                for number in repaired[next_repaired]:
                    id_column.writable()[count] = number
                    count += 1
                next_repaired += 1
            elif encoded[i].count:
                memcpy(id_column.writable() + count,
                       callers[encoded[i].worker].ids().data() + encoded[i].first,
                       encoded[i].count * sizeof(uint32_t))
                count += encoded[i].count
            offset_column.writable()[i + 1] = <int64_t>count
        return ids, offsets


# --- the text of pieces --------------------------------------------------------------------------

cdef class PieceBytes:
    """The bytes of pieces, to decode ids with a memcpy each.

    ``bytes_of``: returns those of an id; called on its first use.
    """

    cdef CPieceBytes pieces
    cdef object bytes_of

    def __init__(self, bytes_of not None):
        self.bytes_of = bytes_of

    def text(self, list ids not None):
        """The text of ids; None: their bytes are not UTF-8, or not all ids are ints that a table
        can hold."""
        return text_of_ids(ids, self.pieces, self.bytes_of)


# --- training: counting spans, learning merges ---------------------------------------------------

cdef class SpanCounter:
    """Counts the occurrences of each span in texts; see subword/span_counts.hpp."""

    cdef Scanner scanner
    cdef unique_ptr[CSpanCounter] counts

    def __init__(self, Scanner scanner not None):
        self.scanner = scanner
        self.counts = span_counter()

    def add(self, list texts, int threads=1):
        """Counts the spans of more texts."""
        cdef vector[Text] views
        cdef LongCall call
        cdef list strings = [exact_str(text) for text in texts]
        for text in strings:
            views.push_back(TextView(text))
        call.begin(signal_raised)
        with nogil:
            self.counts.get().add(self.scanner.scanner, views, threads)

    def items(self):
        """(span, count), in order of first occurrence."""
        cdef Counted span
        cdef size_t i
        rows = []
        for i in range(self.counts.get().size()):
            span = self.counts.get().at(i)
            rows.append((PyUnicode_FromKindAndData(4, span.text, <Py_ssize_t>span.n), span.count))
        return rows


cdef class PairLearner:
    """Learns merges of adjacent pieces, best first; see subword/pairs.hpp.

    ``words``: (str, count).  ``prefix``: put in front of every symbol of a word except the first.
    ``scored``: rank by WordPiece's score instead of by count.
    """

    cdef unique_ptr[CPairLearner] learner
    cdef list symbols
    cdef dict ids
    cdef str prefix

    def __init__(self, words, str prefix="", bint scored=False, int64_t least=1):
        cdef uint32_t symbol
        cdef LongCall call
        self.learner = pair_learner(len(prefix) > 0, scored, least)
        self.prefix = prefix
        for word, count in words:
            word = exact_str(word)
            self.learner.get().add(TextView(word), count)
        self.symbols = [(prefix if symbol >> 31 else "") + chr(symbol & 0x7FFFFFFF)
                        for symbol in self.learner.get().symbols]
        self.ids = {text: i for i, text in enumerate(self.symbols)}
        call.begin(signal_raised)
        with nogil:
            self.learner.get().start()

    def __iter__(self):
        return self

    def __next__(self):
        """Performs the next merge; returns its (left, right, merged, count, score)."""
        cdef BestPair pair
        cdef cbool found
        with nogil:
            found = self.learner.get().best(pair)
        if not found:
            raise StopIteration
        cdef str left = self.symbols[pair.left], right = self.symbols[pair.right]
        cdef str merged = left + right[len(self.prefix):]
        number = self.ids.get(merged)
        if number is None:
            number = self.ids[merged] = len(self.symbols)
            self.symbols.append(merged)
        cdef uint32_t merged_id = number
        with nogil:
            self.learner.get().merge(merged_id)
        return left, right, merged, pair.count, pair.score


cdef class UnigramCorpus:
    """Words with counts, to train a unigram model on; see subword/train.hpp.

    ``words``: (word, count).  Not thread-safe.
    """

    cdef unique_ptr[CUnigramCorpus] corpus

    def __init__(self, words):
        self.corpus = unigram_corpus()
        for word, count in words:
            word = exact_str(word)
            self.corpus.get().add(TextView(word), count)

    def set_pieces(self, pieces, scores):
        """Sets the vocabulary for the next passes: a sequence of str, and float64 scores."""
        cdef PieceList vocabulary
        cdef Buffer[double] column
        column.take(scores, b"scores")
        if len(pieces) != column.n or not len(pieces):
            raise ValueError("scores: expected one per piece")
        for number, piece in enumerate(pieces):
            if not piece:
                raise ValueError("pieces: none may be empty")
            add_piece(vocabulary, piece, number)
        self.corpus.get().set_pieces(vocabulary, column.data)

    def expected(self, out):
        """Writes expected counts into ``out``, float64 per piece; returns the log likelihood."""
        cdef Buffer[double] column
        column.take(out, b"out", True)
        cdef double likelihood
        if not column.n or <size_t>column.n != self.corpus.get().n_pieces():
            raise ValueError("out: expected one per piece")
        with nogil:
            likelihood = self.corpus.get().expected(column.writable())
        return likelihood

    def best(self, out):
        """Writes into ``out``, float64, how often each piece occurs in the best segmentations."""
        cdef Buffer[double] column
        column.take(out, b"out", True)
        if not column.n or <size_t>column.n != self.corpus.get().n_pieces():
            raise ValueError("out: expected one per piece")
        with nogil:
            self.corpus.get().best(column.writable())

    def alternative(self, uint32_t number):
        """The best other pieces that spell a piece, last first; ``[]`` if there are none."""
        if number >= self.corpus.get().n_pieces():
            raise IndexError(number)
        return self.corpus.get().alternative(number)
