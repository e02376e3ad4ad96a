"""Columns of texts in the layout of Apache Arrow, cut into columns of lists of words.

A column of texts consists of the UTF-8 of its rows, one after the other; offsets, one more than
there are rows; and a bitmap of the valid rows.  The words of a column are offsets too: they cover
their texts without gaps, so the bytes of the texts are also the bytes of the words.  The layout is
that of Arrow's columnar format, version 1 (variable-size binary, variable-size list); the module
needs only NumPy.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter.choices import check_whole, checked_threads
from segmenter.errors import ArgumentError, EncodingError, wrong_type
from segmenter.kernels import _engine

if TYPE_CHECKING:
    from typing import Any

    from _typeshed import ReadableBuffer
    from numpy.typing import NDArray

    from segmenter.core import Segmenter


class WordColumn(NamedTuple):
    """The words of a column of texts.

    Row ``r`` has the words ``lists[r]`` to ``lists[r + 1]``; word ``w`` is the UTF-8 at bytes
    ``words[w]`` to ``words[w + 1]`` of ``data``.  Both columns of offsets have the type of the
    texts' offsets (int32 or int64) and the shapes (rows + 1,) and (words + 1,).  ``data`` is the
    caller's own buffer, unless ``copied``.
    """

    lists: NDArray[Any]
    words: NDArray[Any]
    data: ReadableBuffer
    copied: bool = False

    def to_pylist(self) -> list[list[str]]:
        """Return the words as ``str``, one list per row; null rows are empty lists."""
        view = memoryview(self.data).cast("B")
        words = [str(view[start:end], "utf-8") for start, end in pairwise(self.words.tolist())]
        return [words[start:end] for start, end in pairwise(self.lists.tolist())]


def cut_column(
    segmenter: Segmenter,
    data: ReadableBuffer,
    offsets: NDArray[Any],
    validity: ReadableBuffer | None = None,
    *,
    validity_from: int = 0,
    threads: int = 1,
) -> WordColumn:
    """Return the words of a column of texts as offsets into its bytes, as in Apache Arrow.

    No Python object is created per word, and no byte is copied: words tile their texts, so
    ``data`` is also the words' data.  (If ``skip`` drops words, or a null row has bytes, the words
    get a buffer of their own.)  Each row is cut as :meth:`Segmenter.cut
    <segmenter.core.Segmenter.cut>` would cut it.

    Args:
        segmenter: cuts the texts.
        data: the texts in UTF-8, one after the other: bytes or any buffer of bytes.
        offsets: the starts of the texts and the end of the last one, int32 or int64 of shape
            (rows + 1,).  The first offset need not be 0.
        validity: a bitmap, least significant bit first: rows whose bit is 0 are null and have no
            words.  None: all rows are valid.
        validity_from: the bit of the first row.
        threads: native threads, among which the rows are divided by size.

    Raises:
        EncodingError: a row is not UTF-8; names the row and the byte offset into ``data``.
        ArgumentError: offsets decrease or leave ``data``, or the bitmap is too short.

    >>> import numpy as np
    >>> from segmenter import load
    >>> data = "他说的确实在理我们".encode()
    >>> column = cut_column(load("fast"), data, np.array([0, 21, 27], np.int32))
    >>> column.lists.tolist(), column.words.tolist()
    ([0, 5, 6], [0, 3, 6, 9, 15, 21, 27])
    >>> column.to_pylist()
    [['他', '说', '的', '确实', '在理'], ['我们']]
    """
    from numpy import ascontiguousarray, int32, int64, ndarray

    _check_buffer("data", data)
    if not isinstance(offsets, ndarray):
        raise wrong_type("offsets", offsets, "a NumPy array")
    if offsets.dtype not in (int32, int64) or offsets.ndim != 1 or len(offsets) == 0:
        raise ArgumentError(
            f"offsets: {offsets.dtype} of shape {offsets.shape}; "
            "it must be int32 or int64 of shape (rows + 1,)"
        )
    check_whole("validity_from", validity_from, 0)
    if validity is not None:
        _check_buffer("validity", validity)
        bits = 8 * memoryview(validity).nbytes - validity_from
        if bits < len(offsets) - 1:
            raise ArgumentError(
                f"validity: {bits} bits for {len(offsets) - 1} rows, from bit {validity_from} on: "
                "give one for each row"
            )
    checked_threads(threads)
    offsets = ascontiguousarray(offsets)
    lists, words, copied = _engine.cut_column(
        segmenter._engine, data, offsets, validity, validity_from, threads
    )
    if isinstance(lists, str):
        raise _column_error(lists, words, copied)
    return WordColumn(lists, words, data if copied is None else copied, copied is not None)


def _column_error(fault: str, row: int, byte: int) -> Exception:
    if fault == "utf8":
        return EncodingError(
            f"data: row {row} is not UTF-8: decode it from its own encoding first", offset=byte
        )
    if fault == "length":
        return ArgumentError(
            f"data: row {row} is longer than 268 million characters: make several rows of it"
        )
    return ArgumentError(f"offsets: row {row} ends before it begins, or beyond the data")


def _check_buffer(name: str, value: object) -> None:
    try:
        memoryview(value).release()  # type: ignore[arg-type]
    except TypeError:
        raise wrong_type(name, value, "bytes, or another buffer") from None
