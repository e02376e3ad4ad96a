# The text of pieces.

from segmenter.kernels.subword.bindings.pieces cimport CPieceBytes, text_of_ids


cdef class PieceBytes:
    """The bytes of each piece, asked for on first use: what ids decode to, one memcpy each."""

    cdef CPieceBytes pieces
    cdef object bytes_of

    def __init__(self, bytes_of not None):
        self.bytes_of = bytes_of

    def text(self, list ids not None):
        """The bytes of ids one after another as UTF-8; None: they are not, or not all ids are ints
        that a table can hold."""
        return text_of_ids(ids, self.pieces, self.bytes_of)
