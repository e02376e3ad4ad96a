# From texts to ids in one call, for one text or for many with several threads.
#
# Uses python.pxi: SHORT, asked, plain; cutting.pxi: code_points, Scanner, TokenFinder; models.pxi:
# Subwords; charsmap.pxi: SentencePieceNormaliser.

from segmenter.kernels.bindings.python cimport (
    Buffer, Lease, Leases, LongCall, PyObject_GC_Track, PyObject_GC_UnTrack, TextView)
from segmenter.kernels.subword.bindings.cutting cimport CReplacements, SubwordCaller
from segmenter.kernels.subword.bindings.models cimport int_list
from segmenter.kernels.subword.bindings.pipeline cimport (
    CTextPipeline, encode_text, encode_texts, kPipelineDone, kPipelineUnknown, PipelineText)


cdef class TextPipeline:
    """All steps of a tokenizer in one call; see subword/pipeline.hpp.

    ``learn``: called with the characters of a text that have no entry yet, must call :meth:`set`
    for each.  None: no character changes.  ``sentencepiece``: normalises instead of ``learn``.
    ``odd``: a text that contains one of these needs the separate steps.
    ``whole``: each of these is a span of its own.
    ``spelling``: the characters that replace the 256 bytes between ``before`` and ``after``; empty
    if bytes are not respelt.
    ``mark``: (character, only at the beginning, replaces blanks, never prepended to a span) or
    None.
    """

    cdef CTextPipeline pipeline
    cdef unique_ptr[CReplacements] table
    cdef Subwords model
    cdef object learn, kept

    def __init__(self, Subwords model not None, *, learn=None, str prefix="", str blank=" ",
                 bint plain_edges=False, str squeezed="",
                 SentencePieceNormaliser sentencepiece=None, TokenFinder tokens=None,
                 token_ids=(), bint tokens_alone=True, TokenFinder normalised_tokens=None,
                 TokenFinder odd=None, TokenFinder whole=None, str spelling="",
                 Scanner before=None, mark=None, Scanner after=None, head=(), tail=()):
        self.model = model
        self.learn = learn
        self.kept = (sentencepiece, tokens, normalised_tokens, odd, whole, before, after)
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

    def set(self, uint32_t cp, str made):
        """Sets the replacement of a character; if it is longer than three characters, texts with
        that character need the separate steps."""
        cdef vector[uint32_t] out = code_points(made)
        if self.table.get() == NULL:
            raise ValueError("no character changes here")
        self.table.get().set(cp, out.data(), out.size())

    def unknown(self, str text):
        """The characters of a text whose replacement is not known yet, each once."""
        cdef set found = set()
        cdef uint32_t cp
        cdef Py_UCS4 c
        for c in text:
            cp = c
            if self.table.get()[0][cp] == 0:
                found.add(c)
        return "".join(sorted(found))

    cdef int status(self, SubwordCaller* caller, str text, bint special) except -1:
        cdef PipelineText one
        cdef LongCall call
        one.text = TextView(text)
        caller.ids().clear()
        if one.text.n <= SHORT:
            encode_text(self.pipeline, one, special, caller[0])
            return one.status
        call.begin(asked)
        with nogil:
            encode_text(self.pipeline, one, special, caller[0])
        return one.status

    def ids(self, text, bint special=True):
        """The ids of a text; None if it needs the separate steps."""
        cdef str held = plain(text)
        cdef Lease[SubwordCaller] lease
        cdef SubwordCaller* caller = lease.take(self.model.idle)
        cdef int status = self.status(caller, held, special)
        if status == kPipelineUnknown:
            self.learn(self.unknown(held))
            status = self.status(caller, held, special)
        if status != kPipelineDone:
            return None
        return int_list(caller.ids().data(), 1, caller.ids().size(), self.model.ids)

    def batch(self, list texts, bint special, int threads, repair, make):
        """The ids of many texts: ``make(text, ids)`` for each, or ``(ids int32, offsets int64)``.

        ``repair``: called for a text that needs the separate steps; returns its ids.
        ``make``: returns a new object; None: the two columns are wanted.
        """
        cdef vector[PipelineText] views
        cdef Leases[SubwordCaller] leases
        cdef size_t i, total = 0
        cdef LongCall call
        cdef list held = [plain(text) for text in texts], by_steps
        views.resize(len(held))
        for i in range(views.size()):
            views[i].text = TextView(held[i])
        leases.take(self.model.idle, threads)
        for caller in leases.all:
            caller.ids().clear()
        call.begin(asked)
        with nogil:
            encode_texts(self.pipeline, views, special, leases.all)
        by_steps = []
        for i in range(views.size()):
            if views[i].status == kPipelineUnknown:
                self.learn(self.unknown(held[i]))
                views[i].worker = 0
                encode_text(self.pipeline, views[i], special, leases.all[0][0])
            if views[i].status != kPipelineDone:
                by_steps.append(repair(texts[i]))
                total += <size_t>len(by_steps[len(by_steps) - 1])
            else:
                total += views[i].count
        if make is None:
            return self.as_columns(views, leases.all, by_steps, total)
        return self.as_made(views, leases.all, texts, by_steps, make)

    cdef list as_made(self, vector[PipelineText]& views, vector[SubwordCaller*]& callers,
                      list texts, list by_steps, make):
        cdef size_t i
        cdef Py_ssize_t at = 0
        cdef list out = [], untracked = []
        try:
            for i in range(views.size()):
                if views[i].status != kPipelineDone:
                    out.append(make(texts[i], by_steps[at]))
                    at += 1
                    continue
                ids = int_list(callers[views[i].worker].ids().data() + views[i].first, 1,
                               views[i].count, self.model.ids)
                # as in cut_batch: the garbage collector need not traverse the lists, which contain
                # only numbers, nor what is made of each, again and again before they are returned
                untracked.append(ids)
                PyObject_GC_UnTrack(<PyObject*>ids)
                one = make(texts[i], ids)
                untracked.append(one)
                PyObject_GC_UnTrack(<PyObject*>one)
                out.append(one)
        finally:
            for one in untracked:
                PyObject_GC_Track(<PyObject*>one)
        return out

    cdef object as_columns(self, vector[PipelineText]& views, vector[SubwordCaller*]& callers,
                           list by_steps, size_t total):
        from numpy import empty

        cdef Buffer[int32_t] all_ids
        cdef Buffer[int64_t] all_offsets
        cdef int32_t* to
        cdef int64_t* ends
        cdef size_t i, at = 0
        cdef Py_ssize_t step = 0
        ids, offsets = empty(total, "int32"), empty(views.size() + 1, "int64")
        all_ids.take(ids, b"ids", True)
        all_offsets.take(offsets, b"offsets", True)
        to, ends = all_ids.room(), all_offsets.room()
        ends[0] = 0
        for i in range(views.size()):
            if views[i].status != kPipelineDone:
                for number in by_steps[step]:
                    to[at] = number
                    at += 1
                step += 1
            elif views[i].count:
                memcpy(&to[at], callers[views[i].worker].ids().data() + views[i].first,
                       views[i].count * sizeof(uint32_t))
                at += views[i].count
            ends[i + 1] = <int64_t>at
        return ids, offsets
