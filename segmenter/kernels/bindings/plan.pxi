# What an engine runs, checked and finished.


cdef extern from "unknown.hpp" namespace "segmenter":
    cdef cppclass UnknownCutter:
        pass
    const char* CUTTER_CAPSULE "segmenter::UnknownCutter::kCapsule"


cdef extern from "calls.hpp" namespace "segmenter":
    double score_unit(const TaggerModel& m) noexcept nogil
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


cdef float NO_OTHER_WAY = kNoOtherWay


cdef class EnginePlan:
    """What an engine runs: the kernels' plan and what it points to.  Immutable.

    ``words``: what decides: the lexicon of a lattice, or a tagger.  ``decoder``: for a lexicon,
    one of DECODERS; ``ngrams``: for its bigrams and trigrams.  ``matcher``, if given,
    replaces a lexicon's trie: called with a text, it returns a buffer of uint32 triples (start,
    end, word number), by start, then by end.  ``unknown``: what happens to words that neither
    lexicon nor tagger knows: None, nothing; ``"keep"``, adjacent unknown Han characters stay one
    token; a tagger cuts what a lattice leaves as single characters; anything with a method
    ``cutter()`` that returns a capsule with an UnknownCutter (unknown.hpp) cuts that, or what is
    unknown to the tagger's lexicon.  ``skip``: kinds to leave out, a sum of
    ``segmenter.choices.SKIP``.  ``user`` contains the user's words, whose weights are counts;
    exp(``log_mass`` / 2048) is the sum of the lexicon's counts.  ``atoms`` are found before
    decoding.  ``portable``: no vector instructions in taggers, for tests.
    """

    cdef Lexicon lexicon
    cdef NgramModel ngrams
    cdef TaggerWeights tagger
    cdef object unknown, matcher
    cdef CNgramModel no_model
    cdef UserWords user
    cdef CUserDictionary entries
    cdef AtomRules atoms
    cdef MarkedMap marked
    cdef Plan plan

    def __init__(self, words not None, *, str decoder="unigram", NgramModel ngrams=None,
                 matcher=None, unknown=None, uint32_t skip=0, UserWords user=None,
                 int32_t log_mass=0, AtomRules atoms=None, bint portable=False):
        cdef int i
        if isinstance(words, TaggerWeights):
            if matcher is not None:
                raise ValueError("matcher: for a lexicon; a tagger decodes by itself")
            self.tagger = words
            self.lexicon = self.tagger.lexicon
            self.plan.tagger = &self.tagger.model
        else:
            self.lexicon = words
            self.plan.decoder = decoder_of(decoder)
            if needs_ngrams(self.plan.decoder) and ngrams is None:
                raise ValueError("this decoder needs an n-gram model")
            if decoder == "bigram":
                ngrams.find_bounds()
        self.ngrams = ngrams
        self.no_model.n_words = self.lexicon.lex.n_words
        self.plan.lex = &self.lexicon.lex
        self.plan.model = &self.no_model if ngrams is None else &ngrams.model
        self.plan.skip = skip
        self.plan.portable = portable
        self.matcher = matcher
        self.unknown = unknown
        self.plan.keep_unknown = unknown == "keep"
        if isinstance(unknown, TaggerWeights):
            self.plan.guesser = &(<TaggerWeights>unknown).model
        elif unknown is not None and not self.plan.keep_unknown:
            self.plan.subwords = <const UnknownCutter*>PyCapsule_GetPointer(
                unknown.cutter(), CUTTER_CAPSULE)
        if user is not None:
            self.user = user
            # an assignment of the whole would throw where Cython catches nothing
            self.entries.layers.assign(user.words.layers.begin(), user.words.layers.end())
            for i in range(4):
                self.entries.fold[i] = user.words.fold[i]
            self.entries.log_mass = log_mass
            if self.tagger is not None:
                self.entries.gain = score_unit(self.tagger.model)
            self.plan.user = &self.entries
        self.atoms = atoms
        if atoms is not None and (atoms.rules.any or atoms.rules.patterns.any()):
            self.plan.atoms = &atoms.rules
            if self.tagger is None and decoder == "unigram":
                self.marked = marked_map(self.lexicon, atoms)
                if self.marked is not None:
                    self.plan.marked = self.marked.map.get()
