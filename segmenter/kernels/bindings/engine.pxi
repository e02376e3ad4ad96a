# A decoder over a lexicon: lists, ends and tags of words.  The last layer, Engine, is in batch.pxi.


cdef extern from "unknown.hpp" namespace "segmenter":
    cdef cppclass UnknownCutter:
        pass
    const char* CUTTER_CAPSULE "segmenter::UnknownCutter::kCapsule"


cdef extern from "worker.hpp" namespace "segmenter":
    double nat_of(const TaggerModel& m) noexcept nogil
    cbool reads_many(const Plan& plan) noexcept nogil
    cdef struct Plan:
        const CLexicon* lex
        const CNgramModel* model
        const TaggerModel* tagger
        const TaggerModel* guesser
        const UnknownCutter* subwords
        CDecoder decoder
        cbool keep_unknown
        uint32_t skip
        const CUserDictionary* user
        const CAtomRules* atoms
        const CMarkedMap* marked
        cbool portable
    cdef cppclass Worker:
        vector[Match] matches
        const Decision* run(const Plan& plan, const Text& text,
                            const Request& request) except + nogil
        uint64_t steps() noexcept nogil


cdef extern from "inspect.hpp" namespace "segmenter":
    cdef cppclass BestCut:
        int64_t cost
        vector[uint32_t] starts
        vector[uint32_t] ends
    vector[AtomFound]& atoms_of(Worker& worker, const Plan& plan,
                                const Text& text) except + nogil
    void whole_dag(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                   cbool decided, vector[Edge]& edges) except + nogil
    void nbest(Worker& worker, const Plan& plan, const Text& text, const Request& request,
               size_t count, vector[BestCut]& out) except + nogil
    void tag_scores(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                    vector[int32_t]& out) except + nogil


TAGGED = <int>CDecoder.kTagged  # the Engine's decoder is its tagger
cdef float NO_OTHER_WAY = kNoOtherWay


cdef class WorkerPool:
    """Idle working memory; engines over the same words share one pool."""

    cdef Pool[Worker] workers


cdef class Decoding:
    """A decoder over a lexicon, the first layer of Engine.  Immutable and thread-safe.

    ``matcher``, if given, replaces the trie: called with a text, it returns a buffer of uint32
    triples (start, end, word number), by start, then by end.  ``tagger`` decodes if ``decoder`` is
    TAGGED.  ``guesser`` cuts text that a lattice leaves as single characters; ``subwords.cutter()`` is a capsule
    with an UnknownCutter (unknown.hpp), which cuts that, or text unknown to the tagger's lexicon.  ``user`` contains the user's words, whose
    weights are counts; exp(``log_mass`` / 2048) is the sum of the lexicon's counts.  ``atoms`` are
    found before decoding.  ``like``: an engine to share working memory with.  ``portable``: no
    vector instructions in taggers, for tests.
    """

    cdef Lexicon lexicon
    cdef NgramModel ngrams
    cdef TaggerWeights tagger, guesser
    cdef object subwords  # owns the plan's cutter
    cdef CNgramModel no_model
    cdef Plan plan
    cdef object matcher
    cdef WordCache numbered  # for an outside matcher, whose tokens have numbers instead of slots
    cdef WordCache* cache
    cdef TagCache tagged
    cdef UserWords user
    cdef CUserDictionary words
    cdef AtomRules atoms
    cdef MarkedMap marked
    cdef WorkerPool pool
    cdef Pool[Worker]* workers

    def __init__(self, Lexicon lexicon, int decoder=0, NgramModel ngrams=None,
                 bint keep_unknown=False, uint32_t skip=0, matcher=None,
                 TaggerWeights tagger=None, TaggerWeights guesser=None, bint portable=False,
                 subwords=None, UserWords user=None, int32_t log_mass=0, Decoding like=None,
                 AtomRules atoms=None):
        if not 0 <= decoder <= <int>CDecoder.kTagged:
            raise ValueError("decoder out of range")
        cdef CDecoder chosen = <CDecoder>decoder
        if (chosen == CDecoder.kBigram or chosen == CDecoder.kTrigram) and ngrams is None:
            raise ValueError("this decoder needs an n-gram model")
        if (chosen == CDecoder.kTagged) != (tagger is not None):
            raise ValueError("decoder TAGGED needs a tagger, and no other decoder takes one")
        if tagger is not None:
            lexicon = tagger.lexicon
        if lexicon is None:
            raise TypeError("lexicon must not be None")
        self.lexicon = lexicon
        self.ngrams = ngrams
        if chosen == CDecoder.kBigram:
            ngrams.find_bounds()
        self.tagger = tagger
        self.guesser = guesser
        self.no_model.n_words = lexicon.lex.n_words
        self.plan.lex = &lexicon.lex
        self.plan.model = &self.no_model if ngrams is None else &ngrams.model
        if tagger is not None:
            self.plan.tagger = &tagger.model
        if guesser is not None:
            self.plan.guesser = &guesser.model
        self.subwords = subwords
        if subwords is not None:
            self.plan.subwords = <const UnknownCutter*>PyCapsule_GetPointer(
                subwords.cutter(), CUTTER_CAPSULE)
        self.plan.decoder = chosen
        self.plan.keep_unknown = keep_unknown
        self.plan.skip = skip
        self.plan.portable = portable
        self.matcher = matcher
        self.cache = &lexicon.cache
        if tagger is not None:
            self.cache = &tagger.cache
        if matcher is not None:
            self.numbered.reserve(<size_t>lexicon.lex.n_words + 1)
            self.cache = &self.numbered
        if user is not None:
            self.user = user
            self.words = user.words
            self.words.log_mass = log_mass
            if tagger is not None:
                self.words.gain = nat_of(tagger.model)
            self.plan.user = &self.words
        self.atoms = atoms
        if atoms is not None and (atoms.rules.any or atoms.rules.patterns.any()):
            self.plan.atoms = &atoms.rules
            if chosen == CDecoder.kUnigram:
                self.marked = marked_map(lexicon, atoms)
                if self.marked is not None:
                    self.plan.marked = self.marked.map.get()
        self.pool = WorkerPool() if like is None else like.pool
        self.workers = &self.pool.workers

    cdef int mark(self, Request& request, object marks, size_t n) except -1:
        """Forced (1) and forbidden (2) boundaries before each character, for the tagger."""
        if marks is None:
            return 0
        cdef const uint8_t[::1] view = marks
        if self.tagger is None:
            raise ValueError("marks: only taggers take marks; this decoder is a lattice")
        if <size_t>view.shape[0] != n:
            raise ValueError("marks: expected one byte per character")
        if n:
            request.marks = &view[0]
        return 0

    cdef int find(self, Worker* worker, str text, Request& request) except -1:
        """Gets the words from the outside matcher, if there is one."""
        if self.matcher is None:
            return 0
        worker.matches.clear()
        request.found = &worker.matches
        cdef const uint32_t[::1] found = memoryview(self.matcher(text)).cast("B").cast("I")
        cdef const uint16_t[::1] costs = self.lexicon.word_costs()
        cdef Py_ssize_t i
        cdef Match m
        cdef uint32_t last = 0
        for i in range(0, found.shape[0] - 2, 3):
            m.start = found[i]
            m.end = found[i + 1]
            if (m.start < last or m.end <= m.start or m.end > <size_t>len(text)
                    or found[i + 2] >= self.lexicon.lex.n_words):
                raise ValueError("matcher: its matches are out of order or out of range")
            last = m.start
            if m.end - m.start > self.lexicon.lex.max_word:  # beyond the lattice's window
                continue
            m.cost = costs[found[i + 2]]
            m.slot = found[i + 2] + 1
            worker.matches.push_back(m)
        return 0

    cdef const Decision* run(self, Worker* worker, str text, Request& request) except NULL:
        """The worker's decision about a text; valid until its next call."""
        cdef TextView view = TextView(text)
        if view.n > MOST_CHARACTERS:
            raise ValueError("text: longer than 268 million characters; cut it by lines")
        self.find(worker, text, request)
        if view.n <= SHORT:
            return worker.run(self.plan, view, request)
        cdef const Decision* made
        cdef LongCall call
        call.begin(asked)
        with nogil:
            made = worker.run(self.plan, view, request)
        return made

    @property
    def external(self):
        """Whether a matcher outside the kernels finds the words."""
        return self.matcher is not None

    def cut_marked(self, text, marks):
        """``cut`` with the caller's marks, one byte per character; for taggers."""
        return self.words_of(text, marks)

    def cut(self, text):
        """The words of ``text``, a ``list[str]``."""
        return self.words_of(text)

    def ends(self, text):
        """The exclusive ends of the words of ``text``, int32."""
        return self.ends_of(text)

    cdef object words_of(self, text, marks=None):
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        self.mark(request, marks, <size_t>len(text))
        cdef const Decision* made = self.run(worker, text, request)
        return words_list(TextView(text), made.tokens.data(), made.tokens.size(), made.dropped,
                          self.cache[0])

    cdef object ends_of(self, text):
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        request.want = Want.kBare
        cdef const Decision* made = self.run(worker, text, request)
        if made.column.first != NULL:
            return ends_column(made.column)
        return ends_array(made.tokens.data(), made.tokens.size(), made.dropped)

    def tag(self, text, PosTagger tagger not None):
        """``(word, tag)`` for each word of ``text``, as ``tagger.pairs(self.cut(text))``."""
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Lease[TagCall] tag_lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef TextView view = TextView(text)
        cdef Request request
        cdef LongCall call
        cdef const Decision* made = self.run(worker, text, request)
        self.tagged.reserve(self.cache.size(), tagger)
        cdef TagCall* words = tag_lease.take(tagger.calls)
        words.see(tagger.model, tagger.known, view, made.tokens.data(), made.tokens.size(),
                  made.dropped, self.cache[0], self.tagged)
        if view.n > SHORT:
            call.begin(asked)
            with nogil:
                pos_tags(tagger.model, tagger.known, words.scratch)
        else:
            pos_tags(tagger.model, tagger.known, words.scratch)
        return tagged_list(words[0], view, made.tokens.data(), made.tokens.size(),
                           made.dropped, self.cache[0], self.tagged, tagger.names)

    cdef Py_ssize_t _number(self, uint32_t what):
        cdef uint32_t slot = token_slot(what)
        if token_kind(what) >= kEdgeKinds:  # the number of a user entry or of a pattern
            return slot
        if token_kind(what) != kWord or slot == 0 or self.tagger is not None:
            return -1
        if self.matcher is not None:
            return slot - 1
        return self.lexicon.lex.word_id(slot)

    def steps(self, text):
        """The amount of work on ``text``: look-ups, relaxed edges, moved cells."""
        text = plain(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.workers[0])
        cdef Request request
        self.run(worker, text, request)
        return worker.steps()

    def atoms_of(self, text):
        """The atoms that take effect in ``text``: [(start, end, rule, 1 kept or 2 split), …].

        Rules are indices into ``segmenter.atoms.NAMES``.
        """
        text = plain(text)
        cdef Lease[Worker] lease
        cdef AtomFound atom
        cdef vector[AtomFound]* found
        found = &atoms_of(lease.take(self.workers[0])[0], self.plan, TextView(text))
        return [(atom.start, atom.end, atom.name, atom.how) for atom in found[0]]
