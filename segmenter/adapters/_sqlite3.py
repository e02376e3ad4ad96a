"""Tokenizers for FTS5 of Python's own ``sqlite3``, through the package ``sqlitefts``.

sqlitefts finds SQLite's C interface by cffi.  Its own tokenizers cannot have two tokens at one
position, and treat an error as an empty text, so the three functions that FTS5 calls are here.
"""

from __future__ import annotations

import ctypes
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

fts5: Any = import_module("sqlitefts.fts5")  # typed as little as cffi is
SQLITE_OK = 0
_ERROR = 1  # SQLITE_ERROR
_COLOCATED = 1  # FTS5_TOKEN_COLOCATED
_ffi = fts5.ffi
_alive: list[object] = []  # SQLite calls these until its connections are closed


def _say(kind: Any, error: BaseException, _: Any) -> None:
    # SQLite itself says no more than "SQL logic error"
    warnings.warn(f"{kind.__name__}: {error}", stacklevel=2)


def install(
    connection: Any,
    name: str,
    make: Callable[[Any, list[str]], Callable[..., Iterable[tuple[Any, ...]]]],
) -> None:
    """Register a tokenizer.

    Args:
        connection: a ``sqlite3.Connection``.
        name: the tokenizer's name in ``tokenize=``.
        make: given the connection and arguments, returns the function of one table: from a
            text's bytes and FTS5's flags to tuples of first and last byte, a token, and others at
            the same position.

    Raises:
        RuntimeError: this SQLite has no FTS5, or does not expose it.
    """
    kept: list[object] = []
    # a reference would keep it open; SQLite calls `create` only while it is in use
    address = id(connection)

    @_ffi.callback("int(void *, const char **, int, Fts5Tokenizer **)", error=_ERROR, onerror=_say)  # type: ignore[untyped-decorator]
    def create(context: Any, argv: Any, argc: int, out: Any) -> int:
        opened = ctypes.cast(address, ctypes.py_object).value
        found = make(opened, [_ffi.string(argv[k]).decode() for k in range(argc)])
        handle = _ffi.new_handle(found)
        kept.append(handle)
        out[0] = _ffi.cast("Fts5Tokenizer *", handle)
        return SQLITE_OK

    @_ffi.callback("void(Fts5Tokenizer *)")  # type: ignore[untyped-decorator]
    def delete(tokenizer: Any) -> None:
        return None

    @_ffi.callback(  # type: ignore[untyped-decorator]
        "int(Fts5Tokenizer *, void *, int, const char *, int, "
        "int(void *, int, const char *, int, int, int))",
        error=_ERROR,
        onerror=_say,
    )
    def tokenize(of: Any, context: Any, flags: int, text: Any, size: int, give: Any) -> int:
        found = _ffi.from_handle(_ffi.cast("void *", of))
        utf8 = _ffi.buffer(text, size)[:] if size else b""
        for row in found(utf8, flags):
            data = row[2].encode()
            code = give(context, 0, data, len(data), row[0], row[1])
            for token in row[3:] if len(row) > 3 else ():
                if code != SQLITE_OK:
                    break
                data = token.encode()
                code = give(context, _COLOCATED, data, len(data), row[0], row[1])
            if code != SQLITE_OK:
                return int(code)
        return SQLITE_OK

    interface = fts5.fts5_api_from_db(connection)
    if not interface:
        raise RuntimeError("Python's sqlite3 was built without FTS5")
    made = _ffi.new("fts5_tokenizer *", [create, delete, tokenize])
    if interface.xCreateTokenizer(interface, name.encode(), _ffi.NULL, made, _ffi.NULL):
        raise RuntimeError(f"SQLite does not take the tokenizer {name!r}")
    _alive.append((create, delete, tokenize, made, kept))
