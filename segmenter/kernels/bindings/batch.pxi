# Bytes, columns and batches: many texts by several threads.
#
# Uses python.pxi: asked, plain; engine.pxi: Engine.

from segmenter.kernels.bindings.batch cimport (
    append_lists, batch_to, BatchPart, BatchText, BytesCall, ColumnCall, ColumnFault, ColumnText)
from segmenter.kernels.bindings.decision cimport WordCache
from segmenter.kernels.bindings.open cimport Worker
from segmenter.kernels.bindings.python cimport (
    Buffer, Leases, LongCall, PyBytes_AS_STRING, PyBytes_FromStringAndSize,
    _PyBytes_Resize, PyObject_GC_Track, raw, TextView)


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
