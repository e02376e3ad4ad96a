"""``python -m segmenter.capi``: prints compiler options for the C library of this installation.

cc program.c $(python -m segmenter.capi --cflags --libs)
"""

from __future__ import annotations

import argparse
import sys

from segmenter import capi
from segmenter.errors import SegmenterError


def main() -> int:
    """Print the requested values, on one line."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.capi", description=__doc__)
    parser.add_argument("--cflags", action="store_true", help="flags of the compiler")
    parser.add_argument("--libs", action="store_true", help="flags of the linker")
    parser.add_argument("--library", action="store_true", help="path of the shared library")
    parser.add_argument("--models", action="store_true", help="folder of the compiled files")
    parser.add_argument("--fts5", action="store_true", help="path of the extension of SQLite")
    parser.add_argument(
        "--postgresql", action="store_true", help="folder of PostgreSQL's, a source"
    )
    arguments = parser.parse_args()
    values = {
        "cflags": capi.cflags, "libs": capi.libs, "library": capi.library,
        "models": capi.models, "fts5": capi.extension,
        "postgresql": capi.postgresql,
    }  # fmt: skip
    chosen = [value for name, value in values.items() if getattr(arguments, name)]
    if not chosen:
        parser.print_help()
        return 2
    try:
        print(*(value() for value in chosen))
    except SegmenterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
