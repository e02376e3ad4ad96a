# Engine's calls for tokens, explanations and drawings: columns of the pieces, the word DAG, scores
# of tags, the n best cuts.


cdef object tokens_of(Engine engine, str text, list names, const uint8_t[::1] tags, dict known,
                      object tag_of, tuple sources):
    cdef Lease[Worker] lease
    cdef Request request
    cdef const uint16_t[::1] costs
    cdef uint32_t kind
    cdef Py_ssize_t k, number, n_sources = len(sources)
    cdef bint scored = engine.tagger is not None
    request.want = Want.kKinds
    request.margins = scored
    cdef const Decision* made = engine.run(lease.take(engine.workers[0]), text, request)
    cdef list words = words_list(TextView(text), made.pieces.data(), made.pieces.size(),
                                 made.dropped, engine.cache[0])
    cdef list starts, ends, kinds, numbers, scores, of_words = [], whose = []
    starts, ends, kinds, numbers, scores = columns_of(engine, made, scored)
    if not scored:
        costs = engine.lexicon.word_costs()
    for k in range(len(words)):
        if k % SIGNALS_EVERY == SIGNALS_EVERY - 1:
            PyErr_CheckSignals_raise()
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
            of_words.append(names[tags[number]])
            scores.append(-<int>costs[number] / <double>UNITS_PER_NAT)
        else:
            of_words.append("")
            scores.append(None)
    return words, starts, ends, kinds, numbers, of_words, scores, whose


cdef tuple columns_of(Engine engine, const Decision* made, bint margins):
    """Starts, ends, kinds, numbers and margins of the words; the last empty without ``margins``."""
    cdef list starts = [], ends = [], kinds = [], numbers = [], of_margins = []
    cdef uint32_t start = 0
    cdef size_t i
    cdef Piece piece
    for i in range(made.pieces.size()):
        if i % SIGNALS_EVERY == SIGNALS_EVERY - 1:
            PyErr_CheckSignals_raise()
        piece = made.pieces[i]
        if not piece.what & kDropped:
            starts.append(start)
            ends.append(piece.end)
            kinds.append(piece_kind(piece.what))
            numbers.append(engine._number(piece.what))
            if margins:
                of_margins.append(made.margins[i] if made.margins[i] < NO_OTHER_WAY else None)
        start = piece.end
    return starts, ends, kinds, numbers, of_margins


cdef object pieces_of(Engine engine, str text, object marks):
    cdef Lease[Worker] lease
    cdef Request request
    request.want = Want.kKinds
    request.margins = engine.tagger is not None
    engine.mark(request, marks, <size_t>len(text))
    cdef const Decision* made = engine.run(lease.take(engine.workers[0]), text, request)
    return columns_of(engine, made, request.margins)


cdef object dag_of(Engine engine, str text, bint decided):
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[uint32_t] columns[5]
    cdef Edge edge
    cdef size_t i, k
    cdef vector[Edge]* edges
    cdef LongCall call
    engine.find(worker, text, request)
    call.begin(asked)
    with nogil:
        edges = worker.whole(engine.plan, view, request, decided)
    for i in range(5):
        columns[i].resize(edges.size())
    for k in range(edges.size()):
        if k % SIGNALS_EVERY == SIGNALS_EVERY - 1:
            PyErr_CheckSignals_raise()
        edge = edges[0][k]
        columns[0][k] = edge.start
        columns[1][k] = edge.end
        columns[2][k] = edge.cost
        columns[3][k] = (piece_slot(edge.what) if piece_kind(edge.what) >= kUserWord
                         else edge.token)
        columns[4][k] = piece_kind(edge.what)
    return tuple([raw(columns[i]) for i in range(5)])


cdef object tag_scores_of(Engine engine, str text):
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef const TaggerModel* m = engine.plan.tagger
    cdef vector[int32_t] out
    cdef LongCall call
    call.begin(asked)
    with nogil:
        worker.tag_scores(engine.plan, view, request, out)
    return (m.tags, m.scale, (<const char*>m.start)[:m.tags * 4],
            (<const char*>m.trans)[:m.tags * m.tags * 4], raw(out))


cdef object nbest_of(Engine engine, str text, uint32_t n):
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[BestCut] cuts
    cdef size_t i
    cdef LongCall call
    cdef double unit = 1 if engine.tagger is None else engine.plan.tagger.scale
    engine.find(worker, text, request)
    call.begin(asked)
    with nogil:
        worker.nbest(engine.plan, view, request, n, cuts)
    out = []
    for i in range(cuts.size()):
        PyErr_CheckSignals_raise()
        out.append((cuts[i].starts, cuts[i].ends, cuts[i].cost / unit))
    return out
