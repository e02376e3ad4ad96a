"""Apache Arrow: takes a column of strings and returns a column of lists of words.

It reads the UTF-8 of the column in place and creates no Python object per word.  The words use the
buffer of the column, since words cover their text without gaps.

>>> import pyarrow as pa
>>> cut(pa.array(["他说的确实在理", None])).to_pylist()
[['他', '说', '的', '确实', '在理'], None]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from segmenter.adapters import chosen, require
from segmenter.choices import one_of
from segmenter.columns import cut_column
from segmenter.errors import ArgumentError, check_str, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.core import Segmenter

    #: From an array of strings with offsets to an array of lists.
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
    s = chosen(segmenter)
    return _map(column, lambda array: _words(array, s, threads))


def ends(column: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """Return where the words of every row end, in bytes of UTF-8 from the row's start.

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
    s = chosen(segmenter)
    if s.skip:
        raise ArgumentError(
            "segmenter: skip= leaves out tokens, so ends do not give the words: load one without it"
        )
    return _map(column, lambda array: _ends(array, s, threads))


class AddWords:
    """Adds a column of words to a table with a column of strings.

    Frameworks call it on batch after batch, in processes of their own.  Its pickle is small, equal
    ones pickle to equal bytes, and a process that unpickles several loads the model once.

    Args:
        column: name of the column of strings.
        segmenter: None: the default preset.
        into: name of the column of words; an existing one is replaced.
        threads: native threads.
    """

    def __init__(
        self,
        column: str,
        segmenter: Segmenter | None = None,
        into: str = "words",
        threads: int = 1,
    ) -> None:
        for name, value in (("column", column), ("into", into)):
            check_str(name, value)
        self.column = column
        self.segmenter = chosen(segmenter)
        self.into = into
        self.threads = threads

    def __call__(self, table: Any) -> Any:
        """Return the table with the words.

        Args:
            table: a ``pyarrow.Table``.

        Raises:
            ArgumentError: the column is not in the table; the message lists those that are.
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


def _cut(array: Any, s: Segmenter, threads: int) -> tuple[Any, Any]:
    """The words as offsets, and the validity bitmap starting at the first row."""
    validity, offsets, data = array.buffers()
    dtype = np.int64 if pa.types.is_large_string(array.type) else np.int32
    n, first = len(array), array.offset
    if n == 0:
        places = np.zeros(1, dtype)
    else:
        places = np.frombuffer(offsets, dtype, n + 1, first * np.dtype(dtype).itemsize)
    if array.null_count == 0:
        validity = None
    text = b"" if data is None else data
    got = cut_column(s, text, places, validity, validity_from=first, threads=threads)
    if validity is not None and first:
        bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")
        validity = pa.py_buffer(np.packbits(bits[first : first + n], bitorder="little"))
    return got, validity


def _words(array: Any, s: Segmenter, threads: int) -> Any:
    got, validity = _cut(array, s, threads)
    data = got.data if isinstance(got.data, pa.Buffer) else pa.py_buffer(got.data)
    words = pa.Array.from_buffers(
        array.type, len(got.words) - 1, [None, pa.py_buffer(got.words), data], 0
    )
    return _lists(array, got, validity, words)


def _ends(array: Any, s: Segmenter, threads: int) -> Any:
    got, validity = _cut(array, s, threads)
    starts = got.words[got.lists[:-1]]  # byte at which each row begins; any, where it is empty
    within = got.words[1:] - np.repeat(starts, np.diff(got.lists))
    return _lists(array, got, validity, pa.array(within))


def _lists(array: Any, got: Any, validity: Any, values: Any) -> Any:
    kind = pa.large_list if got.lists.dtype == np.int64 else pa.list_
    return pa.Array.from_buffers(
        kind(values.type),
        len(array),
        [validity, pa.py_buffer(got.lists)],
        array.null_count,
        children=[values],
    )
