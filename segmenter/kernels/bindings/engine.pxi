# An engine over opened files: words, ends, tags and columns of tokens of one text.
#
# Uses python.pxi: SHORT, asked, plain; lexicon.pxi: Lexicon; tagger.pxi:
# TaggerWeights; pos.pxi: PosTagger, TaggedWords; open.pxi: Opened.

from segmenter.kernels.bindings.decision cimport (
    Decision, ends_array, ends_column, Match, Request, Want, WordCache, words_list)
from segmenter.kernels.bindings.engine cimport (
    c_worth_unlocking, CallbackMatcher, run_unlocked, tags_unlocked)
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.open cimport Plan, tagger_alone, Worker
from segmenter.kernels.bindings.pos cimport decide_tags, TagCall, tagged_list
from segmenter.kernels.bindings.python cimport (
    Buffer, kMostCharacters, Lease, LongCall, Pool, PyUnicode_FromKindAndData, Text, TextView)


cdef class WorkerPool:
    """Idle working memory; engines over the same words share one pool."""

    cdef Pool[Worker] workers


cdef int find_words(void* of, const Text& text, vector[Match]& words) except -1 with gil:
    """Calls the matcher of an engine, from a thread that may not hold the interpreter's lock."""
    return ask_matcher(<Engine>of, text, words)


cdef int ask_matcher(Engine engine, const Text& text, vector[Match]& words) except -1:
    cdef const CLexicon* lex = &engine.lexicon.lex
    cdef Buffer[uint32_t] triples
    cdef Buffer[uint16_t] costs
    cdef Py_ssize_t i
    cdef Match m
    cdef uint32_t last = 0
    held = PyUnicode_FromKindAndData(text.width, text.data, <Py_ssize_t>text.n)
    triples.take(memoryview(engine.matcher(held)).cast("B").cast("I"), b"matcher")
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
    """Runs what was opened on texts.  Immutable and thread-safe.

    ``source``: what it runs, an Opened; or a tagger alone, for trainers and tests.  ``matcher``, if given,
    replaces a lexicon's trie: called with a text, it returns a buffer of uint32 triples (start,
    end, word number), by start, then by end.  ``like``: an engine over the same words, to share
    working memory with.
    """

    cdef readonly Opened opened  # owns what the plan points to
    cdef object parts
    cdef Plan plan
    cdef Lexicon lexicon
    cdef object matcher
    cdef CallbackMatcher found
    cdef WordCache numbered  # for an outside matcher, whose tokens have numbers instead of slots
    cdef WordCache* cache
    cdef TaggedWords tagged
    cdef size_t unlocked  # texts of so many characters are decoded without the interpreter's lock
    cdef WorkerPool pool
    cdef Pool[Worker]* workers

    def __init__(self, source, matcher=None, Engine like=None):
        cdef TaggerWeights tagger = None
        if isinstance(source, Opened):
            self.opened = source
            part = self.opened.parts.get
            predictor = part("tagger") or part("network")
            if predictor is not None:
                tagger = predictor.native
        else:
            tagger = source
            self.opened = Opened()
            self.opened.opened = tagger_alone(tagger.model)
            self.opened.parts = {}
        self.parts = source
        self.plan = self.opened.native().plan
        self.unlocked = c_worth_unlocking(self.plan)
        self.lexicon = part("lexicon").native if tagger is None else tagger.lexicon
        self.matcher = matcher
        self.cache = &self.lexicon.cache if tagger is None else &tagger.cache
        if self.matcher is not None:
            self.numbered.reserve(<size_t>self.lexicon.lex.n_words + 1)
            self.cache = &self.numbered
            self.found.set(<void*>self, find_words)
            self.plan.matcher = &self.found
        self.pool = WorkerPool() if like is None else like.pool
        self.workers = &self.pool.workers

    cdef int threads(self, int asked):
        """How many threads cut: one where a matcher may raise an exception, which its thread has."""
        return asked if self.matcher is None else 1

    cdef const Decision* run(self, Worker* worker, str text, Request& request) except NULL:
        """The worker's decision about a text; valid until its next call."""
        cdef TextView view = TextView(text)
        if view.n > kMostCharacters:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        if view.n < self.unlocked:
            return worker.run(self.plan, view, request)
        if view.n <= SHORT:
            return run_unlocked(worker[0], self.plan, view, request)
        cdef const Decision* decision
        cdef LongCall call
        call.begin(asked)
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
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        if <size_t>len(text) < self.unlocked:
            request.shared = self.cache.table()
        cdef const Decision* decision = self.run(worker, text, request)
        return words_list(TextView(text), decision.tokens.data(), decision.tokens.size(), decision.dropped,
                          self.cache[0])

    cdef object ends_of(self, text):
        text = plain(text)
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
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Lease[TagCall] tag_lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef TextView view = TextView(text)
        cdef Request request
        cdef LongCall call
        cdef const Decision* decision = self.run(worker, text, request)
        cdef TaggedWords seen = self.tagged
        if seen is None or not seen.cache.is_of(tagger):
            seen = TaggedWords()
            seen.cache.reserve(self.cache.size(), tagger)
            self.tagged = seen
        cdef TagCall* words = tag_lease.take(tagger.calls)
        words.see(tagger.model, tagger.known, view, decision.tokens.data(), decision.tokens.size(),
                  decision.dropped, self.cache[0], seen.cache)
        if view.n > SHORT:
            call.begin(asked)
            with nogil:
                decide_tags(tagger.model, tagger.known, words.scratch)
        elif view.n >= self.unlocked:
            tags_unlocked(tagger.model, tagger.known, words.scratch)
        else:
            decide_tags(tagger.model, tagger.known, words.scratch)
        return tagged_list(words[0], view, decision.tokens.data(), decision.tokens.size(),
                           decision.dropped, self.cache[0], seen.cache, tagger.names)

    def steps(self, text):
        """The amount of work on ``text``: look-ups, relaxed edges, moved cells."""
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        self.run(worker, text, request)
        return worker.steps()


NOT_MADE = "a Segmenter that was never initialised: make it with segmenter.load"


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
            raise TypeError(NOT_MADE)
        return self._engine.words_of(text)

    def ends(self, text):
        """The exclusive end offsets of the words in code points, an int32 array of shape (words,).

        The array is NumPy's, which the first call imports (60 ms);
        ``tokenize(text).ends`` is an ``array.array`` and imports nothing.

        Raises:
            TypeError: ``text`` is not a str.
        """
        if self._engine is None:
            raise TypeError(NOT_MADE)
        return self._engine.ends_of(text)
