"""The C library: the paths of its header and its shared library in this installation."""

from __future__ import annotations

import os

from segmenter.errors import ResourceError

HERE = os.path.dirname(os.path.abspath(__file__))
#: The folder of ``segmenter.h``.
INCLUDE = HERE
#: Names of the shared library on Linux, macOS and Windows.
_LIBRARIES = ("libsegmenter.so.0", "libsegmenter.0.dylib", "segmenter.dll")
_BUILD = "wheels have it; in a clone of the source, `pip install -e .` builds it"


def library() -> str:
    """Return the path of the shared library.

    Raises:
        ResourceError: this installation has none.
    """
    for name in _LIBRARIES:
        path = os.path.join(HERE, name)
        if os.path.isfile(path):
            return path
    raise ResourceError(f"no {_LIBRARIES[0]} in {HERE}: {_BUILD}")


def extension() -> str:
    """Return the path of the FTS5 extension of SQLite.

    Raises:
        ResourceError: this installation has none.
    """
    for name in ("segmenter_fts5.so", "segmenter_fts5.dylib", "segmenter_fts5.dll"):
        path = os.path.join(HERE, name)
        if os.path.isfile(path):
            return path
    raise ResourceError(
        f"no segmenter_fts5 in {HERE}: {_BUILD} where SQLite's header sqlite3ext.h is installed "
        "(Debian: libsqlite3-dev)"
    )


def postgresql() -> str:
    """Return the folder of the extension of PostgreSQL, its source: ``make && make install``."""
    return os.path.join(HERE, "postgresql")


def models() -> str:
    """Return the folder of the compiled files, which ``segmenter_open`` takes.

    Raises:
        ResourceError: they are not installed.
    """
    from segmenter.files import resources

    return os.path.dirname(resources.find("general.lex"))


def cflags() -> str:
    """Return what a C compiler needs to find the header."""
    return f"-I{INCLUDE}"


def libs() -> str:
    """Return what a linker needs; a program finds the library in its current place."""
    return f"{library()} -Wl,-rpath,{HERE}"
