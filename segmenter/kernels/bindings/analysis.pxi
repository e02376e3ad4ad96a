# Results of a text other than its words: columns of tokens, atoms, the word DAG, scores of tags,
# the n best segmentations.
#
# Uses python.pxi: asked, plain; open.pxi: NO_OTHER_WAY; engine.pxi: Engine.

from segmenter.kernels.bindings.atoms cimport AtomFound
from segmenter.kernels.bindings.dag cimport Edge
from segmenter.kernels.bindings.decision cimport (
    Decision, kDropped, kUserWord, Request, Token, token_kind, token_slot, Want)
from segmenter.kernels.bindings.analysis cimport (
    best_cuts, BestCut, cost_unit, found_atoms, scores_of_tags, whole_dag)
from segmenter.kernels.bindings.open cimport Worker
from segmenter.kernels.bindings.python cimport give_turn, Lease, LongCall, raw, TextView, TURN
from segmenter.kernels.bindings.tagger cimport TaggerModel


def margins_of(Engine engine not None, text):
    """Starts, ends and margins of the words, as lists.

    A margin is None where runs or words of the user leave no alternative; a lattice has none.
    """
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Request request
    cdef list starts = [], ends = [], margins = []
    cdef uint32_t start = 0
    cdef size_t i
    cdef Token token
    request.want = Want.kKinds
    request.margins = engine.plan.tagger != NULL
    cdef const Decision* decision = engine.run(lease.take(engine.workers[0]), text, request)
    for i in range(decision.tokens.size()):
        if i % TURN == TURN - 1:
            give_turn()
        token = decision.tokens[i]
        if not token.what & kDropped:
            starts.append(start)
            ends.append(token.end)
            if request.margins:
                margins.append(decision.margins[i] if decision.margins[i] < NO_OTHER_WAY else None)
        start = token.end
    return starts, ends, margins


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

    Kinds from ``USER_KIND`` on are the user's words; their token is the entry's number.  ``decided``:
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
        ``(scale, start, trans, scores)``; the last three as bytes of int32: 4, 4 * 4 (from, to)
        and 4 * ``len(text)`` of them, in units of 1/scale.
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
    return (m.scale, (<const char*>m.start)[:sizeof(m.start)],
            (<const char*>m.trans)[:sizeof(m.trans)], raw(out))


def nbest(Engine engine not None, text, uint32_t n):
    """The n best cuts, each (starts, ends, score); see :meth:`segmenter.Segmenter.nbest`."""
    text = plain(text)
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[BestCut] cuts
    cdef size_t i
    cdef LongCall call
    cdef double unit = cost_unit(engine.plan)
    call.begin(asked)
    with nogil:
        best_cuts(worker[0], engine.plan, view, request, n, cuts)
    out = []
    for i in range(cuts.size()):
        give_turn()
        out.append((cuts[i].starts, cuts[i].ends, -cuts[i].cost / unit))
    return out
