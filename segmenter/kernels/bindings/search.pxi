# Search tokens: words, and the words inside them.


def nested(list rows not None, list starts not None, list ends not None, list kinds not None,
           list tags not None, list scores not None, list sources not None, list kept):
    """Columns of words, each followed by the words inside it.

    ``rows`` has one tuple per word: how many positions it spans, and columns of the words inside it
    (starts, ends, positions, lengths, kinds, tags, scores, sources; the first three relative to the
    word).  The other columns are those of the words.  ``kept`` has a number per word: 0: neither
    the word nor the words inside it become tokens; 1: both do; 2: only those inside.  None: all 1.

    Returns:
        starts, ends, positions, lengths, kinds, tags, scores, sources.
    """
    cdef Py_ssize_t k, i, m, base, place = 0, n = len(rows)
    cdef tuple row, inside
    cdef int how = 1
    cdef list out_starts = [], out_ends = [], places = [], lengths = [], out_kinds = []
    cdef list out_tags = [], out_scores = [], out_sources = []
    for k in range(n):
        if k % 4096 == 4095:
            PyErr_CheckSignals_raise()
        row = <tuple>rows[k]
        if kept is not None:
            how = kept[k]
        if how == 1:
            out_starts.append(starts[k])
            out_ends.append(ends[k])
            places.append(place)
            lengths.append(row[0])
            out_kinds.append(kinds[k])
            out_tags.append(tags[k])
            out_scores.append(scores[k])
            out_sources.append(sources[k])
        inside = <tuple>row[1]
        m = len(inside) if how else 0
        if m:
            base = starts[k]
            for i in range(m):
                out_starts.append(base + <Py_ssize_t>inside[i])
            inside = <tuple>row[2]
            for i in range(m):
                out_ends.append(base + <Py_ssize_t>inside[i])
            inside = <tuple>row[3]
            for i in range(m):
                places.append(place + <Py_ssize_t>inside[i])
            lengths.extend(<tuple>row[4])
            out_kinds.extend(<tuple>row[5])
            out_tags.extend(<tuple>row[6])
            out_scores.extend(<tuple>row[7])
            out_sources.extend(<tuple>row[8])
        place += <Py_ssize_t>row[0]
    return out_starts, out_ends, places, lengths, out_kinds, out_tags, out_scores, out_sources
