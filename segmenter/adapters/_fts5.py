"""The FTS5 extension (``segmenter/capi/fts5.cpp``) with the words of a Segmenter in Python.

The extension makes the tokens of texts and queries, and checks which Segmenter filled a table.
This module gives it the ends of words, in one call per text.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
from array import array
from functools import cache
from typing import TYPE_CHECKING

from segmenter import capi
from segmenter.errors import ArgumentError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.adapters._terms import Terms

_DROPPED = 1 << 31  # bit of an end: options drop the word

_FAILED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_READINGS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)  # fmt: skip
_ENDS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
)  # fmt: skip


class _WordSource(ctypes.Structure):
    """``segmenter_fts5_words``."""

    _fields_ = (
        ("fingerprint", ctypes.c_char_p),
        ("rules", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("ends", _ENDS),
        ("readings", _READINGS),
        ("failed", _FAILED),
    )


class _Words:
    """The words of texts by one Segmenter and one set of options; threads may share it."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._buffers = threading.local()  # read by the extension until this thread's next call
        self.source = _WordSource(
            terms.fingerprint.encode(), terms.rules, None,
            _ENDS(self._ends), _READINGS(self._readings), _FAILED(self._failed),
        )  # fmt: skip

    def _ends(self, _: Any, utf8: int, size: int, ends_out: Any, count_out: Any) -> int:
        def fill(text: str) -> None:
            ends, dropped = self._terms.ends(text)
            if dropped:
                pairs = zip(ends, dropped, strict=True)
                ends = array("I", [end | _DROPPED * is_dropped for end, is_dropped in pairs])
            self._buffers.buffer = ends
            ends_out[0], count_out[0] = ends.buffer_info()

        return self._fill_or_fail(utf8, size, fill)

    def _readings(self, _: Any, utf8: int, size: int, readings_out: Any) -> int:
        def fill(text: str) -> None:
            buffer = (self._terms.readings(text) or self._terms.fold(text)).encode("utf-32-le")
            self._buffers.buffer = buffer
            readings_out[0] = ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value

        return self._fill_or_fail(utf8, size, fill)

    def _fill_or_fail(self, utf8: int, size: int, fill: Callable[[str], None]) -> int:
        try:
            fill(ctypes.string_at(utf8, size).decode())
        except Exception as e:
            _library().segmenter_fts5_fail(str(e).encode())
            return -1
        return 0

    def _failed(self, _: Any, reason: bytes) -> None:
        # SQLite itself reports only "SQL logic error"
        warnings.warn(reason.decode(), stacklevel=2)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(capi.extension())
    library.segmenter_fts5_offer.restype = ctypes.c_int64
    library.segmenter_fts5_offer.argtypes = [ctypes.POINTER(_WordSource)]
    library.segmenter_fts5_fail.restype = None
    library.segmenter_fts5_fail.argtypes = [ctypes.c_char_p]
    return library


#: By fingerprint; never removed, since SQLite calls them until a connection closes.
_registered: dict[str, _Words] = {}


def load(connection: Any) -> None:
    """Load the extension into a connection, unless it is loaded.

    Raises:
        TypeError: neither an ``apsw.Connection`` nor a ``sqlite3.Connection``.
        ArgumentError: this Python's ``sqlite3`` loads no extensions.
        ResourceError: this installation has no extension.
    """
    import sqlite3

    builtin = isinstance(connection, sqlite3.Connection)
    if not builtin and not hasattr(connection, "register_fts5_tokenizer"):
        raise wrong_type("connection", connection, "an apsw.Connection or a sqlite3.Connection")
    if not hasattr(connection, "enable_load_extension"):
        raise ArgumentError(
            "connection: the sqlite3 of this Python was built without loadable extensions: use an "
            "apsw.Connection (pip install apsw), or a Python whose sqlite3 has "
            "them, such as Debian's and Homebrew's python3"
        )
    loaded = "select 1 from pragma_function_list where name = 'segmenter_register'"
    if list(connection.execute(loaded)):
        return
    path = capi.extension()
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)


def use(connection: Any, terms: Terms, name: str, mismatch: str) -> str:
    """Register the tokenizer ``name``, which cuts by ``terms``; return the extension's answer.

    Raises:
        ArgumentError: a table was filled by another Segmenter or with other options.
    """
    load(connection)
    words = _registered.get(terms.fingerprint)
    if words is None:
        words = _registered.setdefault(terms.fingerprint, _Words(terms))
    number = _library().segmenter_fts5_offer(ctypes.byref(words.source))
    try:
        rows = list(
            connection.execute("select segmenter_register(?, ?, ?)", (name, number, mismatch))
        )
    except Exception as e:
        if type(e).__name__ not in ("SQLError", "OperationalError"):
            raise
        raise ArgumentError(str(e)) from None
    return str(rows[0][0])
