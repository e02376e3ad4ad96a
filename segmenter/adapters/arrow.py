"""Apache Arrow: from a column of strings to a column of lists of words.

It reads the UTF-8 of the column in place and creates no Python object per word.  The words use the
buffer of the column, since words cover their text without gaps.

>>> import pyarrow as pa
>>> cut(pa.array(["他说的确实在理", None])).to_pylist()
[['他', '说', '的', '确实', '在理'], None]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from segmenter.adapters import or_default, require
from segmenter.choices import one_of
from segmenter.columns import cut_column
from segmenter.errors import ArgumentError, check_str, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.core import Segmenter

    #: A function from an array of strings with offsets to an array of lists.
    ArrayFunction = Callable[[Any], Any]

pa = require("pyarrow", "arrow", __name__)


def cut(column: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """Return the words of every row.

    Args:
        column: a ``pyarrow.Array`` or ``ChunkedArray`` of strings of any kind (``string``,
            ``large_string``, ``string_view``, or a dictionary of them, each entry of which is cut
            once), slices and nulls included.
        segmenter: None: the default preset.
        threads: native threads per chunk.

    Returns:
        ``list<string>`` with the same rows, chunks and nulls; ``large_list<large_string>`` for
        columns with 64-bit offsets (``large_string``, ``string_view``).  Its words share the buffer
        of ``column``, unless ``segmenter`` drops words (``skip=``).

    Raises:
        TypeError: not a column of strings.
        EncodingError: a row is not UTF-8, which Arrow does not check.
    """
    segmenter = or_default(segmenter)
    return _map(column, lambda array: _words(array, segmenter, threads))


def ends(column: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """Return the ends of the words of every row, in bytes of UTF-8 from the row's start.

    Args:
        column, threads: see :func:`cut`.
        segmenter: see :func:`cut`; it must not drop words.

    Returns:
        ``list<int32>``, or ``large_list<int64>`` for columns with 64-bit offsets; see :func:`cut`.

    Raises:
        TypeError, EncodingError: see :func:`cut`.
        ArgumentError: ``segmenter`` drops words.

    >>> import pyarrow as pa
    >>> ends(pa.array(["他说的确实在理"])).to_pylist()
    [[3, 6, 9, 15, 21]]
    """
    segmenter = or_default(segmenter)
    if segmenter.skip:
        raise ArgumentError(
            "segmenter: skip= leaves out tokens, so ends do not give the words: load one without it"
        )
    return _map(column, lambda array: _ends(array, segmenter, threads))


class AddWords:
    """Adds a column of words to a table with a column of strings.

    Frameworks call it batch by batch, in processes of their own.  Its pickle is small, equal
    objects pickle to equal bytes, and a process that unpickles several loads the model once.

    Args:
        column: name of the column of strings.
        segmenter: None: the default preset.
        into: name of the column of words; an existing one is replaced.
        threads: native threads.
    """

    def __init__(
        self, column: str, segmenter: Segmenter | None = None, into: str = "words", threads: int = 1
    ) -> None:
        for name, value in (("column", column), ("into", into)):
            check_str(name, value)
        self.column = column
        self.segmenter = or_default(segmenter)
        self.into = into
        self.threads = threads

    def __call__(self, table: Any) -> Any:
        """Return the table with the words.

        Args:
            table: a ``pyarrow.Table``.

        Raises:
            ArgumentError: the table has no such column; the message lists its columns.
        """
        names = table.column_names
        one_of("column", self.column, names)
        words = cut(table[self.column], self.segmenter, threads=self.threads)
        if self.into in names:
            return table.set_column(names.index(self.into), self.into, words)
        return table.append_column(self.into, words)


def _map(column: Any, function: ArrayFunction) -> Any:
    if isinstance(column, pa.ChunkedArray):
        chunks = [_map_array(chunk, function) for chunk in column.chunks]
        if not chunks:
            return pa.chunked_array([_map_array(pa.array([], column.type), function)])
        return pa.chunked_array(chunks)
    if isinstance(column, pa.Array):
        return _map_array(column, function)
    raise wrong_type("column", column, "pyarrow.Array or ChunkedArray")


def _map_array(array: Any, function: ArrayFunction) -> Any:
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _map_array(array.storage, function)
    if pa.types.is_dictionary(kind):
        return _map_array(array.dictionary, function).take(array.indices)
    if pa.types.is_string_view(kind):
        return function(array.cast(pa.large_string()))
    if pa.types.is_null(kind):
        return function(array.cast(pa.string()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return function(array)
    raise TypeError(f"column must be of strings, not of {kind}")


def _cut(array: Any, segmenter: Segmenter, threads: int) -> tuple[Any, Any]:
    """The words as a WordColumn, and the validity bitmap shifted to the first row."""
    validity, offset_bytes, data = array.buffers()
    dtype = np.int64 if pa.types.is_large_string(array.type) else np.int32
    n, start = len(array), array.offset
    if n == 0:
        offsets = np.zeros(1, dtype)
    else:
        offsets = np.frombuffer(offset_bytes, dtype, n + 1, start * np.dtype(dtype).itemsize)
    if array.null_count == 0:
        validity = None
    text = b"" if data is None else data
    result = cut_column(segmenter, text, offsets, validity, validity_from=start, threads=threads)
    if validity is not None and start:
        bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")
        validity = pa.py_buffer(np.packbits(bits[start : start + n], bitorder="little"))
    return result, validity


def _words(array: Any, segmenter: Segmenter, threads: int) -> Any:
    result, validity = _cut(array, segmenter, threads)
    data = result.data if isinstance(result.data, pa.Buffer) else pa.py_buffer(result.data)
    words = pa.Array.from_buffers(
        array.type, len(result.words) - 1, [None, pa.py_buffer(result.words), data], 0
    )
    return _lists(array, result, validity, words)


def _ends(array: Any, segmenter: Segmenter, threads: int) -> Any:
    result, validity = _cut(array, segmenter, threads)
    starts = result.words[result.lists[:-1]]  # first byte of each row; arbitrary for an empty one
    row_ends = result.words[1:] - np.repeat(starts, np.diff(result.lists))
    return _lists(array, result, validity, pa.array(row_ends))


def _lists(array: Any, result: Any, validity: Any, values: Any) -> Any:
    kind = pa.large_list if result.lists.dtype == np.int64 else pa.list_
    return pa.Array.from_buffers(
        kind(values.type),
        len(array),
        [validity, pa.py_buffer(result.lists)],
        array.null_count,
        children=[values],
    )
