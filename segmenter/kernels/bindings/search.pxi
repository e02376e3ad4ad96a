# Search tokens: units of a text, words, and the words inside them.
#
# Uses python.pxi: plain, raised; engine.pxi: Engine; tokens.pxi: TokenTable.

from segmenter.kernels.bindings.dag cimport Edge
from segmenter.kernels.bindings.decision cimport kind_bits, Request, token_kind
from segmenter.kernels.bindings.open cimport Worker
from segmenter.kernels.bindings.python cimport (
    Buffer, give_turn, Lease, PyUnicode_FromKindAndData, TextView, TURN)
from segmenter.kernels.bindings.search cimport (
    edges_of_word, InnerWord, InnerWords, kLeftOut, kRememberedCharacters, kRememberedWords,
    SearchRules, Unit, unit_edges, UnitReader, Units, UnitsOfWord)


REMEMBERED_WORDS = kRememberedWords
REMEMBERED_CHARACTERS = kRememberedCharacters
cdef SearchRules _RULES
#: The defaults of the options of an index (search/inner.hpp).
SEARCH_DEFAULTS = {"min_length": _RULES.min_length, "ngrams": _RULES.ngrams,
                   "single": _RULES.single, "runs": "split" if _RULES.split else "whole"}


cdef const uint8_t* classes_of(bytes classes, str text) except NULL:
    if len(classes) != len(text):
        raise ValueError("classes: expected one byte per character")
    return <const uint8_t*><const char*>classes


def units(text, bytes classes not None, bint split):
    """Start, end and kind of each unit; ``classes`` of its characters; see search/units.hpp."""
    cdef str exact = plain(text)
    cdef TextView view = TextView(exact)
    cdef UnitReader[TextView]* reader = new UnitReader[TextView](
        view, classes_of(classes, exact), view.n, split)
    cdef size_t at = 0, end
    out = []
    try:
        while at < view.n:
            end = reader.end(at)
            out.append((at, end, reader.kind(at, end)))
            at = end
    finally:
        del reader
    return out


def term_units(str text not None, ends, bytes left_out not None, uint32_t rules, str readings,
               type make not None):
    """The words of a text that have units, as (start, end, whether it is punctuation, its units);
    see search/terms.hpp.

    ``ends``: of the words that tile the text, int32; ``left_out``: a byte for each, not 0 where it is
    left out; empty: none is.  ``readings``: the text as the lexicon reads it; None: as it is
    written.  ``make``: the type of units, named tuples of folded text, start, end, position, mark
    and the second reading, "" where there is none.
    """
    cdef TextView view = TextView(text)
    cdef Buffer[int32_t] of_ends
    cdef vector[uint32_t] marked, other, spelt
    cdef Units found
    cdef Unit unit
    cdef UnitsOfWord word
    cdef size_t k, i
    cdef list out = [], row
    of_ends.take(ends, b"ends")
    for k in range(<size_t>of_ends.n):
        marked.push_back(<uint32_t>of_ends[k] | (kLeftOut if left_out and left_out[k] else 0))
    if readings is not None:
        if len(readings) != len(text):
            raise ValueError("readings: expected one character for each of the text")
        for k in range(<size_t>len(readings)):
            other.push_back(<uint32_t>ord(readings[k]))
    found.read(view, rules, marked.data(), marked.size(), other.data() if other.size() else NULL)
    for word in found.words:
        row = []
        for k in range(word.first, word.last):
            unit = found.units[k]
            spelt.clear()
            for i in range(unit.start, unit.end):
                spelt.push_back(found.folded(i))
            row.append(tuple.__new__(make, (
                PyUnicode_FromKindAndData(4, spelt.data(), <Py_ssize_t>spelt.size()),
                unit.start, unit.end, unit.position,
                "-><."[2 * unit.begins_word + unit.ends_word],
                chr(unit.other) if unit.other else "")))
        out.append((word.start, word.end, word.signs, row))
        give_turn()
    return out


cdef class _Inside:
    """A word whose inside is sought, and the engine that knows words; None: none does."""

    cdef Engine engine
    cdef str word
    cdef const uint8_t* classes


cdef int edges_inside(void* of, uint32_t start, uint32_t end, vector[Edge]& edges) except -1:
    cdef _Inside inside = <_Inside>of
    cdef TextView view = TextView(inside.word)
    cdef Lease[Worker] lease
    cdef Worker* worker
    cdef Request request
    give_turn()
    if inside.engine is None:
        unit_edges(view.part(start, end), inside.classes + start, edges)
        return 0
    worker = lease.take(inside.engine.workers[0])
    edges_of_word(worker[0], inside.engine.plan, view.part(start, end), request, edges)
    return 0


def inner_words(Engine engine, str word not None, bytes classes not None, uint32_t min_length,
                bint single, uint32_t ngrams, bint split, bint whole):
    """The words inside a word; see search/inner.hpp.

    Returns:
        the positions that the word spans; and for each word inside it start, end, position, length,
        kind, number (of a word of the lexicon) and whether it is no edge of the lattice.
    """
    cdef InnerWords found
    cdef InnerWord w
    cdef SearchRules rules
    cdef _Inside inside = _Inside()
    rules.min_length = min_length
    rules.ngrams = ngrams
    rules.single = single
    rules.split = split
    rules.whole = whole
    inside.engine = engine
    inside.word = word
    inside.classes = classes_of(classes, word)
    raised(found.find(TextView(word), inside.classes, rules, edges_inside, <void*>inside))
    return found.positions, [
        (w.start, w.end, w.position, w.length, token_kind(w.what), w.token_id, w.added)
        for w in found.words]


def best_path(uint32_t n, edges, uint32_t min_length):
    """The numbers of the edges (start, end, cost, kind), by start and end, on the best path through
    the lattice of a word that is not the word itself; for tests."""
    cdef InnerWords found
    cdef vector[Edge] given
    cdef Edge edge
    for edge.start, edge.end, edge.cost, kind in edges:
        edge.what = kind_bits(kind)
        given.push_back(edge)
    found.best_path(n, given, min_length)
    cdef const vector[Edge]* path = &found.path()
    cdef size_t k
    return [(path[0][k].start, path[0][k].end) for k in range(path.size())]


def nested(list rows not None, TokenTable words not None, list kept, dict entries not None):
    """A table of the words of a text, each followed by the words inside it.

    ``rows`` has one tuple per word: how many positions it spans, and columns of the words inside it
    (starts, ends, positions, lengths, kinds, tags, scores, sources; the first three relative to the
    word).  ``kept`` has a number per word: 0: neither the word nor the words inside it become
    tokens; 1: both do; 2: only those inside.  None: all 1.  ``entries``: of the user's words, by
    token.
    """
    cdef Py_ssize_t k, i, m, made = 0, n = len(rows)
    cdef int32_t base, place = 0
    cdef tuple row
    cdef int how = 1
    cdef TokenTable out = type(words).__new__(type(words))
    cdef list tags = [], scores = [], sources = []
    if <size_t>n != words.columns.size():
        raise ValueError("rows: expected one per word")
    cdef list their_tags = words.tag_list(), their_scores = words.score_list()
    cdef list their_sources = words.source_list()
    out.text, out.units, out.names = words.text, "codepoints", words.names
    for k in range(n):
        row = <tuple>rows[k]
        if kept is not None:
            how = kept[k]
        base = words.columns.starts[k]
        if how == 1:
            out.columns.starts.push_back(base)
            out.columns.ends.push_back(words.columns.ends[k])
            out.columns.kinds.push_back(words.columns.kinds[k])
            out.places.push_back(place)
            out.lengths.push_back(row[0])
            tags.append(their_tags[k])
            scores.append(their_scores[k])
            sources.append(their_sources[k])
        m = len(<tuple>row[1]) if how else 0
        made += 1 + m
        if made >= TURN:
            made = 0
            give_turn()
        if m:
            for i in range(m):
                out.columns.starts.push_back(base + <int32_t>(<tuple>row[1])[i])
                out.columns.ends.push_back(base + <int32_t>(<tuple>row[2])[i])
                out.places.push_back(place + <int32_t>(<tuple>row[3])[i])
                out.lengths.push_back((<tuple>row[4])[i])
                out.columns.kinds.push_back((<tuple>row[5])[i])
            tags.extend(<tuple>row[6])
            scores.extend(<tuple>row[7])
            sources.extend(<tuple>row[8])
        place += <int32_t>row[0]
    out.of_tags, out.of_scores, out.of_sources, out.entries = tags, scores, sources, entries
    return out
