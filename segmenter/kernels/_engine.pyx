# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What is opened from options and files, and the engines that cut texts.

A method of :class:`Engine` calls the kernels (``worker.hpp``) and makes Python objects of the result."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uint16_t, uint32_t, uint8_t
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from segmenter.kernels._lexicon cimport Lexicon, UserWords
from segmenter.kernels._models cimport NgramModel, PosTagger, TaggerWeights
from segmenter.kernels.bindings.atoms cimport (
    AtomSettings, kAtomNames, kAtomNamesText, kAtomSettings, PatternAutomaton)
from segmenter.kernels.bindings.batch cimport (
    append_lists, batch_to, BatchPart, BatchText, BytesCall, ColumnCall, ColumnFault, ColumnText)
from segmenter.kernels.bindings.decision cimport (
    Decision, decoded, encoded, ends_array, ends_column, Interrupt, Match, Request, string_of, Want,
    WordCache, words_list)
from segmenter.kernels.bindings.engine cimport c_worth_unlocking, run_unlocked, tags_unlocked
from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.open cimport (
    Answer, Asked, c_cuts_runs, c_open, COpened, kLexicon, kSubwords, Part, tagger_alone, Wanted,
    Worker)
from segmenter.kernels.bindings.options cimport (
    c_sha256, kOovs, kOptions, kOptionTable, kPosFile, kPresets, kRules, kTaggers, more_standards,
    Oov, OptionNumber, Preset, TaggerFile, values_of)
from segmenter.kernels.bindings.pos cimport decide_tags, TagCall, tagged_list
from segmenter.kernels.bindings.python cimport (
    _PyBytes_Resize, asked, Buffer, kMostCharacters, Lease, Leases, LongCall, plain,
    PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyObject_GC_Track, PyUnicode_FromKindAndData, raw,
    SHORT, Text, TextView, turns_given)
from segmenter.kernels.bindings.unknown cimport CUTTER_CAPSULE, UnknownCutter
from segmenter.kernels.bindings.user cimport viewed


# --- typed atoms ---------------------------------------------------------------------------------

ATOM_NAMES = tuple([kAtomNamesText[i].decode() for i in range(kAtomNames)])
ATOM_SETTINGS = tuple([kAtomSettings[i].decode() for i in range(3)])


def atom_codes(settings):
    """How each kind of atom is treated, a byte per rule, if these settings replace the defaults."""
    cdef AtomSettings made
    cdef bytes rule, how
    for name, setting in settings:
        rule, how = name.encode("utf-8", "replace"), setting.encode("utf-8", "replace")
        made.set(viewed(rule), viewed(how))
    return (<const char*>made.how)[:kAtomNames]


def parsed_atoms(str text not None):
    """The same of the form ``url=split,date=model``, or ``none``, ``keep`` or ``split``."""
    cdef AtomSettings made
    cdef bytes utf8 = text.encode("utf-8", "replace")
    made.parse(viewed(utf8))
    return (<const char*>made.how)[:kAtomNames]


cdef class AtomRules:
    """How each kind of atom is treated, and where a scan for atoms stops; see atoms/atoms.hpp.

    ``how``: one byte per rule, in the order of ``segmenter.atoms.NAMES``: 0: left to the decoder,
    1: one token, 2: split into its parts.  ``patterns``: columns of
    ``segmenter.atoms.patterns.Automaton``, or None.
    """

    def __init__(self, how, patterns=None):
        cdef int i
        cdef Buffer[uint8_t] codes
        cdef PatternAutomaton* automaton = &self.rules.patterns
        codes.take(how, b"how")
        if codes.n != kAtomNames:
            raise ValueError(f"how: {codes.n} bytes, not one for each of the {kAtomNames} rules")
        for i in range(kAtomNames):
            if codes[i] > 2:
                raise ValueError(f"how: {codes[i]} is not a setting, from 0 to 2")
            self.rules.how[i] = codes[i]
        self.rules.prepare()
        if patterns is None:
            return
        automaton.starts = patterns.starts
        automaton.classes = patterns.classes
        automaton.table = patterns.table
        automaton.accepts = patterns.accepts
        automaton.width = patterns.width
        if not automaton.prepare():
            raise ValueError("patterns: the columns of the automaton do not fit together")


# --- options: names, defaults and values (open/options.hpp) --------------------------------------

def _values(int number):
    return tuple([value.decode() for value in values_of(<OptionNumber>number)])


#: The default of each option of load(), by its name; "": what the preset or the file says.
DEFAULTS = {kOptionTable[i].name.decode(): kOptionTable[i].preset.decode() for i in range(kOptions)}
#: The values that each takes; empty: any.
VALUES = {kOptionTable[i].name.decode(): _values(i) for i in range(kOptions)}
#: Standards of the presets `accurate` and `best` alone.
MORE_STANDARDS = tuple([name.decode() for name in more_standards()])
#: Values of `oov` that take a vocabulary of subwords.
SUBWORDS = tuple([kOovs[i].name.decode() for i in range(sizeof(kOovs) // sizeof(Oov))
                  if kOovs[i].subwords])
TAGGERS = tuple([kTaggers[i].decoder.decode() for i in range(sizeof(kTaggers) // sizeof(TaggerFile))])
PRESETS = {kPresets[i].name.decode(): kPresets[i].decoder.decode()
           for i in range(sizeof(kPresets) // sizeof(Preset))}
#: The shipped file of each tagger; % stands for the standard.
TAGGER_FILES = {kTaggers[i].decoder.decode(): kTaggers[i].file.decode() for i in range(len(TAGGERS))}
POS_MODEL = kPosFile.decode()
RULES = kRules


def sha256(bytes text not None):
    """The SHA-256 of a short text, hexadecimal."""
    return decoded(c_sha256(string_of(text)))


# --- opening, from options and files (open/open.hpp) ---------------------------------------------

cdef tuple KINDS_WANTED = (
    "lexicon", "tagger", "network", "beside", "unknown_tagger", "subwords",
)


cdef class _Shelf:
    """What open() asks for files: Python's shelf, and what it gave."""

    cdef object shelf, error
    cdef dict given  # by the names of KINDS_WANTED

    cdef int put(self, const Wanted& wanted, Part& part) except -1:
        cdef Lexicon lexicon
        cdef NgramModel ngrams
        cdef str kind = KINDS_WANTED[<int>wanted.kind]
        found = self.shelf.open(kind, decoded(wanted.file), decoded(wanted.standard))
        native = found.native
        if native is None:
            from segmenter.errors import ArgumentError
            raise ArgumentError(
                f"{kind}: {found!r} has more characters than the kernels take: choose a smaller one")
        self.given[kind] = found
        part.name, part.digest = encoded(found.name), encoded(found.digest)
        if wanted.kind == kLexicon:
            lexicon = native
            part.lex, part.marks = &lexicon.lex, &lexicon.marks
            part.outside = lexicon._longest is not None
            if wanted.mass:
                part.mass = found.meta["mass"]
            if wanted.ngrams:
                ngrams = found.ngrams
                if ngrams is not None:
                    part.ngrams = &ngrams.model
                    if wanted.bounds:
                        ngrams.find_bounds()
        elif wanted.kind == kSubwords:
            part.subwords = <const UnknownCutter*>PyCapsule_GetPointer(
                native.cutter(), CUTTER_CAPSULE)
        else:
            part.tagger = &(<TaggerWeights?>native).model
            if wanted.described:
                part.decoder, part.standard = encoded(found.decoder), encoded(found.standard)
            for rule, setting in found.atoms.items():
                part.atoms.push_back(pair[string, string](encoded(rule), encoded(setting)))
        return 0


cdef int shelf_kind(void* of, const string& file, string& kind) noexcept:
    cdef _Shelf shelf = <_Shelf>of
    try:
        (&kind)[0] = encoded(shelf.shelf.kind(decoded(file)))
        return 0
    except BaseException as error:  # raised again by open()
        shelf.error = error
        return -1


cdef int shelf_open(void* of, const Wanted& wanted, Part& part) noexcept:
    cdef _Shelf shelf = <_Shelf>of
    try:
        return shelf.put(wanted, part)
    except BaseException as error:
        shelf.error = error
        return -1


cdef str named(str name, object value):
    if not isinstance(value, str):
        from segmenter.errors import wrong_type
        raise wrong_type(name, value, "str")
    return plain(value)


cdef class Opened:
    """A segmenter, opened; see open/open.hpp.  Immutable."""

    cdef const COpened* native(self) noexcept:
        return self.opened.get()

    def given(self, str kind):
        """What the shelf gave of a kind; None: nothing."""
        return self.parts.get(kind)

    @property
    def standard(self):
        return decoded(self.native().standard)

    @property
    def decoder(self):
        return decoded(self.native().decoder)

    @property
    def oov(self):
        return decoded(self.native().oov)

    @property
    def matcher(self):
        """The name of what finds words."""
        return decoded(self.native().matcher)

    @property
    def skip(self):
        """The kinds that are left out."""
        return frozenset([kind for i, kind in enumerate(VALUES["skip"]) if self.native().skip >> i & 1])

    @property
    def atoms(self):
        """How each kind of atom is treated, a byte per rule."""
        return (<const char*>self.native().settings.how)[:kAtomNames]

    @property
    def usual_atoms(self):
        """The same as the standard has it, whatever was asked."""
        return (<const char*>self.native().usual.how)[:kAtomNames]

    @property
    def lexicon_file(self):
        return decoded(self.native().lexicon_file)

    @property
    def models(self):
        """Identities of what boundaries depend on."""
        return decoded(self.native().models)

    def cuts_runs(self):
        """Whether words may begin or end inside a unit of an index."""
        return c_cuts_runs(self.native()[0])

    @property
    def fingerprint(self):
        """What an index stores to know when to rebuild."""
        return decoded(self.native().fingerprint)


def open(shelf, *, name=None, standard=None, decoder=None, oov=None, skip=None, matcher=None,
         UserWords user=None, str user_digest="", atoms=(), bint all_atoms=False,
         AtomRules rules=None, str patterns_digest=""):
    """Opens a segmenter.  Options that are None have the default of the table.

    ``shelf`` opens files: ``kind(file)`` is the kind of a compiled file that is no preset, "" if
    there is none; ``open(kind, file, standard)`` opens a "lexicon", "tagger", "network",
    "beside" (another network), "unknown_tagger" or "subwords": a Lexicon, a tagger, an OovModel.  ``name``: a preset or a file; None:
    the shelf holds the models.  ``matcher``: a name, or an object with one.  ``atoms``: rules and
    settings; ``all_atoms``: those of a standard do not count; ``rules`` has the patterns.

    Raises:
        ArgumentError: an option's value; whatever the shelf raises.
    """
    from segmenter.errors import check_iterable, wrong_type
    cdef Asked asked
    cdef _Shelf held = _Shelf()
    cdef Opened made = Opened()
    cdef vector[string] kinds
    held.shelf, held.given = shelf, {}
    if name is None:
        asked.own_models = True
    else:
        asked.name.emplace(encoded(named("name", name)))
    if standard is not None:
        asked.standard.emplace(encoded(named("standard", standard)))
    if decoder is not None:
        asked.decoder.emplace(encoded(named("decoder", decoder)))
    if oov is not None:
        asked.oov.emplace(encoded(named("oov", oov)))
    if skip is not None:
        skip = (skip,) if isinstance(skip, str) else skip
        check_iterable("skip", skip)
        for kind in skip:
            kinds.push_back(encoded(named("skip", kind)))
        asked.skip.emplace(kinds)
    if isinstance(matcher, str):
        asked.matcher.emplace(encoded(plain(matcher)))
    elif matcher is not None:
        if not hasattr(matcher, "name"):
            raise wrong_type("matcher", matcher, "str or a Matcher")
        asked.own_matcher = True
        asked.matcher.emplace(encoded(str(matcher.name)))
    for rule, setting in atoms:
        asked.atoms.push_back(pair[string, string](encoded(plain(rule)), encoded(plain(setting))))
    asked.all_atoms = all_atoms
    if rules is not None and rules.rules.patterns.any():
        asked.patterns = &rules.rules.patterns
        asked.patterns_digest = encoded(patterns_digest)
    if user is not None:
        asked.user = &user.words
        asked.user_digest = encoded(user_digest)
    cdef Answer answer = c_open(asked, <void*>held, shelf_kind, shelf_open)
    if held.error is not None:
        raise held.error
    if answer.code:
        from segmenter.errors import ArgumentError
        raise ArgumentError(decoded(answer.sentence, b"replace"))
    made.opened = answer.opened
    made.parts, made.user, made.rules = held.given, user, rules
    return made


# --- engines: words, ends and tags of one text ---------------------------------------------------

cdef class TaggedWords:
    """What an engine's words and one tagger gave so far.

    An engine that meets another tagger gets another of these: calls under way keep theirs.
    """


cdef class WorkerPool:
    """Idle working memory; engines over the same words share one pool."""


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


# --- bytes, columns and batches: many texts by several threads -----------------------------------

cdef class BatchLists:
    """The lists of a batch, filled part by part."""

    cdef list held, out
    cdef WordCache* cache
    cdef vector[BatchText] texts
    cdef size_t made
    cdef object error

    cdef int take(self, const BatchPart& part) except -1:
        return append_lists(<PyObject*>self.out, self.texts.data() + part.first,
                            part.last - part.first, part.tokens.data(), self.cache[0], self.made)


cdef int take_part(void* to, const BatchPart& part) noexcept with gil:
    cdef BatchLists lists = <BatchLists>to
    try:
        lists.take(part)
    except BaseException as e:
        lists.error = e
        return -1
    return 0


def cut_bytes(Engine engine not None, data, bytes sep not None, int threads=1):
    """Cuts UTF-8; see ``Segmenter.cut_bytes``.  Returns (result, -1) or (None, bad offset)."""
    cdef Py_buffer view
    cdef Leases[Worker] leases
    cdef BytesCall result
    cdef const char* sep_data = PyBytes_AS_STRING(sep)
    cdef size_t sep_n = len(sep)
    cdef char* to
    cdef PyObject* raw
    cdef LongCall call
    cdef bytes lent = None
    threads = engine.threads(threads)
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        call.begin(asked)
        leases.take(engine.workers[0], threads)
        # a Chinese word takes 4 to 5 bytes: assume at most one separator per 2 bytes
        lent = PyBytes_FromStringAndSize(
            NULL, view.len + view.len // 2 * <Py_ssize_t>sep_n + 64 * threads)
        result.lend(PyBytes_AS_STRING(lent), <size_t>len(lent))
        with nogil:
            result.run(engine.plan, <const char*>view.buf, <size_t>view.len, sep_data, sep_n,
                       threads, leases.all)
        if result.bad >= 0:
            return None, result.bad
        if result.in_place():
            raw = <PyObject*>lent
            Py_INCREF(lent)
            lent = None
            if _PyBytes_Resize(&raw, <Py_ssize_t>result.size()) < 0:
                return None, -1
            out = <object>raw
            Py_DECREF(out)
            return out, -1
        lent = None
        out = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>result.size())
        to = PyBytes_AS_STRING(out)
        with nogil:
            result.copy(to)
        return out, -1
    finally:
        PyBuffer_Release(&view)


def cut_column(Engine engine not None, data, offsets, validity, size_t validity_from,
               int threads=1):
    """The words of a column; see ``Segmenter.cut_column``.

    ``offsets`` is a buffer of rows + 1 int32 or int64.  Returns (offsets of the lists, offsets
    of the words, bytes of the words), with None for the bytes if they are ``data``; or on error
    (fault, row, byte).
    """
    from numpy import empty

    cdef ColumnText column
    cdef ColumnCall cut
    cdef Leases[Worker] leases
    cdef Buffer[uint8_t] bytes_of, bits, bounds, lists_to, words_to
    cdef char* bytes_to = NULL
    threads = engine.threads(threads)
    bytes_of.take(memoryview(data).cast("B"), b"data")
    bounds.take(memoryview(offsets).cast("B"), b"offsets")
    column.n = <size_t>bytes_of.n
    column.data = bytes_of.data
    column.wide = offsets.itemsize == 8
    column.rows = len(offsets) - 1
    column.offsets = bounds.data
    column.validity = NULL
    column.validity_from = validity_from
    if validity is not None:
        bits.take(memoryview(validity).cast("B"), b"validity")
        if <size_t>bits.n * 8 < validity_from + column.rows:
            raise ValueError("validity: fewer bits than rows")
        if column.rows:
            column.validity = bits.data
    lists = empty(column.rows + 1, offsets.dtype)
    lists_to.take(lists.view("u1"), b"lists", True)
    cdef LongCall call
    call.begin(asked)
    leases.take(engine.workers[0], threads)
    with nogil:
        cut.run(engine.plan, column, threads, leases.all, lists_to.room())
    if cut.fault == ColumnFault.kOffsets:
        return "offsets", cut.fault_row, 0
    if cut.fault == ColumnFault.kUtf8:
        return "utf8", cut.fault_row, cut.fault_byte
    if cut.fault == ColumnFault.kTooLong:
        return "length", cut.fault_row, 0
    words = empty(cut.words + 1, offsets.dtype)
    words_to.take(words.view("u1"), b"words", True)
    copied = None
    if cut.copied:
        copied = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>cut.n_bytes)
        bytes_to = PyBytes_AS_STRING(copied)
    with nogil:
        cut.take(column, lists_to.room(), words_to.room(), bytes_to)
    return lists, words, copied


def cut_batch(Engine engine not None, texts, int threads=1):
    """``[cut(t) for t in texts]``, by native threads."""
    # the caller's list could change while the GIL is released
    cdef list held = list(texts)
    cdef BatchLists lists = BatchLists()
    cdef Leases[Worker] leases
    cdef Py_ssize_t i
    threads = engine.threads(threads)
    for i in range(len(held)):
        if type(held[i]) is not str:
            if not isinstance(held[i], str):
                raise TypeError(f"texts: item {i} is {type(held[i]).__name__}, not str")
            held[i] = plain(held[i])
    lists.held = held
    lists.out = []
    lists.cache = engine.cache
    cdef LongCall call
    try:
        call.begin(asked)
        lists.texts.resize(len(held))
        for i in range(len(held)):
            lists.texts[i].text = TextView(held[i])
        leases.take(engine.workers[0], threads)
        with nogil:
            batch_to(engine.plan, lists.texts, threads, leases.all, <void*>lists, take_part)
        if lists.error is not None:
            raise lists.error
        return lists.out
    finally:
        for i in range(len(lists.out)):
            PyObject_GC_Track(<PyObject*>lists.out[i])


# --- for tests -----------------------------------------------------------------------------------

def looked():
    """How many characters were covered by checks for signals in this thread's last native call,
    counting a text once per pass with such checks."""
    return Interrupt.of_last_call()


def turns():
    """How often this thread's calls have given other threads a turn while they made objects."""
    return turns_given()
