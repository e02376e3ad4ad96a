# What may be asked of a text besides its cut: columns of tokens, atoms, the word DAG, scores of tags,
# the n best.

cdef extern from "inspect.hpp" namespace "segmenter":
    cdef cppclass BestCut:
        int64_t cost
        vector[uint32_t] starts
        vector[uint32_t] ends
    vector[AtomFound]& found_atoms "segmenter::atoms_of"(
        Worker& worker, const Plan& plan, const Text& text) except + nogil
    void whole_dag(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                   cbool decided, vector[Edge]& edges) except + nogil
    void best_cuts "segmenter::nbest"(
        Worker& worker, const Plan& plan, const Text& text, const Request& request, size_t count,
        vector[BestCut]& out) except + nogil
    void c_anew_places "segmenter::anew_places"(
        Worker& worker, const Plan& plan, const Text& text, vector[uint32_t]& out) except + nogil
    uint32_t c_anew_reach "segmenter::anew_reach"(const Plan& plan) noexcept nogil
    void scores_of_tags "segmenter::tag_scores"(
        Worker& worker, const Plan& plan, const Text& text, const Request& request,
        vector[int32_t]& out) except + nogil


cdef Py_ssize_t number_of(Engine engine, uint32_t what):
    """The number of a token's word, or -1."""
    cdef uint32_t slot = token_slot(what)
    if token_kind(what) >= kEdgeKinds:  # the number of a user entry or of a pattern
        return slot
    if token_kind(what) != kWord or slot == 0 or engine.plan.tagger != NULL:
        return -1
    if engine.matcher is not None:
        return slot - 1
    return engine.lexicon.lex.word_id(slot)


cdef tuple columns_of(Engine engine, const Decision* made, bint margins):
    """Starts, ends, kinds, numbers and margins of the words; no margins unless ``margins``."""
    cdef list starts = [], ends = [], kinds = [], numbers = [], of_margins = []
    cdef uint32_t start = 0
    cdef size_t i
    cdef Token token
    for i in range(made.tokens.size()):
        if i % TURN == TURN - 1:
            give_turn()
        token = made.tokens[i]
        if not token.what & kDropped:
            starts.append(start)
            ends.append(token.end)
            kinds.append(token_kind(token.what))
            numbers.append(number_of(engine, token.what))
            if margins:
                of_margins.append(made.margins[i] if made.margins[i] < NO_OTHER_WAY else None)
        start = token.end
    return starts, ends, kinds, numbers, of_margins


cdef class TokenColumns:
    """The tokens of a text, a list for each column."""

    cdef readonly list words, starts, ends, kinds, numbers, tags, scores, sources


def tokens(Engine engine not None, text, list names not None, tags, dict known, tag_of,
           tuple sources not None):
    """The TokenColumns of a text.

    Numbers are those of lexicon words, or -1 for other tokens.  For a lattice ``tags[number]``
    is the index of the word's tag in ``names`` and a score is a log probability; for a tagger
    ``tag_of`` returns the tag of a word, ``known`` caches it, and a score is the margin.
    ``sources`` has one entry per kind; the last one is used for all further kinds.
    """
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Request request
    cdef Buffer[uint16_t] costs
    cdef Buffer[uint8_t] tag_of_number
    cdef uint32_t kind
    cdef Py_ssize_t k, number, n_sources = len(sources)
    cdef bint scored = engine.plan.tagger != NULL
    request.want = Want.kKinds
    request.margins = scored
    cdef const Decision* made = engine.run(lease.take(engine.workers[0]), text, request)
    cdef list words = words_list(TextView(text), made.tokens.data(), made.tokens.size(),
                                 made.dropped, engine.cache[0])
    cdef list starts, ends, kinds, numbers, scores, of_words = [], whose = []
    starts, ends, kinds, numbers, scores = columns_of(engine, made, scored)
    if not scored:
        costs.take(engine.lexicon.word_costs(), b"costs")
        tag_of_number.take(tags, b"tags")
    for k in range(len(words)):
        if k % TURN == TURN - 1:
            give_turn()
        kind, number = kinds[k], numbers[k]
        whose.append(sources[kind if kind < n_sources else n_sources - 1])
        if scored:
            word = words[k]
            tag = known.get(word)
            if tag is None:
                tag = tag_of(word)
                if len(known) >= 65536:
                    known.clear()
                if len(word) <= 16:
                    known[word] = tag
            of_words.append(tag)
        elif number >= 0 and kind == kWord:
            of_words.append(names[tag_of_number[number]])
            scores.append(-<int>costs[number] / <double>UNITS_PER_NAT)
        else:
            of_words.append("")
            scores.append(None)
    cdef TokenColumns columns = TokenColumns()
    columns.words, columns.starts, columns.ends, columns.kinds = words, starts, ends, kinds
    columns.numbers, columns.tags = numbers, of_words
    columns.scores, columns.sources = scores, whose
    return columns


def token_columns(Engine engine not None, text):
    """Starts, ends, kinds, word numbers (-1: none) and margins of the words, as five lists.

    The last list is empty for a lattice; for a tagger it has None where runs or words of the
    user leave no alternative.
    """
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Request request
    request.want = Want.kKinds
    request.margins = engine.plan.tagger != NULL
    cdef const Decision* made = engine.run(lease.take(engine.workers[0]), text, request)
    return columns_of(engine, made, request.margins)


def atoms_of(Engine engine not None, text):
    """The atoms that take effect in ``text``: [(start, end, rule, 1 kept or 2 split), …].

    Rules are indices into ``segmenter.atoms.NAMES``.
    """
    text = plain(text)
    cdef Lease[Worker] lease
    cdef AtomFound atom
    cdef vector[AtomFound]* found
    found = &found_atoms(lease.take(engine.workers[0])[0], engine.plan, TextView(text))
    return [(atom.start, atom.end, atom.name, atom.how) for atom in found[0]]


def dag(Engine engine not None, text, bint decided=False):
    """The word DAG: columns start, end, cost, token, kind as bytes of uint32.

    Kinds from 32 on are the user's words; their token is the entry's number.  ``decided``:
    leave out the edges that the user's words and atoms rule out, and set the cost of their own
    edges to zero.
    """
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[uint32_t] columns[5]
    cdef Edge edge
    cdef size_t i, k
    cdef vector[Edge] edges
    cdef LongCall call
    engine.find(worker, text, request)
    call.begin(asked)
    with nogil:
        whole_dag(worker[0], engine.plan, view, request, decided, edges)
    for i in range(5):
        columns[i].resize(edges.size())
    for k in range(edges.size()):
        if k % TURN == TURN - 1:
            give_turn()
        edge = edges[k]
        columns[0][k] = edge.start
        columns[1][k] = edge.end
        columns[2][k] = edge.cost
        columns[3][k] = (token_slot(edge.what) if token_kind(edge.what) >= kUserWord
                         else edge.token_id)
        columns[4][k] = token_kind(edge.what)
    return tuple([raw(columns[i]) for i in range(5)])


def tag_scores(Engine engine not None, text):
    """Scores of the tags at every character, of the first tag and of transitions.

    Returns:
        ``(tags, scale, start, trans, scores)``; the last three as bytes of int32: ``tags``,
        ``tags * tags`` (from, to) and ``len(text) * tags`` of them, in units of 1/scale.
    """
    text = plain(text)
    if engine.plan.tagger == NULL:
        raise ValueError("tag_scores: this decoder is a lattice; only taggers score tags")
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef const TaggerModel* m = engine.plan.tagger
    cdef vector[int32_t] out
    cdef LongCall call
    call.begin(asked)
    with nogil:
        scores_of_tags(worker[0], engine.plan, view, request, out)
    return (m.tags, m.scale, (<const char*>m.start)[:m.tags * 4],
            (<const char*>m.trans)[:m.tags * m.tags * 4], raw(out))


def anew_reach(Engine engine not None):
    """How many characters on either side decide about a place of ``anew_places``; 0: it has none."""
    return 0 if engine.matcher is not None else c_anew_reach(engine.plan)


def anew_places(Engine engine not None, text):
    """The places of a part of a text at which the engine starts anew, whatever is around the part."""
    text = plain(text)
    cdef Lease[Worker] lease
    cdef vector[uint32_t] out
    c_anew_places(lease.take(engine.workers[0])[0], engine.plan, TextView(text), out)
    return out


def nbest(Engine engine not None, text, uint32_t n):
    """The n best cuts, each (starts, ends, cost); costs of a lattice in 1/2048 nat."""
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[BestCut] cuts
    cdef size_t i
    cdef LongCall call
    cdef double unit = 1 if engine.plan.tagger == NULL else engine.plan.tagger.scale
    engine.find(worker, text, request)
    call.begin(asked)
    with nogil:
        best_cuts(worker[0], engine.plan, view, request, n, cuts)
    out = []
    for i in range(cuts.size()):
        give_turn()
        out.append((cuts[i].starts, cuts[i].ends, cuts[i].cost / unit))
    return out
