# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""Engines: the words of a text, of bytes, of columns and of many texts.

A method of :class:`Engine` calls the kernels (``worker.hpp``) and makes Python objects
of the result.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uint16_t, uint32_t, uint8_t
from libcpp.vector cimport vector

from segmenter.kernels._models cimport PosTagger, TaggerWeights
from segmenter.kernels._opening cimport Opened
from segmenter.kernels.bindings.batch cimport (
    append_lists, batch_to, BatchPart, BatchText, BytesCall, ColumnCall, ColumnFault, ColumnText)
from segmenter.kernels.bindings.decision cimport (
    Decision, ends_array, ends_column, Interrupt, Match, Request, Want, WordCache, words_list)
from segmenter.kernels.bindings.engine cimport c_worth_unlocking, run_unlocked, tags_unlocked
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.open cimport tagger_alone, Worker
from segmenter.kernels.bindings.pos cimport decide_tags, TagCall, tagged_list
from segmenter.kernels.bindings.python cimport (
    _PyBytes_Resize, Buffer, exact_str, kMostCharacters, Lease, Leases, LongCall,
    PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyObject_GC_Track, PyUnicode_FromKindAndData,
    SHORT, signal_raised, Text, TextView, turns_given)


# --- engines: words, ends and tags of one text ---------------------------------------------------

cdef class TaggedWords:
    """The pairs (word, tag) that one tagger gave so far for an engine's words.

    An engine called with another tagger makes a new one; calls under way keep theirs.
    """


cdef class WorkerPool:
    """Idle working memory; engines over the same words share one pool."""


cdef int find_words(void* engine, const Text& text, vector[Match]& words) except -1 with gil:
    """Calls the matcher of an engine, from a thread that may not hold the interpreter's lock.

    The call is a function of its own, so that its buffers are released before the lock.
    """
    return call_matcher(<Engine>engine, text, words)


cdef int call_matcher(Engine engine, const Text& text, vector[Match]& words) except -1:
    cdef const CLexicon* lex = &engine.lexicon.lex
    cdef Buffer[uint32_t] triples
    cdef Buffer[uint16_t] costs
    cdef Py_ssize_t i
    cdef Match m
    cdef uint32_t last = 0
    matches = engine.matcher(
        PyUnicode_FromKindAndData(text.width, text.data, <Py_ssize_t>text.n))
    triples.take(memoryview(matches).cast("B").cast("I"), b"matcher")
    costs.take(engine.lexicon.word_costs(), b"costs")
    for i in range(0, triples.n - 2, 3):
        m.start = triples[i]
        m.end = triples[i + 1]
        if (m.start < last or m.end <= m.start or m.end > text.n
                or triples[i + 2] >= lex.n_words):
            raise ValueError(
                f"matcher: its matches are out of order or out of range: ({m.start}, {m.end}, "
                f"{triples[i + 2]}) in a text of {text.n} characters")
        last = m.start
        if m.end - m.start > lex.max_word:  # beyond the lattice's window
            continue
        m.cost = costs[triples[i + 2]]
        m.slot = triples[i + 2] + 1
        words.push_back(m)
    return 0


cdef class Engine:
    """Cuts texts with an opened segmenter.  Immutable and thread-safe.

    ``source``: an Opened; or a tagger alone, for trainers and tests.  ``matcher``: replaces a
    lexicon's trie; called with a text, it returns a buffer of uint32 triples (start, end, word
    number), by start, then by end.  ``like``: an engine over the same words, whose working memory
    is shared.
    """

    def __init__(self, source, matcher=None, Engine like=None):
        cdef TaggerWeights tagger = None
        if isinstance(source, Opened):
            self.opened = source
            predictor = self.opened.part("tagger") or self.opened.part("network")
            if predictor is not None:
                tagger = predictor.native
        else:
            tagger = source
            self.opened = Opened()
            self.opened.opened = tagger_alone(tagger.model)
            self.opened.parts = {"tagger": tagger}
        self.plan = self.opened.native().plan
        self.unlock_length = c_worth_unlocking(self.plan)
        if tagger is None:
            self.lexicon = self.opened.part("lexicon").native
            self.cache = &self.lexicon.cache
        else:
            self.lexicon, self.cache = tagger.lexicon, &tagger.cache
        self.matcher = matcher
        if matcher is not None:
            self.number_cache.reserve(<size_t>self.lexicon.lex.n_words + 1)
            self.cache = &self.number_cache
            self.callback.set(<void*>self, find_words)
            self.plan.matcher = &self.callback
        self.pool = WorkerPool() if like is None else like.pool
        self.workers = &self.pool.workers

    cdef int threads(self, int requested):
        """How many threads cut: one if a matcher may raise an exception, which is its thread's."""
        return requested if self.matcher is None else 1

    cdef const Decision* run(self, Worker* worker, str text, Request& request) except NULL:
        """The worker's decision about a text; valid until the worker's next."""
        cdef TextView view = TextView(text)
        if view.n > kMostCharacters:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        if view.n < self.unlock_length:
            return worker.run(self.plan, view, request)
        if view.n <= SHORT:
            return run_unlocked(worker[0], self.plan, view, request)
        cdef const Decision* decision
        cdef LongCall call
        call.begin(signal_raised)
        with nogil:
            decision = worker.run(self.plan, view, request)
        return decision

    def cut(self, text):
        """The words of ``text``, a ``list[str]``."""
        return self.words_of(text)

    def ends(self, text):
        """The exclusive ends of the words of ``text``, int32."""
        return self.ends_of(text)

    cdef object words_of(self, text):
        text = exact_str(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        if <size_t>len(text) < self.unlock_length:
            request.shared = self.cache.table()
        cdef const Decision* decision = self.run(worker, text, request)
        return words_list(TextView(text), decision.tokens.data(), decision.tokens.size(),
                          decision.dropped, self.cache[0])

    cdef object ends_of(self, text):
        text = exact_str(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        request.want = Want.kEndsOnly
        cdef const Decision* decision = self.run(worker, text, request)
        if decision.column.first != NULL:
            return ends_column(decision.column)
        return ends_array(decision.tokens.data(), decision.tokens.size(), decision.dropped)

    def tag(self, text, PosTagger tagger not None):
        """``(word, tag)`` for each word of ``text``, as ``tagger.pairs(self.cut(text))``."""
        text = exact_str(text)
        cdef Lease[Worker] lease
        cdef Lease[TagCall] tag_lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef TextView view = TextView(text)
        cdef Request request
        cdef LongCall call
        cdef const Decision* decision = self.run(worker, text, request)
        cdef TaggedWords tagged = self.tagged
        if tagged is None or not tagged.cache.is_of(tagger):
            tagged = TaggedWords()
            tagged.cache.reserve(self.cache.size(), tagger)
            self.tagged = tagged
        cdef TagCall* words = tag_lease.take(tagger.calls)
        words.read(tagger.model, tagger.known, view, decision.tokens.data(),
                   decision.tokens.size(), decision.dropped, self.cache[0], tagged.cache)
        if view.n > SHORT:
            call.begin(signal_raised)
            with nogil:
                decide_tags(tagger.model, tagger.known, words.scratch)
        elif view.n >= self.unlock_length:
            tags_unlocked(tagger.model, tagger.known, words.scratch)
        else:
            decide_tags(tagger.model, tagger.known, words.scratch)
        return tagged_list(words[0], view, decision.tokens.data(), decision.tokens.size(),
                           decision.dropped, self.cache[0], tagged.cache, tagger.names)

    def steps(self, text):
        """The amount of work on ``text``: look-ups, relaxed edges, moved cells."""
        text = exact_str(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        self.run(worker, text, request)
        return worker.steps()


cdef str NOT_INITIALISED = "a Segmenter that was never initialised: make it with segmenter.load"


@cython.binding(True)  # with signatures, for help(segmenter.Segmenter.cut)
cdef class Cutter:
    """The methods of a Segmenter that call its engine directly.

    A Python method in between would add 5% to the time of a short text.
    """

    cdef public Engine _engine

    def cut(self, text):
        """The words of ``text``; joined they give ``text`` again (unless ``skip`` drops some).

        Preset, decoder and options are the arguments of :func:`segmenter.load`;
        ``help(segmenter.load)`` lists them.

        Raises:
            TypeError: ``text`` is not a str.
        """
        if self._engine is None:
            raise TypeError(NOT_INITIALISED)
        return self._engine.words_of(text)

    def ends(self, text):
        """The exclusive end offsets of the words in code points, an int32 array of shape (words,).

        The array is NumPy's, which the first call imports (60 ms);
        ``tokenize(text).ends`` is an ``array.array`` and imports nothing.

        Raises:
            TypeError: ``text`` is not a str.
        """
        if self._engine is None:
            raise TypeError(NOT_INITIALISED)
        return self._engine.ends_of(text)


# --- bytes, columns and batches: many texts by several threads -----------------------------------

cdef class BatchLists:
    """The lists of a batch, filled part by part."""

    cdef list lists
    cdef WordCache* cache
    cdef vector[BatchText] texts
    cdef size_t since_turn
    cdef object error

    cdef int append(self, const BatchPart& part) except -1:
        return append_lists(
            <PyObject*>self.lists, self.texts.data() + part.first, part.last - part.first,
            part.tokens.data(), self.cache[0], self.since_turn)


cdef int append_part(void* to, const BatchPart& part) noexcept with gil:
    cdef BatchLists batch = <BatchLists>to
    try:
        return batch.append(part)
    except BaseException as error:  # raised again by cut_batch()
        batch.error = error
        return -1


def cut_bytes(Engine engine not None, data, bytes sep not None, int threads=1):
    """Cuts UTF-8; see ``Segmenter.cut_bytes``.  Returns (result, -1) or (None, bad offset)."""
    cdef Py_buffer view
    cdef Leases[Worker] leases
    cdef BytesCall cut
    cdef const char* sep_data = PyBytes_AS_STRING(sep)
    cdef size_t sep_n = len(sep)
    cdef char* memory
    cdef PyObject* resized
    cdef LongCall call
    cdef bytes joined
    threads = engine.threads(threads)
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        call.begin(signal_raised)
        leases.take(engine.workers[0], threads)
        # a Chinese word takes 4 to 5 bytes: assume at most one separator per 2 bytes
        joined = PyBytes_FromStringAndSize(
            NULL, view.len + view.len // 2 * <Py_ssize_t>sep_n + 64 * threads)
        cut.lend(PyBytes_AS_STRING(joined), <size_t>len(joined))
        with nogil:
            cut.run(engine.plan, <const char*>view.buf, <size_t>view.len, sep_data, sep_n,
                    threads, leases.all)
        if cut.bad >= 0:
            return None, cut.bad
        if cut.in_place():
            resized = <PyObject*>joined
            Py_INCREF(joined)
            joined = None
            _PyBytes_Resize(&resized, <Py_ssize_t>cut.size())
            joined = <bytes>resized
            Py_DECREF(joined)
            return joined, -1
        joined = None  # freed before the next
        joined = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>cut.size())
        memory = PyBytes_AS_STRING(joined)
        with nogil:
            cut.copy(memory)
        return joined, -1
    finally:
        PyBuffer_Release(&view)


def cut_column(Engine engine not None, data, offsets, validity, size_t validity_from,
               int threads=1):
    """Cuts a column; see ``Segmenter.cut_column``.

    ``offsets``: int32 or int64, one more than rows.  ``validity``: bits from ``validity_from``
    on, one per row, or None.  Returns (offsets of the lists, offsets of the words, bytes of the
    words), with None for the bytes if they are ``data``; or on error (fault, row, byte).
    """
    from numpy import empty

    cdef ColumnText column
    cdef ColumnCall cut
    cdef Leases[Worker] leases
    cdef Buffer[uint8_t] utf8, bits, row_offsets, list_offsets, word_offsets
    cdef char* memory = NULL
    threads = engine.threads(threads)
    utf8.take(memoryview(data).cast("B"), b"data")
    row_offsets.take(memoryview(offsets).cast("B"), b"offsets")
    column.n = <size_t>utf8.n
    column.data = utf8.data
    column.wide = offsets.itemsize == 8
    column.rows = len(offsets) - 1
    column.offsets = row_offsets.data
    column.validity = NULL
    column.validity_from = validity_from
    if validity is not None:
        bits.take(memoryview(validity).cast("B"), b"validity")
        if <size_t>bits.n * 8 < validity_from + column.rows:
            raise ValueError("validity: fewer bits than rows")
        if column.rows:
            column.validity = bits.data
    lists = empty(column.rows + 1, offsets.dtype)
    list_offsets.take(lists.view("u1"), b"lists", True)
    cdef LongCall call
    call.begin(signal_raised)
    leases.take(engine.workers[0], threads)
    with nogil:
        cut.run(engine.plan, column, threads, leases.all, list_offsets.writable())
    if cut.fault == ColumnFault.kOffsets:
        return "offsets", cut.fault_row, 0
    if cut.fault == ColumnFault.kUtf8:
        return "utf8", cut.fault_row, cut.fault_byte
    if cut.fault == ColumnFault.kTooLong:
        return "length", cut.fault_row, 0
    words = empty(cut.words + 1, offsets.dtype)
    word_offsets.take(words.view("u1"), b"words", True)
    copied = None
    if cut.copied:
        copied = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>cut.n_bytes)
        memory = PyBytes_AS_STRING(copied)
    with nogil:
        cut.take(column, list_offsets.writable(), word_offsets.writable(), memory)
    return lists, words, copied


def cut_batch(Engine engine not None, texts, int threads=1):
    """``[cut(t) for t in texts]``, by native threads."""
    # the caller's list could change while the GIL is released
    cdef list strings = list(texts)
    cdef BatchLists batch = BatchLists()
    cdef Leases[Worker] leases
    cdef LongCall call
    cdef Py_ssize_t i
    threads = engine.threads(threads)
    batch.lists, batch.cache = [], engine.cache
    batch.texts.resize(len(strings))
    for i in range(len(strings)):
        if not isinstance(strings[i], str):
            raise TypeError(f"texts: item {i} is {type(strings[i]).__name__}, not str")
        strings[i] = exact_str(strings[i])
        batch.texts[i].text = TextView(strings[i])
    try:
        call.begin(signal_raised)
        leases.take(engine.workers[0], threads)
        with nogil:
            batch_to(engine.plan, batch.texts, threads, leases.all, <void*>batch, append_part)
        if batch.error is not None:
            raise batch.error
        return batch.lists
    finally:
        for words in batch.lists:
            PyObject_GC_Track(<PyObject*>words)


# --- for tests -----------------------------------------------------------------------------------

def characters_checked():
    """How many characters this thread's last native call decoded with checks for signals, counting
    a text once per pass with such checks."""
    return Interrupt.of_last_call()


def turns():
    """How often this thread's calls have given other threads a turn while they made objects."""
    return turns_given()
