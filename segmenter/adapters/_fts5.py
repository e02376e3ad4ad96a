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

_LEFT_OUT = 1 << 31

_WHY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_READ = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)  # fmt: skip
_ENDS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
)  # fmt: skip


class _Offer(ctypes.Structure):
    """``segmenter_fts5_words``."""

    _fields_ = (
        ("fingerprint", ctypes.c_char_p),
        ("rules", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("ends", _ENDS),
        ("readings", _READ),
        ("failed", _WHY),
    )


class _Words:
    """The words of texts by one Segmenter and one set of options; threads may share it."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._held = threading.local()  # what the extension reads until this thread's next call
        self.offer = _Offer(
            terms.fingerprint.encode(), terms.rules, None,
            _ENDS(self._ends), _READ(self._readings), _WHY(self._failed),
        )  # fmt: skip

    def _ends(self, _: Any, utf8: int, size: int, out: Any, count: Any) -> int:
        def give(text: str) -> None:
            ends, left_out = self._terms.ends(text)
            if left_out:
                pairs = zip(ends, left_out, strict=True)
                ends = array("I", [end | _LEFT_OUT * out for end, out in pairs])
            self._held.it = ends
            out[0], count[0] = ends.buffer_info()

        return self._answer(utf8, size, give)

    def _readings(self, _: Any, utf8: int, size: int, out: Any) -> int:
        def give(text: str) -> None:
            held = (self._terms.readings(text) or self._terms.fold(text)).encode("utf-32-le")
            self._held.it = held
            out[0] = ctypes.cast(ctypes.c_char_p(held), ctypes.c_void_p).value

        return self._answer(utf8, size, give)

    def _answer(self, utf8: int, size: int, give: Callable[[str], None]) -> int:
        try:
            give(ctypes.string_at(utf8, size).decode())
        except Exception as e:
            _library().segmenter_fts5_fail(str(e).encode())
            return -1
        return 0

    def _failed(self, _: Any, why: bytes) -> None:
        # SQLite itself says no more than "SQL logic error"
        warnings.warn(why.decode(), stacklevel=2)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(capi.extension())
    library.segmenter_fts5_offer.restype = ctypes.c_int64
    library.segmenter_fts5_offer.argtypes = [ctypes.POINTER(_Offer)]
    library.segmenter_fts5_fail.restype = None
    library.segmenter_fts5_fail.argtypes = [ctypes.c_char_p]
    return library


#: By fingerprint.  SQLite calls these until its connections are closed, which it does not tell.
_kept: dict[str, _Words] = {}


def load(connection: Any) -> None:
    """Load the extension into a connection, unless it is there.

    Raises:
        TypeError: neither an ``apsw.Connection`` nor a ``sqlite3.Connection``.
        ArgumentError: this Python's ``sqlite3`` loads no extensions.
        ResourceError: this installation has no extension.
    """
    import sqlite3

    own = isinstance(connection, sqlite3.Connection)
    if not own and not hasattr(connection, "register_fts5_tokenizer"):
        raise wrong_type("connection", connection, "an apsw.Connection or a sqlite3.Connection")
    if not hasattr(connection, "enable_load_extension"):
        raise ArgumentError(
            "connection: the sqlite3 of this Python was built without loadable extensions: use an "
            "apsw.Connection (pip install apsw), or a Python whose sqlite3 has "
            "them, such as Debian's and Homebrew's python3"
        )
    there = "select 1 from pragma_function_list where name = 'segmenter_register'"
    if list(connection.execute(there)):
        return
    path = capi.extension()
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)


def use(connection: Any, terms: Terms, name: str, mismatch: str) -> str:
    """Have a connection's tokenizer ``name`` cut by ``terms``; return what the extension says.

    Raises:
        ArgumentError: there are tables that another one cut.
    """
    load(connection)
    words = _kept.get(terms.fingerprint) or _kept.setdefault(terms.fingerprint, _Words(terms))
    number = _library().segmenter_fts5_offer(ctypes.byref(words.offer))
    try:
        rows = list(
            connection.execute("select segmenter_register(?, ?, ?)", (name, number, mismatch))
        )
    except Exception as e:
        if type(e).__name__ not in ("SQLError", "OperationalError"):
            raise
        raise ArgumentError(str(e)) from None
    return str(rows[0][0])
