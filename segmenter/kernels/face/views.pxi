# Engine's calls for tokens, explanations and drawings: columns of the pieces, the word DAG, scores
# of tags, the n best cuts.


cdef object tokens_of(Engine engine, str text, list names, const uint8_t[::1] tags, dict known,
                      object tag_of, tuple sources):
    cdef Worker* worker = engine.acquire()
    cdef TextView view = TextView(text)
    cdef Request request
    cdef const Decision* made
    cdef const uint16_t[::1] costs
    cdef uint32_t start = 0, kind
    cdef size_t i
    cdef Py_ssize_t at = 0, number, n_sources = len(sources)
    cdef Piece piece
    cdef bint scored = engine.tagger is not None
    starts, ends, kinds, numbers, of_words, scores, whose = [], [], [], [], [], [], []
    request.want = Want.kKinds
    request.margins = scored
    try:
        made = engine.run(worker, text, request)
        words = words_list(view, made.pieces.data(), made.pieces.size(), made.dropped,
                           engine.cache[0])
        if not scored:
            costs = engine.lexicon.word_costs()
        for i in range(made.pieces.size()):
            if i % SIGNALS_EVERY == SIGNALS_EVERY - 1:
                PyErr_CheckSignals_raise()
            piece = made.pieces[i]
            if not piece.what & kDropped:
                kind = piece_kind(piece.what)
                number = engine._number(piece.what)
                starts.append(start)
                ends.append(piece.end)
                kinds.append(kind)
                numbers.append(number)
                whose.append(sources[kind if kind < n_sources else n_sources - 1])
                if scored:
                    scores.append(made.margins[i] if made.margins[i] < NO_OTHER_WAY
                                  else None)
                    word = words[at]
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
                at += 1
            start = piece.end
    finally:
        engine.idle.push_back(worker)
    return words, starts, ends, kinds, numbers, of_words, scores, whose


cdef object pieces_of(Engine engine, str text, object marks):
    cdef Worker* worker = engine.acquire()
    cdef Request request
    cdef const Decision* made
    cdef uint32_t start = 0
    cdef size_t i
    cdef Piece piece
    starts, ends, kinds, words, margins = [], [], [], [], []
    request.want = Want.kKinds
    request.margins = engine.tagger is not None
    try:
        engine.mark(request, marks, <size_t>len(text))
        made = engine.run(worker, text, request)
        for i in range(made.pieces.size()):
            if i % SIGNALS_EVERY == SIGNALS_EVERY - 1:
                PyErr_CheckSignals_raise()
            piece = made.pieces[i]
            if not piece.what & kDropped:
                starts.append(start)
                ends.append(piece.end)
                kinds.append(piece_kind(piece.what))
                words.append(engine._number(piece.what))
                if request.margins:
                    margins.append(made.margins[i] if made.margins[i] < NO_OTHER_WAY else None)
            start = piece.end
    finally:
        engine.idle.push_back(worker)
    return starts, ends, kinds, words, margins


cdef object dag_of(Engine engine, str text, bint decided):
    cdef Worker* worker = engine.acquire()
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[uint32_t] columns[5]
    cdef Edge edge
    cdef size_t i, k
    cdef vector[Edge]* edges
    cdef LongCall call
    try:
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
    finally:
        engine.idle.push_back(worker)


cdef object tag_scores_of(Engine engine, str text):
    cdef Worker* worker = engine.acquire()
    cdef TextView view = TextView(text)
    cdef Request request
    cdef const TaggerModel* m = engine.plan.tagger
    cdef vector[int32_t] out
    cdef LongCall call
    try:
        call.begin(asked)
        with nogil:
            worker.tag_scores(engine.plan, view, request, out)
        return (m.tags, m.scale, (<const char*>m.start)[:m.tags * 4],
                (<const char*>m.trans)[:m.tags * m.tags * 4],
                raw(out))
    finally:
        engine.idle.push_back(worker)


cdef object nbest_of(Engine engine, str text, uint32_t n):
    cdef Worker* worker = engine.acquire()
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[BestCut] cuts
    cdef size_t i
    cdef LongCall call
    cdef double unit = 1 if engine.tagger is None else engine.plan.tagger.scale
    try:
        engine.find(worker, text, request)
        call.begin(asked)
        with nogil:
            worker.nbest(engine.plan, view, request, n, cuts)
        out = []
        for i in range(cuts.size()):
            PyErr_CheckSignals_raise()
            out.append((cuts[i].starts, cuts[i].ends, cuts[i].cost / unit))
        return out
    finally:
        engine.idle.push_back(worker)
