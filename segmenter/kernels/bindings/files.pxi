# Compiled files: their container and checksums.
#
# Uses decision.pxi: decoded.

from segmenter.kernels.bindings.decision cimport encoded
from segmenter.kernels.bindings.files cimport Container, Crc32


def crc32(data, uint32_t value=0):
    """CRC-32 of a buffer, as ``zlib.crc32``."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    cdef uint32_t out
    with nogil:
        out = Crc32.of(view.buf, <size_t>view.len, value)
    PyBuffer_Release(&view)
    return out


def read_container(view, str kind, bint verify):
    """A compiled file's format version, kind, digest and (offset, length) of each section by name.

    ``kind``: that which is expected, None: any; ``verify``: whether to check every byte.  Raises
    ValueError(reason, whether a later version made the file).
    """
    cdef Py_buffer held
    cdef Container made
    cdef const uint8_t* file
    cdef uint64_t size
    cdef bytes encoded = b"" if kind is None else kind.encode()
    cdef const char* expected = NULL
    PyObject_GetBuffer(view, &held, PyBUF_SIMPLE)
    if kind is not None:
        expected = encoded
    file, size = <const uint8_t*>held.buf, <uint64_t>held.len
    try:
        made.read(file, size, expected)
        if verify:
            with nogil:
                made.verify(file, size)
    except ValueError as e:
        raise ValueError(str(e), made.newer) from None
    finally:
        PyBuffer_Release(&held)
    cdef size_t k
    table = {decoded(made.sections[k].name, NULL): (made.sections[k].offset, made.sections[k].length)
             for k in range(made.sections.size())}
    return made.version, decoded(made.kind, NULL), decoded(made.digest, NULL), table
